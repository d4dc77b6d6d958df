/* Rules of dynamic_padder for elementwise operations and those that only move elements. */
#include "passes/expand/dynamic_padder/padded.h"

/* ---- elementwise ---- */

/* The smaller one counts, but a size of 1 stretches. */
static hlo_instr *joint_size(hlo_padder *p, hlo_instr *a, hlo_instr *b) {
    hlo_rewriter *r = p->r;
    if (!a || a == b) return b;
    hlo_instr *less = hlo_build_binary(r, HLO_OP_MINIMUM, a, b);
    hlo_instr *more = hlo_build_binary(r, HLO_OP_MAXIMUM, a, b);
    hlo_instr *is_one = hlo_build_compare(r, less, hlo_padded_number(p, 1), "EQ");
    return hlo_build_select(r, is_one, more, less);
}

static bool has_part(const hlo_padded *x, uint32_t rank) {
    return x->data->shape->rank == rank && x->sizes;
}

/* x as it is, or its first line everywhere when it has one line and the result has more. */
static hlo_instr *stretched(hlo_padder *p, hlo_instr *data, hlo_instr *own, hlo_instr *joint,
                            int64_t d) {
    hlo_rewriter *r = p->r;
    const hlo_shape *shape = data->shape;
    if (shape->dims[d] == 1) return data;
    hlo_instr *has_one = hlo_build_compare(r, own, hlo_padded_number(p, 1), "EQ");
    hlo_instr *has_more = hlo_build_compare(r, joint, hlo_padded_number(p, 1), "GT");
    hlo_instr *stretches = hlo_build_binary(r, HLO_OP_AND, has_one, has_more);
    int64_t *sizes = hlo_malloc((shape->rank + 1u) * sizeof *sizes);
    int64_t *dims = hlo_malloc((shape->rank + 1u) * sizeof *dims);
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i == d) continue;
        sizes[n] = shape->dims[i];
        dims[n++] = i;
    }
    hlo_instr *line = hlo_build_reshape(r, hlo_build_slice(r, data, d, 0, 1), sizes, n);
    hlo_instr *lines = hlo_build_spread(r, line, shape, dims);
    hlo_free(sizes);
    hlo_free(dims);
    return hlo_build_select(r, hlo_build_spread(r, stretches, shape, NULL), lines, data);
}

hlo_padded *hlo_pad_elementwise(hlo_padder *p, hlo_instr *instr) {
    uint32_t n = instr->operand_count, rank = instr->shape->rank;
    hlo_padded **x = HLO_NEW_ARRAY(&p->arena, hlo_padded *, n);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n);
    hlo_instr **sizes = hlo_padded_sizes(p, rank);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = hlo_padded_operand(p, instr, i);
        operands[i] = x[i]->data;
        for (uint32_t d = 0; has_part(x[i], rank) && d < rank; d++)
            if (x[i]->sizes[d]) sizes[d] = joint_size(p, sizes[d], x[i]->sizes[d]);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; has_part(x[i], rank) && d < rank; d++)
            if (x[i]->sizes[d] && x[i]->sizes[d] != sizes[d])
                operands[i] = stretched(p, operands[i], x[i]->sizes[d], sizes[d], d);
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), operands, n);
    return hlo_padded_new(p, made, sizes);
}

/* In another order of memory, run-time sizes are of no dimension. */
static bool reorders(const hlo_instr *instr) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape;
    return instr->opcode == HLO_OP_BITCAST && hlo_shape_has_other_order(from, instr->shape);
}

/* The first operand with its sizes, through an operation that changes neither. */
hlo_padded *hlo_pad_same(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    if (!x->data && instr->opcode == HLO_OP_COPY) return x;
    if (!x->data)
        return hlo_padding_refuse(p, instr, "has a tuple operand with dynamic dimensions");
    if (!hlo_shape_compatible(x->data->shape, instr->shape))
        return hlo_padding_refuse(p, instr, "changes the shape of data with dynamic dimensions");
    if (reorders(instr))
        return hlo_padding_refuse(p, instr, "changes the order of data with dynamic dimensions");
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = i ? hlo_operand(instr, i) : hlo_emit_as_read(p->r, instr, 0, x->data);
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), operands,
                                    instr->operand_count);
    return hlo_padded_new(p, made, x->sizes);
}

hlo_padded *hlo_pad_bitcast_convert(hlo_padder *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_BITCAST_CONVERT);
    if (hlo_operand(instr, 0)->shape->rank != instr->shape->rank)
        return hlo_padding_refuse(p, instr, "splits or joins elements of dynamic dimensions");
    return hlo_pad_elementwise(p, instr);
}

/* ---- sizes ---- */

hlo_padded *hlo_pad_get_dimension_size(hlo_padder *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_GET_DIMENSION_SIZE);
    int64_t d = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    return hlo_padded_new(p, hlo_padded_size(p, hlo_padded_operand(p, instr, 0), d), NULL);
}

hlo_padded *hlo_pad_set_dimension_size(hlo_padder *p, hlo_instr *instr) {
    int64_t d = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    hlo_instr *size = hlo_padded_operand(p, instr, 1)->data;
    HLO_ASSERT(instr->opcode == HLO_OP_SET_DIMENSION_SIZE);
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    if (x->sizes) memcpy(sizes, x->sizes, instr->shape->rank * sizeof *sizes);
    sizes[d] = hlo_padded_valid_size(p, size, instr->shape->dims[d]);
    /* Marked as dynamic it has a size, to which others stretch, also where that is the bound. */
    if (!sizes[d] && instr->shape->is_dynamic && instr->shape->is_dynamic[d])
        sizes[d] = hlo_padded_number(p, instr->shape->dims[d]);
    return hlo_padded_new(p, x->data, sizes);
}

/* ---- tuples ---- */

hlo_padded *hlo_pad_tuple(hlo_padder *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_TUPLE);
    hlo_padded **elements = HLO_NEW_ARRAY(&p->arena, hlo_padded *, instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        elements[i] = hlo_padded_operand(p, instr, i);
    return hlo_padded_tuple(p, elements, instr->operand_count);
}

hlo_padded *hlo_pad_element(hlo_padder *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    return hlo_padded_element(p, hlo_padded_operand(p, instr, 0),
                              (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX));
}

/* ---- dimensions that go elsewhere ---- */

hlo_padded *hlo_pad_broadcast(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    for (uint32_t i = 0; i < dims->n; i++)
        if (hlo_has_size(x, i)) sizes[dims->v[i]] = x->sizes[i];
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), &x->data, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_BROADCAST);
    return hlo_padded_new(p, made, sizes);
}

hlo_padded *hlo_pad_transpose(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    const hlo_ints *order = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    for (uint32_t i = 0; i < order->n; i++)
        if (hlo_has_size(x, order->v[i])) sizes[i] = x->sizes[order->v[i]];
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), &x->data, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_TRANSPOSE);
    return hlo_padded_new(p, made, sizes);
}

/* ---- parts ---- */

hlo_padded *hlo_pad_slice(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    const hlo_slice *slice = hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    for (uint32_t d = 0; d < slice->n; d++)
        if (hlo_has_size(x, d))
            sizes[d] = hlo_padded_sliced(p, x, d, slice->v[d].start, slice->v[d].stride,
                                         instr->shape->dims[d]);
    hlo_instr *made = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), &x->data, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_SLICE);
    return hlo_padded_new(p, made, sizes);
}

/* `first` operands are data, the rest stays. */
static hlo_instr *with_data(hlo_padder *p, hlo_instr *instr, hlo_instr *const *data,
                            uint32_t first) {
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = i < first ? data[i] : hlo_padded_operand(p, instr, i)->data;
    return hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), operands,
                         instr->operand_count);
}

/* Dimensions that are taken whole keep their sizes. */
hlo_padded *hlo_pad_dynamic_slice(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_DYNAMIC_SLICE);
    const hlo_shape *to = instr->shape, *from = x->data->shape;
    hlo_instr **sizes = hlo_padded_sizes(p, to->rank);
    for (uint32_t d = 0; d < to->rank; d++) {
        if (!hlo_has_size(x, d)) continue;
        if (to->dims[d] == from->dims[d]) sizes[d] = x->sizes[d];
        else if (to->is_dynamic && to->is_dynamic[d])
            return hlo_padding_refuse(p, instr, "slices a dynamic dimension");
    }
    return hlo_padded_new(p, with_data(p, instr, &x->data, 1), sizes);
}

/* The part that the update replaces; its starts come as scalars or as one vector. */
static hlo_instr *replaced_part(hlo_padder *p, const hlo_instr *instr, hlo_instr *data,
                                const hlo_shape *update) {
    uint32_t n = instr->operand_count - 1;
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n);
    for (uint32_t i = 0; i < n; i++) operands[i] = i ? hlo_operand(instr, i + 1) : data;
    hlo_attr sizes =
        hlo_attr_of_ints(p->r, HLO_ATTR_DYNAMIC_SLICE_SIZES, update->dims, update->rank);
    return hlo_emit(p->r, HLO_OP_DYNAMIC_SLICE, update, operands, n, &sizes, 1);
}

/* What the update has of a dimension that it replaces whole is what there is, unless it is full. */
static hlo_instr *updated_size(hlo_padder *p, const hlo_padded *x, const hlo_padded *update,
                               int64_t d) {
    if (!hlo_has_size(update, d) || update->data->shape->dims[d] != x->data->shape->dims[d])
        return hlo_has_size(x, d) ? x->sizes[d] : NULL;
    if (!hlo_has_size(x, d)) return update->sizes[d];
    hlo_instr *bound = hlo_padded_number(p, x->data->shape->dims[d]);
    hlo_instr *is_short = hlo_build_compare(p->r, update->sizes[d], bound, "LT");
    return hlo_build_select(p->r, is_short, update->sizes[d], x->sizes[d]);
}

hlo_padded *hlo_pad_dynamic_update_slice(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0), *update = hlo_padded_operand(p, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE);
    hlo_instr *data[] = {x->data, update->data};
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    for (uint32_t d = 0; d < instr->shape->rank; d++) sizes[d] = updated_size(p, x, update, d);
    hlo_instr *live = hlo_padded_live(p, update->data->shape, update->sizes, NULL);
    if (live) {
        hlo_instr *old = replaced_part(p, instr, x->data, update->data->shape);
        data[1] = hlo_build_select(p->r, live, update->data, old);
    }
    return hlo_padded_new(p, with_data(p, instr, data, 2), sizes);
}

/* ---- wholes ---- */

/* Each operand covers the padding of those before it. */
hlo_padded *hlo_pad_concatenate(hlo_padder *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_CONCATENATE);
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    const hlo_shape *shape = hlo_padded_shape(p, instr->shape);
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank), **parts, **starts;
    parts = HLO_NEW_ARRAY(&p->arena, hlo_instr *, instr->operand_count);
    starts = hlo_padded_sizes(p, shape->rank);
    bool moves = false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_padded *x = hlo_padded_operand(p, instr, i);
        parts[i] = x->data;
        moves |= hlo_has_size(x, dimension);
        for (uint32_t d = 0; d < shape->rank; d++)
            if (hlo_has_size(x, d)) sizes[d] = x->sizes[d];
    }
    if (!moves)
        return hlo_padded_new(p, hlo_emit_like(p->r, instr, shape, parts, instr->operand_count),
                              sizes);
    hlo_instr *whole = hlo_build_integer(p->r, shape, 0), *place = hlo_padded_number(p, 0);
    for (uint32_t d = 0; d < shape->rank; d++) starts[d] = place;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        starts[dimension] = place;
        whole = hlo_build_dynamic_update(p->r, whole, parts[i], starts);
        hlo_instr *size = hlo_padded_size(p, hlo_padded_operand(p, instr, i), dimension);
        place = hlo_build_binary(p->r, HLO_OP_ADD, place, size);
    }
    sizes[dimension] = place;
    return hlo_padded_new(p, whole, sizes);
}

hlo_padded *hlo_pad_pad(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    hlo_instr *value = hlo_padded_operand(p, instr, 1)->data;
    HLO_ASSERT(instr->opcode == HLO_OP_PAD);
    const hlo_padding *padding = hlo_instr_attr(instr, HLO_ATTR_PADDING)->u.padding;
    hlo_instr **sizes = hlo_padded_sizes(p, instr->shape->rank);
    hlo_instr *masked = hlo_padded_masked(p, x, NULL, value);
    for (uint32_t d = 0; d < padding->n; d++)
        if (hlo_has_size(x, d))
            sizes[d] = hlo_padded_widened(p, x, d, padding, instr->shape->dims[d]);
    return hlo_padded_new(p, with_data(p, instr, &masked, 1), sizes);
}

/* The padding, which comes in front, is cut off and put after. */
hlo_padded *hlo_pad_reverse(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_instr *data = hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), &x->data, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_REVERSE);
    const hlo_shape *shape = data->shape;
    for (uint32_t i = 0; i < dims->n; i++) {
        int64_t d = dims->v[i];
        if (!hlo_has_size(x, d)) continue;
        hlo_instr *zero = hlo_padded_number(p, 0), **starts = hlo_padded_sizes(p, shape->rank);
        hlo_instr *fill = hlo_build_integer(
            p->r, hlo_shape_scalar(&p->r->module->shapes, (hlo_type)shape->type), 0);
        hlo_instr *longer = hlo_build_pad(p->r, data, fill, d, 0, shape->dims[d]);
        for (uint32_t k = 0; k < shape->rank; k++) starts[k] = zero;
        hlo_instr *bound = hlo_padded_number(p, shape->dims[d]);
        starts[d] = hlo_build_binary(p->r, HLO_OP_SUBTRACT, bound, x->sizes[d]);
        data = hlo_build_as(hlo_build_dynamic_slice(p->r, longer, starts, shape->dims), shape);
    }
    return hlo_padded_new(p, data, x->sizes);
}
