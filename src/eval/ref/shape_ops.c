/* Kernels that only move elements: broadcast, iota, transpose, slice, pad, concatenate, reverse,
 * the dynamic slices and dynamic-reshape. Each one is a strided copy. Called through the kernel
 * table. */
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

hlo_value *hlo_eval_transpose(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    const hlo_value *x = args[0];
    const hlo_ints *permutation = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS);
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    uint32_t bytes = hlo_element_bytes(x->shape);
    int64_t *to = hlo_new_strides(out->shape, bytes), *from = hlo_new_strides(x->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < permutation->n; d++) {
        hlo_walk_dim2(&walk, out->shape->dims[d], to[d], from[permutation->v[d]]);
        if (x->sizes) hlo_result_sizes(out)[d] = x->sizes[permutation->v[d]];
    }
    hlo_copy_walk(&walk, out->data, x->data, bytes);
    hlo_free(to);
    hlo_free(from);
    return out;
}

/* How many of `live` elements a slice from `start` by `stride` meets, at most `most`. */
static int64_t live_slice(int64_t live, int64_t start, int64_t stride, int64_t most) {
    int64_t met = live <= start ? 0 : (live - start - 1) / stride + 1;
    return met < most ? met : most;
}

hlo_value *hlo_eval_slice(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    const hlo_value *x = args[0];
    const hlo_slice *slice = hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    uint32_t bytes = hlo_element_bytes(x->shape);
    int64_t *to = hlo_new_strides(out->shape, bytes), *from = hlo_new_strides(x->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < slice->n; d++) {
        int64_t start = slice->v[d].start, size = out->shape->dims[d];
        walk.at[1] += size ? start * from[d] : 0;
        hlo_walk_dim2(&walk, size, to[d], size > 1 ? from[d] * slice->v[d].stride : from[d]);
        if (x->sizes)
            hlo_result_sizes(out)[d] = live_slice(x->sizes[d], start, slice->v[d].stride, size);
    }
    hlo_copy_walk(&walk, out->data, x->data, bytes);
    hlo_free(to);
    hlo_free(from);
    return out;
}

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

/* The byte offset of a dynamic slice of `window` in `x`: starts come as one vector or as scalars
 * from args[first] on, and are clamped so that the slice fits. */
static int64_t clamped_start(const hlo_value *x, const hlo_shape *window, hlo_value *const *args,
                             uint32_t first, const int64_t *strides) {
    bool vector = x->shape->rank && args[first]->shape->rank == 1;
    int64_t at = 0;
    for (uint32_t d = 0; d < x->shape->rank; d++) {
        int64_t start = vector ? hlo_index_at(args[first], d) : hlo_index_at(args[first + d], 0);
        at += hlo_clamp_index(start, 0, x->shape->dims[d] - window->dims[d]) * strides[d];
    }
    return at;
}

/* A result with a size at run time takes the dimension whole: how much of a part would be there
 * nobody says. */
static bool check_slice_sizes(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_shape *to = instr->shape;
    for (uint32_t d = 0; args[0]->sizes && to->is_dynamic && d < to->rank; d++)
        if (hlo_is_short(args[0], d) && to->is_dynamic[d] && to->dims[d] < args[0]->shape->dims[d])
            return hlo_refuse_short(eval, instr, args, 0, d, "and takes a part of it");
    return true;
}

hlo_value *hlo_eval_dynamic_slice(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    const hlo_value *x = args[0];
    if (!check_slice_sizes(eval, instr, args)) return NULL;
    hlo_value *out = hlo_value_new(instr->shape);
    if (!out) return NULL;
    for (uint32_t d = 0; x->sizes && d < rank_of(out); d++)
        if (hlo_is_short(x, d) && out->shape->dims[d] == x->shape->dims[d])
            hlo_result_sizes(out)[d] = x->sizes[d];
    uint32_t bytes = hlo_element_bytes(x->shape);
    int64_t *to = hlo_new_strides(out->shape, bytes), *from = hlo_new_strides(x->shape, bytes);
    int64_t at = clamped_start(x, out->shape, args, 1, from);
    copy_box(out, 0, to, x, at, from, out->shape->dims);
    hlo_free(to);
    hlo_free(from);
    return out;
}

hlo_value *hlo_eval_dynamic_update_slice(hlo_eval *eval, const hlo_instr *instr,
                                         hlo_value *const *args) {
    (void)eval;
    const hlo_value *update = args[1];
    hlo_value *out = hlo_value_reuse(args[0], instr->shape);
    if (!out || out->data == update->data) return out;           /* an array over itself */
    for (uint32_t d = 0; update->sizes && d < rank_of(out); d++) /* replaced as a whole */
        if (hlo_is_short(update, d) && update->shape->dims[d] == out->shape->dims[d])
            hlo_result_sizes(out)[d] = update->sizes[d];
    uint32_t bytes = hlo_element_bytes(out->shape);
    int64_t *to = hlo_new_strides(out->shape, bytes), *from = hlo_new_strides(update->shape, bytes);
    int64_t at = clamped_start(out, update->shape, args, 2, to);
    copy_box(out, at, to, update, 0, from, update->sizes ? update->sizes : update->shape->dims);
    hlo_free(to);
    hlo_free(from);
    return out;
}

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
