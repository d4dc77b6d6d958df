/* Groups of collectives as lists: see participants.h. */
#include "analysis/participants.h"

const hlo_groups *hlo_groups_of(const hlo_instr *collective) {
    const hlo_attr *attr = hlo_instr_attr(collective, HLO_ATTR_REPLICA_GROUPS);
    return attr && hlo_groups_count(attr->u.groups) ? attr->u.groups : NULL;
}

static bool are_uniform(const hlo_groups *groups) {
    if (!groups || groups->form != HLO_GROUPS_LIST) return true;
    for (uint32_t g = 1; g < groups->lists->n; g++)
        if (groups->lists->v[g]->n != groups->lists->v[0]->n) return false;
    return true;
}

int64_t hlo_participant_count(const hlo_instr *collective) {
    hlo_group_mode mode = hlo_group_mode_of(collective);
    const hlo_groups *groups = hlo_groups_of(collective);
    if (mode == HLO_GROUP_IMPOSSIBLE || !are_uniform(groups)) return 0;
    return hlo_collective_group_size(collective->parent->module, mode, groups);
}

/* ---- ids ---- */

int64_t hlo_id_count(const hlo_instr *collective) {
    const hlo_module *module = collective->parent->module;
    bool partitions = hlo_group_mode_of(collective) == HLO_GROUP_CROSS_PARTITION;
    return hlo_module_int(module, partitions ? HLO_ATTR_NUM_PARTITIONS : HLO_ATTR_REPLICA_COUNT);
}

static hlo_int_lists *new_lists(hlo_arena *arena, uint32_t n) {
    hlo_int_lists *lists = hlo_arena_alloc(arena, sizeof *lists + n * sizeof *lists->v);
    lists->n = n;
    return lists;
}

static const hlo_int_lists *one_group(hlo_arena *arena, int64_t count) {
    hlo_int_lists *lists = new_lists(arena, 1);
    hlo_ints *all = hlo_ints_new(arena, (uint32_t)count);
    for (uint32_t i = 0; i < all->n; i++) all->v[i] = i;
    lists->v[0] = all;
    return lists;
}

const hlo_int_lists *hlo_listed_groups(hlo_arena *arena, const hlo_instr *collective) {
    const hlo_groups *groups = hlo_groups_of(collective);
    if (groups) return hlo_groups_expand(arena, groups);
    int64_t count = hlo_id_count(collective);
    return count > HLO_MOST_PARTICIPANTS ? NULL : one_group(arena, count);
}

/* ---- devices ---- */

/* Each group once for each of `copies` devices that an id stands for: id * scale + copy * step. */
static const hlo_int_lists *copied(hlo_arena *arena, const hlo_int_lists *ids, int64_t copies,
                                   int64_t scale, int64_t step) {
    hlo_int_lists *all = new_lists(arena, ids->n * (uint32_t)copies);
    for (uint32_t k = 0; k < all->n; k++) {
        HLO_ASSERT(copies > 0 && k / copies < ids->n);
        const hlo_ints *from = ids->v[k / copies];
        hlo_ints *to = hlo_ints_new(arena, from->n);
        for (uint32_t i = 0; i < from->n; i++) to->v[i] = from->v[i] * scale + k % copies * step;
        all->v[k] = to;
    }
    return all;
}

/* All partitions of the replicas of a group are in it. */
static const hlo_int_lists *joined(hlo_arena *arena, const hlo_int_lists *replicas,
                                   int64_t partitions) {
    hlo_int_lists *all = new_lists(arena, replicas->n);
    for (uint32_t g = 0; g < all->n; g++) {
        const hlo_ints *from = replicas->v[g];
        hlo_ints *to = hlo_ints_new(arena, from->n * (uint32_t)partitions);
        for (uint32_t i = 0; i < to->n; i++)
            to->v[i] = from->v[i / partitions] * partitions + i % partitions;
        all->v[g] = to;
    }
    return all;
}

static bool too_many(const hlo_int_lists *ids, int64_t copies) {
    int64_t count = 0, all;
    for (uint32_t g = 0; g < ids->n; g++) count += ids->v[g]->n;
    return __builtin_mul_overflow(count, copies, &all) || all > HLO_MOST_PARTICIPANTS;
}

const hlo_int_lists *hlo_listed_devices(hlo_arena *arena, const hlo_instr *collective) {
    const hlo_module *module = collective->parent->module;
    int64_t replicas = hlo_module_int(module, HLO_ATTR_REPLICA_COUNT);
    int64_t partitions = hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS);
    hlo_group_mode mode = hlo_group_mode_of(collective);
    if (mode == HLO_GROUP_IMPOSSIBLE) return NULL;
    const hlo_int_lists *ids = hlo_listed_groups(arena, collective);
    if (!ids || mode == HLO_GROUP_FLATTENED_ID) return ids;
    bool is_partition = mode == HLO_GROUP_CROSS_PARTITION;
    if (too_many(ids, is_partition ? replicas : partitions)) return NULL;
    if (is_partition) return copied(arena, ids, replicas, 1, partitions);
    if (mode == HLO_GROUP_CROSS_REPLICA) return copied(arena, ids, partitions, partitions, 1);
    return joined(arena, ids, partitions);
}

/* ---- comparing ---- */

static bool same_lists(const hlo_int_lists *a, const hlo_int_lists *b) {
    if (!a || !b || a->n != b->n) return false;
    for (uint32_t g = 0; g < a->n; g++)
        if (!hlo_ints_equal(a->v[g], b->v[g])) return false;
    return true;
}

bool hlo_same_groups(hlo_arena *arena, const hlo_instr *a, const hlo_instr *b) {
    const hlo_groups *x = hlo_groups_of(a), *y = hlo_groups_of(b);
    if (!x || !y || x == y) return x == y;
    if (hlo_attr_equal(hlo_instr_attr(a, HLO_ATTR_REPLICA_GROUPS),
                       hlo_instr_attr(b, HLO_ATTR_REPLICA_GROUPS)))
        return true;
    return same_lists(hlo_groups_expand(arena, x), hlo_groups_expand(arena, y));
}

uint64_t hlo_groups_hash(hlo_arena *arena, const hlo_instr *collective) {
    const hlo_groups *groups = hlo_groups_of(collective);
    const hlo_int_lists *lists = groups ? hlo_groups_expand(arena, groups) : NULL;
    uint64_t hash = lists ? lists->n : 0;
    for (uint32_t g = 0; lists && g < lists->n; g++)
        hash = hlo_hash_mix(hash, hlo_hash_bytes(lists->v[g]->v, lists->v[g]->n * sizeof(int64_t)));
    return hash;
}

bool hlo_same_participants(hlo_arena *arena, const hlo_instr *a, const hlo_instr *b) {
    return hlo_group_mode_of(a) == hlo_group_mode_of(b) && hlo_same_groups(arena, a, b);
}

int64_t hlo_next_channel(const hlo_module *module) {
    int64_t next = 1;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *channel = hlo_instr_attr(i, HLO_ATTR_CHANNEL_ID);
            if (channel && channel->u.i >= next && channel->u.i < INT64_MAX)
                next = channel->u.i + 1;
        }
    return next;
}
