/* Positions that are known at run time, in tiles: shared by the rules of dynamic-slice,
 * dynamic-update-slice, gather and scatter. */
#ifndef HLO_PASSES_SPMD_PARTITION_INDEXED_H
#define HLO_PASSES_SPMD_PARTITION_INDEXED_H

#include "passes/spmd/partition.h"

/* Indices as s32 between least and most, whatever integers they were. */
hlo_instr *hlo_part_clamped(hlo_partitioner *p, hlo_instr *indices, int64_t least, int64_t most);
/* The tile with `margin` zeros before and after a dimension: windows of that size, clamped, see
 * of other tiles only zeros. */
hlo_instr *hlo_part_margins(hlo_partitioner *p, hlo_instr *x, uint32_t dimension, int64_t margin);
hlo_instr *hlo_part_without_margins(hlo_partitioner *p, hlo_instr *x, uint32_t dimension,
                                    int64_t margin);

#endif
