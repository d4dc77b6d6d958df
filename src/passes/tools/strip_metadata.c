/* strip-metadata: what says where instructions come from, and on request what else is no part of
 * what is computed. Called through pass.def. */
#include "passes/rewrite.h"

enum { OPTION_FRONTEND, OPTION_CONFIG, OPTION_SHARDING, OPTIONS };

static const hlo_attr_id always[] = {HLO_ATTR_METADATA, HLO_ATTR_ORIGIN, HLO_ATTR_STATISTICS};
static const hlo_attr_id by_option[OPTIONS] = {
    [OPTION_FRONTEND] = HLO_ATTR_FRONTEND_ATTRIBUTES,
    [OPTION_CONFIG] = HLO_ATTR_BACKEND_CONFIG,
    [OPTION_SHARDING] = HLO_ATTR_SHARDING,
};

static bool strip(const hlo_pass_call *call, hlo_instr *instr) {
    uint16_t before = instr->attr_count;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        hlo_instr_remove_attr(instr, always[i]);
    for (int i = 0; i < OPTIONS; i++)
        if (call->values[i]) hlo_instr_remove_attr(instr, by_option[i]);
    if (instr->attr_count == before) return false;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_strip_instruction, instr->name);
    return true;
}

static bool strip_module(const hlo_pass_call *call, hlo_module *module) {
    bool changed = false, all = true;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            all = hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_strip_instruction);
            if (all) changed |= strip(call, i);
        }
    /* The tables that metadata points into. */
    if (all && module->frames.frame_count) {
        module->frames = (hlo_stack_frames){0};
        changed = true;
    }
    return changed;
}

hlo_pass_result hlo_pass_strip_metadata(const hlo_pass_call *call) {
    bool changed = false;
    for (hlo_module *part = call->module; part; part = part->next_device)
        changed |= strip_module(call, part);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
