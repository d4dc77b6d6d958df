/* Orders that keep effects: see effect_order.h. */
#include "passes/collectives/effect_order.h"

#include "passes/memory/schedule.h"

enum { NEW, OPEN, DONE };

void hlo_effect_order_init(hlo_effect_order *o, const hlo_call_graph *graph, hlo_computation *c,
                           uint32_t more) {
    *o = (hlo_effect_order){.computation = c, .capacity = c->instr_count + more + 1};
    o->effect_before = hlo_calloc(o->capacity, sizeof(hlo_instr *));
    o->state = hlo_malloc(o->capacity);
    hlo_instr *effect = NULL;
    for (hlo_instr *i = c->first; i; i = i->next) {
        i->index = o->count++;
        if (hlo_info(i)->class == HLO_CLASS_COLLECTIVE || !hlo_call_graph_effect(graph, i))
            continue;
        o->effect_before[i->index] = effect;
        effect = i;
    }
}

void hlo_effect_order_free(hlo_effect_order *o) {
    hlo_free(o->effect_before);
    hlo_free(o->state);
    hlo_list_free(&o->order);
}

void hlo_effect_order_add(hlo_effect_order *o, hlo_instr *instr) {
    instr->index = o->count++;
}

void hlo_effect_order_needs(const hlo_effect_order *o, const hlo_instr *instr,
                            hlo_instr_list *needs) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; k < instr->operand_count; k++) hlo_list_push(needs, hlo_operand(instr, k));
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
        hlo_list_push(needs, control->u.instructions->v[k]);
    if (o->effect_before[instr->index]) hlo_list_push(needs, o->effect_before[instr->index]);
}

static void reverse(hlo_instr_list *list, uint32_t from) {
    for (uint32_t a = from, b = (uint32_t)list->n; a + 1 < b; a++) {
        hlo_instr *last = list->v[--b];
        list->v[b] = list->v[a];
        list->v[a] = last;
    }
}

/* Appends what the instruction needs, first needs first, and the instruction. */
static void put_with_operands(hlo_effect_order *o, hlo_instr *instr, hlo_instr_list *worklist) {
    hlo_list_push(worklist, instr);
    while (worklist->n) {
        hlo_instr *top = worklist->v[worklist->n - 1];
        uint8_t *state = &o->state[top->index];
        if (*state == NEW) {
            *state = OPEN;
            uint32_t from = (uint32_t)worklist->n;
            hlo_effect_order_needs(o, top, worklist);
            reverse(worklist, from);
            continue;
        }
        if (*state == OPEN) hlo_list_push(&o->order, top);
        *state = DONE;
        HLO_ASSERT(worklist->n > 0);
        worklist->n--;
    }
}

static void put_all(hlo_effect_order *o, hlo_instr *const *seed, uint32_t n) {
    hlo_instr_list worklist = {0};
    memset(o->state, NEW, o->capacity);
    o->order.n = 0;
    for (uint32_t i = 0; i < n; i++) put_with_operands(o, seed[i], &worklist);
    hlo_list_free(&worklist);
}

void hlo_effect_order_post(hlo_effect_order *o) {
    hlo_instr **seed = hlo_malloc((o->computation->instr_count + 1u) * sizeof *seed);
    uint32_t n = hlo_post_order(o->computation, seed);
    put_all(o, seed, n);
    hlo_free(seed);
}

void hlo_effect_order_restore(hlo_effect_order *o) {
    hlo_instr **seed = hlo_malloc((o->computation->instr_count + 1u) * sizeof *seed);
    uint32_t n = 0;
    for (hlo_instr *i = o->computation->first; i; i = i->next) seed[n++] = i;
    put_all(o, seed, n);
    hlo_set_order(o->computation, o->order.v);
    hlo_free(seed);
}
