/* Collectives by simpler ones: all-reduces instead of others, groups, and places of devices in
 * them. */
#include "passes/expand/collective_parts.h"
#include "shape/collective_groups.h"

static const hlo_groups *groups_of(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_REPLICA_GROUPS);
    return attr ? attr->u.groups : NULL;
}

int64_t hlo_members_of_group(const hlo_rewriter *r, const hlo_instr *instr) {
    hlo_group_mode mode = hlo_group_mode_of(instr);
    if (mode == HLO_GROUP_IMPOSSIBLE) return 0;
    return hlo_collective_group_size(r->module, mode, groups_of(instr));
}

uint32_t hlo_kept_group_attrs(const hlo_instr *from, hlo_opcode opcode, hlo_attr *attrs) {
    static const hlo_attr_id kept[] = {HLO_ATTR_CHANNEL_ID, HLO_ATTR_REPLICA_GROUPS,
                                       HLO_ATTR_CONSTRAIN_LAYOUT, HLO_ATTR_USE_GLOBAL_DEVICE_IDS,
                                       HLO_ATTR_FRONTEND_ATTRIBUTES};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const hlo_attr *attr = hlo_instr_attr(from, kept[i]);
        bool has = kept[i] == HLO_ATTR_FRONTEND_ATTRIBUTES ||
                   hlo_op_attr(opcode, kept[i]) != HLO_ATTR_COUNT;
        if (attr && has) attrs[n++] = *attr;
    }
    return n;
}

/* XLA requires that all all-reduces of a module constrain their layout, or none does. */
typedef enum { NO_ALL_REDUCE, FREE_LAYOUTS, PINNED_LAYOUTS } layout_rule;

static layout_rule rule_of(const hlo_instr *collective) {
    return hlo_attr_int(collective, HLO_ATTR_CONSTRAIN_LAYOUT) ? PINNED_LAYOUTS : FREE_LAYOUTS;
}

static layout_rule rule_of_module(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (i->opcode == HLO_OP_ALL_REDUCE || i->opcode == HLO_OP_ALL_REDUCE_START)
                return rule_of(i);
    return NO_ALL_REDUCE;
}

/* The first all-reduce decides for the others. */
hlo_pass_result hlo_pass_all_reduce_patterns(const hlo_pass_call *call) {
    layout_rule rule = rule_of_module(call->module);
    call->rewriter->context = &rule;
    hlo_pass_result result = hlo_pass_patterns(call);
    call->rewriter->context = NULL;
    return result;
}

static bool may_be_all_reduce(const hlo_rewriter *r, const hlo_instr *collective) {
    const hlo_attr *channel = hlo_instr_attr(collective, HLO_ATTR_CHANNEL_ID);
    if (channel && channel->u.i <= 0)
        return false; /* the verifier requires a positive channel on all-reduce */
    layout_rule rule = *(const layout_rule *)r->context;
    return rule == NO_ALL_REDUCE || rule == rule_of(collective);
}

hlo_instr *hlo_all_reduce_like(hlo_rewriter *r, const hlo_instr *like, const hlo_shape *shape,
                               hlo_instr *const *operands, uint32_t count,
                               hlo_computation *reducer) {
    hlo_attr attrs[HLO_MOST_KEPT_ATTRS];
    uint32_t n = hlo_kept_group_attrs(like, HLO_OP_ALL_REDUCE, attrs);
    *(layout_rule *)r->context = rule_of(like);
    attrs[n++] = (hlo_attr){.id = HLO_ATTR_TO_APPLY, .u.computation = reducer};
    return hlo_emit(r, HLO_OP_ALL_REDUCE, shape, operands, count, attrs, n);
}

static const hlo_shape *u32(hlo_rewriter *r) {
    return hlo_shape_scalar(&r->module->shapes, HLO_U32);
}

/* The number of a replica, with its partitions counted: index * partitions + partition. */
static hlo_instr *flattened(hlo_rewriter *r, hlo_instr *index) {
    int64_t partitions = hlo_module_int(r->module, HLO_ATTR_NUM_PARTITIONS);
    hlo_instr *scaled =
        hlo_build_binary(r, HLO_OP_MULTIPLY, index, hlo_build_integer(r, u32(r), partitions));
    hlo_instr *partition = hlo_emit(r, HLO_OP_PARTITION_ID, u32(r), NULL, 0, NULL, 0);
    return hlo_build_binary(r, HLO_OP_ADD, scaled, partition);
}

static hlo_instr *participant(hlo_rewriter *r, hlo_group_mode mode) {
    hlo_opcode opcode = mode == HLO_GROUP_CROSS_PARTITION ? HLO_OP_PARTITION_ID : HLO_OP_REPLICA_ID;
    hlo_instr *id = hlo_emit(r, opcode, u32(r), NULL, 0, NULL, 0);
    return mode == HLO_GROUP_FLATTENED_ID ? flattened(r, id) : id;
}

/* One group of 0, 1, 2 ...: numbers of participants are places in it. */
static bool is_in_order(const hlo_int_lists *groups) {
    if (!groups || groups->n == 0) return true;
    bool in_order = groups->n == 1;
    for (uint32_t i = 0; in_order && i < groups->v[0]->n; i++) in_order = groups->v[0]->v[i] == i;
    return in_order;
}

/* For each participant its position in its group; participants outside all groups are excluded
 * before. */
static hlo_instr *place_table(hlo_rewriter *r, const hlo_int_lists *groups) {
    int64_t most = 0;
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->v[g]->n; i++)
            if (groups->v[g]->v[i] > most) most = groups->v[g]->v[i];
    int64_t count = most + 1;
    hlo_literal *table =
        hlo_literal_new(&r->module->arena, hlo_shape_of_sizes(r, HLO_U32, &count, 1));
    uint32_t *places = table->data;
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->v[g]->n; i++) places[groups->v[g]->v[i]] = i;
    return hlo_emit_constant(r, table);
}

hlo_instr *hlo_place_in_group(hlo_rewriter *r, const hlo_instr *instr) {
    hlo_group_mode mode = hlo_group_mode_of(instr);
    const hlo_groups *stated = groups_of(instr);
    const hlo_int_lists *groups = stated ? hlo_groups_expand(&r->module->arena, stated) : NULL;
    hlo_instr *place;
    if (groups && is_in_order(groups) && groups->n == 1 && groups->v[0]->n == 1) {
        place = hlo_build_integer(r, u32(r), 0);
    } else if (is_in_order(groups)) {
        place = participant(r, mode);
    } else {
        hlo_instr *table = place_table(r, groups), *id = participant(r, mode);
        hlo_instr *entry = hlo_build_dynamic_slice(r, table, &id, (int64_t[]){1});
        place = hlo_build_reshape(r, entry, NULL, 0);
    }
    return mode == HLO_GROUP_CROSS_REPLICA_AND_PARTITION ? flattened(r, place) : place;
}

hlo_instr **hlo_part_starts(hlo_rewriter *r, hlo_instr *place, const hlo_shape *part,
                            int64_t dimension) {
    HLO_ASSERT(dimension >= 0 && dimension < part->rank);
    hlo_instr **starts = hlo_malloc((part->rank + 1) * sizeof *starts);
    hlo_instr *zero = part->rank > 1 ? hlo_build_integer(r, u32(r), 0) : NULL;
    hlo_instr *size = hlo_build_integer(r, u32(r), part->dims[dimension]);
    for (uint32_t i = 0; i < part->rank; i++) starts[i] = zero;
    starts[dimension] = hlo_build_binary(r, HLO_OP_MULTIPLY, place, size);
    return starts;
}

bool hlo_parts_make_whole(const hlo_rewriter *r, const hlo_instr *instr, const hlo_shape *whole,
                          const hlo_shape *part) {
    int64_t dimension = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0], all;
    return !__builtin_mul_overflow(part->dims[dimension], hlo_members_of_group(r, instr), &all) &&
           all == whole->dims[dimension] && may_be_all_reduce(r, instr);
}
