/* Modules made again by the functions of hlo_builder.h. */
#ifndef HLO_TESTS_REBUILD_REBUILD_H
#define HLO_TESTS_REBUILD_REBUILD_H

#include "ir/ir.h"

/* False after an error in `diags`; the module is then as it was. */
bool rebuild_module(hlo_module *module, hlo_diags *diags);

#endif
