/* Dimensions of the operands of a dot. */
#include "passes/simplify/dot_sides.h"

bool hlo_dot_leaves_free(const hlo_instr *dot, int side, int64_t d) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    return !hlo_ints_contain(
               hlo_attr_ints(dot, side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS), d) &&
           !hlo_ints_contain(hlo_attr_ints(dot, side ? HLO_ATTR_RHS_CONTRACTING_DIMS
                                                     : HLO_ATTR_LHS_CONTRACTING_DIMS),
                             d);
}
