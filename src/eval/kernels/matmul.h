/* Matrix products of dense matrices in plain C, blocked for caches and registers. Called by dot,
 * ragged-dot, scaled-dot, convolution and the factorisations. */
#ifndef HLO_EVAL_KERNELS_MATMUL_H
#define HLO_EVAL_KERNELS_MATMUL_H

#include "ir/types.h"

/* A matrix of rows that lie `stride` elements apart; the elements of a row are neighbours. */
typedef struct {
    const void *data;
    int64_t stride;
} hlo_matrix;

/* c[m,n] += a[m,k] b[k,n]. `type` is F32, F64, S32, S64, C64 or C128; integers wrap. The order of
 * additions depends on the sizes only. c must not overlap the others. */
void hlo_matmul(hlo_type type, int64_t m, int64_t n, int64_t k, hlo_matrix a, hlo_matrix b, void *c,
                int64_t c_stride);

/* to[i] += from[i] for n elements of one of these types. */
void hlo_add_elements(hlo_type type, int64_t n, const void *from, void *to);

/* sums[g, q] += input[g, i] kernel[i, g, q] over i < in_group: one window element of a convolution
 * in groups. `type` is F32, F64, S32 or S64; arrays are dense and do not overlap. */
void hlo_multiply_grouped(hlo_type type, int64_t groups, int64_t in_group, int64_t out_group,
                          const void *input, const void *kernel, void *sums);

#endif
