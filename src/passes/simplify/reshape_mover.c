/* reshape-mover: reshapes and transposes of all operands move after elementwise operations. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

static bool can_be_moved_over(const hlo_instr *instr) {
    return (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) && instr->operand_count > 0 &&
           instr->operand_count <= 3 && instr->opcode != HLO_OP_COPY &&
           instr->opcode != HLO_OP_BITCAST_CONVERT && hlo_shape_is_array(instr->shape) &&
           instr->shape->rank > 0;
}

/* All operands were moved in the same way by `opcode` from one shape, and are used here alone, or
 * are scalars broadcast. Returns the first one that was moved. */
static hlo_instr *common_move(const hlo_instr *instr, hlo_opcode opcode) {
    hlo_instr *first = NULL;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i);
        if (hlo_repeated_scalar(operand)) continue;
        if (operand->opcode != opcode || !hlo_has_one_user(operand)) return NULL;
        if (!first) first = operand;
        if (opcode == HLO_OP_TRANSPOSE &&
            !hlo_ints_equal(hlo_attr_ints(operand, HLO_ATTR_DIMENSIONS),
                            hlo_attr_ints(first, HLO_ATTR_DIMENSIONS)))
            return NULL;
        const hlo_shape *a = hlo_operand(operand, 0)->shape, *b = hlo_operand(first, 0)->shape;
        if (!a->plain_layout || a->rank != b->rank ||
            (a->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0))
            return NULL;
    }
    return first;
}

/* op(move(a), move(b), scalar) as op(a, b, scalar), to be moved then. */
static hlo_instr *before_move(hlo_rewriter *r, const hlo_instr *instr, const hlo_instr *move) {
    const hlo_shape *from = hlo_operand(move, 0)->shape;
    hlo_instr *operands[3];
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = hlo_operand(instr, i), *scalar = hlo_repeated_scalar(operand);
        const hlo_shape *shape =
            hlo_shape_with_type(&r->module->shapes, from, (hlo_type)operand->shape->type);
        if (!scalar) operands[i] = hlo_operand(operand, 0);
        else if (shape->rank) operands[i] = hlo_emit_broadcast(r, shape, scalar, NULL, 0);
        else operands[i] = scalar;
    }
    const hlo_shape *shape =
        hlo_shape_with_type(&r->module->shapes, from, (hlo_type)instr->shape->type);
    return hlo_emit_like(r, instr, shape, operands, instr->operand_count);
}

hlo_instr *hlo_rewrite_sink_reshape(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *move = can_be_moved_over(instr) ? common_move(instr, HLO_OP_RESHAPE) : NULL;
    if (!move) return NULL;
    return hlo_emit_unary(r, HLO_OP_RESHAPE, instr->shape, before_move(r, instr, move));
}

hlo_instr *hlo_rewrite_sink_transpose(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *move = can_be_moved_over(instr) ? common_move(instr, HLO_OP_TRANSPOSE) : NULL;
    if (!move) return NULL;
    return hlo_emit_transpose(r, instr->shape, before_move(r, instr, move),
                              hlo_attr_ints(move, HLO_ATTR_DIMENSIONS)->v);
}
