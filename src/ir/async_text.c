/* Which asynchronous operations have the short form OP-start, OP-update, OP-done. See async_text.h.
 */
#include "ir/async_text.h"

/* The one instruction of the start's computation besides its parameters: XLA prints the short form
 * then. */
static const hlo_instr *only_instr(const hlo_instr *start) {
    const hlo_attr *calls = hlo_instr_attr(start, HLO_ATTR_CALLS);
    if (!calls || !calls->u.computation->root) return NULL;
    const hlo_computation *c = calls->u.computation;
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (i->opcode != HLO_OP_PARAMETER && i != c->root) return NULL;
    return c->root;
}

/* The short form names the operands of the start, so they are all that can be the wrapped
 * instruction's. */
static bool takes_parameters_in_order(const hlo_instr *instr) {
    const hlo_computation *c = instr->parent;
    if (instr->operand_count != c->parameter_count) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i) != c->parameters[i]) return false;
    return true;
}

bool hlo_async_stays_inside(const hlo_instr *start, hlo_attr_id id) {
    if (id == HLO_ATTR_FRONTEND_ATTRIBUTES) return hlo_instr_attr(start, id) != NULL;
    return id == HLO_ATTR_METADATA || id == HLO_ATTR_BACKEND_CONFIG || id == HLO_ATTR_ORIGIN;
}

/* Attributes of both are on one line: none may be there twice, but for the computation that the
 * short form stands for; and control predecessors of the wrapped instruction have no names there.
 */
static bool attributes_fit(const hlo_instr *start, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        hlo_attr_id id = (hlo_attr_id)instr->attrs[i].id;
        if (id == HLO_ATTR_CONTROL_PREDECESSORS && instr->attrs[i].u.instructions->n) return false;
        if (id == HLO_ATTR_CALLS || hlo_async_stays_inside(start, id)) continue;
        if (hlo_instr_attr(start, id)) return false;
    }
    return true;
}

/* An update brings what is of another structure. */
static bool is_read_back(const hlo_shape *stated, const hlo_shape *wrapped) {
    return !hlo_shape_compatible(stated, wrapped) || hlo_shape_same_marks(stated, wrapped);
}

/* The reader makes the parameters and the wrapped instruction from the shape of the start, and the
 * body may have other dimensions that are dynamic. */
static bool shapes_fit(const hlo_instr *start, const hlo_instr *instr) {
    const hlo_shape *bound = start->shape->elements[0];
    for (uint32_t i = 0; i < bound->rank && i < instr->operand_count; i++)
        if (!is_read_back(bound->elements[i], hlo_operand(instr, i)->shape)) return false;
    return is_read_back(start->shape->elements[1], instr->shape);
}

static bool is_whole(const hlo_instr *start, const hlo_instr *instr) {
    return !(hlo_info(instr)->flags & HLO_OP_IS_NOT_WRAPPABLE) &&
           takes_parameters_in_order(instr) && attributes_fit(start, instr) &&
           shapes_fit(start, instr);
}

static const hlo_instr *start_of(const hlo_instr *link) {
    while ((link->opcode == HLO_OP_ASYNC_UPDATE || link->opcode == HLO_OP_ASYNC_DONE) &&
           link->operand_count)
        link = hlo_operand(link, 0);
    return link->opcode == HLO_OP_ASYNC_START ? link : NULL;
}

const hlo_instr *hlo_async_short_form(const hlo_instr *link) {
    const hlo_instr *start = start_of(link);
    const hlo_instr *instr = start ? only_instr(start) : NULL;
    return instr && is_whole(start, instr) ? instr : NULL;
}

const hlo_instr *hlo_async_lossy_form(const hlo_instr *start) {
    const hlo_instr *instr = start->opcode == HLO_OP_ASYNC_START ? only_instr(start) : NULL;
    return instr && !is_whole(start, instr) ? instr : NULL;
}
