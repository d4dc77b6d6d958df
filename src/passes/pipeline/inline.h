/* Putting a computation's instructions into another one. */
#ifndef HLO_PASSES_PIPELINE_INLINE_H
#define HLO_PASSES_PIPELINE_INLINE_H

#include "passes/pipeline/emit.h"

/* Copies all but the parameters before the rewriter's target; `args` stand for the parameters.
 * Control dependencies among them are kept and known to the rewriter. Returns what stands for the
 * root. */
hlo_instr *hlo_inline_body(hlo_rewriter *r, hlo_computation *body, hlo_instr *const *args);

/* Whether a parameter of the body has control predecessors, which what stands for it in a copy
 * cannot wait for. */
bool hlo_ties_parameters(const hlo_computation *body);

/* Whether a copy of the body may have the caller's operands, from number `first` on, for its
 * parameters. Callers give arrays of dynamic sizes for static parameters, which not every operation
 * of the body takes. Ask before inlining. */
bool hlo_inline_accepts(const hlo_computation *body, const hlo_instr *caller, uint32_t first);

/* Whether there is space for the body once more. Calls of computations that call others twice stand
 * for 2^n instructions: one run of a pipeline copies at most 262144 instructions and 16 times what
 * the module had when the first body was copied. Ask before inlining; the manager warns when the
 * answer was no. */
bool hlo_inline_fits(hlo_rewriter *r, const hlo_computation *body);
/* Counts a copy that was made otherwise than by hlo_inline_body. */
void hlo_inline_count(hlo_rewriter *r, const hlo_computation *body);

/* Whether a frontend asks that a call, or what stands for one, is not replaced by its body. */
bool hlo_is_noinline(const hlo_instr *call);
/* Whether it asks that an instruction is scheduled in a group with others. */
bool hlo_is_in_scheduling_group(const hlo_instr *instr);

/* Which calls of a module become copies of what they call. */
typedef struct {
    const hlo_pass_call *pass;
    hlo_rewrite_id id;                                   /* that is counted for each call */
    bool takes_plain, takes_composite, takes_configured; /* with a backend_config */
    int64_t most; /* instructions of the module, after which calls stay, with a warning */
} hlo_inlining;

/* The work of call-inliner and composite-call-expander: callers are visited after what they call.
 */
hlo_pass_result hlo_inline_calls(const hlo_inlining *in);

#endif
