/* After an edit: dead code is removed, and the header is updated for the entry. */
#include "passes/pipeline/pipeline.h"
#include "reduce/edit.h"

/* ---- removing ---- */

static void forget_marked(hlo_instr *instr, uint32_t mark) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    if (!control) return;
    const hlo_instrs *old = control->u.instructions;
    size_t bytes = sizeof *old + old->n * sizeof old->v[0];
    hlo_instrs *left = hlo_arena_copy(&instr->parent->module->arena, old, bytes);
    left->n = 0;
    for (uint32_t i = 0; i < old->n; i++)
        if (old->v[i]->mark != mark) left->v[left->n++] = old->v[i];
    hlo_attr value = {.id = HLO_ATTR_CONTROL_PREDECESSORS, .u.instructions = left};
    if (left->n) hlo_instr_set_attr(instr, value);
    else hlo_instr_remove_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
}

void hlo_edit_remove_marked(hlo_computation *computation, uint32_t mark) {
    for (hlo_instr *i = computation->last, *before; i; i = before) {
        before = i->prev;
        if (i->mark == mark) hlo_instr_remove(i);
        else forget_marked(i, mark);
    }
}

/* ---- the header ---- */

void hlo_module_drop_attr(hlo_module *module, hlo_attr_id id) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < module->attr_count; i++)
        if (module->attrs[i].id != id) module->attrs[kept++] = module->attrs[i];
    module->attr_count = kept;
}

hlo_signature hlo_edit_signature(const hlo_module *module) {
    const hlo_computation *entry = module->entry;
    return (hlo_signature){entry, entry->parameters, entry->parameter_count, entry->root->shape};
}

static bool is_same_signature(hlo_signature a, hlo_signature b) {
    if (a.entry != b.entry || a.result != b.result || a.parameter_count != b.parameter_count)
        return false;
    for (uint32_t i = 0; i < a.parameter_count; i++)
        if (a.parameters[i] != b.parameters[i]) return false;
    return true;
}

/* Attributes that name parameters and results by number or index no longer match. */
static void write_header(hlo_module *module) {
    static const hlo_attr_id by_number[] = {
        HLO_ATTR_INPUT_OUTPUT_ALIAS, HLO_ATTR_BUFFER_DONOR,   HLO_ATTR_ALIAS_PASSTHROUGH_PARAMS,
        HLO_ATTR_SPMD_TO_PARAMETERS, HLO_ATTR_SPMD_TO_OUTPUT, HLO_ATTR_ORIGIN_RECOVERY_TABLE,
    };
    for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++)
        hlo_module_drop_attr(module, by_number[i]);
    const hlo_computation *entry = module->entry;
    uint32_t n = entry->parameter_count;
    hlo_shapes *shapes = hlo_arena_alloc(&module->arena, sizeof *shapes + n * sizeof shapes->v[0]);
    shapes->n = n;
    for (uint32_t i = 0; i < n; i++) shapes->v[i] = entry->parameters[i]->shape;
    hlo_program_shape *layout = HLO_NEW(&module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){shapes, entry->root->shape};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = layout});
}

/* ---- the whole ---- */

/* Removes unused parameters of the entry and renumbers the others. */
static bool drop_parameters(hlo_module *module) {
    hlo_computation *entry = module->entry;
    if (!hlo_computation_index_parameters(entry)) return false;
    uint32_t unused = hlo_module_new_mark(module);
    int64_t number = 0;
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        hlo_instr *parameter = entry->parameters[i];
        if (!parameter->first_use && entry->root != parameter) parameter->mark = unused;
        else
            hlo_instr_set_attr(parameter,
                               (hlo_attr){.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = number++});
    }
    hlo_edit_remove_marked(entry, unused);
    return hlo_computation_index_parameters(entry);
}

/* The header is out of date until the end, so nothing is verified in between. */
bool hlo_edit_run(hlo_module *module, const char *passes, bool *changed) {
    hlo_pipeline_options how = HLO_PIPELINE_OPTIONS_INIT;
    hlo_diags diags;
    hlo_pipeline *pipeline;
    bool good = false;
    how.verify_each = HLO_OFF;
    hlo_diags_init(&diags);
    if (hlo_pipeline_parse("pipeline", passes, &diags, &pipeline) == HLO_OK) {
        good = hlo_pipeline_execute_with(pipeline, module, &how, &diags, changed) == HLO_OK;
        hlo_pipeline_free(pipeline);
    }
    hlo_diags_drop(&diags);
    return good;
}

bool hlo_edit_tidy(hlo_module *module, hlo_signature before) {
    bool good = hlo_computation_index_parameters(module->entry) &&
                hlo_edit_run(module, "fix(dce)", NULL) && drop_parameters(module);
    if (good && !is_same_signature(before, hlo_edit_signature(module))) write_header(module);
    return good;
}
