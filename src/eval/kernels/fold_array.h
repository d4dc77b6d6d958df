/* Reductions of whole arrays by one associative instruction. Called by the kernel of reduce. */
#ifndef HLO_EVAL_KERNELS_FOLD_ARRAY_H
#define HLO_EVAL_KERNELS_FOLD_ARRAY_H

#include "eval/kernels/combine.h"

typedef struct hlo_fold_array hlo_fold_array;

/* How `combiner` reduces the first operand of p's instruction, which has no run-time sizes, over
 * the dimensions in `reduced`; NULL when the combiner is not one associative instruction. Reserves
 * scratch memory. */
const hlo_fold_array *hlo_prepare_fold_array(hlo_preparation *p, hlo_combiner combiner,
                                             const bool *reduced, const hlo_shape *result);
void hlo_run_fold_array(const hlo_fold_array *array, const hlo_call *call, hlo_value *out);

#endif
