/* simplify-while-loops: loops that run never or once, and elements of the state that do not matter
 * or do not change. */
#include "analysis/iteration_count.h"
#include "analysis/match.h"
#include "passes/control_flow/loop_state.h"
#include "passes/pipeline/inline.h"

typedef struct {
    hlo_rewriter *r;
    hlo_call_graph graph;
    bool changed;
} simplification;

/* ---- elements that do not change ---- */

/* After the loop the element is what it was before. */
static void forward_results(simplification *s, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    for (hlo_use *use = loop->first_use, *next; use; use = next) {
        next = use->next;
        hlo_instr *element = use->user;
        if (element->opcode != HLO_OP_GET_TUPLE_ELEMENT) continue;
        uint32_t i = (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX);
        hlo_instr *init = hlo_state_start(loop, i);
        if (!init || !hlo_loop_keeps(loop, i)) continue;
        hlo_rewriter_aim(s->r, element);
        s->changed |= hlo_rewrite_replace(s->r, HLO_REWRITE_loop_invariant_result, element, init);
    }
}

/* The same for users of the whole state, as far as elements stay. */
static void forward_state(simplification *s, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    uint32_t n = loop->shape->rank, kept = 0;
    if (!hlo_rewrite_allowed(s->r, HLO_REWRITE_loop_invariant_in_state)) return;
    hlo_instr **elements = hlo_calloc(n + 1u, sizeof *elements);
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *init = hlo_state_start(loop, i);
        if (!init || init->shape != loop->shape->elements[i] || !hlo_loop_keeps(loop, i)) continue;
        elements[i] = init;
        kept++;
    }
    if (kept && hlo_loop_give_tuple(s->r, loop, elements)) {
        hlo_rewrite_count(s->r, HLO_REWRITE_loop_invariant_in_state, loop->name);
        s->changed = true;
    }
    hlo_free(elements);
}

/* The users of element i in a computation read a copy of the constant; except the body's root,
 * which forwards the element. */
static bool sink_into(simplification *s, hlo_computation *c, uint32_t i,
                      const hlo_literal *literal) {
    bool done = false;
    for (hlo_use *use = c->parameters[0]->first_use, *next; use; use = next) {
        next = use->next;
        hlo_instr *element = use->user, *constant = NULL;
        if (hlo_attr_int(element, HLO_ATTR_INDEX) != i || hlo_is_tied(s->r, element)) continue;
        for (hlo_use *read = element->first_use, *after; read; read = after) {
            after = read->next;
            if (read->user == c->root && c->root->opcode == HLO_OP_TUPLE) continue;
            hlo_rewriter_aim(s->r, element);
            if (!constant) constant = hlo_emit_constant(s->r, literal);
            uint32_t k = (uint32_t)(read - read->user->operands);
            hlo_instr_set_operand(read->user, k, hlo_emit_as_read(s->r, read->user, k, constant));
            done = true;
        }
    }
    s->r->fresh.n = 0;
    return done;
}

static void sink_constants(simplification *s, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    for (uint32_t i = 0; i < loop->shape->rank; i++) {
        const hlo_instr *init = hlo_state_start(loop, i);
        const hlo_literal *literal = init ? hlo_constant_of(init) : NULL;
        if (!literal || !hlo_loop_keeps(loop, i)) continue;
        bool made_inside = hlo_operand(hlo_called(loop, 0)->root, i)->opcode == HLO_OP_CONSTANT;
        if (init->shape->rank && !made_inside) continue; /* while-loop-constant-sinking's */
        if (!hlo_rewrite_allowed(s->r, HLO_REWRITE_loop_constant)) return;
        bool body = sink_into(s, hlo_called(loop, 0), i, literal);
        bool condition = sink_into(s, hlo_called(loop, 1), i, literal);
        if (!body && !condition) continue;
        hlo_rewrite_count(s->r, HLO_REWRITE_loop_constant, loop->name);
        s->changed = true;
    }
}

/* ---- loops that run never or once ---- */

/* True when the loop was removed. */
static bool unroll_whole(simplification *s, hlo_instr *loop) {
    hlo_iterations iterations;
    hlo_computation *body = hlo_called(loop, 0);
    if (s->graph.has_side_effect[hlo_called(loop, 1)->id] ||
        !hlo_count_iterations(loop, &iterations) || iterations.count > 1)
        return false;
    hlo_instr *init = hlo_operand(loop, 0);
    hlo_rewriter_aim(s->r, loop);
    if (iterations.count == 0)
        return hlo_rewrite_replace(s->r, HLO_REWRITE_loop_never_runs, loop, init);
    bool fits = hlo_rewrite_allowed(s->r, HLO_REWRITE_loop_runs_once) &&
                body->root->shape == loop->shape && !hlo_ties_something(s->r, body) &&
                !hlo_is_noinline(loop) && hlo_inline_accepts(body, loop, 0) &&
                hlo_inline_fits(s->r, body);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!fits) return false;
    hlo_instr *root = hlo_inline_body(s->r, body, &init);
    return hlo_rewrite_replace(s->r, HLO_REWRITE_loop_runs_once, loop, root);
}

static void simplify(simplification *s, hlo_instr *loop) {
    if (hlo_is_tied(s->r, loop) || loop->shape->dynamic) return;
    if (unroll_whole(s, loop)) {
        s->changed = true;
        return;
    }
    if (!hlo_loop_is_plain(&s->graph, loop)) return;
    forward_results(s, loop);
    forward_state(s, loop);
    sink_constants(s, loop);
    s->changed |= hlo_merge_duplicate_state(s->r, HLO_REWRITE_loop_state_twice, &s->graph, loop);
    s->changed |= hlo_drop_dead_state(s->r, HLO_REWRITE_dead_loop_state, &s->graph, loop);
}

hlo_pass_result hlo_pass_simplify_while_loops(const hlo_pass_call *call) {
    simplification s = {.r = call->rewriter};
    hlo_call_graph_init(&s.graph, call->module);
    for (uint32_t n = s.graph.count; n-- > 0;) {
        for (hlo_instr *i = s.graph.order[n]->first, *next; i; i = next) {
            next = i->next;
            if (i->opcode == HLO_OP_WHILE) simplify(&s, i);
        }
    }
    hlo_call_graph_free(&s.graph);
    return s.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
