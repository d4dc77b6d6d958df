/* A module built anew from itself. Called by the pass `rebuild`. */
#ifndef HLO_BUILD_LIKE_H
#define HLO_BUILD_LIKE_H

#include "ir/ir.h"

/* Each computation is replaced by one that was built: elementwise operations by their functions,
 * others by drafts with the same attributes. False after one error; the module is then as it was.
 */
bool hlo_builder_remake(hlo_module *module, hlo_diags *diags);

#endif
