/* test-only-xla-builder: what a function of the builder's library makes, as the computation of the
 * custom call that names it. XLA's own tests of its library are written so. */
#include "build/lib/targets.h"
#include "passes/pipeline/rewrite.h"

static const hlo_attr *called(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_CALLED_COMPUTATIONS);
}

/* The same call with the computation; the old one stays, without users, as in XLA. */
static void call_computation(hlo_instr *old, hlo_computation *computation) {
    hlo_module *module = computation->module;
    hlo_computations *list = hlo_arena_alloc(&module->arena, sizeof *list + sizeof list->v[0]);
    list->n = 1;
    list->v[0] = computation;
    const hlo_attr attrs[] = {*hlo_instr_attr(old, HLO_ATTR_CUSTOM_CALL_TARGET),
                              {.id = HLO_ATTR_CALLED_COMPUTATIONS, .u.computations = list}};
    hlo_instr **operands = HLO_NEW_ARRAY(&module->arena, hlo_instr *, old->operand_count + 1u);
    for (uint32_t i = 0; i < old->operand_count; i++) operands[i] = hlo_operand(old, i);
    hlo_instr *made = hlo_instr_new(old->parent, HLO_OP_CUSTOM_CALL, old->shape,
                                    hlo_take_fresh_name(module, "custom-call"), operands,
                                    old->operand_count, attrs, 2);
    hlo_instr_replace_all_uses(old, made);
}

static bool replace(const hlo_pass_call *call, hlo_instr *instr) {
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_xla_builder_call)) return true;
    hlo_computation *computation = hlo_lib_build_target(instr, call->diags);
    if (!computation) return false;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_xla_builder_call, instr->name);
    call_computation(instr, computation);
    return true;
}

hlo_pass_result hlo_pass_test_only_xla_builder(const hlo_pass_call *call) {
    hlo_pass_result result = HLO_UNCHANGED;
    hlo_computation *last = call->module->last;
    for (hlo_computation *c = call->module->first; c; c = c == last ? NULL : c->next)
        for (hlo_instr *i = c->first, *end = c->last; i; i = i == end ? NULL : i->next) {
            if (!hlo_lib_is_target(i) || called(i)) continue;
            if (!replace(call, i)) return HLO_PASS_FAILED;
            result = HLO_CHANGED;
        }
    return result;
}
