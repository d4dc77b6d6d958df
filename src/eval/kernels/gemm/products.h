/* What ops that multiply and add arrays have in common: the type they compute in, and operands in
 * that type with dimensions in a wanted order. */
#ifndef HLO_EVAL_KERNELS_GEMM_PRODUCTS_H
#define HLO_EVAL_KERNELS_GEMM_PRODUCTS_H

#include "eval/kernel/kernel.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/gemm/gemm.h"

/* The type in which sums of products are computed for these element types of operands and result,
 * one that matrix products take: small floats in f32, integers wrapping in 32 or 64 bits. */
hlo_type hlo_product_type(hlo_type lhs, hlo_type rhs, hlo_type result);

/* How an array becomes dense elements of `type`, row-major in an order of its dimensions. */
typedef struct {
    hlo_type from, type;
    int64_t elements;
    uint32_t rank;
    const int64_t *sizes, *to_strides, *from_strides; /* by dimension of the packed array, in bytes;
                                                       * NULL: the array lies in that order */
    size_t ordered_at, converted_at;                  /* offsets in the kernel's scratch memory */
} hlo_packing;

/* Resolves how an array of the shape, with elements of type `from`, is packed in the dimension
 * order `order` (a permutation, rank entries; NULL: as it lies), and reserves scratch memory for
 * it. */
void hlo_prepare_packing(hlo_preparation *p, hlo_packing *packing, const hlo_shape *shape,
                         hlo_type from, const uint32_t *order, hlo_type type);
/* The packed elements: in scratch memory, or `data` itself where nothing has to change. */
const void *hlo_pack(const hlo_packing *packing, const hlo_call *call, const void *data);

/* The dimensions of a dot-like product: operands as [batch, m, k] and [batch, k, n]. */
typedef struct {
    int64_t batch, m, n, k;
    uint32_t batch_dims, contracting_dims; /* how many */
    uint32_t *lhs_order, *rhs_order;       /* batch, free, contracting; batch, contracting, free */
} hlo_product_dims;

/* Those of p->instr. `absent` is one rhs dimension that takes part in none of them (ragged-dot's
 * groups) and comes first in rhs_order; -1: none. The arrays are the program's. Sizes are zero when
 * an operand has no elements. */
hlo_product_dims hlo_prepare_product_dims(hlo_preparation *p, int64_t absent);
/* How an operand with these dimensions lies in memory as a list of matrices: `order` has batch
 * dimensions, `rows` dimensions that count rows, and the rest. False: not as such a list, the
 * operand has to be packed in that order, and the distances are those that it has then. */
bool hlo_lay_out_operand(hlo_preparation *p, hlo_gemm_operand *operand, const hlo_shape *shape,
                         const uint32_t *order, uint32_t batch_dims, uint32_t rows);

/* What the kernel of dot gets as in[i]: what the operand is the transpose of, if it is one and the
 * product reads it just as well. Called through kernels.def. */
hlo_instr *hlo_given_to_dot(const hlo_instr *instr, uint32_t i);

/* Whether p->instr, a scaled-dot, has floats and some scales; reports what it has not. */
bool hlo_check_scales(hlo_preparation *p);

#endif
