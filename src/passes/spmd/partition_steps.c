/* Which steps lead from some tiles to others, and what they send: see partition_steps.h. */
#include "passes/spmd/partition_steps.h"

#include "base/math.h"

/* ---- which tiles stay ---- */

/* Joining tiles by `times` gives tiles of that size, without a gap. */
static bool joins(int64_t size, int64_t tiles, int64_t joined) {
    return tiles == joined || joined == 1 ||
           tiles / joined * hlo_tile_size(size, tiles) == hlo_tile_size(size, joined);
}

/* Tiles along a dimension that both can be cut from. */
static int64_t common_tiles(const hlo_tiling *a, const hlo_tiling *b, uint32_t d, int64_t size) {
    HLO_ASSERT(a->rank == b->rank && d < a->rank);
    int64_t common = hlo_gcd(a->tiles[d], b->tiles[d]);
    if (!joins(size, a->tiles[d], common) || !joins(size, b->tiles[d], common)) return 1;
    int64_t in_a = a->tiles[d] / common, in_b = b->tiles[d] / common;
    for (int64_t i = 0; i < a->count; i++)
        if (hlo_tile_at(a, i, d) / in_a != hlo_tile_at(b, i, d) / in_b) return 1;
    return common;
}

/* ---- the next step ---- */

/* `parts` neighbouring tiles of dimension i cut those of dimension j. */
static const hlo_tiling *exchanged(hlo_arena *arena, const hlo_tiling *t, uint32_t i, uint32_t j,
                                   int64_t parts) {
    HLO_ASSERT(i < t->rank && j < t->rank && t->tiles[i] % parts == 0);
    uint32_t n = t->rank + 1;
    int64_t *tiles = hlo_arena_copy(arena, t->tiles, n * sizeof *tiles);
    int64_t *places = HLO_NEW_ARRAY(arena, int64_t, t->count * n);
    tiles[j] *= parts;
    tiles[i] /= parts;
    for (int64_t device = 0; device < t->count; device++) {
        int64_t *own = places + device * n;
        for (uint32_t d = 0; d < n; d++) own[d] = hlo_tile_at(t, device, d);
        own[j] = own[j] * parts + own[i] % parts;
        own[i] /= parts;
    }
    return hlo_tiling_of_places(arena, tiles, places, t->rank, t->count);
}

/* How many tiles of dimension i, which are to be joined, can cut those of dimension j, which are to
 * be cut; 1: none. */
static int64_t exchange_parts(const hlo_shape *shape, const hlo_tiling *from, const hlo_tiling *to,
                              uint32_t i, uint32_t j) {
    HLO_ASSERT(from->rank == to->rank && shape->rank == from->rank);
    int64_t a = from->tiles[i], b = from->tiles[j];
    if (i == j || a % to->tiles[i] || to->tiles[j] % b) return 1;
    int64_t parts = hlo_gcd(a / to->tiles[i], to->tiles[j] / b);
    if (!joins(shape->dims[i], a, a / parts)) return 1;
    int64_t tile = hlo_tile_size(shape->dims[j], b);
    bool cuts = b == 1 || tile == parts * hlo_tile_size(shape->dims[j], parts * b);
    return cuts ? parts : 1;
}

static bool find_exchange(hlo_arena *arena, const hlo_shape *shape, const hlo_tiling *from,
                          const hlo_tiling *to, hlo_reshard_step *s) {
    HLO_ASSERT(from->rank == to->rank);
    for (uint32_t i = 0; i < from->rank; i++)
        for (uint32_t j = 0; j < from->rank; j++) {
            int64_t parts = exchange_parts(shape, from, to, i, j);
            if (parts == 1) continue;
            *s = (hlo_reshard_step){HLO_STEP_EXCHANGE, i, j, exchanged(arena, from, i, j, parts)};
            return true;
        }
    return false;
}

/* ---- other devices for the same cuts ---- */

/* Tiles of `fine` lie in tiles of `coarse` of that array, whichever devices hold them. */
static bool is_finer(const hlo_shape *shape, const hlo_tiling *fine, const hlo_tiling *coarse) {
    bool finer = fine->tiles[fine->rank] == coarse->tiles[coarse->rank];
    for (uint32_t d = 0; finer && d < fine->rank; d++)
        finer = fine->tiles[d] % coarse->tiles[d] == 0 &&
                joins(shape->dims[d], fine->tiles[d], coarse->tiles[d]);
    return finer;
}

/* The holders of each tile of `coarse` share the tiles of `counts` that lie in it. */
static const hlo_tiling *refined(hlo_arena *arena, const hlo_tiling *coarse,
                                 const int64_t *counts) {
    uint32_t n = coarse->rank + 1;
    int64_t parts = 1;
    int64_t *places = HLO_NEW_ARRAY(arena, int64_t, coarse->count * n);
    for (uint32_t d = 0; d < n; d++) parts *= counts[d] / coarse->tiles[d];
    if (coarse->copies % parts) return NULL;
    for (int64_t at = 0; at < coarse->count; at++) {
        int64_t device = coarse->devices[at];
        int64_t part = at % coarse->copies / (coarse->copies / parts);
        for (uint32_t d = n; d-- > 0;) {
            int64_t along = counts[d] / coarse->tiles[d];
            places[device * n + d] = hlo_tile_at(coarse, device, d) * along + part % along;
            part /= along;
        }
    }
    return hlo_tiling_of_places(arena, counts, places, coarse->rank, coarse->count);
}

/* Where tiles are joined, or cut, and not by the devices that hold them: they are permuted while
 * they are small. */
static bool find_permuted(hlo_arena *arena, const hlo_shape *shape, const hlo_tiling *from,
                          const hlo_tiling *to, hlo_reshard_step *s) {
    bool joins_all = is_finer(shape, from, to), cuts_all = is_finer(shape, to, from);
    if (!joins_all && !cuts_all) return false;
    const hlo_tiling *fine = joins_all ? from : to, *coarse = joins_all ? to : from;
    bool is_aligned = true;
    for (uint32_t d = 0; d < from->rank; d++)
        is_aligned &= common_tiles(fine, coarse, d, shape->dims[d]) == coarse->tiles[d];
    if (is_aligned) return false;
    int64_t *counts = hlo_arena_copy(arena, fine->tiles, (fine->rank + 1) * sizeof *counts);
    uint32_t d = 0;
    while (cuts_all && from->tiles[d] == to->tiles[d]) d++;
    for (uint32_t k = d + 1; cuts_all && k < from->rank; k++) counts[k] = from->tiles[k];
    const hlo_tiling *tiles = refined(arena, coarse, counts);
    *s = (hlo_reshard_step){joins_all ? HLO_STEP_PERMUTE : HLO_STEP_SLICE, d, d, tiles};
    return tiles != NULL;
}

/* ---- cuts and joins ---- */

static bool find_slice(hlo_arena *arena, const hlo_shape *shape, const hlo_tiling *from,
                       const hlo_tiling *to, hlo_reshard_step *s) {
    HLO_ASSERT(from->rank == to->rank);
    for (uint32_t d = 0; d < from->rank; d++) {
        bool cuts = to->tiles[d] > from->tiles[d] &&
                    common_tiles(from, to, d, shape->dims[d]) == from->tiles[d];
        const hlo_tiling *tiles = cuts ? hlo_tiling_with(arena, from, d, to, d) : NULL;
        if (!tiles) continue;
        *s = (hlo_reshard_step){HLO_STEP_SLICE, d, d, tiles};
        return true;
    }
    return false;
}

static bool find_gather(hlo_arena *arena, const hlo_shape *shape, const hlo_tiling *from,
                        const hlo_tiling *to, hlo_reshard_step *s) {
    HLO_ASSERT(from->rank == to->rank);
    for (uint32_t d = 0; d < from->rank; d++) {
        int64_t common = common_tiles(from, to, d, shape->dims[d]);
        if (common == from->tiles[d]) continue;
        hlo_tile_axis *axes = HLO_NEW_ARRAY(arena, hlo_tile_axis, from->rank + 1u);
        for (uint32_t k = 0; k <= from->rank; k++) axes[k] = hlo_tile_axis_of(from, k);
        axes[d].inner = from->tiles[d] / common;
        axes[d].size = common;
        *s = (hlo_reshard_step){HLO_STEP_GATHER, d, d,
                                hlo_tiling_of_axes(arena, axes, from->rank, from->count)};
        return true;
    }
    return false;
}

/* What several devices have alike may count as the own value of each. The other way round, which of
 * the values is meant is unspecified: each goes on with its own. */
static hlo_reshard_step adopt(hlo_arena *arena, const hlo_shape *shape, const hlo_tiling *from,
                              const hlo_tiling *to) {
    uint32_t m = from->rank;
    if (from->tiles[m] != 1 && to->tiles[m] != 1)
        return (hlo_reshard_step){.kind = HLO_STEP_IMPOSSIBLE};
    if (from->tiles[m] != 1)
        return (hlo_reshard_step){HLO_STEP_SHARE, 0, 0, hlo_tiling_without(arena, from, m)};
    const hlo_tiling *tiles = hlo_tiling_with(arena, from, m, to, m);
    if (tiles) return (hlo_reshard_step){HLO_STEP_ADOPT, 0, 0, tiles};
    return hlo_next_reshard_step(arena, shape, from, hlo_tiling_whole(arena, m, from->count));
}

static bool same_own(const hlo_tiling *a, const hlo_tiling *b) {
    bool same = a->tiles[a->rank] == b->tiles[b->rank];
    for (int64_t i = 0; same && i < a->count; i++)
        same = hlo_tile_at(a, i, a->rank) == hlo_tile_at(b, i, b->rank);
    return same;
}

hlo_reshard_step hlo_next_reshard_step(hlo_arena *arena, const hlo_shape *shape,
                                       const hlo_tiling *from, const hlo_tiling *to) {
    HLO_ASSERT(from->rank == to->rank && from->count == to->count);
    hlo_reshard_step s;
    if (hlo_tiling_equal(from, to)) return (hlo_reshard_step){.kind = HLO_STEP_NONE};
    const hlo_tiling *whole = hlo_tiling_whole(arena, from->rank, from->count);
    if (from->only >= 0) return (hlo_reshard_step){HLO_STEP_SPREAD, 0, 0, whole};
    if (to->only >= 0 && hlo_tiling_is_whole(from))
        return (hlo_reshard_step){HLO_STEP_FORGET, 0, 0, to};
    if (to->only >= 0) return hlo_next_reshard_step(arena, shape, from, whole);
    if (!same_own(from, to)) return adopt(arena, shape, from, to);
    if (memcmp(from->tiles, to->tiles, (from->rank + 1) * sizeof *from->tiles) == 0)
        return (hlo_reshard_step){HLO_STEP_PERMUTE, 0, 0, to};
    if (find_permuted(arena, shape, from, to, &s) || find_exchange(arena, shape, from, to, &s) ||
        find_slice(arena, shape, from, to, &s) || find_gather(arena, shape, from, to, &s))
        return s;
    return (hlo_reshard_step){.kind = HLO_STEP_IMPOSSIBLE};
}

/* ---- costs ---- */

static int64_t tile_bytes(const hlo_shape *shape, const hlo_tiling *t) {
    int64_t elements = 1;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (__builtin_mul_overflow(elements, hlo_tile_size(shape->dims[d], t->tiles[d]), &elements))
            return INT64_MAX / 4;
    int64_t bytes = hlo_types[shape->type].bytes;
    return elements > INT64_MAX / 4 / (bytes + 1) ? INT64_MAX / 4 : elements * (bytes + 1);
}

static int64_t step_bytes(const hlo_shape *shape, const hlo_reshard_step *s,
                          const hlo_tiling *from) {
    switch (s->kind) {
    case HLO_STEP_SPREAD: return 2 * tile_bytes(shape, s->tiles);
    case HLO_STEP_EXCHANGE:
    case HLO_STEP_PERMUTE: return tile_bytes(shape, from);
    case HLO_STEP_GATHER: return tile_bytes(shape, s->tiles);
    case HLO_STEP_SHARE:
    case HLO_STEP_IMPOSSIBLE: return INT64_MAX / 4;
    default: return 0;
    }
}

int64_t hlo_reshard_bytes(hlo_partitioner *p, const hlo_shape *shape, const hlo_tiling *from,
                          const hlo_tiling *to) {
    int64_t bytes = 0;
    if (!hlo_shape_is_array(shape)) return 0;
    for (;;) {
        hlo_reshard_step s = hlo_next_reshard_step(&p->scratch, shape, from, to);
        if (s.kind == HLO_STEP_NONE) return bytes;
        bytes += step_bytes(shape, &s, from);
        if (s.kind == HLO_STEP_IMPOSSIBLE || bytes >= INT64_MAX / 4) return INT64_MAX / 4;
        from = s.tiles;
    }
}
