/* Modes and sizes of replica groups. */
#include "shape/collective_groups.h"

hlo_group_mode hlo_collective_mode(hlo_opcode opcode, bool has_channel, bool global_ids) {
    if (hlo_op_attr(opcode, HLO_ATTR_USE_GLOBAL_DEVICE_IDS) == HLO_ATTR_COUNT)
        return has_channel ? HLO_GROUP_CROSS_PARTITION : HLO_GROUP_CROSS_REPLICA;
    if (!has_channel) return global_ids ? HLO_GROUP_IMPOSSIBLE : HLO_GROUP_CROSS_REPLICA;
    return global_ids ? HLO_GROUP_FLATTENED_ID : HLO_GROUP_CROSS_REPLICA_AND_PARTITION;
}

hlo_group_mode hlo_group_mode_of(const hlo_instr *collective) {
    return hlo_collective_mode((hlo_opcode)collective->opcode,
                               hlo_instr_attr(collective, HLO_ATTR_CHANNEL_ID) != NULL,
                               hlo_attr_int(collective, HLO_ATTR_USE_GLOBAL_DEVICE_IDS) != 0);
}

const char *hlo_group_mode_name(hlo_group_mode mode) {
    static const char *const names[] = {"cross_replica", "cross_partition",
                                        "cross_replica_and_partition", "flattened_id",
                                        "impossible"};
    HLO_ASSERT(mode < sizeof names / sizeof *names && names[mode]);
    return names[mode];
}

int64_t hlo_groups_count(const hlo_groups *groups) {
    if (!groups) return 0;
    return groups->form == HLO_GROUPS_LIST ? groups->lists->n : groups->group_count;
}

int64_t hlo_collective_group_size(const hlo_module *module, hlo_group_mode mode,
                                  const hlo_groups *groups) {
    int64_t partitions = hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS), size;
    if (hlo_groups_count(groups) > 0)
        size = groups->form == HLO_GROUPS_LIST ? groups->lists->v[0]->n : groups->group_size;
    else if (mode == HLO_GROUP_CROSS_PARTITION) size = partitions;
    else size = hlo_module_int(module, HLO_ATTR_REPLICA_COUNT);
    if (mode == HLO_GROUP_CROSS_REPLICA_AND_PARTITION &&
        __builtin_mul_overflow(size, partitions, &size))
        size = INT64_MAX;
    return size;
}
