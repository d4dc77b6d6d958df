/* Collectives of a run on one device: what one device exchanges with itself. Called through the
 * kernel table. */
#include "eval/kernel.h"
#include "eval/kernels/strides.h"

/* One device gives itself its own operands: results are made of them. */
static bool prepare_alone(hlo_preparation *p) {
    p->result = HLO_RESULT_VIEW;
    return p->devices == 1 ||
           hlo_prepare_error(p, HLO_RULE_RUN,
                             "exchanges data between devices; only one is supported");
}

/* The operands as a value of `shape`: the only one, or all of them as a tuple. NULL after an error.
 */
static hlo_value *operands_as(hlo_call *call, const hlo_shape *shape) {
    uint32_t n = call->count;
    bool is_tuple = hlo_shape_is_tuple(shape);
    bool fits = is_tuple ? shape->rank == n : n == 1;
    for (uint32_t i = 0; i < n && fits; i++)
        fits = hlo_shape_compatible(is_tuple ? shape->elements[i] : shape, call->in[i]->shape);
    if (!fits) {
        hlo_call_error(call, "has a result that requires more than one device");
        return NULL;
    }
    if (!is_tuple) return hlo_value_retain(call->in[0]);
    for (uint32_t i = 0; i < n; i++) hlo_value_retain(call->in[i]);
    return hlo_value_tuple(shape, call->in);
}

static bool run_exchange(hlo_call *call) {
    return hlo_call_give(call, operands_as(call, call->shape));
}

/* The last operand may say who sends, which is the one device here: that is no part of the result.
 */
static bool prepare_broadcast(hlo_preparation *p) {
    static const uint32_t one_operand = 1;
    if (hlo_attr_int(p->instr, HLO_ATTR_HAS_DYNAMIC_ROOT)) p->state = &one_operand;
    return prepare_alone(p);
}

static bool run_broadcast(hlo_call *call) {
    const uint32_t *roots = call->state;
    if (roots) call->count -= *roots;
    return run_exchange(call);
}

/* ---- start and done ---- */

static bool prepare_start(hlo_preparation *p) {
    if (!prepare_alone(p)) return false;
    return (hlo_shape_is_tuple(p->instr->shape) && p->instr->shape->rank >= 2) ||
           hlo_prepare_error(p, HLO_RULE_RUN,
                             "has a result that is not (operands, result, contexts ...)");
}

/* (operands, result, contexts ...) of a start; takes over both references, which may be NULL. */
static bool give_start(hlo_call *call, hlo_value *operands, hlo_value *result) {
    const hlo_shape *shape = call->shape;
    hlo_value **parts = hlo_malloc(shape->rank * sizeof *parts);
    parts[0] = operands;
    parts[1] = result;
    for (uint32_t i = 2; i < shape->rank; i++) parts[i] = hlo_call_zeros(call, shape->elements[i]);
    bool good = hlo_call_give(call, hlo_value_tuple(shape, parts));
    hlo_free(parts);
    return good;
}

static bool run_done(hlo_call *call) {
    const hlo_value *started = call->in[0];
    if (started->elements && started->shape->rank >= 2)
        return hlo_call_give(call, hlo_value_retain(started->elements[1]));
    return hlo_call_error(call, "has an operand that is not (operands, result, contexts ...)");
}

static bool run_all_gather_start(hlo_call *call) {
    hlo_value *result = operands_as(call, call->shape->elements[1]);
    hlo_value *operands = result ? operands_as(call, call->shape->elements[0]) : NULL;
    if (operands) return give_start(call, operands, result);
    hlo_value_release(result);
    return false;
}

static bool run_all_reduce_done(hlo_call *call) {
    return hlo_call_give(call, hlo_value_retain(call->in[0]));
}

const hlo_kernel hlo_kernel_all_reduce = {prepare_alone, run_exchange};
const hlo_kernel hlo_kernel_all_reduce_start = {prepare_alone, run_exchange};
const hlo_kernel hlo_kernel_all_reduce_done = {NULL, run_all_reduce_done};
const hlo_kernel hlo_kernel_all_gather = {prepare_alone, run_exchange};
const hlo_kernel hlo_kernel_all_gather_start = {prepare_start, run_all_gather_start};
const hlo_kernel hlo_kernel_all_gather_done = {NULL, run_done};
const hlo_kernel hlo_kernel_all_to_all = {prepare_alone, run_exchange};
const hlo_kernel hlo_kernel_reduce_scatter = {prepare_alone, run_exchange};
const hlo_kernel hlo_kernel_collective_broadcast = {prepare_broadcast, run_broadcast};
const hlo_kernel hlo_kernel_collective_permute_done = {NULL, run_done};

/* ---- collective-permute ---- */

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

typedef struct {
    const hlo_int_lists *slice_sizes; /* NULL: whole operands move */
    uint32_t moves;                   /* pairs of the device with itself */
} permute_state;

static bool prepare_permutation(hlo_preparation *p) {
    const hlo_attr *sizes = hlo_instr_attr(p->instr, HLO_ATTR_PERMUTE_SLICE_SIZES);
    const hlo_attr *pairs = hlo_instr_attr(p->instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    permute_state *state = HLO_NEW_STATE(p, permute_state);
    state->slice_sizes = sizes ? sizes->u.int_lists : NULL;
    state->moves = pairs ? pairs->u.int_lists->n : 0;
    p->state = state;
    return prepare_alone(p) && (!sizes || check_offsets(p));
}

static bool prepare_permutation_start(hlo_preparation *p) {
    return prepare_start(p) && prepare_permutation(p);
}

/* One input, one output, and offsets in both. */
typedef struct {
    const hlo_value *from, *from_at, *to_at;
    hlo_value *to;
} permuted_buffer;

/* The k-th pair of the device with itself moves slice k. *used counts entries of slice_sizes. */
static bool permute_buffer(hlo_call *call, const permuted_buffer *b, uint32_t *used) {
    const permute_state *state = call->state;
    const hlo_int_lists *sizes = state->slice_sizes;
    const hlo_value *from_at = b->from_at, *to_at = b->to_at;
    bool has_many = have_many(from_at->shape);
    uint32_t slices = has_many ? from_at->shape->rank : 1;
    for (uint32_t k = 0; k < slices; k++, ++*used) {
        if (*used >= sizes->n || !slice_fits(b->to, b->from, sizes->v[*used]))
            return hlo_call_error(call, "has slices outside of its buffers");
        if (k < state->moves)
            copy_slice(b->to, has_many ? to_at->elements[k] : to_at, b->from,
                       has_many ? from_at->elements[k] : from_at, sizes->v[*used]);
    }
    return true;
}

static void copy_elements(hlo_value *to, const hlo_value *from) {
    if (to->data) memcpy(to->data, from->data, (size_t)hlo_shape_bytes(to->shape));
    for (uint32_t i = 0; to->elements && i < to->shape->rank; i++)
        copy_elements(to->elements[i], from->elements[i]);
}

/* Operands: input, output, offsets in the input, offsets in the output; buffers may be tuples. The
 * result is the output with slices of the input. NULL after an error. */
static hlo_value *permuted_in_place(hlo_call *call) {
    hlo_value *const *in = call->in;
    bool is_tuple = in[0]->elements != NULL, good = true;
    uint32_t used = 0, buffers = is_tuple ? in[0]->shape->rank : 1;
    hlo_value *out = hlo_call_new(call, in[1]->shape);
    if (!out) return NULL;
    copy_elements(out, in[1]);
    for (uint32_t i = 0; good && i < buffers; i++) {
        permuted_buffer b = {in[0], in[2], in[3], out};
        if (is_tuple)
            b = (permuted_buffer){in[0]->elements[i], in[2]->elements[i], in[3]->elements[i],
                                  out->elements[i]};
        good = permute_buffer(call, &b, &used);
    }
    if (good) return out;
    hlo_value_release(out);
    return NULL;
}

/* A device without a source gets zeros. */
static hlo_value *permuted(hlo_call *call, const hlo_shape *shape) {
    const permute_state *state = call->state;
    if (state->slice_sizes) return permuted_in_place(call);
    return state->moves ? operands_as(call, shape) : hlo_call_zeros(call, shape);
}

static bool run_collective_permute(hlo_call *call) {
    return hlo_call_give(call, permuted(call, call->shape));
}

const hlo_kernel hlo_kernel_collective_permute = {prepare_permutation, run_collective_permute};

static bool run_collective_permute_start(hlo_call *call) {
    const permute_state *state = call->state;
    hlo_value *result = permuted(call, call->shape->elements[1]);
    if (!result) return false;
    hlo_value *operands = state->slice_sizes ? hlo_value_retain(call->in[0])
                                             : operands_as(call, call->shape->elements[0]);
    if (operands) return give_start(call, operands, result);
    hlo_value_release(result);
    return false;
}

const hlo_kernel hlo_kernel_collective_permute_start = {prepare_permutation_start,
                                                        run_collective_permute_start};

/* ---- ragged-all-to-all ---- */

/* Rows are what lies along all dimensions but the first. */
static bool have_same_rows(const hlo_shape *a, const hlo_shape *b) {
    bool same = a->type == b->type && a->rank == b->rank && a->rank;
    for (uint32_t d = 1; same && d < a->rank; d++) same = a->dims[d] == b->dims[d];
    return same;
}

/* The result is memory of its own. XLA's verifier compares neither rows nor types. */
static bool prepare_ragged(hlo_preparation *p) {
    const hlo_shape *data = hlo_operand(p->instr, 0)->shape, *to = hlo_operand(p->instr, 1)->shape;
    const hlo_shape *offsets = hlo_operand(p->instr, 2)->shape;
    if (!prepare_alone(p)) return false;
    p->result = HLO_RESULT_FRESH;
    if (!have_same_rows(data, to))
        return hlo_prepare_error(p, HLO_RULE_RUN, "sends rows of %s to %s, which has other rows",
                                 hlo_shape_name(p->arena, data), hlo_shape_name(p->arena, to));
    return hlo_type_is_integral((hlo_type)offsets->type) ||
           hlo_prepare_error(p, HLO_RULE_RAGGED_OFFSETS,
                             "has %s as offsets, which must be integers",
                             hlo_shape_name(p->arena, offsets));
}

/* Operands: data, target, input offsets, send sizes, output offsets, receive sizes. Rows of the
 * data go to rows of the target. */
static bool run_ragged_all_to_all(hlo_call *call) {
    hlo_value *const *in = call->in, *out = call->out;
    const hlo_shape *from = in[0]->shape, *to = in[1]->shape;
    copy_elements(out, in[1]);
    if (!from->dims[0] || !hlo_shape_elements(to)) return true;
    int64_t row = hlo_shape_elements(from) / from->dims[0] * hlo_element_bytes(from);
    for (int64_t i = 0; i < hlo_shape_elements(in[2]->shape); i++) {
        int64_t source = hlo_index_at(in[2], i), n = hlo_index_at(in[3], i);
        int64_t target = hlo_index_at(in[4], i);
        if (n < 0 || source < 0 || target < 0 || source > from->dims[0] - n ||
            target > to->dims[0] - n)
            return hlo_call_error(call, "sends or receives rows that its operands do not have");
        memcpy((char *)out->data + target * row, (const char *)in[0]->data + source * row,
               (size_t)(n * row));
    }
    return true;
}

const hlo_kernel hlo_kernel_ragged_all_to_all = {prepare_ragged, run_ragged_all_to_all};
