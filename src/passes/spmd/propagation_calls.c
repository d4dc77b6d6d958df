/* Shardings across calls: a loop and its state, a conditional and its branches, a call and its
 * callee have the same. */
#include "passes/spmd/propagation.h"

/* ---- what belongs together ---- */

static bool is_call(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_CONDITIONAL ||
           instr->opcode == HLO_OP_CALL;
}

/* A loop's body comes first, its condition second. */
static void list_of_loop(hlo_instr *loop, hlo_instr_list *out) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_list_push(out, hlo_called(loop, 0)->root);
    hlo_list_push(out, hlo_called(loop, 0)->parameters[0]);
    hlo_list_push(out, hlo_called(loop, 1)->parameters[0]);
}

static hlo_instr *argument_of(const hlo_propagation *p, const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    const hlo_instr *caller = p->callers[parameter->parent->id];
    if (!caller) return NULL;
    if (caller->opcode == HLO_OP_CALL)
        return hlo_operand(caller, (uint32_t)hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER));
    for (uint32_t i = 1; caller->opcode == HLO_OP_CONDITIONAL && i < caller->operand_count; i++)
        if (hlo_called(caller, i - 1) == parameter->parent) return hlo_operand(caller, i);
    return NULL;
}

/* Instructions that have the sharding of this one, beginning with itself; none for others. */
static void list_related(const hlo_propagation *p, hlo_instr *instr, hlo_instr_list *out) {
    hlo_instr *argument = instr->opcode == HLO_OP_PARAMETER ? argument_of(p, instr) : NULL;
    out->n = 0;
    if (!is_call(instr) && !argument) return;
    hlo_list_push(out, instr);
    if (argument) hlo_list_push(out, argument);
    if (instr->opcode == HLO_OP_WHILE) list_of_loop(instr, out);
    if (instr->opcode == HLO_OP_CALL) hlo_list_push(out, hlo_called(instr, 0)->root);
    for (uint32_t i = 0; instr->opcode == HLO_OP_CONDITIONAL && i < hlo_called_count(instr); i++)
        hlo_list_push(out, hlo_called(instr, i)->root);
}

static bool is_listed(const hlo_instr_list *list, const hlo_instr *instr) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == instr) return true;
    return false;
}

/* ---- before ---- */

/* All take the sharding of the first that has one. */
static void share_among(hlo_propagation *p, const hlo_instr_list *related) {
    const hlo_sharding *found = NULL;
    for (uint32_t i = 0; i < related->n && !found; i++) found = hlo_sharding_on(p, related->v[i]);
    for (uint32_t i = 0; i < related->n && found; i++) hlo_set_sharding(p, related->v[i], found);
}

void hlo_connect_calls(hlo_propagation *p) {
    hlo_instr_list related = {0};
    for (hlo_computation *c = p->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (!is_call(i)) continue;
            list_related(p, i, &related);
            share_among(p, &related);
            for (uint32_t k = 0; k < hlo_called_count(i); k++) p->callers[hlo_called(i, k)->id] = i;
        }
    hlo_list_free(&related);
}

/* ---- devices of loops ---- */

static const hlo_sharding *on_one_device(const hlo_sharding *s) {
    if (!s || !hlo_sharding_is(s, HLO_SHARDING_MAXIMAL)) return NULL;
    if (s->kind != HLO_SHARDING_TUPLE) return s;
    for (uint32_t i = 1; i < s->n; i++)
        if (s->elements[i]->device != s->elements[0]->device) return NULL;
    return s->n ? s->elements[0] : NULL;
}

/* Talks to other devices. */
static bool uses_channel(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_SEND:
    case HLO_OP_RECV: return !hlo_attr_int(instr, HLO_ATTR_IS_HOST_TRANSFER);
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_REDUCE_SCATTER: return hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    default: return false;
    }
}

static bool check_device(hlo_propagation *p, const hlo_instr *instr, const hlo_instr *channel) {
    const hlo_sharding *a = on_one_device(hlo_sharding_on(p, instr));
    const hlo_sharding *b = on_one_device(hlo_sharding_on(p, channel));
    if (!a || a->device == b->device) return true;
    hlo_arena *arena = &p->module->arena;
    hlo_error(
        p->diags, HLO_RULE_PIPELINE, p->module->source, instr->at,
        "sharding-propagation: %s is on device %lld, but %s, which uses a channel in the same "
        "loop, is on device %lld",
        hlo_name_quoted(arena, instr->name), (long long)a->device,
        hlo_name_quoted(arena, channel->name), (long long)b->device);
    return false;
}

/* Where an instruction with a channel is on one device, all that is on one device is on that one,
 * and the loop's result too. */
static bool check_loop(hlo_propagation *p, const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_computation *body = hlo_called(loop, 0);
    const hlo_instr *channel = NULL;
    for (hlo_instr *i = body->first; i && !channel; i = i->next)
        if (uses_channel(i) && on_one_device(hlo_sharding_on(p, i))) channel = i;
    if (!channel) return true;
    for (hlo_instr *i = body->first; i; i = i->next)
        if (!check_device(p, i, channel)) return false;
    if (!check_device(p, loop, channel)) return false;
    if (on_one_device(hlo_sharding_on(p, body->root))) return true;
    const hlo_sharding *one = on_one_device(hlo_sharding_on(p, channel));
    one = hlo_sharding_maximal(&p->arena, one->device, NULL);
    hlo_set_sharding(p, body->root, hlo_sharding_for_shape(&p->arena, one, body->root->shape));
    return true;
}

bool hlo_check_devices(hlo_propagation *p) {
    for (hlo_computation *c = p->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (i->opcode == HLO_OP_WHILE && !check_loop(p, i)) return false;
    return true;
}

/* ---- while shardings spread ---- */

/* Those related to `from` take the sharding of `instr`, if it is one of them; they are appended to
 * the worklist. */
static void share_with(hlo_propagation *p, hlo_instr *instr, hlo_instr *from,
                       hlo_instr_list *worklist) {
    hlo_instr_list related = {0};
    const hlo_sharding *s = hlo_sharding_on(p, instr);
    list_related(p, from, &related);
    bool is_one = is_listed(&related, instr);
    for (uint32_t i = 0; is_one && i < related.n; i++) {
        const hlo_shard_node *node = hlo_node(p, related.v[i]);
        if (node->is_provided || (node->sharding && hlo_sharding_equal(node->sharding, s)))
            continue;
        hlo_set_sharding(p, related.v[i], s);
        hlo_list_push(worklist, related.v[i]);
    }
    hlo_list_free(&related);
}

/* XLA goes on with each instruction as soon as it has changed; they all get the same sharding, so
 * that the order does not matter. */
void hlo_shard_across_calls(hlo_propagation *p, hlo_instr *instr, hlo_instr_list *changed) {
    uint32_t next = changed->n;
    for (hlo_instr *at = instr; at; at = next < changed->n ? changed->v[next++] : NULL) {
        hlo_instr *caller = p->callers[at->parent->id];
        bool is_parameter = at->opcode == HLO_OP_PARAMETER;
        if (is_call(at)) share_with(p, at, at, changed);
        if (!caller || (!is_parameter && at->parent->root != at)) continue;
        share_with(p, at, caller, changed);
        if (is_parameter && caller->opcode != HLO_OP_WHILE) share_with(p, at, at, changed);
    }
}

/* ---- when nothing spreads any more ---- */

/* The first that has a sharding sets it for all that have another. */
static void follow_first(hlo_propagation *p, const hlo_instr_list *related) {
    const hlo_sharding *first = NULL;
    for (uint32_t i = 0; i < related->n; i++) {
        const hlo_sharding *s = hlo_sharding_on(p, related->v[i]);
        if (!first) first = s;
        else if (s && !hlo_sharding_equal(first, s)) hlo_set_sharding(p, related->v[i], first);
    }
}

/* What was given stays while shardings spread, on one side of a loop's edge and not on the other,
 * and what the entry may not change is restored: both sides must agree again. A loop may end
 * another one's body, so that callers come first. */
void hlo_agree_across_calls(hlo_propagation *p) {
    hlo_instr_list related = {0};
    for (uint32_t k = 0; k < p->graph.count; k++)
        for (hlo_instr *i = p->graph.order[k]->first; i; i = i->next) {
            if (i->opcode != HLO_OP_WHILE && i->opcode != HLO_OP_CONDITIONAL) continue;
            list_related(p, i, &related);
            follow_first(p, &related);
        }
    hlo_list_free(&related);
}
