/* Rule of collectives that the program has itself: between replicas, and between devices that have
 * separate values (manual). Along dimensions that they do not join or cut, each works on its tiles.
 */
#include "passes/spmd/partition.h"

/* Some devices have separate values, by the instruction's sharding. */
static bool is_manual(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (!attr) return false;
    const hlo_sharding *s = attr->u.sharding;
    bool manual = s->kind == HLO_SHARDING_MANUAL || (s->kind == HLO_SHARDING_NAMED && s->manual.n);
    for (uint32_t i = 0; i < s->last_kind_count; i++)
        manual |= s->last_kinds[i] == HLO_SHARDING_MANUAL;
    return manual;
}

bool hlo_part_is_collective(const hlo_instr *instr) {
    bool is_array = instr->operand_count == 1 && hlo_shape_is_array(instr->shape);
    bool between_replicas =
        instr->opcode == HLO_OP_ALL_REDUCE && !hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    return is_array && (between_replicas || is_manual(instr));
}

static void describe_collective(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f) {
    HLO_ASSERT(hlo_part_is_collective(instr));
    (void)p;
    const hlo_ints *changed = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    for (uint32_t d = 0; d < instr->shape->rank; d++)
        if (!hlo_ints_contain(changed, d)) hlo_factor_everywhere(instr, f, d);
}

/* Devices of a group may differ only in what is their own. */
static bool share_tiles(const hlo_partitioner *p, const hlo_ints *group, const hlo_tiling *t) {
    int64_t own = t->tiles[t->rank], first = t->places[group->v[0] % p->count] / own;
    bool same = true;
    for (uint32_t i = 0; i < group->n; i++)
        same &= t->places[group->v[i] % p->count] / own == first;
    return same;
}

static hlo_instr *make_collective(hlo_partitioner *p, const hlo_placed *s) {
    HLO_ASSERT(hlo_part_is_collective(s->instr));
    const hlo_attr *attr = hlo_instr_attr(s->instr, HLO_ATTR_REPLICA_GROUPS);
    bool between = hlo_instr_attr(s->instr, HLO_ATTR_CHANNEL_ID) != NULL;
    const hlo_int_lists *groups =
        attr && between ? hlo_groups_expand(&p->scratch, attr->u.groups) : NULL;
    for (uint32_t g = 0; groups && g < groups->n; g++)
        if (groups->v[g]->n && !share_tiles(p, groups->v[g], s->results[0]))
            return hlo_part_refuse(p, "is between devices that have different tiles");
    return hlo_part_make_same(p, s);
}

const hlo_partition_rule hlo_part_collective = {describe_collective, make_collective, NULL};
