/* Shardings from operands to the instruction that uses them, opcode by opcode. */
#include "passes/spmd/propagation_forward.h"

/* ---- data ---- */

static bool from_leading(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_instr *operand = hlo_leading_operand(p, instr);
    if (!operand || !hlo_is_partitioned(p, operand)) return false;
    const hlo_sharding *s = hlo_sharding_on(p, operand);
    return hlo_improve(p, instr, hlo_for_all(p, s, instr), hlo_may_move(p, instr));
}

/* Scalars among the operands, as in clamp, are split in no dimension. */
static const hlo_sharding *of_rank(hlo_propagation *p, const hlo_sharding *s, uint32_t rank) {
    if (s->kind != HLO_SHARDING_TILED || hlo_tiled_rank(s) == rank) return s;
    return hlo_sharding_replicate_all(&p->arena, s, rank);
}

static bool from_elements(hlo_propagation *p, const hlo_instr *instr) {
    if (!hlo_is_elementwise_here(instr) || !hlo_may_combine(p)) return from_leading(p, instr);
    bool changed = false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_sharding *s = hlo_split_operand(p, instr, i);
        if (s)
            changed |= hlo_improve(p, instr, of_rank(p, s, instr->shape->rank),
                                   instr->operand_count == 1 && hlo_may_move(p, instr));
    }
    return changed;
}

static bool from_transposed(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_split_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_TRANSPOSE);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    if (!s) return false;
    return hlo_improve(p, instr, hlo_sharding_mapped(&p->arena, s, dims->v, dims->n),
                       hlo_may_move(p, instr));
}

static bool from_reshaped(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_split_operand(p, instr, 0);
    if (!s) return false;
    s = hlo_sharding_reshaped(&p->arena, s, hlo_operand(instr, 0)->shape, instr->shape);
    return hlo_improve(p, instr, s, hlo_may_move(p, instr));
}

static bool from_reversed(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_split_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_REVERSE);
    if (!s) return false;
    s = hlo_sharding_reversed(&p->arena, s, hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS));
    return hlo_improve(p, instr, s, hlo_may_move(p, instr));
}

/* Dimensions that the broadcast adds are not split. It comes last: resharding an operand is cheaper
 * than resharding what was made of it. */
static bool from_broadcast(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_split_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_BROADCAST);
    const hlo_ints *dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    if (p->level < 3 || !s || s->kind != HLO_SHARDING_TILED || hlo_ints_repeat(dims)) return false;
    hlo_ints *tiles = hlo_ints_new(&p->arena, instr->shape->rank);
    for (uint32_t i = 0; i < tiles->n; i++) {
        int64_t from = hlo_ints_find(dims, i);
        tiles->v[i] = from < 0 ? 1 : hlo_tiles_along(s, from);
    }
    return hlo_improve(p, instr, hlo_sharding_with_dims(&p->arena, s, tiles->v, tiles->n),
                       hlo_may_move(p, instr));
}

/* A parameter of repeated layers, reshaped to be one of the parts. */
static bool is_split_layer(const hlo_propagation *p, const hlo_instr *operand) {
    const hlo_sharding *s = hlo_sharding_on(p, operand);
    if (!s || !hlo_is_partitioned(p, operand) || hlo_tile_number(s) < 2) return false;
    if (operand->opcode != HLO_OP_RESHAPE) return false;
    hlo_opcode of = (hlo_opcode)hlo_operand(operand, 0)->opcode;
    return of == HLO_OP_PARAMETER || of == HLO_OP_GET_TUPLE_ELEMENT;
}

static bool from_concatenated(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_CONCATENATE);
    int64_t dim = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    for (uint32_t i = 0; p->level == 0 && i < instr->operand_count; i++)
        if (!is_split_layer(p, hlo_operand(instr, i)) ||
            hlo_tiles_along(hlo_operand_sharding(p, instr, i), dim) > 1)
            return false;
    return from_leading(p, instr);
}

/* Of a dynamic-slice's operand, or a dynamic-update-slice's update, along dimensions that are taken
 * whole. */
static bool from_part(hlo_propagation *p, const hlo_instr *instr) {
    uint32_t i = instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE;
    const hlo_sharding *s = hlo_split_operand(p, instr, i);
    if (!s || s->kind == HLO_SHARDING_MANUAL) return false;
    const hlo_shape *part = hlo_operand(instr, i)->shape;
    hlo_ints *sliced = hlo_ints_new(&p->arena, part->rank);
    sliced->n = 0;
    for (uint32_t d = 0; d < part->rank; d++)
        if (part->dims[d] != instr->shape->dims[d]) sliced->v[sliced->n++] = d;
    return hlo_improve(p, instr, hlo_sharding_replicate(&p->arena, s, sliced),
                       hlo_may_move(p, instr));
}

static bool from_update(hlo_propagation *p, const hlo_instr *instr) {
    HLO_ASSERT(instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE);
    bool changed = from_part(p, instr);
    return hlo_improve(p, instr, hlo_split_operand(p, instr, 0), false) || changed;
}

/* ---- tuples, calls ---- */

static bool from_element(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_split_operand(p, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    if (!s) return false;
    s = hlo_sharding_element(&p->arena, s, hlo_operand(instr, 0)->shape,
                             (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX));
    if (!hlo_sharding_is(s, HLO_SHARDING_MANUAL))
        return hlo_improve(p, instr, s, hlo_may_move(p, instr));
    hlo_set_sharding(p, instr, s);
    return true;
}

/* What an outfeed has is that of its data and, last, its token. */
static const hlo_sharding *leaf_of(const hlo_sharding *s, const hlo_shape *shape, uint32_t i) {
    if (s->kind != HLO_SHARDING_TUPLE) return s;
    return hlo_shape_is_tuple(shape) ? s->elements[i] : s->elements[s->n - 1];
}

static bool is_any_operand_split(const hlo_propagation *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_split_operand(p, instr, i)) return true;
    return false;
}

/* A tuple that had a sharding takes only what is more specific. */
static bool from_elements_of_tuple(hlo_propagation *p, const hlo_instr *tuple) {
    const hlo_sharding *present = hlo_sharding_on(p, tuple);
    if (!is_any_operand_split(p, tuple)) return false;
    const hlo_sharding *all =
        present ? present : hlo_for_all(p, hlo_sharding_replicated(&p->arena, NULL), tuple);
    const hlo_sharding **leaves = hlo_arena_copy(&p->arena, all->elements, all->n * sizeof *leaves);
    uint32_t next = 0;
    for (uint32_t i = 0; i < tuple->operand_count; i++) {
        const hlo_shape *shape = hlo_operand(tuple, i)->shape;
        const hlo_sharding *s = hlo_operand_sharding(p, tuple, i);
        uint32_t n = hlo_shape_leaf_count(shape);
        for (uint32_t k = 0; s && k < n; k++) {
            const hlo_sharding *leaf = leaf_of(s, shape, k);
            if (!present || hlo_sharding_is_more_specific(leaf, leaves[next + k]))
                leaves[next + k] = leaf;
        }
        next += n;
    }
    const hlo_sharding *found = hlo_sharding_tuple(&p->arena, leaves, all->n);
    if (present && hlo_sharding_equal(found, present)) return false;
    hlo_set_sharding(p, tuple, found);
    return true;
}

static bool from_state(hlo_propagation *p, const hlo_instr *loop) {
    const hlo_sharding *s = hlo_operand_sharding(p, loop, 0), *present = hlo_sharding_on(p, loop);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!s) return false;
    if (present && present->kind == s->kind)
        hlo_sharding_combine(&p->arena, present, &s, hlo_may_combine(p));
    return hlo_improve(p, loop, s, false);
}

/* What a conditional or a call passes. */
static bool from_argument(hlo_propagation *p, const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    const hlo_instr *caller = p->callers[parameter->parent->id];
    if (!caller) return false;
    if (caller->opcode == HLO_OP_CALL) {
        uint32_t i = (uint32_t)hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
        return hlo_improve(p, parameter, hlo_operand_sharding(p, caller, i), false);
    }
    for (uint32_t i = 1; caller->opcode == HLO_OP_CONDITIONAL && i < caller->operand_count; i++)
        if (hlo_called(caller, i - 1) == parameter->parent)
            return hlo_improve(p, parameter, hlo_operand_sharding(p, caller, i), false);
    return false;
}

/* What the operands have in common along the batch. */
static bool from_batched(hlo_propagation *p, const hlo_instr *call, uint32_t n) {
    hlo_ints *batch = hlo_ints_new(&p->arena, n);
    for (uint32_t d = 0; d < n; d++) batch->v[d] = d;
    const hlo_sharding **all = HLO_NEW_ARRAY(&p->arena, const hlo_sharding *, call->operand_count);
    uint32_t known = 0;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        const hlo_sharding *s = hlo_split_operand(p, call, i);
        if (s && s->kind == HLO_SHARDING_TILED)
            all[known++] = hlo_sharding_along(&p->arena, s, batch, batch, n);
    }
    const hlo_sharding *common = known ? hlo_sharding_common(&p->arena, all, known, all[0]) : NULL;
    bool changed = false;
    for (uint32_t i = 0; common && i < hlo_shape_part_count(call->shape); i++) {
        const hlo_shape *leaf = hlo_shape_part(call->shape, i);
        const hlo_sharding *s = hlo_sharding_along(&p->arena, common, batch, batch, leaf->rank);
        changed |= hlo_shape_is_tuple(call->shape)
                       ? hlo_improve_leaf(p, call, i, s, hlo_may_move(p, call))
                       : hlo_improve(p, call, s, hlo_may_move(p, call));
    }
    return changed;
}

static bool from_custom_call(hlo_propagation *p, const hlo_instr *call) {
    HLO_ASSERT(call->opcode == HLO_OP_CUSTOM_CALL);
    uint32_t batch = hlo_call_batch_dims(call);
    if (batch) return from_batched(p, call, batch);
    if (hlo_is_shard_barrier_from(call)) return false;
    if (hlo_is_shard_barrier_to(call))
        return hlo_improve(p, call, hlo_operand_sharding(p, call, 0), hlo_may_move(p, call));
    return from_leading(p, call);
}

/* ---- all ---- */

static bool from_opcode(hlo_propagation *p, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_BROADCAST: return from_broadcast(p, instr);
    case HLO_OP_CONCATENATE: return from_concatenated(p, instr);
    case HLO_OP_CONVOLUTION: return hlo_shard_from_convolved(p, instr);
    case HLO_OP_CUSTOM_CALL: return from_custom_call(p, instr);
    case HLO_OP_DOT: return hlo_shard_from_dot(p, instr);
    case HLO_OP_DYNAMIC_SLICE: return from_part(p, instr);
    case HLO_OP_DYNAMIC_UPDATE_SLICE: return from_update(p, instr);
    case HLO_OP_GATHER: return hlo_shard_from_gathered(p, instr);
    case HLO_OP_GET_TUPLE_ELEMENT: return from_element(p, instr);
    case HLO_OP_PARAMETER: return from_argument(p, instr);
    case HLO_OP_REDUCE: return hlo_shard_from_reduced(p, instr);
    case HLO_OP_REDUCE_WINDOW: return hlo_shard_from_windows(p, instr);
    case HLO_OP_RESHAPE: return from_reshaped(p, instr);
    case HLO_OP_REVERSE: return from_reversed(p, instr);
    case HLO_OP_SCAN: return hlo_shard_from_scanned(p, instr);
    case HLO_OP_SCATTER: return hlo_shard_from_scattered(p, instr);
    case HLO_OP_SELECT_AND_SCATTER: return hlo_shard_from_selected(p, instr);
    case HLO_OP_SORT: return hlo_shard_from_sorted(p, instr);
    case HLO_OP_TRANSPOSE: return from_transposed(p, instr);
    case HLO_OP_TUPLE: return from_elements_of_tuple(p, instr);
    case HLO_OP_WHILE: return from_state(p, instr);
    default: return from_elements(p, instr);
    }
}

/* A tuple of things that belong together. */
static bool is_one_thing(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_CUSTOM_CALL:
    case HLO_OP_REDUCE:
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_SCAN:
    case HLO_OP_SORT: return true;
    default: return hlo_shape_is_array(instr->shape);
    }
}

static const hlo_sharding *manual_operand(const hlo_propagation *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_sharding *s = hlo_operand_sharding(p, instr, i);
        if (s && hlo_sharding_is(s, HLO_SHARDING_MANUAL)) return s;
    }
    return NULL;
}

/* Manual shardings go where there is nothing else. Too early for concatenations and slices; an
 * SPMDShardToFullShape is where they end. */
static bool from_manual(hlo_propagation *p, const hlo_instr *instr, const hlo_sharding *s) {
    if (hlo_calls_target(instr, "SPMDShardToFullShape")) return false;
    if (p->level == 0 &&
        (instr->opcode == HLO_OP_CONCATENATE || instr->opcode == HLO_OP_DYNAMIC_SLICE))
        return false;
    const hlo_sharding *like = s->kind == HLO_SHARDING_TUPLE ? NULL : s;
    hlo_set_sharding(p, instr, hlo_for_all(p, hlo_sharding_manual(&p->arena, like), instr));
    return true;
}

/* What cannot be split is replicated if an operand is. */
static bool from_replicated(hlo_propagation *p, const hlo_instr *instr) {
    if (hlo_shape_is_tuple(instr->shape) || instr == instr->parent->root ||
        hlo_call_graph_effect(&p->graph, instr))
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_sharding *s = hlo_operand_sharding(p, instr, i);
        if (s && hlo_sharding_is(s, HLO_SHARDING_REPLICATED))
            return s->kind == HLO_SHARDING_REPLICATED && hlo_improve(p, instr, s, false);
    }
    return false;
}

bool hlo_shard_from_operands(hlo_propagation *p, hlo_instr *instr) {
    if (!hlo_passes_at_level(instr, p->level) || instr->shape->type == HLO_BUFFER) return false;
    const hlo_sharding *present = hlo_sharding_on(p, instr);
    if (present && hlo_sharding_is(present, HLO_SHARDING_MANUAL)) return false;
    if (is_one_thing(instr) && (!present || hlo_sharding_is_whole(present))) {
        const hlo_sharding *manual = manual_operand(p, instr);
        if (manual) return from_manual(p, instr, manual);
    }
    if (!hlo_can_be_split(p, instr, p->to_output != NULL, false)) return from_replicated(p, instr);
    return from_opcode(p, instr);
}
