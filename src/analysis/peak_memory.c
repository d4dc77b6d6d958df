/* How much memory is alive at once: see cost.h. */
#include <math.h>

#include "analysis/cost.h"
#include "analysis/dataflow.h"

static double bytes_of(const hlo_shape *shape) {
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes < 0 ? 0 : (double)bytes;
}

/* For each buffer the last instruction that reads it; what the result holds lives to the end. */
static uint32_t *find_last_readers(const hlo_computation *c, const hlo_dataflow *flow) {
    uint32_t *last = hlo_calloc(flow->buffers.n + 1u, sizeof *last);
    for (uint32_t b = 0; b < flow->buffers.n; b++) last[b] = flow->buffers.v[b].maker->index;
    for (const hlo_instr *i = c->first; i; i = i->next) {
        for (uint32_t k = 0; !hlo_hands_on(i) && k < i->operand_count; k++) {
            const uint32_t *leaves = hlo_dataflow_leaves(flow, hlo_operand(i, k));
            uint32_t n = hlo_dataflow_leaf_count(flow, hlo_operand(i, k));
            for (uint32_t leaf = 0; leaf < n; leaf++) last[leaves[leaf]] = i->index;
        }
    }
    const uint32_t *results = hlo_dataflow_leaves(flow, c->root);
    uint32_t n = hlo_dataflow_leaf_count(flow, c->root);
    for (uint32_t leaf = 0; leaf < n; leaf++) last[results[leaf]] = c->instr_count;
    return last;
}

static double most_of_callees(const hlo_instr *instr, const double *peaks) {
    double most = 0;
    const hlo_computation *called;
    if (instr->opcode == HLO_OP_FUSION) return 0;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (peaks[called->id] > most) most = peaks[called->id];
    return most;
}

/* Parameters of a called computation are its caller's memory. */
static double own_bytes(const hlo_buffer *buffer, bool is_entry) {
    bool is_lent = buffer->maker->opcode == HLO_OP_PARAMETER && !is_entry;
    return is_lent ? 0 : bytes_of(buffer->shape);
}

/* Buffers stand in the order of their makers. */
static double peak_of(hlo_computation *c, const double *peaks, bool is_entry) {
    hlo_dataflow flow;
    hlo_dataflow_init(&flow, c, true);
    uint32_t *last = find_last_readers(c, &flow), made = 0;
    double *freed = hlo_calloc(c->instr_count + 2u, sizeof *freed), now = 0, most = 0;
    for (const hlo_instr *i = c->first; i; i = i->next) {
        for (; made < flow.buffers.n && flow.buffers.v[made].maker == i; made++) {
            double own = own_bytes(&flow.buffers.v[made], is_entry);
            now += own;
            freed[last[made]] += own;
        }
        double with_callees = now + most_of_callees(i, peaks);
        if (with_callees > most) most = with_callees;
        now -= freed[i->index];
    }
    hlo_free(last);
    hlo_free(freed);
    hlo_dataflow_free(&flow);
    return most;
}

double hlo_peak_bytes(hlo_module *module, const hlo_call_graph *graph) {
    double *peaks = hlo_calloc(module->next_id + 1u, sizeof *peaks);
    for (uint32_t n = graph->count; n-- > 0;) {
        hlo_computation *c = graph->order[n];
        peaks[c->id] = peak_of(c, peaks, c == module->entry);
    }
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
