/* Windows over tiles: shared by the rules of convolution, reduce-window and select-and-scatter. */
#ifndef HLO_PASSES_SPMD_PARTITION_WINDOWS_H
#define HLO_PASSES_SPMD_PARTITION_WINDOWS_H

#include "passes/spmd/partition.h"

/* NULL: none was given. */
const hlo_window *hlo_window_of(const hlo_instr *instr);
hlo_window *hlo_window_copy(hlo_partitioner *p, const hlo_window *like);
void hlo_window_set(hlo_instr *made, const hlo_window *window);
bool hlo_window_is_trivial(const hlo_window_dim *w);
/* How many elements the windows of one output position cover. */
int64_t hlo_window_extent(const hlo_window_dim *w);
/* What tiles of an output of that size must divide so that each begins alike between dilated
 * elements; 0: anything does. */
int64_t hlo_window_tiles(const hlo_window_dim *w, int64_t size);
/* What `size` windows of each output tile cover of x along dimension d; w becomes the window over
 * that. */
hlo_instr *hlo_window_covered(hlo_partitioner *p, const hlo_shard *x, uint32_t d, int64_t size,
                              hlo_window_dim *w, hlo_instr *fill);

#endif
