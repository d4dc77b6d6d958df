/* What instructions cost, counted as XLA's analysis counts: flops (a multiply-add is two),
 * transcendentals, bytes read and written; and how much memory is alive at once. */
#ifndef HLO_ANALYSIS_COST_H
#define HLO_ANALYSIS_COST_H

#include "analysis/call_graph.h"

typedef struct {
    double flops, transcendentals, bytes;
} hlo_cost;

/* Of all computations by id, each with what it calls: a loop's body once, a conditional's most
 * expensive branch. Free with hlo_free. */
hlo_cost *hlo_computation_costs(const hlo_call_graph *graph);
/* The same without the -1 that XLA adds for each flop and byte count of a custom call. */
hlo_cost *hlo_known_costs(const hlo_call_graph *graph);
/* hlo_computation_costs with loops as often as they run, where that is known. */
hlo_cost *hlo_run_costs(const hlo_call_graph *graph);
/* One instruction; `computations` are the costs of what it calls. */
hlo_cost hlo_instr_cost(const hlo_instr *instr, const hlo_cost *computations);

/* How costs are divided among computations, by id. In `own_times` is how often what a computation
 * does itself is part of the module's costs: the sum of all own costs, as often, is the cost of the
 * entry. Inside fusions no byte counts; what is applied to elements is its user's own. With
 * `by_runs` loops count as often as they run, where that is known. Free both with hlo_free. */
typedef struct {
    hlo_cost *costs;     /* with what it calls: as hlo_computation_costs, unless by_runs */
    hlo_cost *own_times; /* differ where branches of a conditional have most of one and not of
                            another */
} hlo_cost_shares;
hlo_cost_shares hlo_share_costs(const hlo_call_graph *graph, bool by_runs);
/* Zeros for what is unknown. */
hlo_cost hlo_known_part(hlo_cost cost);
/* The own part of an instruction; unknown flops and bytes are -1. */
hlo_cost hlo_own_cost(const hlo_instr *instr, const hlo_cost *computations);

/* Of one instruction, without what it calls: flops (not transcendentals), bytes read and written.
 * Of custom calls -1: it is not known. */
double hlo_own_flops(const hlo_instr *instr);
double hlo_touched_bytes(const hlo_instr *instr);

/* An estimate of the evaluator's time for one instruction, enough to find those that are worth a
 * thread. `called`: the sum of the guesses for the computations that it calls. */
double hlo_instr_nanoseconds(const hlo_instr *instr, double called);

/* What a fusion reads and writes: of parameters that are sliced the slices, of results that are
 * updated in place the updates. */
double hlo_fusion_bytes(const hlo_instr *fusion);

/* Elements of all arrays; those without a known number count as none. */
double hlo_leaf_elements(const hlo_shape *shape);
/* Bytes of an array, or of a tuple's table of pointers; of all arrays of a tuple. */
double hlo_own_bytes(const hlo_shape *shape);
double hlo_leaf_bytes(const hlo_shape *shape);

/* The most bytes alive at a time while the computation runs in source order, with what it calls.
 * Tuples, their elements, bitcasts and updates in place take no further memory. */
double hlo_peak_bytes(hlo_module *module, const hlo_call_graph *graph);

#endif
