/* What the branches of a conditional are given, and what of it they need. */
#ifndef HLO_PASSES_CONTROL_FLOW_BRANCH_OPERANDS_H
#define HLO_PASSES_CONTROL_FLOW_BRANCH_OPERANDS_H

#include "analysis/call_graph.h"
#include "passes/pipeline/emit.h"

/* Narrows tuple operands of branches to the elements that they use, where the branch has no other
 * caller. Counts each branch as `id`; false when there was nothing to do or it is not allowed. */
bool hlo_drop_branch_elements(hlo_rewriter *r, hlo_rewrite_id id, const hlo_call_graph *graph,
                              hlo_instr *conditional);

#endif
