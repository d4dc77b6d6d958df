/* composite-call-expander: bodies take the place of calls with is_composite=true. */
#include "passes/pipeline/inline.h"

hlo_pass_result hlo_pass_composite_call_expander(const hlo_pass_call *pass) {
    hlo_inlining in = {.pass = pass,
                       .id = HLO_REWRITE_expand_composite,
                       .takes_composite = true,
                       .takes_configured = true,
                       .most = HLO_OPTION(pass, COMPOSITE_CALL_EXPANDER, max_instructions)};
    return hlo_inline_calls(&in);
}
