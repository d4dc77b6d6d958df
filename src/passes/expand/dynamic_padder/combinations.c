/* Rules of dynamic_padder for operations that combine many elements: what does not count becomes
 * what changes nothing. */
#include "analysis/match.h"
#include "passes/expand/dynamic_padder/padded.h"
#include "passes/expand/parts.h"

static const hlo_shape *scalar_of(hlo_padder *p, int type) {
    return hlo_shape_scalar(&p->r->module->shapes, (hlo_type)type);
}

/* What a computation over elements and accumulators changes nothing with: the neutral element of
 * its operation, or the initial value, which must be one by the meaning of the operations. */
static hlo_instr *filler(hlo_padder *p, const hlo_instr *instr, const hlo_computation *reducer,
                         const hlo_padded *x, uint32_t init) {
    hlo_opcode opcode = hlo_binary_computation(reducer);
    hlo_instr *neutral = NULL;
    if (opcode != HLO_OP_COUNT)
        neutral = hlo_build_neutral(p->r, scalar_of(p, x->data->shape->type), opcode);
    if (neutral) return neutral;
    return hlo_build_convert(p->r, hlo_padded_operand(p, instr, init)->data,
                             (hlo_type)x->data->shape->type);
}

/* Operands of a reduction with masks along the dimensions that count; initial values follow. */
static hlo_instr **masked_operands(hlo_padder *p, const hlo_instr *instr, const bool *counts) {
    uint32_t n = instr->operand_count / 2;
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, instr->operand_count);
    const hlo_computation *reducer = hlo_called(instr, 0);
    for (uint32_t i = 0; i < n; i++) {
        hlo_padded *x = hlo_padded_operand(p, instr, i);
        hlo_instr *fill = x->sizes ? filler(p, instr, reducer, x, n + i) : NULL;
        operands[i] = fill ? hlo_padded_masked(p, x, counts, fill) : x->data;
        operands[n + i] = hlo_padded_operand(p, instr, n + i)->data;
    }
    return operands;
}

static hlo_instr *emitted(hlo_padder *p, const hlo_instr *instr, hlo_instr *const *operands) {
    return hlo_emit_like(p->r, instr, hlo_padded_shape(p, instr->shape), operands,
                         instr->operand_count);
}

hlo_padded *hlo_pad_reduce(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE);
    uint32_t rank = x->data->shape->rank, kept = 0;
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    bool *counts = HLO_NEW_ARRAY(&p->arena, bool, rank + 1);
    hlo_instr **sizes = hlo_padded_sizes(p, rank);
    for (uint32_t i = 0; i < dims->n; i++) counts[dims->v[i]] = true;
    for (uint32_t d = 0; d < rank; d++)
        if (!counts[d]) sizes[kept++] = hlo_has_size(x, d) ? x->sizes[d] : NULL;
    return hlo_padded_results(p, emitted(p, instr, masked_operands(p, instr, counts)), sizes);
}

/* ---- windows ---- */

hlo_padded *hlo_pad_reduce_window(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE_WINDOW);
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_WINDOW);
    const hlo_shape *shape =
        hlo_shape_is_tuple(instr->shape) ? instr->shape->elements[0] : instr->shape;
    bool *counts = HLO_NEW_ARRAY(&p->arena, bool, shape->rank + 1);
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank);
    for (uint32_t d = 0; d < shape->rank; d++) {
        const hlo_window_dim *w = attr && d < attr->u.window->n ? &attr->u.window->v[d] : NULL;
        counts[d] = w && !hlo_window_keeps_all(w);
        if (!hlo_has_size(x, d)) continue;
        sizes[d] = w ? hlo_padded_windows(p, w, x, d, shape->dims[d]) : x->sizes[d];
    }
    return hlo_padded_results(p, emitted(p, instr, masked_operands(p, instr, counts)), sizes);
}

/* Elements that do not count are not selected; sources that do not count are not scattered. */
hlo_padded *hlo_pad_select_and_scatter(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0), *source = hlo_padded_operand(p, instr, 1);
    hlo_scattered s = {.operand = x->data, .source = source->data};
    s.operand_live = hlo_padded_live(p, x->data->shape, x->sizes, NULL);
    s.source_live = hlo_padded_live(p, source->data->shape, source->sizes, NULL);
    hlo_instr *data = hlo_expand_scattered(p->r, instr, &s);
    HLO_ASSERT(instr->opcode == HLO_OP_SELECT_AND_SCATTER);
    if (!data) return hlo_padding_refuse(p, instr, "has no window or no elements");
    return hlo_padded_new(p, data, x->sizes);
}

/* ---- sort, topk ---- */

/* compare, with two more parameters for whether the elements count: those that do stand before
 * all others. */
static hlo_computation *live_first(hlo_padder *p, hlo_computation *compare) {
    hlo_rewriter *r = p->r;
    uint32_t n = compare->parameter_count;
    hlo_instr **parameters = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n + 2);
    hlo_body body = hlo_build_open(r, "live_first");
    for (uint32_t i = 0; i < n + 2; i++) {
        const hlo_shape *shape = i < n ? compare->parameters[i]->shape : scalar_of(p, HLO_PRED);
        parameters[i] = hlo_build_parameter(r, &body, i, shape);
    }
    hlo_instr *before = hlo_build_call(r, compare, parameters, n);
    hlo_instr *dead = hlo_build_unary(r, HLO_OP_NOT, parameters[n + 1]);
    hlo_instr *wins = hlo_build_binary(r, HLO_OP_OR, dead, before);
    return hlo_build_close(r, &body, hlo_build_binary(r, HLO_OP_AND, parameters[n], wins));
}

/* Sorts the arrays along a dimension, what counts before the rest. */
static hlo_instr *sorted_live(hlo_padder *p, hlo_instr *const *arrays, uint32_t n, hlo_instr *live,
                              hlo_attr *attrs, uint32_t attr_count) {
    const hlo_shape **shapes = HLO_NEW_ARRAY(&p->arena, const hlo_shape *, n + 1);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n + 1);
    memcpy(operands, arrays, n * sizeof *operands);
    operands[n] = live;
    for (uint32_t i = 0; i <= n; i++) shapes[i] = operands[i]->shape;
    for (uint32_t i = 0; i < attr_count; i++)
        if (attrs[i].id == HLO_ATTR_TO_APPLY)
            attrs[i].u.computation = live_first(p, attrs[i].u.computation);
    const hlo_shape *shape = hlo_shape_tuple(&p->r->module->shapes, shapes, n + 1);
    return hlo_emit(p->r, HLO_OP_SORT, shape, operands, n + 1, attrs, attr_count);
}

/* The least of the operands' sizes counts along the dimension. */
static hlo_instr *sort_size(hlo_padder *p, const hlo_instr *instr, int64_t dimension) {
    HLO_ASSERT(dimension >= 0);
    hlo_instr *size = NULL;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_padded *x = hlo_padded_operand(p, instr, i);
        if (!hlo_has_size(x, dimension) || x->sizes[dimension] == size) continue;
        size = size ? hlo_build_binary(p->r, HLO_OP_MINIMUM, size, x->sizes[dimension])
                    : x->sizes[dimension];
    }
    return size;
}

hlo_padded *hlo_pad_sort(hlo_padder *p, hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_SORT);
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    uint32_t n = instr->operand_count;
    hlo_padded **elements = HLO_NEW_ARRAY(&p->arena, hlo_padded *, n);
    hlo_instr **arrays = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n), *made;
    for (uint32_t i = 0; i < n; i++) arrays[i] = hlo_padded_operand(p, instr, i)->data;
    const hlo_shape *shape = arrays[0]->shape;
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank);
    sizes[dimension] = sort_size(p, instr, dimension);
    hlo_instr *live = hlo_padded_live(p, shape, sizes, NULL);
    if (live) {
        hlo_attr attrs[] = {
            *hlo_instr_attr(instr, HLO_ATTR_DIMENSIONS),
            hlo_attr_of_int(HLO_ATTR_IS_STABLE, hlo_attr_int(instr, HLO_ATTR_IS_STABLE)),
            *hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)};
        made = sorted_live(p, arrays, n, live, attrs, sizeof attrs / sizeof *attrs);
    } else {
        made = emitted(p, instr, arrays);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool is_tuple = hlo_shape_is_tuple(made->shape);
        hlo_instr *element = is_tuple ? hlo_emit_element(p->r, made, i) : made;
        elements[i] = hlo_padded_new(p, element, hlo_padded_operand(p, instr, i)->sizes);
    }
    return hlo_shape_is_tuple(instr->shape) ? hlo_padded_tuple(p, elements, n) : elements[0];
}

/* Values with their positions, what counts first; the first k stay. */
static hlo_padded *topk_of_live(hlo_padder *p, const hlo_instr *instr, const hlo_padded *x,
                                hlo_instr *live, hlo_instr *const *sizes) {
    hlo_rewriter *r = p->r;
    const hlo_shape *shape = x->data->shape;
    int64_t last = (int64_t)shape->rank - 1, k = hlo_attr_int(instr, HLO_ATTR_K);
    bool largest = hlo_attr_int(instr, HLO_ATTR_LARGEST) != 0;
    hlo_instr *arrays[2] = {x->data, NULL};
    arrays[1] = hlo_build_iota(r, hlo_shape_with_type(&r->module->shapes, shape, HLO_S32), last);
    hlo_attr attrs[] = {hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &last, 1),
                        hlo_attr_of_int(HLO_ATTR_IS_STABLE, 1),
                        {.id = HLO_ATTR_TO_APPLY,
                         .u.computation = hlo_topk_comparator(r, (hlo_type)shape->type, largest)}};
    hlo_instr *sorted = sorted_live(p, arrays, 2, live, attrs, sizeof attrs / sizeof *attrs);
    hlo_padded *parts[2];
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *first = hlo_build_slice(r, hlo_emit_element(r, sorted, i), last, 0, k);
        parts[i] = hlo_padded_new(p, first, sizes);
    }
    return hlo_padded_tuple(p, parts, 2);
}

hlo_padded *hlo_pad_topk(hlo_padder *p, hlo_instr *instr) {
    hlo_padded *x = hlo_padded_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_TOPK);
    uint32_t rank = x->data->shape->rank;
    hlo_instr **sizes = hlo_padded_sizes(p, rank);
    bool *counts = HLO_NEW_ARRAY(&p->arena, bool, rank + 1);
    for (uint32_t d = 0; d + 1 < rank; d++) sizes[d] = hlo_has_size(x, d) ? x->sizes[d] : NULL;
    counts[rank - 1] = true;
    hlo_instr *live = hlo_padded_live(p, x->data->shape, x->sizes, counts);
    if (live) return topk_of_live(p, instr, x, live, sizes);
    return hlo_padded_results(p, emitted(p, instr, &x->data), sizes);
}
