/* Giving a module another program. */
#ifndef HLO_PASSES_TOOLS_PROGRAM_H
#define HLO_PASSES_TOOLS_PROGRAM_H

#include "ir/ir.h"

/* Makes a computation the entry, and the header one of its signature: other attributes of the old
 * header are dropped, except device counts and is_scheduled. */
void hlo_set_program(hlo_module *module, hlo_computation *entry);

#endif
