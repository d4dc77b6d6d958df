/* Rules of operations that hand values on as they are, whole or in parts. */
#include "passes/autodiff/scope.h"

/* The result is operand 0. */
bool hlo_gradient_same(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    (void)cotangent;
    uint32_t n = hlo_scope_leaf_count(g->scope, instr);
    for (uint32_t i = 0; i < n; i++)
        hlo_gradient_add_leaf(g, instr, hlo_operand(instr, 0), i,
                              hlo_gradient_cotangent(g, instr, i));
    return true;
}

bool hlo_gradient_get_tuple_element(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    HLO_ASSERT(instr->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    (void)cotangent;
    hlo_instr *tuple = hlo_operand(instr, 0);
    uint32_t first = hlo_shape_leaves_before(tuple->shape, hlo_attr_int(instr, HLO_ATTR_INDEX));
    uint32_t n = hlo_scope_leaf_count(g->scope, instr);
    for (uint32_t i = 0; i < n; i++)
        hlo_gradient_add_leaf(g, instr, tuple, first + i, hlo_gradient_cotangent(g, instr, i));
    return true;
}

bool hlo_gradient_tuple(hlo_gradient *g, hlo_instr *instr, hlo_instr *cotangent) {
    HLO_ASSERT(instr->opcode == HLO_OP_TUPLE);
    (void)cotangent;
    uint32_t leaf = 0, leaves = hlo_scope_leaf_count(g->scope, instr);
    for (uint32_t k = 0; leaf < leaves; k++) {
        uint32_t n = hlo_shape_leaf_count(hlo_operand(instr, k)->shape);
        for (uint32_t i = 0; i < n; i++)
            hlo_gradient_add_leaf(g, instr, hlo_operand(instr, k), i,
                                  hlo_gradient_cotangent(g, instr, leaf++));
    }
    return true;
}
