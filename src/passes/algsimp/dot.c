/* algsimp and transpose-folding: matrix products. Patterns, called by patterns.c. */
#include "passes/emit.h"
#include "passes/match.h"

static const hlo_ints *list(const hlo_instr *dot, hlo_attr_id id) {
    return hlo_attr_ints(dot, id);
}

static bool is_free(const hlo_instr *dot, int side, int64_t d) {
    return !hlo_ints_contain(list(dot, side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS),
                             d) &&
           !hlo_ints_contain(
               list(dot, side ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS), d);
}

/* Sums of no products. */
hlo_instr *hlo_rewrite_dot_of_nothing(hlo_rewriter *r, hlo_instr *dot) {
    bool empty = hlo_shape_elements(hlo_operand(dot, 0)->shape) == 0 ||
                 hlo_shape_elements(hlo_operand(dot, 1)->shape) == 0;
    return empty ? hlo_emit_filled(r, dot->shape, 0) : NULL;
}

/* The operand in the result's dimensions: batch first, then what is free of the left and of the
 * right side. `free_at` is where this side's free dimensions begin. */
static hlo_instr *spread(hlo_rewriter *r, const hlo_instr *dot, int side, uint32_t free_at) {
    hlo_instr *a = hlo_operand(dot, (uint32_t)side);
    const hlo_ints *batch = list(dot, side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, a->shape->rank);
    for (uint32_t i = 0; i < batch->n; i++) dims->v[batch->v[i]] = i;
    for (uint32_t d = 0; d < a->shape->rank; d++)
        if (is_free(dot, side, d)) dims->v[d] = free_at++;
    if (a->shape == dot->shape && hlo_is_identity_order(dims)) return a;
    return hlo_emit_broadcast(r, dot->shape, a, dims->v, dims->n);
}

hlo_instr *hlo_rewrite_dot_without_contraction(hlo_rewriter *r, hlo_instr *dot) {
    uint32_t batch = list(dot, HLO_ATTR_LHS_BATCH_DIMS)->n;
    const hlo_shape *left = hlo_operand(dot, 0)->shape, *right = hlo_operand(dot, 1)->shape;
    if (list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n) return NULL;
    if (left->type != dot->shape->type || right->type != dot->shape->type) return NULL;
    hlo_instr *a = spread(r, dot, 0, batch), *b = spread(r, dot, 1, left->rank);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, dot->shape, a, b);
}

/* ---- transposes ---- */

/* `dims` of a transposed array as dimensions of what was transposed. */
static hlo_attr before_transpose(hlo_rewriter *r, const hlo_instr *dot, hlo_attr_id id,
                                 const hlo_ints *order) {
    const hlo_ints *dims = list(dot, id);
    hlo_ints *mapped = hlo_ints_new(&r->module->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) mapped->v[i] = order->v[dims->v[i]];
    return (hlo_attr){.id = (uint16_t)id, .u.ints = mapped};
}

/* The free dimensions keep their order, since the result has them in that order. */
static bool keeps_order(const hlo_instr *dot, int side, const hlo_ints *order) {
    int64_t last = -1;
    for (uint32_t d = 0; d < order->n; d++) {
        if (!is_free(dot, side, d)) continue;
        if (order->v[d] < last) return false;
        last = order->v[d];
    }
    return true;
}

static hlo_instr *fold_side(hlo_rewriter *r, hlo_instr *dot, int side) {
    hlo_instr *transpose = hlo_operand(dot, (uint32_t)side);
    if (transpose->opcode != HLO_OP_TRANSPOSE) return NULL;
    const hlo_ints *order = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    if (!keeps_order(dot, side, order)) return NULL;
    hlo_attr_id batch = side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS;
    hlo_attr_id contracting = side ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS;
    hlo_instr *by = hlo_emit_with_operand(r, dot, (uint32_t)side, hlo_operand(transpose, 0));
    if (hlo_instr_attr(dot, batch)) hlo_instr_set_attr(by, before_transpose(r, dot, batch, order));
    if (hlo_instr_attr(dot, contracting))
        hlo_instr_set_attr(by, before_transpose(r, dot, contracting, order));
    return by;
}

hlo_instr *hlo_rewrite_fold_left_transpose(hlo_rewriter *r, hlo_instr *dot) {
    return fold_side(r, dot, 0);
}

hlo_instr *hlo_rewrite_fold_right_transpose(hlo_rewriter *r, hlo_instr *dot) {
    return fold_side(r, dot, 1);
}

/* transpose(dot(a, b)) of matrices is dot(b, a). */
hlo_instr *hlo_rewrite_transpose_of_dot(hlo_rewriter *r, hlo_instr *transpose) {
    hlo_instr *dot = hlo_operand(transpose, 0);
    if (dot->opcode != HLO_OP_DOT || !hlo_has_one_user(dot) || dot->shape->rank != 2) return NULL;
    if (list(dot, HLO_ATTR_LHS_BATCH_DIMS)->n || hlo_instr_attr(dot, HLO_ATTR_OPERAND_PRECISION) ||
        hlo_instr_attr(dot, HLO_ATTR_ALGORITHM))
        return NULL;
    bool one_each =
        hlo_operand(dot, 0)->shape->rank == list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n + 1;
    if (!one_each || hlo_is_identity_order(hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS)))
        return NULL;
    hlo_attr attrs[] = {
        {.id = HLO_ATTR_LHS_CONTRACTING_DIMS, .u.ints = list(dot, HLO_ATTR_RHS_CONTRACTING_DIMS)},
        {.id = HLO_ATTR_RHS_CONTRACTING_DIMS, .u.ints = list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)}};
    hlo_instr *operands[] = {hlo_operand(dot, 1), hlo_operand(dot, 0)};
    return hlo_emit(r, HLO_OP_DOT, transpose->shape, operands, 2, attrs, 2);
}
