/* Tiles: which part of an array each device holds. Shardings as numbers that rules of the
 * partitioner calculate with. */
#ifndef HLO_ANALYSIS_TILES_H
#define HLO_ANALYSIS_TILES_H

#include "base/math.h"
#include "ir/ir.h"

/* Tiles along a dimension have one size; the last ones may lie partly or wholly after the end of
 * the array, where elements are unknown. All lie in one arena and never change. After the
 * dimensions of the array comes one more: the number of separate values that groups of devices have
 * (manual shardings), 1 by default. */
typedef struct hlo_tiling {
    uint32_t rank;          /* dimensions of the array */
    int64_t count;          /* devices */
    int64_t copies;         /* devices that hold the same tile */
    int64_t only;           /* the one device that has the value (maximal); -1: each has its tile */
    const int64_t *tiles;   /* rank + 1 numbers of tiles */
    const int64_t *devices; /* by tile, in row-major order; holders of one tile ascend */
    const int64_t *places;  /* by device: the number of its tile in that order */
} hlo_tiling;

/* Where the number of a device along a new dimension comes from: its coordinate along a dimension
 * of other tiles, divided by `inner`, modulo `size`. `from` NULL: no tiles. */
typedef struct {
    const hlo_tiling *from;
    uint32_t dimension;
    int64_t inner, size;
} hlo_tile_axis;

/* Every device holds all of it. */
const hlo_tiling *hlo_tiling_whole(hlo_arena *arena, uint32_t rank, int64_t count);
/* Every device has a separate value. */
const hlo_tiling *hlo_tiling_manual(hlo_arena *arena, uint32_t rank, int64_t count);
/* Tiles by a sharding that is no tuple of an array of that rank; NULL and *why when it is not
 * supported, or is for another number of devices. */
const hlo_tiling *hlo_tiling_of_sharding(hlo_arena *arena, const hlo_sharding *sharding,
                                         uint32_t rank, int64_t count, const char **why);
/* How many devices a sharding is for, the largest number in a tuple; 0: any, or one. */
int64_t hlo_sharding_device_count(const hlo_sharding *sharding);
/* Tiles by one axis for each dimension and one for what is manual (rank + 1); NULL when not every
 * tile has the same number of holders. */
const hlo_tiling *hlo_tiling_of_axes(hlo_arena *arena, const hlo_tile_axis *axes, uint32_t rank,
                                     int64_t count);
/* Tiles by coordinates, rank + 1 for each device; NULL as above. */
const hlo_tiling *hlo_tiling_of_places(hlo_arena *arena, const int64_t *tiles,
                                       const int64_t *places, uint32_t rank, int64_t count);
/* Dimension d gets the tiles of dimension from[d] of `t`, none where that is -1; manual ones stay.
 */
const hlo_tiling *hlo_tiling_projected(hlo_arena *arena, const hlo_tiling *t, const int32_t *from,
                                       uint32_t rank);
/* `t` with the tiles that `other` has along its `dimension`; NULL when that cannot be. */
const hlo_tiling *hlo_tiling_with(hlo_arena *arena, const hlo_tiling *t, uint32_t to,
                                  const hlo_tiling *other, uint32_t dimension);
/* `t` without tiles along a dimension (rank: without manual ones). */
const hlo_tiling *hlo_tiling_without(hlo_arena *arena, const hlo_tiling *t, uint32_t dimension);

const hlo_tiling *hlo_tiling_copy(hlo_arena *arena, const hlo_tiling *t);

/* The same part of the same array on each device. */
bool hlo_tiling_equal(const hlo_tiling *a, const hlo_tiling *b);
bool hlo_tiling_is_whole(const hlo_tiling *t);  /* replicated */
bool hlo_tiling_is_manual(const hlo_tiling *t); /* each device for itself */
/* Which tile along a dimension (rank: of what is manual) the device holds. */
int64_t hlo_tile_at(const hlo_tiling *t, int64_t device, uint32_t dimension);
/* How many elements of a dimension of that size a tile has. */
static inline int64_t hlo_tile_size(int64_t size, int64_t tiles) {
    HLO_ASSERT(size >= 0 && tiles > 0);
    return hlo_units(size, tiles);
}
/* The axis that repeats a dimension of `t`. */
hlo_tile_axis hlo_tile_axis_of(const hlo_tiling *t, uint32_t dimension);

/* Groups of devices that differ along the chosen dimensions only, in row-major order of these: as
 * many lists as there are groups. */
const hlo_int_lists *hlo_tile_groups(hlo_arena *arena, const hlo_tiling *t, const bool *chosen);
/* The device that holds what `device` would hold if it were at `at` along the dimension. */
int64_t hlo_tile_neighbour(const hlo_tiling *t, int64_t device, uint32_t dimension, int64_t at);

#endif
