/* hlo-module-dce: removes dead elements of loop state. */
#include "passes/control_flow/loop_state.h"

/* Callers first: what an outer loop no longer needs, an inner one need not compute. */
hlo_pass_result hlo_pass_hlo_module_dce(const hlo_pass_call *call) {
    hlo_call_graph graph;
    bool changed = false;
    hlo_call_graph_init(&graph, call->module);
    hlo_instr_list loops = {0};
    for (uint32_t n = 0; n < graph.count; n++)
        for (hlo_instr *i = graph.order[n]->last; i; i = i->prev)
            if (i->opcode == HLO_OP_WHILE) hlo_list_push(&loops, i);
    for (size_t i = 0; i < loops.n; i++)
        if (loops.v[i]->parent)
            changed |= hlo_drop_dead_state(call->rewriter, HLO_REWRITE_module_dead_loop_state,
                                           &graph, loops.v[i]);
    hlo_list_free(&loops);
    hlo_call_graph_free(&graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
