/* call-inliner: bodies take the place of their calls. */
#include "passes/pipeline/inline.h"

hlo_pass_result hlo_pass_call_inliner(const hlo_pass_call *pass) {
    hlo_inlining in = {.pass = pass,
                       .id = HLO_REWRITE_inline_call,
                       .takes_plain = true,
                       .takes_composite = HLO_OPTION(pass, CALL_INLINER, inline_composites) != 0,
                       .takes_configured = HLO_OPTION(pass, CALL_INLINER, inline_configured) != 0,
                       .most = HLO_OPTION(pass, CALL_INLINER, max_instructions)};
    return hlo_inline_calls(&in);
}
