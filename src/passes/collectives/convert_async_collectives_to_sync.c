/* convert-async-collectives-to-sync: a start and a done with nothing between them in the schedule
 * become the collective that they are. */
#include "analysis/communication.h"
#include "analysis/match.h"
#include "passes/collectives/collective.h"

/* Under this key the collective keeps the name of its start, for profiles; as XLA calls it. */
static const char name_key[] = "async_collective_name";

/* The instruction of a start's computation that exchanges data, or the start itself. */
static const hlo_instr *work_of(const hlo_instr *start) {
    return start->opcode == HLO_OP_ASYNC_START ? hlo_called(start, 0)->root : start;
}

/* A start, with the exchange alone in its computation. */
static bool starts_collective(const hlo_instr *instr) {
    unsigned flags = hlo_info(instr)->flags;
    if (!(flags & HLO_OP_IS_ASYNC) || (flags & HLO_OP_ENDS_ASYNC) ||
        instr->opcode == HLO_OP_ASYNC_UPDATE)
        return false;
    const hlo_instr *work = work_of(instr);
    return hlo_transfer_kind(work) != HLO_OP_COUNT &&
           (work == instr || work->parent->instr_count == work->operand_count + 1);
}

static bool ends_collective(const hlo_instr *instr) {
    return (hlo_info(instr)->flags & HLO_OP_ENDS_ASYNC) && instr->operand_count == 1 &&
           starts_collective(hlo_operand(instr, 0));
}

static void remember_name(hlo_rewriter *r, const hlo_name *name, hlo_instr *collective) {
    const hlo_attr *attr = hlo_instr_attr(collective, HLO_ATTR_FRONTEND_ATTRIBUTES);
    uint32_t n = attr ? attr->u.frontend->n : 0, at = 0;
    hlo_frontend *all = hlo_arena_alloc(&r->module->arena, sizeof *all + (n + 1) * sizeof *all->v);
    const hlo_str key = hlo_str_from(name_key);
    while (at < n && hlo_str_compare(attr->u.frontend->v[at].key, key) < 0) at++;
    bool has_one = at < n && hlo_str_equal(attr->u.frontend->v[at].key, key);
    for (uint32_t i = 0; i < at; i++) all->v[i] = attr->u.frontend->v[i];
    all->v[at] = (hlo_frontend_entry){key, {name->ptr, name->len, 0}};
    for (uint32_t i = at + has_one; i < n; i++) all->v[i + 1 - has_one] = attr->u.frontend->v[i];
    all->n = n + 1 - has_one;
    hlo_instr_set_attr(collective,
                       (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = all});
}

/* The collective of the start, with the done's result. */
static hlo_instr *collective_of(hlo_rewriter *r, const hlo_instr *start, const hlo_instr *done) {
    HLO_ASSERT(start->parent == done->parent);
    const hlo_instr *work = work_of(start);
    hlo_attr *attrs = hlo_malloc((work->attr_count + 1u) * sizeof *attrs);
    hlo_instr **operands = hlo_malloc((start->operand_count + 1u) * sizeof *operands);
    uint32_t n = 0;
    for (uint32_t i = 0; i < work->attr_count; i++)
        if (work->attrs[i].id != HLO_ATTR_SHARDING && work->attrs[i].id != HLO_ATTR_ORIGIN)
            attrs[n++] = work->attrs[i];
    for (uint32_t i = 0; i < start->operand_count; i++) operands[i] = hlo_operand(start, i);
    hlo_instr *collective =
        hlo_emit(r, hlo_transfer_kind(work), done->shape, operands, start->operand_count, attrs, n);
    const hlo_attr *said = hlo_instr_attr(done, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (said) hlo_instr_set_attr(collective, *said);
    else hlo_instr_remove_attr(collective, HLO_ATTR_FRONTEND_ATTRIBUTES);
    hlo_inherit_metadata(start, collective);
    remember_name(r, start->name, collective);
    hlo_free(attrs);
    hlo_free(operands);
    return collective;
}

static bool make_synchronous(hlo_rewriter *r, hlo_instr *done) {
    hlo_instr *start = hlo_operand(done, 0);
    hlo_computation *body = start->opcode == HLO_OP_ASYNC_START ? hlo_called(start, 0) : NULL;
    if (!hlo_has_one_user(start) || hlo_is_tied(r, start) || hlo_is_tied(r, done)) return false;
    hlo_rewriter_aim(r, done);
    hlo_instr *collective = collective_of(r, start, done);
    if (!hlo_rewrite_replace(r, HLO_REWRITE_start_and_done, done, collective)) return false;
    if (start->parent) hlo_rewriter_remove(r, start);
    if (body) hlo_computation_remove(body);
    return true;
}

/* Dones before which nothing but starts and dones has run since their starts. */
static void find_pairs(hlo_computation *c, hlo_instr_list *dones) {
    uint32_t since = 0, at = 0; /* the place of the last other instruction */
    hlo_number_instructions(c);
    for (hlo_instr *i = c->first; i; i = i->next, at++) {
        if (ends_collective(i) && hlo_operand(i, 0)->index >= since) hlo_list_push(dones, i);
        else if (!starts_collective(i) && !ends_collective(i)) since = at;
    }
}

hlo_pass_result hlo_pass_convert_async_collectives_to_sync(const hlo_pass_call *call) {
    hlo_instr_list dones = {0};
    bool changed = false;
    if (!hlo_module_flag(call->module, HLO_ATTR_IS_SCHEDULED)) return HLO_UNCHANGED;
    for (hlo_computation *c = call->module->first; c; c = c->next)
        if (!c->is_fusion_body && !c->is_async_body) find_pairs(c, &dones);
    for (size_t i = 0; i < dones.n; i++)
        if (hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_start_and_done))
            changed |= make_synchronous(call->rewriter, dones.v[i]);
    hlo_list_free(&dones);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
