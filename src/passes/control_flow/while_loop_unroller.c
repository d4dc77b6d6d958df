/* while_loop_unroller: fully unrolls loops with a small trip count; with a factor, each new
 * iteration performs that many old ones, and the remainder is peeled off before the loop. */
#include "passes/control_flow/loops.h"
#include "passes/pipeline/expression.h"
#include "passes/pipeline/inline.h"

static hlo_instr *repeated(hlo_rewriter *r, hlo_computation *body, hlo_instr *state,
                           int64_t iterations) {
    for (int64_t i = 0; i < iterations; i++) state = hlo_inline_body(r, body, &state);
    return state;
}

/* Copies of a computation's owners would share it. */
static bool owns_computations(const hlo_computation *c) {
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (i->opcode == HLO_OP_FUSION || i->opcode == HLO_OP_ASYNC_START) return true;
    return false;
}

static bool may_be_repeated(hlo_flow_walk *walk, const hlo_instr *loop, int64_t iterations) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_pass_call *call = walk->call;
    const hlo_computation *body = hlo_loop_body(loop);
    int64_t size = body->instr_count, whole_size;
    return size < HLO_OPTION(call, WHILE_LOOP_UNROLLER, instruction_count_threshold) &&
           iterations <= HLO_OPTION(call, WHILE_LOOP_UNROLLER, trip_count_threshold) &&
           !__builtin_mul_overflow(size, iterations, &whole_size) &&
           whole_size <= HLO_OPTION(call, WHILE_LOOP_UNROLLER, expand_factor_threshold) &&
           body->root->shape == loop->shape && !hlo_flow_has_effect(walk, loop) &&
           !hlo_ties_something(walk->rewriter, body) && !owns_computations(body);
}

static void unroll_whole(hlo_flow_walk *walk, hlo_instr *loop, int64_t iterations) {
    hlo_rewriter *r = walk->rewriter;
    hlo_rewriter_aim(r, loop);
    hlo_instr *end = repeated(r, hlo_loop_body(loop), hlo_operand(loop, 0), iterations);
    if (hlo_rewrite_replace(r, HLO_REWRITE_unroll_loop, loop, end)) walk->changed = true;
    hlo_flow_calls_changed(walk);
}

/* The condition is evaluated every `factor` iterations; the peeled ones make the rest a multiple.
 * The trip count in backend_config is no longer valid. */
static void unroll_by(hlo_flow_walk *walk, hlo_instr *loop, int64_t iterations, int64_t factor) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE && factor > 1);
    hlo_rewriter *r = walk->rewriter;
    hlo_computation *body = hlo_loop_body(loop);
    hlo_rewriter_aim(r, loop);
    hlo_instr *start = repeated(r, body, hlo_operand(loop, 0), iterations % factor);
    hlo_instr_set_operand(loop, 0, start);
    hlo_body longer = hlo_build_open(r, "unrolled");
    hlo_instr *state = hlo_build_parameter(r, &longer, 0, loop->shape);
    hlo_instr *end = repeated(r, body, state, factor);
    hlo_attr attr = {.id = HLO_ATTR_BODY, .u.computation = hlo_build_close(r, &longer, end)};
    hlo_instr_set_attr(loop, attr);
    hlo_instr_remove_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    hlo_flow_count(walk, HLO_REWRITE_unroll_loop, loop);
    hlo_flow_calls_changed(walk);
}

static void unroll(hlo_flow_walk *walk, hlo_instr *loop) {
    int64_t factor = HLO_OPTION(walk->call, WHILE_LOOP_UNROLLER, unroll_factor);
    hlo_iterations iterations;
    if (!hlo_flow_may(walk, HLO_REWRITE_unroll_loop) || !hlo_count_iterations(loop, &iterations))
        return;
    bool whole = factor < 1;
    if (!whole && (factor == 1 || iterations.count < factor)) return;
    if (!may_be_repeated(walk, loop, whole ? iterations.count : factor)) return;
    if (whole) unroll_whole(walk, loop, iterations.count);
    else unroll_by(walk, loop, iterations.count, factor);
}

hlo_pass_result hlo_pass_while_loop_unroller(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_WHILE, HLO_INNER_FIRST, unroll);
}
