/* strip-metadata: removes the origins of instructions, and on request what else is no part of what
 * is computed. */
#include "passes/pipeline/rewrite.h"

static const hlo_attr_id always[] = {HLO_ATTR_METADATA, HLO_ATTR_ORIGIN, HLO_ATTR_STATISTICS};
/* Keys of frontend attributes on which a verdict or a result depends. */
static const char *const meaningful[] = {
    "_collectives_group",
    "_xla_host_transfer_rendezvous",
    "_xla_send_recv_pipeline",
    "_xla_stream_annotation",
    "xla_skip_custom_call_alias_shape_check",
    "_xla_send_recv_source_target_pairs",
};

static bool begins(hlo_str text, hlo_str prefix) {
    return text.len >= prefix.len && memcmp(text.ptr, prefix.ptr, prefix.len) == 0;
}

/* A composite is one by its name; a graph's root has the places of its elements in the result. */
static bool has_meaning(const hlo_instr *instr, hlo_str key) {
    bool is_composite = hlo_attr_int(instr, HLO_ATTR_IS_COMPOSITE) != 0;
    if (is_composite && begins(key, hlo_str_from("composite."))) return true;
    const hlo_module *module = instr->parent->module;
    if (instr == module->entry->root && hlo_module_flag(module, HLO_ATTR_IS_DATAFLOW) &&
        hlo_str_is(key, "results"))
        return true;
    for (size_t i = 0; i < sizeof meaningful / sizeof *meaningful; i++)
        if (hlo_str_is(key, meaningful[i])) return true;
    return false;
}

/* Returns whether one went. */
static bool strip_frontend(hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (!attr) return false;
    const hlo_frontend *old = attr->u.frontend;
    hlo_frontend *kept =
        hlo_arena_copy(&instr->parent->module->arena, old, sizeof *old + old->n * sizeof old->v[0]);
    kept->n = 0;
    for (uint32_t i = 0; i < old->n; i++)
        if (has_meaning(instr, old->v[i].key)) kept->v[kept->n++] = old->v[i];
    if (kept->n && kept->n == old->n) return false;
    hlo_instr_remove_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (kept->n)
        hlo_instr_set_attr(instr,
                           (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = kept});
    return true;
}

/* The configuration of a custom call is an argument of what it calls. */
static bool strip(const hlo_pass_call *call, hlo_instr *instr) {
    uint16_t before = instr->attr_count;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        hlo_instr_remove_attr(instr, always[i]);
    if (HLO_OPTION(call, STRIP_METADATA, backend_config) && instr->opcode != HLO_OP_CUSTOM_CALL)
        hlo_instr_remove_attr(instr, HLO_ATTR_BACKEND_CONFIG);
    if (HLO_OPTION(call, STRIP_METADATA, shardings))
        hlo_instr_remove_attr(instr, HLO_ATTR_SHARDING);
    bool changed = instr->attr_count != before;
    if (HLO_OPTION(call, STRIP_METADATA, frontend_attributes)) changed |= strip_frontend(instr);
    if (changed) hlo_rewrite_count(call->rewriter, HLO_REWRITE_strip_instruction, instr->name);
    return changed;
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
