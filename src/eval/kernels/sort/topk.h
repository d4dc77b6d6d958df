/* topk with its attributes given: for the custom call TopK, whose k is in the shape of its result.
 */
#ifndef HLO_EVAL_KERNELS_SORT_TOPK_H
#define HLO_EVAL_KERNELS_SORT_TOPK_H

#include "eval/kernel/kernel.h"

/* Prepares p->instr, whose operand and result are those of topk, for hlo_kernel_topk. */
bool hlo_prepare_topk(hlo_preparation *p, int64_t k, bool largest);

extern const hlo_kernel hlo_kernel_topk;

#endif
