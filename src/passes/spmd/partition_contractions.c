/* Rules of operations that combine elements along dimensions: dot and reduce. What devices compute
 * of a combined dimension is combined between them. */
#include "analysis/match.h"
#include "passes/spmd/partition.h"

/* ---- dot ---- */

static void describe_pairs(const hlo_ints *lhs, const hlo_ints *rhs, bool is_batch,
                           hlo_factors *f) {
    HLO_ASSERT(lhs->n == rhs->n);
    for (uint32_t i = 0; i < lhs->n; i++) {
        int32_t factor = hlo_factor_new(f, !is_batch, 0);
        f->operands[0][lhs->v[i]] = f->operands[1][rhs->v[i]] = factor;
        if (is_batch) f->results[0][i] = factor;
    }
}

static uint32_t join_free(const hlo_instr *dot, hlo_factors *f, uint32_t operand, uint32_t next) {
    HLO_ASSERT(operand < dot->operand_count);
    for (uint32_t d = 0; d < hlo_operand(dot, operand)->shape->rank; d++)
        if (f->operands[operand][d] < 0) hlo_factor_join(f, operand, d, next++);
    return next;
}

static void describe_dot(hlo_partitioner *p, const hlo_instr *dot, hlo_factors *f) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    (void)p;
    const hlo_ints *batch = hlo_attr_ints(dot, HLO_ATTR_LHS_BATCH_DIMS);
    describe_pairs(batch, hlo_attr_ints(dot, HLO_ATTR_RHS_BATCH_DIMS), true, f);
    describe_pairs(hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS),
                   hlo_attr_ints(dot, HLO_ATTR_RHS_CONTRACTING_DIMS), false, f);
    join_free(dot, f, 1, join_free(dot, f, 0, batch->n));
}

void hlo_placed_mask(hlo_partitioner *p, const hlo_placed *s, uint32_t operand, hlo_instr *fill) {
    HLO_ASSERT(operand < s->instr->operand_count);
    hlo_shard *x = &s->operands[operand];
    bool *chosen = HLO_NEW_ARRAY(&p->scratch, bool, x->shape->rank + 1u), any = false;
    for (uint32_t d = 0; d < x->shape->rank; d++) {
        int32_t factor = s->factors->operands[operand][d];
        chosen[d] = factor >= 0 && s->factors->is_summed[factor] && hlo_shard_is_uneven(x, d);
        any |= chosen[d];
    }
    if (!any) return;
    if (!fill) fill = hlo_scalar_zero(p, x->shape);
    x->data = s->data[operand] = hlo_shard_masked(p, x, chosen, fill);
}

static hlo_instr *make_dot(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_DOT);
    hlo_placed_mask(p, s, 0, NULL);
    hlo_placed_mask(p, s, 1, NULL);
    return hlo_part_make_same(p, s);
}

const hlo_partition_rule hlo_part_dot = {describe_dot, make_dot, NULL};

/* ---- reduce ---- */

static void describe_reduce(hlo_partitioner *p, const hlo_instr *reduce, hlo_factors *f) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    (void)p;
    const hlo_ints *dims = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    uint32_t n = reduce->operand_count / 2, next = 0;
    for (uint32_t d = 0; d < hlo_operand(reduce, 0)->shape->rank; d++) {
        bool summed = hlo_ints_contain(dims, d);
        int32_t factor = hlo_factor_new(f, summed, 0);
        for (uint32_t i = 0; i < n; i++) f->operands[i][d] = factor;
        for (uint32_t i = 0; i < n && !summed; i++) f->results[i][next] = factor;
        if (!summed) next++;
    }
}

static hlo_computation *reducer_of(const hlo_placed *s) {
    return hlo_instr_attr(s->instr, HLO_ATTR_TO_APPLY)->u.computation;
}

hlo_opcode hlo_known_reduction(const hlo_computation *reducer, uint32_t i, uint32_t n,
                               hlo_type type) {
    hlo_opcode opcode = hlo_combiner_of(reducer, i, n);
    HLO_ASSERT(i < n);
    bool is_bitwise = opcode == HLO_OP_AND || opcode == HLO_OP_OR;
    bool is_order = opcode == HLO_OP_MAXIMUM || opcode == HLO_OP_MINIMUM;
    bool known = opcode == HLO_OP_ADD || opcode == HLO_OP_MULTIPLY || is_bitwise || is_order;
    if (is_bitwise && !hlo_type_is_integral(type) && type != HLO_PRED) known = false;
    if (is_order && hlo_type_is_complex(type)) known = false;
    return known ? opcode : HLO_OP_COUNT;
}

static hlo_opcode known_operation(const hlo_placed *s) {
    if (s->instr->operand_count != 2) return HLO_OP_COUNT;
    return hlo_known_reduction(reducer_of(s), 0, 1, (hlo_type)s->instr->shape->type);
}

/* The start counts once: devices begin with the neutral element, unless the start is that. What is
 * not known to have one begins with the start everywhere, which has to be neutral by definition. */
static hlo_instr *make_reduce(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_REDUCE);
    uint32_t n = s->instr->operand_count / 2;
    hlo_opcode opcode = known_operation(s);
    bool starts_neutral =
        opcode != HLO_OP_COUNT && !hlo_is_neutral(opcode, hlo_operand(s->instr, 1));
    if (starts_neutral && hlo_placed_sums(s)) {
        const hlo_shape *scalar = s->data[1]->shape;
        s->data[1] = hlo_build_neutral(p->r, scalar, opcode);
    }
    for (uint32_t i = 0; i < n; i++) hlo_placed_mask(p, s, i, s->data[n + i]);
    return hlo_part_make_same(p, s);
}

static hlo_instr *combine_known(hlo_partitioner *p, const hlo_placed *s, hlo_opcode opcode,
                                hlo_instr *made, const hlo_int_lists *groups) {
    hlo_instr *all = hlo_part_all_reduce(p, made, groups, reducer_of(s));
    if (hlo_is_neutral(opcode, hlo_operand(s->instr, 1))) return all;
    hlo_instr *start = s->operands[1].data;
    if (all->shape->rank) start = hlo_emit_broadcast(p->r, all->shape, start, NULL, 0);
    return hlo_build_binary(p->r, opcode, start, all);
}

/* What all members of the group have, one after the other in a new first dimension. */
static hlo_instr *stacked(hlo_partitioner *p, hlo_instr *part, const hlo_int_lists *groups) {
    uint32_t rank = part->shape->rank;
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, rank + 1);
    sizes[0] = 1;
    memcpy(sizes + 1, part->shape->dims, rank * sizeof *sizes);
    return hlo_part_all_gather(p, hlo_build_reshape(p->r, part, sizes, rank + 1), 0, groups);
}

/* The partial results are gathered and reduced once more. */
static hlo_instr *combine_reduce(hlo_partitioner *p, const hlo_placed *s, hlo_instr *made,
                                 const hlo_int_lists *groups) {
    HLO_ASSERT(s->instr->opcode == HLO_OP_REDUCE);
    hlo_opcode opcode = known_operation(s);
    uint32_t n = s->instr->operand_count / 2;
    if (opcode != HLO_OP_COUNT) return combine_known(p, s, opcode, made, groups);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *part = hlo_shape_is_tuple(made->shape) ? hlo_emit_element(p->r, made, i) : made;
        operands[i] = stacked(p, part, groups);
        operands[n + i] = s->data[n + i];
    }
    hlo_attr attrs[] = {hlo_attr_of_ints(p->r, HLO_ATTR_DIMENSIONS, (int64_t[]){0}, 1),
                        {.id = HLO_ATTR_TO_APPLY, .u.computation = reducer_of(s)}};
    return hlo_emit(p->r, HLO_OP_REDUCE, made->shape, operands, 2 * n, attrs, 2);
}

const hlo_partition_rule hlo_part_reduce = {describe_reduce, make_reduce, combine_reduce};
