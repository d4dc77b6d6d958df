/* defuser: fused instructions take the place of their fusion, whatever its kind; fusions within
 * fusions come first, and what nothing calls any more is removed. Before a run, those stay that the
 * fast engine computes in one step, unless a part of their work can be done before a loop. */
#include <string.h>

#include "analysis/call_graph.h"
#include "analysis/iteration_count.h"
#include "eval/fuse/cluster_role.h"
#include "passes/pipeline/inline.h"

typedef struct {
    const hlo_call_graph *graph;
    uint32_t invariant;  /* mark: what does not change in the loop */
    bool keeps_clusters; /* fusions that the engine computes in one step */
    bool is_loop;        /* the computation is a loop's body */
} defusing;

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

/* An async body holds nothing but what it starts. A fusion may have more operands than its body has
 * parameters. */
static bool may_be_defused(const hlo_rewriter *r, const hlo_instr *fusion) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    const hlo_computation *body = hlo_called(fusion, 0);
    if (fusion->parent->is_async_body || hlo_is_tied(r, fusion)) return false;
    if (!hlo_str_equal(body->execution_thread, fusion->parent->execution_thread)) return false;
    for (uint32_t i = 0; i < body->parameter_count; i++)
        if (!may_become(hlo_operand(fusion, i)->shape, body->parameters[i]->shape)) return false;
    return may_become(body->root->shape, fusion->shape) && !hlo_ties_parameters(body);
}

/* ---- which stay ---- */

static bool is_frame(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_PARAMETER ||
           (instr->opcode == HLO_OP_TUPLE && instr == instr->parent->root);
}

static bool is_cluster(const hlo_computation *body) {
    for (const hlo_instr *i = body->first; i; i = i->next)
        if (!is_frame(i) && hlo_cluster_role_of(i) == HLO_CLUSTER_NEVER) return false;
    return true;
}

/* Marks what the loop's body computes from what does not change. */
static void mark_invariants(const defusing *d, const hlo_instr *loop, hlo_computation *body) {
    for (hlo_instr *i = body->first; i; i = i->next) {
        bool is_state =
            i->opcode == HLO_OP_GET_TUPLE_ELEMENT && hlo_operand(i, 0)->opcode == HLO_OP_PARAMETER;
        bool is_invariant =
            is_state ? hlo_state_is_invariant(loop, hlo_attr_int(i, HLO_ATTR_INDEX))
                     : i->opcode != HLO_OP_PARAMETER && !hlo_call_graph_effect(d->graph, i);
        for (uint32_t k = 0; !is_state && k < i->operand_count; k++)
            is_invariant &= hlo_operand(i, k)->mark == d->invariant;
        if (is_invariant) i->mark = d->invariant;
    }
}

static bool costs_work(const hlo_instr *instr) {
    hlo_cluster_role role = hlo_cluster_role_of(instr);
    return role >= HLO_CLUSTER_WORK;
}

/* Whether a part of the fused work, but not all of it, is of operands that do not change: it can be
 * done before the loop. */
static bool has_invariant_work(const defusing *d, const hlo_instr *fusion) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    hlo_computation *body = hlo_called(fusion, 0);
    bool has_work = false, has_other = false;
    for (hlo_instr *i = body->first; i; i = i->next) {
        bool is_invariant = true;
        if (i->opcode == HLO_OP_PARAMETER)
            is_invariant =
                hlo_operand(fusion, (uint32_t)hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER))->mark ==
                d->invariant;
        for (uint32_t k = 0; k < i->operand_count; k++)
            is_invariant &= hlo_operand(i, k)->mark == d->invariant;
        i->mark = is_invariant ? d->invariant : 0;
        has_work |= is_invariant && costs_work(i);
        has_other |= !is_invariant;
    }
    return has_work && has_other;
}

static bool stays(const defusing *d, const hlo_instr *fusion) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    return d->keeps_clusters && is_cluster(hlo_called(fusion, 0)) &&
           !(d->is_loop && has_invariant_work(d, fusion));
}

/* ---- those that go ---- */

static bool defuse(hlo_rewriter *r, hlo_instr *fusion) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    hlo_computation *body = hlo_called(fusion, 0);
    if (!hlo_rewrite_allowed(r, HLO_REWRITE_defuse) || !may_be_defused(r, fusion) ||
        !hlo_inline_fits(r, body))
        return false;
    hlo_instr **args = hlo_malloc((body->parameter_count + 1u) * sizeof *args);
    hlo_rewriter_aim(r, fusion);
    for (uint32_t i = 0; i < body->parameter_count; i++)
        args[i] = with_layout(r, hlo_operand(fusion, i), body->parameters[i]->shape);
    hlo_instr *root = hlo_inline_body(r, body, args);
    hlo_free(args);
    return hlo_rewrite_replace(r, HLO_REWRITE_defuse, fusion, with_layout(r, root, fusion->shape));
}

static bool defuse_in(hlo_rewriter *r, defusing *d, hlo_computation *c) {
    const hlo_instr *caller = d->graph->caller[c->id];
    bool changed = false;
    d->is_loop =
        d->keeps_clusters && caller && caller->opcode == HLO_OP_WHILE && c == hlo_loop_body(caller);
    d->invariant = hlo_module_new_mark(c->module);
    if (d->is_loop) mark_invariants(d, caller, c);
    for (hlo_instr *i = c->first, *next; i; i = next) {
        next = i->next;
        if (i->opcode == HLO_OP_FUSION && !stays(d, i)) changed |= defuse(r, i);
    }
    return changed;
}

hlo_pass_result hlo_pass_defuser(const hlo_pass_call *call) {
    hlo_call_graph graph;
    bool changed = false;
    hlo_call_graph_init(&graph, call->module);
    defusing d = {.graph = &graph, .keeps_clusters = HLO_OPTION(call, DEFUSER, keep_clusters) != 0};
    for (uint32_t n = graph.count; n-- > 0;)
        changed |= defuse_in(call->rewriter, &d, graph.order[n]);
    hlo_call_graph_free(&graph);
    if (changed) hlo_remove_unreachable(call->module);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
