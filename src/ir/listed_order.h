/* The order in which messages and StableHLO list computations. */
#ifndef HLO_IR_LISTED_ORDER_H
#define HLO_IR_LISTED_ORDER_H

#include "ir/ir.h"

/* That of the module where it has callees first, else hlo_callees_first_order: fills `order`
 * (computation_count entries). Numbers the instructions of all computations (hlo_instr.index): one
 * walk for both, since each walk reads a large module from memory again. */
uint32_t hlo_listed_order(hlo_module *module, hlo_computation **order);

#endif
