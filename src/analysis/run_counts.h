/* How often the computations of a module run in one run of its entry: what all figures of a run are
 * multiplied by. */
#ifndef HLO_ANALYSIS_RUN_COUNTS_H
#define HLO_ANALYSIS_RUN_COUNTS_H

#include "analysis/call_graph.h"

/* By id of the computation. Loops whose trip count is known multiply; others count once, branches
 * as taken, and both make the count of what they run unknown. */
typedef struct {
    double *times;
    bool *known;
    uint32_t unknown_loops; /* that run, and whose trip count is not known */
} hlo_runs;

hlo_runs hlo_count_runs(const hlo_call_graph *graph);
void hlo_runs_free(hlo_runs *runs);

/* How often one run of the instruction runs a computation that it calls. */
double hlo_callee_runs(const hlo_instr *instr, const hlo_computation *callee, bool *known);

#endif
