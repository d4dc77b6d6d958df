/* Edits of chains: instructions that move the elements of others of their kind, or of a scalar that
 * is broadcast, take what those take. */
#include "reduce/edit.h"

static bool is_broadcast_scalar(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_BROADCAST && hlo_operand(instr, 0)->shape->rank == 0;
}

/* Moves the elements of its only operand. */
static bool moves(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: return true;
    default: return false;
    }
}

/* The second of two, of which one can do the work of both. */
static bool is_link(const hlo_instr *instr) {
    if (!moves(instr)) return false;
    const hlo_instr *first = hlo_operand(instr, 0);
    if (is_broadcast_scalar(first)) return first->shape->type == instr->shape->type;
    bool joins = instr->opcode == HLO_OP_BROADCAST || instr->opcode == HLO_OP_RESHAPE ||
                 instr->opcode == HLO_OP_TRANSPOSE;
    return joins && instr->opcode == first->opcode;
}

uint32_t hlo_count_links(const hlo_module *module) {
    uint32_t n = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) n += is_link(i);
    return n;
}

/* The element at k of the operand of `first` is at inner[k] of `first`, and from there goes to
 * outer[inner[k]]; for transposes it is the other way round. */
static void join_dimensions(hlo_instr *instr, const hlo_instr *first) {
    if (instr->opcode == HLO_OP_RESHAPE) return;
    const hlo_ints *inner = hlo_attr_ints(first, HLO_ATTR_DIMENSIONS);
    const hlo_ints *outer = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    bool is_transpose = instr->opcode == HLO_OP_TRANSPOSE;
    const hlo_ints *by = is_transpose ? outer : inner, *at = is_transpose ? inner : outer;
    hlo_ints *joined = hlo_ints_new(&instr->parent->module->arena, by->n);
    for (uint32_t k = 0; k < by->n; k++) joined->v[k] = at->v[by->v[k]];
    hlo_instr_set_attr(instr, (hlo_attr){.id = HLO_ATTR_DIMENSIONS, .u.ints = joined});
}

/* A broadcast of the scalar to the shape of the instruction, which it replaces and whose name it
 * has. */
static void broadcast_again(hlo_instr *instr, hlo_instr *scalar) {
    hlo_module *module = instr->parent->module;
    hlo_attr dimensions = {.id = HLO_ATTR_DIMENSIONS, .u.ints = hlo_ints_new(&module->arena, 0)};
    hlo_instr *instead =
        hlo_instr_new(instr->parent, HLO_OP_BROADCAST, instr->shape,
                      hlo_edit_name(module, "broadcast"), &scalar, 1, &dimensions, 1);
    hlo_name *own = instr->name;
    instr->name = instead->name;
    instead->name = own;
    hlo_instr_move_before(instead, instr);
    hlo_instr_replace_all_uses(instr, instead);
}

bool hlo_edit_shorten_chains(hlo_module *module, uint32_t at, uint32_t size) {
    uint32_t number = 0;
    bool some = false;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (!is_link(i)) continue;
            bool is_meant = number >= at && number - at < size;
            number++;
            if (!is_meant) continue;
            hlo_instr *first = hlo_operand(i, 0);
            if (is_broadcast_scalar(first)) broadcast_again(i, hlo_operand(first, 0));
            else {
                join_dimensions(i, first);
                hlo_instr_set_operand(i, 0, hlo_operand(first, 0));
            }
            some = true;
        }
    return some;
}
