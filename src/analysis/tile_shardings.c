/* Shardings as tiles: the devices in the text, tiled or by axes of a mesh. */
#include "analysis/tiles.h"
#include "ir/sharding_named.h"

static const hlo_tiling *refuse(const char **why, const char *what) {
    *why = what;
    return NULL;
}

/* ---- tiles with subgroups ---- */

/* The position of the only subgroup dimension of that kind, -1: none. */
static int64_t subgroup(const hlo_sharding *s, hlo_sharding_kind kind) {
    int64_t first = (int64_t)s->tile_dims->n - s->last_kind_count;
    for (uint32_t i = 0; i < s->last_kind_count; i++)
        if (s->last_kinds[i] == kind) return first + i;
    return -1;
}

/* Each dimension of the text, subgroups too, as a dimension of an array. */
static const hlo_tiling *listed(hlo_arena *arena, const hlo_sharding *s, int64_t count) {
    HLO_ASSERT(s->kind == HLO_SHARDING_TILED);
    uint32_t rank = s->tile_dims->n;
    const hlo_ints *order = s->devices ? s->devices : hlo_iota_listed(arena, s->iota);
    int64_t *places = HLO_NEW_ARRAY(arena, int64_t, count * (rank + 1));
    int64_t *tiles = HLO_NEW_ARRAY(arena, int64_t, rank + 1);
    memcpy(tiles, s->tile_dims->v, rank * sizeof *tiles);
    tiles[rank] = 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, device = order->v[i];
        if (device < 0 || device >= count) return NULL;
        for (uint32_t d = rank; d-- > 0; rest /= tiles[d])
            places[device * (rank + 1) + d] = rest % tiles[d];
    }
    return hlo_tiling_of_places(arena, tiles, places, rank, count);
}

int64_t hlo_sharding_device_count(const hlo_sharding *s) {
    bool is_tiled = s->kind == HLO_SHARDING_TILED;
    bool has_mesh = s->kind == HLO_SHARDING_NAMED && !s->named_word && !s->mesh->maximal;
    int64_t all = 1, largest = 0;
    for (uint32_t d = 0; is_tiled && d < s->tile_dims->n; d++)
        if (__builtin_mul_overflow(all, s->tile_dims->v[d], &all)) return INT64_MAX;
    for (uint32_t i = 0; has_mesh && i < s->mesh->n; i++)
        if (__builtin_mul_overflow(all, s->mesh->axes[i].size, &all)) return INT64_MAX;
    for (uint32_t i = 0; s->kind == HLO_SHARDING_TUPLE && i < s->n; i++)
        largest = hlo_larger(largest, hlo_sharding_device_count(s->elements[i]));
    if (s->kind == HLO_SHARDING_TUPLE) return largest;
    return is_tiled || (has_mesh && s->mesh->n) ? all : 0;
}

static const hlo_tiling *refuse_count(hlo_arena *arena, const hlo_sharding *s, int64_t count,
                                      const char **why) {
    long long devices = (long long)hlo_sharding_device_count(s), partitions = (long long)count;
    return hlo_refuse(arena, why, "has a sharding for %lld devices, and there %s %lld", devices,
                      partitions == 1 ? "is" : "are", partitions);
}

static const hlo_tiling *of_tiled(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                  int64_t count, const char **why) {
    uint32_t last = s->last_kind_count + (s->replicate_last ? 1 : 0);
    if (hlo_sharding_device_count(s) != count) return refuse_count(arena, s, count, why);
    if (s->tile_dims->n != rank + last)
        return refuse(why, "has a sharding with another number of dimensions");
    if (subgroup(s, HLO_SHARDING_UNREDUCED) >= 0 || subgroup(s, HLO_SHARDING_MAXIMAL) >= 0)
        return refuse(why, "has a sharding with an unreduced or maximal subgroup, which is not "
                           "supported");
    const hlo_tiling *all = listed(arena, s, count);
    HLO_ASSERT(s->kind == HLO_SHARDING_TILED);
    if (!all) return refuse(why, "has a sharding with devices that do not exist");
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, rank + 1u);
    int64_t manual = subgroup(s, HLO_SHARDING_MANUAL);
    for (uint32_t d = 0; d < rank; d++) axes[d] = hlo_tile_axis_of(all, d);
    if (manual >= 0) axes[rank] = hlo_tile_axis_of(all, (uint32_t)manual);
    return hlo_tiling_of_axes(arena, axes, rank, count);
}

/* ---- one device, axes of a mesh ---- */

static const hlo_tiling *of_only(hlo_arena *arena, int64_t device, uint32_t rank, int64_t count,
                                 const char **why) {
    HLO_ASSERT(count > 0);
    if (device < 0 || device >= count)
        return refuse(why, "has a sharding for a device that does not exist");
    hlo_tiling *t = hlo_arena_copy(arena, hlo_tiling_whole(arena, rank, count), sizeof *t);
    t->only = device;
    return t;
}

static const hlo_tiling *of_named(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                  int64_t count, const char **why) {
    if (s->unreduced.n || (s->named_word && s->word == HLO_SHARDING_UNREDUCED))
        return refuse(why, "has an unreduced sharding, which is not supported");
    int64_t devices = hlo_sharding_device_count(s); /* words hold for any number */
    if (devices && devices != count) return refuse_count(arena, s, count, why);
    if (s->dim_count > rank) return refuse(why, "has a sharding with another number of dimensions");
    const hlo_sharding *tiles = hlo_sharding_as_tiles(arena, s, why);
    HLO_ASSERT(s->kind == HLO_SHARDING_NAMED);
    return tiles ? hlo_tiling_of_sharding(arena, tiles, rank, count, why) : NULL;
}

const hlo_tiling *hlo_tiling_of_sharding(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                         int64_t count, const char **why) {
    HLO_ASSERT(s->kind != HLO_SHARDING_TUPLE);
    switch (s->kind) {
    case HLO_SHARDING_UNKNOWN:
    case HLO_SHARDING_REPLICATED: return hlo_tiling_whole(arena, rank, count);
    case HLO_SHARDING_MANUAL: return hlo_tiling_manual(arena, rank, count);
    case HLO_SHARDING_MAXIMAL: return of_only(arena, s->device, rank, count, why);
    case HLO_SHARDING_TILED: return of_tiled(arena, s, rank, count, why);
    case HLO_SHARDING_NAMED: return of_named(arena, s, rank, count, why);
    case HLO_SHARDING_UNREDUCED:
        return refuse(why, "has an unreduced sharding, which is not supported");
    case HLO_SHARDING_TUPLE: break;
    }
    return refuse(why, "has the sharding of a tuple, and is an array");
}
