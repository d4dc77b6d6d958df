/* What ops that multiply and add arrays have in common: the type they compute in, and operands in
 * that type with dimensions in a wanted order. Called by the kernels of dot.c and convolution. */
#ifndef HLO_EVAL_REF_PRODUCTS_H
#define HLO_EVAL_REF_PRODUCTS_H

#include "base/blocks.h"
#include "eval/ref/matmul.h"
#include "eval/ref/strides.h"

/* The type in which sums of products are computed for these element types of operands and result,
 * one that hlo_matmul takes: small floats in f32, integers wrapping in 32 or 64 bits. */
hlo_type hlo_product_type(const hlo_shape *lhs, const hlo_shape *rhs, const hlo_shape *result);

/* Dense elements, either a value's own or a copy. */
typedef struct {
    const char *data;
    void *copy; /* to be freed with hlo_block_free, or NULL */
} hlo_packed;

/* The elements of x as `type`, row-major in the dimension order `order` (a permutation, rank
 * entries). Elements outside run-time sizes are zero. */
hlo_packed hlo_pack(const hlo_value *x, const uint32_t *order, hlo_type type);

/* Room for sums of `type` that become the elements of `out`, zero at first: out's own data when its
 * type is `type`. hlo_finish_sums converts them and frees what was allocated (hlo_block_free). */
void *hlo_new_sums(hlo_value *out, hlo_type type);
void hlo_finish_sums(hlo_value *out, hlo_type type, void *sums);

/* The dimensions of a dot-like product: operands as [batch, m, k] and [batch, k, n]. */
typedef struct {
    int64_t batch, m, n, k;
    uint32_t *lhs_order, *rhs_order; /* batch, free, contracting; batch, contracting, free */
} hlo_product_dims;

/* `absent` names one rhs dimension that takes part in none of them (ragged-dot's groups) and comes
 * first in rhs_order; -1: none. The arrays are to be freed by hlo_product_dims_free. Sizes are zero
 * when an operand has no elements. */
hlo_product_dims hlo_product_dims_of(const hlo_instr *instr, const hlo_shape *lhs,
                                     const hlo_shape *rhs, int64_t absent);
void hlo_product_dims_free(hlo_product_dims *dims);

#endif
