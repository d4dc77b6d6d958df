/* Lint: all-reduces of values that are the same on all devices already. */
#include "lint/linter.h"

enum { OVER_REPLICAS = 1, OVER_PARTITIONS = 2, OVER_ALL = 3 };

/* All devices form one group. */
static bool one_group(const hlo_instr *instr) {
    const hlo_attr *groups = hlo_instr_attr(instr, HLO_ATTR_REPLICA_GROUPS);
    if (!groups) return true;
    if (groups->u.groups->form == HLO_GROUPS_LIST) return groups->u.groups->lists->n <= 1;
    return groups->u.groups->group_count == 1;
}

/* Over which devices a collective combines. */
static unsigned scope_of(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) ? OVER_ALL : OVER_REPLICAS;
}

static unsigned parameter_bits(const hlo_linter *l, const hlo_instr *instr) {
    if (instr->parent != l->module->entry) return 0;
    unsigned bits = 0;
    const hlo_attr *replication = hlo_instr_attr(instr, HLO_ATTR_PARAMETER_REPLICATION);
    if (replication && replication->u.ints->n) {
        bits = OVER_REPLICAS;
        for (uint32_t i = 0; i < replication->u.ints->n; i++)
            if (!replication->u.ints->v[i]) bits = 0;
    }
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (sharding && sharding->u.sharding->kind == HLO_SHARDING_REPLICATED) bits |= OVER_PARTITIONS;
    return bits;
}

/* Over which devices the result is the same, given that for the operands. */
static unsigned result_bits(const hlo_linter *l, const hlo_instr *instr, const uint8_t *bits) {
    switch (instr->opcode) {
    case HLO_OP_CONSTANT:
    case HLO_OP_IOTA: return OVER_ALL;
    case HLO_OP_PARAMETER: return parameter_bits(l, instr);
    case HLO_OP_REPLICA_ID: return OVER_PARTITIONS;
    case HLO_OP_PARTITION_ID: return OVER_REPLICAS;
    default: break;
    }
    const hlo_op_info *op = hlo_info(instr);
    bool combines = instr->opcode == HLO_OP_ALL_REDUCE || instr->opcode == HLO_OP_ALL_GATHER;
    bool strange = op->class == HLO_CLASS_CONTROL || op->class == HLO_CLASS_HOST ||
                   op->class == HLO_CLASS_RANDOM ||
                   (op->class == HLO_CLASS_COLLECTIVE && !combines) ||
                   hlo_instr_attr(instr, HLO_ATTR_CALLS) || instr->operand_count == 0;
    if (strange) return 0;
    unsigned all = OVER_ALL;
    for (uint32_t i = 0; i < instr->operand_count; i++) all &= bits[hlo_operand(instr, i)->index];
    return combines && one_group(instr) ? all | scope_of(instr) : all;
}

static void check(hlo_linter *l, const hlo_instr *instr, const uint8_t *bits) {
    if (instr->opcode != HLO_OP_ALL_REDUCE || instr->operand_count == 0) return;
    unsigned wanted = scope_of(instr), have = wanted;
    for (uint32_t i = 0; i < instr->operand_count; i++) have &= bits[hlo_operand(instr, i)->index];
    /* With one replica (partition) no value differs between replicas (partitions). */
    if (hlo_module_int(l->module, HLO_ATTR_REPLICA_COUNT) == 1) wanted &= ~(unsigned)OVER_REPLICAS;
    if (hlo_module_int(l->module, HLO_ATTR_NUM_PARTITIONS) == 1)
        wanted &= ~(unsigned)OVER_PARTITIONS;
    if (wanted == 0 || (have & wanted) != wanted) return;
    if (hlo_lint_report(l, HLO_RULE_REPLICATED_ALL_REDUCE, instr,
                        "every device of a group contributes the same value"))
        hlo_lint_note(l, hlo_operand(instr, 0)->at, "this value is the same on all of them");
}

void hlo_lint_replicated_all_reduce(hlo_linter *l) {
    uint8_t *bits = HLO_NEW_ARRAY(&l->scratch, uint8_t, l->instr_count);
    for (hlo_computation *c = l->module->first; c; c = c->next) {
        hlo_instr **order = hlo_malloc(c->instr_count * sizeof(hlo_instr *));
        uint32_t n = hlo_post_order(c, order);
        for (uint32_t i = 0; i < n; i++) {
            bits[order[i]->index] = (uint8_t)result_bits(l, order[i], bits);
            check(l, order[i], bits);
        }
        hlo_free(order);
    }
}
