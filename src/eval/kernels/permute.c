/* Kernels of collective-permute, its start and end: messages from device to device, of whole
 * operands or, in place, of slices of buffers. Called through the kernel table. */
#include "eval/kernels/collective.h"
#include "eval/kernels/strides.h"

typedef struct {
    hlo_collective collective;
    const hlo_int_lists *slice_sizes; /* NULL: whole operands move */
    const hlo_shape *sent;            /* of what a message holds: an operand, or all of them */
} permute_state;

/* ---- slices of buffers ---- */

/* Copies a box of `sizes` between two arrays; offsets are tuples of scalars, clamped so that the
 * box fits. */
static void copy_slice(hlo_value *to, const hlo_value *to_offsets, const hlo_value *from,
                       const hlo_value *from_offsets, const hlo_ints *sizes) {
    uint32_t bytes = hlo_element_bytes(to->shape);
    int64_t *to_strides = hlo_new_strides(to->shape, bytes);
    int64_t *from_strides = hlo_new_strides(from->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < sizes->n; d++) {
        int64_t size = sizes->v[d];
        int64_t there = hlo_index_at(to_offsets->elements[d], 0);
        int64_t here = hlo_index_at(from_offsets->elements[d], 0);
        walk.at[0] += hlo_clamp_index(there, 0, to->shape->dims[d] - size) * to_strides[d];
        walk.at[1] += hlo_clamp_index(here, 0, from->shape->dims[d] - size) * from_strides[d];
        hlo_walk_dim2(&walk, size, to_strides[d], from_strides[d]);
    }
    hlo_copy_walk(&walk, to->data, from->data, bytes);
    hlo_free(to_strides);
    hlo_free(from_strides);
}

static bool slice_fits(const hlo_value *to, const hlo_value *from, const hlo_ints *sizes) {
    bool fits = sizes->n == to->shape->rank && sizes->n == from->shape->rank &&
                to->shape->type == from->shape->type;
    for (uint32_t d = 0; fits && d < sizes->n; d++)
        fits = sizes->v[d] >= 0 && sizes->v[d] <= to->shape->dims[d] &&
               sizes->v[d] <= from->shape->dims[d];
    return fits;
}

/* ---- preparing ---- */

/* Offsets are one tuple, or a tuple of them with one slice each. */
static bool have_many(const hlo_shape *offsets) {
    return offsets->rank && hlo_shape_is_tuple(offsets->elements[0]);
}

/* A tuple with an integer for each dimension of the buffer. */
static bool is_offset(const hlo_shape *shape, const hlo_shape *buffer) {
    if (!hlo_shape_is_tuple(shape) || shape->rank != buffer->rank) return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!hlo_shape_is_scalar(shape->elements[i]) ||
            !hlo_type_is_integral((hlo_type)shape->elements[i]->type))
            return false;
    return true;
}

/* Offsets in the buffer, as many as those in the input. */
static bool are_offsets(const hlo_shape *offsets, const hlo_shape *buffer,
                        const hlo_shape *in_input) {
    if (!have_many(in_input)) return is_offset(offsets, buffer);
    if (!hlo_shape_is_tuple(offsets) || offsets->rank != in_input->rank) return false;
    for (uint32_t i = 0; i < offsets->rank; i++)
        if (!is_offset(offsets->elements[i], buffer)) return false;
    return true;
}

/* The verifier, like XLA's, counts offsets and does not look at what they are. */
static bool check_offsets(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    uint32_t buffers = hlo_shape_part_count(hlo_operand(instr, 0)->shape);
    for (uint32_t i = 0; i < 2 * buffers; i++) {
        const hlo_shape *buffer = hlo_shape_part(hlo_operand(instr, i % 2)->shape, i / 2);
        const hlo_shape *in_input = hlo_operand(instr, 2)->shape, *offsets = in_input;
        if (i % 2) offsets = hlo_operand(instr, 3)->shape;
        if (hlo_shape_is_tuple(hlo_operand(instr, 0)->shape)) {
            in_input = in_input->elements[i / 2];
            offsets = offsets->elements[i / 2];
        }
        if (!are_offsets(offsets, buffer, in_input))
            return hlo_prepare_error(p, HLO_RULE_PERMUTE_BUFFERS,
                                     "has %s as offsets in %s, not an integer for each dimension "
                                     "of every slice",
                                     hlo_shape_name(p->arena, offsets),
                                     hlo_shape_name(p->arena, buffer));
    }
    return true;
}

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
    return !sizes || check_offsets(p);
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
static bool send(hlo_call *call) {
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

/* One input, one output, and offsets in both. */
typedef struct {
    const hlo_value *from, *from_at, *to_at;
    hlo_value *to;
} permuted_buffer;

/* Checks slice k, and copies it when it moves. */
static bool move_slice(hlo_call *call, const permuted_buffer *b, const hlo_ints *sizes, uint32_t k,
                       bool moves) {
    bool has_many = have_many(b->from_at->shape);
    if (!slice_fits(b->to, b->from, sizes))
        return hlo_call_error(call, "has slices outside of its buffers");
    if (moves)
        copy_slice(b->to, has_many ? b->to_at->elements[k] : b->to_at, b->from,
                   has_many ? b->from_at->elements[k] : b->from_at, sizes);
    return true;
}

/* The slice of number `slice` moves. *used counts entries of slice_sizes. */
static bool permute_buffer(hlo_call *call, const permuted_buffer *b, uint32_t slice,
                           uint32_t *used) {
    const permute_state *state = call->state;
    const hlo_int_lists *sizes = state->slice_sizes;
    uint32_t slices = have_many(b->from_at->shape) ? b->from_at->shape->rank : 1;
    for (uint32_t k = 0; k < slices; k++, ++*used) {
        if (*used >= sizes->n) return hlo_call_error(call, "has slices outside of its buffers");
        if (!move_slice(call, b, sizes->v[*used], k, k == slice)) return false;
    }
    return true;
}

/* The slice that a message is for, in all of its buffers. Where it comes from and goes to is what
 * the sender says. */
static bool take_slice(hlo_call *call, const hlo_value *message, uint32_t slice, hlo_value *out) {
    hlo_value *const *in = message->elements;
    uint32_t used = 0, buffers = in[0]->elements ? in[0]->shape->rank : 1;
    bool good = true;
    for (uint32_t i = 0; good && i < buffers; i++) {
        permuted_buffer b = {in[0], in[2], in[3], out};
        if (in[0]->elements)
            b = (permuted_buffer){in[0]->elements[i], in[2]->elements[i], in[3]->elements[i],
                                  out->elements[i]};
        good = permute_buffer(call, &b, slice, &used);
    }
    return good;
}

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
        bool good = message && take_slice(call, message, slice_of(exchange->pairs, i), out);
        hlo_value_release(message);
        if (!good) return false;
    }
    return true;
}

/* Operands: input, output, offsets in the input, offsets in the output; buffers may be tuples. The
 * result is the output with slices of inputs. NULL after an error. */
static hlo_value *permuted_in_place(hlo_call *call) {
    hlo_value *out = hlo_call_new(call, call->in[1]->shape), *own = message_of(call);
    bool good = out && own;
    if (good) copy_elements(out, call->in[1]);
    good = good && take_slice(call, own, UINT32_MAX, out) && receive_slices(call, own, out);
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
    if (!send(call)) return NULL;
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
    if (!at_once && !send(call)) return false;
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
