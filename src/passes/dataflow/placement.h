/* Which device computes each instruction of a dataflow graph: see placement.c. Private to this
 * directory. */
#ifndef HLO_PASSES_DATAFLOW_PLACEMENT_H
#define HLO_PASSES_DATAFLOW_PLACEMENT_H

#include "ir/ir.h"

/* By hlo_instr.index, which is set, of the entry computation; the caller's to free. Of `count`
 * devices by chance, where `seed` is not 0; else by shardings, and *count becomes one more than the
 * largest number, unless it is that already. */
uint32_t *hlo_place_nodes(const hlo_module *graph, uint64_t seed, uint32_t *count);

#endif
