/* conditional-to-select: where a computation is applied to each element, or to pairs of them, both
 * branches are computed and one result is chosen. */
#include "passes/control_flow/loops.h"
#include "passes/pipeline/expression.h"
#include "passes/pipeline/inline.h"

/* Who calls the computation applies it, rather than handing control over. */
static bool is_applied(const hlo_flow_walk *walk, const hlo_computation *c) {
    const hlo_instr *caller = walk->graph.caller[c->id];
    if (!caller) return false;
    switch ((hlo_opcode)caller->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_ASYNC_START:
    case HLO_OP_CUSTOM_CALL: return false;
    default: return true;
    }
}

static bool can_be_selects(hlo_flow_walk *walk, const hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    const hlo_shape *chooser = hlo_operand(conditional, 0)->shape;
    bool is_known = chooser->rank == 0 && (chooser->type == HLO_PRED || chooser->type == HLO_S32);
    if (!is_known || !hlo_shape_is_array(conditional->shape)) return false;
    if (hlo_called_count(conditional) != 2 || hlo_flow_has_effect(walk, conditional)) return false;
    for (uint32_t k = 0; k < 2; k++) {
        const hlo_computation *branch = hlo_called(conditional, k);
        if (branch->root->shape != conditional->shape ||
            hlo_ties_something(walk->rewriter, branch) || !hlo_inline_fits(walk->rewriter, branch))
            return false;
    }
    return HLO_OPTION(walk->call, CONDITIONAL_TO_SELECT, everywhere) ||
           is_applied(walk, conditional->parent);
}

/* Branch 0 is the one of true, but of index 0; any other index means branch 1. */
static void choose(hlo_flow_walk *walk, hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    hlo_rewriter *r = walk->rewriter;
    if (!hlo_flow_may(walk, HLO_REWRITE_conditional_as_select) ||
        !can_be_selects(walk, conditional))
        return;
    hlo_instr *results[2], *chooser = hlo_operand(conditional, 0);
    bool by_index = chooser->shape->type == HLO_S32;
    hlo_rewriter_aim(r, conditional);
    for (uint32_t k = 0; k < 2; k++) {
        hlo_instr *argument = hlo_operand(conditional, k + 1);
        results[k] = hlo_inline_body(r, hlo_called(conditional, k), &argument);
    }
    chooser = hlo_build_convert(r, chooser, HLO_PRED);
    const hlo_shape *flags = hlo_shape_with_type(&r->module->shapes, conditional->shape, HLO_PRED);
    if (flags->rank) chooser = hlo_emit_broadcast(r, flags, chooser, NULL, 0);
    hlo_instr *choice = hlo_build_select(r, chooser, results[by_index], results[!by_index]);
    choice = hlo_build_as(choice, conditional->shape);
    walk->changed |= hlo_rewrite_replace(r, HLO_REWRITE_conditional_as_select, conditional, choice);
    hlo_flow_calls_changed(walk);
}

hlo_pass_result hlo_pass_conditional_to_select(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_CONDITIONAL, HLO_INNER_FIRST, choose);
}
