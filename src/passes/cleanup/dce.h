/* What dce does for other passes. Called by the manager. */
#ifndef HLO_PASSES_CLEANUP_DCE_H
#define HLO_PASSES_CLEANUP_DCE_H

#include "passes/rewrite.h"

/* The body of a fusion holds nothing that nobody uses: removes what a pass left there, and
 * parameters that lost their last user. Does not count as a rewrite. */
void hlo_clean_fusions(hlo_module *module);

#endif
