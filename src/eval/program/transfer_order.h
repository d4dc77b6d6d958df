/* Where sends and receptions stand among the instructions that run one after the other. */
#ifndef HLO_EVAL_PROGRAM_TRANSFER_ORDER_H
#define HLO_EVAL_PROGRAM_TRANSFER_ORDER_H

#include "ir/ir.h"

/* Moves every recv, with what it needs, before all else, so that two devices that send to each
 * other do not both wait: recvs happen before sends. `order` stays one in which operands and
 * control predecessors come first. */
void hlo_put_receivers_first(hlo_instr **order, uint32_t count);

/* Puts every recv-done after the send on its channel, with what that needs, where the send does not
 * depend on it: a recv-done waits for a send, of this device or of another one that waits in the
 * same way. Nothing moves across an instruction whose place is in `bars`; NULL: none is. Renumbers
 * the instructions. */
void hlo_put_sends_early(hlo_instr **order, uint32_t count, const bool *bars);

#endif
