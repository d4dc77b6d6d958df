/* Whether one sharding only cuts the parts of another one into smaller parts. */
#include <stdlib.h>

#include "base/math.h"
#include "passes/spmd/sharding_rules.h"

typedef struct {
    hlo_arena *arena;
    const hlo_shape *shape;
    const hlo_sharding *part, *whole;
    uint32_t rank;
    int64_t *part_size, *whole_size; /* of the tiles, in elements, along each dimension */
} containment;

static bool is_even(int64_t size, int64_t parts, int64_t part_size, int64_t wholes,
                    int64_t whole_size) {
    return parts % wholes == 0 && part_size > 0 && whole_size % part_size == 0 &&
           size > (parts - 1) * part_size && size > (wholes - 1) * whole_size;
}

/* Sizes of tiles; false when `whole` has more tiles along a dimension. */
static bool measure(containment *c, bool *evenly) {
    *evenly = true;
    for (uint32_t i = 0; i < c->rank; i++) {
        int64_t size = c->shape->dims[i] < 0 ? 0 : c->shape->dims[i];
        int64_t parts = c->part->tile_dims->v[i], wholes = c->whole->tile_dims->v[i];
        if (parts < wholes) return false;
        c->part_size[i] = hlo_units(size, parts);
        c->whole_size[i] = hlo_units(size, wholes);
        if (wholes != 1 && !is_even(size, parts, c->part_size[i], wholes, c->whole_size[i]))
            *evenly = false;
    }
    return true;
}

/* ---- tiles that divide each other ---- */

/* What distinguishes parts of one tile of `whole` goes to the end, where replicas are. */
static bool has_same_order(const containment *c) {
    static const uint8_t replicated = HLO_SHARDING_REPLICATED;
    const hlo_ints *parts = c->part->tile_dims;
    uint32_t n = 0, moved = 0, end = parts->n + c->rank;
    int64_t *dims = hlo_arena_alloc(c->arena, end * sizeof *dims);
    int64_t *perm = hlo_arena_alloc(c->arena, end * sizeof *perm);
    int64_t *last = hlo_arena_alloc(c->arena, end * sizeof *last);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < parts->n; i++) {
        int64_t wholes = i < c->rank ? c->whole->tile_dims->v[i] : parts->v[i];
        perm[kept++] = n;
        dims[n++] = wholes;
        if (parts->v[i] == wholes) continue;
        last[moved++] = n;
        dims[n++] = parts->v[i] / wholes;
    }
    for (uint32_t i = 0; i < moved; i++) perm[kept++] = last[i];
    hlo_tiles t = hlo_tiles_reshaped(c->arena, hlo_tiles_of(c->part), dims, n);
    t = hlo_tiles_transposed(c->arena, t, perm);
    t = hlo_tiles_reshaped(c->arena, t, c->whole->tile_dims->v, c->whole->tile_dims->n);
    const hlo_sharding *s = hlo_sharding_of_tiles(c->arena, t, &replicated, 1, NULL);
    return s->kind == HLO_SHARDING_TILED &&
           hlo_tiles_equal(hlo_tiles_of(s), hlo_tiles_of(c->whole));
}

/* ---- devices one by one ---- */

typedef struct {
    int64_t device, place;
} placed;

static int by_device(const void *a, const void *b) {
    const placed *x = a, *y = b;
    return (x->device > y->device) - (x->device < y->device);
}

static placed *list_places(const containment *c, const hlo_sharding *s, uint32_t *n) {
    const hlo_ints *devices = hlo_tiles_listed(c->arena, hlo_tiles_of(s));
    placed *list = HLO_NEW_ARRAY(c->arena, placed, devices->n);
    for (uint32_t i = 0; i < devices->n; i++) list[i] = (placed){devices->v[i], i};
    qsort(list, devices->n, sizeof *list, by_device);
    *n = devices->n;
    return list;
}

/* Where the tile at a place begins along each dimension of data. */
static void locate(const containment *c, const hlo_sharding *s, const int64_t *size, int64_t place,
                   int64_t *start) {
    for (uint32_t i = s->tile_dims->n; i-- > 0;) {
        if (i < c->rank) start[i] = place % s->tile_dims->v[i] * size[i];
        place /= s->tile_dims->v[i];
    }
}

/* Padding at the end counts for neither. */
static bool lies_within(const containment *c, const int64_t *part, const int64_t *whole) {
    for (uint32_t i = 0; i < c->rank; i++) {
        int64_t end = part[i] + c->part_size[i];
        if (part[i] < whole[i]) return false;
        if (end <= c->shape->dims[i] && end > whole[i] + c->whole_size[i]) return false;
    }
    return true;
}

static bool each_device_is_within(const containment *c) {
    uint32_t n, m;
    const placed *parts = list_places(c, c->part, &n), *wholes = list_places(c, c->whole, &m);
    int64_t *part = HLO_NEW_ARRAY(c->arena, int64_t, c->rank);
    int64_t *whole = HLO_NEW_ARRAY(c->arena, int64_t, c->rank);
    if (n != m) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].device != wholes[i].device) return false;
        locate(c, c->part, c->part_size, parts[i].place, part);
        locate(c, c->whole, c->whole_size, wholes[i].place, whole);
        if (!lies_within(c, part, whole)) return false;
    }
    return true;
}

bool hlo_sharding_is_within(hlo_arena *arena, const hlo_shape *shape, const hlo_sharding *part,
                            const hlo_sharding *whole) {
    if (part->kind == HLO_SHARDING_MANUAL || whole->kind == HLO_SHARDING_MANUAL) return false;
    if (hlo_sharding_is_whole(whole)) return true;
    if (part->kind != HLO_SHARDING_TILED || whole->kind != HLO_SHARDING_TILED) return false;
    containment c = {arena, shape, part, whole, hlo_tiled_rank(part), NULL, NULL};
    if (c.rank != hlo_tiled_rank(whole) || c.rank != shape->rank) return false;
    c.part_size = HLO_NEW_ARRAY(arena, int64_t, c.rank);
    c.whole_size = HLO_NEW_ARRAY(arena, int64_t, c.rank);
    bool evenly;
    if (!measure(&c, &evenly)) return false;
    if (!evenly) return each_device_is_within(&c);
    if (!hlo_sharding_has_replicas(whole)) return hlo_sharding_equal(part, whole);
    return has_same_order(&c);
}
