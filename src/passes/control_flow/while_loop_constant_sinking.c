/* while-loop-constant-sinking: body and condition read local constants instead of elements
 * that start as constants and are passed on. The elements stay. */
#include "passes/control_flow/loops.h"

static bool may_sink(const hlo_flow_walk *walk, const hlo_instr *value) {
    const hlo_pass_call *call = walk->call;
    if (HLO_OPTION(call, WHILE_LOOP_CONSTANT_SINKING, sink_only_scalar_constants) &&
        (!hlo_shape_is_array(value->shape) || value->shape->rank))
        return false;
    return value->opcode == HLO_OP_CONSTANT ||
           (HLO_OPTION(call, WHILE_LOOP_CONSTANT_SINKING, sink_broadcast_of_constants) &&
            value->opcode == HLO_OP_BROADCAST && hlo_operand(value, 0)->opcode == HLO_OP_CONSTANT);
}

static hlo_instr *made_again(hlo_rewriter *r, const hlo_instr *value) {
    if (value->opcode == HLO_OP_CONSTANT) return hlo_emit_like(r, value, value->shape, NULL, 0);
    hlo_instr *operand = made_again(r, hlo_operand(value, 0));
    return hlo_emit_like(r, value, value->shape, &operand, 1);
}

/* The use by which the body passes the element on. */
static bool passes_on(const hlo_use *use, int64_t element) {
    const hlo_instr *root = use->user->parent->root;
    return use->user == root && root->opcode == HLO_OP_TUPLE && use == &root->operands[element];
}

/* The first reader of the element that has something to do with it, or NULL. */
static hlo_instr *next_reader(const hlo_instr *state, int64_t element) {
    for (const hlo_use *use = state->first_use; use; use = use->next) {
        hlo_instr *reader = use->user;
        if (hlo_attr_int(reader, HLO_ATTR_INDEX) != element) continue;
        if (reader == reader->parent->root) return reader;
        for (const hlo_use *read = reader->first_use; read; read = read->next)
            if (!passes_on(read, element)) return reader;
    }
    return NULL;
}

/* A bitcast reads it as it read the element, which may have had another layout. */
static void read_instead(hlo_rewriter *r, const hlo_use *use, hlo_instr *constant) {
    hlo_instr *user = use->user;
    uint32_t i = (uint32_t)(use - user->operands);
    hlo_instr_set_operand(user, i, hlo_emit_as_read(r, user, i, constant));
}

static void sink_into(hlo_flow_walk *walk, hlo_instr *state, int64_t element,
                      const hlo_instr *value) {
    hlo_instr *reader, *constant = NULL;
    hlo_computation *c = state->parent;
    hlo_rewriter_aim(walk->rewriter, c->first);
    while ((reader = next_reader(state, element))) {
        if (!constant) constant = made_again(walk->rewriter, value);
        const hlo_use *last = reader->last_use;
        for (hlo_use *use = reader->first_use, *next; use; use = next) {
            next = use == last ? NULL : use->next;
            if (!passes_on(use, element)) read_instead(walk->rewriter, use, constant);
        }
        if (c->root == reader) c->root = constant;
        hlo_flow_remove_unused(walk, reader);
    }
}

static void sink(hlo_flow_walk *walk, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!hlo_loop_is_flexible(walk, loop)) return;
    for (int64_t i = 0; i < loop->shape->rank; i++) {
        const hlo_instr *value = hlo_state_start(loop, i);
        if (!value || !may_sink(walk, value) || !hlo_state_is_invariant(loop, i)) continue;
        if (!hlo_flow_may(walk, HLO_REWRITE_sink_constant)) return;
        bool is_read = next_reader(hlo_loop_body(loop)->parameters[0], i) ||
                       next_reader(hlo_loop_condition(loop)->parameters[0], i);
        if (!is_read) continue;
        hlo_flow_own(walk, loop);
        sink_into(walk, hlo_loop_body(loop)->parameters[0], i, value);
        sink_into(walk, hlo_loop_condition(loop)->parameters[0], i, value);
        hlo_flow_count(walk, HLO_REWRITE_sink_constant, loop);
    }
}

/* Outer loops first: what reaches their bodies may go on into the loops there. */
hlo_pass_result hlo_pass_while_loop_constant_sinking(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_WHILE, HLO_OUTER_FIRST, sink);
}
