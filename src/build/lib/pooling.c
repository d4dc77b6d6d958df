/* Pooling over windows of the spatial dimensions, and its gradient: XLA's pooling.h. */
#include "build/lib/matrices.h"

/* ---- windows ---- */

/* What all functions take; lists of the spatial dimensions are in their order. */
typedef struct {
    hlo_int_list size; /* of the array that is pooled */
    hlo_int_list kernel, stride, spatial, low, high;
} pool;

static bool check_pool(hlo_builder *b, const char *function, const pool *p) {
    size_t rank = p->size.count;
    bool good = rank <= 64 && p->kernel.count == rank && p->stride.count == rank && rank >= 2 &&
                p->spatial.count == rank - 2 && p->low.count == rank - 2 &&
                p->high.count == rank - 2;
    for (size_t i = 0; good && i < rank; i++)
        good = p->kernel.values[i] > 0 && p->stride.values[i] > 0;
    for (size_t i = 0; good && i + 2 < rank; i++)
        good = p->spatial.values[i] >= 0 && p->spatial.values[i] < (int64_t)rank;
    if (!good)
        hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE,
                         "%s: kernel and stride have a positive number for each of %zu dimensions, "
                         "padding and spatial dimensions one for each but two",
                         function, rank);
    return good;
}

/* One number for each dimension: those of the spatial ones, times a factor, and zeros. */
static hlo_int_list spatial_numbers(hlo_builder *b, const pool *p, hlo_int_list numbers,
                                    int64_t factor) {
    size_t rank = p->size.count;
    int64_t *all = hlo_lib_counting(b, rank);
    for (size_t i = 0; i < rank; i++) all[i] = 0;
    for (size_t i = 0; i < p->spatial.count; i++)
        all[p->spatial.values[i]] = factor * numbers.values[i];
    return (hlo_int_list){rank, all};
}

static hlo_term padded(hlo_builder *b, const pool *p, hlo_term x, int64_t factor) {
    hlo_term zero = hlo_lib_like(b, x, 0);
    return zero ? hlo_builder_pad(b, x, zero, spatial_numbers(b, p, p->low, factor),
                                  spatial_numbers(b, p, p->high, factor), HLO_NO_DIMS)
                : NULL;
}

static hlo_term sums(hlo_builder *b, hlo_term x, hlo_int_list kernel, hlo_int_list stride) {
    if (!x) return NULL;
    hlo_term zero = hlo_lib_like(b, x, 0);
    const hlo_computation *add = hlo_lib_reducer(b, "add", (hlo_type)x->shape->type);
    return hlo_builder_reduce_window(b, HLO_INSTRS(x), HLO_INSTRS(zero), add, kernel, stride,
                                     HLO_NO_DIMS, HLO_NO_DIMS, HLO_PAD_VALID);
}

/* ---- averages ---- */

static hlo_int_list of_spatial(hlo_builder *b, const pool *p, hlo_int_list numbers) {
    int64_t *some = hlo_lib_counting(b, p->spatial.count);
    for (size_t i = 0; i < p->spatial.count; i++) some[i] = numbers.values[p->spatial.values[i]];
    return (hlo_int_list){p->spatial.count, some};
}

/* How many elements that are no padding each window has. */
static hlo_term counts(hlo_builder *b, const pool *p, hlo_type type) {
    hlo_int_list size = of_spatial(b, p, p->size);
    hlo_term ones = hlo_builder_broadcast(b, hlo_lib_number(b, type, 1), size);
    hlo_term zero = hlo_lib_number(b, type, 0);
    ones = hlo_builder_pad(b, ones, zero, p->low, p->high, HLO_NO_DIMS);
    return sums(b, ones, of_spatial(b, p, p->kernel), of_spatial(b, p, p->stride));
}

static hlo_term averaged(hlo_builder *b, const pool *p, hlo_term x, bool counts_include_padding) {
    if (!x) return NULL;
    hlo_type type = (hlo_type)x->shape->type;
    int64_t window = 1;
    for (size_t i = 0; i < p->kernel.count; i++)
        if (__builtin_mul_overflow(window, p->kernel.values[i], &window))
            return hlo_builder_fail(b, HLO_RULE_SHAPE_SIZE, "the window is too large");
    if (counts_include_padding)
        return hlo_builder_div(b, x, hlo_lib_integer(b, type, window), HLO_NO_DIMS);
    return hlo_builder_div(b, x, counts(b, p, type), p->spatial);
}

hlo_term hlo_lib_max_pool(hlo_builder *b, hlo_term operand, hlo_int_list kernel_size,
                          hlo_int_list stride, hlo_padding_rule padding) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_has_rank(b, "MaxPool", operand, 0)) return NULL;
    hlo_type type = (hlo_type)operand->shape->type;
    const hlo_computation *max = hlo_lib_reducer(b, "max", type);
    hlo_term least = hlo_lib_min_value(b, hlo_lib_public(type));
    if (!least) return NULL;
    return hlo_builder_reduce_window(b, HLO_INSTRS(operand), HLO_INSTRS(least), max, kernel_size,
                                     stride, HLO_NO_DIMS, HLO_NO_DIMS, padding);
}

hlo_term hlo_lib_avg_pool(hlo_builder *b, hlo_term operand, hlo_int_list kernel_size,
                          hlo_int_list stride, hlo_int_list padding_low, hlo_int_list padding_high,
                          hlo_int_list spatial_dimensions, bool counts_include_padding) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_has_rank(b, "AvgPool", operand, 2)) return NULL;
    pool p = {hlo_lib_dims(operand), kernel_size, stride,
              spatial_dimensions,    padding_low, padding_high};
    if (!check_pool(b, "AvgPool", &p)) return NULL;
    hlo_term pooled = sums(b, padded(b, &p, operand, 1), kernel_size, stride);
    return averaged(b, &p, pooled, counts_include_padding);
}

/* ---- the gradient ---- */

/* Padding with which windows of the gradients cover the padded input, for one dimension. */
static bool gradient_padding(hlo_builder *b, const pool *p, hlo_term grad, size_t i, int64_t *low,
                             int64_t *high) {
    int64_t d = p->spatial.values[i], kernel = p->kernel.values[d], stride = p->stride.values[d];
    int64_t input = p->size.values[d] + p->low.values[i] + p->high.values[i];
    int64_t output = (input - kernel + stride) / stride, size = grad->shape->dims[d];
    *low = kernel - 1;
    *high = input + kernel - 1 - ((output - 1) * stride + 1) - *low;
    if (input >= kernel && size == output) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                     "AvgPoolGrad: size of out_backprop doesn't match computed: %lld and %lld",
                     (long long)size, (long long)output);
    return false;
}

static hlo_term gradient(hlo_builder *b, const pool *p, hlo_term grad, hlo_term divided) {
    size_t rank = p->size.count;
    int64_t low[64], high[64], *strides = hlo_lib_counting(b, rank),
                               *ones = hlo_lib_counting(b, rank);
    for (size_t i = 0; i < rank; i++) strides[i] = 0, ones[i] = 1;
    for (size_t i = 0; i + 2 < rank; i++) {
        if (!gradient_padding(b, p, grad, i, &low[i], &high[i])) return NULL;
        strides[p->spatial.values[i]] = p->stride.values[p->spatial.values[i]] - 1;
    }
    hlo_int_list lows = spatial_numbers(b, p, (hlo_int_list){rank - 2, low}, 1);
    hlo_int_list highs = spatial_numbers(b, p, (hlo_int_list){rank - 2, high}, 1);
    hlo_term zero = hlo_lib_like(b, divided, 0);
    hlo_term spread = hlo_builder_pad(b, divided, zero, lows, highs, (hlo_int_list){rank, strides});
    hlo_term sum = sums(b, spread, p->kernel, (hlo_int_list){rank, ones});
    return sum ? padded(b, p, sum, -1) : NULL;
}

hlo_term hlo_lib_avg_pool_grad(hlo_builder *b, hlo_term out_backprop, hlo_int_list gradients_size,
                               hlo_int_list kernel_size, hlo_int_list stride,
                               hlo_int_list padding_low, hlo_int_list padding_high,
                               hlo_int_list spatial_dimensions, bool counts_include_padding) {
    HLO_BUILDER_TAKES(b, out_backprop);
    if (!hlo_lib_has_rank(b, "AvgPoolGrad", out_backprop, 2)) return NULL;
    pool p = {gradients_size, kernel_size, stride, spatial_dimensions, padding_low, padding_high};
    if (!check_pool(b, "AvgPoolGrad", &p)) return NULL;
    if (out_backprop->shape->rank != gradients_size.count)
        return hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                                "AvgPoolGrad: out_backprop must be %zu-dimensional",
                                gradients_size.count);
    hlo_term divided = averaged(b, &p, out_backprop, counts_include_padding);
    return divided ? gradient(b, &p, out_backprop, divided) : NULL;
}
