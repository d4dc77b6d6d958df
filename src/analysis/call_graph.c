/* The call graph of a module, made without recursion. */
#include "analysis/call_graph.h"

typedef struct {
    hlo_computation *computation;
    hlo_instr *at; /* whose calls come next */
    uint32_t call; /* the next of them */
} open_computation;

typedef struct {
    hlo_call_graph *graph;
    open_computation *stack;
    uint32_t depth, seen; /* seen: a mark */
} call_walk;

static void open_computation_of_walk(call_walk *walk, hlo_computation *c) {
    c->mark = walk->seen;
    walk->stack[walk->depth++] = (open_computation){c, c->first, 0};
}

/* Callees before callers; filled from the end, so that the array reads callers first. */
static void walk_from(call_walk *walk, hlo_computation *start, uint32_t *free_slots) {
    if (start->mark == walk->seen) return;
    open_computation_of_walk(walk, start);
    while (walk->depth) {
        open_computation *top = &walk->stack[walk->depth - 1];
        if (!top->at) {
            HLO_ASSERT(*free_slots > 0);
            walk->graph->order[--*free_slots] = top->computation;
            HLO_ASSERT(walk->depth > 0);
            walk->depth--;
            continue;
        }
        hlo_computation *called = hlo_called(top->at, top->call++);
        if (!called) {
            top->at = top->at->next;
            top->call = 0;
        } else if (called->mark != walk->seen) {
            open_computation_of_walk(walk, called);
        }
    }
}

static void find_order(hlo_call_graph *graph, hlo_module *module) {
    call_walk walk = {.graph = graph, .seen = hlo_module_new_mark(module)};
    walk.stack = hlo_calloc(graph->count ? graph->count : 1, sizeof *walk.stack);
    uint32_t free_slots = graph->count;
    for (hlo_computation *c = module->first; c; c = c->next) walk_from(&walk, c, &free_slots);
    hlo_free(walk.stack);
}

/* A computation with several callers has one of them here: call_count shows that there are more.
 */
static void find_callers(hlo_call_graph *graph) {
    HLO_ASSERT(graph->ids > 0);
    for (uint32_t n = 0; n < graph->count; n++)
        for (hlo_instr *i = graph->order[n]->first; i; i = i->next) {
            hlo_computation *called;
            for (uint32_t k = 0; (called = hlo_called(i, k)); k++) {
                graph->call_count[called->id]++;
                graph->caller[called->id] = i;
            }
        }
}

/* Bodies that were copied since the graph was made have no entry in its arrays. */
static bool has_effect(const hlo_call_graph *graph, const hlo_computation *c) {
    if (c->id < graph->ids) return graph->has_side_effect[c->id];
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (hlo_call_graph_effect(graph, i)) return true;
    return false;
}

bool hlo_call_graph_effect(const hlo_call_graph *graph, const hlo_instr *instr) {
    while ((instr->opcode == HLO_OP_ASYNC_DONE || instr->opcode == HLO_OP_ASYNC_UPDATE) &&
           instr->operand_count)
        instr = hlo_operand(instr, 0);
    if (hlo_instr_has_side_effect(instr)) return true;
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (has_effect(graph, called)) return true;
    return false;
}

/* Callees come first, so that those of an instruction are known. */
static void find_effects(hlo_call_graph *graph) {
    for (uint32_t n = graph->count; n-- > 0;) {
        hlo_computation *c = graph->order[n];
        HLO_ASSERT(c->id < graph->ids);
        for (hlo_instr *i = c->first; i && !graph->has_side_effect[c->id]; i = i->next)
            graph->has_side_effect[c->id] = hlo_call_graph_effect(graph, i);
    }
}

void hlo_call_graph_init(hlo_call_graph *graph, hlo_module *module) {
    size_t ids = module->next_id ? module->next_id : 1;
    graph->ids = (uint32_t)ids;
    graph->count = module->computation_count;
    graph->order = hlo_calloc(graph->count ? graph->count : 1, sizeof *graph->order);
    graph->call_count = hlo_calloc(ids, sizeof *graph->call_count);
    graph->caller = hlo_calloc(ids, sizeof *graph->caller);
    graph->has_side_effect = hlo_calloc(ids, sizeof *graph->has_side_effect);
    find_order(graph, module);
    find_callers(graph);
    find_effects(graph);
}

void hlo_call_graph_free(hlo_call_graph *graph) {
    hlo_free(graph->order);
    hlo_free(graph->call_count);
    hlo_free(graph->caller);
    hlo_free(graph->has_side_effect);
}

hlo_instr *hlo_call_graph_fusion(const hlo_call_graph *graph, const hlo_computation *body) {
    if (body->id >= graph->ids) return NULL;
    hlo_instr *caller = graph->caller[body->id];
    bool only = graph->call_count[body->id] == 1 && caller && caller->opcode == HLO_OP_FUSION;
    return only ? caller : NULL;
}

/* The number of the last effect that an operand needs. */
static uint32_t last_effect_before(const hlo_instr *instr, const uint32_t *needs) {
    HLO_ASSERT(!instr->operand_count || needs);
    uint32_t last = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (needs[hlo_operand(instr, i)->index] > last) last = needs[hlo_operand(instr, i)->index];
    return last;
}

bool hlo_call_graph_orders_effects(const hlo_call_graph *graph, const hlo_computation *c) {
    uint32_t *needs = hlo_calloc(c->instr_count + 1u, sizeof *needs), effects = 0, number = 0;
    bool in_order = true, has_call = false;
    for (hlo_instr *i = c->first; i && in_order; i = i->next) {
        i->index = number++;
        needs[i->index] = last_effect_before(i, needs);
        if (i->opcode != HLO_OP_OPT_BARRIER && !hlo_call_graph_effect(graph, i)) continue;
        in_order = needs[i->index] == effects;
        needs[i->index] = ++effects;
        has_call |= i->opcode == HLO_OP_CALL;
    }
    hlo_free(needs);
    return in_order && (effects < 2 || !has_call);
}

/* Callers come first: whether a computation is live is known when its turn comes. */
void hlo_remove_unreachable(hlo_module *module) {
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    bool *live = hlo_calloc(module->next_id + 1u, sizeof *live);
    live[module->entry->id] = true;
    for (uint32_t n = 0; n < graph.count; n++) {
        hlo_computation *c = graph.order[n], *called;
        for (hlo_instr *i = c->first; i && live[c->id]; i = i->next)
            for (uint32_t k = 0; (called = hlo_called(i, k)); k++) live[called->id] = true;
        if (!live[c->id]) hlo_computation_remove(c);
    }
    hlo_free(live);
    hlo_call_graph_free(&graph);
}
