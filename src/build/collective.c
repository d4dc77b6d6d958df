/* Collectives of builders: groups, channels, and results that shard_count decides. */
#include "build/builder.h"
#include "ir/sharding_parts.h"

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
    hlo_builder_next next = hlo_builder_take_next(b);
    for (uint32_t i = 0; i < n; i++)
        elements[i] = is_tuple ? hlo_builder_get_tuple_element(b, operand, i) : operand;
    hlo_builder_give_back(b, next);
    return (hlo_instrs_list){n, elements};
}

/* A tuple in is a tuple out, also of one element. */
static const hlo_instr *as_given(hlo_builder *b, const hlo_instr *operand,
                                 const hlo_instr *result) {
    bool wrapped = hlo_shape_is_tuple(operand->shape) && operand->shape->rank == 1;
    return result && wrapped ? hlo_builder_tuple(b, HLO_INSTRS(result)) : result;
}

/* ---- gathering and reducing ---- */

static const hlo_shape *one_or_tuple(hlo_builder *b, const hlo_shape *const *parts, size_t n) {
    return n == 1 ? parts[0] : hlo_shape_tuple(hlo_builder_shapes(b), parts, (uint32_t)n);
}

static const hlo_shape *shape_of_all(hlo_builder *b, hlo_instrs_list operands) {
    const hlo_shape **parts = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, operands.count);
    for (size_t i = 0; i < operands.count; i++) parts[i] = operands.values[i]->shape;
    return one_or_tuple(b, parts, operands.count);
}

/* The shape of each operand, one dimension so many times as large or as small; of several a tuple.
 * NULL after one error. */
static const hlo_shape *scaled_all(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands,
                                   int64_t dimension, int64_t count, bool divided) {
    const hlo_shape **parts = HLO_NEW_ARRAY(&b->module->arena, const hlo_shape *, operands.count);
    for (size_t i = 0; i < operands.count; i++) {
        if (!operands.values[i]) return NULL;
        parts[i] = scaled(b, opcode, operands.values[i]->shape, dimension, count, divided);
        if (!parts[i]) return NULL;
    }
    return one_or_tuple(b, parts, operands.count);
}

/* By all-gather, or its start, whose shape has the operands too. The shape is inferred where the
 * number of shards is not given. */
static const hlo_instr *gathered(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands,
                                 int64_t dimension, int64_t shard_count, hlo_group_list groups,
                                 int64_t channel_id) {
    const hlo_shape *shape = NULL;
    if (shard_count) {
        shape = scaled_all(b, HLO_OP_ALL_GATHER, operands, dimension, shard_count, false);
        if (!shape) return NULL;
        if (opcode == HLO_OP_ALL_GATHER_START) {
            const hlo_shape *pair[] = {shape_of_all(b, operands), shape};
            shape = one_or_tuple(b, pair, 2);
        }
    }
    return hlo_builder_made(b, opcode, shape, operands,
                            HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, groups),
                                      hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension)));
}

const hlo_instr *hlo_builder_all_gather_tuple(hlo_builder *b, hlo_instrs_list operands,
                                              int64_t all_gather_dim, int64_t shard_count,
                                              hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_CALL(b, NULL);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    return gathered(b, HLO_OP_ALL_GATHER, operands, all_gather_dim, shard_count, replica_groups,
                    channel_id);
}

const hlo_instr *hlo_builder_all_gather(hlo_builder *b, const hlo_instr *operand,
                                        int64_t all_gather_dim, int64_t shard_count,
                                        hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_all_gather_tuple(b, HLO_INSTRS(operand), all_gather_dim, shard_count,
                                        replica_groups, channel_id);
}

const hlo_instr *hlo_builder_all_gather_start(hlo_builder *b, hlo_instrs_list operands,
                                              int64_t all_gather_dim, int64_t shard_count,
                                              hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_CALL(b, NULL);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    return gathered(b, HLO_OP_ALL_GATHER_START, operands, all_gather_dim, shard_count,
                    replica_groups, channel_id);
}

static const hlo_instr *summed(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands,
                               const hlo_computation *computation, hlo_group_list groups,
                               int64_t channel_id) {
    return hlo_builder_made(b, opcode, NULL, operands,
                            HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, groups),
                                      hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

const hlo_instr *hlo_builder_all_reduce_tuple(hlo_builder *b, hlo_instrs_list operands,
                                              const hlo_computation *computation,
                                              hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, computation);
    return summed(b, HLO_OP_ALL_REDUCE, operands, computation, replica_groups, channel_id);
}

const hlo_instr *hlo_builder_all_reduce_start(hlo_builder *b, hlo_instrs_list operands,
                                              const hlo_computation *computation,
                                              hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, computation);
    return summed(b, HLO_OP_ALL_REDUCE_START, operands, computation, replica_groups, channel_id);
}

static const hlo_instr *all_reduced(hlo_builder *b, const hlo_instr *operand,
                                    const hlo_computation *computation, hlo_group_list groups,
                                    int64_t channel_id) {
    const hlo_instr *sum =
        summed(b, HLO_OP_ALL_REDUCE, elements_of(b, operand), computation, groups, channel_id);
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

const hlo_instr *hlo_builder_reduce_scatter_tuple(hlo_builder *b, hlo_instrs_list operands,
                                                  const hlo_computation *computation,
                                                  int64_t scatter_dim, int64_t shard_count,
                                                  hlo_group_list replica_groups,
                                                  int64_t channel_id) {
    HLO_BUILDER_TAKES(b, computation);
    const hlo_shape *shape = NULL;
    if (shard_count) {
        shape = scaled_all(b, HLO_OP_REDUCE_SCATTER, operands, scatter_dim, shard_count, true);
        if (!shape) return NULL;
    }
    return hlo_builder_made(b, HLO_OP_REDUCE_SCATTER, shape, operands,
                            HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, replica_groups),
                                      hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, scatter_dim),
                                      hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

const hlo_instr *hlo_builder_reduce_scatter(hlo_builder *b, const hlo_instr *operand,
                                            const hlo_computation *computation, int64_t scatter_dim,
                                            int64_t shard_count, hlo_group_list replica_groups,
                                            int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand, computation);
    const hlo_instr *parts =
        hlo_builder_reduce_scatter_tuple(b, elements_of(b, operand), computation, scatter_dim,
                                         shard_count, replica_groups, channel_id);
    return as_given(b, operand, parts);
}

/* ---- exchanging ---- */

static const hlo_instr *exchanged(hlo_builder *b, const hlo_instr *operand, int64_t dimension,
                                  hlo_group_list groups, int64_t channel_id) {
    return hlo_builder_made(b, HLO_OP_ALL_TO_ALL, NULL, HLO_INSTRS(operand),
                            HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, groups),
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

/* Without groups, all devices are one: that these are as many as there are parts is in the module
 * only when the group is written out. */
static hlo_group_list groups_of_parts(hlo_builder *b, hlo_group_list given, int64_t parts) {
    if (given.count) return given;
    int64_t *members = HLO_NEW_ARRAY(&b->module->arena, int64_t, parts);
    for (int64_t i = 0; i < parts; i++) members[i] = i;
    hlo_int_list *group = HLO_NEW(&b->module->arena, hlo_int_list);
    *group = (hlo_int_list){(size_t)parts, members};
    return (hlo_group_list){1, group};
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
    if (split_count > HLO_MOST_LISTED_DEVICES)
        return hlo_builder_fail(b, HLO_RULE_SHARD_COUNT,
                                "all-to-all: %lld parts, where there are at most %d devices",
                                (long long)split_count, HLO_MOST_LISTED_DEVICES);
    replica_groups = groups_of_parts(b, replica_groups, split_count);
    const hlo_instr *all = exchanged(b, operand, split_dimension, replica_groups, channel_id);
    if (!all || split_dimension == concat_dimension) return all;
    return regrouped(b, all, split_dimension, concat_dimension, split_count);
}

const hlo_instr *hlo_builder_all_to_all_tuple(hlo_builder *b, hlo_instrs_list operands,
                                              hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_CALL(b, NULL);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    return hlo_builder_made(
        b, HLO_OP_ALL_TO_ALL, NULL, operands,
        HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, replica_groups)));
}

const hlo_instr *hlo_builder_ragged_all_to_all(
    hlo_builder *b, const hlo_instr *input, const hlo_instr *output, const hlo_instr *input_offsets,
    const hlo_instr *send_sizes, const hlo_instr *output_offsets, const hlo_instr *recv_sizes,
    hlo_group_list replica_groups, int64_t channel_id) {
    HLO_BUILDER_TAKES(b, input, output, input_offsets, send_sizes, output_offsets, recv_sizes);
    return hlo_builder_made(
        b, HLO_OP_RAGGED_ALL_TO_ALL, NULL,
        HLO_INSTRS(input, output, input_offsets, send_sizes, output_offsets, recv_sizes),
        HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, replica_groups)));
}

static const hlo_instr *permuted(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands,
                                 hlo_group_list pairs, int64_t channel_id) {
    for (size_t i = 0; i < pairs.count; i++)
        if (pairs.values[i].count != 2)
            return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "%s: pair %zu has %zu numbers",
                                    hlo_ops[opcode].text, i, pairs.values[i].count);
    hlo_attr attr = {.id = HLO_ATTR_SOURCE_TARGET_PAIRS, .u.int_lists = lists_of(b, pairs)};
    return hlo_builder_made(b, opcode, NULL, operands,
                            HLO_ATTRS(hlo_builder_channel(channel_id), attr));
}

const hlo_instr *hlo_builder_collective_permute(hlo_builder *b, const hlo_instr *operand,
                                                hlo_group_list source_target_pairs,
                                                int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    return permuted(b, HLO_OP_COLLECTIVE_PERMUTE, HLO_INSTRS(operand), source_target_pairs,
                    channel_id);
}

const hlo_instr *hlo_builder_collective_permute_tuple(hlo_builder *b, hlo_instrs_list operands,
                                                      hlo_group_list source_target_pairs,
                                                      int64_t channel_id) {
    HLO_BUILDER_CALL(b, NULL);
    return permuted(b, HLO_OP_COLLECTIVE_PERMUTE, operands, source_target_pairs, channel_id);
}

const hlo_instr *hlo_builder_collective_permute_start(hlo_builder *b, hlo_instrs_list operands,
                                                      hlo_group_list source_target_pairs,
                                                      int64_t channel_id) {
    HLO_BUILDER_CALL(b, NULL);
    return permuted(b, HLO_OP_COLLECTIVE_PERMUTE_START, operands, source_target_pairs, channel_id);
}

const hlo_instr *hlo_builder_collective_broadcast_tuple(hlo_builder *b, hlo_instrs_list operands,
                                                        hlo_group_list replica_groups,
                                                        int64_t channel_id, bool has_dynamic_root) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_builder_made(
        b, HLO_OP_COLLECTIVE_BROADCAST, NULL, operands,
        HLO_ATTRS(hlo_builder_channel(channel_id), groups_of(b, replica_groups),
                  hlo_builder_flag(HLO_ATTR_HAS_DYNAMIC_ROOT, has_dynamic_root)));
}

const hlo_instr *hlo_builder_collective_broadcast(hlo_builder *b, const hlo_instr *operand,
                                                  hlo_group_list replica_groups,
                                                  int64_t channel_id) {
    HLO_BUILDER_TAKES(b, operand);
    return hlo_builder_collective_broadcast_tuple(b, HLO_INSTRS(operand), replica_groups,
                                                  channel_id, false);
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
