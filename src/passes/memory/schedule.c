/* Schedules of modules: see schedule.h. */
#include "passes/memory/schedule.h"

void hlo_set_order(hlo_computation *c, hlo_instr *const *order) {
    for (uint32_t i = c->instr_count - 1; i-- > 0;) hlo_instr_move_before(order[i], order[i + 1]);
}

void hlo_order_as_run(hlo_module *module) {
    for (hlo_computation *c = module->first; c; c = c->next) {
        hlo_instr **order = hlo_malloc(c->instr_count * sizeof *order);
        hlo_run_order(c, order);
        hlo_set_order(c, order);
        hlo_free(order);
    }
}

void hlo_keep_order(hlo_module *module) {
    hlo_module_set_attr(module, (hlo_attr){.id = HLO_ATTR_IS_SCHEDULED, .u.i = true});
}

bool hlo_take_schedule(hlo_module *module) {
    if (hlo_module_flag(module, HLO_ATTR_IS_SCHEDULED)) return false;
    hlo_order_as_run(module);
    hlo_keep_order(module);
    return true;
}
