/* Reductions of whole arrays by associative instructions. */
#ifndef HLO_EVAL_KERNELS_REDUCE_FOLD_ARRAY_H
#define HLO_EVAL_KERNELS_REDUCE_FOLD_ARRAY_H

#include "eval/kernel/combine.h"

typedef struct hlo_fold_arrays hlo_fold_arrays;

/* How p's instruction, a reduce of operands without run-time sizes, combines each of them over the
 * dimensions in `reduced`; NULL unless its computation is one associative instruction, or a tuple
 * of one for each operand. Reserves scratch memory. */
const hlo_fold_arrays *hlo_prepare_fold_arrays(hlo_preparation *p, const bool *reduced);
/* results[i]: of operand i. */
void hlo_run_fold_arrays(const hlo_fold_arrays *arrays, const hlo_call *call,
                         hlo_value *const *results);

#endif
