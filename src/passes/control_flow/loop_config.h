/* The trip count in the backend_config of a loop, as XLA writes it: JSON whose numbers are strings.
 */
#ifndef HLO_PASSES_CONTROL_FLOW_LOOP_CONFIG_H
#define HLO_PASSES_CONTROL_FLOW_LOOP_CONFIG_H

#include "analysis/loop_config.h"
#include "passes/pipeline/rewrite.h"

/* Renumbers the induction variable: the new tuple index of element i is numbers[i] if keep[i]. When
 * the variable itself is removed, so is the annotation. */
void hlo_loop_config_renumber(hlo_rewriter *r, hlo_instr *loop, uint32_t all, const bool *keep,
                              const int64_t *numbers);

#endif
