/* Which values matter: those that are floating and depend on the parameters that the program is
 * differentiated by (active), and of these the ones on which a result depends (reached). Loops are
 * walked until nothing changes. */
#include "passes/autodiff/scope.h"

static uint32_t leaf_count(const hlo_instr *instr) {
    return hlo_shape_leaf_count(instr->shape);
}

static bool is_loop(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_WHILE;
}

/* ---- active: from operands to results ---- */

static bool any_active(const hlo_leaf *leaves, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i].is_active) return true;
    return false;
}

/* Adds marks, which never go; whether there were new ones. */
static bool copy_active(hlo_leaf *to, const hlo_leaf *from, uint32_t n) {
    bool changed = false;
    for (uint32_t i = 0; i < n; i++) {
        changed |= from[i].is_active && !to[i].is_active;
        to[i].is_active |= from[i].is_active;
    }
    return changed;
}

static void mark_element(const hlo_scope *scope, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    uint32_t first = hlo_shape_leaves_before(tuple->shape, hlo_attr_int(element, HLO_ATTR_INDEX));
    copy_active(hlo_scope_leaves(scope, element), hlo_scope_leaves(scope, tuple) + first,
                leaf_count(element));
}

/* The operands' leaves one after the other: a tuple, or what hands a value on as it is. */
static void mark_parts(const hlo_scope *scope, const hlo_instr *instr, uint32_t operands) {
    hlo_leaf *to = hlo_scope_leaves(scope, instr);
    for (uint32_t i = 0; i < operands; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        copy_active(to, hlo_scope_leaves(scope, operand), leaf_count(operand));
        to += leaf_count(operand);
    }
}

static bool any_operand_active(const hlo_scope *scope, const hlo_instr *instr) {
    bool active = false;
    for (uint32_t i = 0; i < instr->operand_count && !active; i++)
        active = any_active(hlo_scope_leaves(scope, hlo_operand(instr, i)),
                            leaf_count(hlo_operand(instr, i)));
    return active;
}

/* Every floating leaf of the result depends on every operand. */
static void mark_all(const hlo_scope *scope, const hlo_instr *instr) {
    hlo_leaf *to = hlo_scope_leaves(scope, instr);
    bool active = any_operand_active(scope, instr);
    for (uint32_t i = 0; active && i < leaf_count(instr); i++)
        to[i].is_active = hlo_is_floating(hlo_shape_leaf(instr->shape, i));
}

/* A value of a loop or conditional, and of the scope of what it calls. */
static hlo_leaf *leaves_of_parameter(const hlo_scope *child) {
    return hlo_scope_leaves(child, child->forward->parameters[0]);
}

static hlo_leaf *leaves_of_root(const hlo_scope *child) {
    return hlo_scope_leaves(child, child->forward->root);
}

/* What is given to the operands that the computations get; whether one gets more than it had. */
static bool give_operands(hlo_scope *scope, const hlo_instr *instr, hlo_scope *const *children,
                          uint32_t n) {
    bool changed = false;
    for (uint32_t k = 0; k < n; k++) {
        const hlo_instr *operand = hlo_operand(instr, is_loop(instr) ? 0 : k + 1);
        children[k]->has_more = copy_active(leaves_of_parameter(children[k]),
                                            hlo_scope_leaves(scope, operand), leaf_count(operand));
        changed |= children[k]->has_more;
    }
    return changed;
}

/* Only computations that get more than before are walked again: loops may nest. */
static void mark_called(hlo_scope *scope, hlo_instr *instr) {
    if (!any_operand_active(scope, instr)) return;
    hlo_leaf *result = hlo_scope_leaves(scope, instr);
    uint32_t n = hlo_scope_open_children(scope, instr);
    hlo_scope **children = scope->children[instr->index];
    bool changed = give_operands(scope, instr, children, n);
    if (is_loop(instr)) copy_active(result, leaves_of_parameter(children[0]), leaf_count(instr));
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < n; k++) {
            if (!children[k]->has_more) continue;
            hlo_find_active(children[k]);
            children[k]->has_more = false;
            copy_active(result, leaves_of_root(children[k]), leaf_count(instr));
        }
        if (is_loop(instr))
            changed = copy_active(leaves_of_parameter(children[0]), result, leaf_count(instr));
        children[0]->has_more = changed;
    }
}

static void mark_active(hlo_scope *scope, hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER: break;
    case HLO_OP_GET_TUPLE_ELEMENT: mark_element(scope, instr); break;
    case HLO_OP_TUPLE: mark_parts(scope, instr, instr->operand_count); break;
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_COPY:
    case HLO_OP_DOMAIN:
    case HLO_OP_OPT_BARRIER: mark_parts(scope, instr, 1); break;
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL: mark_called(scope, instr); break;
    default:
        if (hlo_gradient_rule_of((hlo_opcode)instr->opcode) != hlo_gradient_none)
            mark_all(scope, instr);
    }
}

void hlo_find_active(hlo_scope *scope) {
    for (uint32_t i = 0; i < scope->count; i++) mark_active(scope, scope->order[i]);
}

/* ---- reached: from results to operands ---- */

static bool copy_reached(hlo_leaf *to, const hlo_leaf *from, uint32_t n) {
    bool changed = false;
    for (uint32_t i = 0; i < n; i++) {
        bool reached = from[i].is_reached && to[i].is_active;
        changed |= reached && !to[i].is_reached;
        to[i].is_reached |= reached;
    }
    return changed;
}

static bool any_reached(const hlo_leaf *leaves, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i].is_reached) return true;
    return false;
}

static void reach_element(const hlo_scope *scope, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    uint32_t first = hlo_shape_leaves_before(tuple->shape, hlo_attr_int(element, HLO_ATTR_INDEX));
    copy_reached(hlo_scope_leaves(scope, tuple) + first, hlo_scope_leaves(scope, element),
                 leaf_count(element));
}

static void reach_parts(const hlo_scope *scope, const hlo_instr *instr, uint32_t operands) {
    const hlo_leaf *from = hlo_scope_leaves(scope, instr);
    for (uint32_t i = 0; i < operands; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        copy_reached(hlo_scope_leaves(scope, operand), from, leaf_count(operand));
        from += leaf_count(operand);
    }
}

static void reach_all(const hlo_scope *scope, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_leaf *leaves = hlo_scope_leaves(scope, hlo_operand(instr, i));
        for (uint32_t k = 0; k < leaf_count(hlo_operand(instr, i)); k++)
            leaves[k].is_reached |= leaves[k].is_active;
    }
}

static void reach_called(hlo_scope *scope, hlo_instr *instr) {
    hlo_scope **children = scope->children[instr->index];
    hlo_leaf *result = hlo_scope_leaves(scope, instr);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < hlo_scope_child_count(instr); k++)
            if (copy_reached(leaves_of_root(children[k]), result, leaf_count(instr)))
                hlo_find_reached(children[k]);
        if (is_loop(instr))
            changed = copy_reached(result, leaves_of_parameter(children[0]), leaf_count(instr));
    }
    for (uint32_t k = 0; k < hlo_scope_child_count(instr); k++) {
        const hlo_instr *operand = hlo_operand(instr, is_loop(instr) ? 0 : k + 1);
        copy_reached(hlo_scope_leaves(scope, operand),
                     is_loop(instr) ? result : leaves_of_parameter(children[k]),
                     leaf_count(operand));
    }
}

static void mark_reached(hlo_scope *scope, hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER: break;
    case HLO_OP_GET_TUPLE_ELEMENT: reach_element(scope, instr); break;
    case HLO_OP_TUPLE: reach_parts(scope, instr, instr->operand_count); break;
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_COPY:
    case HLO_OP_DOMAIN:
    case HLO_OP_OPT_BARRIER: reach_parts(scope, instr, 1); break;
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL: reach_called(scope, instr); break;
    default: reach_all(scope, instr);
    }
}

void hlo_find_reached(hlo_scope *scope) {
    for (uint32_t i = scope->count; i-- > 0;) {
        hlo_instr *instr = scope->order[i];
        if (any_reached(hlo_scope_leaves(scope, instr), leaf_count(instr)))
            mark_reached(scope, instr);
    }
}
