/* Reductions to an extreme element and its position. Called by reduce.c. */
#ifndef HLO_EVAL_KERNELS_REDUCE_EXTREME_H
#define HLO_EVAL_KERNELS_REDUCE_EXTREME_H

#include "eval/kernel.h"

typedef struct hlo_extreme hlo_extreme;

/* How p->instr, a reduce, is computed; NULL when it is something else (extreme_rule.h). */
const hlo_extreme *hlo_prepare_extreme(hlo_preparation *p);

/* Computes both results. The operand with the positions is not read. */
bool hlo_reduce_to_extreme(const hlo_extreme *extreme, hlo_call *call);

/* What the kernel of reduce gets as in[operand]: the positions' initial value in the place
 * of positions that it does not read. Called through kernels.def. */
hlo_instr *hlo_given_to_reduce(const hlo_instr *instr, uint32_t operand);

#endif
