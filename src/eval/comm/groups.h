/* Which devices a collective instruction brings together: its replica groups, in the mode that they
 * have, as numbers of devices. */
#ifndef HLO_EVAL_COMM_GROUPS_H
#define HLO_EVAL_COMM_GROUPS_H

#include "ir/ir.h"

#define HLO_NO_GROUP UINT32_MAX

/* Which device computes for which replica and partition; places are replica * partitions +
 * partition. NULL: devices have the numbers of their places. */
typedef struct {
    const uint32_t *devices; /* by place */
    const uint32_t *places;  /* by device */
} hlo_device_assignment;

static inline uint32_t hlo_assigned_device(const hlo_device_assignment *assignment,
                                           uint32_t place) {
    return assignment->devices ? assignment->devices[place] : place;
}
static inline uint32_t hlo_assigned_place(const hlo_device_assignment *assignment,
                                          uint32_t device) {
    return assignment->places ? assignment->places[device] : device;
}

typedef struct {
    uint32_t count;
    const uint32_t *devices;   /* in the order in which the group lists them */
    const uint32_t *ascending; /* the same as positions in `devices`, by number of the device */
} hlo_device_group;

/* Writes positions in `devices`, by number of the device. */
void hlo_device_order(uint32_t *order, const uint32_t *devices, uint32_t count);

/* Where the device stands in the list; `count` when it is no member. */
uint32_t hlo_device_position(const hlo_device_group *group, uint32_t device);

typedef struct {
    uint32_t group_count;
    const hlo_device_group *groups;
    const uint32_t *group_of; /* by device; HLO_NO_GROUP: it takes no part */
    const uint32_t *position; /* by device: where it stands in its group */
    bool is_twice;            /* some device stands in two places, which no verified module has */
} hlo_device_groups;

/* Those of an instruction with replica_groups=, or without: then all devices that its mode brings
 * together, of a module for so many devices. In the arena. NULL when a group names a device that
 * does not exist. */
const hlo_device_groups *hlo_device_groups_of(hlo_arena *arena, const hlo_instr *instr,
                                              uint32_t devices,
                                              const hlo_device_assignment *assignment);

/* source_target_pairs: numbers of replicas, each partition on its own, or of partitions, each
 * replica on its own. */
typedef struct {
    uint32_t count, partitions;
    bool of_partitions;
    hlo_device_assignment assignment;
    const uint32_t (*pairs)[2]; /* from, to */
} hlo_device_pairs;

/* NULL when a pair names a device that does not exist. */
const hlo_device_pairs *hlo_device_pairs_of(hlo_arena *arena, const hlo_int_lists *pairs,
                                            bool of_partitions, uint32_t replicas,
                                            uint32_t partitions,
                                            const hlo_device_assignment *assignment);
/* The source of pair i for the device, and its target: HLO_NO_GROUP when the pair is another's. */
uint32_t hlo_pair_source(const hlo_device_pairs *pairs, uint32_t i, uint32_t device);
uint32_t hlo_pair_target(const hlo_device_pairs *pairs, uint32_t i, uint32_t device);

#endif
