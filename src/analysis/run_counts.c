/* How often computations run: see run_counts.h. */
#include "analysis/run_counts.h"

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

/* What one run of the caller runs is added, as often as the caller runs. */
static void add_callees(hlo_runs *runs, const hlo_instr *caller) {
    uint32_t id = caller->parent->id;
    bool is_known = true;
    for (uint32_t k = 0; k < hlo_called_count(caller); k++) {
        const hlo_computation *callee = hlo_called(caller, k);
        runs->times[callee->id] += runs->times[id] * hlo_callee_runs(caller, callee, &is_known);
        runs->known[callee->id] &= runs->known[id] && is_known;
    }
    if (caller->opcode == HLO_OP_WHILE && runs->times[id] > 0) runs->unknown_loops += !is_known;
}

hlo_runs hlo_count_runs(const hlo_call_graph *graph) {
    hlo_runs runs = {hlo_calloc(graph->ids + 1u, sizeof *runs.times), hlo_malloc(graph->ids + 1u),
                     0};
    for (uint32_t i = 0; i <= graph->ids; i++) runs.known[i] = true;
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *c = graph->order[n];
        if (c == c->module->entry) runs.times[c->id] = 1;
        for (const hlo_instr *i = c->first; i; i = i->next) add_callees(&runs, i);
    }
    return runs;
}

void hlo_runs_free(hlo_runs *runs) {
    hlo_free(runs->times);
    hlo_free(runs->known);
}
