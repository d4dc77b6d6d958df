/* call-inliner: bodies take the place of their calls. */
#include "passes/pipeline/inline.h"

hlo_pass_result hlo_pass_call_inliner(const hlo_pass_call *pass) {
    enum { OPTION_COMPOSITES, OPTION_CONFIGURED, OPTION_MOST };
    hlo_inlining in = {.pass = pass,
                       .id = HLO_REWRITE_inline_call,
                       .takes_plain = true,
                       .takes_composite = pass->values[OPTION_COMPOSITES] != 0,
                       .takes_configured = pass->values[OPTION_CONFIGURED] != 0,
                       .most = pass->values[OPTION_MOST]};
    return hlo_inline_calls(&in);
}
