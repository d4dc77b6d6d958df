/* What is lost when a module is written as text and read again. */
#ifndef HLO_IR_LOSSES_H
#define HLO_IR_LOSSES_H

#include "ir/ir.h"

/* A warning for each kind of loss that the text by these options has, once for a module. */
void hlo_warn_of_losses(hlo_module *module, const hlo_print_options *options, hlo_diags *diags);

#endif
