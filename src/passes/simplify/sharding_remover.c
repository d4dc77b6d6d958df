/* sharding-remover: removes sharding custom calls; with one partition each forwards its operand.
 * Patterns. */
#include "passes/pipeline/rewrite.h"

/* XLA's names of them, but for the one that has an effect (xla.sdy.ShardingGroup). */
static bool says_sharding(const hlo_instr *call) {
    static const char *const targets[] = {"Sharding",
                                          "SPMDFullToShardShape",
                                          "SPMDShardToFullShape",
                                          "ShardBarrierFrom",
                                          "ShardBarrierTo",
                                          "xla.sdy.FuncResultSharding",
                                          "xla.sdy.PropagationBarrier"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (hlo_calls_target(call, targets[i])) return true;
    return false;
}

hlo_instr *hlo_rewrite_sharding_call(hlo_rewriter *r, hlo_instr *call) {
    if (hlo_module_int(r->module, HLO_ATTR_NUM_PARTITIONS) != 1) return NULL;
    bool fits = call->operand_count == 1 && says_sharding(call) &&
                hlo_operand(call, 0)->shape == call->shape;
    if (!fits) return NULL;
    hlo_instr_remove_attr(call, HLO_ATTR_SHARDING); /* the operand may have one itself */
    return hlo_operand(call, 0);
}
