/* reduce-reassociation: results of reductions that are combined by the operation of the reductions
 * need not be reduced apart. Reductions of one array by one operation; sums may be taken in another
 * order. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

typedef struct {
    hlo_instr *operand, *init;
    const hlo_ints *dims;
    hlo_computation *computation;
} reduction;

static bool is_associative(hlo_opcode opcode) {
    return hlo_ops[opcode].flags & HLO_OP_IS_ASSOCIATIVE;
}

/* Sums of floats that are finite may overflow, and cancel, in another order. */
static bool may_regroup(const hlo_rewriter *r, hlo_opcode opcode, const hlo_instr *instr) {
    return is_associative(opcode) &&
           (hlo_is_exact_in_any_order(opcode, (hlo_type)instr->shape->type) || hlo_is_fast_math(r));
}

/* A reduction by the operation, in the type of its operand, without other users. */
static bool is_reduction(const hlo_instr *instr, hlo_opcode opcode, reduction *out) {
    if (instr->opcode != HLO_OP_REDUCE || instr->operand_count != 2 || !hlo_has_one_user(instr))
        return false;
    out->operand = hlo_operand(instr, 0);
    out->init = hlo_operand(instr, 1);
    out->dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    out->computation = hlo_called(instr, 0);
    return out->operand->shape->type == instr->shape->type && !out->operand->shape->dynamic &&
           hlo_binary_computation(out->computation) == opcode;
}

static bool same_dims(const hlo_ints *a, const hlo_ints *b) {
    bool same = a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++) same = hlo_ints_contain(b, a->v[i]);
    return same;
}

static bool can_be_joined(const hlo_instr *x, const hlo_instr *y, hlo_opcode opcode, reduction *a,
                          reduction *b) {
    return is_reduction(x, opcode, a) && is_reduction(y, opcode, b) &&
           a->operand->shape == b->operand->shape && same_dims(a->dims, b->dims);
}

/* Both initial values in one. */
static hlo_instr *joined_init(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    if (hlo_is_neutral(opcode, a)) return b;
    if (hlo_is_neutral(opcode, b)) return a;
    return hlo_emit_binary(r, opcode, a->shape, a, b);
}

static hlo_instr *join_reductions(hlo_rewriter *r, hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    reduction a, b;
    if (!may_regroup(r, opcode, instr) ||
        !can_be_joined(hlo_operand(instr, 0), hlo_operand(instr, 1), opcode, &a, &b))
        return NULL;
    hlo_instr *both = hlo_emit_binary(r, opcode, a.operand->shape, a.operand, b.operand);
    hlo_instr *init = joined_init(r, opcode, a.init, b.init);
    return hlo_emit_reduce(r, instr->shape, both, init, a.dims, a.computation);
}

/* The operand of `inner` that could be joined with the reduction, when the two operands of `inner`
 * could not be joined with each other; the other one to *rest. */
static hlo_instr *partner(const hlo_instr *inner, const hlo_instr *reduce, hlo_instr **rest) {
    hlo_opcode opcode = (hlo_opcode)inner->opcode;
    hlo_instr *x = hlo_operand(inner, 0), *y = hlo_operand(inner, 1);
    reduction a, b;
    if (can_be_joined(x, y, opcode, &a, &b)) return NULL;
    bool first = can_be_joined(x, reduce, opcode, &a, &b);
    if (!first && !can_be_joined(y, reduce, opcode, &a, &b)) return NULL;
    *rest = first ? y : x;
    return first ? x : y;
}

static hlo_instr *reductions_meet(hlo_rewriter *r, hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    for (uint32_t i = 0; may_regroup(r, opcode, instr) && i < 2; i++) {
        hlo_instr *inner = hlo_operand(instr, i), *reduce = hlo_operand(instr, 1 - i), *rest;
        if (inner->opcode != opcode || reduce->opcode != HLO_OP_REDUCE || !hlo_has_one_user(inner))
            continue;
        hlo_instr *other = partner(inner, reduce, &rest);
        if (!other) continue;
        hlo_instr *both = hlo_emit_binary(r, opcode, instr->shape, other, reduce);
        return hlo_emit_binary(r, opcode, instr->shape, both, rest);
    }
    return NULL;
}

/* ---- initial values ---- */

static hlo_instr *scalar_of(hlo_instr *instr) {
    if (instr->opcode == HLO_OP_BROADCAST) instr = hlo_operand(instr, 0);
    return instr->shape->rank == 0 ? instr : NULL;
}

static hlo_instr *reduction_takes_init(hlo_rewriter *r, hlo_instr *instr) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    if (!is_associative(opcode) || !hlo_is_exact_in_any_order(opcode, (hlo_type)instr->shape->type))
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *scalar = scalar_of(hlo_operand(instr, 1 - i));
        reduction a;
        if (!scalar || !is_reduction(hlo_operand(instr, i), opcode, &a)) continue;
        return hlo_emit_reduce(r, instr->shape, a.operand, joined_init(r, opcode, a.init, scalar),
                               a.dims, a.computation);
    }
    return NULL;
}

/* ---- reductions of reductions ---- */

/* Dimensions of the inner array that both reductions reduce together. */
static const hlo_ints *dims_of_both(hlo_rewriter *r, const hlo_ints *outer,
                                    const reduction *inner) {
    uint32_t rank = inner->operand->shape->rank, n = 0, left = 0;
    hlo_ints *dims = hlo_ints_new(&r->module->arena, outer->n + inner->dims->n);
    for (uint32_t d = 0; d < rank; d++) {
        bool first = hlo_ints_contain(inner->dims, d);
        if (first || hlo_ints_contain(outer, left)) dims->v[n++] = d;
        left += !first;
    }
    return dims;
}

/* The initial value counts once: the second reduction begins with its own, which is neutral. */
static hlo_instr *reduce_parts_apart(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_instr *sum = hlo_operand(instr, 0);
    hlo_opcode opcode = hlo_binary_computation(hlo_called(instr, 0));
    reduction a, b;
    if (instr->operand_count != 2 || opcode != sum->opcode || !may_regroup(r, opcode, instr))
        return NULL;
    if (!hlo_has_one_user(sum) || sum->shape->type != instr->shape->type) return NULL;
    if (!is_reduction(hlo_operand(sum, 0), opcode, &a) ||
        !is_reduction(hlo_operand(sum, 1), opcode, &b))
        return NULL;
    bool joined = a.operand->shape == b.operand->shape && same_dims(a.dims, b.dims);
    if (joined || !hlo_is_neutral(opcode, a.init) || !hlo_is_neutral(opcode, b.init)) return NULL;
    hlo_instr *x = hlo_emit_reduce(r, instr->shape, a.operand, hlo_operand(instr, 1),
                                   dims_of_both(r, dims, &a), a.computation);
    hlo_instr *y = hlo_emit_reduce(r, instr->shape, b.operand, b.init, dims_of_both(r, dims, &b),
                                   b.computation);
    return hlo_emit_binary(r, opcode, instr->shape, x, y);
}

/* ---- the pass ---- */

/* What may be done where results of reductions are used. */
static const struct {
    hlo_rewrite_id id;
    hlo_pattern *rewrite;
} rewrites[] = {{HLO_REWRITE_join_reductions, join_reductions},
                {HLO_REWRITE_join_reductions_fast, join_reductions},
                {HLO_REWRITE_reductions_meet, reductions_meet},
                {HLO_REWRITE_reductions_meet_fast, reductions_meet},
                {HLO_REWRITE_reduction_takes_init, reduction_takes_init}};

typedef struct {
    hlo_rewriter *rewriter;
    hlo_instr_list reductions; /* to be looked at, with those that use them */
    bool changed;
} reassociation;

static bool try_at(reassociation *s, hlo_instr *instr, hlo_rewrite_id id, hlo_pattern *rewrite) {
    hlo_rewriter *r = s->rewriter;
    if (!instr->parent || instr->shape->dynamic || hlo_is_tied(r, instr) ||
        !hlo_rewrite_allowed(r, id))
        return false;
    hlo_rewriter_aim(r, instr);
    r->kind = hlo_rewrites[id].kind;
    hlo_instr *by = rewrite(r, instr);
    return by && hlo_rewrite_replace(r, id, instr, by);
}

/* Reductions that are new, or whose users are. */
static void look_at_new(reassociation *s) {
    hlo_instr_list *touched = &s->rewriter->touched;
    for (size_t i = 0; i < touched->n; i++) {
        const hlo_instr *instr = touched->v[i];
        if (instr->opcode == HLO_OP_REDUCE) hlo_list_push(&s->reductions, touched->v[i]);
        for (uint32_t k = 0; instr->parent && k < instr->operand_count; k++)
            if (hlo_operand(instr, k)->opcode == HLO_OP_REDUCE)
                hlo_list_push(&s->reductions, hlo_operand(instr, k));
    }
    touched->n = 0;
}

static bool reassociate(reassociation *s, hlo_instr *reduce) {
    hlo_instr *user = reduce->first_use ? reduce->first_use->user : NULL;
    for (size_t i = 0; user && i < sizeof rewrites / sizeof *rewrites; i++)
        if (try_at(s, user, rewrites[i].id, rewrites[i].rewrite)) return true;
    return try_at(s, reduce, HLO_REWRITE_reduce_parts_apart, reduce_parts_apart) ||
           try_at(s, reduce, HLO_REWRITE_reduce_parts_apart_fast, reduce_parts_apart);
}

hlo_pass_result hlo_pass_reduce_reassociation(const hlo_pass_call *call) {
    reassociation s = {.rewriter = call->rewriter};
    for (hlo_computation *c = call->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i && !c->is_fusion_body && !c->is_async_body; i = i->next)
            if (i->opcode == HLO_OP_REDUCE) hlo_list_push(&s.reductions, i);
    for (size_t k = 0; k < s.reductions.n && !hlo_rewriter_is_done(call->rewriter); k++) {
        if (!s.reductions.v[k]->parent || !reassociate(&s, s.reductions.v[k])) continue;
        s.changed = true;
        look_at_new(&s);
    }
    hlo_list_free(&s.reductions);
    return s.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
