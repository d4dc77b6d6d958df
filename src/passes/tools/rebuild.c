/* rebuild: every computation made anew from what the module says of each instruction, elementwise
 * ones by the functions that programs build modules with. The module is the same afterwards, which
 * checks them. Called through pass.def. */
#include "build/like.h"
#include "passes/rewrite.h"

hlo_pass_result hlo_pass_rebuild(const hlo_pass_call *call) {
    return hlo_builder_remake(call->module, call->diags) ? HLO_UNCHANGED : HLO_PASS_FAILED;
}
