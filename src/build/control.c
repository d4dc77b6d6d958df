/* Tuples, calls, loops, branches and custom calls of builders. */
#include <stdio.h>

#include "build/builder.h"

/* ---- tuples and tokens ---- */

const hlo_instr *hlo_builder_tuple(hlo_builder *b, hlo_instrs_list elements) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_builder_made(b, HLO_OP_TUPLE, NULL, elements, HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_get_tuple_element(hlo_builder *b, const hlo_instr *tuple,
                                               int64_t index) {
    HLO_BUILDER_TAKES(b, tuple);
    return hlo_builder_made(b, HLO_OP_GET_TUPLE_ELEMENT, NULL, HLO_INSTRS(tuple),
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_INDEX, index)));
}

const hlo_instr *hlo_builder_after_all(hlo_builder *b, hlo_instrs_list tokens) {
    HLO_BUILDER_CALL(b, NULL);
    return hlo_builder_made(b, HLO_OP_AFTER_ALL, NULL, tokens, HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_optimization_barrier(hlo_builder *b, hlo_instrs_list operands) {
    HLO_BUILDER_CALL(b, NULL);
    if (!hlo_builder_has_list(b, __func__, operands)) return NULL;
    hlo_builder_next next = hlo_builder_take_next(b);
    const hlo_instr *operand =
        operands.count == 1 ? operands.values[0]
                            : hlo_builder_made(b, HLO_OP_TUPLE, NULL, operands, HLO_NO_ATTRS);
    hlo_builder_give_back(b, next);
    if (!operand) return NULL;
    return hlo_builder_made(b, HLO_OP_OPT_BARRIER, NULL, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

/* ---- calls ---- */

const hlo_instr *hlo_builder_call(hlo_builder *b, const hlo_computation *computation,
                                  hlo_instrs_list operands) {
    HLO_BUILDER_TAKES(b, computation);
    return hlo_builder_made(b, HLO_OP_CALL, NULL, operands,
                            HLO_ATTRS(hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

const hlo_instr *hlo_builder_composite_call(hlo_builder *b, const hlo_computation *computation,
                                            hlo_instrs_list operands, const char *name,
                                            const char *attributes, int64_t version) {
    HLO_BUILDER_TAKES(b, computation, name);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)version);
    if (version < 0 || !*name)
        return hlo_builder_fail(b, HLO_RULE_COMPOSITE_CALL,
                                "call: a composite has a name and a version from 0 on, not %s",
                                number);
    hlo_builder_begin_scope(b);
    if (attributes) hlo_builder_set_frontend_attribute(b, "composite.attributes", attributes);
    hlo_builder_set_frontend_attribute(b, "composite.name", name);
    hlo_builder_set_frontend_attribute(b, "composite.version", number);
    const hlo_instr *call =
        hlo_builder_made(b, HLO_OP_CALL, NULL, operands,
                         HLO_ATTRS(hlo_builder_callee(HLO_ATTR_TO_APPLY, computation),
                                   hlo_builder_int(HLO_ATTR_IS_COMPOSITE, 1)));
    hlo_builder_end_scope(b);
    return call;
}

const hlo_instr *hlo_builder_custom_call(hlo_builder *b, const char *target,
                                         hlo_instrs_list operands, const hlo_shape *shape,
                                         const char *opaque, bool has_side_effect) {
    HLO_BUILDER_TAKES(b, target, shape);
    return hlo_builder_made(
        b, HLO_OP_CUSTOM_CALL, shape, operands,
        HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_CUSTOM_CALL_TARGET, target),
                  hlo_builder_string(b, HLO_ATTR_BACKEND_CONFIG, opaque),
                  hlo_builder_flag(HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT, has_side_effect)));
}

static hlo_attr computations_of(hlo_builder *b, hlo_attr_id id, hlo_computations_list list) {
    hlo_computations *made =
        hlo_arena_alloc(&b->module->arena, sizeof *made + list.count * sizeof made->v[0]);
    made->n = (uint32_t)list.count;
    for (size_t i = 0; i < list.count; i++)
        made->v[i] = (hlo_computation *)(uintptr_t)list.values[i];
    return (hlo_attr){.id = (uint16_t)id, .u.computations = made};
}

const hlo_instr *hlo_builder_custom_call_with_computations(hlo_builder *b, const char *target,
                                                           hlo_instrs_list operands,
                                                           hlo_computations_list computations,
                                                           const hlo_shape *shape,
                                                           const char *opaque,
                                                           bool has_side_effect) {
    HLO_BUILDER_TAKES(b, target, shape);
    return hlo_builder_made(
        b, HLO_OP_CUSTOM_CALL, shape, operands,
        HLO_ATTRS(hlo_builder_string(b, HLO_ATTR_CUSTOM_CALL_TARGET, target),
                  hlo_builder_string(b, HLO_ATTR_BACKEND_CONFIG, opaque),
                  hlo_builder_flag(HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT, has_side_effect),
                  computations_of(b, HLO_ATTR_CALLED_COMPUTATIONS, computations)));
}

const hlo_instr *hlo_builder_fusion(hlo_builder *b, const hlo_computation *computation,
                                    hlo_instrs_list operands, const char *kind) {
    HLO_BUILDER_TAKES(b, computation, kind);
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_FUSION_KIND, hlo_str_from(kind));
    if (!word) return hlo_builder_misuse(b, "%s: '%s' is not a kind of fusion", __func__, kind);
    if (!computation->root) return hlo_builder_misuse(b, "fusion: a computation is still open");
    return hlo_builder_made(b, HLO_OP_FUSION, computation->root->shape, operands,
                            HLO_ATTRS(hlo_builder_int(HLO_ATTR_KIND, word->number),
                                      hlo_builder_callee(HLO_ATTR_CALLS, computation)));
}

const hlo_instr *hlo_builder_domain(hlo_builder *b, const hlo_instr *operand, const char *domain) {
    HLO_BUILDER_TAKES(b, operand, domain);
    hlo_builder_set_attribute(b, "domain", domain);
    return hlo_builder_made(b, HLO_OP_DOMAIN, NULL, HLO_INSTRS(operand), HLO_NO_ATTRS);
}

const hlo_instr *hlo_builder_add_dependency(hlo_builder *b, const hlo_instr *operand,
                                            const hlo_instr *token) {
    HLO_BUILDER_TAKES(b, operand, token);
    return hlo_builder_made(b, HLO_OP_ADD_DEPENDENCY, NULL, HLO_INSTRS(operand, token),
                            HLO_NO_ATTRS);
}

/* ---- loops and branches ---- */

const hlo_instr *hlo_builder_scan(hlo_builder *b, const hlo_computation *computation,
                                  hlo_instrs_list operands, int64_t dimension, int64_t num_carries,
                                  bool is_reverse, bool is_associative) {
    HLO_BUILDER_TAKES(b, computation);
    return hlo_builder_made(b, HLO_OP_SCAN, NULL, operands,
                            HLO_ATTRS(hlo_builder_one_int(b, HLO_ATTR_DIMENSIONS, dimension),
                                      hlo_builder_int(HLO_ATTR_NUM_CARRIES, num_carries),
                                      hlo_builder_flag(HLO_ATTR_IS_REVERSE, is_reverse),
                                      hlo_builder_flag(HLO_ATTR_IS_ASSOCIATIVE, is_associative),
                                      hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

const hlo_instr *hlo_builder_while(hlo_builder *b, const hlo_computation *condition,
                                   const hlo_computation *body, const hlo_instr *init) {
    HLO_BUILDER_TAKES(b, condition, body, init);
    return hlo_builder_made(b, HLO_OP_WHILE, NULL, HLO_INSTRS(init),
                            HLO_ATTRS(hlo_builder_callee(HLO_ATTR_CONDITION, condition),
                                      hlo_builder_callee(HLO_ATTR_BODY, body)));
}

const hlo_instr *hlo_builder_conditional(hlo_builder *b, const hlo_instr *pred,
                                         const hlo_instr *true_operand,
                                         const hlo_computation *true_computation,
                                         const hlo_instr *false_operand,
                                         const hlo_computation *false_computation) {
    HLO_BUILDER_TAKES(b, pred, true_operand, true_computation, false_operand, false_computation);
    return hlo_builder_made(
        b, HLO_OP_CONDITIONAL, NULL, HLO_INSTRS(pred, true_operand, false_operand),
        HLO_ATTRS(hlo_builder_callee(HLO_ATTR_TRUE_COMPUTATION, true_computation),
                  hlo_builder_callee(HLO_ATTR_FALSE_COMPUTATION, false_computation)));
}

const hlo_instr *hlo_builder_conditional_indexed(hlo_builder *b, const hlo_instr *branch_index,
                                                 hlo_computations_list branches,
                                                 hlo_instrs_list branch_operands) {
    HLO_BUILDER_TAKES(b, branch_index);
    if (!hlo_builder_has_list(b, __func__, branch_operands)) return NULL;
    size_t n = branch_operands.count + 1;
    const hlo_instr **all = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, n);
    all[0] = branch_index;
    for (size_t i = 1; i < n; i++) all[i] = branch_operands.values[i - 1];
    hlo_attr attr = computations_of(b, HLO_ATTR_BRANCH_COMPUTATIONS, branches);
    return hlo_builder_made(b, HLO_OP_CONDITIONAL, NULL, (hlo_instrs_list){n, all}, &attr, 1);
}
