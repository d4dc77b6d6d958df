/* hlo-memory-scheduler: of several orders of a computation's instructions, the one that needs the
 * least memory at a time. */
#include "analysis/liveness.h"
#include "passes/memory/orders.h"
#include "passes/memory/schedule.h"

/* As XLA prefers them where they need the same. */
static hlo_find_order *const candidates[] = {hlo_list_order, hlo_depth_first_order,
                                             hlo_operands_first_order};

enum { CANDIDATES = sizeof candidates / sizeof *candidates };

typedef struct {
    const hlo_pass_call *call;
    hlo_call_graph graph;
    double *peaks;   /* by id, of computations that have been scheduled */
    bool is_ordered; /* the module had a schedule before */
} scheduling;

/* The order that the instructions are in, and after it the candidates, one after the other. */
static hlo_instr **find_orders(const scheduling *s, hlo_computation *c) {
    hlo_dependences d;
    hlo_dependences_init(&d, &s->graph, c);
    hlo_instr **orders = hlo_malloc((CANDIDATES + 1) * (size_t)d.count * sizeof *orders);
    memcpy(orders, d.instr, d.count * sizeof *orders);
    for (size_t k = 0; k < CANDIDATES; k++) candidates[k](&d, orders + (k + 1) * d.count);
    hlo_dependences_free(&d);
    return orders;
}

/* Puts the instructions into the order that needs least, if that is less than `limit`. */
static bool take_better(const scheduling *s, hlo_computation *c, double limit) {
    hlo_instr **orders = find_orders(s, c);
    size_t least = 0;
    for (size_t k = 1; k <= CANDIDATES; k++) {
        hlo_set_order(c, orders + k * c->instr_count);
        double peak = hlo_computation_peak(c, s->peaks);
        if (peak >= limit) continue;
        limit = peak;
        least = k;
    }
    hlo_set_order(c, orders + least * c->instr_count);
    hlo_free(orders);
    return least != 0;
}

/* A schedule gives way only to a better one; where there was none, one that is as good as the order
 * of the text will do. Orders depend on the order that was there, so that from a better one still
 * better ones may be found. */
static bool schedule(const scheduling *s, hlo_computation *c) {
    double given = hlo_computation_peak(c, s->peaks);
    bool changed = take_better(s, c, s->is_ordered ? given : given + 1);
    for (bool again = changed; again;) again = take_better(s, c, hlo_computation_peak(c, s->peaks));
    s->peaks[c->id] = hlo_computation_peak(c, s->peaks);
    return changed;
}

static bool run_on(const scheduling *s, hlo_computation *c) {
    hlo_rewriter *r = s->call->rewriter;
    if (c->is_fusion_body || !hlo_rewrite_allowed(r, HLO_REWRITE_scheduled)) {
        s->peaks[c->id] = hlo_computation_peak(c, s->peaks);
        return false;
    }
    if (!schedule(s, c) && s->is_ordered) return false;
    hlo_rewrite_count(r, HLO_REWRITE_scheduled, c->name);
    return true;
}

hlo_pass_result hlo_pass_hlo_memory_scheduler(const hlo_pass_call *call) {
    scheduling s = {.call = call};
    bool changed = false;
    if (!call->module->entry || !hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_scheduled))
        return HLO_UNCHANGED;
    s.is_ordered = !hlo_take_schedule(call->module);
    hlo_call_graph_init(&s.graph, call->module);
    s.peaks = hlo_calloc(call->module->next_id + 1u, sizeof *s.peaks);
    for (uint32_t n = s.graph.count; n-- > 0;) changed |= run_on(&s, s.graph.order[n]);
    hlo_free(s.peaks);
    hlo_call_graph_free(&s.graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
