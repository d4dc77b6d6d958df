/* The rule of batch norms that are still there: prepare.c makes sums and products of the others. */
#include "passes/autodiff/rule.h"

/* Where there are no elements, results do not depend on what scales and moves them. */
bool hlo_gradient_batch_norm(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    (void)cotangent;
    if (!hlo_operand(instr, 0)->shape->dynamic) return true;
    return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
}
