/* The custom calls by which XLA's compiler goes between arrays with run-time sizes and arrays of
 * their bounds. Rows of custom_calls.def name them. */
#include "eval/kernel/custom_call.h"
#include "eval/kernel/dynamic.h"

static bool is_size(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && shape->rank == 0 && shape->type == HLO_S32;
}

static bool has_bounds_of(const hlo_shape *a, const hlo_shape *b) {
    bool same =
        hlo_shape_is_array(a) && hlo_shape_is_array(b) && a->type == b->type && a->rank == b->rank;
    for (uint32_t d = 0; same && d < a->rank; d++) same = a->dims[d] == b->dims[d];
    return same;
}

/* ---- PadToStatic: the array, and the sizes that it had ---- */

static const char *prepare_pad_to_static(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_shape *to = instr->shape;
    const hlo_shape *from = instr->operand_count == 1 ? hlo_operand(instr, 0)->shape : NULL;
    bool fits = from && hlo_shape_is_tuple(to) && to->rank > 0 &&
                has_bounds_of(to->elements[0], from) && to->rank == from->rank + 1;
    for (uint32_t i = 1; fits && i < to->rank; i++) fits = is_size(to->elements[i]);
    return fits ? NULL : "does not have the result of PadToStatic: the array, and an s32 per size";
}

/* What XLA leaves open beyond the sizes is zero. */
static bool run_pad_to_static(hlo_call *call) {
    hlo_value **out = call->out->elements;
    hlo_value *whole = hlo_zero_extended(call, call->in[0]);
    if (!whole) return false;
    memcpy(out[0]->data, whole->data, (size_t)hlo_shape_bytes(whole->shape));
    hlo_value_release(whole);
    for (uint32_t d = 0; d + 1 < call->shape->rank; d++) {
        int32_t size = (int32_t)hlo_value_size(call->in[0], d);
        memcpy(out[d + 1]->data, &size, sizeof size);
    }
    return true;
}

const hlo_target hlo_target_pad_to_static = {prepare_pad_to_static, run_pad_to_static, false};

/* ---- SliceToDynamic: the array with sizes ---- */

static const char *prepare_slice_to_dynamic(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    bool fits = instr->operand_count == instr->shape->rank + 1 &&
                has_bounds_of(instr->shape, hlo_operand(instr, 0)->shape);
    for (uint32_t i = 1; fits && i < instr->operand_count; i++)
        fits = is_size(hlo_operand(instr, i)->shape);
    return fits ? NULL : "does not have the operands of SliceToDynamic: an array, an s32 per size";
}

static bool run_slice_to_dynamic(hlo_call *call) {
    memcpy(call->out->data, call->in[0]->data, (size_t)hlo_shape_bytes(call->shape));
    int64_t *sizes = hlo_result_sizes(call->out);
    for (uint32_t d = 0; d < call->shape->rank; d++) {
        int32_t size;
        memcpy(&size, call->in[d + 1]->data, sizeof size);
        if (size < 0 || size > call->shape->dims[d])
            return hlo_call_error(call, "has a size of %d in dimension %u, expected 0 to %lld",
                                  (int)size, d, (long long)call->shape->dims[d]);
        sizes[d] = size;
    }
    return true;
}

const hlo_target hlo_target_slice_to_dynamic = {prepare_slice_to_dynamic, run_slice_to_dynamic,
                                                true};
