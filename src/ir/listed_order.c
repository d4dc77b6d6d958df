/* The order in which messages and StableHLO list computations: see listed_order.h. */
#include "ir/listed_order.h"

/* Numbers all instructions; whether each computation comes after its callees. */
static bool number_all(hlo_module *module) {
    uint32_t seen = hlo_module_new_mark(module);
    bool callees_first = true;
    for (hlo_computation *c = module->first; c; c = c->next) {
        uint32_t number = 0;
        for (hlo_instr *i = c->first; i; i = i->next) {
            i->index = number++;
            for (uint32_t k = 0, n = hlo_called_count(i); k < n && callees_first; k++)
                callees_first = hlo_called(i, k)->mark == seen;
        }
        c->mark = seen;
    }
    return callees_first;
}

uint32_t hlo_listed_order(hlo_module *module, hlo_computation **order) {
    if (!number_all(module)) return hlo_callees_first_order(module, order);
    uint32_t n = 0;
    for (hlo_computation *c = module->first; c; c = c->next) order[n++] = c;
    return n;
}
