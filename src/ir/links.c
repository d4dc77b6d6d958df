/* A walk over all lists of a module: see links.h. */
#include "ir/links.h"

#ifdef HLO_DEBUG

static void check_operands(const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_use *use = &instr->operands[i];
        HLO_ASSERT(use->user == instr && use->def);
        HLO_ASSERT(use->def->parent == instr->parent);
        HLO_ASSERT(use->prev ? use->prev->next == use : use->def->first_use == use);
        HLO_ASSERT(use->next ? use->next->prev == use : use->def->last_use == use);
    }
}

static void check_attrs(const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        const hlo_attr *attr = &instr->attrs[i];
        HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
        if (hlo_attr_table[attr->id].kind != HLO_KIND_INSTRUCTIONS) continue;
        for (uint32_t k = 0; k < attr->u.instructions->n; k++)
            HLO_ASSERT(attr->u.instructions->v[k]->parent == instr->parent);
    }
    for (uint32_t k = 0, n = hlo_called_count(instr); k < n; k++)
        HLO_ASSERT(hlo_called(instr, k)->module == instr->parent->module);
}

static uint64_t count_uses(const hlo_instr *def) {
    uint64_t n = 0;
    for (const hlo_use *use = def->first_use; use; use = use->next, n++)
        HLO_ASSERT(use->def == def && use->user->parent == def->parent);
    return n;
}

static void check_instructions(const hlo_computation *c) {
    uint64_t operands = 0, uses = 0;
    uint32_t n = 0;
    const hlo_instr *last = NULL;
    for (hlo_instr *i = c->first; i; last = i, i = i->next, n++) {
        HLO_ASSERT(i->prev == last && i->parent == c);
        HLO_ASSERT(i->opcode < HLO_OP_COUNT && i->shape && i->name);
        check_operands(i);
        check_attrs(i);
        operands += i->operand_count;
        uses += count_uses(i);
    }
    HLO_ASSERT(c->last == last && c->instr_count == n);
    HLO_ASSERT(operands == uses);
    HLO_ASSERT(!c->root || c->root->parent == c);
    for (uint32_t i = 0; i < c->parameter_count; i++)
        HLO_ASSERT(c->parameters[i]->parent == c && c->parameters[i]->opcode == HLO_OP_PARAMETER);
}

void hlo_check_links(const hlo_module *module) {
    uint32_t n = 0;
    const hlo_computation *last = NULL;
    for (const hlo_computation *c = module->first; c; last = c, c = c->next, n++) {
        HLO_ASSERT(c->prev == last && c->module == module && c->name);
        HLO_ASSERT(c->id < module->next_id);
        check_instructions(c);
    }
    HLO_ASSERT(module->last == last && module->computation_count == n);
    HLO_ASSERT(!module->entry || module->entry->module == module);
}

#endif
