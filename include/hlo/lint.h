/* Checking a module beyond XLA's verdict. Part of hlo.h. */
#ifndef HLO_PUBLIC_LINT_H
#define HLO_PUBLIC_LINT_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What goes beyond XLA's verdict: rules of the stage "lint", each off, a warning or an error. An
 * instruction with frontend_attributes={hlo_lint_suppress="RULE,RULE"} (or "all") is passed over by
 * those rules; in the module's frontend attributes that holds for all instructions. */
typedef struct hlo_lint hlo_lint;
typedef enum { HLO_LINT_OFF, HLO_LINT_WARN, HLO_LINT_ERROR } hlo_lint_level;

HLO_API hlo_lint *hlo_lint_create(void); /* all off */
HLO_API void hlo_lint_free(hlo_lint *lint);
/* `rules`: names with commas between them; "recommended" stands for the rules that find little in
 * what JAX writes (hlo_rule_row has which), "all" for every one. HLO_BAD_USE when there is no such
 * lint rule. */
HLO_API hlo_status hlo_lint_set(hlo_lint *lint, const char *rules, hlo_lint_level level,
                                hlo_diags *diags);
HLO_API void hlo_lint_set_large_constant(hlo_lint *lint, uint64_t bytes);
/* The module must have been verified. HLO_BAD_MODULE when a rule that is an error found something.
 */
HLO_API hlo_status hlo_lint_module(const hlo_lint *lint, hlo_module *module, hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
