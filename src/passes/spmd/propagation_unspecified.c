/* Annotations that leave dimensions open: shardings of operands, users and groups are merged into
 * them there. An annotation that stands before a change between manual and automatic sharding is
 * refined together with that. */
#include <stdlib.h>

#include "base/text.h"
#include "passes/spmd/propagation.h"

/* ---- unspecified_dims=[...] ---- */

/* Takes `[1,2,...]`. */
static bool take_list(hlo_arena *arena, hlo_cursor *c, hlo_ints **list) {
    hlo_ints *out = hlo_ints_new(arena, (uint32_t)(c->end - c->at) / 2 + 1);
    out->n = 0;
    *list = out;
    if (!hlo_take(c, '[')) return false;
    while (!hlo_take(c, ']')) {
        uint64_t value;
        if (out->n && !hlo_take(c, ',')) return false;
        if (!hlo_take_number(c, INT64_MAX, &value)) return false;
        out->v[out->n++] = (int64_t)value;
    }
    return true;
}

const hlo_ints *hlo_unspecified_dims(hlo_propagation *p, const hlo_instr *call) {
    const hlo_attr *config = hlo_instr_attr(call, HLO_ATTR_BACKEND_CONFIG);
    hlo_ints *dims = hlo_ints_new(&p->kept, 0);
    if (!config || config->u.string->len == 0) return dims;
    hlo_cursor c = hlo_cursor_of(*config->u.string);
    while (!hlo_cursor_is_done(&c))
        if (!hlo_take_text(&c, "unspecified_dims=") || !take_list(&p->kept, &c, &dims)) return NULL;
    qsort(dims->v, dims->n, sizeof *dims->v, hlo_by_number);
    return dims;
}

/* ---- merging ---- */

/* The part of `from` that concerns those dimensions. */
static const hlo_sharding *open_part(hlo_propagation *p, const hlo_sharding *from,
                                     const hlo_ints *dims) {
    return hlo_sharding_keep(&p->arena, from, dims);
}

static bool refine(hlo_propagation *p, hlo_instr *annotation, const hlo_sharding *from) {
    const hlo_sharding *s = hlo_sharding_on(p, annotation);
    from = open_part(p, from, hlo_node(p, annotation)->unspecified);
    if (!hlo_sharding_merge(&p->arena, from, &s)) return false;
    hlo_set_sharding(p, annotation, s);
    return true;
}

/* An annotation and the conversion that follows it: one side automatic, the other with a manual
 * subgroup. */
typedef struct {
    hlo_instr *annotation, *conversion;
    const hlo_sharding *automatic, *manual;
} sharding_pair;

static sharding_pair pair_of(const hlo_propagation *p, hlo_instr *annotation,
                             hlo_instr *conversion) {
    bool to_manual = hlo_calls_target(conversion, "SPMDFullToShardShape");
    const hlo_sharding *first = hlo_sharding_on(p, annotation);
    const hlo_sharding *second = hlo_sharding_on(p, conversion);
    return (sharding_pair){annotation, conversion, to_manual ? first : second,
                           to_manual ? second : first};
}

static bool set_pair(hlo_propagation *p, const sharding_pair *pair) {
    bool to_manual = hlo_calls_target(pair->conversion, "SPMDFullToShardShape");
    hlo_set_sharding(p, pair->annotation, to_manual ? pair->automatic : pair->manual);
    hlo_set_sharding(p, pair->conversion, to_manual ? pair->manual : pair->automatic);
    return true;
}

/* Nested manual subgroups are not refined, and what is not replicated cannot be. */
static bool can_be_refined(const sharding_pair *pair) {
    const hlo_sharding *manual = pair->manual;
    return manual && pair->automatic && manual->kind == HLO_SHARDING_TILED &&
           hlo_sharding_has_subgroup(manual, HLO_SHARDING_MANUAL) &&
           !hlo_sharding_has_subgroup(pair->automatic, HLO_SHARDING_MANUAL) &&
           hlo_sharding_has_replicas(manual) && manual->last_kind_count == 2;
}

/* Tiles with the manual subgroup as a dimension of data. */
static const hlo_sharding *manual_as_data(hlo_propagation *p, const hlo_sharding *s) {
    static const uint8_t replicated = HLO_SHARDING_REPLICATED;
    uint32_t n = s->tile_dims->n, rank = hlo_tiled_rank(s);
    hlo_tiles t = hlo_tiles_of(s);
    if (s->last_kinds[1] != HLO_SHARDING_REPLICATED) {
        int64_t *perm = hlo_arena_alloc(&p->arena, n * sizeof *perm);
        for (uint32_t i = 0; i < n; i++) perm[i] = i;
        perm[rank] = n - 1;
        perm[n - 1] = rank;
        t = hlo_tiles_transposed(&p->arena, t, perm);
    }
    return hlo_sharding_of_tiles(&p->arena, t, &replicated, 1, s);
}

/* An automatic sharding that does not know of the manual subgroup. */
static const hlo_sharding *with_manual_of_one(hlo_propagation *p, const hlo_sharding *s) {
    uint32_t rank = hlo_tiled_rank(s);
    static const uint8_t replicated = HLO_SHARDING_REPLICATED;
    hlo_ints *dims = hlo_ints_new(&p->arena, s->tile_dims->n + 1);
    for (uint32_t i = 0; i < dims->n; i++)
        dims->v[i] = i < rank ? s->tile_dims->v[i] : i == rank ? 1 : s->tile_dims->v[i - 1];
    hlo_tiles t = hlo_tiles_reshaped(&p->arena, hlo_tiles_of(s), dims->v, dims->n);
    return hlo_sharding_of_tiles(&p->arena, t, &replicated, 1, s);
}

static const hlo_sharding *manual_again(hlo_propagation *p, const hlo_sharding *s) {
    static const uint8_t kinds[] = {HLO_SHARDING_MANUAL, HLO_SHARDING_REPLICATED};
    return hlo_sharding_of_tiles(&p->arena, hlo_tiles_of(s), kinds,
                                 1 + (uint32_t)hlo_sharding_has_replicas(s), s);
}

static bool refine_from_automatic(hlo_propagation *p, sharding_pair *pair,
                                  const hlo_sharding *from) {
    if (!can_be_refined(pair)) return false;
    from = open_part(p, from, hlo_node(p, pair->annotation)->unspecified);
    if (from->kind != HLO_SHARDING_TILED) return false;
    if (!hlo_sharding_merge(&p->arena, from, &pair->automatic)) return false;
    const hlo_sharding *manual = manual_as_data(p, pair->manual);
    if (!hlo_sharding_merge(&p->arena, with_manual_of_one(p, from), &manual)) return false;
    pair->manual = manual_again(p, manual);
    return set_pair(p, pair);
}

static bool refine_from_manual(hlo_propagation *p, sharding_pair *pair, const hlo_sharding *from) {
    uint8_t kinds[8];
    if (!hlo_sharding_has_subgroup(from, HLO_SHARDING_MANUAL) || !can_be_refined(pair))
        return false;
    from = open_part(p, from, hlo_node(p, pair->annotation)->unspecified);
    if (from->kind != HLO_SHARDING_TILED || from->last_kind_count > sizeof kinds) return false;
    if (!hlo_sharding_merge(&p->arena, from, &pair->manual)) return false;
    memset(kinds, HLO_SHARDING_REPLICATED, sizeof kinds);
    const hlo_sharding *automatic =
        hlo_sharding_of_tiles(&p->arena, hlo_tiles_of(from), kinds, from->last_kind_count, from);
    if (!hlo_sharding_merge(&p->arena, automatic, &pair->automatic)) return false;
    return set_pair(p, pair);
}

/* ---- where it comes from ---- */

/* The only user when it is a conversion; false when that leaves other dimensions open. */
static bool find_conversion(hlo_propagation *p, const hlo_instr *annotation,
                            hlo_instr **conversion) {
    const hlo_shard_node *node = hlo_node(p, annotation);
    *conversion = NULL;
    if (node->user_count != 1) return true;
    hlo_instr *user = node->users[0];
    if (!hlo_calls_target(user, "SPMDFullToShardShape") &&
        !hlo_calls_target(user, "SPMDShardToFullShape"))
        return true;
    const hlo_ints *dims = hlo_unspecified_dims(p, user);
    if (!dims || !hlo_ints_equal(dims, node->unspecified)) return false;
    *conversion = user;
    return true;
}

bool hlo_refine_from_operand(hlo_propagation *p, hlo_instr *annotation, hlo_instr **conversion) {
    const hlo_sharding *s = hlo_sharding_on(p, hlo_operand(annotation, 0));
    *conversion = NULL;
    if (!s || s->kind != HLO_SHARDING_TILED) return false;
    if (!find_conversion(p, annotation, conversion)) return false;
    if (!*conversion) return refine(p, annotation, s);
    sharding_pair pair = pair_of(p, annotation, *conversion);
    return hlo_calls_target(*conversion, "SPMDFullToShardShape")
               ? refine_from_automatic(p, &pair, s)
               : refine_from_manual(p, &pair, s);
}

static bool refine_from_user(hlo_propagation *p, hlo_instr *annotation, hlo_instr *conversion,
                             const hlo_instr *user) {
    const hlo_sharding *s = hlo_sharding_on(p, user);
    if (!s || !hlo_sharding_is_tiled(s)) return false;
    s = hlo_sharding_from_user(p, conversion ? conversion : annotation, user, p->level);
    if (!s || hlo_sharding_is_whole(s) || s->kind == HLO_SHARDING_TUPLE) return false;
    if (!conversion) return refine(p, annotation, s);
    sharding_pair pair = pair_of(p, annotation, conversion);
    return hlo_calls_target(conversion, "SPMDFullToShardShape")
               ? refine_from_manual(p, &pair, s)
               : refine_from_automatic(p, &pair, s);
}

bool hlo_refine_from_users(hlo_propagation *p, hlo_instr *annotation, hlo_instr **conversion) {
    bool changed = false;
    if (!find_conversion(p, annotation, conversion)) return false;
    const hlo_shard_node *node = hlo_node(p, *conversion ? *conversion : annotation);
    for (uint32_t i = 0; i < node->user_count; i++)
        changed |= refine_from_user(p, annotation, *conversion, node->users[i]);
    return changed;
}

bool hlo_refine_from_group(hlo_propagation *p, hlo_instr *annotation,
                           const hlo_shard_group *group) {
    bool changed = false;
    for (uint32_t i = 0; i < group->members.n; i++) {
        const hlo_instr *member = group->members.v[i];
        const hlo_sharding *s = hlo_sharding_on(p, member);
        if (member == annotation || hlo_is_shard_barrier_from(member)) continue;
        if (s && s->kind == HLO_SHARDING_TILED) changed |= refine(p, annotation, s);
    }
    return changed;
}
