/* Relaying control dependencies of inlined calls: see relay.h. */
#include "passes/pipeline/relay.h"

#include <stdlib.h>

static const hlo_instrs *predecessors_of(const hlo_instr *instr) {
    static const hlo_instrs none;
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    return control ? control->u.instructions : &none;
}

void hlo_set_control_predecessors(hlo_rewriter *r, hlo_instr *instr, hlo_instr_list *list) {
    if (list->n == 0) {
        hlo_instr_remove_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
        return;
    }
    hlo_instrs *made = hlo_arena_alloc(&r->module->arena, sizeof *made + list->n * sizeof *list->v);
    made->n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t same = 0;
        while (same < made->n && made->v[same] != list->v[i]) same++;
        if (same == made->n) made->v[made->n++] = list->v[i];
    }
    hlo_instr_set_attr(instr,
                       (hlo_attr){.id = HLO_ATTR_CONTROL_PREDECESSORS, .u.instructions = made});
    hlo_ties_add_ends(&r->tied, instr);
}

/* A call that is gone has its place in the list as its index. */
static const hlo_relay *relay_of(const hlo_relays *relays, const hlo_instr *instr) {
    bool is_relayed = instr->index < relays->n && relays->v[instr->index].call == instr;
    return is_relayed ? &relays->v[instr->index] : NULL;
}

static int by_position(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Adds the predecessors of an instruction to the list, and after them what stands for calls, in the
 * order in which these went, as XLA does. Returns whether there are such calls. */
static bool add_predecessors(const hlo_relays *relays, const hlo_instr *instr,
                             hlo_instr_list *list) {
    const hlo_instrs *own = predecessors_of(instr);
    HLO_LIST(uint32_t) calls = {0};
    for (uint32_t k = 0; k < own->n; k++) {
        const hlo_relay *relay = relay_of(relays, own->v[k]);
        if (relay) hlo_list_push(&calls, (uint32_t)(relay - relays->v));
        else hlo_list_push(list, own->v[k]);
    }
    if (calls.n) qsort(calls.v, calls.n, sizeof *calls.v, by_position);
    for (uint32_t k = 0; k < calls.n; k++) {
        const hlo_relay *relay = &relays->v[calls.v[k]];
        for (uint32_t e = 0; e < relay->ends.n; e++) hlo_list_push(list, relay->ends.v[e]);
    }
    bool has_calls = calls.n > 0;
    hlo_list_free(&calls);
    return has_calls;
}

static void mark_before(const hlo_instr *instr, uint32_t mark) {
    const hlo_instrs *control = predecessors_of(instr);
    for (uint32_t k = 0; k < instr->operand_count; k++) hlo_operand(instr, k)->mark = mark;
    for (uint32_t k = 0; k < control->n; k++) control->v[k]->mark = mark;
}

/* The root, and the effects that it does not wait for. */
static void find_ends(hlo_relay *relay, hlo_rewriter *r, const hlo_call_graph *graph,
                      hlo_instr *root) {
    uint32_t mark = hlo_module_new_mark(r->module);
    hlo_list_push(&relay->ends, root);
    root->mark = mark;
    for (uint32_t i = r->fresh.n; i-- > 0;) {
        hlo_instr *copy = r->fresh.v[i];
        bool is_before = copy->mark == mark;
        if (!is_before && !hlo_call_graph_effect(graph, copy)) continue;
        if (!is_before) hlo_list_push(&relay->ends, copy);
        mark_before(copy, mark);
    }
}

void hlo_relay_call(hlo_relays *relays, hlo_rewriter *r, const hlo_call_graph *graph,
                    hlo_instr *call, hlo_instr *root) {
    hlo_relay relay = {.call = call};
    hlo_instr_list before = {0}, all = {0};
    bool root_is_copy = false;
    find_ends(&relay, r, graph, root);
    add_predecessors(relays, call, &before);
    for (uint32_t i = 0; i < r->fresh.n && before.n; i++) {
        hlo_instr *copy = r->fresh.v[i];
        all.n = 0;
        add_predecessors(relays, copy, &all);
        for (uint32_t k = 0; k < before.n; k++) hlo_list_push(&all, before.v[k]);
        hlo_set_control_predecessors(r, copy, &all);
        root_is_copy |= copy == root;
    }
    for (uint32_t k = 0; k < before.n && !root_is_copy; k++)
        hlo_list_push(&relay.ends, before.v[k]);
    for (uint32_t k = 0; k < relay.ends.n; k++) hlo_ties_add(&r->tied, relay.ends.v[k]);
    hlo_list_free(&before);
    hlo_list_free(&all);
    HLO_ASSERT(relay.ends.n > 0);
    call->index = relays->n;
    hlo_list_push(relays, relay);
}

void hlo_relay_removed(hlo_relays *relays, hlo_instr *instr) {
    hlo_relay relay = {.call = instr};
    add_predecessors(relays, instr, &relay.ends);
    instr->index = relays->n;
    hlo_list_push(relays, relay);
}

void hlo_relay_withdraw(hlo_relays *relays) {
    hlo_relay last = hlo_list_pop(relays);
    hlo_list_free(&last.ends);
}

void hlo_relay_successors(hlo_relays *relays, hlo_rewriter *r, hlo_computation *computation) {
    hlo_instr_list list = {0};
    for (hlo_instr *i = computation->first; i && relays->n; i = i->next) {
        list.n = 0;
        if (add_predecessors(relays, i, &list)) hlo_set_control_predecessors(r, i, &list);
    }
    hlo_list_free(&list);
    while (relays->n) hlo_relay_withdraw(relays);
    hlo_list_free(relays);
}
