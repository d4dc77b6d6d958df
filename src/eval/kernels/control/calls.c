/* Kernels that run other computations: call, while, conditional, map and the async pairs; fusion by
 * its definition. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/loop.h"
#include "eval/kernel/scalar.h"

/* ---- one computation on all operands ---- */

/* The state is the plan. */
static bool prepare_call(hlo_preparation *p) {
    p->state = hlo_prepare_plan(p, hlo_called(p->instr, 0));
    return true;
}

static bool run_call(hlo_call *call) {
    return hlo_call_plan_on_operands(call, call->state, 0, call->count);
}

const hlo_kernel hlo_kernel_call_computation = {prepare_call, run_call};
const hlo_kernel hlo_plain_fusion = {prepare_call, run_call};

/* ---- while ---- */

typedef struct {
    const hlo_plan *body, *condition;
} loop_state;

static bool prepare_while(hlo_preparation *p) {
    loop_state *state = HLO_NEW_STATE(p, loop_state);
    state->body = hlo_prepare_plan(p, hlo_called(p->instr, 0));
    state->condition = hlo_prepare_plan(p, hlo_called(p->instr, 1));
    p->state = state;
    return true;
}

static bool is_true(const hlo_value *value) {
    HLO_ASSERT(value->shape->type == HLO_PRED);
    return *(const uint8_t *)value->data != 0;
}

/* The loop's state moves from iteration to iteration: the body may change in place what has no
 * other reference. */
static bool run_while(hlo_call *call) {
    HLO_ASSERT(call->instr->opcode == HLO_OP_WHILE && call->count == 1);
    const loop_state *loop = call->state;
    if (hlo_loop_suits(call)) return hlo_run_loop(call);
    hlo_value *state = hlo_call_take(call, 0);
    for (int64_t iteration = 0; state; iteration++) {
        hlo_call_set_iteration(call, iteration);
        hlo_value *goes_on = hlo_call_plan(call, loop->condition, &state, 1);
        bool is_done = !goes_on || !is_true(goes_on), failed = !goes_on;
        hlo_value_release(goes_on);
        if (failed) {
            hlo_value_release(state);
            return false;
        }
        if (is_done) return hlo_call_give(call, state);
        state = hlo_call_plan_moving(call, loop->body, &state, 1);
    }
    return false;
}

const hlo_kernel hlo_kernel_while = {prepare_while, run_while};

/* ---- conditional ---- */

typedef struct {
    bool by_predicate;
    uint32_t count;
    const hlo_plan *plans[];
} branch_state;

static bool prepare_conditional(hlo_preparation *p) {
    uint32_t count = hlo_called_count(p->instr);
    if (!count || count + 1 > p->instr->operand_count)
        return hlo_prepare_error(p, HLO_RULE_RUN, "has no branch %u with an operand",
                                 p->instr->operand_count - 1);
    branch_state *state = hlo_arena_zero(p->arena, sizeof *state + count * sizeof *state->plans);
    state->by_predicate = hlo_operand(p->instr, 0)->shape->type == HLO_PRED;
    state->count = count;
    for (uint32_t k = 0; k < count; k++)
        state->plans[k] = hlo_prepare_plan(p, hlo_called(p->instr, k));
    p->state = state;
    return true;
}

/* A predicate chooses the first branch when true; an index out of range the last branch. */
static bool run_conditional(hlo_call *call) {
    HLO_ASSERT(call->instr->opcode == HLO_OP_CONDITIONAL && call->count > 0);
    const branch_state *state = call->state;
    uint32_t branch = state->count - 1;
    if (state->by_predicate) {
        if (is_true(call->in[0])) branch = 0;
    } else {
        int32_t index;
        memcpy(&index, call->in[0]->data, sizeof index);
        if (index >= 0 && (uint32_t)index < state->count) branch = (uint32_t)index;
    }
    return hlo_call_plan_on_operands(call, state->plans[branch], branch + 1, 1);
}

const hlo_kernel hlo_kernel_conditional = {prepare_conditional, run_conditional};

/* ---- map ---- */

/* The state is the scalar program. */
static bool prepare_map(hlo_preparation *p) {
    const hlo_scalar_program *program = hlo_prepare_scalar(p, hlo_called(p->instr, 0));
    if (!program) return false;
    int64_t lanes = hlo_shape_elements(p->instr->shape);
    bool fits = hlo_scalar_input_count(program) == p->instr->operand_count &&
                hlo_scalar_output_count(program) == 1;
    for (uint32_t i = 0; fits && i < p->instr->operand_count; i++)
        fits = hlo_shape_elements(hlo_operand(p->instr, i)->shape) == lanes;
    if (!fits)
        return hlo_prepare_error(p, HLO_RULE_RUN, "has operands that do not match its computation");
    p->state = program;
    p->scratch_bytes = p->instr->operand_count * sizeof(hlo_value *);
    p->piece_bytes = p->instr->operand_count * sizeof(void *);
    return true;
}

typedef struct {
    hlo_call *call;
    hlo_value **operands;
    atomic_bool failed;
} mapping;

static void map_lanes(void *context, int64_t first, int64_t last) {
    HLO_ASSERT(first >= 0 && first < last);
    mapping *m = context;
    const hlo_call *call = m->call;
    const void **inputs = hlo_piece_take(call);
    for (uint32_t i = 0; i < call->count; i++)
        inputs[i] = (const char *)m->operands[i]->data +
                    first * hlo_types[m->operands[i]->shape->type].bytes;
    void *output = (char *)call->out->data + first * hlo_types[call->shape->type].bytes;
    if (!hlo_scalar_run(call->state, m->call, inputs, NULL, &output, (size_t)(last - first)))
        atomic_store(&m->failed, true);
    hlo_piece_leave(call, inputs);
}

static bool run_map(hlo_call *call) {
    enum { PIECE = 1 << 13 };
    mapping m = {.call = call, .operands = call->scratch};
    int64_t *sizes = hlo_joint_sizes(call), lanes = hlo_shape_elements(call->shape);
    if (!hlo_stretch_operands(call, sizes, m.operands)) return false;
    bool alone = !hlo_scalar_is_shared(call->state);
    hlo_parallel(lanes, alone ? lanes : PIECE, map_lanes, &m);
    for (uint32_t i = 0; i < call->count; i++) hlo_value_release(m.operands[i]);
    call->out->sizes = sizes;
    return !atomic_load(&m.failed);
}

const hlo_kernel hlo_kernel_map = {prepare_map, run_map};

/* ---- async ---- */

static bool prepare_async_start(hlo_preparation *p) {
    const hlo_shape *shape = p->instr->shape;
    if (!hlo_shape_is_tuple(shape) || shape->rank < 2 || !hlo_shape_is_tuple(shape->elements[0]) ||
        shape->elements[0]->rank != p->instr->operand_count)
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has a result that is not ((operands), result, contexts ...)");
    p->scratch_bytes = shape->rank * sizeof(hlo_value *);
    return prepare_call(p);
}

/* The operands, which the result and the called computation both hold. */
static hlo_value *tuple_of_operands(hlo_call *call) {
    for (uint32_t i = 0; i < call->count; i++) hlo_value_retain(call->in[i]);
    return hlo_value_tuple(call->shape->elements[0], call->in);
}

/* The computation runs at once; the result is ((operands), result, contexts ...). */
static bool run_async_start(hlo_call *call) {
    hlo_value **parts = call->scratch;
    parts[0] = tuple_of_operands(call);
    parts[1] = run_call(call) ? call->out : NULL;
    call->out = NULL;
    for (uint32_t i = 2; i < call->shape->rank; i++)
        parts[i] = hlo_call_zeros(call, call->shape->elements[i]);
    return hlo_call_give(call, hlo_value_tuple(call->shape, parts));
}

const hlo_kernel hlo_kernel_async_start = {prepare_async_start, run_async_start};

static bool run_async_update(hlo_call *call) {
    return hlo_call_give(call, hlo_value_retain(call->in[0]));
}

const hlo_kernel hlo_kernel_async_update = {NULL, run_async_update};

static bool prepare_async_done(hlo_preparation *p) {
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    if (hlo_shape_is_tuple(shape) && shape->rank >= 2) return true;
    return hlo_prepare_error(p, HLO_RULE_RUN,
                             "has an operand that is not ((operands), result, contexts ...)");
}

static bool run_async_done(hlo_call *call) {
    return hlo_call_give(call, hlo_value_retain(call->in[0]->elements[1]));
}

const hlo_kernel hlo_kernel_async_done = {prepare_async_done, run_async_done};
