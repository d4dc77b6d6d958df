/* Putting a computation's instructions into another one. Called by passes that replace what calls a
 * computation: call-inliner, simplify-conditional, simplify-while-loops, map-inline. */
#ifndef HLO_PASSES_INLINE_H
#define HLO_PASSES_INLINE_H

#include "passes/emit.h"

/* Copies all but the parameters before the rewriter's target; `args` stand for the parameters.
 * Control dependencies among them are kept. Returns what stands for the root. */
hlo_instr *hlo_inline_body(hlo_rewriter *r, hlo_computation *body, hlo_instr *const *args);

/* Whether a frontend asks that a call, or what stands for one, is not replaced by its body. */
bool hlo_asks_not_to_inline(const hlo_instr *call);
/* Whether it asks that an instruction is scheduled in a group with others. */
bool hlo_is_in_scheduling_group(const hlo_instr *instr);

#endif
