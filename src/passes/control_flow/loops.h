/* What passes over loops share: the walk over them, bodies that only one loop calls, and states
 * that lose or get elements. */
#ifndef HLO_PASSES_CONTROL_FLOW_LOOPS_H
#define HLO_PASSES_CONTROL_FLOW_LOOPS_H

#include "analysis/call_graph.h"
#include "analysis/iteration_count.h"
#include "passes/pipeline/emit.h"

typedef struct {
    const hlo_pass_call *call;
    hlo_rewriter *rewriter;
    hlo_call_graph graph; /* of the module as it was when it was made */
    bool is_stale;        /* calls have changed since */
    bool changed;
} hlo_flow_walk;

typedef enum { HLO_INNER_FIRST, HLO_OUTER_FIRST } hlo_flow_order;
typedef void hlo_flow_visit(hlo_flow_walk *walk, hlo_instr *instr);

/* Visits the instructions of an opcode that are there when the walk begins and still there when
 * their turn comes. Those that control dependencies tie, whose sizes are known only at run time, or
 * whose computations have unusual parameters, are left alone. */
hlo_pass_result hlo_flow_visit_all(const hlo_pass_call *call, hlo_opcode opcode,
                                   hlo_flow_order order, hlo_flow_visit *visit);

bool hlo_flow_may(const hlo_flow_walk *walk, hlo_rewrite_id id);
/* Counts a rewrite that was done by editing. */
void hlo_flow_count(hlo_flow_walk *walk, hlo_rewrite_id id, const hlo_instr *place);
/* After calls were added or removed. */
void hlo_flow_calls_changed(hlo_flow_walk *walk);
/* Without a sharding or control dependencies. */
bool hlo_flow_is_free(const hlo_flow_walk *walk, const hlo_instr *instr);
/* Something that it calls has a side effect. */
bool hlo_flow_has_effect(hlo_flow_walk *walk, const hlo_instr *instr);
/* The frontend attribute is there, and is `true` (or, with `any`, anything). */
bool hlo_flow_has_hint(const hlo_instr *instr, const char *key, bool any);

/* Removes an instruction, if there, that has no users and no effect, and operands that only it
 * used. */
void hlo_flow_remove_unused(hlo_flow_walk *walk, hlo_instr *instr);
/* Gives the instruction copies of the computations it calls that something else calls too, so that
 * they can be edited; whether there were any. */
bool hlo_flow_own(hlo_flow_walk *walk, hlo_instr *instr);

/* ---- states that are tuples ---- */

/* The body ends with a tuple, parameters are only taken apart, and nothing has a sharding or
 * control dependencies: the state may become a longer tuple. */
bool hlo_loop_is_flexible(const hlo_flow_walk *walk, const hlo_instr *loop);

/* Adds elements that start as `values` and are passed on; elements[i] becomes what the body reads
 * them by. */
void hlo_loop_widen(hlo_flow_walk *walk, hlo_instr *loop, hlo_instr *const *values, uint32_t n,
                    hlo_instr **elements);

/* All uses of one instruction become uses of another one of its computation, but those of `except`;
 * whether there were any. */
bool hlo_flow_redirect(hlo_instr *old, hlo_instr *by, const hlo_instr *except);

#endif
