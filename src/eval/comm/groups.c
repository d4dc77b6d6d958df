/* Groups of devices from replica groups, and pairs of them: see groups.h. */
#include "eval/comm/groups.h"

#include "analysis/participants.h"

/* By insertion: groups are short, and often in order. */
void hlo_device_order(uint32_t *order, const uint32_t *devices, uint32_t count) {
    HLO_ASSERT(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = i;
        for (; k > 0 && devices[order[k - 1]] > devices[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
}

uint32_t hlo_device_position(const hlo_device_group *group, uint32_t device) {
    HLO_ASSERT(group->count > 0);
    uint32_t position = 0;
    while (position < group->count && group->devices[position] != device) position++;
    return position;
}

static const uint32_t *ascending(hlo_arena *arena, const uint32_t *devices, uint32_t count) {
    uint32_t *order = HLO_NEW_ARRAY(arena, uint32_t, count);
    hlo_device_order(order, devices, count);
    return order;
}

/* Groups that are filled in, with the places of their devices. */
typedef struct {
    hlo_arena *arena;
    hlo_device_groups *to;
    hlo_device_group *groups;
    uint32_t *group_of, *position;
    const hlo_device_assignment *assignment;
} grouping;

static void start_groups(grouping *g, uint32_t listed, uint32_t devices) {
    g->to = HLO_NEW(g->arena, hlo_device_groups);
    g->groups = HLO_NEW_ARRAY(g->arena, hlo_device_group, listed);
    g->group_of = HLO_NEW_ARRAY(g->arena, uint32_t, devices);
    g->position = HLO_NEW_ARRAY(g->arena, uint32_t, devices);
    for (uint32_t i = 0; i < devices; i++) g->group_of[i] = HLO_NO_GROUP;
    *g->to = (hlo_device_groups){.group_count = listed,
                                 .groups = g->groups,
                                 .group_of = g->group_of,
                                 .position = g->position};
}

/* False when the list names a device that does not exist. */
static bool add_group(grouping *g, uint32_t group, const hlo_ints *list, uint32_t count) {
    uint32_t *devices = HLO_NEW_ARRAY(g->arena, uint32_t, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->v[i] < 0 || list->v[i] >= count) return false;
        devices[i] = hlo_assigned_device(g->assignment, (uint32_t)list->v[i]);
        g->to->is_twice |= g->group_of[devices[i]] != HLO_NO_GROUP;
        g->group_of[devices[i]] = group;
        g->position[devices[i]] = i;
    }
    g->groups[group] = (hlo_device_group){list->n, devices, ascending(g->arena, devices, list->n)};
    return true;
}

const hlo_device_groups *hlo_device_groups_of(hlo_arena *arena, const hlo_instr *instr,
                                              uint32_t devices,
                                              const hlo_device_assignment *assignment) {
    grouping g = {.arena = arena, .assignment = assignment};
    const hlo_int_lists *lists = hlo_listed_devices(arena, instr);
    if (!lists) return NULL;
    start_groups(&g, lists->n, devices);
    for (uint32_t i = 0; i < lists->n; i++)
        if (!add_group(&g, i, lists->v[i], devices)) return NULL;
    return g.to;
}

/* ---- pairs ---- */

const hlo_device_pairs *hlo_device_pairs_of(hlo_arena *arena, const hlo_int_lists *pairs,
                                            bool of_partitions, uint32_t replicas,
                                            uint32_t partitions,
                                            const hlo_device_assignment *assignment) {
    int64_t ids = of_partitions ? partitions : replicas;
    uint32_t(*numbers)[2] = hlo_arena_zero(arena, pairs->n * sizeof *numbers);
    for (uint32_t i = 0; i < pairs->n; i++)
        for (uint32_t k = 0; k < 2; k++) {
            if (pairs->v[i]->n != 2 || pairs->v[i]->v[k] < 0 || pairs->v[i]->v[k] >= ids)
                return NULL;
            numbers[i][k] = (uint32_t)pairs->v[i]->v[k];
        }
    hlo_device_pairs *to = HLO_NEW(arena, hlo_device_pairs);
    *to = (hlo_device_pairs){pairs->n, partitions, of_partitions, *assignment,
                             (const uint32_t(*)[2])numbers};
    return to;
}

/* The partner on side `other` of a device that stands on side `own` of the pair. */
static uint32_t partner(const hlo_device_pairs *pairs, uint32_t i, uint32_t device, int own) {
    HLO_ASSERT(i < pairs->count);
    uint32_t place = hlo_assigned_place(&pairs->assignment, device);
    uint32_t replica = place / pairs->partitions, partition = place % pairs->partitions;
    uint32_t id = pairs->of_partitions ? partition : replica, other = pairs->pairs[i][!own];
    if (pairs->pairs[i][own] != id) return HLO_NO_GROUP;
    place = pairs->of_partitions ? replica * pairs->partitions + other
                                 : other * pairs->partitions + partition;
    return hlo_assigned_device(&pairs->assignment, place);
}

uint32_t hlo_pair_source(const hlo_device_pairs *pairs, uint32_t i, uint32_t device) {
    return partner(pairs, i, device, 1);
}

uint32_t hlo_pair_target(const hlo_device_pairs *pairs, uint32_t i, uint32_t device) {
    return partner(pairs, i, device, 0);
}
