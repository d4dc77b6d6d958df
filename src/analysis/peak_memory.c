/* How much memory is alive at once: see cost.h. */
#include "analysis/cost.h"
#include "analysis/liveness.h"

double hlo_peak_bytes(hlo_module *module, const hlo_call_graph *graph) {
    double *peaks = hlo_computation_peaks(graph, module);
    double peak = module->entry ? peaks[module->entry->id] : 0;
    hlo_free(peaks);
    return peak;
}
