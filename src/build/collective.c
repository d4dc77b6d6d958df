/* Collectives of builders: groups, channels, and results that shard_count decides. Called through
 * hlo_builder.h. */
#include "build/builder.h"

/* ---- attributes ---- */

static const hlo_int_lists *lists_of(hlo_builder *b, hlo_group_list given) {
    hlo_arena *arena = &b->module->arena;
    hlo_int_lists *lists = hlo_arena_alloc(arena, sizeof *lists + given.count * sizeof lists->v[0]);
    lists->n = (uint32_t)given.count;
    for (size_t i = 0; i < given.count; i++)
        lists->v[i] = hlo_ints_from(arena, given.values[i].values, (uint32_t)given.values[i].count);
    return lists;
}

static hlo_attr groups_of(hlo_builder *b, hlo_group_list given) {
    const char *why;
    hlo_groups read = {.form = HLO_GROUPS_LIST, .lists = lists_of(b, given)};
    return (hlo_attr){.id = HLO_ATTR_REPLICA_GROUPS,
                      .u.groups = hlo_groups_canonical(&b->module->arena, &read, &why)};
}

static hlo_attr channel(int64_t id) {
    return id ? hlo_builder_int(HLO_ATTR_CHANNEL_ID, id) : hlo_builder_no_attr();
}

/* ---- sizes ---- */

/* The operand with one dimension so many times as large (divided: as small). */
static const hlo_shape *scaled(hlo_builder *b, hlo_opcode opcode, const hlo_shape *shape,
                               int64_t dimension, int64_t count, bool divided) {
    const char *name = hlo_ops[opcode].text, *text = hlo_shape_name(&b->module->arena, shape);
    bool fits = hlo_shape_is_array(shape) && dimension >= 0 && dimension < shape->rank;
    if (!fits) {
        hlo_builder_fail(b, HLO_RULE_SHARD_DIMENSION, "%s: %s has no dimension %lld", name, text,
                         (long long)dimension);
        return NULL;
    }
    int64_t *dims = hlo_arena_copy(&b->module->arena, shape->dims, shape->rank * sizeof *dims);
    bool good =
        count > 0 && (divided ? dims[dimension] % count == 0
                              : !__builtin_mul_overflow(dims[dimension], count, &dims[dimension]));
    if (good && divided) dims[dimension] /= count;
    if (good) return hlo_builder_resized(b, shape, dims, shape->rank);
    hlo_builder_fail(b, HLO_RULE_SHARD_COUNT, "%s: %lld parts of dimension %lld of %s", name,
                     (long long)count, (long long)dimension, text);
    return NULL;
}

/* ---- all arrays of a tuple ---- */

/* An array, or all elements of a tuple. */
static hlo_instrs_list elements_of(hlo_builder *b, const hlo_instr *operand) {
    uint32_t n = hlo_shape_part_count(operand->shape);
    const hlo_instr **elements = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, n);
    bool is_tuple = hlo_shape_is_tuple(operand->shape);
    for (uint32_t i = 0; i < n; i++)
        elements[i] = is_tuple ? hlo_builder_get_tuple_element(b, operand, i) : operand;
    return (hlo_instrs_list){n, elements};
}

/* A tuple in is a tuple out, also of one element. */
static const hlo_instr *as_given(hlo_builder *b, const hlo_instr *operand,
                                 const hlo_instr *result) {
    bool wrapped = hlo_shape_is_tuple(operand->shape) && operand->shape->rank == 1;
    return result && wrapped ? hlo_builder_tuple(b, HLO_INSTRS(result)) : result;
}

/* ---- gathering and reducing ---- */

const hlo_instr *hlo_builder_all_gather(hlo_builder *b, const hlo_instr *operand,
                                        int64_t all_gather_dim, int64_t shard_count,
                                        hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    const hlo_shape *shape = NULL;
    if (shard_count) {
        shape = scaled(b, HLO_OP_ALL_GATHER, operand->shape, all_gather_dim, shard_count, false);
        if (!shape) return NULL;
    }
    return hlo_builder_made(b, HLO_OP_ALL_GATHER, shape, HLO_INSTRS(operand),
                            HLO_ATTRS(channel(channel_id), groups_of(b, replica_groups),
                                      hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, all_gather_dim)));
}

static const hlo_instr *all_reduced(hlo_builder *b, const hlo_instr *operand,
                                    const hlo_computation *computation, hlo_group_list groups,
                                    int64_t channel_id) {
    const hlo_instr *sum =
        hlo_builder_made(b, HLO_OP_ALL_REDUCE, NULL, elements_of(b, operand),
                         HLO_ATTRS(channel(channel_id), groups_of(b, groups),
                                   hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
    return as_given(b, operand, sum);
}

const hlo_instr *hlo_builder_all_reduce(hlo_builder *b, const hlo_instr *operand,
                                        const hlo_computation *computation,
                                        hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand, computation);
    return all_reduced(b, operand, computation, replica_groups, channel_id);
}

const hlo_instr *hlo_builder_cross_replica_sum(hlo_builder *b, const hlo_instr *operand,
                                               hlo_group_list replica_groups) {
    HLO_BUILDER_TAKES(b, operand);
    const hlo_shape *first = operand->shape;
    if (hlo_shape_is_tuple(first) && first->rank) first = first->elements[0];
    if (!hlo_shape_is_array(first))
        return hlo_builder_fail(b, HLO_RULE_ARRAY_OPERAND, "all-reduce: the operand is %s",
                                hlo_shape_name(&b->module->arena, operand->shape));
    const hlo_computation *sum = hlo_builder_reducer(b, "add", hlo_shape_type(first));
    return sum ? all_reduced(b, operand, sum, replica_groups, 0) : NULL;
}

/* The shape of the parts, or NULL after one error. */
static const hlo_shape *scattered_shape(hlo_builder *b, hlo_instrs_list operands, int64_t dimension,
                                        int64_t count) {
    const hlo_shape **parts = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, operands.count);
    for (size_t i = 0; i < operands.count; i++) {
        parts[i] = operands.values[i] ? scaled(b, HLO_OP_REDUCE_SCATTER, operands.values[i]->shape,
                                               dimension, count, true)
                                      : NULL;
        if (!parts[i]) return NULL;
    }
    return operands.count == 1
               ? parts[0]
               : hlo_shape_tuple(hlo_builder_shapes(b), parts, (uint32_t)operands.count);
}

const hlo_instr *hlo_builder_reduce_scatter(hlo_builder *b, const hlo_instr *operand,
                                            const hlo_computation *computation, int64_t scatter_dim,
                                            int64_t shard_count, hlo_group_list replica_groups,
                                            int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand, computation);
    hlo_instrs_list operands = elements_of(b, operand);
    const hlo_shape *shape = NULL;
    if (shard_count) {
        shape = scattered_shape(b, operands, scatter_dim, shard_count);
        if (!shape) return NULL;
    }
    const hlo_instr *parts =
        hlo_builder_made(b, HLO_OP_REDUCE_SCATTER, shape, operands,
                         HLO_ATTRS(channel(channel_id), groups_of(b, replica_groups),
                                   hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, scatter_dim),
                                   hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
    return as_given(b, operand, parts);
}

/* ---- exchanging ---- */

static const hlo_instr *exchanged(hlo_builder *b, const hlo_instr *operand, int64_t dimension,
                                  hlo_group_list groups, int64_t channel_id) {
    return hlo_builder_made(b, HLO_OP_ALL_TO_ALL, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(channel(channel_id), groups_of(b, groups),
                                      hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension)));
}

/* What came from the members of the group stands one after the other along `split`; it is moved
 * before what each sent along `concat`. */
static const hlo_instr *regrouped(hlo_builder *b, const hlo_instr *operand, int64_t split,
                                  int64_t concat, int64_t count) {
    const hlo_shape *shape = operand->shape;
    uint32_t rank = shape->rank, n = 0;
    int64_t *sizes = HLO_NEW_ARRAY(&b->module->arena, int64_t, 3 * (rank + 1));
    int64_t *order = sizes + rank + 1, *result = order + rank + 1;
    for (int64_t i = 0; i < rank; i++) {
        if (i == split) sizes[n++] = count;
        sizes[n++] = i == split ? shape->dims[i] / count : shape->dims[i];
        result[i] = shape->dims[i];
    }
    n = 0;
    for (int64_t i = 0; i <= rank; i++) {
        int64_t own = i < split ? i : i - 1; /* the dimension, but for the new one at `split` */
        if (i == split) continue;
        if (own == concat) order[n++] = split;
        order[n++] = i;
    }
    result[split] /= count;
    if (__builtin_mul_overflow(result[concat], count, &result[concat])) return NULL;
    hlo_int_list none = {0, NULL};
    const hlo_instr *parts = hlo_builder_reshape(b, operand, none, (hlo_int_list){rank + 1, sizes});
    parts =
        hlo_builder_failed(b) ? NULL : hlo_builder_transpose(b, parts, (hlo_int_list){n, order});
    return parts ? hlo_builder_reshape(b, parts, none, (hlo_int_list){rank, result}) : NULL;
}

const hlo_instr *hlo_builder_all_to_all(hlo_builder *b, const hlo_instr *operand,
                                        int64_t split_dimension, int64_t concat_dimension,
                                        int64_t split_count, hlo_group_list replica_groups,
                                        int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    if (!scaled(b, HLO_OP_ALL_TO_ALL, operand->shape, split_dimension, split_count, true) ||
        !scaled(b, HLO_OP_ALL_TO_ALL, operand->shape, concat_dimension, split_count, false))
        return NULL;
    for (size_t i = 0; i < replica_groups.count; i++)
        if (replica_groups.values[i].count != (size_t)split_count)
            return hlo_builder_fail(b, HLO_RULE_SHARD_COUNT,
                                    "all-to-all: %lld parts for a group of %zu",
                                    (long long)split_count, replica_groups.values[i].count);
    const hlo_instr *all = exchanged(b, operand, split_dimension, replica_groups, channel_id);
    if (!all || split_dimension == concat_dimension) return all;
    return regrouped(b, all, split_dimension, concat_dimension, split_count);
}

const hlo_instr *hlo_builder_collective_permute(hlo_builder *b, const hlo_instr *operand,
                                                hlo_group_list source_target_pairs,
                                                int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    for (size_t i = 0; i < source_target_pairs.count; i++)
        if (source_target_pairs.values[i].count != 2)
            return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                                    "collective-permute: pair %zu has %zu numbers", i,
                                    source_target_pairs.values[i].count);
    hlo_attr pairs = {.id = HLO_ATTR_SOURCE_TARGET_PAIRS,
                      .u.int_lists = lists_of(b, source_target_pairs)};
    return hlo_builder_made(b, HLO_OP_COLLECTIVE_PERMUTE, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(channel(channel_id), pairs));
}

const hlo_instr *hlo_builder_collective_broadcast(hlo_builder *b, const hlo_instr *operand,
                                                  hlo_group_list replica_groups,
                                                  int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_made(b, HLO_OP_COLLECTIVE_BROADCAST, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(channel(channel_id), groups_of(b, replica_groups)));
}

/* ---- who runs ---- */

const hlo_instr *hlo_builder_replica_id(hlo_builder *b) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_builder_made(b, HLO_OP_REPLICA_ID, NULL, HLO_NO_INSTRS, HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_partition_id(hlo_builder *b) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_builder_made(b, HLO_OP_PARTITION_ID, NULL, HLO_NO_INSTRS, HLO_NO_ATTRS);
}
