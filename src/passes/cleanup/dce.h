/* What dce does for other passes. Called by the manager. */
#ifndef HLO_PASSES_CLEANUP_DCE_H
#define HLO_PASSES_CLEANUP_DCE_H

#include "passes/rewrite.h"

/* Restores the invariant that everything in a fusion body is used: removes dead instructions, and
 * parameters that lost their last user. Does not count as a rewrite. */
void hlo_clean_fusions(hlo_module *module);

#endif
