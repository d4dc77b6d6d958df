/* Which device computes each instruction of a dataflow graph: see placement.c. Private to this
 * directory. */
#ifndef HLO_PASSES_DATAFLOW_PLACEMENT_H
#define HLO_PASSES_DATAFLOW_PLACEMENT_H

#include "ir/ir.h"

/* Whether what shardings and options name are devices of a graph, of which there are not too many;
 * false after an error. `count` and `seed` are as a caller of the pass gave them. */
bool hlo_check_placement(const hlo_module *graph, int64_t count, int64_t seed, hlo_diags *diags);
/* By hlo_instr.index, which is set, of the entry computation; the caller's to free. Of `count`
 * devices by chance, where `seed` is not 0; else by shardings, and *count becomes one more than the
 * largest number, unless it is that already. A constant enter that is not read on its device has
 * none (HLO_UNPLACED): those that read it have copies. hlo_check_placement was true. */
#define HLO_UNPLACED UINT32_MAX
uint32_t *hlo_place_nodes(const hlo_module *graph, uint64_t seed, uint32_t *count);

#endif
