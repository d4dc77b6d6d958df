/* Kernels that give the same bits another shape: reshape, bitcast, bitcast-convert; and the
 * run-time sizes of dimensions. */
#include "eval/kernel/dynamic.h"
#include "eval/kernel/lanes.h"
#include "eval/kernel/strides.h"
#include "shape/reshape_groups.h"

/* ---- reshape ---- */

static bool is_short_group(const hlo_value *from, const hlo_reshape_group *group) {
    for (uint32_t d = group->from; d < group->from_end; d++)
        if (from->sizes[d] != from->shape->dims[d]) return true;
    return false;
}

/* The run-time sizes of a group of the result; false when they do not come out even. *moves is set
 * when live elements move: they stay together only while just outermost dimensions are short. */
static bool reshape_group(const hlo_value *from, const hlo_shape *to,
                          const hlo_reshape_group *group, int64_t *sizes, bool *moves) {
    if (!is_short_group(from, group)) return true;
    uint32_t f = group->from, t = hlo_reshape_taker(to, group);
    if (t >= group->to_end) return false;
    int64_t live = 1, others = 1;
    for (uint32_t d = group->from; d < group->from_end; d++) live *= from->sizes[d];
    for (uint32_t d = group->to; d < group->to_end; d++)
        if (d != t) others *= to->dims[d];
    if (others == 0 || live % others) return false;
    sizes[t] = live / others;
    while (f + 1 < group->from_end && from->shape->dims[f] == 1) f++;
    for (uint32_t d = f + 1; d < group->from_end; d++)
        *moves |= from->sizes[d] != from->shape->dims[d];
    for (uint32_t d = group->to; d < t; d++) *moves |= to->dims[d] != 1;
    return true;
}

static bool reshape_sizes(hlo_value *result, const hlo_value *from, bool *moves) {
    if (hlo_shape_elements(from->shape) == 0) return true;
    int64_t *sizes = hlo_result_sizes(result);
    hlo_reshape_group group = {0};
    while (hlo_reshape_next_group(from->shape, result->shape, &group))
        if (!reshape_group(from, result->shape, &group, sizes, moves)) return false;
    return true;
}

/* A view as long as live elements stay where they are; else a copy that moves them together. */
static bool run_reshape(hlo_call *call) {
    hlo_value *from = call->in[0], *view = hlo_value_view(from, call->shape);
    call->out = view;
    if (!view || !from->sizes || hlo_shape_compatible(from->shape, call->shape)) return view;
    bool moves = false;
    if (!reshape_sizes(view, from, &moves)) return hlo_call_error(call, "mixes dynamic dimensions");
    if (!moves) return true;
    call->out = hlo_call_zeros(call, call->shape);
    if (call->out) {
        hlo_value_copy_sizes(call->out, view);
        hlo_repack(call->out, from);
    }
    hlo_value_release(view);
    return call->out;
}

const hlo_kernel hlo_kernel_reshape = {NULL, run_reshape};

/* ---- bitcast: the physical order stays ---- */

/* Whether the logical order is the physical order. */
static bool is_row_major(const hlo_shape *shape) {
    for (uint32_t k = 0; k < shape->rank; k++)
        if (shape->layout->minor_to_major[k] != (int64_t)(shape->rank - 1 - k)) return false;
    return true;
}

/* Copies elements between logical order (`logical`) and physical order (the other array). */
static void permute(const hlo_shape *shape, void *to, const void *from, bool to_is_logical) {
    if (hlo_shape_elements(shape) == 0) return;
    uint32_t bytes = hlo_element_bytes(shape);
    int64_t *strides = hlo_new_strides(shape, bytes), distance = bytes;
    int64_t *physical = hlo_new_strides(shape, bytes);
    for (uint32_t k = 0; k < shape->rank; k++) {
        int64_t d = shape->layout->minor_to_major[k];
        physical[d] = distance;
        distance *= shape->dims[d];
    }
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t k = shape->rank; k-- > 0;) {
        int64_t d = shape->layout->minor_to_major[k];
        hlo_walk_dim2(&walk, shape->dims[d], to_is_logical ? strides[d] : physical[d],
                      to_is_logical ? physical[d] : strides[d]);
    }
    hlo_copy_walk(&walk, to, from, bytes);
    hlo_free(strides);
    hlo_free(physical);
}

static bool has_same_layout(const hlo_shape *a, const hlo_shape *b) {
    if (a->rank != b->rank) return false;
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k] ||
            a->layout->minor_to_major[k] != b->layout->minor_to_major[k])
            return false;
    return true;
}

/* ---- elements as one string of bits ---- */

/* Elements of `bits` bits each are copied from separate bytes to a dense string of bits or back;
 * the first element has the lowest bits. */
static void pack_bits(uint8_t *dense, const uint8_t *elements, int64_t count, unsigned bits) {
    memset(dense, 0, (size_t)((count * bits + 7) / 8));
    for (int64_t k = 0; k < count * bits; k++)
        dense[k / 8] |= (uint8_t)((elements[k / bits] >> (k % bits) & 1) << (k % 8));
}

static void unpack_bits(uint8_t *elements, const uint8_t *dense, int64_t count, unsigned bits) {
    memset(elements, 0, (size_t)count);
    for (int64_t k = 0; k < count * bits; k++)
        elements[k / bits] |= (uint8_t)((dense[k / 8] >> (k % 8) & 1) << (k % bits));
}

/* INT64_MAX for arrays that are too large to run anyway. */
static int64_t bits_of(const hlo_shape *shape) {
    int64_t bits;
    return __builtin_mul_overflow(hlo_shape_elements(shape), hlo_types[shape->type].bits, &bits)
               ? INT64_MAX
               : bits;
}

/* The bits of elements of one shape as elements of another, which takes as many; one of them is
 * below a byte. `dense` has space for the bits when it is the first. */
static void repack_bits(void *to, const hlo_shape *to_shape, const void *from,
                        const hlo_shape *from_shape, uint8_t *dense) {
    unsigned from_bits = hlo_types[from_shape->type].bits, to_bits = hlo_types[to_shape->type].bits;
    int64_t count = hlo_shape_elements(to_shape);
    const uint8_t *bits = from;
    if (from_bits < 8) pack_bits(dense, from, hlo_shape_elements(from_shape), from_bits);
    if (from_bits < 8) bits = dense;
    if (to_bits < 8) unpack_bits(to, bits, count, to_bits);
    else memcpy(to, bits, (size_t)count * hlo_types[to_shape->type].bytes);
    hlo_extend_elements((hlo_type)to_shape->type, to, (size_t)count);
}

/* Whether elements of both types are bytes in memory one after the other. */
static bool are_whole_bytes(const hlo_shape *a, const hlo_shape *b) {
    return hlo_types[a->type].bits >= 8 && hlo_types[b->type].bits >= 8;
}

static bool check_bits(hlo_preparation *p) {
    const hlo_shape *from = hlo_operand(p->instr, 0)->shape;
    if (hlo_shape_is_array(from) && hlo_shape_is_array(p->instr->shape) &&
        bits_of(from) == bits_of(p->instr->shape))
        return true;
    return hlo_prepare_error(p, HLO_RULE_RUN, "has a result of a different size than its operand");
}

/* What a bitcast does between operand and result, one after the other; none: it is a view. */
typedef struct {
    const hlo_shape *from;
    bool orders; /* the operand's elements, by its layout */
    bool packs;  /* bits, where elements of a type are below a byte */
    bool places; /* the result's elements, by its layout */
    size_t ordered_bytes, placed_bytes;
} bitcast_state;

static size_t array_bytes(const hlo_shape *shape) {
    return ((size_t)hlo_shape_bytes(shape) + 63) / 64 * 64;
}

static bool prepare_bitcast(hlo_preparation *p) {
    const hlo_shape *from = hlo_operand(p->instr, 0)->shape, *to = p->instr->shape;
    bitcast_state *state = HLO_NEW_STATE(p, bitcast_state);
    p->state = state;
    state->from = from;
    if (hlo_shape_is_tuple(from) && hlo_shape_compatible(from, to)) return true;
    if (!check_bits(p)) return false;
    if (from->type == to->type && has_same_layout(from, to)) return true;
    state->orders = !is_row_major(from);
    state->packs = from->type != to->type && !are_whole_bytes(from, to);
    state->places = !is_row_major(to);
    if (!state->orders && !state->packs && !state->places) return true;
    p->result = HLO_RESULT_FRESH;
    if (state->orders && (state->packs || state->places)) state->ordered_bytes = array_bytes(from);
    if (state->packs && state->places) state->placed_bytes = array_bytes(to);
    p->scratch_bytes = state->ordered_bytes + state->placed_bytes;
    if (state->packs) p->scratch_bytes += (size_t)(bits_of(from) / 8 + 1);
    return true;
}

static bool run_bitcast(hlo_call *call) {
    const bitcast_state *state = call->state;
    hlo_value *operand = call->in[0], *out = call->out;
    if (!out && hlo_shape_is_tuple(call->shape))
        return hlo_call_give(call, hlo_value_retain(operand));
    if (!out && state->from->type == call->shape->type && has_same_layout(state->from, call->shape))
        return hlo_call_give(call, hlo_value_view(operand, call->shape));
    if (!out) return hlo_call_give(call, hlo_value_alias(operand, call->shape));
    const void *data = operand->data;
    char *ordered = call->scratch, *placed = ordered + state->ordered_bytes;
    if (state->orders) {
        void *to = state->ordered_bytes ? ordered : out->data;
        permute(state->from, to, data, false);
        data = to;
    }
    if (state->packs) {
        void *to = state->placed_bytes ? placed : out->data;
        repack_bits(to, call->shape, data, state->from, (uint8_t *)placed + state->placed_bytes);
        data = to;
    }
    if (state->places) permute(call->shape, out->data, data, true);
    return true;
}

const hlo_kernel hlo_kernel_bitcast = {prepare_bitcast, run_bitcast};

/* A narrower result has one more dimension, the innermost, and a wider one has one less. */
static bool prepare_bitcast_convert(hlo_preparation *p) {
    const hlo_shape *from = hlo_operand(p->instr, 0)->shape;
    if (!check_bits(p)) return false;
    if (are_whole_bytes(from, p->instr->shape)) return true;
    p->result = HLO_RESULT_FRESH;
    p->scratch_bytes = (size_t)(bits_of(from) / 8 + 1);
    return true;
}

static bool run_bitcast_convert(hlo_call *call) {
    hlo_value *operand = call->in[0];
    if (call->out)
        repack_bits(call->out->data, call->shape, operand->data, operand->shape, call->scratch);
    else call->out = hlo_value_alias(operand, call->shape);
    if (call->out && operand->shape->rank == call->shape->rank)
        hlo_value_copy_sizes(call->out, operand);
    return call->out;
}

const hlo_kernel hlo_kernel_bitcast_convert = {prepare_bitcast_convert, run_bitcast_convert};

/* ---- run-time sizes ---- */

typedef struct {
    uint32_t dimension;
} dimension_state;

/* The one dimension that the attribute names. */
static bool prepare_dimension(hlo_preparation *p) {
    const hlo_ints *dims = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    const hlo_shape *shape = hlo_operand(p->instr, 0)->shape;
    if (dims->n != 1 || !hlo_shape_is_array(shape) || dims->v[0] < 0 || dims->v[0] >= shape->rank)
        return hlo_prepare_error(p, HLO_RULE_RUN, "does not name one dimension of its operand");
    dimension_state *state = HLO_NEW_STATE(p, dimension_state);
    state->dimension = (uint32_t)dims->v[0];
    p->state = state;
    return true;
}

static bool run_get_dimension_size(hlo_call *call) {
    const dimension_state *state = call->state;
    int32_t size = (int32_t)hlo_value_size(call->in[0], state->dimension);
    hlo_value_clear(call->out);
    memcpy(call->out->data, &size, sizeof size);
    return true;
}

const hlo_kernel hlo_kernel_get_dimension_size = {prepare_dimension, run_get_dimension_size};

static bool run_set_dimension_size(hlo_call *call) {
    uint32_t d = ((const dimension_state *)call->state)->dimension;
    call->out = hlo_value_alias(call->in[0], call->shape);
    if (!call->out) return false;
    hlo_value_copy_sizes(call->out, call->in[0]);
    hlo_result_sizes(call->out)[d] =
        hlo_clamp_index(hlo_index_at(call->in[1], 0), 0, call->shape->dims[d]);
    return true;
}

const hlo_kernel hlo_kernel_set_dimension_size = {prepare_dimension, run_set_dimension_size};
