/* scan: one call of the computation for each element of a dimension, with values carried from call
 * to call. */
#include "eval/kernels/reduce/scan.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernel/strides.h"

/* How an array and its slices at the elements of the scanned dimension are copied into each other.
 * Distances count bytes. */
typedef struct {
    const hlo_shape *slice;
    uint32_t bytes; /* of an element */
    int64_t step;   /* from slice to slice in the array */
    hlo_walk walk;  /* of one slice: array 0 is the target */
} slicing;

typedef struct {
    hlo_scan_form form;
    slicing *inputs, *outputs;
} scan_state;

/* The operands of one call. */
typedef struct {
    const scan_state *state;
    hlo_call *call;
    hlo_value **arguments; /* of one step: slices of the inputs, then the carried values */
    hlo_value **results;   /* outputs, then carried values */
} scan;

/* ---- what is known before a run ---- */

static void prepare_slicing(hlo_preparation *p, slicing *s, const hlo_shape *array,
                            const hlo_shape *slice, uint32_t dimension, bool to_slice) {
    int64_t *strides = HLO_NEW_ARRAY(p->arena, int64_t, array->rank);
    int64_t *slice_strides = HLO_NEW_ARRAY(p->arena, int64_t, slice->rank);
    s->bytes = hlo_element_bytes(array);
    hlo_row_major(array, s->bytes, strides);
    hlo_row_major(slice, s->bytes, slice_strides);
    s->slice = slice;
    s->step = strides[dimension];
    hlo_walk_init(&s->walk, 2);
    for (uint32_t d = 0, k = 0; d < array->rank; d++) {
        if (d == dimension) continue;
        hlo_walk_dim2(&s->walk, array->dims[d], to_slice ? slice_strides[k] : strides[d],
                      to_slice ? strides[d] : slice_strides[k]);
        k++;
    }
}

/* Whether parameters and results have the shapes that the operands and results ask for. */
static bool fits_computation(const hlo_scan_form *s, const hlo_instr *instr,
                             const hlo_computation *computation) {
    const hlo_shape *result = computation->root->shape;
    if (computation->parameter_count != s->input_count + s->carry_count) return false;
    if (hlo_shape_part_count(result) != s->output_count + s->carry_count) return false;
    for (uint32_t i = 0; i < s->output_count; i++)
        if (hlo_shape_part(result, i)->rank + 1 != hlo_shape_part(instr->shape, i)->rank)
            return false;
    return true;
}

/* False when the numbers of operands, results and carried values cannot be. */
static bool read_counts(hlo_scan_form *s, const hlo_instr *instr) {
    int64_t carries = hlo_attr_int(instr, HLO_ATTR_NUM_CARRIES);
    uint32_t results = hlo_shape_part_count(instr->shape);
    if (carries < 0 || carries > instr->operand_count || carries > results) return false;
    s->carry_count = (uint32_t)carries;
    s->input_count = instr->operand_count - s->carry_count;
    s->output_count = results - s->carry_count;
    return true;
}

bool hlo_prepare_scan_form(hlo_preparation *p, hlo_scan_form *s) {
    hlo_computation *computation = hlo_called(p->instr, 0);
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    if (!read_counts(s, p->instr) || !dimensions->n)
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has carried values that do not match its operands");
    if (!fits_computation(s, p->instr, computation))
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has a computation that does not match its operands");
    s->plan = hlo_prepare_plan(p, computation);
    s->dimension = (uint32_t)dimensions->v[0];
    s->is_reverse = hlo_attr_int(p->instr, HLO_ATTR_IS_REVERSE) != 0;
    if (s->input_count) s->steps = hlo_operand(p->instr, 0)->shape->dims[s->dimension];
    else if (s->output_count) s->steps = hlo_shape_part(p->instr->shape, 0)->dims[s->dimension];
    p->result = HLO_RESULT_CALL;
    return true;
}

static bool prepare_scan(hlo_preparation *p) {
    scan_state *s = HLO_NEW_STATE(p, scan_state);
    if (!hlo_prepare_scan_form(p, &s->form)) return false;
    const hlo_scan_form *form = &s->form;
    const hlo_computation *computation = hlo_called(p->instr, 0);
    s->inputs = HLO_NEW_ARRAY(p->arena, slicing, form->input_count);
    s->outputs = HLO_NEW_ARRAY(p->arena, slicing, form->output_count);
    for (uint32_t i = 0; i < form->input_count; i++)
        prepare_slicing(p, &s->inputs[i], hlo_operand(p->instr, i)->shape,
                        computation->parameters[i]->shape, form->dimension, true);
    for (uint32_t i = 0; i < form->output_count; i++)
        prepare_slicing(p, &s->outputs[i], hlo_shape_part(p->instr->shape, i),
                        hlo_shape_part(computation->root->shape, i), form->dimension, false);
    p->scratch_bytes =
        (p->instr->operand_count + hlo_shape_part_count(p->instr->shape)) * sizeof(hlo_value *);
    p->state = s;
    return true;
}

/* ---- running ---- */

static void copy_slice(const slicing *s, void *to, const void *from) {
    hlo_walk walk;
    hlo_walk_part(&walk, &s->walk, s->walk.rank, 0, 1);
    hlo_copy_walk(&walk, to, from, s->bytes);
}

/* Slices of all inputs at `index` as arguments; false when there is no memory for one. */
static bool slice_inputs(const scan *s, int64_t index) {
    for (uint32_t i = 0; i < s->state->form.input_count; i++) {
        const slicing *input = &s->state->inputs[i];
        s->arguments[i] = hlo_call_new(s->call, input->slice);
        if (!s->arguments[i]) return false;
        copy_slice(input, s->arguments[i]->data,
                   (const char *)s->call->in[i]->data + index * input->step);
    }
    return true;
}

/* Puts a step's results away: outputs into their arrays, carried values back to the arguments. */
/* The carried values are retained before the result goes: what the step carries on may then have no
 * other reference, and is changed in place. */
static void take_results(const scan *s, hlo_value *result, int64_t index) {
    const scan_state *state = s->state;
    hlo_value **values = result->elements ? result->elements : &result;
    for (uint32_t i = 0; i < state->form.output_count; i++)
        copy_slice(&state->outputs[i], (char *)s->results[i]->data + index * state->outputs[i].step,
                   values[i]->data);
    for (uint32_t i = 0; i < state->form.carry_count; i++)
        s->arguments[state->form.input_count + i] =
            hlo_value_retain(values[state->form.output_count + i]);
    hlo_value_release(result);
}

static bool run_steps(const scan *s) {
    const scan_state *state = s->state;
    for (int64_t k = 0; k < state->form.steps; k++) {
        int64_t index = state->form.is_reverse ? state->form.steps - 1 - k : k;
        if (!slice_inputs(s, index)) return false;
        hlo_call_set_iteration(s->call, k);
        hlo_value *result = hlo_call_plan_moving(s->call, state->form.plan, s->arguments,
                                                 state->form.input_count + state->form.carry_count);
        if (!result) return false;
        take_results(s, result, index);
    }
    return true;
}

/* Arrays for the outputs, and the first carried values as arguments; false without memory. */
static bool start_scan(const scan *s) {
    const scan_state *state = s->state;
    bool ok = true;
    for (uint32_t i = 0; i < state->form.output_count; i++) {
        s->results[i] = hlo_call_new(s->call, hlo_shape_part(s->call->shape, i));
        ok = ok && s->results[i];
    }
    for (uint32_t i = 0; i < s->call->count; i++)
        s->arguments[i] = i < state->form.input_count ? NULL : hlo_value_retain(s->call->in[i]);
    return ok;
}

/* The result of outputs and carried values, whose references it takes. */
static bool give_results(const scan *s) {
    const scan_state *state = s->state;
    for (uint32_t i = 0; i < state->form.carry_count; i++)
        s->results[state->form.output_count + i] = s->arguments[state->form.input_count + i];
    return hlo_call_give(s->call, hlo_shape_is_tuple(s->call->shape)
                                      ? hlo_value_tuple(s->call->shape, s->results)
                                      : s->results[0]);
}

static bool run_scan(hlo_call *call) {
    const scan_state *state = call->state;
    scan s = {.state = state, .call = call, .arguments = call->scratch};
    s.results = s.arguments + call->count;
    if (!hlo_operands_are_full(call)) return false;
    if (start_scan(&s) && run_steps(&s)) return give_results(&s);
    for (uint32_t i = 0; i < call->count; i++) hlo_value_release(s.arguments[i]);
    for (uint32_t i = 0; i < state->form.output_count; i++) hlo_value_release(s.results[i]);
    return false;
}

const hlo_kernel hlo_kernel_scan = {prepare_scan, run_scan};
