/* The table of edits, and how many items each of them has. */
#include "reduce/edit.h"

const hlo_edit hlo_edits[HLO_EDIT_COUNT] = {
#define HLO_EDIT(name, how, items) {#name, HLO_EDIT_##how, hlo_count_##items, hlo_edit_##name},
#include "reduce/edits.def"
#undef HLO_EDIT
};

uint32_t hlo_count_once(const hlo_module *module) {
    (void)module;
    return 1;
}

uint32_t hlo_count_entry_instrs(const hlo_module *module) {
    return module->entry->instr_count;
}

uint32_t hlo_count_instrs(const hlo_module *module) {
    uint32_t n = 0;
    for (const hlo_computation *c = module->first; c; c = c->next) n += c->instr_count;
    return n;
}

uint32_t hlo_count_inner_instrs(const hlo_module *module) {
    return hlo_count_instrs(module) - module->entry->instr_count;
}

uint32_t hlo_count_results(const hlo_module *module) {
    const hlo_instr *root = module->entry->root;
    return root->opcode == HLO_OP_TUPLE && root->operand_count > 1 ? root->operand_count : 0;
}

uint32_t hlo_count_computations(const hlo_module *module) {
    return module->computation_count;
}

uint32_t hlo_count_parameters(const hlo_module *module) {
    return module->entry->parameter_count;
}
