/* Numbers of instructions for other processes: see instr_key.h. */
#include "eval/comm/instr_key.h"

int64_t hlo_instr_key(const hlo_instr *instr) {
    HLO_ASSERT(instr->parent);
    int64_t place = 0;
    for (const hlo_instr *i = instr->prev; i; i = i->prev) place++;
    return (int64_t)instr->parent->id << 32 | place;
}

const hlo_instr *hlo_instr_of_key(const hlo_module *module, int64_t key) {
    const hlo_computation *computation = module->first;
    while (computation && computation->id != (uint32_t)(key >> 32)) computation = computation->next;
    const hlo_instr *instr = computation ? computation->first : NULL;
    for (int64_t place = key & UINT32_MAX; instr && place > 0; place--) instr = instr->next;
    return instr;
}
