/* Collectives between partitions, and numbers that each device has for itself. Groups are lists of
 * partitions; where an operation names devices of all replicas, each group stands once for each
 * replica. */
#include "passes/spmd/partition.h"

/* ---- numbers ---- */

bool hlo_all_equal(const int64_t *v, int64_t n) {
    HLO_ASSERT(n > 0);
    bool equal = true;
    for (int64_t i = 1; equal && i < n; i++) equal = v[i] == v[0];
    return equal;
}

static hlo_instr *partition_id(hlo_partitioner *p) {
    const hlo_shape *u32 = hlo_shape_scalar(&p->r->module->shapes, HLO_U32);
    if (!p->id) p->id = hlo_emit(p->r, HLO_OP_PARTITION_ID, u32, NULL, 0, NULL, 0);
    return p->id;
}

hlo_instr *hlo_part_number(hlo_partitioner *p, const int64_t *by_device) {
    const hlo_shape *s32 = hlo_shape_scalar(&p->r->module->shapes, HLO_S32);
    if (hlo_all_equal(by_device, p->count)) return hlo_build_integer(p->r, s32, by_device[0]);
    hlo_literal *table =
        hlo_literal_new(&p->r->module->arena, hlo_shape_of_sizes(p->r, HLO_S32, &p->count, 1));
    for (int64_t i = 0; i < p->count; i++) ((int32_t *)table->data)[i] = (int32_t)by_device[i];
    hlo_instr *id = partition_id(p), *numbers = hlo_emit_constant(p->r, table);
    hlo_instr *own = hlo_build_dynamic_slice(p->r, numbers, &id, (int64_t[]){1});
    return hlo_build_reshape(p->r, own, NULL, 0);
}

hlo_instr **hlo_part_indices(hlo_partitioner *p, uint32_t rank, uint32_t d,
                             const int64_t *by_device) {
    HLO_ASSERT(d < rank);
    const hlo_shape *s32 = hlo_shape_scalar(&p->r->module->shapes, HLO_S32);
    hlo_instr **indices = HLO_NEW_ARRAY(&p->scratch, hlo_instr *, rank);
    hlo_instr *zero = rank > 1 ? hlo_build_integer(p->r, s32, 0) : NULL;
    for (uint32_t k = 0; k < rank; k++) indices[k] = k == d ? hlo_part_number(p, by_device) : zero;
    return indices;
}

/* ---- attributes ---- */

static hlo_attr channel(hlo_partitioner *p) {
    return hlo_attr_of_int(HLO_ATTR_CHANNEL_ID, p->channel++);
}

static hlo_attr groups_attr(hlo_partitioner *p, const hlo_int_lists *groups, int64_t replicas) {
    HLO_ASSERT(replicas > 0 && groups->n > 0);
    hlo_arena *arena = &p->r->module->arena;
    uint32_t n = groups->n, all = (uint32_t)(n * replicas);
    hlo_int_lists *lists = hlo_arena_zero(arena, sizeof *lists + all * sizeof lists->v[0]);
    lists->n = all;
    for (uint32_t g = 0; g < all; g++) {
        hlo_ints *list = hlo_ints_from(arena, groups->v[g % n]->v, groups->v[g % n]->n);
        for (uint32_t i = 0; i < list->n; i++) list->v[i] += g / n * p->count;
        lists->v[g] = list;
    }
    hlo_groups *value = HLO_NEW(arena, hlo_groups);
    *value = (hlo_groups){.form = HLO_GROUPS_LIST,
                          .lists = lists,
                          .group_count = all,
                          .group_size = all ? lists->v[0]->n : 0};
    return (hlo_attr){.id = HLO_ATTR_REPLICA_GROUPS, .u.groups = value};
}

static hlo_attr global_ids(void) {
    return hlo_attr_of_int(HLO_ATTR_USE_GLOBAL_DEVICE_IDS, 1);
}

/* ---- collectives ---- */

static const hlo_shape *grown(hlo_partitioner *p, const hlo_shape *shape, int64_t dimension,
                              int64_t times) {
    HLO_ASSERT(dimension >= 0 && dimension < shape->rank);
    int64_t *sizes = HLO_NEW_ARRAY(&p->scratch, int64_t, shape->rank + 1u);
    memcpy(sizes, shape->dims, shape->rank * sizeof *sizes);
    sizes[dimension] *= times;
    return hlo_shape_array(&p->r->module->shapes, (hlo_type)shape->type, sizes, shape->rank, NULL,
                           shape->layout->minor_to_major, shape->layout->parts);
}

/* Not one of the program: it can go when nothing uses it, as every device has the same code. */
static hlo_instr *emit_own(hlo_partitioner *p, hlo_opcode opcode, const hlo_shape *shape,
                           hlo_instr *part, const hlo_attr *attrs, uint32_t attr_count) {
    HLO_ASSERT(hlo_ops[opcode].class == HLO_CLASS_COLLECTIVE);
    hlo_instr *made = hlo_emit(p->r, opcode, shape, &part, 1, attrs, attr_count);
    made->index = HLO_PART_COLLECTIVE;
    return made;
}

hlo_instr *hlo_part_all_gather(hlo_partitioner *p, hlo_instr *part, int64_t dimension,
                               const hlo_int_lists *groups) {
    hlo_attr attrs[] = {channel(p), groups_attr(p, groups, p->replicas),
                        hlo_attr_of_ints(p->r, HLO_ATTR_DIMENSIONS, &dimension, 1), global_ids()};
    const hlo_shape *shape = grown(p, part->shape, dimension, groups->v[0]->n);
    HLO_ASSERT(dimension >= 0 && dimension < part->shape->rank);
    return emit_own(p, HLO_OP_ALL_GATHER, shape, part, attrs, 4);
}

hlo_instr *hlo_part_all_reduce(hlo_partitioner *p, hlo_instr *part, const hlo_int_lists *groups,
                               hlo_computation *reducer) {
    hlo_attr attrs[] = {channel(p),
                        groups_attr(p, groups, p->replicas),
                        global_ids(),
                        {.id = HLO_ATTR_TO_APPLY, .u.computation = reducer}};
    return emit_own(p, HLO_OP_ALL_REDUCE, part->shape, part, attrs, 4);
}

hlo_instr *hlo_part_sum(hlo_partitioner *p, hlo_instr *part, const hlo_int_lists *groups) {
    hlo_type type = (hlo_type)part->shape->type;
    hlo_opcode opcode = type == HLO_PRED ? HLO_OP_OR : HLO_OP_ADD;
    return hlo_part_all_reduce(p, part, groups, hlo_build_reducer(p->r, opcode, type));
}

hlo_instr *hlo_part_all_to_all(hlo_partitioner *p, hlo_instr *part, int64_t dimension,
                               const hlo_int_lists *groups) {
    HLO_ASSERT(dimension >= 0 && dimension < part->shape->rank);
    hlo_attr attrs[] = {channel(p), groups_attr(p, groups, 1),
                        hlo_attr_of_ints(p->r, HLO_ATTR_DIMENSIONS, &dimension, 1)};
    return emit_own(p, HLO_OP_ALL_TO_ALL, part->shape, part, attrs, 3);
}

hlo_instr *hlo_part_permute(hlo_partitioner *p, hlo_instr *part, const int64_t *source) {
    hlo_arena *arena = &p->r->module->arena;
    hlo_int_lists *pairs =
        hlo_arena_zero(arena, sizeof *pairs + (size_t)p->count * sizeof pairs->v[0]);
    for (int64_t i = 0; i < p->count; i++)
        if (source[i] >= 0)
            pairs->v[pairs->n++] = hlo_ints_from(arena, (int64_t[]){source[i], i}, 2);
    if (!pairs->n) return hlo_build_integer(p->r, part->shape, 0);
    hlo_attr attrs[] = {channel(p), {.id = HLO_ATTR_SOURCE_TARGET_PAIRS, .u.int_lists = pairs}};
    return emit_own(p, HLO_OP_COLLECTIVE_PERMUTE, part->shape, part, attrs, 2);
}
