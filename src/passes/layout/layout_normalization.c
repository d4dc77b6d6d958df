/* layout_normalization: operations on arrays whose dimensions are not stored in order become
 * operations on arrays whose dimensions are. Attributes refer to the reordered dimensions. Bitcasts
 * connect both, and vanish between operations that have been rewritten. Patterns. */
#include "passes/layout/normal_form.h"
#include "shape/storage.h"

/* ---- operands and attributes in an order ---- */

/* `like` on its operands of the result's rank in that order. */
static hlo_instr *emit_in_order(hlo_rewriter *r, const hlo_instr *like, const hlo_ints *order) {
    hlo_instr **operands = hlo_malloc((like->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < like->operand_count; i++) {
        operands[i] = hlo_operand(like, i);
        if (operands[i]->shape->rank == order->n) operands[i] = hlo_in_order(r, operands[i], order);
    }
    const hlo_shape *shape = hlo_shape_in_order(r, like->shape, order);
    hlo_instr *out = hlo_emit_like(r, like, shape, operands, like->operand_count);
    hlo_free(operands);
    return out;
}

/* ---- operations that keep dimensions ---- */

hlo_instr *hlo_rewrite_normalize_elementwise(hlo_rewriter *r, hlo_instr *instr) {
    bool is_elementwise =
        (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) != 0 || instr->opcode == HLO_OP_MAP;
    if (!is_elementwise || instr->opcode == HLO_OP_COPY || !hlo_shape_is_array(instr->shape) ||
        !hlo_has_other_layout(instr))
        return NULL;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t rank = hlo_operand(instr, i)->shape->rank;
        if (rank && rank != instr->shape->rank) return NULL; /* bitcast-convert */
    }
    const hlo_ints *order = hlo_layout_order(r, instr->shape);
    return hlo_from_order(r, emit_in_order(r, instr, order), order, instr->shape);
}

/* Elements of one array are the last dimension of the other, which stays the last one. */
hlo_instr *hlo_rewrite_normalize_bitcast_convert(hlo_rewriter *r, hlo_instr *convert) {
    hlo_instr *from = hlo_operand(convert, 0);
    const hlo_shape *shape = convert->shape;
    if (from->shape->rank == shape->rank || !hlo_has_other_layout(convert)) return NULL;
    uint32_t rank = from->shape->rank;
    const hlo_ints *order = hlo_layout_order(r, shape);
    if (rank < shape->rank && order->v[rank] != rank) return NULL;
    hlo_ints *before = hlo_default_order(r, rank);
    for (uint32_t k = 0; k < rank && k < shape->rank; k++) before->v[k] = order->v[k];
    hlo_instr *out = hlo_emit_unary(r, HLO_OP_BITCAST_CONVERT, hlo_shape_in_order(r, shape, order),
                                    hlo_in_order(r, from, before));
    return hlo_from_order(r, out, order, shape);
}

static hlo_slice *ordered_slice(hlo_rewriter *r, const hlo_slice *old, const hlo_ints *order) {
    hlo_slice *slice = hlo_new_slice(r, order->n);
    for (uint32_t k = 0; k < order->n; k++) slice->v[k] = old->v[order->v[k]];
    return slice;
}

static hlo_padding *ordered_padding(hlo_rewriter *r, const hlo_padding *old,
                                    const hlo_ints *order) {
    hlo_padding *padding = hlo_new_padding(r, order->n);
    for (uint32_t k = 0; k < order->n; k++) padding->v[k] = old->v[order->v[k]];
    return padding;
}

static hlo_window *ordered_window(hlo_rewriter *r, const hlo_window *old, const hlo_ints *order) {
    hlo_window *window =
        hlo_arena_zero(&r->module->arena, sizeof *window + order->n * sizeof window->v[0]);
    window->n = order->n;
    for (uint32_t k = 0; k < order->n; k++) window->v[k] = old->v[order->v[k]];
    return window;
}

/* The attribute's values for each dimension, or the dimensions that it names. */
static hlo_attr ordered_attr(hlo_rewriter *r, const hlo_attr *attr, const hlo_ints *order) {
    hlo_attr ordered = *attr;
    switch (attr->id) {
    case HLO_ATTR_SLICE: ordered.u.slice = ordered_slice(r, attr->u.slice, order); break;
    case HLO_ATTR_PADDING: ordered.u.padding = ordered_padding(r, attr->u.padding, order); break;
    case HLO_ATTR_WINDOW: ordered.u.window = ordered_window(r, attr->u.window, order); break;
    case HLO_ATTR_DYNAMIC_SLICE_SIZES:
        ordered.u.ints = hlo_places_of(r, order, attr->u.ints);
        break;
    case HLO_ATTR_DIMENSIONS: ordered.u.ints = hlo_places_in_order(r, attr->u.ints, order); break;
    case HLO_ATTR_IOTA_DIMENSION: ordered.u.i = hlo_ints_find(order, attr->u.i); break;
    default: break;
    }
    return ordered;
}

/* Start indices of a dynamic slice, the last operands, one per dimension. */
static void reorder_starts(hlo_instr *instr, const hlo_instr *old, const hlo_ints *order) {
    uint32_t first = instr->operand_count - order->n;
    for (uint32_t k = 0; k < order->n; k++)
        hlo_instr_set_operand(instr, first + k, hlo_operand(old, first + (uint32_t)order->v[k]));
}

static hlo_instr *in_layout_order(hlo_rewriter *r, const hlo_instr *instr, bool has_starts) {
    const hlo_ints *order = hlo_layout_order(r, instr->shape);
    hlo_instr *out = emit_in_order(r, instr, order);
    for (uint32_t i = 0; i < out->attr_count; i++)
        hlo_instr_set_attr(out, ordered_attr(r, &out->attrs[i], order));
    if (has_starts) reorder_starts(out, instr, order);
    return hlo_from_order(r, out, order, instr->shape);
}

hlo_instr *hlo_rewrite_normalize_dimensions(hlo_rewriter *r, hlo_instr *instr) {
    if (!hlo_shape_is_array(instr->shape) || !hlo_has_other_layout(instr)) return NULL;
    return in_layout_order(r, instr, false);
}

hlo_instr *hlo_rewrite_normalize_starts(hlo_rewriter *r, hlo_instr *instr) {
    uint32_t arrays = instr->opcode == HLO_OP_DYNAMIC_SLICE ? 1 : 2;
    if (!hlo_has_other_layout(instr) || instr->operand_count != arrays + instr->shape->rank)
        return NULL;
    return in_layout_order(r, instr, true);
}

/* ---- sources ---- */

hlo_instr *hlo_rewrite_normalize_constant(hlo_rewriter *r, hlo_instr *constant) {
    const hlo_literal *old = hlo_instr_attr(constant, HLO_ATTR_VALUE)->u.literal;
    if (!hlo_shape_is_array(constant->shape) || !hlo_has_other_layout(constant)) return NULL;
    if (hlo_literal_is_elided(old) || hlo_literal_is_huge(old)) return NULL;
    const hlo_ints *order = hlo_layout_order(r, constant->shape);
    hlo_literal *literal =
        hlo_literal_new(&r->module->arena, hlo_shape_in_order(r, constant->shape, order));
    size_t bytes = hlo_types[constant->shape->type].bytes;
    const char *from = hlo_literal_data(old);
    for (int64_t i = 0, n = hlo_shape_elements(constant->shape); i < n; i++)
        memcpy((char *)literal->data + (size_t)i * bytes,
               from + (size_t)hlo_literal_logical_index(constant->shape, i) * bytes, bytes);
    return hlo_from_order(r, hlo_emit_constant(r, literal), order, constant->shape);
}

hlo_instr *hlo_rewrite_normalize_broadcast(hlo_rewriter *r, hlo_instr *broadcast) {
    if (!hlo_has_other_layout(broadcast)) return NULL;
    hlo_instr *from = hlo_operand(broadcast, 0);
    const hlo_ints *dims = hlo_attr_ints(broadcast, HLO_ATTR_DIMENSIONS);
    const hlo_ints *order = hlo_layout_order(r, broadcast->shape);
    hlo_ints *spread = hlo_places_of(r, hlo_layout_order(r, from->shape), dims);
    spread = hlo_places_of(r, spread, hlo_order_places(r, order));
    hlo_instr *out = hlo_emit_broadcast(r, hlo_shape_in_order(r, broadcast->shape, order),
                                        hlo_normal_form(r, from), spread->v, spread->n);
    return hlo_from_order(r, out, order, broadcast->shape);
}

/* ---- moves ---- */

/* A transposed array lies in memory as it did, or is transposed by what remains. */
hlo_instr *hlo_rewrite_normalize_transpose(hlo_rewriter *r, hlo_instr *transpose) {
    if (!hlo_has_other_layout(transpose)) return NULL;
    hlo_instr *from = hlo_operand(transpose, 0);
    const hlo_ints *dims = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    const hlo_ints *order =
        hlo_places_of(r, hlo_layout_order(r, from->shape), hlo_order_places(r, dims));
    return hlo_from_order(r, hlo_normal_form(r, from), order, transpose->shape);
}

/* A copy that changes the layout moves elements; another one stays a copy. */
hlo_instr *hlo_rewrite_normalize_copy(hlo_rewriter *r, hlo_instr *copy) {
    hlo_instr *from = hlo_operand(copy, 0);
    if (!hlo_shape_is_array(copy->shape) || !hlo_has_other_layout(copy)) return NULL;
    hlo_instr *normal = hlo_normal_form(r, from);
    if (from->shape == copy->shape) normal = hlo_emit_unary(r, HLO_OP_COPY, normal->shape, normal);
    return hlo_from_order(r, normal, hlo_layout_order(r, from->shape), copy->shape);
}

/* Where elements stay, or from an array in logical order. */
hlo_instr *hlo_rewrite_normalize_reshape(hlo_rewriter *r, hlo_instr *reshape) {
    hlo_instr *from = hlo_operand(reshape, 0);
    const hlo_shape *shape = reshape->shape;
    if (!hlo_has_other_layout(reshape)) return NULL;
    bool stays = hlo_reshape_is_bitcast(from->shape, shape);
    const hlo_ints *before =
        stays ? hlo_layout_order(r, from->shape) : hlo_default_order(r, from->shape->rank);
    const hlo_ints *after = stays ? hlo_layout_order(r, shape) : hlo_default_order(r, shape->rank);
    hlo_instr *out = hlo_emit_unary(r, HLO_OP_RESHAPE, hlo_shape_in_order(r, shape, after),
                                    hlo_in_order(r, from, before));
    return hlo_from_order(r, out, after, shape);
}

/* Between bitcasts nothing has another layout. */
hlo_instr *hlo_rewrite_bitcast_twice(hlo_rewriter *r, hlo_instr *bitcast) {
    hlo_instr *origin = hlo_bitcast_origin(bitcast);
    if (origin == bitcast || origin == hlo_operand(bitcast, 0)) return NULL;
    return origin->shape == bitcast->shape
               ? origin
               : hlo_emit_unary(r, HLO_OP_BITCAST, bitcast->shape, origin);
}

/* ---- everything else: in logical order ---- */

static bool may_be_ordered(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_GET_DIMENSION_SIZE: return false;
    default: return hlo_info(instr)->class <= HLO_CLASS_RANDOM;
    }
}

static const hlo_shape *logical_shape(hlo_rewriter *r, const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape))
        return hlo_shape_in_order(r, shape, hlo_default_order(r, shape->rank));
    const hlo_shape **parts = hlo_malloc((shape->rank + 1) * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++) parts[i] = logical_shape(r, shape->elements[i]);
    const hlo_shape *out = hlo_shape_tuple(&r->module->shapes, parts, shape->rank);
    hlo_free(parts);
    return out;
}

static hlo_instr *from_logical(hlo_rewriter *r, hlo_instr *array, const hlo_shape *shape) {
    return hlo_from_order(r, array, hlo_default_order(r, shape->rank), shape);
}

static hlo_instr *results_from_logical(hlo_rewriter *r, hlo_instr *out, const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return from_logical(r, out, shape);
    hlo_instr **parts = hlo_malloc((shape->rank + 1) * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++)
        parts[i] = from_logical(r, hlo_emit_element(r, out, i), shape->elements[i]);
    hlo_instr *tuple = hlo_emit_tuple(r, parts, shape->rank);
    hlo_free(parts);
    return tuple;
}

/* Results are arrays, or one tuple of arrays. */
static bool consists_of_arrays(const hlo_instr *instr) {
    for (uint32_t i = 0; i < hlo_shape_part_count(instr->shape); i++)
        if (!hlo_shape_is_array(hlo_shape_part(instr->shape, i))) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!hlo_shape_is_array(hlo_operand(instr, i)->shape)) return false;
    return true;
}

hlo_instr *hlo_rewrite_normalize_others(hlo_rewriter *r, hlo_instr *instr) {
    if (!may_be_ordered(instr) || !consists_of_arrays(instr) || !hlo_has_other_layout(instr))
        return NULL;
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i);
        operands[i] = hlo_in_order(r, operand, hlo_default_order(r, operand->shape->rank));
    }
    hlo_instr *out =
        hlo_emit_like(r, instr, logical_shape(r, instr->shape), operands, instr->operand_count);
    hlo_free(operands);
    return results_from_logical(r, out, instr->shape);
}
