/* Who calls whom, in which order to visit computations, and which of them have side effects. A
 * graph describes the module at the moment it was made. */
#ifndef HLO_ANALYSIS_CALL_GRAPH_H
#define HLO_ANALYSIS_CALL_GRAPH_H

#include "ir/ir.h"

/* Arrays but `order` are indexed by the ids of computations, and know those below `ids`; for bodies
 * that were copied since then, ask the functions. */
typedef struct {
    uint32_t count, ids;
    hlo_computation **order; /* all computations, callers before callees */
    uint32_t *call_count;    /* how often instructions name the computation */
    hlo_instr **caller;      /* the last instruction that names it; NULL: none */
    bool *has_side_effect;   /* an instruction in it, or in what it calls, has one */
} hlo_call_graph;

void hlo_call_graph_init(hlo_call_graph *graph, hlo_module *module);
void hlo_call_graph_free(hlo_call_graph *graph);

/* The instruction itself, a computation it calls, or the operation that an async-done or
 * async-update belongs to, has a side effect. */
bool hlo_call_graph_effect(const hlo_call_graph *graph, const hlo_instr *instr);
/* The only caller of a fusion body, when that is a fusion; else NULL. */
hlo_instr *hlo_call_graph_fusion(const hlo_call_graph *graph, const hlo_computation *body);
/* Operands alone keep the effects of the computation in their order: each needs the one before, and
 * none is in a call among others. Whatever operands allow may then be moved. An opt-barrier counts
 * as an effect. */
bool hlo_call_graph_orders_effects(const hlo_call_graph *graph, const hlo_computation *c);

/* Removes the computations that the entry does not lead to. */
void hlo_remove_unreachable(hlo_module *module);

#endif
