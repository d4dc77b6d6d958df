/* Custom calls of JAX that stand beside its LAPACK calls: a sparse product and a tridiagonal
 * solver. Called through custom_calls.def. */
#ifndef HLO_EVAL_REF_SOLVES_H
#define HLO_EVAL_REF_SOLVES_H

#include "eval/eval.h"

hlo_old_kernel hlo_csr_product;
hlo_old_kernel hlo_tridiagonal_perturbed;

#endif
