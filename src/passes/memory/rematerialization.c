/* rematerialization: keeps the peak of memory below a limit where computing results again does
 * that. */
#include "passes/memory/recompute.h"
#include "passes/memory/schedule.h"

/* Each round may find more to do, as callers weigh what their callees have come to need. */
enum { MAX_ROUNDS = 16 };

typedef struct {
    const hlo_pass_call *call;
    hlo_call_graph graph;
    double *peaks;  /* by id */
    double *limits; /* by id: of a computation, with what it calls */
} rematerializing;

/* What a computation calls may need what it leaves below its own limit. */
static void pass_limits(const rematerializing *r, hlo_computation *c) {
    hlo_liveness live;
    hlo_liveness_init(&live, c);
    for (const hlo_instr *i = c->first; i; i = i->next) {
        hlo_computation *called;
        double left = r->limits[c->id] - live.alive[i->index];
        for (uint32_t k = 0; i->opcode != HLO_OP_FUSION && (called = hlo_called(i, k)); k++)
            if (left < r->limits[called->id]) r->limits[called->id] = left > 0 ? left : 0;
    }
    hlo_liveness_free(&live);
}

static bool recompute(const rematerializing *r, hlo_computation *c) {
    hlo_recomputing how = {.rewriter = r->call->rewriter,
                           .graph = &r->graph,
                           .peaks = r->peaks,
                           .limit = r->limits[c->id],
                           .least = (double)HLO_OPTION(r->call, REMATERIALIZATION, min_remat_size)};
    return r->peaks[c->id] > how.limit && hlo_recompute(&how, c);
}

/* Callers first: what they save, their callees need not. */
static bool run_round(rematerializing *r) {
    hlo_module *module = r->call->module;
    bool changed = false;
    r->peaks = hlo_computation_peaks(&r->graph, module);
    r->limits = hlo_malloc((module->next_id + 1u) * sizeof *r->limits);
    for (uint32_t i = 0; i <= module->next_id; i++) r->limits[i] = 1e300;
    r->limits[module->entry->id] = (double)HLO_OPTION(r->call, REMATERIALIZATION, memory_limit);
    for (uint32_t n = 0; n < r->graph.count; n++) {
        hlo_computation *c = r->graph.order[n];
        if (c->is_fusion_body || c->is_async_body) continue;
        changed |= recompute(r, c);
        pass_limits(r, c);
    }
    hlo_free(r->peaks);
    hlo_free(r->limits);
    return changed;
}

static double peak_of(hlo_module *module) {
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    double *peaks = hlo_computation_peaks(&graph, module), peak = peaks[module->entry->id];
    hlo_free(peaks);
    hlo_call_graph_free(&graph);
    return peak;
}

static bool run_rounds(const hlo_pass_call *call) {
    bool changed = false, again = true;
    for (int round = 0; again && round < MAX_ROUNDS; round++) {
        rematerializing r = {.call = call};
        hlo_call_graph_init(&r.graph, call->module);
        again = run_round(&r);
        changed |= again;
        hlo_call_graph_free(&r.graph);
    }
    return changed;
}

hlo_pass_result hlo_pass_rematerialization(const hlo_pass_call *call) {
    hlo_module *module = call->module;
    double limit = (double)HLO_OPTION(call, REMATERIALIZATION, memory_limit);
    if (!module->entry || HLO_OPTION(call, REMATERIALIZATION, memory_limit) == INT64_MAX)
        return HLO_UNCHANGED;
    hlo_order_as_run(module);
    double before = peak_of(module);
    bool changed = before > limit && run_rounds(call);
    double after = changed ? peak_of(module) : before;
    if (changed) hlo_keep_order(module);
    if (after > limit)
        hlo_warning(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                    "rematerialization: peak memory is %llu bytes, above memory_limit, %llu; "
                    "before it was %llu",
                    (unsigned long long)after, (unsigned long long)limit,
                    (unsigned long long)before);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
