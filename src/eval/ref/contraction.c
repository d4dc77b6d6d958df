/* Joint indices of dot-like operations: see contraction.h. */
#include "eval/ref/contraction.h"

static hlo_numbers numbers_of(const hlo_instr *instr) {
    hlo_numbers lhs = hlo_numbers_of((hlo_type)hlo_operand(instr, 0)->shape->type);
    hlo_numbers rhs = hlo_numbers_of((hlo_type)hlo_operand(instr, 1)->shape->type);
    hlo_numbers out = hlo_numbers_of((hlo_type)instr->shape->type);
    hlo_numbers operands = lhs > rhs ? lhs : rhs;
    return operands > out ? operands : out;
}

/* Dimensions of the result: batch dimensions, then those of the left and of the right operand that
 * are free, each in order. */
static void place_in_result(hlo_preparation *p, uint32_t *lhs, uint32_t *rhs, int64_t group_dim,
                            uint32_t place) {
    const hlo_ints *lhs_batch = hlo_attr_ints(p->instr, HLO_ATTR_LHS_BATCH_DIMS);
    const hlo_ints *rhs_batch = hlo_attr_ints(p->instr, HLO_ATTR_RHS_BATCH_DIMS);
    const hlo_ints *lhs_summed = hlo_attr_ints(p->instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *rhs_summed = hlo_attr_ints(p->instr, HLO_ATTR_RHS_CONTRACTING_DIMS);
    for (uint32_t i = 0; i < lhs_batch->n; i++)
        lhs[lhs_batch->v[i]] = rhs[rhs_batch->v[i]] = place++;
    for (uint32_t d = 0; d < hlo_operand(p->instr, 0)->shape->rank; d++)
        if (!hlo_ints_contain(lhs_batch, d) && !hlo_ints_contain(lhs_summed, d)) lhs[d] = place++;
    for (uint32_t d = 0; d < hlo_operand(p->instr, 1)->shape->rank; d++)
        if (!hlo_ints_contain(rhs_batch, d) && !hlo_ints_contain(rhs_summed, d) && d != group_dim)
            rhs[d] = place++;
}

void hlo_prepare_contraction(hlo_preparation *p, hlo_contraction *c, int64_t group_dim,
                             uint32_t first) {
    const hlo_shape *left = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *right = hlo_operand(p->instr, 1)->shape;
    const hlo_ints *lhs_summed = hlo_attr_ints(p->instr, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *rhs_summed = hlo_attr_ints(p->instr, HLO_ATTR_RHS_CONTRACTING_DIMS);
    uint32_t *lhs = HLO_NEW_ARRAY(p->arena, uint32_t, left->rank);
    uint32_t *rhs = HLO_NEW_ARRAY(p->arena, uint32_t, right->rank);
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, lhs_summed->n);
    c->out_rank = p->instr->shape->rank;
    c->contracted = lhs_summed->n;
    place_in_result(p, lhs, rhs, group_dim, first);
    for (uint32_t i = 0; i < lhs_summed->n; i++) {
        lhs[lhs_summed->v[i]] = rhs[rhs_summed->v[i]] = c->out_rank + i;
        sizes[i] = left->dims[lhs_summed->v[i]];
    }
    if (group_dim >= 0) rhs[group_dim] = c->out_rank + c->contracted;
    c->lhs = lhs;
    c->rhs = rhs;
    c->contracted_sizes = sizes;
    c->numbers = numbers_of(p->instr);
    c->joint = hlo_prepare_indices(p, 1, c->out_rank + c->contracted + 1);
    c->of_lhs = hlo_prepare_indices(p, 1, left->rank);
    c->of_rhs = hlo_prepare_indices(p, 1, right->rank);
}

int64_t *hlo_joint_index(const hlo_contraction *c, const hlo_call *call) {
    return hlo_index(call, c->joint, 0);
}

/* Picks the operand's dimensions out of the joint index. */
static int64_t *pick(const hlo_contraction *c, const hlo_call *call, hlo_indices indices,
                     const uint32_t *places) {
    const int64_t *joint = hlo_joint_index(c, call);
    int64_t *index = hlo_index(call, indices, 0);
    for (uint32_t d = 0; d < indices.rank; d++) index[d] = joint[places[d]];
    return index;
}

int64_t *hlo_lhs_index(const hlo_contraction *c, const hlo_call *call) {
    return pick(c, call, c->of_lhs, c->lhs);
}

int64_t *hlo_rhs_index(const hlo_contraction *c, const hlo_call *call) {
    return pick(c, call, c->of_rhs, c->rhs);
}
