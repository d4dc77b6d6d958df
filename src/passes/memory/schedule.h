/* The schedule of a module: the source order of its computations, once it has is_scheduled. */
#ifndef HLO_PASSES_MEMORY_SCHEDULE_H
#define HLO_PASSES_MEMORY_SCHEDULE_H

#include "passes/pipeline/rewrite.h"

/* Puts all instructions of the computation into that order. */
void hlo_set_order(hlo_computation *c, hlo_instr *const *order);
/* Puts the instructions of all computations into the order in which they are printed and run. */
void hlo_order_as_run(hlo_module *module);
/* That of the source is the schedule from now on. */
void hlo_keep_order(hlo_module *module);
/* Gives a module without a schedule the one in which it is printed and runs. False: it has one. */
bool hlo_take_schedule(hlo_module *module);

#endif
