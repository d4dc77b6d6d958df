/* What running a module costs, in a few figures: the public side of analysis/cost.h. */
#include <math.h>

#include <hlo.h>

#include "analysis/cost.h"
#include "analysis/run_counts.h"

/* Loops once, and as often as they run. */
static void fill(hlo_module_cost *estimate, const hlo_module *module, const hlo_call_graph *graph) {
    hlo_cost *once = hlo_computation_costs(graph), *run = hlo_run_costs(graph);
    const hlo_cost *entry = &once[module->entry->id], *all = &run[module->entry->id];
    estimate->flops = entry->flops;
    estimate->transcendentals = entry->transcendentals;
    estimate->bytes = entry->bytes;
    estimate->run_flops = all->flops;
    estimate->run_transcendentals = all->transcendentals;
    estimate->run_bytes = all->bytes;
    hlo_free(once);
    hlo_free(run);
}

static double unknown_loops(const hlo_call_graph *graph) {
    hlo_runs runs = hlo_count_runs(graph);
    double loops = runs.unknown_loops;
    hlo_runs_free(&runs);
    return loops;
}

hlo_module_cost hlo_module_estimate(hlo_module *module) {
    static const hlo_module_cost unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    HLO_API_CALL(NULL) return unknown;
    if (!module || !hlo_module_is_usable(module, NULL)) return unknown;
    hlo_module_cost estimate = {0};
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    if (module->entry) {
        fill(&estimate, module, &graph);
        estimate.peak_bytes = hlo_peak_bytes(module, &graph);
        estimate.unknown_loops = unknown_loops(&graph);
    }
    hlo_call_graph_free(&graph);
    return estimate;
}
