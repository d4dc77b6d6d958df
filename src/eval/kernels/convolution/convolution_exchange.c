/* Exchanges the input and the kernel of a convolution whose window is larger than its input: each
 * place of the result meets all of the input, and little of the kernel. */
#include "eval/kernels/convolution/convolution.h"

static const hlo_shape *shape_of(const hlo_preparation *p, uint32_t operand) {
    return hlo_operand(p->instr, operand)->shape;
}

static bool can_exchange(const hlo_preparation *p, const hlo_convolution *c) {
    if (hlo_attr_int(p->instr, HLO_ATTR_FEATURE_GROUP_COUNT) > 1 ||
        hlo_attr_int(p->instr, HLO_ATTR_BATCH_GROUP_COUNT) > 1)
        return false;
    if (shape_of(p, 0)->dynamic || shape_of(p, 1)->dynamic) return false;
    for (uint32_t d = 0; d < c->spatial; d++)
        if (c->window[d].stride != 1) return false;
    return c->spatial > 0;
}

/* About what all rows cost at one place of the result: a tile of them meets what any of its rows
 * does, in whole vectors of columns. */
static double cost(const hlo_convolution *c, const int64_t *input, const int64_t *window,
                   int64_t batch, int64_t features) {
    enum { COLUMNS = 16 };
    double elements = (double)batch * (double)hlo_units(features, COLUMNS);
    for (uint32_t d = 0; d < c->spatial; d++) {
        int64_t rows = d == c->spatial - 1 ? HLO_GEMM_ROWS : 1;
        elements *= (double)hlo_smaller(window[d], input[d] + rows - 1);
    }
    return elements;
}

/* Only for windows that are larger than the input, and what takes half the time at most. */
static bool gains(const hlo_preparation *p, const hlo_convolution *c) {
    const int64_t *input = shape_of(p, 0)->dims, *kernel = shape_of(p, 1)->dims;
    int64_t *sizes = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    int64_t *window = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    double of_input = 1, of_window = 1;
    for (uint32_t d = 0; d < c->spatial; d++) {
        of_input *= (double)(sizes[d] = input[c->labels->input_spatial[d]]);
        of_window *= (double)(window[d] = kernel[c->labels->kernel_spatial[d]]);
    }
    int64_t batch = input[c->labels->input_batch];
    int64_t features = kernel[c->labels->kernel_output_feature];
    return of_window > of_input &&
           2 * cost(c, window, sizes, features, batch) < cost(c, sizes, window, batch, features);
}

/* Place o of the result meets element w of the window and i of the input where
 * o + w * window_dilation - pad_low = i * base_dilation. Solved for w, either i or o counts down:
 * i where the window was reversed, so that w does. */
static bool exchange_dim(hlo_window_dim *dim, int64_t input, int64_t out) {
    hlo_window_dim old = *dim;
    int64_t window_reach = (old.size - 1) * old.window_dilation;
    int64_t input_reach = (input - 1) * old.base_dilation;
    dim->size = input;
    dim->base_dilation = old.window_dilation;
    dim->window_dilation = old.base_dilation;
    dim->pad_low = old.reversed ? input_reach - window_reach + old.pad_low : out - 1 - old.pad_low;
    dim->pad_high = out - 1 + input_reach - window_reach - dim->pad_low;
    return !old.reversed;
}

void hlo_exchange_operands(hlo_preparation *p, hlo_convolution *c) {
    if (!can_exchange(p, c) || !gains(p, c)) return;
    const hlo_dim_labels *given = c->given_labels;
    const int64_t *input = shape_of(p, 0)->dims, *out = p->instr->shape->dims;
    for (uint32_t d = 0; d < c->spatial; d++)
        c->turned[d] = exchange_dim(&c->window[d], input[given->input_spatial[d]],
                                    out[given->output_spatial[d]]);
    hlo_dim_labels *labels = HLO_NEW_ARRAY(p->arena, hlo_dim_labels, 1);
    *labels = (hlo_dim_labels){
        .n = given->n,
        .input_batch = given->kernel_output_feature,
        .input_feature = given->kernel_input_feature,
        .kernel_input_feature = given->input_feature,
        .kernel_output_feature = given->input_batch,
        .output_batch = given->output_feature,
        .output_feature = given->output_batch,
        .input_spatial = given->kernel_spatial,
        .kernel_spatial = given->input_spatial,
        .output_spatial = given->output_spatial,
    };
    c->labels = labels;
    c->input_at = 1;
    c->kernel_at = 0;
}
