/* Computations with one caller each. */
#ifndef HLO_PASSES_CONTROL_FLOW_FLATTEN_H
#define HLO_PASSES_CONTROL_FLOW_FLATTEN_H

#include "passes/pipeline/rewrite.h"

/* Instructions that a pass may make a module grow to: `times` those that it has, but some thousand
 * for the smallest. Calls of computations that call others twice stand for 2^n instructions. */
int64_t hlo_growth_limit(const hlo_module *module, int64_t times);
/* Instructions that the module would have if no two of its calls, loops, conditionals and
 * async-starts shared a computation; INT64_MAX stands for all above. */
int64_t hlo_flattened_size(hlo_module *module);

/* Clones computations that calls, loops and conditionals share, which counts as the rewrite `id`,
 * until the module has `most` instructions; a warning states that it would have more. */
hlo_pass_result hlo_flatten_calls(const hlo_pass_call *call, hlo_rewrite_id id, int64_t most);

#endif
