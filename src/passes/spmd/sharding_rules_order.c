/* Which of two shardings is better, and what an array shall have that is offered another one. */
#include "passes/spmd/sharding_rules.h"

/* ---- order ---- */

static bool leaf_is_more_specific(const hlo_sharding *a, const hlo_sharding *b) {
    bool manual = a->kind == HLO_SHARDING_MANUAL;
    if (manual && hlo_sharding_is_whole(b)) return true;
    if (manual || b->kind == HLO_SHARDING_MANUAL) return false;
    if (!hlo_sharding_is_whole(b)) return hlo_tile_number(a) > hlo_tile_number(b);
    if (b->kind == HLO_SHARDING_REPLICATED) return a->kind != HLO_SHARDING_REPLICATED;
    return !hlo_sharding_is_whole(a);
}

bool hlo_sharding_is_more_specific(const hlo_sharding *a, const hlo_sharding *b) {
    if (a->kind != HLO_SHARDING_TUPLE) return leaf_is_more_specific(a, b);
    bool better = false;
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        if (leaf_is_more_specific(b->elements[i], a->elements[i])) return false;
        better |= leaf_is_more_specific(a->elements[i], b->elements[i]);
    }
    return better;
}

/* ---- what is done with two shardings ---- */

static bool combine_leaf(hlo_arena *arena, const hlo_sharding *from, const hlo_sharding **dst,
                         bool may_combine) {
    if (may_combine && hlo_sharding_has_replicas(from) && hlo_sharding_has_replicas(*dst)) {
        int64_t a = hlo_tile_number(from), b = hlo_tile_number(*dst);
        if (hlo_sharding_merge_least(arena, from, (a > b ? a : b) + 1, dst)) return true;
    }
    return leaf_is_more_specific(*dst, from);
}

bool hlo_sharding_combine(hlo_arena *arena, const hlo_sharding *from, const hlo_sharding **dst,
                          bool may_combine) {
    if (from->kind != HLO_SHARDING_TUPLE) return combine_leaf(arena, from, dst, may_combine);
    const hlo_sharding **elements = hlo_arena_alloc(arena, from->n * sizeof *elements);
    bool changed = false;
    for (uint32_t i = 0; i < from->n; i++) {
        elements[i] = (*dst)->elements[i];
        changed |= combine_leaf(arena, from->elements[i], &elements[i], may_combine);
    }
    *dst = hlo_sharding_tuple(arena, elements, from->n);
    return changed;
}

const hlo_sharding *hlo_sharding_common(hlo_arena *arena, const hlo_sharding *const *v, uint32_t n,
                                        const hlo_sharding *fallback) {
    const hlo_sharding *common = v[0];
    for (uint32_t i = 1; i < n; i++)
        if (!hlo_sharding_equal(common, v[i]) &&
            !hlo_sharding_merge_least(arena, v[i], hlo_tile_number(common), &common))
            return fallback ? fallback : v[0];
    return common;
}

/* The first is manual where the second is whole, in some element, and never the other way round. */
static bool is_strictly_better(const hlo_sharding *a, const hlo_sharding *b) {
    if (a->kind != HLO_SHARDING_TUPLE)
        return a->kind == HLO_SHARDING_MANUAL && hlo_sharding_is_whole(b);
    bool better = false;
    for (uint32_t i = 0; i < a->n; i++) {
        const hlo_sharding *x = a->elements[i], *y = b->elements[i];
        if (y->kind == HLO_SHARDING_MANUAL && hlo_sharding_is_whole(x)) return false;
        better |= x->kind == HLO_SHARDING_MANUAL && hlo_sharding_is_whole(y);
    }
    return better;
}

/* More tiles on other devices would mean that parts have to be exchanged, unless they are merged.
 */
static bool moves_data(hlo_arena *arena, const hlo_sharding *found, const hlo_sharding *present,
                       const hlo_shape *shape, int64_t tiles) {
    return hlo_shape_is_array(shape) && !hlo_sharding_is_whole(present) &&
           hlo_tile_number(found) == tiles && !hlo_sharding_is_within(arena, shape, found, present);
}

const hlo_sharding *hlo_sharding_improved(hlo_arena *arena, const hlo_sharding *found,
                                          const hlo_sharding *present, const hlo_shape *shape,
                                          bool may_combine, bool freely) {
    bool is_tuple = found->kind == HLO_SHARDING_TUPLE;
    if (present && is_tuple && (present->kind != HLO_SHARDING_TUPLE || present->n != found->n))
        return NULL;
    if (present && !is_tuple && present->kind == HLO_SHARDING_TUPLE) return NULL;
    if (present && is_strictly_better(found, present)) return found;
    if (hlo_sharding_is(found, HLO_SHARDING_MAXIMAL)) return NULL;
    if (!present) return found;
    if (hlo_sharding_is(found, HLO_SHARDING_MANUAL)) return NULL;
    int64_t tiles = hlo_tile_number(found);
    if (!hlo_sharding_combine(arena, present, &found, may_combine)) return NULL;
    if (!freely && moves_data(arena, found, present, shape, tiles)) return NULL;
    return found;
}
