/* negate-mover: negations after odd functions, products and quotients, where equal operations
 * without them may be merged. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

/* f(-x) is -f(x), bit for bit: rounding to nearest does not depend on the sign. */
static bool is_odd(hlo_opcode opcode) {
    switch (opcode) {
    case HLO_OP_ASIN:
    case HLO_OP_ASINH:
    case HLO_OP_ATANH:
    case HLO_OP_CBRT:
    case HLO_OP_ERF:
    case HLO_OP_ROUND_NEAREST_AFZ:
    case HLO_OP_ROUND_NEAREST_EVEN:
    case HLO_OP_SIGN:
    case HLO_OP_SINE:
    case HLO_OP_SINH:
    case HLO_OP_TAN:
    case HLO_OP_TANH: return true;
    default: return false;
    }
}

/* Types with infinities and a negative zero. */
static bool is_signed_float(const hlo_instr *instr) {
    hlo_type type = (hlo_type)instr->shape->type;
    return type == HLO_F32 || type == HLO_F64 || type == HLO_F16 || type == HLO_BF16;
}

/* -like(operands) */
static hlo_instr *negated(hlo_rewriter *r, const hlo_instr *like, hlo_instr *const *operands) {
    hlo_instr *inner = hlo_emit_like(r, like, like->shape, operands, like->operand_count);
    return hlo_emit_unary(r, HLO_OP_NEGATE, like->shape, inner);
}

hlo_instr *hlo_rewrite_sink_negate_of_odd(hlo_rewriter *r, hlo_instr *instr) {
    if (!is_odd((hlo_opcode)instr->opcode) || !is_signed_float(instr)) return NULL;
    hlo_instr *negate = hlo_operand(instr, 0);
    if (negate->opcode != HLO_OP_NEGATE) return NULL;
    return negated(r, instr, (hlo_instr *const[]){hlo_operand(negate, 0)});
}

/* Of the operands of a product or quotient: one is negated. */
hlo_instr *hlo_rewrite_sink_negate_of_factor(hlo_rewriter *r, hlo_instr *instr) {
    if (!is_signed_float(instr)) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *negate = hlo_operand(instr, i);
        if (negate->opcode != HLO_OP_NEGATE) continue;
        hlo_instr *operands[2] = {hlo_operand(instr, 0), hlo_operand(instr, 1)};
        operands[i] = hlo_operand(negate, 0);
        return negated(r, instr, operands);
    }
    return NULL;
}
