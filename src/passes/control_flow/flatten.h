/* Computations with one caller each. Called by flatten-call-graph and by passes that want to say
 * something of a computation that holds for its caller too. */
#ifndef HLO_PASSES_CONTROL_FLOW_FLATTEN_H
#define HLO_PASSES_CONTROL_FLOW_FLATTEN_H

#include "passes/rewrite.h"

/* Clones computations that calls, loops and conditionals share, which counts as the rewrite `id`,
 * until the module has `most` instructions. */
hlo_pass_result hlo_flatten_calls(const hlo_pass_call *call, hlo_rewrite_id id, int64_t most);

#endif
