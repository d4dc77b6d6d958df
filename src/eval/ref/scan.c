/* scan: one call of the computation for each element of a dimension, with values carried from call
 * to call. Called through the kernel table. */
#include "eval/eval.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"

typedef struct {
    hlo_eval *eval;
    const hlo_instr *instr;
    hlo_value *const *inputs;
    uint32_t input_count, output_count, carry_count;
    uint32_t dimension;
    hlo_value **arguments; /* of one call: slices of the inputs, then the carried values */
    hlo_value **outputs;
} scan;

/* Copies between an array and its slice at `index` of the scanned dimension. */
static void copy_slice(const scan *s, hlo_value *array, hlo_value *slice, int64_t index,
                       bool to_slice) {
    uint32_t bytes = hlo_element_bytes(array->shape);
    int64_t *strides = hlo_new_strides(array->shape, bytes), unit = bytes;
    int64_t *slice_strides = hlo_new_strides(array->shape, 0);
    for (uint32_t d = array->shape->rank; d-- > 0;) {
        if (d == s->dimension) continue;
        slice_strides[d] = unit;
        unit *= array->shape->dims[d];
    }
    hlo_walk walk; /* the target is array 0, the source array 1 */
    hlo_walk_init(&walk, 2);
    walk.at[to_slice ? 1 : 0] = index * strides[s->dimension];
    for (uint32_t d = 0; d < array->shape->rank; d++) {
        if (d == s->dimension) continue;
        hlo_walk_dim2(&walk, array->shape->dims[d], to_slice ? slice_strides[d] : strides[d],
                      to_slice ? strides[d] : slice_strides[d]);
    }
    if (to_slice) hlo_copy_walk(&walk, slice->data, array->data, bytes);
    else hlo_copy_walk(&walk, array->data, slice->data, bytes);
    hlo_free(strides);
    hlo_free(slice_strides);
}

/* Slices of all inputs at `index` as arguments; false when there is no memory for one. */
static bool slice_inputs(scan *s, const hlo_computation *computation, int64_t index) {
    for (uint32_t i = 0; i < s->input_count; i++) {
        hlo_value *slice = hlo_value_new(computation->parameters[i]->shape);
        if (!slice) return false;
        copy_slice(s, s->inputs[i], slice, index, true);
        s->arguments[i] = slice;
    }
    return true;
}

/* Puts a call's results away: outputs into their arrays, carried values back to the arguments. */
static void take_results(scan *s, hlo_value *result, int64_t index) {
    hlo_value **values = result->elements ? result->elements : &result;
    for (uint32_t i = 0; i < s->output_count; i++)
        copy_slice(s, s->outputs[i], values[i], index, false);
    for (uint32_t i = 0; i < s->carry_count; i++)
        s->arguments[s->input_count + i] = hlo_value_retain(values[s->output_count + i]);
    hlo_value_release(result);
}

static bool run_steps(scan *s) {
    hlo_computation *computation = hlo_called(s->instr, 0);
    int64_t steps = 0;
    if (s->input_count) steps = s->inputs[0]->shape->dims[s->dimension];
    else if (s->output_count) steps = s->outputs[0]->shape->dims[s->dimension];
    bool reverse = hlo_attr_int(s->instr, HLO_ATTR_IS_REVERSE) != 0;
    for (int64_t k = 0; k < steps; k++) {
        int64_t index = reverse ? steps - 1 - k : k;
        if (!slice_inputs(s, computation, index)) return false;
        hlo_call_set_iteration(s->eval->call, k);
        const hlo_plan *plan = s->eval->program->making->plans[computation->id];
        hlo_value *result = hlo_call_plan_moving(s->eval->call, plan, s->arguments,
                                                 s->input_count + s->carry_count);
        if (!result) return false;
        take_results(s, result, index);
    }
    return true;
}

/* Whether parameters and results have the shapes that the operands and results ask for. */
static bool fits_computation(const scan *s, const hlo_computation *computation) {
    const hlo_shape *result = computation->root->shape;
    uint32_t results = hlo_shape_is_tuple(result) ? result->rank : 1;
    if (computation->parameter_count != s->input_count + s->carry_count) return false;
    if (results != s->output_count + s->carry_count) return false;
    for (uint32_t i = 0; i < s->output_count; i++) {
        const hlo_shape *slice = hlo_shape_is_tuple(result) ? result->elements[i] : result;
        if (slice->rank + 1 != s->outputs[i]->shape->rank) return false;
    }
    return true;
}

static bool run(scan *s, hlo_value *const *args, hlo_value **results) {
    const hlo_computation *computation = hlo_called(s->instr, 0);
    uint32_t count = s->input_count + s->carry_count;
    if (!fits_computation(s, computation)) {
        hlo_eval_error(s->eval, s->instr, "has a computation that does not fit its operands");
        return false;
    }
    s->arguments = hlo_calloc(count, sizeof(hlo_value *));
    for (uint32_t i = s->input_count; i < count; i++) s->arguments[i] = hlo_value_retain(args[i]);
    bool ok = run_steps(s);
    for (uint32_t i = 0; i < count; i++) {
        bool is_result = ok && i >= s->input_count;
        if (is_result) {
            uint32_t to = s->output_count + i - s->input_count;
            hlo_value_release(results[to]);
            results[to] = s->arguments[i];
        } else {
            hlo_value_release(s->arguments[i]);
        }
    }
    hlo_free(s->arguments);
    return ok;
}

hlo_value *hlo_eval_scan(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    scan s = {.eval = eval, .instr = instr, .inputs = args};
    int64_t carries = hlo_attr_int(instr, HLO_ATTR_NUM_CARRIES);
    const hlo_ints *dimensions = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    uint32_t results = hlo_shape_is_tuple(instr->shape) ? instr->shape->rank : 1;
    if (carries < 0 || carries > instr->operand_count || carries > results || !dimensions->n) {
        hlo_eval_error(eval, instr, "has carried values that do not fit its operands");
        return NULL;
    }
    s.carry_count = (uint32_t)carries;
    s.input_count = instr->operand_count - s.carry_count;
    s.output_count = results - s.carry_count;
    s.dimension = (uint32_t)dimensions->v[0];
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out) return NULL;
    s.outputs = out->elements ? out->elements : &out;
    if (run(&s, args, s.outputs)) return out;
    hlo_value_release(out);
    return NULL;
}
