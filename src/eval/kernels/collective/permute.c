/* Kernels of collective-permute, its start and end: messages from device to device, of whole
 * operands or, in place, of slices of buffers. */
#include "eval/kernels/collective/collective.h"
#include "eval/kernels/collective/permute_slices.h"

typedef struct {
    hlo_collective collective;
    const hlo_int_lists *slice_sizes; /* NULL: whole operands move */
    const hlo_shape *sent;            /* of what a message holds: an operand, or all of them */
} permute_state;

/* ---- preparing ---- */

static const hlo_shape *shape_of_message(hlo_preparation *p) {
    uint32_t n = p->instr->operand_count;
    if (n == 1) return hlo_operand(p->instr, 0)->shape;
    const hlo_shape **shapes = HLO_NEW_ARRAY(p->arena, const hlo_shape *, n);
    for (uint32_t i = 0; i < n; i++) shapes[i] = hlo_operand(p->instr, i)->shape;
    return hlo_shape_tuple(hlo_prepare_shapes(p), shapes, n);
}

static hlo_collective_body permuted;

static bool prepare_permutation(hlo_preparation *p) {
    const hlo_attr *sizes = hlo_instr_attr(p->instr, HLO_ATTR_PERMUTE_SLICE_SIZES);
    permute_state *state = HLO_NEW_STATE(p, permute_state);
    if (!hlo_prepare_collective(p, &state->collective, permuted)) return false;
    state->slice_sizes = sizes ? sizes->u.int_lists : NULL;
    state->sent = shape_of_message(p);
    if (state->collective.is_alone &&
        !hlo_prepare_exchange(p, p->instr, &state->collective.exchange))
        return false;
    return !sizes || hlo_prepare_slice_offsets(p);
}

static bool prepare_permutation_start(hlo_preparation *p) {
    return hlo_prepare_start_parts(p) && prepare_permutation(p);
}

/* ---- messages ---- */

/* All operands as one value. */
static hlo_value *message_of(hlo_call *call) {
    const permute_state *state = call->state;
    if (call->count == 1) return hlo_value_retain(call->in[0]);
    for (uint32_t i = 0; i < call->count; i++) hlo_value_retain(call->in[i]);
    return hlo_value_tuple(state->sent, call->in);
}

/* To each of the targets but the device itself. */
static bool send_to_targets(hlo_call *call) {
    const permute_state *state = call->state;
    const hlo_device_exchange *exchange = &state->collective.exchange;
    uint32_t own = hlo_call_device(call);
    hlo_value *message = message_of(call);
    bool good = message;
    for (uint32_t i = 0; i < exchange->pairs->count && good; i++) {
        uint32_t to = hlo_pair_target(exchange->pairs, i, own);
        if (to != HLO_NO_GROUP && to != own)
            good = hlo_call_send_to(call, exchange, HLO_MESSAGE_DATA, to, message);
    }
    hlo_value_release(message);
    return good;
}

/* What the source of pair i sends, `own` when it is the device itself. NULL after an error. */
static hlo_value *receive(hlo_call *call, const hlo_device_exchange *exchange, uint32_t source,
                          hlo_value *own) {
    hlo_value *message;
    if (source == hlo_call_device(call)) return hlo_value_retain(own);
    return hlo_call_receive_from(call, exchange, HLO_MESSAGE_DATA, source, &message) ? message
                                                                                     : NULL;
}

/* ---- whole operands ---- */

/* A device without a source gets zeros. */
static hlo_value *receive_whole(hlo_call *call, const permute_state *state, const hlo_shape *shape,
                                hlo_value *own) {
    const hlo_device_exchange *exchange = &state->collective.exchange;
    uint32_t device = hlo_call_device(call);
    for (uint32_t i = 0; i < exchange->pairs->count; i++) {
        uint32_t source = hlo_pair_source(exchange->pairs, i, device);
        if (source != HLO_NO_GROUP) return receive(call, exchange, source, own);
    }
    return hlo_call_zeros(call, shape);
}

/* ---- slices ---- */

/* Which slice pair i moves: as many as the sender has pairs before it. */
static uint32_t slice_of(const hlo_device_pairs *pairs, uint32_t i) {
    uint32_t slice = 0;
    for (uint32_t k = 0; k < i; k++) slice += pairs->pairs[k][0] == pairs->pairs[i][0];
    return slice;
}

static void copy_elements(hlo_value *to, const hlo_value *from) {
    if (to->data) memcpy(to->data, from->data, (size_t)hlo_shape_bytes(to->shape));
    for (uint32_t i = 0; to->elements && i < to->shape->rank; i++)
        copy_elements(to->elements[i], from->elements[i]);
}

static bool receive_slices(hlo_call *call, hlo_value *own, hlo_value *out) {
    const permute_state *state = call->state;
    const hlo_device_exchange *exchange = &state->collective.exchange;
    for (uint32_t i = 0; i < exchange->pairs->count; i++) {
        uint32_t source = hlo_pair_source(exchange->pairs, i, hlo_call_device(call));
        if (source == HLO_NO_GROUP) continue;
        hlo_value *message = receive(call, exchange, source, own);
        bool good = message && hlo_take_slice(call, state->slice_sizes, message,
                                              slice_of(exchange->pairs, i), out);
        hlo_value_release(message);
        if (!good) return false;
    }
    return true;
}

/* Operands: input, output, offsets in the input, offsets in the output; buffers may be tuples. The
 * result is the output with slices of inputs. NULL after an error. */
static hlo_value *permuted_in_place(hlo_call *call) {
    const permute_state *state = call->state;
    hlo_value *out = hlo_call_new(call, call->in[1]->shape), *own = message_of(call);
    bool good = out && own;
    if (good) copy_elements(out, call->in[1]);
    good = good && hlo_take_slice(call, state->slice_sizes, own, HLO_NO_SLICE, out) &&
           receive_slices(call, own, out);
    hlo_value_release(own);
    if (good) return out;
    hlo_value_release(out);
    return NULL;
}

/* ---- the kernels ---- */

/* What comes for a start, at its end: `call` is that of the end, whose operand holds the start's.
 */
static hlo_value *permuted(hlo_call *call, const void *state, hlo_meeting *meeting,
                           const hlo_shape *shape) {
    (void)meeting;
    return receive_whole(call, state, shape, call->in[0]->elements[0]);
}

static hlo_value *permute(hlo_call *call, const hlo_shape *shape) {
    const permute_state *state = call->state;
    if (!send_to_targets(call)) return NULL;
    if (state->slice_sizes) return permuted_in_place(call);
    hlo_value *own = message_of(call);
    hlo_value *result = own ? receive_whole(call, state, shape, own) : NULL;
    hlo_value_release(own);
    return result;
}

static bool run_collective_permute(hlo_call *call) {
    return hlo_call_give(call, permute(call, call->shape));
}

const hlo_kernel hlo_kernel_collective_permute = {prepare_permutation, run_collective_permute};

/* The data is received at the end; but slices, and what a device sends to itself, at once. */
static bool run_collective_permute_start(hlo_call *call) {
    const permute_state *state = call->state;
    bool at_once = state->slice_sizes || state->collective.is_alone;
    if (!at_once && !send_to_targets(call)) return false;
    if (!at_once) hlo_call_start(call, state, NULL);
    const hlo_shape *shape = call->shape->elements[1];
    hlo_value *result = at_once ? permute(call, shape) : hlo_call_new(call, shape);
    if (!result) return false;
    hlo_value *operands = state->slice_sizes ? hlo_value_retain(call->in[0])
                                             : hlo_operands_as(call, call->shape->elements[0]);
    if (operands) return hlo_give_start(call, operands, result);
    hlo_value_release(result);
    return false;
}

const hlo_kernel hlo_kernel_collective_permute_start = {prepare_permutation_start,
                                                        run_collective_permute_start};
const hlo_kernel hlo_kernel_collective_permute_done = {hlo_prepare_done, hlo_run_done};
