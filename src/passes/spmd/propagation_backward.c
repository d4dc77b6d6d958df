/* Shardings from users to what they use, opcode by opcode. */
#include "passes/spmd/propagation.h"

/* Of the user's result that belongs to operand i. */
static const hlo_sharding *own_part(hlo_propagation *p, const hlo_instr *user, uint32_t i) {
    HLO_ASSERT(i < user->operand_count);
    const hlo_sharding *s = hlo_sharding_on(p, user);
    if (!hlo_shape_is_tuple(user->shape)) return s;
    return i < user->shape->rank ? hlo_sharding_element(&p->arena, s, user->shape, i) : NULL;
}

/* ---- data ---- */

static const hlo_sharding *to_broadcast(hlo_propagation *p, const hlo_instr *user,
                                        const hlo_sharding *s) {
    HLO_ASSERT(user->opcode == HLO_OP_BROADCAST);
    const hlo_ints *dims = hlo_attr_ints(user, HLO_ATTR_DIMENSIONS);
    if (hlo_ints_repeat(dims)) return NULL;
    hlo_ints *added = hlo_ints_new(&p->arena, user->shape->rank);
    bool is_split = false;
    added->n = 0;
    for (uint32_t i = 0; i < user->shape->rank; i++) {
        if (hlo_ints_contain(dims, i)) continue;
        added->v[added->n++] = i;
        is_split |= hlo_tiles_along(s, i) > 1;
    }
    if (!p->is_spmd && is_split) return NULL;
    s = hlo_sharding_replicate(&p->arena, s, added);
    return hlo_sharding_remove_dims(&p->arena, s, added);
}

/* Tiles first up to, and without, end of one dimension, as a sharding over fewer devices. */
static const hlo_sharding *some_tiles(hlo_propagation *p, const hlo_sharding *s, int64_t dim,
                                      int64_t first, int64_t end) {
    hlo_tiles t = hlo_tiles_of(s);
    const hlo_ints *devices = hlo_tiles_listed(&p->arena, t);
    hlo_ints *dims = hlo_ints_from(&p->arena, t.dims->v, t.dims->n);
    hlo_ints *left = hlo_ints_new(&p->arena, devices->n);
    int64_t inner = 1, tiles = t.dims->v[dim];
    for (uint32_t i = (uint32_t)dim + 1; i < dims->n; i++) inner *= dims->v[i];
    dims->v[dim] = end - first;
    left->n = 0;
    for (uint32_t i = 0; i < devices->n; i++)
        if (i / inner % tiles >= first && i / inner % tiles < end)
            left->v[left->n++] = devices->v[i];
    if (left->n == 1) return hlo_sharding_maximal(&p->arena, left->v[0], s);
    return hlo_sharding_retiled(&p->arena, (hlo_tiles){dims, left, NULL}, s);
}

/* Without SPMD, a part goes to the devices that have it in the result. */
static const hlo_sharding *to_part(hlo_propagation *p, const hlo_instr *instr,
                                   const hlo_instr *user, const hlo_sharding *s) {
    int64_t dim = hlo_attr_ints(user, HLO_ATTR_DIMENSIONS)->v[0], start = 0;
    if (p->is_spmd || hlo_tiles_along(s, dim) == 1) return s;
    for (uint32_t i = 0; i < hlo_operand_number(user, instr); i++)
        start += hlo_operand(user, i)->shape->dims[dim];
    int64_t tiles = hlo_tiles_along(s, dim), size = user->shape->dims[dim];
    int64_t tile = size / tiles + (size % tiles > 0);
    if (tile <= 0 || instr->shape->dims[dim] <= 0) return NULL;
    return some_tiles(p, s, dim, start / tile, (start + instr->shape->dims[dim] - 1) / tile + 1);
}

/* Along dimensions that are taken whole. */
static const hlo_sharding *to_sliced(hlo_propagation *p, const hlo_instr *instr,
                                     const hlo_instr *user, const hlo_sharding *s) {
    bool updates = user->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE;
    if (hlo_sharding_is(s, HLO_SHARDING_REPLICATED)) return s;
    if (updates && instr == hlo_operand(user, 0)) return s;
    if (instr != hlo_operand(user, updates)) return NULL;
    hlo_ints *sliced = hlo_ints_new(&p->arena, user->shape->rank);
    sliced->n = 0;
    for (uint32_t i = 0; i < user->shape->rank; i++)
        if (user->shape->dims[i] != instr->shape->dims[i]) sliced->v[sliced->n++] = i;
    return hlo_sharding_replicate(&p->arena, s, sliced);
}

static const hlo_sharding *to_transposed(hlo_propagation *p, const hlo_instr *user,
                                         const hlo_sharding *s) {
    HLO_ASSERT(user->opcode == HLO_OP_TRANSPOSE);
    const hlo_ints *dims = hlo_attr_ints(user, HLO_ATTR_DIMENSIONS);
    hlo_ints *back = hlo_ints_new(&p->arena, dims->n);
    for (uint32_t i = 0; i < dims->n; i++) back->v[dims->v[i]] = i;
    return hlo_sharding_mapped(&p->arena, s, back->v, back->n);
}

/* ---- reductions, products ---- */

/* Other operands that are reduced may know more about the dimensions that are. */
static const hlo_sharding *to_reduced(hlo_propagation *p, const hlo_instr *instr,
                                      const hlo_instr *user) {
    const hlo_ints *dims = hlo_attr_ints(user, HLO_ATTR_DIMENSIONS);
    if (instr->shape->rank == 0) return NULL;
    const hlo_sharding *s = own_part(p, user, hlo_operand_number(user, instr));
    if (!s) return NULL;
    hlo_ints *tiles = hlo_ints_new(&p->arena, instr->shape->rank);
    for (uint32_t i = 0, next = 0; i < tiles->n; i++)
        tiles->v[i] = hlo_ints_contain(dims, i) ? 1 : hlo_tiles_along(s, next++);
    s = hlo_sharding_with_dims(&p->arena, s, tiles->v, tiles->n);
    for (uint32_t i = 0; i < user->operand_count / 2; i++) {
        const hlo_instr *other = hlo_operand(user, i);
        if (other != instr && hlo_sharding_on(p, other))
            hlo_sharding_merge(&p->arena, hlo_sharding_on(p, other), &s);
    }
    return s;
}

static const hlo_sharding *to_factor(hlo_propagation *p, const hlo_instr *instr,
                                     const hlo_instr *user, int level) {
    if (hlo_shape_is_tuple(hlo_operand(user, 1)->shape)) return NULL; /* sparse */
    uint32_t i = hlo_operand_number(user, instr);
    hlo_product_dims d = hlo_product_dims_of(&p->arena, user);
    if (d.spatial.n) return NULL;
    return hlo_product_to_operand(&p->arena, &d, i, hlo_sharding_on(p, user),
                                  hlo_sharding_on(p, hlo_operand(user, 1 - i)),
                                  p->is_spmd && level > 0);
}

/* ---- gather and scatter ---- */

static const hlo_sharding *to_gathered(hlo_propagation *p, const hlo_instr *instr,
                                       const hlo_instr *user, const hlo_sharding *s) {
    hlo_indexed x = hlo_indexed_of(&p->arena, user, &p->graph);
    if (instr == hlo_operand(user, 1)) return hlo_indexed_windows_to_indices(&p->arena, &x, s);
    return p->is_spmd ? hlo_gather_operand_from_result(&p->arena, &x, s) : NULL;
}

/* What all updates that are split mean for the indices. */
static const hlo_sharding *to_scatter_indices(hlo_propagation *p, const hlo_instr *scatter,
                                              const hlo_indexed *x) {
    uint32_t first = scatter->operand_count / 2 + 1, n = 0;
    const hlo_sharding **found =
        HLO_NEW_ARRAY(&p->arena, const hlo_sharding *, scatter->operand_count);
    for (uint32_t i = first; i < scatter->operand_count; i++) {
        const hlo_instr *update = hlo_operand(scatter, i);
        if (!hlo_is_partitioned(p, update)) continue;
        found[n] = hlo_indexed_windows_to_indices(&p->arena, x, hlo_sharding_on(p, update));
        if (found[n]) n++;
    }
    return n ? hlo_sharding_common(&p->arena, found, n, NULL) : NULL;
}

/* By the result first, then by the indices. */
static const hlo_sharding *to_scatter_update(hlo_propagation *p, const hlo_instr *scatter,
                                             uint32_t i, const hlo_indexed *x) {
    const hlo_sharding *by_indices = NULL, *by_result = NULL;
    if (hlo_is_partitioned(p, x->indices))
        by_indices = hlo_indexed_indices_to_windows(&p->arena, x, hlo_sharding_on(p, x->indices));
    if (p->is_spmd)
        by_result = hlo_scatter_update_from_result(&p->arena, x, own_part(p, scatter, i));
    if (by_result && by_indices) hlo_sharding_merge(&p->arena, by_indices, &by_result);
    if (by_result && !hlo_sharding_is_whole(by_result)) return by_result;
    return by_indices && !hlo_sharding_is_whole(by_indices) ? by_indices : NULL;
}

static const hlo_sharding *to_scattered(hlo_propagation *p, const hlo_instr *instr,
                                        const hlo_instr *user) {
    uint32_t n = user->operand_count / 2, i = hlo_operand_number(user, instr);
    if (i < n) return own_part(p, user, i);
    hlo_indexed x = hlo_indexed_of(&p->arena, user, &p->graph);
    return i == n ? to_scatter_indices(p, user, &x) : to_scatter_update(p, user, i - n - 1, &x);
}

/* ---- tuples ---- */

/* The most specific one when the instruction is several elements. */
static const hlo_sharding *to_element(hlo_propagation *p, const hlo_instr *instr,
                                      const hlo_instr *user) {
    uint32_t first = hlo_operand_number(user, instr);
    const hlo_sharding *best = own_part(p, user, first);
    for (uint32_t i = first + 1; i < user->operand_count; i++) {
        if (hlo_operand(user, i) != instr) continue;
        const hlo_sharding *s = own_part(p, user, i);
        if (hlo_sharding_is_more_specific(s, best)) best = s;
    }
    return best;
}

/* Leaves that are not known are as little split as the one that is. Recursion is as deep as tuples
 * nest. */
static void fill_leaves(hlo_propagation *p, const hlo_shape *shape, const hlo_sharding *like,
                        const hlo_sharding **leaves, uint32_t *next) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++)
            fill_leaves(p, shape->elements[i], like, leaves, next);
        return;
    }
    uint32_t rank = hlo_shape_is_array(shape) ? shape->rank : 0;
    leaves[(*next)++] = hlo_sharding_replicate_all(&p->arena, like, rank);
}

static const hlo_sharding *to_tuple(hlo_propagation *p, const hlo_instr *instr,
                                    const hlo_instr *user, const hlo_sharding *s) {
    uint32_t first =
        hlo_shape_leaves_before(instr->shape, (uint32_t)hlo_attr_int(user, HLO_ATTR_INDEX));
    uint32_t n = hlo_shape_leaf_count(instr->shape), filled = 0;
    bool is_tuple = s->kind == HLO_SHARDING_TUPLE;
    if ((is_tuple && s->n == 0) || hlo_shape_leaf_count(user->shape) == 0) return NULL;
    const hlo_sharding **leaves = HLO_NEW_ARRAY(&p->arena, const hlo_sharding *, n);
    const hlo_sharding *present = hlo_sharding_on(p, instr);
    if (present) memcpy(leaves, present->elements, n * sizeof *leaves);
    else fill_leaves(p, instr->shape, is_tuple ? s->elements[0] : s, leaves, &filled);
    if (!is_tuple) leaves[first] = s;
    for (uint32_t i = 0; is_tuple && i < s->n; i++) leaves[first + i] = s->elements[i];
    return hlo_sharding_tuple(&p->arena, leaves, n);
}

static const hlo_sharding *to_outfeed(hlo_propagation *p, const hlo_instr *instr,
                                      const hlo_instr *user, const hlo_sharding *s) {
    if (instr != hlo_operand(user, 0)) return NULL;
    if (s->kind != HLO_SHARDING_TUPLE) return hlo_sharding_for_shape(&p->arena, s, instr->shape);
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    if (n > s->n || n == 0) return NULL;
    return hlo_shape_is_tuple(instr->shape) ? hlo_sharding_tuple(&p->arena, s->elements, n)
                                            : s->elements[0];
}

/* ---- all ---- */

static const hlo_sharding *by_opcode(hlo_propagation *p, const hlo_instr *instr,
                                     const hlo_instr *user, int level) {
    const hlo_sharding *s = hlo_sharding_on(p, user);
    uint32_t i = hlo_operand_number(user, instr);
    switch (user->opcode) {
    case HLO_OP_BROADCAST: return to_broadcast(p, user, s);
    case HLO_OP_CONCATENATE: return level == 0 ? NULL : to_part(p, instr, user, s);
    case HLO_OP_CONVOLUTION:
    case HLO_OP_DOT: return to_factor(p, instr, user, level);
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_DYNAMIC_UPDATE_SLICE: return level == 0 ? NULL : to_sliced(p, instr, user, s);
    case HLO_OP_GATHER: return to_gathered(p, instr, user, s);
    case HLO_OP_GET_TUPLE_ELEMENT: return to_tuple(p, instr, user, s);
    case HLO_OP_OUTFEED: return to_outfeed(p, instr, user, s);
    case HLO_OP_PAD: return i == 0 ? s : NULL;
    case HLO_OP_REDUCE: return to_reduced(p, instr, user);
    case HLO_OP_REDUCE_WINDOW: return i < user->operand_count / 2 ? own_part(p, user, i) : NULL;
    case HLO_OP_RESHAPE: return hlo_sharding_reshaped(&p->arena, s, user->shape, instr->shape);
    case HLO_OP_REVERSE:
        return hlo_sharding_reversed(&p->arena, s, hlo_attr_ints(user, HLO_ATTR_DIMENSIONS));
    case HLO_OP_SCAN:
    case HLO_OP_SORT: return own_part(p, user, i);
    case HLO_OP_SCATTER: return to_scattered(p, instr, user);
    case HLO_OP_SLICE: return s;
    case HLO_OP_TRANSPOSE: return to_transposed(p, user, s);
    case HLO_OP_TUPLE: return to_element(p, instr, user);
    default: return hlo_same_sizes(instr->shape, user->shape) ? s : NULL;
    }
}

const hlo_sharding *hlo_sharding_from_user(hlo_propagation *p, const hlo_instr *instr,
                                           const hlo_instr *user, int level) {
    if (!hlo_passes_at_level(user, level) || !hlo_is_partitioned(p, user)) return NULL;
    return by_opcode(p, instr, user, level);
}

/* Manual shardings go where there is nothing else; SPMDFullToShardShape is where they begin. */
static bool from_manual_users(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_shard_node *node = hlo_node(p, instr);
    for (uint32_t i = 0; i < node->user_count; i++) {
        const hlo_instr *user = node->users[i];
        const hlo_sharding *s = hlo_sharding_on(p, user), *found;
        if (!s || hlo_calls_target(user, "SPMDFullToShardShape")) continue;
        if (hlo_shape_is_array(instr->shape) && hlo_sharding_is(s, HLO_SHARDING_MANUAL))
            found = hlo_sharding_manual(&p->arena, s->kind == HLO_SHARDING_TUPLE ? NULL : s);
        else found = hlo_sharding_from_user(p, instr, user, p->level);
        if (!found || !hlo_sharding_is(found, HLO_SHARDING_MANUAL)) continue;
        hlo_set_sharding(p, instr, found);
        return true;
    }
    return false;
}

static bool from_user(hlo_propagation *p, const hlo_instr *instr, const hlo_instr *user) {
    const hlo_sharding *s = hlo_sharding_from_user(p, instr, user, p->level);
    if (s && hlo_is_shard_barrier_to(instr)) s = hlo_sharding_replicated(&p->arena, NULL);
    return hlo_improve(p, instr, s, false);
}

static bool is_generator_state(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_shard_node *node = hlo_node(p, instr);
    for (uint32_t i = 0; i < node->user_count; i++)
        if (node->users[i]->opcode == HLO_OP_RNG_BIT_GENERATOR) return true;
    return false;
}

bool hlo_shard_from_users(hlo_propagation *p, hlo_instr *instr) {
    const hlo_shard_node *node = hlo_node(p, instr);
    if (p->level < 2 && instr->opcode == HLO_OP_BROADCAST) return false;
    if (node->sharding && hlo_sharding_is(node->sharding, HLO_SHARDING_MANUAL)) return false;
    if ((!node->sharding || hlo_sharding_is_whole(node->sharding)) && from_manual_users(p, instr))
        return true;
    if (!hlo_can_be_split(p, instr, false, p->to_parameters != NULL)) return false;
    if (is_generator_state(p, instr)) {
        const hlo_sharding *whole = hlo_sharding_replicated(&p->arena, NULL);
        hlo_set_sharding(p, instr, hlo_sharding_for_shape(&p->arena, whole, instr->shape));
        return true;
    }
    bool improved = false;
    for (uint32_t i = 0; i < node->user_count; i++) improved |= from_user(p, instr, node->users[i]);
    return improved;
}
