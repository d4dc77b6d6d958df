/* Triangular systems of real numbers, a strip of right sides at a time: rows that are solved meet
 * those below them in the tiles of matrix products. */
#ifndef HLO_EVAL_KERNELS_LINALG_TRIANGLE_STRIPS_H
#define HLO_EVAL_KERNELS_LINALG_TRIANGLE_STRIPS_H

#include "eval/kernels/gemm/gemm_kernels.h"

/* Solving op(a) x = b or x op(a) = b as l x = b with a lower triangle l. */
typedef struct {
    int64_t n, m;
    bool right;                            /* b is [m, n] and gets transposed */
    bool transposed, conjugated, backward; /* how l is read from a */
    bool unit_diagonal;
} hlo_triangle_case;

/* Right sides in a strip, the columns of a tile. */
int64_t hlo_strip_width(const hlo_gemm_set *set);
/* l[n,n] from a: negative below the diagonal. Rows from `first` on below `last`. */
void hlo_strip_triangle(const hlo_triangle_case *s, const double *a, double *l, int64_t first,
                        int64_t last);
/* The strips from `first` on below `last` of `values`, elements of a float type, become solutions.
 * `memory` has n * (width + 1) numbers. */
void hlo_strip_solve(const hlo_gemm_set *set, const hlo_triangle_case *s, const double *l,
                     hlo_type type, void *values, double *memory, int64_t first, int64_t last);

#endif
