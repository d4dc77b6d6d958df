/* Printing of attributes with what only their instruction knows. */
#ifndef HLO_IR_PRINT_ATTR_H
#define HLO_IR_PRINT_ATTR_H

#include "ir/ir.h"

/* hlo_attr_print, with the one rule that depends on the opcode: a window without dimensions is
 * printed by custom-call and left out by the others. Computations are printed by name; who prints
 * bodies in their place handles those attributes before calling this. */
void hlo_attr_print_of(const hlo_instr *instr, const hlo_attr *attr,
                       const hlo_print_options *options, hlo_buf *to);
/* Whether the attribute means the same as its absence. */
bool hlo_attr_is_default(const hlo_attr *attr);

#endif
