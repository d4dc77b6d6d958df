/* Functions of the library by name: what XLA's tests of its builder ask for in custom calls. */
#ifndef HLO_TESTS_XLA_BUILDER_TARGETS_H
#define HLO_TESTS_XLA_BUILDER_TARGETS_H

#include "ir/ir.h"

/* Whether the name of a custom call begins with xla_builder. */
bool is_target(const hlo_instr *instr);
/* A new computation of the custom call's module, last in it, that the function makes of parameters
 * of its operands' shapes. NULL after an error, with the module as it was. */
hlo_computation *build_target(hlo_instr *custom_call, hlo_diags *diags);

#endif
