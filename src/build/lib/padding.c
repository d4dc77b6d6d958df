/* Padding of windows by a rule, and of the gradients of convolutions: XLA's padding.h and
 * conv_grad_size_util.h, and what pooling.h makes of them. */
#include "build/lib/scalars.h"

/* ---- by a rule ---- */

/* Larger numbers are no windows of arrays; their products fit. */
static bool is_window(int64_t size, int64_t window, int64_t stride) {
    return size >= 0 && size < INT64_MAX / 4 && window > 0 && window < INT32_MAX && stride > 0 &&
           stride < INT32_MAX;
}

static hlo_window_dim padded(int64_t size, int64_t window, int64_t stride, int64_t dilation,
                             hlo_padding_rule padding) {
    hlo_window_dim dim = {.size = window, .stride = stride, .window_dilation = dilation};
    if (padding == HLO_PAD_SAME) hlo_builder_pad_same(&dim, size);
    return dim;
}

bool hlo_lib_make_padding(hlo_builder *b, hlo_int_list input_dimensions,
                          hlo_int_list window_dimensions, hlo_int_list window_strides,
                          hlo_padding_rule padding, int64_t *low, int64_t *high) {
    HLO_BUILDER_CALL(b, false);
    size_t n = input_dimensions.count;
    bool good = window_dimensions.count == n && window_strides.count == n && (!n || (low && high));
    for (size_t i = 0; i < n && good; i++)
        good = is_window(input_dimensions.values[i], window_dimensions.values[i],
                         window_strides.values[i]);
    if (!good)
        hlo_builder_misuse(b, "%s: %zu dimensions, each with a positive window and stride",
                           __func__, n);
    for (size_t i = 0; i < n && good; i++) {
        hlo_window_dim dim = padded(input_dimensions.values[i], window_dimensions.values[i],
                                    window_strides.values[i], 1, padding);
        low[i] = dim.pad_low, high[i] = dim.pad_high;
    }
    return good;
}

/* The numbers of the spatial dimensions, in their order. */
static hlo_int_list spatial_of(hlo_builder *b, hlo_int_list numbers, hlo_int_list spatial) {
    int64_t *some = hlo_lib_counting(b, spatial.count);
    for (size_t i = 0; i < spatial.count; i++) some[i] = numbers.values[spatial.values[i]];
    return (hlo_int_list){spatial.count, some};
}

bool hlo_lib_make_spatial_padding(hlo_builder *b, hlo_int_list input_size, hlo_int_list kernel_size,
                                  hlo_int_list stride, hlo_padding_rule padding,
                                  hlo_int_list spatial_dimensions, int64_t *low, int64_t *high) {
    HLO_BUILDER_CALL(b, false);
    size_t n = input_size.count;
    bool good =
        kernel_size.count == n && stride.count == n && n >= 2 && spatial_dimensions.count == n - 2;
    for (size_t i = 0; good && i + 2 < n; i++)
        good = spatial_dimensions.values[i] >= 0 && spatial_dimensions.values[i] < (int64_t)n;
    if (!good) {
        hlo_builder_misuse(b, "%s: of %zu dimensions all but two are spatial ones", __func__, n);
        return false;
    }
    return hlo_lib_make_padding(b, spatial_of(b, input_size, spatial_dimensions),
                                spatial_of(b, kernel_size, spatial_dimensions),
                                spatial_of(b, stride, spatial_dimensions), padding, low, high);
}

/* ---- gradients ---- */

hlo_lib_conv_grad_size hlo_lib_conv_grad_dimension(hlo_builder *b, int64_t input_size,
                                                   int64_t filter_size, int64_t output_size,
                                                   int64_t dilation, int64_t stride,
                                                   hlo_padding_rule padding) {
    static const hlo_lib_conv_grad_size none = {-1, -1, -1};
    HLO_BUILDER_CALL(b, none);
    if (!is_window(input_size, filter_size, stride) || dilation < 1 || dilation >= INT32_MAX) {
        hlo_builder_misuse(b, "%s: filter, dilation and stride are positive", __func__);
        return none;
    }
    int64_t reach = (filter_size - 1) * dilation + 1;
    hlo_window_dim dim = padded(input_size, filter_size, stride, dilation, padding);
    int64_t covered = padding == HLO_PAD_SAME ? input_size - 1 : input_size - reach;
    int64_t computed = (covered + stride) / stride;
    if (computed != output_size || computed < 0) {
        hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                         "size of out_backprop doesn't match computed: %lld and %lld",
                         (long long)output_size, (long long)computed);
        return none;
    }
    hlo_lib_conv_grad_size made = {(computed - 1) * stride + 1, reach - 1 - dim.pad_low, 0};
    made.pad_after = input_size + reach - 1 - made.output_size - made.pad_before;
    return made;
}
