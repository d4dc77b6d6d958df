/* Dimensions of the operands of a dot, for algsimp and transpose-folding. */
#ifndef HLO_PASSES_SIMPLIFY_DOT_SIDES_H
#define HLO_PASSES_SIMPLIFY_DOT_SIDES_H

#include "ir/ir.h"

/* Whether dimension `d` of the left (side 0) or right (side 1) operand is neither a batch dimension
 * nor contracted. */
bool hlo_dot_leaves_free(const hlo_instr *dot, int side, int64_t d);

#endif
