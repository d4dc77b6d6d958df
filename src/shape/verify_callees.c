/* Called computations: threads, fused and async bodies, shardings at the ends of loops and
 * branches. */
#include "shape/verifier.h"

/* ---- threads ---- */

static bool check_threads(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 0; i < hlo_called_count(instr); i++) {
        const hlo_computation *callee = hlo_called(instr, i);
        if (hlo_str_equal(callee->execution_thread, instr->parent->execution_thread)) continue;
        return hlo_verify_fail(v, HLO_RULE_EXECUTION_THREAD, instr,
                               "it runs on thread \"%.*s\" and %s on thread \"%.*s\"",
                               (int)instr->parent->execution_thread.len,
                               instr->parent->execution_thread.ptr,
                               hlo_verify_name(v, callee->name), (int)callee->execution_thread.len,
                               callee->execution_thread.ptr);
    }
    return true;
}

/* Calls and custom calls in whole, of other operations to_apply=. */
static bool check_threads_of_calls(hlo_verifier *v, const hlo_instr *instr) {
    bool all = instr->opcode == HLO_OP_CALL || instr->opcode == HLO_OP_CUSTOM_CALL;
    return !(all || hlo_instr_attr(instr, HLO_ATTR_TO_APPLY)) || check_threads(v, instr);
}

/* ---- fusion ---- */

static bool check_fusion(hlo_verifier *v, const hlo_instr *fusion) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    const hlo_computation *fused = hlo_called(fusion, 0);
    for (const hlo_instr *instr = fused->first; instr; instr = instr->next) {
        bool is_root = instr == fused->root, is_used = instr->first_use != NULL;
        if (is_root ? !is_used : is_used || hlo_may_be_unused_in_fusion(instr)) continue;
        hlo_verify_fail(v, HLO_RULE_FUSION_BODY, fusion,
                        is_root ? "the root of %s is used inside of it"
                                : "%s has an unused instruction",
                        hlo_verify_name(v, fused->name));
        hlo_verify_note(v, instr, is_root ? "the root" : "this one");
        return false;
    }
    return true;
}

/* ---- async ---- */

static bool is_single(const hlo_computation *body, bool tuples_may_be_taken_apart) {
    for (const hlo_instr *instr = body->first; instr; instr = instr->next)
        if (instr != body->root && instr->opcode != HLO_OP_PARAMETER &&
            !(tuples_may_be_taken_apart && instr->opcode == HLO_OP_GET_TUPLE_ELEMENT))
            return false;
    return true;
}

static bool check_async_start(hlo_verifier *v, const hlo_instr *start) {
    HLO_ASSERT(start->opcode == HLO_OP_ASYNC_START);
    const hlo_computation *wrapped = hlo_called(start, 0);
    const hlo_attr *thread = hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    hlo_str named = thread ? *thread->u.string : HLO_STR("main");
    if (!hlo_str_equal(named, wrapped->execution_thread))
        return hlo_verify_fail(v, HLO_RULE_EXECUTION_THREAD, start,
                               "async_execution_thread is \"%.*s\" and %s runs on \"%.*s\"",
                               (int)named.len, named.ptr, hlo_verify_name(v, wrapped->name),
                               (int)wrapped->execution_thread.len, wrapped->execution_thread.ptr) ||
               hlo_verify_at_attr(v, start,
                                  thread ? HLO_ATTR_ASYNC_EXECUTION_THREAD : HLO_ATTR_CALLS);
    /* groups of collectives and barriers may be more than one instruction */
    if (is_single(wrapped, true) || !hlo_str_is(wrapped->execution_thread, "main") ||
        hlo_frontend_value(start, "_collectives_group"))
        return true;
    return hlo_verify_fail(v, HLO_RULE_ASYNC_BODY, start,
                           "%s has more than its root and parameters",
                           hlo_verify_name(v, wrapped->name)) ||
           hlo_verify_at_attr(v, start, HLO_ATTR_CALLS);
}

/* ---- shardings ---- */

/* Single devices are a placement of instructions, which partitioning by dataflow follows: unlike
 * XLA, which refuses it, the ends of a loop or branch may be placed on different devices. */
static bool are_placements(const hlo_sharding *a, const hlo_sharding *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == HLO_SHARDING_MAXIMAL) return true;
    if (a->kind != HLO_SHARDING_TUPLE || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!are_placements(a->elements[i], b->elements[i])) return false;
    return true;
}

static bool is_sharded_like(const hlo_instr *a, const hlo_instr *b) {
    const hlo_attr *x = hlo_instr_attr(a, HLO_ATTR_SHARDING),
                   *y = hlo_instr_attr(b, HLO_ATTR_SHARDING);
    return !x || !y || hlo_attr_equal(x, y) || are_placements(x->u.sharding, y->u.sharding);
}

/* The first of the instructions with a sharding sets it for all. */
static bool check_shardings(hlo_verifier *v, const hlo_instr *instr, const hlo_instr *const *ends,
                            uint32_t n) {
    const hlo_instr *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!hlo_instr_attr(ends[i], HLO_ATTR_SHARDING)) continue;
        if (!first) first = ends[i];
        if (is_sharded_like(first, ends[i])) continue;
        hlo_verify_fail(v, HLO_RULE_SHARDING_CONSISTENT, instr,
                        "parameters or roots of its computations have a different sharding");
        hlo_verify_note(v, first, "one sharding");
        hlo_verify_note(v, ends[i], "another sharding");
        return false;
    }
    return true;
}

static bool check_while(hlo_verifier *v, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_WHILE);
    const hlo_attr *condition = hlo_instr_attr(instr, HLO_ATTR_CONDITION),
                   *body = hlo_instr_attr(instr, HLO_ATTR_BODY);
    const hlo_instr *ends[] = {instr, body->u.computation->root, body->u.computation->parameters[0],
                               condition->u.computation->parameters[0]};
    return check_threads(v, instr) && check_shardings(v, instr, ends, 4);
}

static bool check_conditional(hlo_verifier *v, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_CONDITIONAL);
    uint32_t n = hlo_called_count(instr);
    const hlo_instr **ends = HLO_NEW_ARRAY(&v->scratch, const hlo_instr *, n + 1);
    ends[0] = instr;
    for (uint32_t i = 0; i < n; i++) ends[i + 1] = hlo_called(instr, i)->root;
    return check_threads(v, instr) && check_shardings(v, instr, ends, n + 1);
}

bool hlo_verify_callees(hlo_verifier *v, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_FUSION: return check_threads(v, instr) && check_fusion(v, instr);
    case HLO_OP_WHILE: return check_while(v, instr);
    case HLO_OP_CONDITIONAL: return check_conditional(v, instr);
    case HLO_OP_ASYNC_START: return check_async_start(v, instr);
    default: return !v->options->call_threads || check_threads_of_calls(v, instr);
    }
}
