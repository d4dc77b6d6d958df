/* Groups of instructions that are sharded alike (shard_as, shard_like), and barriers that shardings
 * pass in one direction only. */
#include "passes/spmd/propagation.h"

static const hlo_sharding *manual_member(const hlo_propagation *p, const hlo_instr *instr,
                                         const hlo_shard_group *group) {
    for (uint32_t i = 0; i < group->members.n; i++) {
        const hlo_sharding *s = hlo_sharding_on(p, group->members.v[i]);
        if (group->members.v[i] != instr && s && hlo_sharding_is(s, HLO_SHARDING_MANUAL)) return s;
    }
    return NULL;
}

bool hlo_shard_from_group(hlo_propagation *p, hlo_instr *instr, const hlo_shard_group *group) {
    const hlo_sharding *present = hlo_sharding_on(p, instr);
    if (!hlo_passes_at_level(instr, p->level) || hlo_is_shard_barrier_to(instr)) return false;
    if (present && hlo_sharding_is(present, HLO_SHARDING_MANUAL)) return false;
    if (!present || hlo_sharding_is_whole(present)) {
        const hlo_sharding *manual = manual_member(p, instr, group);
        if (manual) hlo_set_sharding(p, instr, manual);
        if (manual) return true;
    }
    bool changed = false;
    for (uint32_t i = 0; i < group->members.n; i++) {
        const hlo_instr *member = group->members.v[i];
        if (member != instr && !hlo_is_shard_barrier_from(member))
            changed |= hlo_improve(p, instr, hlo_sharding_on(p, member), false);
    }
    return changed;
}

/* ---- when nothing changes any more ---- */

/* All that the members have, or the first that is neither replicated nor after a barrier. */
static const hlo_sharding *common_sharding(hlo_propagation *p, const hlo_shard_group *group) {
    const hlo_sharding *first = hlo_sharding_replicated(&p->arena, NULL);
    const hlo_sharding **all = HLO_NEW_ARRAY(&p->arena, const hlo_sharding *, group->members.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < group->members.n; i++) {
        const hlo_sharding *s = hlo_sharding_on(p, group->members.v[i]);
        if (!s) continue;
        all[n++] = s;
        if (!hlo_is_shard_barrier_from(group->members.v[i]) &&
            hlo_sharding_is(first, HLO_SHARDING_REPLICATED))
            first = s;
    }
    return n ? hlo_sharding_common(&p->arena, all, n, first) : first;
}

void hlo_align_groups(hlo_propagation *p) {
    for (uint32_t g = 0; g < p->groups.n; g++) {
        const hlo_shard_group *group = &p->groups.v[g];
        if (group->kind != HLO_SHARD_AS) continue;
        const hlo_sharding *common = common_sharding(p, group);
        for (uint32_t i = 0; i < group->members.n; i++)
            if (!hlo_is_shard_barrier_to(group->members.v[i]))
                hlo_set_sharding(p, group->members.v[i], common);
        hlo_arena_reset(&p->arena);
    }
}

static void relay(hlo_propagation *p, const hlo_instr *barrier) {
    const hlo_instr *operand = hlo_operand(barrier, 0);
    const hlo_sharding *s = hlo_sharding_on(p, barrier), *below = hlo_sharding_on(p, operand);
    if (!s || s->kind == HLO_SHARDING_TUPLE) return;
    if (below && below->kind != HLO_SHARDING_TUPLE)
        hlo_sharding_merge_least(&p->arena, below, hlo_tile_number(s), &s);
    hlo_set_sharding(p, operand, s);
}

void hlo_relay_barriers(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->node_count; i++) {
        const hlo_shard_node *node = &p->nodes[i];
        if (node->group >= 0 && p->groups.v[node->group].kind == HLO_SHARD_AS &&
            hlo_is_shard_barrier_from(node->instr))
            relay(p, node->instr);
    }
}
