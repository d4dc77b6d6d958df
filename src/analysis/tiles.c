/* The geometry of tiles: see tiles.h. */
#include "analysis/tiles.h"

/* ---- coordinates ---- */

int64_t hlo_tile_at(const hlo_tiling *t, int64_t device, uint32_t dimension) {
    HLO_ASSERT(device >= 0 && device < t->count && dimension <= t->rank);
    int64_t place = t->places[device];
    for (uint32_t d = t->rank; d > dimension; d--) place /= t->tiles[d];
    return place % t->tiles[dimension];
}

hlo_tile_axis hlo_tile_axis_of(const hlo_tiling *t, uint32_t dimension) {
    HLO_ASSERT(dimension <= t->rank);
    return (hlo_tile_axis){t, dimension, 1, t->tiles[dimension]};
}

static int64_t copy_number(const hlo_tiling *t, int64_t device) {
    HLO_ASSERT(device >= 0 && device < t->count);
    const int64_t *holders = t->devices + t->places[device] * t->copies;
    int64_t number = 0;
    while (holders[number] != device) number++;
    return number;
}

int64_t hlo_tile_neighbour(const hlo_tiling *t, int64_t device, uint32_t dimension, int64_t at) {
    HLO_ASSERT(dimension < t->rank && at >= 0 && at < t->tiles[dimension]);
    int64_t stride = 1;
    for (uint32_t d = t->rank; d > dimension; d--) stride *= t->tiles[d];
    int64_t place = t->places[device] + (at - hlo_tile_at(t, device, dimension)) * stride;
    return t->devices[place * t->copies + copy_number(t, device)];
}

/* ---- making ---- */

/* Devices in the order of their tiles; false when tiles have different numbers of holders. */
static bool sort_devices(const int64_t *places, int64_t count, int64_t tiles, int64_t *devices) {
    int64_t copies = count / tiles, *used = hlo_calloc((size_t)tiles, sizeof *used);
    bool even = true;
    for (int64_t d = 0; even && d < count; d++) {
        even = used[places[d]] < copies;
        if (even) devices[places[d] * copies + used[places[d]]++] = d;
    }
    hlo_free(used);
    return even;
}

const hlo_tiling *hlo_tiling_of_places(hlo_arena *arena, const int64_t *tiles,
                                       const int64_t *places, uint32_t rank, int64_t count) {
    HLO_ASSERT(count > 0);
    int64_t all = 1;
    for (uint32_t d = 0; d <= rank; d++)
        if (__builtin_mul_overflow(all, tiles[d], &all) || all > count) return NULL;
    if (count % all) return NULL;
    int64_t *by_device = HLO_NEW_ARRAY(arena, int64_t, count);
    int64_t *devices = HLO_NEW_ARRAY(arena, int64_t, count);
    for (int64_t i = 0; i < count; i++)
        for (uint32_t d = 0; d <= rank; d++)
            by_device[i] = by_device[i] * tiles[d] + places[i * (rank + 1) + d];
    if (!sort_devices(by_device, count, all, devices)) return NULL;
    hlo_tiling *t = HLO_NEW(arena, hlo_tiling);
    int64_t *kept = hlo_arena_copy(arena, tiles, (rank + 1) * sizeof *tiles);
    *t = (hlo_tiling){rank, count, count / all, -1, kept, devices, by_device};
    return t;
}

const hlo_tiling *hlo_tiling_of_axes(hlo_arena *arena, const hlo_tile_axis *axes, uint32_t rank,
                                     int64_t count) {
    HLO_ASSERT(count > 0);
    uint32_t n = rank + 1;
    int64_t *tiles = hlo_malloc(n * sizeof *tiles);
    int64_t *places = hlo_calloc((size_t)count * n, sizeof *places);
    for (uint32_t d = 0; d < n; d++) {
        const hlo_tile_axis *axis = &axes[d];
        tiles[d] = axis->from ? axis->size : 1;
        for (int64_t i = 0; axis->from && i < count; i++)
            places[i * n + d] =
                hlo_tile_at(axis->from, i, axis->dimension) / axis->inner % axis->size;
    }
    const hlo_tiling *t = hlo_tiling_of_places(arena, tiles, places, rank, count);
    hlo_free(tiles);
    hlo_free(places);
    return t;
}

const hlo_tiling *hlo_tiling_whole(hlo_arena *arena, uint32_t rank, int64_t count) {
    hlo_tile_axis *none = HLO_NEW_ARRAY(arena, hlo_tile_axis, rank + 1u);
    return hlo_tiling_of_axes(arena, none, rank, count);
}

static const hlo_tiling *in_order(hlo_arena *arena, int64_t count) {
    int64_t *places = HLO_NEW_ARRAY(arena, int64_t, count);
    for (int64_t i = 0; i < count; i++) places[i] = i;
    return hlo_tiling_of_places(arena, &count, places, 0, count);
}

const hlo_tiling *hlo_tiling_manual(hlo_arena *arena, uint32_t rank, int64_t count) {
    HLO_ASSERT(count > 0);
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, rank + 1u);
    axes[rank] = hlo_tile_axis_of(in_order(arena, count), 0);
    return hlo_tiling_of_axes(arena, axes, rank, count);
}

/* ---- tiles from tiles ---- */

const hlo_tiling *hlo_tiling_projected(hlo_arena *arena, const hlo_tiling *t, const int32_t *from,
                                       uint32_t rank) {
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, rank + 1u);
    for (uint32_t d = 0; d < rank; d++)
        if (from[d] >= 0) axes[d] = hlo_tile_axis_of(t, (uint32_t)from[d]);
    axes[rank] = hlo_tile_axis_of(t, t->rank);
    return hlo_tiling_of_axes(arena, axes, rank, t->count);
}

const hlo_tiling *hlo_tiling_with(hlo_arena *arena, const hlo_tiling *t, uint32_t to,
                                  const hlo_tiling *other, uint32_t dimension) {
    HLO_ASSERT(to <= t->rank && dimension <= other->rank);
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, t->rank + 1u);
    for (uint32_t d = 0; d <= t->rank; d++) axes[d] = hlo_tile_axis_of(t, d);
    axes[to] = hlo_tile_axis_of(other, dimension);
    return hlo_tiling_of_axes(arena, axes, t->rank, t->count);
}

const hlo_tiling *hlo_tiling_without(hlo_arena *arena, const hlo_tiling *t, uint32_t dimension) {
    HLO_ASSERT(dimension <= t->rank);
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, t->rank + 1u);
    for (uint32_t d = 0; d <= t->rank; d++)
        if (d != dimension) axes[d] = hlo_tile_axis_of(t, d);
    return hlo_tiling_of_axes(arena, axes, t->rank, t->count);
}

const hlo_tiling *hlo_tiling_copy(hlo_arena *arena, const hlo_tiling *t) {
    hlo_tiling *copy = hlo_arena_copy(arena, t, sizeof *t);
    size_t bytes = (size_t)t->count * sizeof *t->devices;
    copy->tiles = hlo_arena_copy(arena, t->tiles, (t->rank + 1) * sizeof *t->tiles);
    copy->devices = hlo_arena_copy(arena, t->devices, bytes);
    copy->places = hlo_arena_copy(arena, t->places, bytes);
    return copy;
}

/* ---- comparing ---- */

bool hlo_tiling_equal(const hlo_tiling *a, const hlo_tiling *b) {
    return a == b || (a->rank == b->rank && a->only == b->only &&
                      memcmp(a->tiles, b->tiles, (a->rank + 1) * sizeof *a->tiles) == 0 &&
                      memcmp(a->places, b->places, (size_t)a->count * sizeof *a->places) == 0);
}

bool hlo_tiling_is_whole(const hlo_tiling *t) {
    return t->only < 0 && t->copies == t->count;
}

bool hlo_tiling_is_manual(const hlo_tiling *t) {
    HLO_ASSERT(t->count > 0);
    return t->only < 0 && t->tiles[t->rank] == t->count;
}

/* ---- groups ---- */

/* The number of the device's group and its number in the group. */
static int64_t group_of(const hlo_tiling *t, int64_t device, const bool *chosen, int64_t *member) {
    HLO_ASSERT(device >= 0 && device < t->count);
    int64_t group = 0;
    *member = 0;
    for (uint32_t d = 0; d <= t->rank; d++) {
        int64_t at = hlo_tile_at(t, device, d);
        if (chosen[d]) *member = *member * t->tiles[d] + at;
        else group = group * t->tiles[d] + at;
    }
    return group * t->copies + copy_number(t, device);
}

const hlo_int_lists *hlo_tile_groups(hlo_arena *arena, const hlo_tiling *t, const bool *chosen) {
    int64_t members = 1, member;
    for (uint32_t d = 0; d <= t->rank; d++)
        if (chosen[d]) members *= t->tiles[d];
    uint32_t n = (uint32_t)(t->count / members);
    hlo_int_lists *lists = hlo_arena_zero(arena, sizeof *lists + n * sizeof lists->v[0]);
    lists->n = n;
    for (uint32_t g = 0; g < n; g++) lists->v[g] = hlo_ints_new(arena, (uint32_t)members);
    for (int64_t device = 0; device < t->count; device++) {
        int64_t group = group_of(t, device, chosen, &member);
        HLO_ASSERT(group >= 0 && group < lists->n && member >= 0 && member < lists->v[group]->n);
        ((hlo_ints *)(uintptr_t)lists->v[group])->v[member] = device;
    }
    return lists;
}
