/* Run-time sizes of dimensions: see dynamic.h. */
#include "eval/kernel/dynamic.h"

bool hlo_refuse_short(const hlo_call *call, uint32_t i, uint32_t d, const char *why) {
    const hlo_value *operand = call->in[i];
    return hlo_call_error(call,
                          "has operand %u with a run-time size of %lld in dimension %u, where its "
                          "shape has %lld, %s",
                          i, (long long)operand->sizes[d], d, (long long)operand->shape->dims[d],
                          why);
}

bool hlo_operands_are_full(const hlo_call *call) {
    for (uint32_t i = 0; i < call->count; i++)
        for (uint32_t d = 0; call->in[i]->sizes && d < call->in[i]->shape->rank; d++)
            if (hlo_is_short(call->in[i], d))
                return hlo_refuse_short(call, i, d, "which is not supported");
    return true;
}

bool hlo_check_slice_sizes(const hlo_call *call) {
    const hlo_shape *to = call->shape;
    const hlo_value *x = call->in[0];
    for (uint32_t d = 0; x->sizes && to->is_dynamic && d < to->rank; d++)
        if (hlo_is_short(x, d) && to->is_dynamic[d] && to->dims[d] < x->shape->dims[d])
            return hlo_refuse_short(call, 0, d, "and takes a part of it");
    return true;
}

/* The sum fits, but parts of it need not. */
int64_t hlo_size_when_padded(const hlo_padding *padding, uint32_t d, int64_t live) {
    HLO_ASSERT(d < padding->n);
    __int128 size = live > 0 ? (__int128)(live - 1) * padding->v[d].interior + live : 0;
    size += padding->v[d].low;
    size += padding->v[d].high;
    return size < 0 ? 0 : (int64_t)size;
}

/* Only dimensions that an operand's shape marks as dynamic count, also where they are full. */
static bool has_say(const hlo_value *operand, uint32_t d) {
    return hlo_is_short(operand, d) ||
           (operand->shape->is_dynamic && operand->shape->is_dynamic[d]);
}

bool hlo_check_batch_size(const hlo_call *call, uint32_t l, uint32_t r) {
    const hlo_value *lhs = call->in[0], *rhs = call->in[1];
    long long a = hlo_value_size(lhs, l), b = hlo_value_size(rhs, r);
    if (a == b || !has_say(lhs, l) || !has_say(rhs, r)) return true;
    return hlo_call_error(call,
                          "has run-time sizes of %lld in dimension %u of operand 0 and of %lld in "
                          "dimension %u of operand 1, which are one batch",
                          a, l, b, r);
}

int64_t hlo_windows_of_live(const hlo_window_dim *dim, int64_t live, int64_t bound) {
    __int128 slack = live > 0 ? (__int128)(live - 1) * dim->base_dilation + 1 : 0;
    slack += (__int128)dim->pad_low + dim->pad_high;
    slack -= (__int128)(dim->size - 1) * dim->window_dilation + 1;
    if (slack < 0) return 0;
    __int128 count = slack / dim->stride + 1;
    return count < bound ? (int64_t)count : bound;
}

void hlo_set_windowed_sizes(hlo_value *out, const hlo_value *x, const hlo_window *window) {
    for (uint32_t d = 0; x->sizes && d < window->n; d++) {
        bool is_dynamic =
            x->sizes[d] != x->shape->dims[d] || (x->shape->is_dynamic && x->shape->is_dynamic[d]);
        if (!is_dynamic) continue;
        hlo_result_sizes(out)[d] =
            hlo_windows_of_live(&window->v[d], x->sizes[d], out->shape->dims[d]);
    }
}

void hlo_set_reduced_sizes(hlo_value *out, const hlo_value *x, const bool *is_reduced) {
    if (!x->sizes || !out->shape->rank) return;
    int64_t *sizes = hlo_result_sizes(out);
    for (uint32_t d = 0, k = 0; d < x->shape->rank; d++)
        if (!is_reduced[d]) sizes[k++] = x->sizes[d];
}

bool hlo_check_convolution_sizes(const hlo_call *call, const hlo_dim_labels *labels,
                                 bool batch_groups) {
    const hlo_value *kernel = call->in[1];
    uint32_t batch = (uint32_t)labels->input_batch;
    if (hlo_is_short(call->in[0], batch) && batch_groups)
        return hlo_refuse_short(call, 0, batch, "along which a convolution has a fixed size");
    for (uint32_t d = 0; kernel->sizes && d < kernel->shape->rank; d++)
        if (hlo_is_short(kernel, d) && d != labels->kernel_input_feature)
            return hlo_refuse_short(call, 1, d, "along which a convolution has a fixed size");
    return true;
}

void hlo_set_convolution_sizes(const hlo_call *call, const hlo_dim_labels *labels,
                               const hlo_window_dim *window) {
    const hlo_value *input = call->in[0];
    if (hlo_is_short(input, (uint32_t)labels->input_batch))
        hlo_result_sizes(call->out)[labels->output_batch] = input->sizes[labels->input_batch];
    for (uint32_t d = 0; d < labels->n; d++) {
        uint32_t from = (uint32_t)labels->input_spatial[d];
        uint32_t to = (uint32_t)labels->output_spatial[d];
        if (!input->sizes || !has_say(input, from)) continue;
        hlo_result_sizes(call->out)[to] =
            hlo_windows_of_live(&window[d], input->sizes[from], call->out->shape->dims[to]);
    }
}

void hlo_set_concatenated_sizes(const hlo_call *call, uint32_t dimension, int64_t total) {
    if (!hlo_call_has_sizes(call)) return;
    for (uint32_t i = 0; i < call->count; i++)
        for (uint32_t d = 0; d < call->shape->rank; d++)
            if (has_say(call->in[i], d))
                hlo_result_sizes(call->out)[d] =
                    d == dimension ? total : hlo_value_size(call->in[i], d);
}

/* ---- elementwise ---- */

/* Not the minimum: a size of 1 stretches, and so leaves the other size. */
static int64_t joint_size(int64_t a, int64_t b) {
    int64_t less = a < b ? a : b, more = a < b ? b : a;
    return less == 1 ? more : less;
}

int64_t *hlo_joint_sizes(const hlo_call *call) {
    if (!hlo_call_has_sizes(call)) return NULL;
    uint32_t rank = call->shape->rank;
    int64_t *sizes = NULL;
    for (uint32_t d = 0; d < rank; d++) {
        bool said = false;
        for (uint32_t i = 0; i < call->count; i++) {
            const hlo_value *operand = call->in[i];
            if (operand->shape->rank != rank || !has_say(operand, d)) continue;
            if (!sizes) {
                sizes = hlo_malloc(rank * sizeof *sizes);
                memcpy(sizes, call->shape->dims, rank * sizeof *sizes);
            }
            int64_t size = hlo_value_size(operand, d);
            sizes[d] = said ? joint_size(sizes[d], size) : size;
            said = true;
        }
    }
    return sizes;
}

static bool stretches(const hlo_value *operand, const int64_t *sizes, uint32_t d) {
    return has_say(operand, d) && hlo_value_size(operand, d) == 1 && sizes[d] > 1;
}

/* The operand itself, retained, or a stretched copy. */
static hlo_value *stretched(const hlo_call *call, hlo_value *operand, const int64_t *sizes) {
    uint32_t rank = operand->shape->rank;
    bool is_stretched = false;
    for (uint32_t d = 0; d < rank; d++) is_stretched |= stretches(operand, sizes, d);
    if (!is_stretched) return hlo_value_retain(operand);
    hlo_value *out = hlo_call_new(call, operand->shape);
    if (!out) return NULL;
    uint32_t bytes = hlo_element_bytes(operand->shape);
    int64_t *strides = hlo_new_strides(operand->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < rank; d++)
        hlo_walk_dim2(&walk, operand->shape->dims[d], strides[d],
                      stretches(operand, sizes, d) ? 0 : strides[d]);
    hlo_copy_walk(&walk, out->data, operand->data, bytes);
    hlo_free(strides);
    return out;
}

bool hlo_stretch_operands(const hlo_call *call, const int64_t *sizes, hlo_value **operands) {
    for (uint32_t i = 0; i < call->count; i++) {
        bool is_scalar = call->in[i]->shape->rank == 0;
        operands[i] = sizes && !is_scalar ? stretched(call, call->in[i], sizes)
                                          : hlo_value_retain(call->in[i]);
        if (operands[i]) continue;
        while (i--) hlo_value_release(operands[i]);
        return false;
    }
    return true;
}

/* ---- zeros ---- */

void hlo_copy_part(hlo_value *to, const hlo_value *from, hlo_part_of *part_of,
                   const void *context) {
    uint32_t bytes = hlo_element_bytes(from->shape);
    int64_t *strides = hlo_new_strides(from->shape, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < from->shape->rank; d++) {
        hlo_part part = part_of(context, from, d);
        walk.at[0] += part.first * strides[d];
        hlo_walk_dim2(&walk, part.size, strides[d], strides[d]);
    }
    walk.at[1] = walk.at[0];
    hlo_copy_walk(&walk, to->data, from->data, bytes);
    hlo_free(strides);
}

hlo_value *hlo_zero_outside(const hlo_call *call, hlo_value *operand, hlo_part_of *part_of,
                            const void *context) {
    bool is_whole = true;
    for (uint32_t d = 0; d < operand->shape->rank; d++)
        is_whole &= part_of(context, operand, d).size == operand->shape->dims[d];
    if (is_whole) return hlo_value_retain(operand);
    hlo_value *out = hlo_call_new(call, operand->shape);
    if (!out) return NULL;
    hlo_value_clear(out);
    hlo_copy_part(out, operand, part_of, context);
    return out;
}

static hlo_part live_part(const void *context, const hlo_value *x, uint32_t d) {
    (void)context;
    return (hlo_part){0, hlo_value_size(x, d)};
}

hlo_value *hlo_zero_extended(const hlo_call *call, hlo_value *operand) {
    return hlo_zero_outside(call, operand, live_part, NULL);
}

/* ---- packing ---- */

/* The strides of an array of exactly the live elements. */
static int64_t *new_packed_strides(const hlo_value *value, int64_t unit) {
    int64_t *strides = hlo_malloc(value->shape->rank * sizeof *strides);
    for (uint32_t d = value->shape->rank; d-- > 0;) {
        strides[d] = unit;
        unit *= hlo_value_size(value, d);
    }
    return strides;
}

static int64_t live_elements(const hlo_value *value) {
    int64_t count = 1;
    for (uint32_t d = 0; d < value->shape->rank; d++) count *= hlo_value_size(value, d);
    return count;
}

/* Copies the live elements between `value` and a dense array. */
static void copy_live(const hlo_value *value, void *dense, bool to_dense) {
    uint32_t bytes = hlo_element_bytes(value->shape);
    int64_t *padded = hlo_new_strides(value->shape, bytes);
    int64_t *packed = new_packed_strides(value, bytes);
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < value->shape->rank; d++)
        hlo_walk_dim2(&walk, hlo_value_size(value, d), to_dense ? packed[d] : padded[d],
                      to_dense ? padded[d] : packed[d]);
    hlo_copy_walk(&walk, to_dense ? dense : value->data, to_dense ? value->data : dense, bytes);
    hlo_free(padded);
    hlo_free(packed);
}

/* By way of a dense array, since the live elements of both lie at different distances; what `x`
 * lacks is zero. */
void hlo_repack(hlo_value *out, const hlo_value *x) {
    if (hlo_shape_elements(x->shape) == 0) return;
    int64_t there = live_elements(x), wanted = live_elements(out);
    void *dense =
        hlo_calloc((size_t)(there > wanted ? there : wanted), hlo_element_bytes(x->shape));
    copy_live(x, dense, true);
    copy_live(out, dense, false);
    hlo_free(dense);
}
