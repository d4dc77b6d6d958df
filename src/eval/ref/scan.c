/* scan by its definition: one call of the computation for each place along a dimension, on the
 * inputs' slices there and on values carried from call to call; its results are slices of the
 * outputs and the next carried values. Called by the runner. */
#include "eval/kernels/dynamic.h"
#include "eval/ref/element.h"
#include "eval/ref/index.h"

/* An index of an array, 0 along the scanned dimension, and what it runs over. */
enum { INDEX, SIZES, INDICES };

typedef struct {
    const hlo_plan *plan;
    uint32_t input_count, output_count, carry_count, dimension;
    bool is_reverse;
    int64_t steps;
    const hlo_shape **slices; /* of the inputs */
    hlo_indices indices;      /* of arrays of the largest rank */
    /* In scratch memory: arguments of a call, slices first; outputs, then carried values. */
    size_t arguments_at, results_at;
} scan_state;

/* Element i of a tuple; an array is its own only element. */
static const hlo_shape *part_of(const hlo_shape *shape, uint32_t i) {
    return hlo_shape_is_tuple(shape) ? shape->elements[i] : shape;
}

static uint32_t count_parts(const hlo_shape *shape) {
    return hlo_shape_is_tuple(shape) ? shape->rank : 1;
}

/* Whether parameters and results have the shapes that the operands and results ask for. */
static bool fits_computation(const scan_state *s, const hlo_instr *instr,
                             const hlo_computation *computation) {
    const hlo_shape *result = computation->root->shape;
    if (computation->parameter_count != s->input_count + s->carry_count) return false;
    if (count_parts(result) != s->output_count + s->carry_count) return false;
    for (uint32_t i = 0; i < s->output_count; i++)
        if (part_of(result, i)->rank + 1 != part_of(instr->shape, i)->rank) return false;
    return true;
}

/* False when the numbers of operands, results and carried values cannot be. */
static bool read_counts(scan_state *s, const hlo_instr *instr) {
    int64_t carries = hlo_attr_int(instr, HLO_ATTR_NUM_CARRIES);
    uint32_t results = count_parts(instr->shape);
    if (carries < 0 || carries > instr->operand_count || carries > results) return false;
    s->carry_count = (uint32_t)carries;
    s->input_count = instr->operand_count - s->carry_count;
    s->output_count = results - s->carry_count;
    return true;
}

static uint32_t largest_rank(const scan_state *s, const hlo_instr *instr) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < s->input_count + s->output_count; i++) {
        const hlo_shape *array = i < s->input_count ? hlo_operand(instr, i)->shape
                                                    : part_of(instr->shape, i - s->input_count);
        if (array->rank > rank) rank = array->rank;
    }
    return rank;
}

static void prepare_arrays(hlo_preparation *p, scan_state *s, const hlo_computation *computation) {
    s->slices = HLO_NEW_ARRAY(p->arena, const hlo_shape *, s->input_count);
    for (uint32_t i = 0; i < s->input_count; i++) s->slices[i] = computation->parameters[i]->shape;
    if (s->input_count) s->steps = hlo_operand(p->instr, 0)->shape->dims[s->dimension];
    else if (s->output_count) s->steps = part_of(p->instr->shape, 0)->dims[s->dimension];
    s->indices = hlo_prepare_indices(p, INDICES, largest_rank(s, p->instr));
    s->arguments_at = hlo_prepare_scratch(p, p->instr->operand_count * sizeof(hlo_value *));
    s->results_at =
        hlo_prepare_scratch(p, (s->output_count + s->carry_count) * sizeof(hlo_value *));
}

static bool prepare_scan(hlo_preparation *p) {
    scan_state *s = HLO_NEW_STATE(p, scan_state);
    hlo_computation *computation = hlo_called(p->instr, 0);
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    if (!read_counts(s, p->instr) || !dimensions->n)
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has carried values that do not match its operands");
    if (!fits_computation(s, p->instr, computation))
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has a computation that does not match its operands");
    s->plan = hlo_prepare_plan(p, computation);
    s->is_reverse = hlo_attr_int(p->instr, HLO_ATTR_IS_REVERSE) != 0;
    s->dimension = (uint32_t)dimensions->v[0];
    prepare_arrays(p, s, computation);
    p->result = HLO_RESULT_CALL; /* carried values are the computation's */
    p->state = s;
    return true;
}

/* ---- running ---- */

/* Copies between an array's slice at a place of the scanned dimension and a value of its own. */
static void copy_slice(const hlo_call *call, hlo_value *array, hlo_value *slice, int64_t place,
                       bool to_slice) {
    const scan_state *s = call->state;
    uint32_t rank = array->shape->rank;
    int64_t *index = hlo_index(call, s->indices, INDEX);
    int64_t *sizes = hlo_index(call, s->indices, SIZES), in_slice = 0;
    for (uint32_t d = 0; d < rank; d++) sizes[d] = d == s->dimension ? 1 : array->shape->dims[d];
    for (bool more = hlo_first_index(rank, sizes, index); more;
         more = hlo_next_index(rank, sizes, index), in_slice++) {
        index[s->dimension] = place;
        int64_t in_array = hlo_offset_in(array, index);
        index[s->dimension] = 0;
        if (to_slice) hlo_copy_element(slice, in_slice, array, in_array);
        else hlo_copy_element(array, in_array, slice, in_slice);
    }
}

/* Slices of all inputs at `place` as arguments; false when there is no memory for one. */
static bool slice_inputs(const hlo_call *call, hlo_value **arguments, int64_t place) {
    const scan_state *s = call->state;
    for (uint32_t i = 0; i < s->input_count; i++) {
        arguments[i] = hlo_call_new(call, s->slices[i]);
        if (!arguments[i]) return false;
        copy_slice(call, call->in[i], arguments[i], place, true);
    }
    return true;
}

/* Puts the results of a call away: slices into the outputs, carried values to the arguments. */
static void take_results(const hlo_call *call, hlo_value **arguments, hlo_value **outputs,
                         hlo_value *result, int64_t place) {
    const scan_state *s = call->state;
    hlo_value **values = result->elements ? result->elements : &result;
    for (uint32_t i = 0; i < s->output_count; i++)
        copy_slice(call, outputs[i], values[i], place, false);
    for (uint32_t i = 0; i < s->carry_count; i++)
        arguments[s->input_count + i] = hlo_value_retain(values[s->output_count + i]);
    hlo_value_release(result);
}

static bool run_steps(hlo_call *call, hlo_value **arguments, hlo_value **outputs) {
    const scan_state *s = call->state;
    for (int64_t k = 0; k < s->steps; k++) {
        int64_t place = s->is_reverse ? s->steps - 1 - k : k;
        if (!slice_inputs(call, arguments, place)) return false;
        hlo_call_set_iteration(call, k);
        hlo_value *result = hlo_call_plan_moving(call, s->plan, arguments, call->count);
        if (!result) return false;
        take_results(call, arguments, outputs, result, place);
    }
    return true;
}

/* Arrays for the outputs, and the first carried values as arguments; false without memory. */
static bool start(const hlo_call *call, hlo_value **arguments, hlo_value **outputs) {
    const scan_state *s = call->state;
    bool ok = true;
    for (uint32_t i = 0; i < s->output_count; i++) {
        outputs[i] = hlo_call_new(call, part_of(call->shape, i));
        ok = ok && outputs[i];
    }
    for (uint32_t i = 0; i < call->count; i++)
        arguments[i] = i < s->input_count ? NULL : hlo_value_retain(call->in[i]);
    return ok;
}

static bool run_scan(hlo_call *call) {
    const scan_state *s = call->state;
    hlo_value **arguments = (hlo_value **)((char *)call->scratch + s->arguments_at);
    hlo_value **results = (hlo_value **)((char *)call->scratch + s->results_at);
    if (!hlo_operands_are_full(call)) return false;
    if (!start(call, arguments, results) || !run_steps(call, arguments, results)) {
        for (uint32_t i = 0; i < call->count; i++) hlo_value_release(arguments[i]);
        for (uint32_t i = 0; i < s->output_count; i++) hlo_value_release(results[i]);
        return false;
    }
    for (uint32_t i = 0; i < s->carry_count; i++)
        results[s->output_count + i] = arguments[s->input_count + i];
    return hlo_call_give(
        call, hlo_shape_is_tuple(call->shape) ? hlo_value_tuple(call->shape, results) : results[0]);
}

const hlo_kernel hlo_plain_scan = {prepare_scan, run_scan};
