/* How often computations run: see communication.h. */
#include "analysis/communication.h"
#include "analysis/iteration_count.h"
#include "analysis/loop_config.h"

/* Iterations of a loop, 1 when unknown. */
static double iterations_of(const hlo_instr *loop, bool *known) {
    hlo_iterations counted;
    int64_t told;
    *known = true;
    if (hlo_count_iterations(loop, &counted)) return (double)counted.count;
    if (hlo_known_trip_count(loop, &told)) return (double)told;
    *known = false;
    return 1;
}

double hlo_callee_runs(const hlo_instr *instr, const hlo_computation *callee, bool *known) {
    *known = instr->opcode != HLO_OP_CONDITIONAL;
    if (instr->opcode != HLO_OP_WHILE) return 1;
    double iterations = iterations_of(instr, known);
    return callee == hlo_loop_condition(instr) ? iterations + 1 : iterations;
}

double *hlo_run_counts(const hlo_call_graph *graph, bool **known) {
    double *counts = hlo_calloc(graph->ids + 1u, sizeof *counts);
    *known = hlo_malloc(graph->ids + 1u);
    for (uint32_t i = 0; i <= graph->ids; i++) (*known)[i] = true;
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *c = graph->order[n];
        if (c == c->module->entry) counts[c->id] = 1;
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0; k < hlo_called_count(i); k++) {
                const hlo_computation *callee = hlo_called(i, k);
                bool is_known;
                counts[callee->id] += counts[c->id] * hlo_callee_runs(i, callee, &is_known);
                (*known)[callee->id] &= (*known)[c->id] && is_known;
            }
    }
    return counts;
}
