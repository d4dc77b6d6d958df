/* The rule of gather: windows go back to where they were read, and are added where they overlap. */
#include "analysis/match.h"
#include "passes/autodiff/indexed.h"

/* A gather moves windows into the operand that a scatter leaves out. */
bool hlo_gradient_gather(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_indexed x = hlo_indexed_of_gather(instr);
    if (x.operand->dynamic || instr->shape->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    if (hlo_has_dim_of_two_roles(instr))
        return hlo_gradient_refuse(g, instr, "has no gradient with a dimension of two roles");
    hlo_instr *indices = hlo_gradient_operand(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_GATHER);
    indices = hlo_indexed_clamped(g, &x, indices);
    hlo_gradient_add(g, instr, 0, hlo_indexed_sum(g, &x, indices, c, false));
    return true;
}
