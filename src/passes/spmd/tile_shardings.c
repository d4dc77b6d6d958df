/* Shardings as tiles: what the text says about devices, tiled or by axes of a mesh. Called through
 * tiles.h. */
#include "passes/spmd/tiles.h"

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

static bool is_for(const hlo_sharding *s, int64_t count) {
    int64_t all = 1;
    for (uint32_t d = 0; d < s->tile_dims->n; d++)
        if (__builtin_mul_overflow(all, s->tile_dims->v[d], &all)) return false;
    return all == count;
}

static const hlo_tiling *of_tiled(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                  int64_t count, const char **why) {
    uint32_t last = s->last_kind_count + (s->replicate_last ? 1 : 0);
    if (!is_for(s, count)) return refuse(why, "has a sharding for another number of devices");
    if (s->tile_dims->n != rank + last)
        return refuse(why, "has a sharding with another number of dimensions");
    if (subgroup(s, HLO_SHARDING_UNREDUCED) >= 0 || subgroup(s, HLO_SHARDING_MAXIMAL) >= 0)
        return refuse(why, "has a sharding with an unreduced or maximal subgroup, which is not "
                           "supported");
    const hlo_tiling *all = listed(arena, s, count);
    if (!all) return refuse(why, "has a sharding that lists devices that there are not");
    hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, rank + 1u);
    int64_t manual = subgroup(s, HLO_SHARDING_MANUAL);
    for (uint32_t d = 0; d < rank; d++) axes[d] = hlo_tile_axis_of(all, d);
    if (manual >= 0) axes[rank] = hlo_tile_axis_of(all, (uint32_t)manual);
    return hlo_tiling_of_axes(arena, axes, rank, count);
}

/* ---- axes of a mesh ---- */

static uint32_t axis_number(const hlo_mesh *mesh, hlo_str name) {
    for (uint32_t i = 0; i < mesh->n; i++)
        if (hlo_str_equal(mesh->axes[i].name, name)) return i;
    return mesh->n;
}

/* The devices as an array with a dimension for each axis. */
static const hlo_tiling *of_mesh(hlo_arena *arena, const hlo_mesh *mesh, int64_t count) {
    int64_t *tiles = HLO_NEW_ARRAY(arena, int64_t, mesh->n), all = 1;
    for (uint32_t i = 0; i < mesh->n; i++) {
        tiles[i] = mesh->axes[i].size;
        if (__builtin_mul_overflow(all, tiles[i], &all)) return NULL;
    }
    if (all != count) return NULL;
    hlo_sharding s = {.tile_dims = hlo_ints_from(arena, tiles, mesh->n),
                      .devices = mesh->device_ids,
                      .iota = mesh->device_iota};
    hlo_ints *order = hlo_ints_new(arena, (uint32_t)count);
    for (uint32_t i = 0; i < order->n; i++) order->v[i] = i;
    if (!s.devices && !s.iota) s.devices = order;
    return listed(arena, &s, count);
}

/* Coordinates along the axes of a list, the first one major, as one number for each device; the
 * product of the sizes. */
static int64_t along(const hlo_axis_list *list, const hlo_mesh *mesh, const hlo_tiling *all,
                     int64_t *places, uint32_t step) {
    int64_t tiles = 1;
    for (uint32_t i = 0; i < list->n; i++) {
        const hlo_axis_ref *axis = &list->v[i];
        uint32_t number = axis_number(mesh, axis->name);
        int64_t whole = mesh->axes[number].size, inner = 1, size = whole;
        if (axis->is_sub_axis) {
            size = axis->size;
            inner = whole / (axis->pre_size * size);
        }
        for (int64_t d = 0; d < all->count; d++)
            places[d * step] = places[d * step] * size + hlo_tile_at(all, d, number) / inner % size;
        tiles *= size;
    }
    return tiles;
}

static const hlo_tiling *of_dims(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                 const hlo_tiling *all) {
    int64_t *places = HLO_NEW_ARRAY(arena, int64_t, all->count * (rank + 1));
    int64_t *tiles = HLO_NEW_ARRAY(arena, int64_t, rank + 1);
    for (uint32_t d = 0; d < rank; d++)
        tiles[d] =
            d < s->dim_count ? along(&s->dims[d].axes, s->mesh, all, places + d, rank + 1) : 1;
    tiles[rank] = along(&s->manual, s->mesh, all, places + rank, rank + 1);
    return hlo_tiling_of_places(arena, tiles, places, rank, all->count);
}

static const hlo_tiling *of_only(hlo_arena *arena, int64_t device, uint32_t rank, int64_t count,
                                 const char **why) {
    if (device < 0 || device >= count) return refuse(why, "has a sharding for a device beyond all");
    hlo_tiling *t = hlo_arena_copy(arena, hlo_tiling_whole(arena, rank, count), sizeof *t);
    t->only = device;
    return t;
}

static const hlo_tiling *of_named(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                  int64_t count, const char **why) {
    if (s->mesh->maximal) return of_only(arena, s->mesh->device_id, rank, count, why);
    if (s->unreduced.n || (s->named_word && s->word == HLO_SHARDING_UNREDUCED))
        return refuse(why, "has an unreduced sharding, which is not supported");
    if (s->named_word && s->word == HLO_SHARDING_MANUAL)
        return hlo_tiling_manual(arena, rank, count);
    if (s->named_word || !s->mesh->n) return hlo_tiling_whole(arena, rank, count);
    const hlo_tiling *all = of_mesh(arena, s->mesh, count);
    if (!all) return refuse(why, "has a sharding for another number of devices");
    if (s->dim_count > rank) return refuse(why, "has a sharding with another number of dimensions");
    return of_dims(arena, s, rank, all);
}

const hlo_tiling *hlo_tiling_of_sharding(hlo_arena *arena, const hlo_sharding *s, uint32_t rank,
                                         int64_t count, const char **why) {
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
