/* Shardings that only keep cse from merging what is split differently: they are marked by metadata.
 */
#include "passes/spmd/propagation.h"

static const char cse_prevention[] = "_sharding_propagation_cse_prevention";

static bool is_cse_prevention(const hlo_sharding *s) {
    return s && s->kind != HLO_SHARDING_TUPLE && s->metadata.n == 1 &&
           s->metadata.v[0]->op_name.len == sizeof cse_prevention - 1 &&
           memcmp(s->metadata.v[0]->op_name.ptr, cse_prevention, sizeof cse_prevention - 1) == 0;
}

void hlo_forget_cse_prevention(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->node_count; i++)
        if (is_cse_prevention(p->nodes[i].sharding)) p->nodes[i].sharding = NULL;
}

/* Broadcasts of scalars, which cse would merge across layers, keep what they got, with a mark;
 * everything else has what it had. */
void hlo_keep_cse_prevention(hlo_propagation *p) {
    for (uint32_t i = 0; i < p->node_count; i++) {
        hlo_shard_node *node = &p->nodes[i];
        const hlo_attr *written = hlo_instr_attr(node->instr, HLO_ATTR_SHARDING);
        bool is_target = node->instr->opcode == HLO_OP_BROADCAST &&
                         hlo_operand(node->instr, 0)->shape->rank == 0;
        if (is_target && node->sharding && !written) {
            hlo_metadata *mark = HLO_NEW(&p->arena, hlo_metadata);
            mark->op_name = (hlo_str){cse_prevention, sizeof cse_prevention - 1, 0};
            const hlo_metadata **list = hlo_arena_copy(&p->arena, &mark, sizeof *list);
            hlo_set_sharding(p, node->instr,
                             hlo_sharding_with_metadata(&p->arena, node->sharding,
                                                        (hlo_metadata_list){1, list}));
        } else if (!is_target) {
            node->sharding = written ? written->u.sharding : NULL;
        }
    }
}
