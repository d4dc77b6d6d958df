/* Roles of instructions in a drawing. A fusion, or a call of what nothing else calls, is a cluster
 * in its own place: edges pass it, its parameters and, where only its elements are used, its tuple.
 */
#include "graph/model/roles.h"

#include "analysis/trivial.h"

enum { FEW_ELEMENTS = 3 }; /* a tuple of a loop with more users would have edges everywhere */

/* ---- calls ---- */

static bool takes_line(const hlo_instr *caller, const hlo_attr *attr) {
    return (attr->id == HLO_ATTR_TO_APPLY || attr->id == HLO_ATTR_SELECT ||
            attr->id == HLO_ATTR_SCATTER) &&
           hlo_is_trivial(attr->u.computation) && caller->parent != attr->u.computation;
}

static void count_lines(const hlo_instr *instr, uint32_t *lines) {
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (takes_line(instr, &instr->attrs[i])) lines[instr->attrs[i].u.computation->id]++;
}

void hlo_dot_find_callers(hlo_dot_selection *s) {
    uint32_t ids = s->module->next_id + 1;
    s->callers = hlo_calloc(ids, sizeof *s->callers);
    s->caller = hlo_calloc(ids, sizeof(hlo_instr *));
    s->is_line = hlo_calloc(ids, sizeof *s->is_line);
    uint32_t *lines = hlo_calloc(ids, sizeof *lines);
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            hlo_computation *called;
            count_lines(i, lines);
            for (uint32_t k = 0; (called = hlo_called(i, k)); k++) {
                s->callers[called->id]++;
                s->caller[called->id] = i;
            }
        }
    for (hlo_computation *c = s->module->first; c; c = c->next)
        s->is_line[c->id] =
            lines[c->id] && lines[c->id] == s->callers[c->id] && !hlo_dot_place_of(s, c);
    hlo_free(lines);
}

hlo_instr *hlo_dot_place_of(const hlo_dot_selection *s, const hlo_computation *c) {
    hlo_instr *caller = s->callers[c->id] == 1 ? s->caller[c->id] : NULL;
    if (!caller || !c->root) return NULL;
    if (caller->opcode != HLO_OP_FUSION && caller->opcode != HLO_OP_CALL) return NULL;
    return caller->operand_count == c->parameter_count ? caller : NULL;
}

hlo_computation *hlo_dot_body_of(const hlo_dot_selection *s, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_FUSION && instr->opcode != HLO_OP_CALL) return NULL;
    hlo_computation *called = hlo_called(instr, 0);
    return called && hlo_dot_place_of(s, called) == instr ? called : NULL;
}

hlo_computation *hlo_dot_drawn_body(const hlo_dot_selection *s, const hlo_instr *instr) {
    hlo_computation *body = hlo_dot_body_of(s, instr);
    return body && s->kept[hlo_dot_number(s, instr)] && s->kept[hlo_dot_number(s, body->root)]
               ? body
               : NULL;
}

static bool is_drawn_in_place(const hlo_dot_selection *s, const hlo_computation *c) {
    const hlo_instr *caller = hlo_dot_place_of(s, c);
    return caller && hlo_dot_drawn_body(s, caller);
}

/* ---- roles ---- */

/* What has to be a node whatever it is. */
static bool is_fixed(const hlo_dot_selection *s, const hlo_instr *instr) {
    return instr == instr->parent->root || instr == s->centre || s->tied[hlo_dot_number(s, instr)];
}

static bool is_element(const hlo_dot_selection *s, const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && !s->expand && !is_fixed(s, instr);
}

/* Users take elements of the tuple apart, so that it needs no node. */
static bool is_taken_apart(const hlo_dot_selection *s, const hlo_instr *tuple, uint32_t elements) {
    for (const hlo_use *use = tuple->first_use; use; use = use->next) {
        if (!is_element(s, use->user)) return false;
        int64_t index = hlo_attr_int(use->user, HLO_ATTR_INDEX);
        if (index < 0 || index >= elements) return false;
    }
    return true;
}

static bool opens(const hlo_dot_selection *s, const hlo_instr *caller,
                  const hlo_computation *body) {
    const hlo_instr *root = body->root;
    if (root->opcode != HLO_OP_TUPLE || root->first_use || !root->operand_count ||
        root == s->centre || s->tied[hlo_dot_number(s, root)] || is_fixed(s, caller) || s->expand)
        return false;
    for (uint32_t i = 0; i < root->operand_count; i++)
        if (!s->kept[hlo_dot_number(s, hlo_operand(root, i))]) return false;
    return is_taken_apart(s, caller, root->operand_count);
}

static bool is_open(const hlo_dot_selection *s, const hlo_computation *c) {
    return s->opened[c->id];
}

/* A loop's tuple would have an edge to everything in the loop: users name its elements instead. */
static bool is_spread(const hlo_dot_selection *s, const hlo_instr *parameter) {
    uint32_t users = 0;
    if (!hlo_shape_is_tuple(parameter->shape) || is_fixed(s, parameter) || s->expand) return false;
    for (const hlo_use *use = parameter->first_use; use; use = use->next) {
        if (!is_element(s, use->user) || hlo_shape_is_tuple(use->user->shape)) return false;
        users++;
    }
    return users > FEW_ELEMENTS;
}

/* A parameter that is a result itself stays, so that a body is never without nodes, and no edge
 * passes more than the clusters around it. */
static bool is_result_of_body(const hlo_dot_selection *s, const hlo_instr *parameter) {
    const hlo_computation *c = parameter->parent;
    for (const hlo_use *use = parameter->first_use; is_open(s, c) && use; use = use->next)
        if (use->user == c->root) return true;
    return false;
}

static hlo_dot_role role_of_parameter(const hlo_dot_selection *s, const hlo_instr *instr) {
    int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    if (is_fixed(s, instr)) return HLO_DOT_NODE;
    if (!is_drawn_in_place(s, instr->parent))
        return is_spread(s, instr) ? HLO_DOT_OMITTED : HLO_DOT_NODE;
    if (number < 0 || number >= s->caller[instr->parent->id]->operand_count) return HLO_DOT_NODE;
    if (is_result_of_body(s, instr)) return HLO_DOT_NODE;
    return instr->first_use ? HLO_DOT_PASSED : HLO_DOT_OMITTED;
}

static bool is_small(const hlo_instr *constant) {
    int64_t elements =
        hlo_shape_is_array(constant->shape) ? hlo_shape_elements(constant->shape) : -1;
    return elements >= 0 && elements <= HLO_DOT_SMALL_CONSTANT;
}

static bool is_splat(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_BROADCAST || !instr->operand_count) return false;
    const hlo_instr *of = hlo_operand(instr, 0);
    return of->opcode == HLO_OP_CONSTANT && hlo_shape_is_array(of->shape) &&
           hlo_shape_elements(of->shape) == 1;
}

bool hlo_dot_is_short_value(const hlo_instr *instr) {
    return (instr->opcode == HLO_OP_CONSTANT && is_small(instr)) || is_splat(instr);
}

bool hlo_dot_is_value(const hlo_dot_selection *s, const hlo_instr *instr) {
    return !is_fixed(s, instr) && instr->first_use && hlo_dot_is_short_value(instr);
}

static hlo_dot_role role_of_element(const hlo_dot_selection *s, const hlo_instr *instr) {
    uint32_t tuple = hlo_dot_number(s, hlo_operand(instr, 0));
    if (!s->kept[tuple]) return HLO_DOT_NODE;
    if (!instr->first_use) return HLO_DOT_OMITTED;
    return hlo_operand(instr, 0)->opcode == HLO_OP_PARAMETER && s->roles[tuple] == HLO_DOT_OMITTED
               ? HLO_DOT_TEXT
               : HLO_DOT_PASSED;
}

static hlo_dot_role role_of(const hlo_dot_selection *s, const hlo_instr *instr) {
    if (hlo_dot_drawn_body(s, instr)) return HLO_DOT_PASSED;
    if (instr == instr->parent->root && is_open(s, instr->parent)) return HLO_DOT_OMITTED;
    if (is_fixed(s, instr)) return HLO_DOT_NODE;
    if (is_element(s, instr)) return role_of_element(s, instr);
    return hlo_dot_is_value(s, instr) ? HLO_DOT_TEXT : HLO_DOT_NODE;
}

void hlo_dot_give_roles(hlo_dot_selection *s) {
    s->roles = hlo_calloc(s->total + 1, sizeof *s->roles);
    s->opened = hlo_calloc(s->module->next_id + 1, sizeof *s->opened);
    for (hlo_computation *c = s->module->first; c; c = c->next)
        s->opened[c->id] = is_drawn_in_place(s, c) && opens(s, s->caller[c->id], c);
    for (int parameters = 1; parameters >= 0; parameters--)
        for (hlo_computation *c = s->module->first; c; c = c->next)
            for (hlo_instr *i = c->first; i; i = i->next) {
                if ((i->opcode == HLO_OP_PARAMETER) != parameters) continue;
                s->roles[hlo_dot_number(s, i)] =
                    (uint8_t)(parameters ? role_of_parameter(s, i) : role_of(s, i));
            }
}

/* ---- edges that pass ---- */

static hlo_instr *passed_element(const hlo_dot_selection *s, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    hlo_instr *tuple = hlo_operand(element, 0);
    const hlo_computation *body = hlo_dot_drawn_body(s, tuple);
    if (!body || !is_open(s, body)) return tuple;
    return hlo_operand(body->root, (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX));
}

hlo_instr *hlo_dot_passed(const hlo_dot_selection *s, const hlo_instr *instr) {
    if (hlo_dot_role_of(s, instr) != HLO_DOT_PASSED) return NULL;
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) return passed_element(s, instr);
    if (instr->opcode == HLO_OP_PARAMETER)
        return hlo_operand(s->caller[instr->parent->id],
                           (uint32_t)hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER));
    return hlo_called(instr, 0)->root;
}

hlo_instr *hlo_dot_source(const hlo_dot_selection *s, hlo_instr *instr) {
    hlo_instr *next;
    while ((next = hlo_dot_passed(s, instr))) instr = next;
    return instr;
}

bool hlo_dot_is_result(const hlo_dot_selection *s, const hlo_instr *instr) {
    while (instr == instr->parent->root && is_drawn_in_place(s, instr->parent))
        instr = s->caller[instr->parent->id];
    return instr == instr->parent->root;
}
