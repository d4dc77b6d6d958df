/* simplify-conditional: conditionals whose branch is known. Patterns, called by patterns.c. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"
#include "passes/pipeline/inline.h"

static bool can_be_inlined(hlo_rewriter *r, const hlo_computation *branch) {
    return branch->root && branch->parameter_count == 1 && !hlo_ties_parameters(branch) &&
           hlo_inline_fits(r, branch);
}

/* The branch's body, or a call of it. */
static hlo_instr *taken(hlo_rewriter *r, hlo_instr *conditional, uint32_t k) {
    hlo_computation *branch = hlo_called(conditional, k);
    hlo_instr *argument = hlo_operand(conditional, k + 1);
    if (hlo_is_in_scheduling_group(conditional) || !can_be_inlined(r, branch) ||
        branch->root->shape != conditional->shape)
        return NULL;
    if (hlo_asks_not_to_inline(conditional)) return hlo_build_call(r, branch, &argument, 1);
    if (!hlo_inline_takes(branch, conditional, k + 1)) return NULL;
    return hlo_inline_body(r, branch, &argument);
}

/* An index out of range takes the last branch. */
hlo_instr *hlo_rewrite_conditional_constant(hlo_rewriter *r, hlo_instr *conditional) {
    int64_t index;
    const hlo_instr *chooser = hlo_operand(conditional, 0);
    uint32_t count = hlo_called_count(conditional);
    if (chooser->shape->rank || !hlo_integer_of(chooser, &index)) return NULL;
    if (chooser->shape->type == HLO_PRED) index = index ? 0 : 1;
    else if (index < 0 || index >= count) index = count - 1;
    return taken(r, conditional, (uint32_t)index);
}

hlo_instr *hlo_rewrite_conditional_same_branches(hlo_rewriter *r, hlo_instr *conditional) {
    for (uint32_t k = 1; k < hlo_called_count(conditional); k++) {
        if (hlo_called(conditional, k) != hlo_called(conditional, 0)) return NULL;
        if (hlo_operand(conditional, k + 1) != hlo_operand(conditional, 1)) return NULL;
    }
    return taken(r, conditional, 0);
}

/* conditional(not(p), a, b) of a predicate swaps its branches. */
hlo_instr *hlo_rewrite_conditional_not(hlo_rewriter *r, hlo_instr *conditional) {
    const hlo_instr *negation = hlo_operand(conditional, 0);
    const hlo_attr *on = hlo_instr_attr(conditional, HLO_ATTR_TRUE_COMPUTATION);
    const hlo_attr *off = hlo_instr_attr(conditional, HLO_ATTR_FALSE_COMPUTATION);
    if (negation->opcode != HLO_OP_NOT || conditional->operand_count != 3 || !on || !off)
        return NULL;
    hlo_instr *operands[] = {hlo_operand(negation, 0), hlo_operand(conditional, 2),
                             hlo_operand(conditional, 1)};
    hlo_instr *by = hlo_emit_like(r, conditional, conditional->shape, operands, 3);
    hlo_instr_set_attr(
        by, (hlo_attr){.id = HLO_ATTR_TRUE_COMPUTATION, .u.computation = off->u.computation});
    hlo_instr_set_attr(
        by, (hlo_attr){.id = HLO_ATTR_FALSE_COMPUTATION, .u.computation = on->u.computation});
    return by;
}
