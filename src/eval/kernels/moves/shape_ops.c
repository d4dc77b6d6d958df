/* Kernels that only move elements: broadcast, iota, transpose, slice, pad, concatenate, reverse,
 * the dynamic slices and dynamic-reshape. Each one is a strided copy. */
#include "base/pool.h"
#include "eval/kernel/combine.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/moves/move_kernels.h"

/* ---- what is known before a run ---- */

/* A copy between two arrays along the dimensions of one of them. Distances count bytes. */
typedef struct {
    uint32_t rank, bytes; /* of an element */
    int64_t *sizes;       /* at most, by dimension */
    int64_t *to, *from;   /* distances of neighbours */
    int64_t from_at;      /* where the source begins */
} box;

/* A box of the shape's dimensions, with the distances of an array of this shape in `to`. */
static box *new_box(hlo_preparation *p, const hlo_shape *shape) {
    box *b = HLO_NEW_STATE(p, box);
    b->rank = shape->rank;
    b->bytes = hlo_element_bytes(shape);
    b->sizes = hlo_arena_copy(p->arena, shape->dims, shape->rank * sizeof *b->sizes);
    b->to = HLO_NEW_ARRAY(p->arena, int64_t, shape->rank);
    b->from = HLO_NEW_ARRAY(p->arena, int64_t, shape->rank);
    hlo_row_major(shape, b->bytes, b->to);
    return b;
}

/* The distances of neighbours in an array of the shape, in the program's memory. */
static int64_t *prepare_strides(hlo_preparation *p, const hlo_shape *shape) {
    int64_t *strides = HLO_NEW_ARRAY(p->arena, int64_t, shape->rank);
    hlo_row_major(shape, hlo_element_bytes(shape), strides);
    return strides;
}

/* `sizes`: those of the box, or fewer. */
static void run_box(const box *b, void *to, const void *from, const int64_t *sizes) {
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < b->rank; d++) hlo_walk_dim2(&walk, sizes[d], b->to[d], b->from[d]);
    walk.at[1] = b->from_at;
    hlo_copy_walk(&walk, to, from, b->bytes);
}

/* ---- broadcast and iota ---- */

typedef struct {
    const box *box;
    uint32_t rank;            /* of the operand */
    const int64_t *dimension; /* of the result, by dimension of the operand: not always another */
} broadcast_state;

static bool prepare_broadcast(hlo_preparation *p) {
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    const int64_t *operand = prepare_strides(p, hlo_operand(p->instr, 0)->shape);
    broadcast_state *state = HLO_NEW_STATE(p, broadcast_state);
    box *b = new_box(p, p->instr->shape);
    for (uint32_t i = 0; i < dimensions->n; i++) b->from[dimensions->v[i]] += operand[i];
    state->box = b;
    state->rank = dimensions->n;
    state->dimension =
        hlo_arena_copy(p->arena, dimensions->v, dimensions->n * sizeof *dimensions->v);
    p->state = state;
    return true;
}

static bool run_broadcast(hlo_call *call) {
    const broadcast_state *state = call->state;
    const hlo_value *x = call->in[0];
    for (uint32_t i = 0; x->sizes && i < state->rank; i++)
        hlo_result_sizes(call->out)[state->dimension[i]] = x->sizes[i];
    run_box(state->box, call->out->data, x->data, state->box->sizes);
    return true;
}

const hlo_kernel hlo_kernel_broadcast = {prepare_broadcast, run_broadcast};

typedef struct {
    const box *box; /* from a row of the numbers */
    hlo_type type;
    int64_t count;
    size_t numbers_at, converted_at; /* offsets in scratch memory */
} iota_state;

static bool prepare_iota(hlo_preparation *p) {
    uint32_t dimension = (uint32_t)hlo_attr_int(p->instr, HLO_ATTR_IOTA_DIMENSION);
    iota_state *state = HLO_NEW_STATE(p, iota_state);
    p->state = state;
    if (hlo_shape_elements(p->instr->shape) <= 0) return true;
    box *b = new_box(p, p->instr->shape);
    b->from[dimension] = b->bytes;
    state->box = b;
    state->type = (hlo_type)p->instr->shape->type;
    state->count = b->sizes[dimension];
    state->numbers_at = hlo_prepare_scratch(p, (size_t)state->count * sizeof(int64_t));
    state->converted_at = hlo_prepare_scratch(p, (size_t)state->count * b->bytes);
    return true;
}

/* 0, 1, 2 ... converted to the type, and copied along all other dimensions. */
static bool run_iota(hlo_call *call) {
    const iota_state *state = call->state;
    if (!state->count) return true;
    int64_t *numbers = (int64_t *)((char *)call->scratch + state->numbers_at);
    void *converted = (char *)call->scratch + state->converted_at;
    for (int64_t i = 0; i < state->count; i++) numbers[i] = i;
    hlo_convert_elements(HLO_S64, state->type, numbers, converted, (size_t)state->count);
    run_box(state->box, call->out->data, converted, state->box->sizes);
    return true;
}

const hlo_kernel hlo_kernel_iota = {prepare_iota, run_iota};

/* ---- transpose ---- */

typedef struct {
    const box *box;
    const int64_t *permutation; /* dimension d of the result is the operand's permutation[d] */
} transpose_state;

static bool prepare_transpose(hlo_preparation *p) {
    const hlo_ints *permutation = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    const int64_t *from = prepare_strides(p, hlo_operand(p->instr, 0)->shape);
    transpose_state *state = HLO_NEW_STATE(p, transpose_state);
    box *b = new_box(p, p->instr->shape);
    for (uint32_t d = 0; d < b->rank; d++) b->from[d] = from[permutation->v[d]];
    state->box = b;
    state->permutation = hlo_arena_copy(p->arena, permutation->v, b->rank * sizeof *permutation->v);
    p->state = state;
    return true;
}

static bool run_transpose(hlo_call *call) {
    const transpose_state *state = call->state;
    const box *b = state->box;
    const hlo_value *x = call->in[0];
    for (uint32_t d = 0; x->sizes && d < b->rank; d++)
        hlo_result_sizes(call->out)[d] = x->sizes[state->permutation[d]];
    run_box(b, call->out->data, x->data, b->sizes);
    return true;
}

const hlo_kernel hlo_kernel_transpose = {prepare_transpose, run_transpose};

/* ---- slice ---- */

typedef struct {
    const box *box;
    struct {
        int64_t start, stride;
    } dims[];
} slice_state;

static bool prepare_slice(hlo_preparation *p) {
    const hlo_slice *slice = hlo_instr_attr(p->instr, HLO_ATTR_SLICE)->u.slice;
    const int64_t *from = prepare_strides(p, hlo_operand(p->instr, 0)->shape);
    box *b = new_box(p, p->instr->shape);
    slice_state *state = hlo_arena_alloc(p->arena, sizeof *state + b->rank * sizeof *state->dims);
    state->box = b;
    for (uint32_t d = 0; d < b->rank; d++) {
        b->from_at += b->sizes[d] ? slice->v[d].start * from[d] : 0;
        b->from[d] = b->sizes[d] > 1 ? from[d] * slice->v[d].stride : from[d];
        state->dims[d].start = slice->v[d].start;
        state->dims[d].stride = slice->v[d].stride;
    }
    p->state = state;
    return true;
}

/* How many of `live` elements a slice from `start` by `stride` meets, at most `most`. */
static int64_t live_slice(int64_t live, int64_t start, int64_t stride, int64_t most) {
    int64_t met = live <= start ? 0 : (live - start - 1) / stride + 1;
    return met < most ? met : most;
}

static bool run_slice(hlo_call *call) {
    const slice_state *state = call->state;
    const box *b = state->box;
    const hlo_value *x = call->in[0];
    for (uint32_t d = 0; x->sizes && d < b->rank; d++)
        hlo_result_sizes(call->out)[d] =
            live_slice(x->sizes[d], state->dims[d].start, state->dims[d].stride, b->sizes[d]);
    run_box(b, call->out->data, x->data, b->sizes);
    return true;
}

const hlo_kernel hlo_kernel_slice = {prepare_slice, run_slice};

/* ---- pad ---- */

/* The operand elements of one dimension that stay inside a padded dimension: from `first` on
 * `count` of them, the first one at `place`. */
typedef struct {
    int64_t first, count, place;
} kept;

static kept kept_by_pad(int64_t live, int64_t size, int64_t low, int64_t interior) {
    __int128 step = (__int128)interior + 1, space = (__int128)size - 1 - low;
    __int128 first = low < 0 ? (step - 1 - low) / step : 0;
    __int128 last = space < 0 ? -1 : space / step;
    if (last >= live) last = live - 1;
    if (last < first) return (kept){0};
    return (kept){(int64_t)first, (int64_t)(last - first + 1), (int64_t)(low + first * step)};
}

typedef struct {
    const box *box; /* of the result's dimensions; `from` are the operand's distances */
    int64_t elements;
    const hlo_padding *padding;
} pad_state;

static bool prepare_pad(hlo_preparation *p) {
    const hlo_padding *padding = hlo_instr_attr(p->instr, HLO_ATTR_PADDING)->u.padding;
    pad_state *state = HLO_NEW_STATE(p, pad_state);
    box *b = new_box(p, p->instr->shape);
    b->from = prepare_strides(p, hlo_operand(p->instr, 0)->shape);
    state->box = b;
    state->elements = hlo_shape_elements(p->instr->shape);
    state->padding =
        hlo_arena_copy(p->arena, padding, sizeof *padding + padding->n * sizeof *padding->v);
    p->state = state;
    return true;
}

/* Where the operand's elements are along a dimension of the result. */
static kept kept_along(const pad_state *state, const hlo_value *x, uint32_t d) {
    HLO_ASSERT(d < state->padding->n);
    int64_t low = state->padding->v[d].low, interior = state->padding->v[d].interior;
    return kept_by_pad(hlo_value_size(x, d), state->box->sizes[d], low, interior);
}

/* Fills what lies from `first` on below `last` of dimension d, beside the operand's elements along
 * the dimensions before it. */
static void fill_beside(const hlo_call *call, uint32_t d, int64_t first, int64_t last) {
    const pad_state *state = call->state;
    const box *b = state->box;
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t e = 0; e < b->rank; e++) {
        kept k = {0, b->sizes[e], 0};
        if (e < d) k = kept_along(state, call->in[0], e);
        if (e == d) k = (kept){0, last - first, first};
        walk.at[0] += k.place * b->to[e];
        hlo_walk_dim2(&walk, k.count, b->to[e], 0);
    }
    hlo_copy_walk(&walk, call->out->data, call->in[1]->data, b->bytes);
}

/* All that no element of the operand becomes; where these are apart, all. */
static void fill_padding(const hlo_call *call) {
    const pad_state *state = call->state;
    const box *b = state->box;
    for (uint32_t d = 0; d < b->rank; d++)
        if (state->padding->v[d].interior) {
            hlo_fill_elements(call->out->data, call->in[1]->data, b->bytes, state->elements);
            return;
        }
    for (uint32_t d = 0; d < b->rank; d++) {
        kept k = kept_along(state, call->in[0], d);
        fill_beside(call, d, 0, k.place);
        fill_beside(call, d, k.place + k.count, b->sizes[d]);
    }
}

static bool run_pad(hlo_call *call) {
    const pad_state *state = call->state;
    const box *b = state->box;
    const hlo_value *x = call->in[0];
    hlo_walk walk;
    fill_padding(call);
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < b->rank; d++) {
        int64_t interior = state->padding->v[d].interior, live = hlo_value_size(x, d);
        kept k = kept_along(state, x, d);
        walk.at[0] += k.place * b->to[d];
        walk.at[1] += k.first * b->from[d];
        hlo_walk_dim2(&walk, k.count, k.count > 1 ? b->to[d] * (interior + 1) : b->to[d],
                      b->from[d]);
        if (x->sizes)
            hlo_result_sizes(call->out)[d] = hlo_size_when_padded(state->padding, d, live);
    }
    hlo_copy_walk(&walk, call->out->data, x->data, b->bytes);
    return true;
}

const hlo_kernel hlo_kernel_pad = {prepare_pad, run_pad};

/* ---- concatenate ---- */

typedef struct {
    uint32_t dimension;
    bool is_dynamic; /* the result's shape: elements beyond its sizes are zero */
    const box *operands;
    int64_t rows, row_bytes;      /* of all dimensions from the one on that grows */
    const int64_t *operand_bytes; /* of a row of each operand */
} concatenate_state;

/* The bytes of all dimensions from `d` on. */
static int64_t bytes_from(const hlo_shape *shape, uint32_t d) {
    int64_t bytes = hlo_element_bytes(shape);
    for (; d < shape->rank; d++) bytes *= shape->dims[d];
    return bytes;
}

/* Sizes may not be multiplied when there are no elements: there are no rows then. */
static void prepare_concatenated_rows(hlo_preparation *p, concatenate_state *state) {
    const hlo_shape *out = p->instr->shape;
    if (out->dynamic || hlo_shape_elements(out) <= 0) return;
    int64_t *bytes = HLO_NEW_ARRAY(p->arena, int64_t, p->instr->operand_count);
    for (uint32_t i = 0; i < p->instr->operand_count; i++)
        bytes[i] = bytes_from(hlo_operand(p->instr, i)->shape, state->dimension);
    state->operand_bytes = bytes;
    state->row_bytes = bytes_from(out, state->dimension);
    state->rows = hlo_shape_bytes(out) / state->row_bytes;
}

static bool prepare_concatenate(hlo_preparation *p) {
    const hlo_shape *out = p->instr->shape;
    const int64_t *to = prepare_strides(p, out);
    concatenate_state *state = HLO_NEW_STATE(p, concatenate_state);
    box *operands = HLO_NEW_ARRAY(p->arena, box, p->instr->operand_count);
    for (uint32_t i = 0; i < p->instr->operand_count; i++) {
        operands[i] = *new_box(p, hlo_operand(p->instr, i)->shape);
        memcpy(operands[i].from, operands[i].to, out->rank * sizeof *to);
        memcpy(operands[i].to, to, out->rank * sizeof *to);
    }
    state->dimension = (uint32_t)hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS)->v[0];
    state->is_dynamic = out->dynamic;
    state->operands = operands;
    prepare_concatenated_rows(p, state);
    p->state = state;
    return true;
}

/* Rows from all operands together: what is one row of the result is written at once. */
static void concatenate_rows(void *context, int64_t first, int64_t last) {
    const hlo_call *call = context;
    const concatenate_state *state = call->state;
    int64_t row = state->row_bytes;
    char *to = (char *)call->out->data + first * row;
    for (uint32_t i = 0; i < call->count; i++) {
        int64_t bytes = state->operand_bytes[i];
        hlo_move_chosen()->rows(to, row, (const char *)call->in[i]->data + first * bytes, bytes,
                                bytes, last - first);
        to += bytes;
    }
}

static bool run_concatenate(hlo_call *call) {
    const concatenate_state *state = call->state;
    hlo_value *out = call->out;
    if (state->rows > 1 && !hlo_call_has_sizes(call)) {
        hlo_parallel(state->rows, hlo_grain(state->row_bytes), concatenate_rows, call);
        return true;
    }
    uint32_t dimension = state->dimension;
    int64_t place = 0;
    if (state->is_dynamic) hlo_value_clear(out);
    for (uint32_t i = 0; i < call->count; i++) {
        const hlo_value *x = call->in[i];
        const box *b = &state->operands[i];
        run_box(b, (char *)out->data + place * b->to[dimension], x->data,
                x->sizes ? x->sizes : b->sizes);
        place += hlo_value_size(x, dimension);
    }
    hlo_set_concatenated_sizes(call, dimension, place);
    return true;
}

const hlo_kernel hlo_kernel_concatenate = {prepare_concatenate, run_concatenate};

/* ---- reverse ---- */

typedef struct {
    const box *box;
    const bool *is_reversed; /* by dimension */
} reverse_state;

static bool prepare_reverse(hlo_preparation *p) {
    const hlo_ints *dimensions = hlo_attr_ints(p->instr, HLO_ATTR_DIMENSIONS);
    reverse_state *state = HLO_NEW_STATE(p, reverse_state);
    box *b = new_box(p, p->instr->shape);
    bool *is_reversed = HLO_NEW_ARRAY(p->arena, bool, b->rank);
    for (uint32_t i = 0; i < dimensions->n; i++) is_reversed[dimensions->v[i]] = true;
    for (uint32_t d = 0; d < b->rank; d++) b->from[d] = is_reversed[d] ? -b->to[d] : b->to[d];
    state->box = b;
    state->is_reversed = is_reversed;
    p->state = state;
    return true;
}

static bool run_reverse(hlo_call *call) {
    const reverse_state *state = call->state;
    const box *b = state->box;
    const hlo_value *x = call->in[0];
    int64_t at = 0;
    if (x->sizes) hlo_value_clear(call->out);
    for (uint32_t d = 0; d < b->rank; d++) {
        int64_t size = hlo_value_size(x, d);
        if (state->is_reversed[d] && size) at += (size - 1) * b->to[d];
    }
    run_box(b, call->out->data, (const char *)x->data + at, x->sizes ? x->sizes : b->sizes);
    hlo_value_copy_sizes(call->out, x);
    return true;
}

const hlo_kernel hlo_kernel_reverse = {prepare_reverse, run_reverse};

/* ---- dynamic slices ---- */

/* A window that is copied out of an array, or into it. */
typedef struct {
    const box *box;       /* of the window's dimensions */
    const int64_t *array; /* distances in the array */
    const int64_t *last;  /* the last start in each dimension */
    uint32_t first_start; /* operand */
    bool starts_are_vector;
} window_state;

static window_state *new_window(hlo_preparation *p, const hlo_shape *array, const box *window,
                                const int64_t *strides, uint32_t first_start) {
    window_state *state = HLO_NEW_STATE(p, window_state);
    int64_t *last = HLO_NEW_ARRAY(p->arena, int64_t, array->rank);
    for (uint32_t d = 0; d < array->rank; d++) last[d] = array->dims[d] - window->sizes[d];
    *state = (window_state){.box = window, .array = strides, .last = last};
    state->first_start = first_start;
    state->starts_are_vector = array->rank && hlo_operand(p->instr, first_start)->shape->rank == 1;
    p->state = state;
    return state;
}

/* Where the window lies in the array, in bytes: starts come as one vector or as scalars, and are
 * clamped so that the window fits. */
static int64_t clamped_start(const hlo_call *call, const window_state *state) {
    hlo_value *const *starts = call->in + state->first_start;
    int64_t at = 0;
    for (uint32_t d = 0; d < state->box->rank; d++) {
        int64_t start =
            state->starts_are_vector ? hlo_index_at(starts[0], d) : hlo_index_at(starts[d], 0);
        at += hlo_clamp_index(start, 0, state->last[d]) * state->array[d];
    }
    return at;
}

static bool prepare_dynamic_slice(hlo_preparation *p) {
    const hlo_shape *array = hlo_operand(p->instr, 0)->shape;
    const int64_t *strides = prepare_strides(p, array);
    box *b = new_box(p, p->instr->shape);
    memcpy(b->from, strides, b->rank * sizeof *strides);
    new_window(p, array, b, strides, 1);
    return true;
}

static bool run_dynamic_slice(hlo_call *call) {
    const window_state *state = call->state;
    const hlo_value *x = call->in[0];
    if (!hlo_check_slice_sizes(call)) return false;
    for (uint32_t d = 0; x->sizes && d < state->box->rank; d++)
        if (hlo_is_short(x, d) && call->shape->dims[d] == x->shape->dims[d])
            hlo_result_sizes(call->out)[d] = x->sizes[d];
    const char *from = (const char *)x->data + clamped_start(call, state);
    run_box(state->box, call->out->data, from, state->box->sizes);
    return true;
}

const hlo_kernel hlo_kernel_dynamic_slice = {prepare_dynamic_slice, run_dynamic_slice};

static bool prepare_dynamic_update_slice(hlo_preparation *p) {
    const hlo_shape *update = hlo_operand(p->instr, 1)->shape;
    const hlo_shape *array = hlo_shape_held(p->instr->shape);
    const int64_t *strides = prepare_strides(p, array);
    box *b = new_box(p, update);
    memcpy(b->from, b->to, b->rank * sizeof *strides);
    memcpy(b->to, strides, b->rank * sizeof *strides);
    new_window(p, array, b, strides, 2);
    return true;
}

static bool run_dynamic_update_slice(hlo_call *call) {
    const window_state *state = call->state;
    const hlo_value *update = call->in[1];
    hlo_value *out = call->out;
    if (out->data == update->data) return true;                      /* an array over itself */
    for (uint32_t d = 0; update->sizes && d < state->box->rank; d++) /* replaced as a whole */
        if (hlo_is_short(update, d) && update->shape->dims[d] == out->shape->dims[d])
            hlo_result_sizes(out)[d] = update->sizes[d];
    char *to = (char *)out->data + clamped_start(call, state);
    run_box(state->box, to, update->data, update->sizes ? update->sizes : state->box->sizes);
    return true;
}

const hlo_kernel hlo_kernel_dynamic_update_slice = {prepare_dynamic_update_slice,
                                                    run_dynamic_update_slice};

/* ---- dynamic-reshape ---- */

/* XLA's verifier looks only at the type of the sizes. */
static bool prepare_dynamic_reshape(hlo_preparation *p) {
    for (uint32_t i = 1; i < p->instr->operand_count; i++) {
        const hlo_shape *size = hlo_operand(p->instr, i)->shape;
        if (!hlo_shape_is_scalar(size))
            return hlo_prepare_error(p, HLO_RULE_DYNAMIC_RESHAPE_SIZES,
                                     "has %s as operand %u, not a scalar",
                                     hlo_shape_name(p->arena, size), i);
    }
    return true;
}

static bool run_dynamic_reshape(hlo_call *call) {
    hlo_value *out = call->out;
    hlo_value_clear(out);
    int64_t *sizes = hlo_result_sizes(out);
    for (uint32_t d = 0; d < out->shape->rank; d++)
        sizes[d] = hlo_clamp_index(hlo_index_at(call->in[1 + d], 0), 0, out->shape->dims[d]);
    hlo_repack(out, call->in[0]);
    return true;
}

const hlo_kernel hlo_kernel_dynamic_reshape = {prepare_dynamic_reshape, run_dynamic_reshape};
