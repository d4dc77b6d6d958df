/* Lint: the sets of rules that a caller can name. */
#include "lint/linter.h"

bool hlo_lint_is_recommended(hlo_rule rule) {
    enum { ALL, RECOMMENDED };
    static const bool recommended[HLO_RULE_COUNT] = {
#define HLO_LINT_EACH(rule, function, in) [HLO_RULE_##rule] = in,
#define HLO_LINT_MODULE(rule, function, in) [HLO_RULE_##rule] = in,
#include "lint/lint.def"
#undef HLO_LINT_EACH
#undef HLO_LINT_MODULE
    };
    HLO_ASSERT(rule < HLO_RULE_COUNT);
    return recommended[rule];
}
