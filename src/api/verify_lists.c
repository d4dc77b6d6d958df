/* Options of the verifier that list operations, from files. */
#include <hlo.h>

#include "base/source.h"
#include "diag/diag.h"
#include "shape/verify.h"

hlo_status hlo_verify_options_read(hlo_verify_options *options, const char *name, const char *path,
                                   hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, options);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, path);
    hlo_source *list;
    hlo_status status = hlo_read_source(path, diags, &list);
    if (status != HLO_OK) return status;
    status = hlo_verify_options_add(options, name, list, diags);
    hlo_source_close(list);
    return status;
}
