/* Kernels that only move elements: broadcast, iota, transpose, slice, pad, concatenate, reverse,
 * the dynamic slices and dynamic-reshape. Each one is a strided copy. Called through the kernel
 * table. */
#include "eval/eval.h"
#include "eval/ref/combine.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"

static uint32_t rank_of(const hlo_value *value) {
    return value->shape->rank;
}

/* Adds the dimensions of `sizes` to a walk of two arrays. */
static void walk_dims(hlo_walk *walk, uint32_t rank, const int64_t *sizes, const int64_t *to,
                      const int64_t *from) {
    for (uint32_t d = 0; d < rank; d++) hlo_walk_dim2(walk, sizes[d], to[d], from[d]);
}

/* Copies the elements of a box of `sizes` between two arrays. Offsets count bytes. */
static void copy_box(hlo_value *to, int64_t to_at, const int64_t *to_strides, const hlo_value *from,
                     int64_t from_at, const int64_t *from_strides, const int64_t *sizes) {
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    walk_dims(&walk, rank_of(from), sizes, to_strides, from_strides);
    walk.at[0] = to_at;
    walk.at[1] = from_at;
    hlo_copy_walk(&walk, to->data, from->data, hlo_element_bytes(from->shape));
}

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

hlo_value *hlo_eval_broadcast(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    const hlo_value *x = args[0];
    const hlo_ints *dimensions = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    uint32_t bytes = hlo_element_bytes(x->shape);
    int64_t *to = hlo_new_strides(out->shape, bytes), *operand = hlo_new_strides(x->shape, bytes);
    int64_t *from = hlo_calloc(out->shape->rank, sizeof *from);
    for (uint32_t i = 0; i < dimensions->n; i++) {
        from[dimensions->v[i]] = operand[i];
        if (x->sizes) hlo_result_sizes(out)[dimensions->v[i]] = x->sizes[i];
    }
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    walk_dims(&walk, out->shape->rank, out->shape->dims, to, from);
    hlo_copy_walk(&walk, out->data, x->data, bytes);
    hlo_free(to);
    hlo_free(operand);
    hlo_free(from);
    return out;
}

/* 0, 1, 2 ... converted to the type, to be freed with hlo_free. */
static void *new_sequence(hlo_type type, int64_t count) {
    int64_t *numbers = hlo_malloc((size_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = i;
    if (type == HLO_S64) return numbers;
    void *sequence = hlo_malloc((size_t)count * hlo_types[type].bytes);
    hlo_convert_elements(HLO_S64, type, numbers, sequence, (size_t)count);
    hlo_free(numbers);
    return sequence;
}

hlo_value *hlo_eval_iota(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    (void)args;
    uint32_t dimension = (uint32_t)hlo_attr_int(instr, HLO_ATTR_IOTA_DIMENSION);
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out || !hlo_shape_elements(out->shape)) return out;
    uint32_t bytes = hlo_element_bytes(out->shape);
    void *sequence = new_sequence((hlo_type)out->shape->type, out->shape->dims[dimension]);
    int64_t *to = hlo_new_strides(out->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < out->shape->rank; d++)
        hlo_walk_dim2(&walk, out->shape->dims[d], to[d], d == dimension ? bytes : 0);
    hlo_copy_walk(&walk, out->data, sequence, bytes);
    hlo_free(sequence);
    hlo_free(to);
    return out;
}

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
    __int128 step = (__int128)interior + 1, room = (__int128)size - 1 - low;
    __int128 first = low < 0 ? (step - 1 - low) / step : 0;
    __int128 last = room < 0 ? -1 : room / step;
    if (last >= live) last = live - 1;
    if (last < first) return (kept){0};
    return (kept){(int64_t)first, (int64_t)(last - first + 1), (int64_t)(low + first * step)};
}

/* The length of a padded dimension of `live` elements. */
static int64_t padded_size(int64_t live, int64_t low, int64_t high, int64_t interior) {
    int64_t size = live + (live > 0 ? (live - 1) * interior : 0) + low + high;
    return size < 0 ? 0 : size;
}

hlo_value *hlo_eval_pad(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    const hlo_value *x = args[0];
    const hlo_padding *padding = hlo_instr_attr(instr, HLO_ATTR_PADDING)->u.padding;
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    uint32_t bytes = hlo_element_bytes(x->shape);
    hlo_fill_elements(out->data, args[1]->data, bytes, hlo_shape_elements(out->shape));
    int64_t *to = hlo_new_strides(out->shape, bytes), *from = hlo_new_strides(x->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < padding->n; d++) {
        int64_t low = padding->v[d].low, interior = padding->v[d].interior;
        int64_t live = hlo_value_size(x, d);
        kept k = kept_by_pad(live, out->shape->dims[d], low, interior);
        walk.at[0] += k.place * to[d];
        walk.at[1] += k.first * from[d];
        hlo_walk_dim2(&walk, k.count, k.count > 1 ? to[d] * (interior + 1) : to[d], from[d]);
        if (x->sizes)
            hlo_result_sizes(out)[d] = padded_size(live, low, padding->v[d].high, interior);
    }
    hlo_copy_walk(&walk, out->data, x->data, bytes);
    hlo_free(to);
    hlo_free(from);
    return out;
}

/* Copies one operand of concatenate behind what stands already; returns where the next one goes. */
static int64_t append_operand(hlo_value *out, const int64_t *to, const hlo_value *x,
                              uint32_t dimension, int64_t place) {
    uint32_t bytes = hlo_element_bytes(x->shape);
    int64_t *from = hlo_new_strides(x->shape, bytes);
    copy_box(out, place * to[dimension], to, x, 0, from, x->sizes ? x->sizes : x->shape->dims);
    if (x->sizes)
        for (uint32_t d = 0; d < rank_of(x); d++) hlo_result_sizes(out)[d] = x->sizes[d];
    hlo_free(from);
    return place + hlo_value_size(x, dimension);
}

hlo_value *hlo_eval_concatenate(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    uint32_t dimension = (uint32_t)hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)->v[0];
    hlo_value *out =
        instr->shape->dynamic ? hlo_value_zeros(instr->shape) : hlo_value_new(instr->shape);
    if (!out) return NULL;
    int64_t *to = hlo_new_strides(out->shape, hlo_element_bytes(out->shape)), place = 0;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        place = append_operand(out, to, args[i], dimension, place);
    if (out->sizes) out->sizes[dimension] = place;
    hlo_free(to);
    return out;
}

hlo_value *hlo_eval_reverse(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    const hlo_value *x = args[0];
    const hlo_ints *dimensions = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_value *out = x->sizes ? hlo_value_zeros(instr->shape) : hlo_value_new(instr->shape);
    if (!out) return NULL;
    uint32_t bytes = hlo_element_bytes(x->shape);
    int64_t *to = hlo_new_strides(out->shape, bytes), *from = hlo_new_strides(x->shape, bytes);
    int64_t at = 0;
    for (uint32_t i = 0; i < dimensions->n; i++) {
        int64_t size = hlo_value_size(x, (uint32_t)dimensions->v[i]);
        at += size ? (size - 1) * from[dimensions->v[i]] : 0;
        from[dimensions->v[i]] = -from[dimensions->v[i]];
    }
    copy_box(out, 0, to, x, at, from, x->sizes ? x->sizes : x->shape->dims);
    hlo_value_copy_sizes(out, x);
    hlo_free(to);
    hlo_free(from);
    return out;
}

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

/* A result with a size at run time takes the dimension whole: how much of a part would be there
 * nobody says. */
static bool check_slice_sizes(const hlo_call *call) {
    const hlo_shape *to = call->shape;
    const hlo_value *x = call->in[0];
    for (uint32_t d = 0; x->sizes && to->is_dynamic && d < to->rank; d++)
        if (hlo_is_short(x, d) && to->is_dynamic[d] && to->dims[d] < x->shape->dims[d])
            return hlo_refuse_short(call, 0, d, "and takes a part of it");
    return true;
}

static bool run_dynamic_slice(hlo_call *call) {
    const window_state *state = call->state;
    const hlo_value *x = call->in[0];
    if (!check_slice_sizes(call)) return false;
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
    const int64_t *strides = prepare_strides(p, p->instr->shape);
    box *b = new_box(p, update);
    memcpy(b->from, b->to, b->rank * sizeof *strides);
    memcpy(b->to, strides, b->rank * sizeof *strides);
    new_window(p, p->instr->shape, b, strides, 2);
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

hlo_value *hlo_eval_dynamic_reshape(hlo_eval *eval, const hlo_instr *instr,
                                    hlo_value *const *args) {
    (void)eval;
    hlo_value *out = hlo_value_zeros(instr->shape);
    if (!out) return NULL;
    int64_t *sizes = hlo_result_sizes(out);
    for (uint32_t d = 0; d < rank_of(out); d++)
        sizes[d] = hlo_clamp_index(hlo_index_at(args[1 + d], 0), 0, out->shape->dims[d]);
    hlo_repack(out, args[0]);
    return out;
}
