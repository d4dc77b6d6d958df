/* What a sharding is, and new ones: of tiles, of tuples, with other metadata, in groups. */
#include "passes/spmd/sharding_rules.h"

/* ---- what a sharding is ---- */

bool hlo_sharding_is(const hlo_sharding *s, hlo_sharding_kind kind) {
    if (s->kind != HLO_SHARDING_TUPLE) return s->kind == kind;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->elements[i]->kind != kind) return false;
    return true;
}

bool hlo_sharding_is_whole(const hlo_sharding *s) {
    return hlo_sharding_is(s, HLO_SHARDING_REPLICATED) || hlo_sharding_is(s, HLO_SHARDING_MAXIMAL);
}

bool hlo_sharding_is_tiled(const hlo_sharding *s) {
    return !hlo_sharding_is_whole(s) && !hlo_sharding_is(s, HLO_SHARDING_MANUAL) &&
           !hlo_sharding_is(s, HLO_SHARDING_UNREDUCED) && !hlo_sharding_is(s, HLO_SHARDING_UNKNOWN);
}

uint32_t hlo_tiled_rank(const hlo_sharding *s) {
    return s->kind == HLO_SHARDING_TILED
               ? s->tile_dims->n - (s->last_kind_count + s->replicate_last)
               : 0;
}

int64_t hlo_tiles_along(const hlo_sharding *s, int64_t dimension) {
    return dimension < hlo_tiled_rank(s) ? s->tile_dims->v[dimension] : 1;
}

int64_t hlo_tile_number(const hlo_sharding *s) {
    int64_t n = 1;
    for (uint32_t i = 0; i < hlo_tiled_rank(s); i++) n *= s->tile_dims->v[i];
    return n;
}

int hlo_subgroup_dimension(const hlo_sharding *s, hlo_sharding_kind kind) {
    if (s->kind != HLO_SHARDING_TILED) return -1;
    for (uint32_t i = 0; i < s->last_kind_count; i++)
        if (s->last_kinds[i] == kind) return (int)(hlo_tiled_rank(s) + i);
    if (kind == HLO_SHARDING_REPLICATED && s->replicate_last) return (int)s->tile_dims->n - 1;
    return -1;
}

bool hlo_sharding_has_replicas(const hlo_sharding *s) {
    return hlo_subgroup_dimension(s, HLO_SHARDING_REPLICATED) >= 0;
}

bool hlo_sharding_has_subgroup(const hlo_sharding *s, hlo_sharding_kind kind) {
    if (s->kind != HLO_SHARDING_TUPLE) return hlo_subgroup_dimension(s, kind) >= 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (hlo_subgroup_dimension(s->elements[i], kind) < 0) return false;
    return true;
}

bool hlo_sharding_can_move(const hlo_sharding *s, const hlo_shape *shape, int64_t dimension) {
    int64_t tiles = hlo_tiles_along(s, dimension);
    if (shape->rank < 2 || shape->dims[dimension] == 1 || tiles == 1) return false;
    for (int64_t i = 0; i < shape->rank; i++)
        if (i != dimension && shape->dims[i] % (tiles * hlo_tiles_along(s, i)) == 0) return true;
    return false;
}

/* ---- new shardings ---- */

static hlo_sharding sharding_like(hlo_sharding_kind kind, const hlo_sharding *like) {
    hlo_sharding s = {.kind = kind};
    if (!like) return s;
    s.has_metadata = like->has_metadata;
    s.metadata = like->metadata;
    return s;
}

/* The counts have been checked when the pass began, and all else is right by construction. */
static const hlo_sharding *made(hlo_arena *arena, const hlo_sharding *read) {
    const char *why;
    return hlo_sharding_canonical(arena, read, &why);
}

const hlo_sharding *hlo_sharding_replicated(hlo_arena *arena, const hlo_sharding *like) {
    hlo_sharding s = sharding_like(HLO_SHARDING_REPLICATED, like);
    return made(arena, &s);
}

const hlo_sharding *hlo_sharding_manual(hlo_arena *arena, const hlo_sharding *like) {
    hlo_sharding s = sharding_like(HLO_SHARDING_MANUAL, like);
    return made(arena, &s);
}

const hlo_sharding *hlo_sharding_maximal(hlo_arena *arena, int64_t device,
                                         const hlo_sharding *like) {
    hlo_sharding s = sharding_like(HLO_SHARDING_MAXIMAL, like);
    s.device = device;
    return made(arena, &s);
}

const hlo_sharding *hlo_sharding_of_tiles(hlo_arena *arena, hlo_tiles t, const uint8_t *kinds,
                                          uint32_t n, const hlo_sharding *like) {
    if (t.devices && t.devices->n == 1) t = hlo_tiles_in_order(arena, t.dims->v, t.dims->n);
    hlo_sharding s = sharding_like(HLO_SHARDING_TILED, like);
    s.tile_dims = t.dims;
    s.devices = t.devices;
    s.iota = t.iota;
    s.last_kinds = kinds;
    s.last_kind_count = n;
    return made(arena, &s);
}

const hlo_sharding *hlo_sharding_retiled(hlo_arena *arena, hlo_tiles t, const hlo_sharding *like) {
    static const uint8_t replicated = HLO_SHARDING_REPLICATED;
    if (like->replicate_last) return hlo_sharding_of_tiles(arena, t, &replicated, 1, like);
    return hlo_sharding_of_tiles(arena, t, like->last_kinds, like->last_kind_count, like);
}

/* ---- tuples ---- */

const hlo_sharding *hlo_sharding_tuple(hlo_arena *arena, const hlo_sharding *const *elements,
                                       uint32_t n) {
    hlo_sharding *s = HLO_NEW(arena, hlo_sharding);
    s->kind = HLO_SHARDING_TUPLE;
    s->n = n;
    s->elements = hlo_arena_copy(arena, elements, n * sizeof *elements);
    return s;
}

const hlo_sharding *hlo_sharding_with_leaf(hlo_arena *arena, const hlo_sharding *tuple, uint32_t i,
                                           const hlo_sharding *leaf) {
    const hlo_sharding **elements =
        hlo_arena_copy(arena, tuple->elements, tuple->n * sizeof *elements);
    elements[i] = leaf;
    hlo_sharding *s = hlo_arena_copy(arena, tuple, sizeof *s);
    s->elements = elements;
    return s;
}

const hlo_sharding *hlo_sharding_element(hlo_arena *arena, const hlo_sharding *s,
                                         const hlo_shape *tuple, uint32_t i) {
    if (s->kind != HLO_SHARDING_TUPLE) return s;
    uint32_t first = hlo_shape_leaves_before(tuple, i);
    const hlo_shape *shape = tuple->elements[i];
    if (!hlo_shape_is_tuple(shape)) return s->elements[first];
    return hlo_sharding_tuple(arena, s->elements + first, hlo_shape_leaf_count(shape));
}

uint32_t hlo_sharding_leaves(const hlo_shape *shape) {
    uint32_t n = hlo_shape_leaf_count(shape);
    return n ? n : 1;
}

/* ---- all elements alike ---- */

static const hlo_sharding *with_metadata(hlo_arena *arena, const hlo_sharding *leaf,
                                         hlo_metadata_list metadata) {
    hlo_sharding *s = hlo_arena_copy(arena, leaf, sizeof *s);
    s->has_metadata = metadata.n != 0;
    s->metadata = metadata;
    return s;
}

const hlo_sharding *hlo_sharding_with_metadata(hlo_arena *arena, const hlo_sharding *s,
                                               hlo_metadata_list metadata) {
    if (s->kind != HLO_SHARDING_TUPLE) return with_metadata(arena, s, metadata);
    const hlo_sharding **elements = hlo_arena_alloc(arena, s->n * sizeof *elements);
    for (uint32_t i = 0; i < s->n; i++)
        elements[i] = with_metadata(arena, s->elements[i], metadata);
    return hlo_sharding_tuple(arena, elements, s->n);
}

static const hlo_sharding *in_group(hlo_arena *arena, const hlo_sharding *leaf, int group_kind,
                                    int64_t group) {
    hlo_sharding *s = hlo_arena_copy(arena, leaf, sizeof *s);
    s->group_kind = group_kind;
    s->group = group;
    return s;
}

const hlo_sharding *hlo_sharding_in_group(hlo_arena *arena, const hlo_sharding *s, int group_kind,
                                          int64_t group) {
    if (s->kind != HLO_SHARDING_TUPLE) return in_group(arena, s, group_kind, group);
    const hlo_sharding **elements = hlo_arena_alloc(arena, s->n * sizeof *elements);
    for (uint32_t i = 0; i < s->n; i++)
        elements[i] = in_group(arena, s->elements[i], group_kind, group);
    return hlo_sharding_tuple(arena, elements, s->n);
}
