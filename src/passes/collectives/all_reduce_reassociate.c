/* all-reduce-reassociate: results of all-reduces need not be reduced apart where the operation of
 * the all-reduces combines them. Operands before users, so that chains and trees of such operations
 * end with one all-reduce. */
#include "analysis/equal.h"
#include "analysis/match.h"
#include "passes/collectives/collective.h"
#include "passes/pipeline/expression.h"

/* What leads from an all-reduce to an operand of the instruction that combines two. */
typedef struct {
    hlo_instr *reduce;
    hlo_instr *top;     /* the operand; the all-reduce itself when nothing stands between */
    hlo_instr *convert; /* directly after the all-reduce, and the top; NULL: none */
} branch;

/* One instruction uses it, perhaps twice, and nothing else does. */
static bool has_one_user(const hlo_instr *instr) {
    if (!instr->first_use || instr->parent->root == instr) return false;
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user != instr->first_use->user) return false;
    return true;
}

/* Changes no element, and adds none that counts. */
static bool keeps_elements(const hlo_instr *instr, hlo_opcode opcode) {
    switch (instr->opcode) {
    case HLO_OP_RESHAPE:
    case HLO_OP_SLICE: return true;
    case HLO_OP_PAD:
        return hlo_constant_of(hlo_operand(instr, 1)) &&
               hlo_is_neutral(opcode, hlo_operand(instr, 1));
    default: return false;
    }
}

static bool is_plain(const hlo_rewriter *r, const hlo_instr *reduce) {
    return reduce->operand_count == 1 && !reduce->shape->dynamic &&
           !hlo_attr_int(reduce, HLO_ATTR_CONSTRAIN_LAYOUT) && !hlo_is_tied(r, reduce);
}

static bool find_reduce(const hlo_rewriter *r, hlo_instr *operand, hlo_opcode opcode, branch *out) {
    *out = (branch){.top = operand};
    hlo_instr *instr = operand;
    for (; instr->opcode != HLO_OP_ALL_REDUCE; instr = hlo_operand(instr, 0)) {
        if (!has_one_user(instr) || hlo_is_tied(r, instr)) return false;
        bool converts = instr->opcode == HLO_OP_CONVERT && instr == operand;
        if (converts) out->convert = instr;
        else if (out->convert || !keeps_elements(instr, opcode)) return false;
    }
    out->reduce = instr;
    return has_one_user(instr) && is_plain(r, instr);
}

static bool same_key(const hlo_instr *a, const hlo_instr *b) {
    const hlo_str *x = hlo_frontend_value(a, "collective_group_key");
    const hlo_str *y = hlo_frontend_value(b, "collective_group_key");
    return x && y ? hlo_str_equal(*x, *y) : !x && !y;
}

static bool are_alike(const hlo_instr *a, const hlo_instr *b, hlo_opcode opcode) {
    hlo_arena scratch;
    hlo_arena_init(&scratch);
    bool alike = hlo_reduction_of(a) == opcode && hlo_reduction_of(b) == opcode &&
                 hlo_same_participants(&scratch, a, b) && same_key(a, b);
    hlo_arena_free(&scratch);
    return alike;
}

/* After pads there may be more to reduce together than apart. */
static bool pays(const hlo_instr *a, const hlo_instr *b, const hlo_instr *both) {
    int64_t apart = hlo_shape_elements(a->shape);
    if (a != b) apart += hlo_shape_elements(b->shape);
    return apart >= hlo_shape_elements(both->shape);
}

static void remove_unused(hlo_rewriter *r, hlo_instr *instr) {
    if (instr->parent && !instr->first_use) hlo_rewriter_remove(r, instr);
}

/* The branch without its all-reduce. */
static hlo_instr *raw(const branch *b) {
    hlo_instr *operand = hlo_operand(b->reduce, 0);
    if (b->top == b->reduce) return operand;
    while (b->reduce->first_use)
        hlo_instr_set_operand(
            b->reduce->first_use->user,
            (uint32_t)(b->reduce->first_use - b->reduce->first_use->user->operands), operand);
    return b->top;
}

/* The instruction on what is not reduced yet, and an all-reduce of that. */
static bool reduce_both(hlo_rewriter *r, hlo_rewrite_id id, hlo_instr *instr, const branch *a,
                        const branch *b, hlo_computation *reducer) {
    hlo_instr *first = a->reduce, *second = b->reduce, *operands[2];
    hlo_rewriter_aim(r, instr);
    operands[0] = raw(a);
    operands[1] = b->top == a->top ? operands[0] : raw(b);
    hlo_instr *both = hlo_emit_like(r, instr, instr->shape, operands, 2);
    hlo_instr *sum = hlo_emit_like(r, first, instr->shape, &both, 1);
    if (reducer)
        hlo_instr_set_attr(sum, (hlo_attr){.id = HLO_ATTR_TO_APPLY, .u.computation = reducer});
    if (!hlo_rewrite_replace(r, id, instr, sum)) return false;
    remove_unused(r, first);
    remove_unused(r, second);
    return true;
}

/* ---- converted results ---- */

static bool widens(const branch *b) {
    return !b->convert || hlo_type_holds((hlo_type)b->convert->shape->type,
                                         (hlo_type)hlo_operand(b->convert, 0)->shape->type);
}

static bool convert_alike(const branch *a, const branch *b) {
    bool both = a->convert && b->convert;
    return widens(a) && widens(b) &&
           (!both ||
            hlo_operand(a->convert, 0)->shape->type == hlo_operand(b->convert, 0)->shape->type);
}

static bool reduce_converted(const hlo_pass_call *call, hlo_instr *instr, const branch *a,
                             const branch *b) {
    hlo_rewriter *r = call->rewriter;
    if (!HLO_OPTION(call, ALL_REDUCE_REASSOCIATE, reassociate_converted_ar) ||
        !convert_alike(a, b) || !hlo_rewrite_allowed(r, HLO_REWRITE_reduce_converted_together))
        return false;
    hlo_rewriter_aim(r, instr);
    hlo_computation *reducer =
        hlo_build_reducer(r, (hlo_opcode)instr->opcode, (hlo_type)instr->shape->type);
    return reduce_both(r, HLO_REWRITE_reduce_converted_together, instr, a, b, reducer);
}

/* ---- parts ---- */

static bool is_part(const hlo_rewriter *r, const hlo_instr *slice) {
    return slice->opcode == HLO_OP_DYNAMIC_SLICE && has_one_user(slice) && !hlo_is_tied(r, slice) &&
           hlo_operand(slice, 0)->opcode == HLO_OP_ALL_REDUCE &&
           has_one_user(hlo_operand(slice, 0)) && is_plain(r, hlo_operand(slice, 0));
}

static bool same_place(const hlo_instr *a, const hlo_instr *b) {
    bool same = a->shape == b->shape && hlo_operand(a, 0)->shape == hlo_operand(b, 0)->shape &&
                hlo_same_operation(a, b);
    for (uint32_t i = 1; same && i < a->operand_count; i++)
        same = hlo_operand(a, i) == hlo_operand(b, i);
    return same;
}

static bool reduce_parts(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *x = hlo_operand(instr, 0), *y = hlo_operand(instr, 1);
    if (!is_part(r, x) || !is_part(r, y) || !same_place(x, y) || x->shape != instr->shape ||
        !hlo_rewrite_allowed(r, HLO_REWRITE_reduce_parts_together))
        return false;
    hlo_instr *a = hlo_operand(x, 0), *b = hlo_operand(y, 0);
    if (!are_alike(a, b, (hlo_opcode)instr->opcode)) return false;
    hlo_rewriter_aim(r, instr);
    hlo_instr *operands[2] = {hlo_operand(a, 0), hlo_operand(b, 0)};
    hlo_instr *both = hlo_emit_like(r, instr, a->shape, operands, 2);
    hlo_instr *sum = hlo_emit_like(r, a, a->shape, &both, 1);
    hlo_instr *part = hlo_emit_with_operand(r, x, 0, sum);
    if (!hlo_rewrite_replace(r, HLO_REWRITE_reduce_parts_together, instr, part)) return false;
    remove_unused(r, a);
    remove_unused(r, b);
    return true;
}

/* ---- the pass ---- */

static bool reassociate(const hlo_pass_call *call, hlo_instr *instr) {
    hlo_rewriter *r = call->rewriter;
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    branch a, b;
    if (instr->operand_count != 2 || !(hlo_info(instr)->flags & HLO_OP_IS_ASSOCIATIVE) ||
        instr->shape->dynamic || hlo_is_tied(r, instr))
        return false;
    if (reduce_parts(r, instr)) return true;
    if (!find_reduce(r, hlo_operand(instr, 0), opcode, &a) ||
        !find_reduce(r, hlo_operand(instr, 1), opcode, &b) ||
        !are_alike(a.reduce, b.reduce, opcode) || !pays(a.reduce, b.reduce, instr))
        return false;
    if (a.convert || b.convert) return reduce_converted(call, instr, &a, &b);
    return hlo_rewrite_allowed(r, HLO_REWRITE_reduce_together) &&
           reduce_both(r, HLO_REWRITE_reduce_together, instr, &a, &b, NULL);
}

static bool run_on(const hlo_pass_call *call, hlo_computation *c) {
    hlo_instr **order = hlo_malloc((c->instr_count + 1u) * sizeof *order);
    uint32_t n = hlo_post_order(c, order);
    bool changed = false;
    for (uint32_t i = 0; i < n && !hlo_rewriter_is_done(call->rewriter); i++)
        if (order[i]->parent) changed |= reassociate(call, order[i]);
    hlo_free(order);
    return changed;
}

hlo_pass_result hlo_pass_all_reduce_reassociate(const hlo_pass_call *call) {
    bool changed = false;
    for (hlo_computation *c = call->module->first; c; c = c->next)
        if (!c->is_fusion_body && !c->is_async_body) changed |= run_on(call, c);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
