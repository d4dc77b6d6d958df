/* Plain elementwise kernels: the lane function of the instruction, one element at a time. */
#include "eval/kernels/elementwise/elementwise.h"
#include "eval/kernel/dynamic.h"

static bool prepare(hlo_preparation *p) {
    p->result = HLO_RESULT_FRESH;
    return hlo_prepare_elementwise(p);
}

/* Operands with fewer elements than the result are scalars. */
static void compute(const hlo_lanes *lanes, hlo_value *out, hlo_value *const *operands) {
    int64_t n = hlo_shape_elements(out->shape);
    const void *in[HLO_LANES_MAX_OPERANDS];
    for (int64_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < lanes->arity; i++) {
            bool is_scalar = hlo_shape_elements(operands[i]->shape) != n;
            int64_t bytes = hlo_types[lanes->operands[i]].bytes;
            in[i] = (const char *)operands[i]->data + (is_scalar ? 0 : k) * bytes;
        }
        lanes->run(lanes, (char *)out->data + k * hlo_types[lanes->to].bytes, in, 1);
    }
}

static bool run_elementwise(hlo_call *call) {
    hlo_value *operands[HLO_LANES_MAX_OPERANDS];
    int64_t *sizes = hlo_joint_sizes(call);
    bool ok = hlo_stretch_operands(call, sizes, operands);
    if (ok) compute(call->state, call->out, operands);
    for (uint32_t i = 0; ok && i < call->count; i++) hlo_value_release(operands[i]);
    call->out->sizes = sizes;
    return ok;
}

const hlo_kernel hlo_plain_unary = {prepare, run_elementwise};
const hlo_kernel hlo_plain_binary = {prepare, run_elementwise};
const hlo_kernel hlo_plain_compare = {prepare, run_elementwise};
const hlo_kernel hlo_plain_select = {prepare, run_elementwise};
const hlo_kernel hlo_plain_clamp = {prepare, run_elementwise};
const hlo_kernel hlo_plain_convert = {prepare, run_elementwise};
const hlo_kernel hlo_plain_reduce_precision = {prepare, run_elementwise};
const hlo_kernel hlo_plain_stochastic_convert = {prepare, run_elementwise};
const hlo_kernel hlo_plain_is_finite = {prepare, run_elementwise};
const hlo_kernel hlo_plain_real = {prepare, run_elementwise};
const hlo_kernel hlo_plain_imag = {prepare, run_elementwise};
const hlo_kernel hlo_plain_complex = {prepare, run_elementwise};
