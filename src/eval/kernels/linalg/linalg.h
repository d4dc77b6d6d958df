/* triangular-solve with its attributes given: for the custom call that has them elsewhere. */
#ifndef HLO_EVAL_KERNELS_LINALG_LINALG_H
#define HLO_EVAL_KERNELS_LINALG_LINALG_H

#include "eval/kernel/kernel.h"

typedef struct {
    bool left; /* op(a) x = b, else x op(a) = b */
    bool lower, unit_diagonal;
    bool transposed, conjugated; /* op */
} hlo_triangle;

/* Prepares p->instr, whose operands and result are those of triangular-solve, for
 * hlo_kernel_triangular_solve. */
bool hlo_prepare_triangular_solve(hlo_preparation *p, hlo_triangle triangle);

extern const hlo_kernel hlo_kernel_triangular_solve;

#endif
