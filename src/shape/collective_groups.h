/* What the replica groups of a collective mean: which ids they hold and how many members they have.
 */
#ifndef HLO_SHAPE_COLLECTIVE_GROUPS_H
#define HLO_SHAPE_COLLECTIVE_GROUPS_H

#include "ir/ir.h"

/* What the ids in replica_groups number. */
typedef enum {
    HLO_GROUP_CROSS_REPLICA,               /* replicas, each partition on its own */
    HLO_GROUP_CROSS_PARTITION,             /* partitions, each replica on its own */
    HLO_GROUP_CROSS_REPLICA_AND_PARTITION, /* replicas, with all their partitions */
    HLO_GROUP_FLATTENED_ID,                /* replica * partitions + partition */
    HLO_GROUP_IMPOSSIBLE                   /* use_global_device_ids without channel_id */
} hlo_group_mode;

/* The mode of a collective opcode with or without channel_id. `global_ids` counts for the opcodes
 * that take use_global_device_ids. */
hlo_group_mode hlo_collective_mode(hlo_opcode opcode, bool has_channel, bool global_ids);
/* That of a collective instruction. */
hlo_group_mode hlo_group_mode_of(const hlo_instr *collective);
const char *hlo_group_mode_name(hlo_group_mode mode);

/* How many groups are listed; 0 (also for NULL): all devices are one group. Groups are canonical.
 */
int64_t hlo_groups_count(const hlo_groups *groups);

/* Members of a group, or of the first where sizes differ; saturates at INT64_MAX. */
int64_t hlo_collective_group_size(const hlo_module *module, hlo_group_mode mode,
                                  const hlo_groups *groups);

#endif
