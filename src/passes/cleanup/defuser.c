/* defuser: fused instructions take the place of their fusion, whatever its kind; fusions within
 * fusions come first, and what nothing calls any more is removed. Called through pass.def. */
#include <string.h>

#include "analysis/call_graph.h"
#include "passes/inline.h"

/* The shape itself, or an array that a copy gives the other's layout. */
static bool may_become(const hlo_shape *from, const hlo_shape *to) {
    if (from == to) return true;
    if (!hlo_shape_is_array(from) || !hlo_shape_compatible(from, to)) return false;
    if (from->dynamic != to->dynamic) return false;
    return !from->is_dynamic || memcmp(from->is_dynamic, to->is_dynamic, from->rank) == 0;
}

static hlo_instr *with_layout(hlo_rewriter *r, hlo_instr *instr, const hlo_shape *shape) {
    return instr->shape == shape ? instr : hlo_emit_unary(r, HLO_OP_COPY, shape, instr);
}

/* An async body holds nothing but what it starts. */
static bool may_be_defused(const hlo_rewriter *r, const hlo_instr *fusion) {
    const hlo_computation *body = hlo_called(fusion, 0);
    if (fusion->parent->is_async_body || hlo_is_tied(r, fusion)) return false;
    if (!hlo_str_equal(body->execution_thread, fusion->parent->execution_thread)) return false;
    for (uint32_t i = 0; i < fusion->operand_count; i++)
        if (!may_become(hlo_operand(fusion, i)->shape, body->parameters[i]->shape)) return false;
    return may_become(body->root->shape, fusion->shape) && !hlo_ties_parameters(r, body);
}

static bool defuse(hlo_rewriter *r, hlo_instr *fusion) {
    hlo_computation *body = hlo_called(fusion, 0);
    if (!hlo_rewrite_allowed(r, HLO_REWRITE_defuse) || !may_be_defused(r, fusion) ||
        !hlo_inline_fits(r, body))
        return false;
    hlo_instr **args = hlo_malloc((fusion->operand_count + 1u) * sizeof *args);
    hlo_rewriter_aim(r, fusion);
    for (uint32_t i = 0; i < fusion->operand_count; i++)
        args[i] = with_layout(r, hlo_operand(fusion, i), body->parameters[i]->shape);
    hlo_instr *root = hlo_inline_body(r, body, args);
    hlo_free(args);
    return hlo_rewrite_replace(r, HLO_REWRITE_defuse, fusion, with_layout(r, root, fusion->shape));
}

hlo_pass_result hlo_pass_defuser(const hlo_pass_call *call) {
    hlo_call_graph graph;
    bool changed = false;
    hlo_call_graph_init(&graph, call->module);
    for (uint32_t n = graph.count; n-- > 0;) {
        for (hlo_instr *i = graph.order[n]->first, *next; i; i = next) {
            next = i->next;
            if (i->opcode == HLO_OP_FUSION) changed |= defuse(call->rewriter, i);
        }
    }
    hlo_call_graph_free(&graph);
    if (changed) hlo_remove_unreachable(call->module);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
