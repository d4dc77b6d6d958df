/* So many instructions and no more: from the result outwards, dear ones before cheap ones at the
 * same distance, parameters and constants last; or what lies nearest to the instruction that a
 * drawing is around. */
#include <math.h>

#include "analysis/cost.h"
#include "base/list.h"
#include "graph/model/worklist.h"

#define AT_ONCE (-1e9)
#define LAST 1e9

typedef struct {
    hlo_instr *instr;
    double score; /* the lowest comes next */
    uint32_t distance, order;
} candidate;

typedef struct {
    const hlo_dot_worklist *chosen;
    bool *seen; /* by number */
    HLO_LIST(candidate) heap;
    hlo_call_graph graph;
    hlo_cost *costs;
    uint32_t added;
} growth;

/* ---- what comes next ---- */

static bool comes_before(const candidate *a, const candidate *b) {
    return a->score != b->score ? a->score < b->score : a->order < b->order;
}

static void push(growth *g, candidate item) {
    hlo_list_push(&g->heap, item);
    candidate *v = g->heap.v;
    uint32_t at = g->heap.n - 1;
    for (; at && comes_before(&item, &v[(at - 1) / 2]); at = (at - 1) / 2) v[at] = v[(at - 1) / 2];
    v[at] = item;
}

static candidate pop(growth *g) {
    candidate *v = g->heap.v, top = v[0], item = hlo_list_pop(&g->heap);
    uint32_t at = 0, n = g->heap.n;
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(&v[child + 1], &v[child])) child++;
        if (!comes_before(&v[child], &item)) break;
        v[at] = v[child];
    }
    if (n) v[at] = item;
    return top;
}

/* ---- scores ---- */

/* Steps from the result that a class is worth less than another. */
static double steps_of_class(const hlo_instr *instr) {
    switch (hlo_info(instr)->class) {
    case HLO_CLASS_DENSE:
    case HLO_CLASS_CONTROL:
    case HLO_CLASS_COLLECTIVE:
    case HLO_CLASS_HOST: return 0;
    case HLO_CLASS_REDUCE: return 1;
    case HLO_CLASS_TRANSCENDENTAL:
    case HLO_CLASS_RANDOM: return 2;
    case HLO_CLASS_ELEMENTWISE:
    case HLO_CLASS_DATA: return 3;
    case HLO_CLASS_TUPLE: return 4;
    case HLO_CLASS_LEAF: return LAST;
    }
    HLO_UNREACHABLE();
    return LAST;
}

/* Sixteen times the work is worth a step. */
static double score_of(const growth *g, const hlo_instr *instr, uint32_t distance) {
    hlo_cost cost = hlo_instr_cost(instr, g->costs);
    double work = fmax(cost.flops, 0) + fmax(cost.transcendentals, 0) + fmax(cost.bytes, 0);
    return distance + steps_of_class(instr) - log2(1 + work) / 4;
}

static bool counts(const growth *g, const hlo_instr *instr) {
    const hlo_dot_selection *s = g->chosen->s;
    bool is_element = instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && !s->expand;
    return !is_element && !hlo_dot_is_value(s, instr) && !hlo_dot_body_of(s, instr);
}

static void offer(growth *g, hlo_instr *instr, uint32_t distance, bool at_once) {
    const hlo_dot_selection *s = g->chosen->s;
    uint32_t number = hlo_dot_number(s, instr);
    if (g->seen[number] || !g->chosen->seen[number]) return;
    g->seen[number] = true;
    at_once |= instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && !s->expand;
    double score = at_once ? AT_ONCE : score_of(g, instr, distance);
    push(g, (candidate){instr, score, distance, g->added++});
}

/* Through the parameters of a body to the operands of what it is drawn in place of. */
static hlo_instr *through(const growth *g, hlo_instr *instr) {
    const hlo_instr *caller;
    while (instr->opcode == HLO_OP_PARAMETER &&
           (caller = hlo_dot_place_of(g->chosen->s, instr->parent)) &&
           g->chosen->s->kept[hlo_dot_number(g->chosen->s, caller)]) {
        int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
        if (number < 0 || number >= caller->operand_count) break;
        instr = hlo_operand(caller, (uint32_t)number);
    }
    return instr;
}

static void offer_sources(growth *g, const candidate *of) {
    const hlo_instr *instr = of->instr;
    hlo_computation *called, *body = hlo_dot_body_of(g->chosen->s, instr);
    uint32_t distance = of->distance + !!counts(g, instr);
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (called->root) offer(g, called->root, distance, called == body);
    for (uint32_t i = 0; !body && i < instr->operand_count; i++)
        offer(g, through(g, hlo_operand(instr, i)), distance, false);
}

/* ---- the whole ---- */

static hlo_instr *start_of(const hlo_dot_worklist *chosen, const hlo_graph_options *options) {
    const hlo_computation *start = chosen->v[0]->parent;
    if (!options->computation && chosen->s->module->entry) start = chosen->s->module->entry;
    return start->root;
}

static void grow(growth *g, hlo_dot_selection *s, const hlo_graph_options *options) {
    const hlo_dot_worklist *chosen = g->chosen;
    bool spreads = options->around || options->from;
    uint32_t next = 0;
    if (!spreads && chosen->n && start_of(chosen, options))
        offer(g, start_of(chosen, options), 0, false);
    for (uint64_t left = options->max_nodes; left;) {
        while (!g->heap.n && next < chosen->n) offer(g, chosen->v[next++], 0, false);
        if (!g->heap.n) break;
        candidate taken = pop(g);
        s->kept[hlo_dot_number(s, taken.instr)] = true;
        left -= counts(g, taken.instr);
        if (!spreads) offer_sources(g, &taken);
    }
}

void hlo_dot_keep_nearest(hlo_dot_selection *s, const hlo_dot_worklist *chosen,
                          const hlo_graph_options *options) {
    growth g = {.chosen = chosen};
    hlo_call_graph_init(&g.graph, s->module);
    g.costs = hlo_computation_costs(&g.graph);
    g.seen = hlo_calloc(s->total + 1, sizeof *g.seen);
    grow(&g, s, options);
    hlo_list_free(&g.heap);
    hlo_free(g.seen);
    hlo_free(g.costs);
    hlo_call_graph_free(&g.graph);
}
