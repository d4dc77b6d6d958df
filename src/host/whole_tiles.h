/* Arrays of all devices together, of which each device has a tile: inputs (whole_inputs.c) and
 * results (whole_results.c). Private to src/host. */
#ifndef HLO_HOST_WHOLE_TILES_H
#define HLO_HOST_WHOLE_TILES_H

#include "analysis/tiles.h"
#include "host/run.h"

/* One array of a parameter or of a result. */
typedef struct {
    const hlo_instr *instr;
    const hlo_sharding *sharding; /* of the array; NULL: none */
    const hlo_shape *shape;
} hlo_sharded_leaf;

/* The leaf of that number of the instruction, which has the sharding (NULL: none); `shape` is the
 * leaf's. */
hlo_sharded_leaf hlo_sharded_leaf_of(const hlo_instr *instr, const hlo_sharding *s, uint32_t number,
                                     const hlo_shape *shape);

int64_t hlo_run_partitions(const hlo_run *run);
/* Of the device. */
int64_t hlo_run_partition_of(const hlo_run *run, uint32_t device);

/* NULL and *why when devices have no tiles of one array. */
const hlo_tiling *hlo_sharded_tiling(hlo_arena *arena, const hlo_run *run,
                                     const hlo_sharded_leaf *leaf, const char **why);
/* Whether tiles of the array have that shape. */
bool hlo_has_tiles(const hlo_shape *whole, const hlo_tiling *t, const hlo_shape *tile);
/* The shape of all tiles together; the tile's where `t` is NULL; NULL: too large. */
const hlo_shape *hlo_joined_shape(hlo_shapes_table *shapes, hlo_arena *arena, const hlo_shape *tile,
                                  const hlo_tiling *t);

/* Where a tile begins in the array, and how many elements of the array it has. */
typedef struct {
    int64_t begin, count;
} hlo_tile_part;
hlo_tile_part hlo_tile_part_of(const hlo_tiling *t, int64_t partition, uint32_t dimension,
                               int64_t size);

/* Copies the partition's tile of the array. Elements of the tile after the end of the array keep
 * their values. */
void hlo_cut_tile(hlo_arena *arena, hlo_value *tile, const hlo_value *whole, const hlo_tiling *t,
                  int64_t partition);

/* ---- results ---- */

/* An array of which each device's result of a number is a tile. */
typedef struct {
    const hlo_tiling *tiling; /* NULL: each device has all of it, or that is not known */
    const hlo_shape *shape;
} hlo_whole_result;

/* That of the number; the tiling lives in the arena. */
hlo_whole_result hlo_run_whole_result(hlo_arena *arena, const hlo_run *run, uint32_t number);
/* The leaf gets the device's tile of the stored value, which may be the leaf's. Elements after the
 * end of the array are those of the device's result. */
hlo_status hlo_run_cut_result(const hlo_run *run, uint32_t device, uint32_t number,
                              const hlo_tiling *tiling, const hlo_value *stored, hlo_run_leaf *leaf,
                              hlo_diags *diags);

#endif
