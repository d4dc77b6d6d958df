/* transpose-folding: a dot of transposed operands becomes one of the operands before. */
#include "passes/pipeline/emit.h"
#include "passes/simplify/dot_sides.h"

/* `dims` of a transposed array as dimensions of what was transposed. */
static hlo_attr before_transpose(hlo_rewriter *r, const hlo_instr *dot, hlo_attr_id id,
                                 const hlo_ints *order) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    const hlo_ints *dims = hlo_attr_ints(dot, id);
    hlo_ints *mapped = hlo_ints_new(&r->module->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) mapped->v[i] = order->v[dims->v[i]];
    return (hlo_attr){.id = (uint16_t)id, .u.ints = mapped};
}

/* The free dimensions keep their order, since the result has them in that order. */
static bool keeps_order(const hlo_instr *dot, int side, const hlo_ints *order) {
    int64_t last = -1;
    for (uint32_t d = 0; d < order->n; d++) {
        if (!hlo_dot_leaves_free(dot, side, d)) continue;
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
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
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
