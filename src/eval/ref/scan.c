/* scan by its definition: one call of the computation for each place along a dimension, on the
 * inputs' slices there and on values carried from call to call; its results are slices of the
 * outputs and the next carried values. */
#include "eval/kernels/reduce/scan.h"
#include "eval/kernel/dynamic.h"
#include "eval/ref/element.h"
#include "eval/ref/index.h"

/* An index of an array, 0 along the scanned dimension, and what it runs over. */
enum { INDEX, SIZES, INDICES };

typedef struct {
    hlo_scan_form form;
    const hlo_shape **slices; /* of the inputs */
    hlo_indices indices;      /* of arrays of the largest rank */
    /* In scratch memory: arguments of a call, slices first; outputs, then carried values. */
    size_t arguments_at, results_at;
} scan_state;

static uint32_t largest_rank(const scan_state *s, const hlo_instr *instr) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < s->form.input_count + s->form.output_count; i++) {
        const hlo_shape *array = i < s->form.input_count
                                     ? hlo_operand(instr, i)->shape
                                     : hlo_shape_part(instr->shape, i - s->form.input_count);
        if (array->rank > rank) rank = array->rank;
    }
    return rank;
}

static bool prepare_scan(hlo_preparation *p) {
    scan_state *s = HLO_NEW_STATE(p, scan_state);
    if (!hlo_prepare_scan_form(p, &s->form)) return false;
    s->slices = HLO_NEW_ARRAY(p->arena, const hlo_shape *, s->form.input_count);
    for (uint32_t i = 0; i < s->form.input_count; i++)
        s->slices[i] = hlo_called(p->instr, 0)->parameters[i]->shape;
    s->indices = hlo_prepare_indices(p, INDICES, largest_rank(s, p->instr));
    s->arguments_at = hlo_prepare_scratch(p, p->instr->operand_count * sizeof(hlo_value *));
    s->results_at =
        hlo_prepare_scratch(p, (s->form.output_count + s->form.carry_count) * sizeof(hlo_value *));
    p->state = s;
    return true;
}

/* ---- running ---- */

/* Copies between an array's slice at a place of the scanned dimension and a separate value. */
static void copy_slice(const hlo_call *call, hlo_value *array, hlo_value *slice, int64_t place,
                       bool to_slice) {
    const scan_state *s = call->state;
    uint32_t rank = array->shape->rank;
    int64_t *index = hlo_index(call, s->indices, INDEX);
    int64_t *sizes = hlo_index(call, s->indices, SIZES), in_slice = 0;
    for (uint32_t d = 0; d < rank; d++)
        sizes[d] = d == s->form.dimension ? 1 : array->shape->dims[d];
    for (bool more = hlo_first_index(rank, sizes, index); more;
         more = hlo_next_index(rank, sizes, index), in_slice++) {
        index[s->form.dimension] = place;
        int64_t in_array = hlo_offset_in(array, index);
        index[s->form.dimension] = 0;
        if (to_slice) hlo_copy_element(slice, in_slice, array, in_array);
        else hlo_copy_element(array, in_array, slice, in_slice);
    }
}

/* Slices of all inputs at `place` as arguments; false when there is no memory for one. */
static bool slice_inputs(const hlo_call *call, hlo_value **arguments, int64_t place) {
    const scan_state *s = call->state;
    for (uint32_t i = 0; i < s->form.input_count; i++) {
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
    for (uint32_t i = 0; i < s->form.output_count; i++)
        copy_slice(call, outputs[i], values[i], place, false);
    for (uint32_t i = 0; i < s->form.carry_count; i++)
        arguments[s->form.input_count + i] = hlo_value_retain(values[s->form.output_count + i]);
    hlo_value_release(result);
}

static bool run_steps(hlo_call *call, hlo_value **arguments, hlo_value **outputs) {
    const scan_state *s = call->state;
    for (int64_t k = 0; k < s->form.steps; k++) {
        int64_t place = s->form.is_reverse ? s->form.steps - 1 - k : k;
        if (!slice_inputs(call, arguments, place)) return false;
        hlo_call_set_iteration(call, k);
        hlo_value *result = hlo_call_plan_moving(call, s->form.plan, arguments, call->count);
        if (!result) return false;
        take_results(call, arguments, outputs, result, place);
    }
    return true;
}

/* Arrays for the outputs, and the first carried values as arguments; false without memory. */
static bool start_scan(const hlo_call *call, hlo_value **arguments, hlo_value **outputs) {
    const scan_state *s = call->state;
    bool ok = true;
    for (uint32_t i = 0; i < s->form.output_count; i++) {
        outputs[i] = hlo_call_new(call, hlo_shape_part(call->shape, i));
        ok = ok && outputs[i];
    }
    for (uint32_t i = 0; i < call->count; i++)
        arguments[i] = i < s->form.input_count ? NULL : hlo_value_retain(call->in[i]);
    return ok;
}

static bool run_scan(hlo_call *call) {
    const scan_state *s = call->state;
    hlo_value **arguments = (hlo_value **)((char *)call->scratch + s->arguments_at);
    hlo_value **results = (hlo_value **)((char *)call->scratch + s->results_at);
    if (!hlo_operands_are_full(call)) return false;
    if (!start_scan(call, arguments, results) || !run_steps(call, arguments, results)) {
        for (uint32_t i = 0; i < call->count; i++) hlo_value_release(arguments[i]);
        for (uint32_t i = 0; i < s->form.output_count; i++) hlo_value_release(results[i]);
        return false;
    }
    for (uint32_t i = 0; i < s->form.carry_count; i++)
        results[s->form.output_count + i] = arguments[s->form.input_count + i];
    return hlo_call_give(
        call, hlo_shape_is_tuple(call->shape) ? hlo_value_tuple(call->shape, results) : results[0]);
}

const hlo_kernel hlo_plain_scan = {prepare_scan, run_scan};
