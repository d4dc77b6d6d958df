/* algsimp: reductions and sorts. Patterns. Reductions of one array by one operation;
 * sums may be taken in another order. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

typedef struct {
    hlo_instr *operand, *init;
    const hlo_ints *dims;
    hlo_opcode opcode; /* HLO_OP_COUNT: the computation is more than one operation */
    hlo_computation *computation;
} reduction;

/* A computation that gives a tuple of one number makes a tuple of one array. */
static bool is_reduction(const hlo_instr *reduce, reduction *out) {
    if (reduce->opcode != HLO_OP_REDUCE || reduce->operand_count != 2 ||
        hlo_shape_is_tuple(reduce->shape))
        return false;
    out->operand = hlo_operand(reduce, 0);
    out->init = hlo_operand(reduce, 1);
    out->dims = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    out->computation = hlo_called(reduce, 0);
    out->opcode = hlo_binary_computation(out->computation);
    return true;
}

static bool has_neutral_start(const reduction *reduce) {
    return reduce->opcode != HLO_OP_COUNT && hlo_is_neutral(reduce->opcode, reduce->init);
}

/* Where the terms are added, or multiplied, in another order, or less often, HLO does not leave it
 * open: a sum of sums overflows where the sum does not. */
static bool may_regroup(const hlo_rewriter *r, const reduction *reduce) {
    hlo_type type = (hlo_type)reduce->operand->shape->type;
    return hlo_is_exact_in_any_order(reduce->opcode, type) || hlo_is_fast_math(r);
}

/* ---- one operation over one array ---- */

hlo_instr *hlo_rewrite_reduce_empty(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || hlo_shape_elements(reduce.operand->shape) != 0)
        return NULL;
    if (instr->shape->rank == 0) return reduce.init;
    return hlo_emit_broadcast(r, instr->shape, reduce.init, NULL, 0);
}

/* Every group has one element, which combining it with the initial value keeps. */
hlo_instr *hlo_rewrite_reduce_single(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || !has_neutral_start(&reduce)) return NULL;
    int64_t n = hlo_shape_elements(instr->shape);
    if (n == 0 || n != hlo_shape_elements(reduce.operand->shape)) return NULL;
    if (reduce.operand->shape->type != instr->shape->type) return NULL;
    bool keeps = hlo_is_exactly_neutral(reduce.opcode, reduce.init) || hlo_is_fast_math(r) ||
                 (reduce.opcode == HLO_OP_ADD && hlo_is_never_negative_zero(reduce.operand));
    return keeps ? hlo_emit_unary(r, HLO_OP_RESHAPE, instr->shape, reduce.operand) : NULL;
}

/* The remaining dimensions keep their order. */
hlo_instr *hlo_rewrite_reduce_of_transpose(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || reduce.operand->opcode != HLO_OP_TRANSPOSE) return NULL;
    const hlo_ints *order = hlo_attr_ints(reduce.operand, HLO_ATTR_DIMENSIONS);
    int64_t last = -1;
    for (uint32_t i = 0; i < order->n; i++) {
        if (hlo_ints_contain(reduce.dims, i)) continue;
        if (order->v[i] < last) return NULL;
        last = order->v[i];
    }
    hlo_ints *dims = hlo_ints_new(&r->module->arena, reduce.dims->n);
    uint32_t n = 0;
    for (int64_t d = 0; d < order->n; d++)
        for (uint32_t i = 0; i < reduce.dims->n; i++)
            if (order->v[reduce.dims->v[i]] == d) dims->v[n++] = d;
    return hlo_emit_reduce(r, instr->shape, hlo_operand(reduce.operand, 0), reduce.init, dims,
                           reduce.computation);
}

/* All of a reshaped array: its shape does not matter. */
hlo_instr *hlo_rewrite_reduce_of_reshape(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || reduce.operand->opcode != HLO_OP_RESHAPE) return NULL;
    if (instr->shape->rank || reduce.opcode == HLO_OP_COUNT) return NULL;
    hlo_instr *a = hlo_operand(reduce.operand, 0);
    if (a->shape->rank == 0) return NULL;
    hlo_ints *dims = hlo_ints_new(&r->module->arena, a->shape->rank);
    for (uint32_t i = 0; i < dims->n; i++) dims->v[i] = i;
    return hlo_emit_reduce(r, instr->shape, a, reduce.init, dims, reduce.computation);
}

/* The dimensions of the inner array that both together reduce. */
static hlo_ints *dims_of_both(hlo_rewriter *r, const reduction *outer, const reduction *inner) {
    uint32_t rank = inner->operand->shape->rank, n = 0, left = 0;
    hlo_ints *dims = hlo_ints_new(&r->module->arena, outer->dims->n + inner->dims->n);
    for (uint32_t d = 0; d < rank; d++) {
        bool first = hlo_ints_contain(inner->dims, d);
        if (first || hlo_ints_contain(outer->dims, left)) dims->v[n++] = d;
        left += !first;
    }
    return dims;
}

hlo_instr *hlo_rewrite_reduce_of_reduce(hlo_rewriter *r, hlo_instr *instr) {
    reduction outer, inner;
    if (!is_reduction(instr, &outer) || !is_reduction(outer.operand, &inner)) return NULL;
    if (!hlo_has_one_user(outer.operand) || outer.opcode != inner.opcode) return NULL;
    if (!has_neutral_start(&outer) || !has_neutral_start(&inner) || !may_regroup(r, &outer))
        return NULL;
    if (inner.operand->shape->type != outer.operand->shape->type) return NULL;
    return hlo_emit_reduce(r, instr->shape, inner.operand, outer.init,
                           dims_of_both(r, &outer, &inner), outer.computation);
}

/* What stands for op over `count` equal values of `a`; NULL when that is no simple thing. */
static hlo_instr *repeated(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a, int64_t count) {
    switch (opcode) {
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_AND:
    case HLO_OP_OR: return a;
    case HLO_OP_ADD: break;
    default: return NULL;
    }
    hlo_type type = (hlo_type)a->shape->type;
    bool exact = type == HLO_F32 || type == HLO_F64 || type == HLO_S32 || type == HLO_S64;
    if (!exact || count > 1 << 24) return NULL;
    hlo_instr *times = hlo_emit_filled(r, a->shape, count);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, a->shape, a, times);
}

/* Only dimensions that the broadcast made are reduced. */
hlo_instr *hlo_rewrite_reduce_of_broadcast(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || reduce.operand->opcode != HLO_OP_BROADCAST) return NULL;
    const hlo_ints *old = hlo_attr_ints(reduce.operand, HLO_ATTR_DIMENSIONS);
    hlo_instr *a = hlo_operand(reduce.operand, 0);
    if (!has_neutral_start(&reduce) || a->shape->type != instr->shape->type) return NULL;
    if (!may_regroup(r, &reduce)) return NULL;
    for (uint32_t i = 0; i < old->n; i++)
        if (hlo_ints_contain(reduce.dims, old->v[i])) return NULL;
    int64_t outer = hlo_shape_elements(reduce.operand->shape),
            inner = hlo_shape_elements(instr->shape);
    if (outer == 0 || inner == 0) return NULL;
    hlo_instr *value = repeated(r, reduce.opcode, a, outer / inner);
    if (!value) return NULL;
    hlo_ints *dims = hlo_ints_new(&r->module->arena, old->n);
    for (uint32_t i = 0; i < old->n; i++) {
        dims->v[i] = old->v[i];
        for (uint32_t k = 0; k < reduce.dims->n; k++) dims->v[i] -= reduce.dims->v[k] < old->v[i];
    }
    if (value->shape == instr->shape && hlo_is_identity_order(dims)) return value;
    return hlo_emit_broadcast(r, instr->shape, value, dims->v, dims->n);
}

/* ---- what is done before a sum can be done after it ---- */

/* Padded with what changes nothing, along reduced dimensions. */
hlo_instr *hlo_rewrite_reduce_of_pad(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || reduce.operand->opcode != HLO_OP_PAD) return NULL;
    const hlo_padding *padding = hlo_instr_attr(reduce.operand, HLO_ATTR_PADDING)->u.padding;
    if (reduce.opcode == HLO_OP_COUNT ||
        !hlo_changes_nothing(reduce.opcode, hlo_operand(reduce.operand, 1), reduce.init))
        return NULL;
    for (uint32_t d = 0; d < padding->n; d++) {
        if (padding->v[d].low < 0 || padding->v[d].high < 0) return NULL;
        bool padded = padding->v[d].low || padding->v[d].high || padding->v[d].interior;
        if (padded && !hlo_ints_contain(reduce.dims, d)) return NULL;
    }
    return hlo_emit_reduce(r, instr->shape, hlo_operand(reduce.operand, 0), reduce.init,
                           reduce.dims, reduce.computation);
}

/* A reversal of reduced dimensions has no effect where the order does not matter. */
hlo_instr *hlo_rewrite_reduce_of_reverse(hlo_rewriter *r, hlo_instr *instr) {
    reduction reduce;
    if (!is_reduction(instr, &reduce) || reduce.operand->opcode != HLO_OP_REVERSE) return NULL;
    if (reduce.opcode == HLO_OP_COUNT || !(hlo_ops[reduce.opcode].flags & HLO_OP_IS_COMMUTATIVE))
        return NULL;
    const hlo_ints *reversed = hlo_attr_ints(reduce.operand, HLO_ATTR_DIMENSIONS);
    for (uint32_t i = 0; i < reversed->n; i++)
        if (!hlo_ints_contain(reduce.dims, reversed->v[i])) return NULL;
    return hlo_emit_reduce(r, instr->shape, hlo_operand(reduce.operand, 0), reduce.init,
                           reduce.dims, reduce.computation);
}

/* A sum from 0 whose operand is an `opcode` without other users, larger than the result. */
static bool is_sum_of(const hlo_instr *instr, hlo_opcode opcode, reduction *sum) {
    if (!is_reduction(instr, sum) || sum->opcode != HLO_OP_ADD || !hlo_is_all(sum->init, 0))
        return false;
    return sum->operand->opcode == opcode && hlo_has_one_user(sum->operand) &&
           sum->operand->shape->type == instr->shape->type &&
           hlo_shape_elements(sum->operand->shape) > hlo_shape_elements(instr->shape);
}

hlo_instr *hlo_rewrite_reduce_of_negate(hlo_rewriter *r, hlo_instr *instr) {
    reduction sum;
    if (!is_sum_of(instr, HLO_OP_NEGATE, &sum) || !may_regroup(r, &sum)) return NULL;
    hlo_instr *positive = hlo_emit_reduce(r, instr->shape, hlo_operand(sum.operand, 0), sum.init,
                                          sum.dims, sum.computation);
    return hlo_emit_unary(r, HLO_OP_NEGATE, instr->shape, positive);
}

/* Integers wrap around, and powers of two do not round. */
hlo_instr *hlo_rewrite_reduce_of_scaled(hlo_rewriter *r, hlo_instr *instr) {
    reduction sum;
    if (!is_sum_of(instr, HLO_OP_MULTIPLY, &sum) || !may_regroup(r, &sum)) return NULL;
    const hlo_instr *c = hlo_operand(sum.operand, 1);
    if (!hlo_is_exact_factor(c)) return NULL;
    hlo_instr *plain = hlo_emit_reduce(r, instr->shape, hlo_operand(sum.operand, 0), sum.init,
                                       sum.dims, sum.computation);
    hlo_instr *factor = hlo_emit_filled_with(r, instr->shape, hlo_splat_of(c));
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, instr->shape, plain, factor);
}

/* ---- sort ---- */

hlo_instr *hlo_rewrite_sort_of_one(hlo_rewriter *r, hlo_instr *sort) {
    const hlo_shape *shape = hlo_operand(sort, 0)->shape;
    const hlo_ints *dims = hlo_attr_ints(sort, HLO_ATTR_DIMENSIONS);
    if (dims->n != 1 || shape->dims[dims->v[0]] > 1) return NULL;
    if (!hlo_shape_is_tuple(sort->shape)) return hlo_operand(sort, 0);
    hlo_instr **all = hlo_malloc(sort->operand_count * sizeof *all);
    for (uint32_t i = 0; i < sort->operand_count; i++) all[i] = hlo_operand(sort, i);
    hlo_instr *tuple = hlo_emit_tuple(r, all, sort->operand_count);
    hlo_free(all);
    return tuple;
}
