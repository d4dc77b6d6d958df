/* What a loop or a conditional says of itself: see carried.c. */
#ifndef HLO_PASSES_DATAFLOW_CARRIED_H
#define HLO_PASSES_DATAFLOW_CARRIED_H

#include "ir/ir.h"

/* Metadata, frontend attributes and the configuration of `from`. */
void hlo_flow_carry(const hlo_instr *from, hlo_instr *to);

#endif
