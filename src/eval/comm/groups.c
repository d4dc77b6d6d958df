/* Groups of devices from replica groups, and pairs of them: see groups.h. Called by the kernels of
 * collectives. */
#include "eval/comm/groups.h"

#include "shape/collective_groups.h"

/* What becomes of the ids of one group. */
typedef struct {
    hlo_arena *arena;
    hlo_group_mode mode;
    uint32_t replicas, partitions;
    hlo_device_groups *to;
    hlo_device_group *groups;
    uint32_t *group_of, *position;
    bool is_good;
} grouping;

static hlo_group_mode mode_of(const hlo_instr *instr) {
    return hlo_collective_mode((hlo_opcode)instr->opcode,
                               hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) != NULL,
                               hlo_attr_int(instr, HLO_ATTR_USE_GLOBAL_DEVICE_IDS) != 0);
}

/* How many ids there are, and how many groups of devices one group of ids stands for. */
static uint32_t id_count(const grouping *g) {
    switch (g->mode) {
    case HLO_GROUP_CROSS_PARTITION: return g->partitions;
    case HLO_GROUP_FLATTENED_ID: return g->replicas * g->partitions;
    default: return g->replicas;
    }
}

static uint32_t copies(const grouping *g) {
    switch (g->mode) {
    case HLO_GROUP_CROSS_REPLICA: return g->partitions;
    case HLO_GROUP_CROSS_PARTITION: return g->replicas;
    default: return 1;
    }
}

static uint32_t devices_of_id(const grouping *g) {
    return g->mode == HLO_GROUP_CROSS_REPLICA_AND_PARTITION ? g->partitions : 1;
}

/* The k-th device of an id in the given copy of its group. */
static uint32_t device_of(const grouping *g, uint32_t id, uint32_t copy, uint32_t k) {
    switch (g->mode) {
    case HLO_GROUP_CROSS_REPLICA: return id * g->partitions + copy;
    case HLO_GROUP_CROSS_PARTITION: return copy * g->partitions + id;
    case HLO_GROUP_CROSS_REPLICA_AND_PARTITION: return id * g->partitions + k;
    default: return id;
    }
}

static void place(grouping *g, uint32_t device, uint32_t group, uint32_t position) {
    g->to->is_twice |= g->group_of[device] != HLO_NO_GROUP;
    g->group_of[device] = group;
    g->position[device] = position;
}

/* By insertion: groups are short, and often in order. */
static const uint32_t *ascending(hlo_arena *arena, const uint32_t *devices, uint32_t count) {
    uint32_t *order = HLO_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = i;
        for (; k > 0 && devices[order[k - 1]] > devices[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

/* NULL: every id, in order. */
static void add_group(grouping *g, const hlo_ints *ids, uint32_t copy) {
    uint32_t n = ids ? ids->n : id_count(g), per_id = devices_of_id(g), at = 0;
    uint32_t *devices = HLO_NEW_ARRAY(g->arena, uint32_t, n * per_id);
    uint32_t group = g->to->group_count++;
    for (uint32_t i = 0; i < n; i++) {
        int64_t id = ids ? ids->v[i] : i;
        g->is_good &= id >= 0 && id < id_count(g);
        if (!g->is_good) return;
        for (uint32_t k = 0; k < per_id; k++) {
            devices[at] = device_of(g, (uint32_t)id, copy, k);
            place(g, devices[at], group, at);
            at++;
        }
    }
    g->groups[group] = (hlo_device_group){at, devices, ascending(g->arena, devices, at)};
}

static void start(grouping *g, uint32_t listed) {
    uint32_t devices = g->replicas * g->partitions;
    g->to = HLO_NEW(g->arena, hlo_device_groups);
    g->groups = HLO_NEW_ARRAY(g->arena, hlo_device_group, (size_t)listed * copies(g));
    g->group_of = HLO_NEW_ARRAY(g->arena, uint32_t, devices);
    g->position = HLO_NEW_ARRAY(g->arena, uint32_t, devices);
    for (uint32_t i = 0; i < devices; i++) g->group_of[i] = HLO_NO_GROUP;
    *g->to = (hlo_device_groups){
        .devices = devices, .groups = g->groups, .group_of = g->group_of, .position = g->position};
    g->is_good = true;
}

const hlo_device_groups *hlo_device_groups_of(hlo_arena *arena, const hlo_instr *instr,
                                              uint32_t replicas, uint32_t partitions) {
    grouping g = {
        .arena = arena, .mode = mode_of(instr), .replicas = replicas, .partitions = partitions};
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_REPLICA_GROUPS);
    const hlo_int_lists *lists =
        attr && attr->u.groups ? hlo_groups_expand(arena, attr->u.groups) : NULL;
    uint32_t listed = lists && lists->n ? lists->n : 1;
    start(&g, listed);
    for (uint32_t i = 0; i < listed && g.is_good; i++)
        for (uint32_t copy = 0; copy < copies(&g) && g.is_good; copy++)
            add_group(&g, lists && lists->n ? lists->v[i] : NULL, copy);
    return g.is_good ? g.to : NULL;
}

/* ---- pairs ---- */

const hlo_device_pairs *hlo_device_pairs_of(hlo_arena *arena, const hlo_int_lists *pairs,
                                            bool of_partitions, uint32_t replicas,
                                            uint32_t partitions) {
    int64_t ids = of_partitions ? partitions : replicas;
    uint32_t(*numbers)[2] = hlo_arena_zero(arena, pairs->n * sizeof *numbers);
    for (uint32_t i = 0; i < pairs->n; i++)
        for (uint32_t k = 0; k < 2; k++) {
            if (pairs->v[i]->n != 2 || pairs->v[i]->v[k] < 0 || pairs->v[i]->v[k] >= ids)
                return NULL;
            numbers[i][k] = (uint32_t)pairs->v[i]->v[k];
        }
    hlo_device_pairs *to = HLO_NEW(arena, hlo_device_pairs);
    *to = (hlo_device_pairs){pairs->n, partitions, of_partitions, (const uint32_t(*)[2])numbers};
    return to;
}

/* The partner on side `other` of a device that stands on side `own` of the pair. */
static uint32_t partner(const hlo_device_pairs *pairs, uint32_t i, uint32_t device, int own) {
    uint32_t replica = device / pairs->partitions, partition = device % pairs->partitions;
    uint32_t id = pairs->of_partitions ? partition : replica, other = pairs->pairs[i][!own];
    if (pairs->pairs[i][own] != id) return HLO_NO_GROUP;
    return pairs->of_partitions ? replica * pairs->partitions + other
                                : other * pairs->partitions + partition;
}

uint32_t hlo_pair_source(const hlo_device_pairs *pairs, uint32_t i, uint32_t device) {
    return partner(pairs, i, device, 1);
}

uint32_t hlo_pair_target(const hlo_device_pairs *pairs, uint32_t i, uint32_t device) {
    return partner(pairs, i, device, 0);
}
