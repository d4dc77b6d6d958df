/* Rules of operations that move elements without computing: what went somewhere comes back from
 * there, and what was read several times is added. */
#include "analysis/match.h"
#include "passes/autodiff/moves.h"

hlo_instr *hlo_gradient_zero_scalar(hlo_gradient *g, const hlo_shape *of) {
    return hlo_build_number(g->r, hlo_shape_scalar(&g->r->module->shapes, (hlo_type)of->type), 0);
}

/* ---- the same elements in another order ---- */

bool hlo_gradient_reshape(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    if (shape->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    hlo_gradient_add(g, instr, 0, hlo_emit_unary(g->r, HLO_OP_RESHAPE, shape, c));
    return true;
}

/* The layouts of a bitcast determine where elements go. */
bool hlo_gradient_bitcast(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    if (shape->type != instr->shape->type)
        return hlo_gradient_refuse(g, instr, "has no gradient between types");
    if (c->shape != instr->shape) c = hlo_emit_unary(g->r, HLO_OP_COPY, instr->shape, c);
    hlo_gradient_add(g, instr, 0, hlo_emit_unary(g->r, HLO_OP_BITCAST, shape, c));
    return true;
}

bool hlo_gradient_transpose(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_TRANSPOSE);
    int64_t *inverse = hlo_malloc((c->shape->rank + 1u) * sizeof *inverse);
    hlo_invert_order(hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS), inverse);
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    hlo_gradient_add(g, instr, 0, hlo_emit_transpose(g->r, shape, c, inverse));
    hlo_free(inverse);
    return true;
}

bool hlo_gradient_reverse(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_REVERSE);
    hlo_gradient_add(g, instr, 0, hlo_emit_like(g->r, instr, c->shape, &c, 1));
    return true;
}

/* ---- elements that are read several times ---- */

/* Dimensions of a broadcast in the order in which they are left when the others are added up, as
 * the operand has them. */
static hlo_instr *in_operand_order(hlo_gradient *g, hlo_instr *sum, const hlo_ints *dims) {
    int64_t *order = hlo_calloc(dims->n + 1u, sizeof *order);
    bool is_sorted = true;
    for (uint32_t i = 0; i < dims->n; i++) {
        for (uint32_t k = 0; k < dims->n; k++) order[i] += dims->v[k] < dims->v[i];
        is_sorted &= order[i] == i;
    }
    if (!is_sorted) sum = hlo_build_transpose(g->r, sum, order);
    hlo_free(order);
    return sum;
}

bool hlo_gradient_broadcast(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_BROADCAST);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    uint32_t rank = c->shape->rank, n = 0;
    int64_t *added = hlo_malloc((rank + 1u) * sizeof *added);
    for (uint32_t d = 0; d < rank; d++)
        if (!hlo_ints_contain(dims, d)) added[n++] = d;
    hlo_instr *sum = n ? hlo_build_reduce(g->r, c, HLO_OP_ADD, added, n) : c;
    hlo_free(added);
    hlo_gradient_add(g, instr, 0, in_operand_order(g, sum, dims));
    return true;
}

/* ---- parts ---- */

static hlo_instr *padded(hlo_gradient *g, hlo_instr *a, const hlo_shape *shape,
                         const hlo_padding *padding) {
    hlo_attr attr = {.id = HLO_ATTR_PADDING, .u.padding = padding};
    hlo_instr *operands[] = {a, hlo_gradient_zero_scalar(g, shape)};
    return hlo_emit(g->r, HLO_OP_PAD, shape, operands, 2, &attr, 1);
}

hlo_instr *hlo_gradient_unsliced(hlo_gradient *g, hlo_instr *c, const hlo_shape *shape,
                                 const hlo_slice *slice) {
    if (shape->rank == 0) return c; /* no text has a pad of a scalar */
    hlo_padding *padding = hlo_new_padding(g->r, shape->rank);
    for (uint32_t d = 0; d < shape->rank; d++) {
        int64_t n = c->shape->dims[d], stride = slice->v[d].stride;
        int64_t used = n ? (n - 1) * stride + 1 : 0;
        padding->v[d].low = slice->v[d].start;
        padding->v[d].high = shape->dims[d] - slice->v[d].start - used;
        padding->v[d].interior = stride - 1;
    }
    return padded(g, c, shape, padding);
}

bool hlo_gradient_slice(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_SLICE);
    const hlo_slice *slice = hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    hlo_gradient_add(g, instr, 0, hlo_gradient_unsliced(g, c, shape, slice));
    return true;
}

/* Every (interior + 1)-th element of what padding at the edges left. */
static hlo_instr *without_interior(hlo_gradient *g, hlo_instr *a, const hlo_shape *shape,
                                   const hlo_padding *padding) {
    hlo_slice *slice = hlo_new_whole_slice(g->r, a->shape);
    bool all = true;
    for (uint32_t d = 0; d < shape->rank; d++) {
        slice->v[d].stride = padding->v[d].interior + 1;
        all &= padding->v[d].interior == 0;
    }
    return all ? a : hlo_emit_slice(g->r, shape, a, slice);
}

hlo_instr *hlo_gradient_unpadded(hlo_gradient *g, hlo_instr *c, const hlo_shape *shape,
                                 const hlo_padding *padding) {
    hlo_padding *edges = hlo_new_padding(g->r, shape->rank);
    int64_t *sizes = hlo_malloc((shape->rank + 1u) * sizeof *sizes);
    for (uint32_t d = 0; d < shape->rank; d++) {
        edges->v[d].low = -padding->v[d].low;
        edges->v[d].high = -padding->v[d].high;
        sizes[d] = c->shape->dims[d] - padding->v[d].low - padding->v[d].high;
    }
    const hlo_shape *spread = hlo_shape_of_sizes(g->r, (hlo_type)shape->type, sizes, shape->rank);
    hlo_free(sizes);
    return without_interior(g, padded(g, c, spread, edges), shape, padding);
}

bool hlo_gradient_pad(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_PAD);
    const hlo_padding *padding = hlo_instr_attr(instr, HLO_ATTR_PADDING)->u.padding;
    hlo_instr *part = hlo_gradient_unpadded(g, c, hlo_operand(instr, 0)->shape, padding);
    hlo_gradient_add(g, instr, 0, part);
    if (hlo_gradient_is_needed(g, instr, 1)) {
        hlo_instr *all = sum_of_all(g, c);
        hlo_gradient_add(g, instr, 1, minus(g, all, sum_of_all(g, part)));
    }
    return true;
}

bool hlo_gradient_concatenate(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_CONCATENATE);
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0], start = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        int64_t size = hlo_operand(instr, i)->shape->dims[dimension];
        if (hlo_gradient_is_needed(g, instr, i))
            hlo_gradient_add(g, instr, i, hlo_build_slice(g->r, c, dimension, start, start + size));
        start += size;
    }
    return true;
}

/* ---- parts whose place is known at run time ---- */

/* Operands `first`, first + 1 ... of the instruction after two others. */
static hlo_instr **with_starts(hlo_gradient *g, const hlo_instr *instr, uint32_t first,
                               uint32_t *n) {
    *n = instr->operand_count - first;
    hlo_instr **operands = hlo_malloc((*n + 2u) * sizeof *operands);
    for (uint32_t i = 0; i < *n; i++) operands[2 + i] = hlo_gradient_operand(g, instr, first + i);
    return operands;
}

static hlo_instr *updated(hlo_gradient *g, hlo_instr *a, hlo_instr *part, hlo_instr **operands,
                          uint32_t starts) {
    operands[0] = a;
    operands[1] = part;
    return hlo_emit(g->r, HLO_OP_DYNAMIC_UPDATE_SLICE, a->shape, operands, starts + 2, NULL, 0);
}

bool hlo_gradient_dynamic_slice(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    uint32_t n;
    hlo_instr **operands = with_starts(g, instr, 1, &n);
    HLO_ASSERT(instr->opcode == HLO_OP_DYNAMIC_SLICE);
    hlo_instr *zeros = hlo_gradient_zeros(g, hlo_operand(instr, 0));
    hlo_gradient_add(g, instr, 0, updated(g, zeros, c, operands, n));
    hlo_free(operands);
    return true;
}

static hlo_instr *part_at(hlo_gradient *g, hlo_instr *c, const hlo_shape *shape,
                          hlo_instr **operands, uint32_t starts) {
    hlo_attr sizes = hlo_attr_of_ints(g->r, HLO_ATTR_DYNAMIC_SLICE_SIZES, shape->dims, shape->rank);
    operands[1] = c;
    return hlo_emit(g->r, HLO_OP_DYNAMIC_SLICE, shape, operands + 1, starts + 1, &sizes, 1);
}

bool hlo_gradient_dynamic_update_slice(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    uint32_t n;
    hlo_instr **operands = with_starts(g, instr, 2, &n);
    HLO_ASSERT(instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE);
    const hlo_shape *part = hlo_operand(instr, 1)->shape;
    if (hlo_gradient_is_needed(g, instr, 0)) {
        hlo_instr *zeros = hlo_build_number(g->r, part, 0);
        hlo_gradient_add(g, instr, 0, updated(g, c, zeros, operands, n));
    }
    if (hlo_gradient_is_needed(g, instr, 1))
        hlo_gradient_add(g, instr, 1, part_at(g, c, part, operands, n));
    hlo_free(operands);
    return true;
}

/* ---- sizes ---- */

/* All of the array that the result is the beginning of: what lies beyond its size counts for
 * nothing. */
bool hlo_gradient_set_dimension_size(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    int64_t d = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    const hlo_shape *places = hlo_shape_with_type(&g->r->module->shapes, shape, HLO_S32);
    hlo_instr *bound =
        hlo_build_integer(g->r, hlo_shape_scalar(&g->r->module->shapes, HLO_S32), shape->dims[d]);
    hlo_attr attr = hlo_attr_of_ints(g->r, HLO_ATTR_DIMENSIONS, &d, 1);
    hlo_instr *whole =
        hlo_emit(g->r, HLO_OP_SET_DIMENSION_SIZE, shape, (hlo_instr *[]){c, bound}, 2, &attr, 1);
    hlo_instr *size = hlo_gradient_operand(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_SET_DIMENSION_SIZE);
    hlo_instr *limit = hlo_build_spread(g->r, size, places, NULL);
    hlo_instr *counts = hlo_build_compare(g->r, hlo_build_iota(g->r, places, d), limit, "LT");
    hlo_gradient_add(g, instr, 0, where(g, counts, whole));
    return true;
}
