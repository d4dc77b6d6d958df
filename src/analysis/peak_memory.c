/* How much memory is alive at once: see cost.h. */
#include <math.h>

#include <hlo/cost.h>

#include "analysis/cost.h"
#include "analysis/liveness.h"

double hlo_peak_bytes(hlo_module *module, const hlo_call_graph *graph) {
    double *peaks = hlo_computation_peaks(graph, module);
    double peak = module->entry ? peaks[module->entry->id] : 0;
    hlo_free(peaks);
    return peak;
}

hlo_module_cost hlo_module_estimate(hlo_module *module) {
    HLO_API_CALL(NULL) return (hlo_module_cost){NAN, NAN, NAN, NAN};
    if (!module) return (hlo_module_cost){NAN, NAN, NAN, NAN};
    if (!hlo_module_is_usable(module, NULL)) return (hlo_module_cost){NAN, NAN, NAN, NAN};
    hlo_module_cost estimate = {0};
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    hlo_cost *costs = hlo_computation_costs(&graph);
    if (module->entry) {
        const hlo_cost *entry = &costs[module->entry->id];
        estimate.flops = entry->flops;
        estimate.transcendentals = entry->transcendentals;
        estimate.bytes = entry->bytes;
        estimate.peak_bytes = hlo_peak_bytes(module, &graph);
    }
    hlo_free(costs);
    hlo_call_graph_free(&graph);
    return estimate;
}
