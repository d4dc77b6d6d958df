/* logistic-expander: logistic by exponential and division. */
#include "passes/pipeline/expression.h"

/* logistic(x) = 1 / (1 + exp(-x)) */
hlo_instr *hlo_rewrite_expand_logistic(hlo_rewriter *r, hlo_instr *logistic) {
    const hlo_shape *shape = logistic->shape;
    hlo_instr *one = hlo_build_integer(r, shape, 1);
    hlo_instr *negated = hlo_emit_unary(r, HLO_OP_NEGATE, shape, hlo_operand(logistic, 0));
    hlo_instr *power = hlo_build_unary(r, HLO_OP_EXPONENTIAL, negated);
    return hlo_build_binary(r, HLO_OP_DIVIDE, one, hlo_build_binary(r, HLO_OP_ADD, one, power));
}
