/* Which values a gradient can reach: those that are floating and depend on the parameters that the
 * program is differentiated by. Called by the pass and, for their computations, by loops and
 * branches. */
#include "passes/autodiff/scope.h"

static bool any_active(const hlo_leaf *leaves, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i].is_active) return true;
    return false;
}

static uint32_t leaf_count(const hlo_instr *instr) {
    return hlo_shape_leaf_count(instr->shape);
}

/* Copies the marks of leaves; results of operations that take tuples apart or build them. */
static void copy_active(hlo_leaf *to, const hlo_leaf *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) to[i].is_active = from[i].is_active;
}

static void mark_element(const hlo_scope *scope, const hlo_instr *element) {
    const hlo_instr *tuple = hlo_operand(element, 0);
    uint32_t first = hlo_leaf_of_element(tuple->shape, hlo_attr_int(element, HLO_ATTR_INDEX));
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

/* Every floating leaf of the result depends on every operand. */
static void mark_all(const hlo_scope *scope, const hlo_instr *instr) {
    hlo_leaf *to = hlo_scope_leaves(scope, instr);
    bool active = false;
    for (uint32_t i = 0; i < instr->operand_count && !active; i++)
        active = any_active(hlo_scope_leaves(scope, hlo_operand(instr, i)),
                            leaf_count(hlo_operand(instr, i)));
    for (uint32_t i = 0; active && i < leaf_count(instr); i++)
        to[i].is_active = hlo_is_floating(hlo_leaf_shape(instr->shape, i));
}

static void mark(const hlo_scope *scope, const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER: break;
    case HLO_OP_GET_TUPLE_ELEMENT: mark_element(scope, instr); break;
    case HLO_OP_TUPLE: mark_parts(scope, instr, instr->operand_count); break;
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_COPY:
    case HLO_OP_DOMAIN:
    case HLO_OP_OPT_BARRIER: mark_parts(scope, instr, 1); break;
    default:
        if (hlo_gradient_rule_of((hlo_opcode)instr->opcode) != hlo_gradient_none)
            mark_all(scope, instr);
    }
}

void hlo_find_active(hlo_scope *scope) {
    for (uint32_t i = 0; i < scope->count; i++) mark(scope, scope->order[i]);
}
