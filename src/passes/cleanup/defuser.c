/* defuser: fused instructions take the place of their fusion, whatever its kind; fusions within
 * fusions come first, and what nothing calls any more is removed. Before a run, those stay that the
 * fast engine computes in one step and that `fusion` would not make again. Called through pass.def.
 */
#include <string.h>

#include "analysis/call_graph.h"
#include "eval/kernels/cluster.h"
#include "passes/inline.h"

enum { OPTION_ELEMENTS, OPTION_LOOP_ELEMENTS };

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

/* ---- which stay ---- */

static double longest_leaf(const hlo_shape *shape) {
    double most = 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank; i++) {
        double leaf = longest_leaf(shape->elements[i]);
        if (leaf > most) most = leaf;
    }
    return hlo_shape_is_array(shape) ? (double)hlo_shape_elements(shape) : most;
}

/* The elements that its loop is over: those of a reduction's operand. */
static double elements_of(const hlo_instr *fusion) {
    double most = longest_leaf(fusion->shape);
    for (const hlo_instr *i = hlo_called(fusion, 0)->first; i; i = i->next) {
        if (i->opcode != HLO_OP_REDUCE) continue;
        double reduced = longest_leaf(hlo_operand(i, 0)->shape);
        if (reduced > most) most = reduced;
    }
    return most;
}

static bool is_cluster(const hlo_computation *body) {
    for (const hlo_instr *i = body->first; i; i = i->next) {
        bool is_frame =
            i->opcode == HLO_OP_PARAMETER || (i->opcode == HLO_OP_TUPLE && i == body->root);
        if (!is_frame && hlo_cluster_role_of(i) == HLO_CLUSTER_NEVER) return false;
    }
    return true;
}

static bool stays(const hlo_instr *fusion, int64_t least) {
    return elements_of(fusion) < (double)least && is_cluster(hlo_called(fusion, 0));
}

/* ---- those that go ---- */

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
    bool *in_loop = hlo_call_graph_in_loops(&graph);
    for (uint32_t n = graph.count; n-- > 0;) {
        const hlo_computation *c = graph.order[n];
        int64_t least = call->values[in_loop[c->id] ? OPTION_LOOP_ELEMENTS : OPTION_ELEMENTS];
        for (hlo_instr *i = c->first, *next; i; i = next) {
            next = i->next;
            if (i->opcode == HLO_OP_FUSION && !stays(i, least))
                changed |= defuse(call->rewriter, i);
        }
    }
    hlo_free(in_loop);
    hlo_call_graph_free(&graph);
    if (changed) hlo_remove_unreachable(call->module);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
