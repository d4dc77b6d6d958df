/* Giving a module another program. Called by passes that change what a module is for. */
#ifndef HLO_PASSES_TOOLS_PROGRAM_H
#define HLO_PASSES_TOOLS_PROGRAM_H

#include "ir/ir.h"

/* Makes a computation the entry, and the header one of its signature: what it told of the other
 * program is gone, but for the number of devices and whether the order of instructions counts. */
void hlo_set_program(hlo_module *module, hlo_computation *entry);

#endif
