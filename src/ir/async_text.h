/* The short form OP-start, OP-update, OP-done of asynchronous operations (docs/text-format.md,
 * 7.5). */
#ifndef HLO_IR_ASYNC_TEXT_H
#define HLO_IR_ASYNC_TEXT_H

#include "ir/ir.h"

/* The instruction whose opcode the short form of a start, update or done names; NULL: it is printed
 * as async-start and so on, and so is any other instruction. */
const hlo_instr *hlo_async_short_form(const hlo_instr *link);
/* The same of a start that has no short form but in XLA, whose text of it is another program's or
 * cannot be read. */
const hlo_instr *hlo_async_lossy_form(const hlo_instr *start);
/* An attribute of the wrapped instruction that its start does not print for it: it has its own. */
bool hlo_async_stays_inside(const hlo_instr *start, hlo_attr_id id);

#endif
