/* Sums of products over the dimensions of a dot-like operation. A joint index has the dimensions of
 * the result, then those that are contracted, then others that the operation sets itself; each
 * dimension of an operand is one of them. */
#ifndef HLO_EVAL_REF_CONTRACTION_H
#define HLO_EVAL_REF_CONTRACTION_H

#include "eval/ref/element.h"
#include "eval/ref/index.h"

typedef struct {
    uint32_t out_rank, contracted; /* dimensions of the joint index */
    const int64_t *contracted_sizes;
    const uint32_t *lhs, *rhs; /* place in the joint index, by dimension of the operand */
    hlo_numbers numbers;
    hlo_indices joint, of_lhs, of_rhs;
} hlo_contraction;

/* That of p->instr. With group_dim >= 0 that dimension of the right operand is the last place of
 * the joint index; `first` dimensions of the result come before those of the operands. */
void hlo_prepare_contraction(hlo_preparation *p, hlo_contraction *c, int64_t group_dim,
                             uint32_t first);

/* The joint index; hlo_first_index and hlo_next_index on the result's dimensions move its first
 * part. */
int64_t *hlo_joint_index(const hlo_contraction *c, const hlo_call *call);

/* An operand's index at the joint index. */
int64_t *hlo_lhs_index(const hlo_contraction *c, const hlo_call *call);
int64_t *hlo_rhs_index(const hlo_contraction *c, const hlo_call *call);

#endif
