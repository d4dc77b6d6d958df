/* Sets of instructions that lead to others: see reachability.h. */
#include "analysis/reachability.h"

static const hlo_instrs *control_of(const hlo_instr *instr) {
    static const hlo_instrs none = {0};
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    return control ? control->u.instructions : &none;
}

static bool *copy_of(const hlo_computation *c, const bool *set) {
    HLO_ASSERT(c->instr_count > 0);
    bool *copy = hlo_calloc(c->instr_count + 1u, sizeof *copy);
    memcpy(copy, set, (c->instr_count + 1u) * sizeof *copy);
    return copy;
}

bool *hlo_reach_users(const hlo_computation *c, const bool *from) {
    bool *reached = copy_of(c, from);
    for (const hlo_instr *i = c->first; i; i = i->next) {
        const hlo_instrs *control = control_of(i);
        bool *own = &reached[i->index];
        for (uint32_t k = 0; !*own && k < i->operand_count; k++)
            *own = reached[hlo_operand(i, k)->index];
        for (uint32_t k = 0; !*own && k < control->n; k++) *own = reached[control->v[k]->index];
    }
    return reached;
}

bool *hlo_reach_operands(const hlo_computation *c, const bool *from) {
    bool *reached = copy_of(c, from);
    for (const hlo_instr *i = c->last; i; i = i->prev) {
        if (!reached[i->index]) continue;
        const hlo_instrs *control = control_of(i);
        for (uint32_t k = 0; k < i->operand_count; k++) reached[hlo_operand(i, k)->index] = true;
        for (uint32_t k = 0; k < control->n; k++) reached[control->v[k]->index] = true;
    }
    return reached;
}

void hlo_reach_close(const hlo_computation *c, bool *set) {
    bool *users = hlo_reach_users(c, set), *operands = hlo_reach_operands(c, set);
    for (uint32_t i = 0; i <= c->instr_count; i++) set[i] = users[i] && operands[i];
    hlo_free(users);
    hlo_free(operands);
}
