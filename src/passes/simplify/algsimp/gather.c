/* algsimp: gathers whose result needs no indices, or whose indices are known. Patterns. A
 * window that would leave the operand starts at the last place where it fits. */
#include "analysis/match.h"
#include "analysis/range.h"
#include "passes/pipeline/expression.h"

static const hlo_ints *sizes_of(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    return hlo_attr_ints(gather, HLO_ATTR_SLICE_SIZES);
}

/* There is nothing but one value. */
hlo_instr *hlo_rewrite_gather_from_one(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *operand = hlo_operand(gather, 0);
    if (!hlo_is_effective_scalar(operand->shape)) return NULL;
    hlo_type type = (hlo_type)operand->shape->type;
    hlo_instr *scalar = operand;
    if (operand->shape->rank)
        scalar =
            hlo_emit_unary(r, HLO_OP_RESHAPE, hlo_shape_scalar(&r->module->shapes, type), scalar);
    if (gather->shape->rank == 0) return scalar;
    return hlo_emit_broadcast(r, gather->shape, scalar, NULL, 0);
}

/* Nothing can be taken. */
hlo_instr *hlo_rewrite_gather_from_nothing(hlo_rewriter *r, hlo_instr *gather) {
    bool fits = hlo_shape_elements(hlo_operand(gather, 0)->shape) == 0;
    return fits ? hlo_emit_filled(r, gather->shape, 0) : NULL;
}

/* Every window is the whole operand. */
hlo_instr *hlo_rewrite_gather_of_whole(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *operand = hlo_operand(gather, 0);
    const hlo_ints *offsets = hlo_attr_ints(gather, HLO_ATTR_OFFSET_DIMS);
    if (hlo_has_batching_dims(gather) || offsets->n != operand->shape->rank) return NULL;
    for (uint32_t i = 0; i < operand->shape->rank; i++)
        if (sizes_of(gather)->v[i] != operand->shape->dims[i]) return NULL;
    return hlo_emit_broadcast(r, gather->shape, operand, offsets->v, offsets->n);
}

/* ---- one window at a known place ---- */

static bool is_one_window(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_shape *indices = hlo_operand(gather, 1)->shape;
    int64_t vector_dim = hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM);
    for (uint32_t d = 0; d < indices->rank; d++)
        if (d != vector_dim && indices->dims[d] != 1) return false;
    return !hlo_has_batching_dims(gather) && hlo_shape_elements(gather->shape) > 0;
}

/* Rising offset dimensions: the result is the window, but for dimensions of size 1. */
static bool keeps_window_order(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_ints *offsets = hlo_attr_ints(gather, HLO_ATTR_OFFSET_DIMS);
    for (uint32_t i = 1; i < offsets->n; i++)
        if (offsets->v[i] < offsets->v[i - 1]) return false;
    return true;
}

hlo_instr *hlo_rewrite_gather_to_slice(hlo_rewriter *r, hlo_instr *gather) {
    hlo_instr *operand = hlo_operand(gather, 0);
    const hlo_literal *indices = hlo_constant_of(hlo_operand(gather, 1));
    const hlo_ints *map = hlo_attr_ints(gather, HLO_ATTR_START_INDEX_MAP),
                   *sizes = sizes_of(gather);
    if (!indices || !is_one_window(gather) || !keeps_window_order(gather)) return NULL;
    uint32_t rank = operand->shape->rank;
    hlo_slice *slice = hlo_new_slice(r, rank);
    for (uint32_t i = 0; i < map->n; i++) {
        int64_t start, most = operand->shape->dims[map->v[i]] - sizes->v[map->v[i]];
        if (!hlo_integer_at(indices, i, &start)) return NULL;
        slice->v[map->v[i]].start = start < 0 ? 0 : start > most ? most : start;
    }
    for (uint32_t d = 0; d < rank; d++) {
        slice->v[d].limit = slice->v[d].start + sizes->v[d];
        slice->v[d].stride = 1;
    }
    hlo_type type = (hlo_type)operand->shape->type;
    const hlo_shape *window = hlo_shape_of_sizes(r, type, sizes->v, rank);
    /* A collapsed dimension of size 0 is dropped like one of size 1. */
    if (hlo_shape_elements(window) != hlo_shape_elements(gather->shape)) return NULL;
    if (window == gather->shape) return hlo_emit_slice(r, window, operand, slice);
    hlo_instr *part = hlo_emit_slice(r, window, operand, slice);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, gather->shape, part);
}

/* ---- all rows in order ---- */

/* 0, 1, 2... along the only dimension that counts (the vectors have one entry). */
static bool counts_rows(const hlo_instr *indices, int64_t vector_dim) {
    hlo_range range;
    if (!hlo_range_of(indices, &range) || range.least != 0) return false;
    if (range.most != indices->shape->dims[0] - 1) return false;
    while (indices->opcode == HLO_OP_RESHAPE && hlo_operand(indices, 0)->shape->rank == 1)
        indices = hlo_operand(indices, 0);
    if (indices->opcode != HLO_OP_IOTA) return false;
    uint32_t rank = indices->shape->rank;
    int64_t along = hlo_attr_int(indices, HLO_ATTR_IOTA_DIMENSION);
    return rank == 1 ||
           (rank == 2 && vector_dim == 1 && along == 0 && indices->shape->dims[1] == 1);
}

/* Row i of the result is row i of the operand. */
hlo_instr *hlo_rewrite_gather_in_order(hlo_rewriter *r, hlo_instr *gather) {
    (void)r;
    hlo_instr *operand = hlo_operand(gather, 0);
    const hlo_instr *indices = hlo_operand(gather, 1);
    const hlo_ints *sizes = sizes_of(gather);
    const hlo_ints *collapsed = hlo_attr_ints(gather, HLO_ATTR_COLLAPSED_SLICE_DIMS);
    const hlo_ints *map = hlo_attr_ints(gather, HLO_ATTR_START_INDEX_MAP);
    const hlo_ints *offsets = hlo_attr_ints(gather, HLO_ATTR_OFFSET_DIMS);
    int64_t vector_dim = hlo_attr_int(gather, HLO_ATTR_INDEX_VECTOR_DIM);
    if (gather->shape != operand->shape || hlo_has_batching_dims(gather)) return NULL;
    if (collapsed->n != 1 || collapsed->v[0] != 0 || sizes->v[0] != 1 || map->n != 1 ||
        map->v[0] != 0)
        return NULL;
    if (vector_dim != 1 || !counts_rows(indices, vector_dim)) return NULL;
    for (uint32_t i = 0; i < offsets->n; i++)
        if (offsets->v[i] != i + 1 || sizes->v[i + 1] != operand->shape->dims[i + 1]) return NULL;
    return operand;
}
