/* Copies of modules, for callers that change one and keep the other. */
#include <hlo.h>

#include "ir/ir.h"

hlo_status hlo_module_copy(const hlo_module *module, hlo_diags *diags, hlo_module **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    *out = hlo_module_clone(module);
    return HLO_OK;
}
