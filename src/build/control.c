/* Tuples, calls, loops, branches and custom calls of builders. Called through hlo_builder.h. */
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
    const hlo_instr *operand =
        operands.count == 1 ? operands.values[0]
                            : hlo_builder_made(b, HLO_OP_TUPLE, NULL, operands, HLO_NO_ATTRS);
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

/* ---- loops and branches ---- */

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

static hlo_attr branches_of(hlo_builder *b, hlo_computations_list list) {
    hlo_computations *branches =
        hlo_arena_alloc(&b->module->arena, sizeof *branches + list.count * sizeof branches->v[0]);
    branches->n = (uint32_t)list.count;
    for (size_t i = 0; i < list.count; i++)
        branches->v[i] = (hlo_computation *)(uintptr_t)list.values[i];
    return (hlo_attr){.id = HLO_ATTR_BRANCH_COMPUTATIONS, .u.computations = branches};
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
    hlo_attr attr = branches_of(b, branches);
    return hlo_builder_made(b, HLO_OP_CONDITIONAL, NULL, (hlo_instrs_list){n, all}, &attr, 1);
}
