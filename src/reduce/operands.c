/* Edits that let users take another value of the same shape that is there already. */
#include "reduce/edit.h"

/* An operand of that shape, or a parameter when the instruction is the root of a called
 * computation: then a loop's state stays what it was. */
static hlo_instr *another(const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->shape == instr->shape) return hlo_operand(instr, i);
    const hlo_computation *c = instr->parent;
    if (instr != c->root || c == c->module->entry) return NULL;
    for (uint32_t i = 0; i < c->parameter_count; i++)
        if (c->parameters[i]->shape == instr->shape && c->parameters[i] != instr)
            return c->parameters[i];
    return NULL;
}

bool hlo_edit_pass_operands_on(hlo_module *module, uint32_t at, uint32_t size) {
    uint32_t number = 0;
    bool some = false;
    for (hlo_computation *c = module->first; c; c = c->next) {
        uint32_t mark = hlo_module_new_mark(module);
        for (hlo_instr *i = c->first; i; i = i->next, number++) {
            hlo_instr *instead = number >= at && number - at < size ? another(i) : NULL;
            if (!instead) continue;
            hlo_instr_replace_all_uses(i, instead);
            if (i->opcode != HLO_OP_PARAMETER) i->mark = mark;
            some = true;
        }
        hlo_edit_remove_marked(c, mark);
    }
    return some;
}

/* Operands with the shape of an earlier one of the same instruction become that one. Not in tuples:
 * their elements are removed one by one. */
static bool share(hlo_instr *instr) {
    bool some = false;
    if (instr->opcode == HLO_OP_TUPLE) return false;
    for (uint32_t i = 1; i < instr->operand_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            hlo_instr *first = hlo_operand(instr, k);
            if (first->shape != hlo_operand(instr, i)->shape) continue;
            some |= first != hlo_operand(instr, i);
            hlo_instr_set_operand(instr, i, first);
            break;
        }
    return some;
}

bool hlo_edit_share_operands(hlo_module *module, uint32_t at, uint32_t size) {
    uint32_t number = 0;
    bool some = false;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next, number++)
            if (number >= at && number - at < size) some |= share(i);
    return some;
}

bool hlo_edit_merge_parameters(hlo_module *module, uint32_t at, uint32_t size) {
    hlo_computation *entry = module->entry;
    bool some = false;
    for (uint32_t i = at; i < entry->parameter_count && i - at < size; i++)
        for (uint32_t k = 0; k < i; k++) {
            if (entry->parameters[k]->shape != entry->parameters[i]->shape) continue;
            if (entry->parameters[i]->first_use || entry->root == entry->parameters[i]) some = true;
            /* In source order the first of them may stand after users of the other. */
            hlo_instr_move_before(entry->parameters[k], entry->first);
            hlo_instr_replace_all_uses(entry->parameters[i], entry->parameters[k]);
            break;
        }
    return some;
}
