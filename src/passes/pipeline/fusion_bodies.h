/* Bodies of fusions, which hold nothing that is not used: what passes leave there goes, and
 * parameters with the operands that they stand for. */
#ifndef HLO_PASSES_PIPELINE_FUSION_BODIES_H
#define HLO_PASSES_PIPELINE_FUSION_BODIES_H

#include "passes/pipeline/rewrite.h"

/* Restores the invariant that everything in a fusion body is used: removes dead instructions
 * without an effect, whatever keeps them elsewhere, and parameters that lost their last user; what
 * calls an effect gets a user. Does not count as a rewrite. */
void hlo_clean_fusions(hlo_module *module);

/* Drops the parameters n of the computation with !needed[n]; the others get the next free numbers.
 */
void hlo_drop_parameters(hlo_computation *computation, const bool *needed);
/* Drops the operands i of the fusion with !needed[i], with their parameters and aliases. */
void hlo_drop_fusion_operands(hlo_instr *fusion, const bool *needed);

#endif
