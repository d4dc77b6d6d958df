/* all-gather-simplifier: all-gathers that gather nothing new. */
#include "passes/collectives/own_part.h"

static bool gathers_one(const hlo_rewriter *r, const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_ALL_GATHER);
    return gather->operand_count == 1 && hlo_operand(gather, 0)->shape == gather->shape &&
           !gather->shape->dynamic && !hlo_is_tied(r, gather) && hlo_participant_count(gather) == 1;
}

/* The collective is gone with its last user, also where it has a channel. */
static bool remove_unused(hlo_rewriter *r, hlo_instr *collective) {
    if (collective->parent && !collective->first_use) hlo_rewriter_remove(r, collective);
    return true;
}

static bool take_part(hlo_rewriter *r, hlo_instr *gather) {
    hlo_own_part part;
    if (!hlo_is_own_part(r, gather, &part) || part.reshape ||
        part.dimension != hlo_attr_ints(gather, HLO_ATTR_DIMENSIONS)->v[0] ||
        part.slice->shape != hlo_operand(gather, 0)->shape)
        return false;
    hlo_rewriter_aim(r, part.slice);
    return hlo_rewrite_replace(r, HLO_REWRITE_own_part_of_all_gather, part.slice,
                               hlo_operand(gather, 0)) &&
           remove_unused(r, gather);
}

static bool simplify(hlo_rewriter *r, hlo_instr *gather) {
    if (hlo_rewrite_allowed(r, HLO_REWRITE_all_gather_of_one) && gathers_one(r, gather)) {
        hlo_rewriter_aim(r, gather);
        return hlo_rewrite_replace(r, HLO_REWRITE_all_gather_of_one, gather,
                                   hlo_operand(gather, 0));
    }
    return hlo_rewrite_allowed(r, HLO_REWRITE_own_part_of_all_gather) && take_part(r, gather);
}

hlo_pass_result hlo_pass_all_gather_simplifier(const hlo_pass_call *call) {
    hlo_instr_list gathers = {0};
    bool changed = false;
    hlo_collect(call->module, HLO_OP_ALL_GATHER, &gathers);
    for (size_t i = 0; i < gathers.n; i++)
        if (gathers.v[i]->parent) changed |= simplify(call->rewriter, gathers.v[i]);
    hlo_list_free(&gathers);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
