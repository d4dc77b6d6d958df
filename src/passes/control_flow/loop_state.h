/* The state of a loop as a list of elements: which of them matter, and loops without the others. */
#ifndef HLO_PASSES_CONTROL_FLOW_LOOP_STATE_H
#define HLO_PASSES_CONTROL_FLOW_LOOP_STATE_H

#include "analysis/call_graph.h"
#include "passes/pipeline/emit.h"

/* A loop over a tuple that body and condition read by get-tuple-element only and that the body
 * builds by one tuple; neither has another caller. Other loops are not analysed. */
bool hlo_loop_is_plain(const hlo_call_graph *graph, const hlo_instr *loop);

/* Whether element i is always what the loop starts with: the body forwards it unchanged, or the
 * loop starts with a constant and the body makes the same one. */
bool hlo_loop_keeps(const hlo_instr *loop, uint32_t i);

/* Users of the loop's whole state, which may be its computation's result, get a tuple of `elements`
 * instead; NULL stands for the loop's own element. False when the elements have other shapes than
 * the state's, or the whole state is not used. */
bool hlo_loop_give_tuple(hlo_rewriter *r, hlo_instr *loop, hlo_instr *const *elements);

/* Elements with equal initial values, which the body computes equally, become one for all who read
 * them; the others are read no more. Counts as `id`; false when there are none or it is not
 * allowed. */
bool hlo_merge_duplicate_state(hlo_rewriter *r, hlo_rewrite_id id, const hlo_call_graph *graph,
                               hlo_instr *loop);

/* Removes elements that neither the loop's users, nor the condition, nor what has an effect, nor
 * elements that matter depend on. The loop becomes another one. Counts as `id`; false when there is
 * nothing to remove or it is not allowed. */
bool hlo_drop_dead_state(hlo_rewriter *r, hlo_rewrite_id id, const hlo_call_graph *graph,
                         hlo_instr *loop);

#endif
