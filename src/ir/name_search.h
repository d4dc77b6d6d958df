/* Names that users type: instructions and computations by the beginning of a name, and the nearest
 * name where there is none. */
#ifndef HLO_IR_NAME_SEARCH_H
#define HLO_IR_NAME_SEARCH_H

#include "ir/ir.h"

/* The instruction whose name alone begins with `text`; NULL: none or several. */
hlo_instr *hlo_instr_by_prefix(const hlo_module *module, hlo_str text);
/* What is called so, a % before it or not: the entry's instruction before those of other
 * computations; else what alone begins so. NULL: nothing. */
hlo_instr *hlo_instr_named(const hlo_module *module, const char *name);
hlo_computation *hlo_computation_named(const hlo_module *module, const char *name);
/* Add to the newest error which names begin with `text`, else which one is near to it, if any. */
void hlo_hint_at_instr(hlo_diags *diags, const hlo_module *module, hlo_str text);
void hlo_hint_at_computation(hlo_diags *diags, const hlo_module *module, hlo_str text);
/* The name as it is in the module. */
hlo_str hlo_without_percent(const char *name);

#endif
