/* Edits that remove what instructions and the header can do without. */
#include "reduce/edit.h"

static bool is_optional(hlo_attr_id id) {
    const hlo_attr_info *info = &hlo_attr_table[id];
    return id != HLO_ATTR_ENTRY_COMPUTATION_LAYOUT && info->place != HLO_PLACE_PARENS &&
           info->printed != HLO_PRINT_ALWAYS;
}

static bool is_remark(hlo_attr_id id) {
    return is_optional(id) && hlo_attr_table[id].place != HLO_PLACE_OWN;
}

/* Which attributes occur that satisfy the predicate. */
static uint32_t find(const hlo_module *module, bool (*wanted)(hlo_attr_id), bool *found) {
    uint32_t n = 0;
    memset(found, 0, HLO_ATTR_COUNT * sizeof *found);
    for (uint32_t k = 0; k < module->attr_count; k++) found[module->attrs[k].id] = true;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0; k < i->attr_count; k++) found[i->attrs[k].id] = true;
    for (int id = 0; id < HLO_ATTR_COUNT; id++) n += found[id] &= wanted((hlo_attr_id)id);
    return n;
}

static void remove_all(hlo_module *module, const bool *which) {
    for (int id = 0; id < HLO_ATTR_COUNT; id++) {
        if (!which[id]) continue;
        hlo_module_drop_attr(module, (hlo_attr_id)id);
        for (hlo_computation *c = module->first; c; c = c->next)
            for (hlo_instr *i = c->first; i; i = i->next) hlo_instr_remove_attr(i, (hlo_attr_id)id);
    }
    /* The tables that metadata points into. */
    if (which[HLO_ATTR_METADATA]) module->frames = (hlo_stack_frames){0};
}

bool hlo_edit_strip_everything(hlo_module *module, uint32_t at, uint32_t size) {
    bool found[HLO_ATTR_COUNT];
    (void)at, (void)size;
    if (find(module, is_remark, found) == 0) return false;
    remove_all(module, found);
    return true;
}

uint32_t hlo_count_attributes(const hlo_module *module) {
    bool found[HLO_ATTR_COUNT];
    return find(module, is_optional, found);
}

bool hlo_edit_strip_attributes(hlo_module *module, uint32_t at, uint32_t size) {
    bool found[HLO_ATTR_COUNT];
    find(module, is_optional, found);
    uint32_t number = 0;
    for (int id = 0; id < HLO_ATTR_COUNT; id++) {
        if (!found[id]) continue;
        found[id] = number >= at && number - at < size;
        number++;
    }
    remove_all(module, found);
    return true;
}
