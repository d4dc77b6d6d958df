/* Another entry: see program.h. */
#include "passes/tools/program.h"

/* The header describes another entry: what remains is how many devices there are. */
static void new_header(hlo_module *module) {
    uint32_t kept = 0, n = module->entry->parameter_count;
    for (uint32_t i = 0; i < module->attr_count; i++) {
        uint16_t id = module->attrs[i].id;
        if (id == HLO_ATTR_REPLICA_COUNT || id == HLO_ATTR_NUM_PARTITIONS ||
            id == HLO_ATTR_IS_SCHEDULED)
            module->attrs[kept++] = module->attrs[i];
    }
    module->attr_count = kept;
    hlo_shapes *parameters =
        hlo_arena_zero(&module->arena, sizeof *parameters + n * sizeof parameters->v[0]);
    parameters->n = n;
    for (uint32_t i = 0; i < n; i++) parameters->v[i] = module->entry->parameters[i]->shape;
    hlo_program_shape *layout = HLO_NEW(&module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){parameters, module->entry->root->shape};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = layout});
}

void hlo_set_program(hlo_module *module, hlo_computation *entry) {
    module->entry = entry;
    new_header(module);
}
