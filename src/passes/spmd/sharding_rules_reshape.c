/* The sharding of a reshape's result from that of its operand, and the other way round: runs of
 * dimensions that are split are followed through the reshape one by one, and what is found for each
 * is merged. */
#include "analysis/tiles.h"
#include "base/math.h"
#include "passes/spmd/sharding_rules.h"

/* ---- tiles through a reshape ---- */

/* Both shapes are walked from the major dimension on. Sizes and tiles are those of the rest of
 * the current dimension. */
typedef struct {
    const hlo_shape *from, *to;
    const int64_t *tiles; /* of `from` */
    int64_t *out;         /* of `to` */
    uint32_t at, to_at;
    int64_t size, tile, to_size;
} reshape_walk;

static bool next_from(reshape_walk *w) {
    if (++w->at >= w->from->rank) return false;
    w->size = w->from->dims[w->at];
    w->tile = w->tiles[w->at];
    return true;
}

static bool next_to(reshape_walk *w) {
    if (++w->to_at >= w->to->rank) return false;
    w->to_size = w->to->dims[w->to_at];
    return true;
}

/* Passes what is not split, which must be whole dimensions of the result; false: it ends here. */
static bool skip_whole(reshape_walk *w) {
    int64_t product = 1;
    while (w->tile == 1) {
        product *= w->size;
        if (!next_from(w)) break;
    }
    while (product != 1 && w->to_size != 0 && product % w->to_size == 0) {
        product /= w->to_size;
        if (!next_to(w)) break;
    }
    return w->at < w->from->rank && w->to_at < w->to->rank && product == 1;
}

/* A dimension, or the rest of it, is one of the result; false: it ends here. */
static bool take_equal(reshape_walk *w) {
    bool is_partial = w->to_size != w->to->dims[w->to_at];
    if (is_partial && w->size % w->tile != 0) {
        w->out[w->to_at] *= hlo_gcd(w->size, w->tile);
        return false;
    }
    w->out[w->to_at] *= w->tile;
    next_from(w);
    next_to(w);
    return true;
}

/* The part of the tiles that the result's dimension can hold goes there. */
static bool take_divisor(reshape_walk *w) {
    int64_t divisor = hlo_gcd(w->tile, w->to_size);
    if (divisor == 1) return false;
    w->size /= divisor;
    w->tile /= divisor;
    w->to_size /= divisor;
    w->out[w->to_at] *= divisor;
    return true;
}

/* Fills `out`, one entry for each dimension of `to`; false when nothing stays split. Dimensions of
 * size 1 that are split have no counterpart. */
static bool reshape_tiles(const hlo_shape *from, const hlo_shape *to, const int64_t *tiles,
                          int64_t *out) {
    reshape_walk w = {.from = from, .to = to, .tiles = tiles, .out = out};
    for (uint32_t i = 0; i < to->rank; i++) out[i] = 1;
    w.at = w.to_at = UINT32_MAX;
    if (!next_from(&w) || !next_to(&w)) return false;
    bool goes_on = true;
    while (goes_on && w.at < from->rank && w.to_at < to->rank) {
        if (!skip_whole(&w)) break;
        if (w.size == w.to_size) goes_on = take_equal(&w);
        else if (w.to_size == 1) next_to(&w);
        else if (w.size == 1) next_from(&w);
        else if (w.size % w.tile != 0) return false;
        else goes_on = take_divisor(&w);
    }
    int64_t product = 1;
    for (uint32_t i = 0; i < to->rank; i++) product *= out[i];
    return product != 1;
}

/* ---- runs of dimensions ---- */

typedef struct {
    hlo_arena *arena;
    const hlo_shape *from, *to;
    hlo_tiles tiles; /* dimensions of data, of `from`, and then whatever is no dimension of data */
    const hlo_sharding *found;
} reshaping;

/* Dimensions first up to, and without, end come first. */
static hlo_tiles run_first(const reshaping *r, uint32_t first, uint32_t end) {
    uint32_t n = r->tiles.dims->n, at = 0;
    int64_t *perm = hlo_arena_alloc(r->arena, n * sizeof *perm);
    for (uint32_t i = first; i < end; i++) perm[at++] = i;
    for (uint32_t i = 0; i < first; i++) perm[at++] = i;
    for (uint32_t i = end; i < n; i++) perm[at++] = i;
    return hlo_tiles_transposed(r->arena, r->tiles, perm);
}

/* Whether that run of dimensions goes through the reshape and fits what was found before. */
static bool add_run(reshaping *r, uint32_t first, uint32_t end) {
    static const uint8_t replicated = HLO_SHARDING_REPLICATED;
    hlo_ints *tiles = hlo_ints_new(r->arena, r->from->rank);
    hlo_ints *out = hlo_ints_new(r->arena, r->to->rank + 1);
    for (uint32_t i = 0; i < r->from->rank; i++)
        tiles->v[i] = i >= first && i < end ? r->tiles.dims->v[i] : 1;
    if (!reshape_tiles(r->from, r->to, tiles->v, out->v)) return false;
    int64_t product = 1;
    for (uint32_t i = 0; i < r->to->rank; i++) product *= out->v[i];
    out->v[r->to->rank] = hlo_tiles_count(r->tiles) / product;
    hlo_tiles t = hlo_tiles_reshaped(r->arena, run_first(r, first, end), out->v, out->n);
    const hlo_sharding *run = hlo_sharding_of_tiles(r->arena, t, &replicated, 1, NULL);
    return hlo_sharding_merge(r->arena, run, &r->found);
}

/* From each dimension on, the longest run that goes through. */
static const hlo_sharding *reshape_runs(reshaping *r) {
    uint32_t first = 0, rank = r->from->rank;
    r->found = hlo_sharding_replicated(r->arena, NULL);
    while (first < rank) {
        uint32_t end = rank;
        while (end > first && !add_run(r, first, end)) end--;
        first = end > first ? end : first + 1;
    }
    return r->found;
}

/* ---- manual subgroups ---- */

/* The subgroup's dimension first. */
static hlo_tiles manual_first(hlo_arena *arena, const hlo_sharding *s, int manual) {
    uint32_t n = s->tile_dims->n, at = 0;
    int64_t *perm = hlo_arena_alloc(arena, n * sizeof *perm);
    perm[at++] = manual;
    for (uint32_t i = 0; i < n; i++)
        if (i != (uint32_t)manual) perm[at++] = i;
    return hlo_tiles_transposed(arena, hlo_tiles_of(s), perm);
}

/* The order of `inner` within each of the groups. */
static hlo_tiles order_groups(hlo_arena *arena, hlo_tiles groups, hlo_tiles inner) {
    int64_t count = groups.dims->v[0];
    if (inner.iota) {
        const hlo_iota_list *iota = inner.iota;
        hlo_ints *dims = hlo_ints_new(arena, iota->dims->n + 1);
        hlo_ints *perm = hlo_ints_new(arena, iota->dims->n + 1);
        dims->v[0] = count;
        for (uint32_t i = 0; i < iota->dims->n; i++) {
            dims->v[i + 1] = iota->dims->v[i];
            perm->v[i + 1] = iota->perm->v[i] + 1;
        }
        groups = hlo_tiles_reshaped(arena, groups, dims->v, dims->n);
        return hlo_tiles_transposed(arena, groups, perm->v);
    }
    const hlo_ints *listed = hlo_tiles_listed(arena, groups);
    hlo_ints *out = hlo_ints_new(arena, listed->n);
    int64_t size = listed->n / count;
    for (int64_t i = 0; i < listed->n; i++)
        out->v[i] = listed->v[i / size * size + inner.devices->v[i % size]];
    return (hlo_tiles){groups.dims, out, NULL};
}

/* Groups and their tiles, put together: the groups' dimension stands after those of data. */
static const hlo_sharding *ungroup(hlo_arena *arena, hlo_tiles groups, const hlo_sharding *inner,
                                   uint32_t rank, const hlo_sharding *like) {
    static const uint8_t kinds[] = {HLO_SHARDING_MANUAL, HLO_SHARDING_REPLICATED};
    bool is_whole = inner->kind != HLO_SHARDING_TILED;
    bool has_replicas = is_whole || inner->replicate_last;
    int64_t count = groups.dims->v[0];
    hlo_ints *dims = hlo_ints_new(arena, rank + 2), *perm = hlo_ints_new(arena, rank + 2);
    dims->v[0] = count;
    for (uint32_t i = 0; i < rank; i++) {
        dims->v[i + 1] = is_whole ? 1 : inner->tile_dims->v[i];
        perm->v[i] = i + 1;
    }
    perm->v[rank] = 0;
    perm->v[rank + 1] = rank + 1;
    dims->v[rank + 1] = is_whole                ? hlo_tiles_count(groups) / count
                        : inner->replicate_last ? inner->tile_dims->v[rank]
                                                : 1;
    hlo_tiles order = is_whole ? groups : order_groups(arena, groups, hlo_tiles_of(inner));
    order = hlo_tiles_reshaped(arena, order, dims->v, dims->n - !has_replicas);
    order = hlo_tiles_transposed(arena, order, perm->v);
    return hlo_sharding_of_tiles(arena, order, kinds, 1 + (uint32_t)has_replicas, like);
}

/* Each group is reshaped by itself; subgroups of other kinds are not distinguished. */
static const hlo_sharding *reshape_groups(reshaping *r, const hlo_sharding *s, int manual) {
    hlo_tiles groups = manual_first(r->arena, s, manual);
    r->tiles = hlo_tiles_in_order(r->arena, groups.dims->v + 1, groups.dims->n - 1);
    return ungroup(r->arena, groups, reshape_runs(r), r->to->rank, s);
}

const hlo_sharding *hlo_sharding_reshaped(hlo_arena *arena, const hlo_sharding *s,
                                          const hlo_shape *from, const hlo_shape *to) {
    if (s->kind != HLO_SHARDING_TILED) return s;
    reshaping r = {.arena = arena, .from = from, .to = to, .tiles = hlo_tiles_of(s)};
    int manual = hlo_subgroup_dimension(s, HLO_SHARDING_MANUAL);
    if (manual >= 0) return reshape_groups(&r, s, manual);
    const hlo_sharding *found = reshape_runs(&r);
    hlo_sharding *with = hlo_arena_copy(arena, found, sizeof *with);
    with->has_metadata = s->has_metadata;
    with->metadata = s->metadata;
    return with;
}
