/* Kernels that run other computations: call, fusion, while, conditional, map and the async pairs.
 * Called by the runner. */
#include <stdatomic.h>

#include "base/pool.h"
#include "eval/context.h"
#include "eval/ref/dynamic.h"
#include "eval/scalar.h"

/* ---- one computation on all operands ---- */

static hlo_value *call_first(hlo_eval *eval, const hlo_instr *instr) {
    return hlo_eval_call_on_operands(eval, hlo_called(instr, 0), 0, instr->operand_count);
}

hlo_value *hlo_eval_call_computation(hlo_eval *eval, const hlo_instr *instr,
                                     hlo_value *const *args) {
    (void)args;
    return call_first(eval, instr);
}

hlo_value *hlo_eval_fusion(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)args;
    return call_first(eval, instr);
}

/* ---- while ---- */

static bool is_true(const hlo_value *value) {
    return *(const uint8_t *)value->data != 0;
}

/* The state moves from trip to trip: the body may change in place what nobody else holds. */
hlo_value *hlo_eval_while(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)args;
    hlo_computation *body = hlo_called(instr, 0), *condition = hlo_called(instr, 1);
    hlo_value *state = hlo_eval_take_operand(eval, 0);
    for (eval->frame->trip = 0; state; eval->frame->trip++) {
        hlo_value *goes_on = hlo_eval_call(eval, condition, &state, 1);
        bool is_done = !goes_on || !is_true(goes_on), failed = !goes_on;
        hlo_value_release(goes_on);
        if (failed) {
            hlo_value_release(state);
            return NULL;
        }
        if (is_done) return state;
        state = hlo_eval_call_moving(eval, body, &state, 1);
    }
    return NULL;
}

/* ---- conditional ---- */

/* A predicate chooses the first branch when true; an index out of range the last branch. */
hlo_value *hlo_eval_conditional(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    uint32_t branches = hlo_called_count(instr), branch = branches - 1;
    if (args[0]->shape->type == HLO_PRED) {
        branch = is_true(args[0]) ? 0 : 1;
    } else {
        int32_t index;
        memcpy(&index, args[0]->data, sizeof index);
        if (index >= 0 && (uint32_t)index < branches) branch = (uint32_t)index;
    }
    if (branch >= branches || branch + 1 >= instr->operand_count) {
        hlo_eval_error(eval, instr, "has no branch %u with an operand", branch);
        return NULL;
    }
    return hlo_eval_call_on_operands(eval, hlo_called(instr, branch), branch + 1, 1);
}

/* ---- map ---- */

typedef struct {
    hlo_scalar_program *program;
    hlo_value **operands;
    hlo_value *result;
    uint32_t count;
    atomic_bool failed;
} mapping;

static void map_lanes(void *context, int64_t first, int64_t last) {
    mapping *m = context;
    const void **inputs = hlo_malloc(m->count * sizeof *inputs);
    for (uint32_t i = 0; i < m->count; i++)
        inputs[i] = (const char *)m->operands[i]->data +
                    first * hlo_types[m->operands[i]->shape->type].bytes;
    void *output = (char *)m->result->data + first * hlo_types[m->result->shape->type].bytes;
    if (!hlo_scalar_run(m->program, inputs, NULL, &output, (size_t)(last - first)))
        atomic_store(&m->failed, true);
    hlo_free(inputs);
}

static bool run_map(hlo_scalar_program *program, const hlo_instr *instr, hlo_value *const *args,
                    hlo_value *result) {
    enum { PIECE = 1 << 13 };
    uint32_t n = instr->operand_count;
    hlo_value **operands = hlo_calloc(n, sizeof *operands);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        operands[i] =
            result->sizes ? hlo_stretched(args[i], result->sizes) : hlo_value_retain(args[i]);
        good &= operands[i] != NULL;
    }
    mapping m = {.program = program, .operands = operands, .result = result, .count = n};
    int64_t lanes = hlo_shape_elements(instr->shape);
    if (good) hlo_parallel(lanes, hlo_scalar_is_shared(program) ? PIECE : lanes, map_lanes, &m);
    good = good && !atomic_load(&m.failed);
    for (uint32_t i = 0; i < n; i++) hlo_value_release(operands[i]);
    hlo_free(operands);
    return good;
}

hlo_value *hlo_eval_map(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    hlo_scalar_program *program = hlo_scalar_compile(eval, instr, hlo_called(instr, 0));
    if (!program) return NULL;
    int64_t lanes = hlo_shape_elements(instr->shape);
    bool fits = hlo_scalar_input_count(program) == instr->operand_count &&
                hlo_scalar_output_count(program) == 1;
    for (uint32_t i = 0; fits && i < instr->operand_count; i++)
        fits = hlo_shape_elements(args[i]->shape) == lanes;
    if (!fits) {
        hlo_eval_error(eval, instr, "has operands that do not fit its computation");
        return NULL;
    }
    hlo_value *result = hlo_value_new(instr->shape);
    if (!result) return NULL;
    result->sizes = hlo_joint_sizes(instr, args);
    if (run_map(program, instr, args, result)) return result;
    hlo_value_release(result);
    return NULL;
}

/* ---- async ---- */

static hlo_value *tuple_of_operands(const hlo_shape *shape, hlo_value *const *args) {
    hlo_value *tuple = hlo_value_new(shape);
    if (!tuple) return NULL;
    for (uint32_t i = 0; i < shape->rank; i++) tuple->elements[i] = hlo_value_retain(args[i]);
    return tuple;
}

/* The computation runs at once; the result is ((operands), result, contexts ...). */
hlo_value *hlo_eval_async_start(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_shape *shape = instr->shape;
    if (!hlo_shape_is_tuple(shape) || shape->rank < 2 || !hlo_shape_is_tuple(shape->elements[0]) ||
        shape->elements[0]->rank != instr->operand_count) {
        hlo_eval_error(eval, instr, "has a result that is not ((operands), result, contexts ...)");
        return NULL;
    }
    hlo_value *result = hlo_value_new(shape);
    if (!result) return NULL;
    result->elements[0] = tuple_of_operands(shape->elements[0], args);
    result->elements[1] = call_first(eval, instr);
    bool is_complete = result->elements[0] && result->elements[1];
    for (uint32_t i = 2; i < shape->rank; i++) {
        result->elements[i] = hlo_value_zeros(shape->elements[i]);
        is_complete = is_complete && result->elements[i];
    }
    if (is_complete) return result;
    hlo_value_release(result);
    return NULL;
}

hlo_value *hlo_eval_async_update(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval, (void)instr;
    return hlo_value_retain(args[0]);
}

hlo_value *hlo_eval_async_done(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (args[0]->elements && args[0]->shape->rank >= 2)
        return hlo_value_retain(args[0]->elements[1]);
    hlo_eval_error(eval, instr, "has an operand that is not ((operands), result, contexts ...)");
    return NULL;
}
