/* convolution: operands are brought to [batch, spatial..., feature] and [window..., input, output];
 * windows meet the kernel in matrix products (convolution_tiles.c), or element by element where
 * there are many small groups (convolution_groups.c). */
#include "eval/kernels/convolution/convolution.h"

#include "base/blocks.h"
#include "eval/kernel/dynamic.h"

/* ---- setting up ---- */

/* The order that brings dimensions to first, spatial..., last. */
static void channels_last(uint32_t *order, uint32_t n, int64_t first, const int64_t *spatial,
                          int64_t last) {
    order[0] = (uint32_t)first;
    for (uint32_t i = 0; i < n; i++) order[1 + i] = (uint32_t)spatial[i];
    order[1 + n] = (uint32_t)last;
}

static void input_order(uint32_t *order, const hlo_convolution *c) {
    const hlo_dim_labels *labels = c->labels;
    if (!c->batch_groups || !hlo_convolution_is_grouped(c)) {
        channels_last(order, c->spatial, labels->input_batch, labels->input_spatial,
                      labels->input_feature);
        return;
    }
    for (uint32_t i = 0; i < c->spatial; i++) order[i] = (uint32_t)labels->input_spatial[i];
    order[c->spatial] = (uint32_t)labels->input_feature;
    order[c->spatial + 1] = (uint32_t)labels->input_batch;
}

static void kernel_order(uint32_t *order, const hlo_dim_labels *labels) {
    for (uint32_t i = 0; i < labels->n; i++) order[i] = (uint32_t)labels->kernel_spatial[i];
    order[labels->n] = (uint32_t)labels->kernel_input_feature;
    order[labels->n + 1] = (uint32_t)labels->kernel_output_feature;
}

/* The walk that turns the window dimensions of a packed kernel around that the window reverses. */
static void prepare_reversal(hlo_preparation *p, hlo_convolution *c) {
    int64_t unit = c->in_group * c->out_features, stride = unit * c->bytes;
    int64_t *strides = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    for (uint32_t d = 0; d < c->spatial; d++) c->reverses |= c->window[d].reversed;
    if (!c->reverses) return;
    for (uint32_t d = c->spatial; d-- > 0; stride *= c->window[d].size) strides[d] = stride;
    hlo_walk_init(&c->reverse, 2);
    for (uint32_t d = 0; d < c->spatial; d++) {
        const hlo_window_dim *dim = &c->window[d];
        c->reverse.at[1] += dim->reversed ? (dim->size - 1) * strides[d] : 0;
        hlo_walk_dim2(&c->reverse, dim->size, strides[d], dim->reversed ? -strides[d] : strides[d]);
    }
    hlo_walk_dim2(&c->reverse, unit, c->bytes, c->bytes);
    c->reversed_at = hlo_prepare_scratch(p, (size_t)(c->window_volume * unit * c->bytes));
}

static void set_sizes(hlo_convolution *c, const hlo_instr *instr) {
    const hlo_dim_labels *labels = c->labels;
    const int64_t *input = hlo_operand(instr, c->input_at)->shape->dims;
    const int64_t *kernel = hlo_operand(instr, c->kernel_at)->shape->dims;
    const int64_t *out = instr->shape->dims;
    int64_t feature_groups = hlo_attr_int(instr, HLO_ATTR_FEATURE_GROUP_COUNT);
    int64_t batch_groups = hlo_attr_int(instr, HLO_ATTR_BATCH_GROUP_COUNT);
    c->groups = c->batch_groups ? batch_groups : feature_groups;
    c->out_batch = out[labels->output_batch];
    c->features = input[labels->input_feature];
    c->in_group = kernel[labels->kernel_input_feature];
    c->out_features = out[labels->output_feature];
    c->out_group = c->out_features / c->groups;
    c->run = c->in_group;
    c->window_volume = c->out_volume = c->input_volume = 1;
    for (uint32_t d = 0; d < c->spatial; d++) {
        c->input_sizes[d] = input[labels->input_spatial[d]];
        c->out_sizes[d] = out[labels->output_spatial[d]];
        c->window_volume *= c->window[d].size;
        c->input_volume *= c->input_sizes[d];
        c->out_volume *= c->out_sizes[d];
    }
}

/* Elements meet in pairs along the features where that is possible. */
static void set_types(hlo_convolution *c, hlo_type input, hlo_type kernel) {
    hlo_type pair = hlo_gemm_pair(input, kernel, c->type);
    c->pairs = pair != HLO_TYPE_COUNT && c->in_group % 2 == 0 && !hlo_convolution_is_grouped(c);
    c->stored = c->pairs ? pair : c->type;
    c->bytes = hlo_types[c->stored].bytes;
    c->sum_bytes = hlo_types[c->type].bytes;
}

/* The length of the last dimension with its padding as zeros. */
static int64_t padded_length(const hlo_window_dim *dim, int64_t size) {
    HLO_ASSERT(size >= 0);
    return dim->pad_low + size + dim->pad_high;
}

/* Whether windows should be read as runs along the last dimension: few features would be runs too
 * short by themselves. Zeros for padding must not be much more than the input. */
static bool joins_last(const hlo_convolution *c) {
    enum { FEW_FEATURES = 16, MOST_ZEROS = 64 };
    if (!c->spatial || c->features != c->in_group || c->features > FEW_FEATURES) return false;
    const hlo_window_dim *dim = &c->window[c->spatial - 1];
    int64_t size = c->input_sizes[c->spatial - 1], most = 2 * size + MOST_ZEROS;
    return dim->size > 1 && dim->window_dilation == 1 && dim->pad_low >= 0 && dim->pad_high >= 0 &&
           dim->pad_low < most && dim->pad_high < most && dim->base_dilation == 1 &&
           padded_length(dim, size) <= most;
}

/* The walk from the input to one whose last dimension is `length` long. */
static void prepare_padding(hlo_preparation *p, hlo_convolution *c, int64_t batches,
                            int64_t length) {
    const hlo_window_dim *dim = &c->window[c->spatial - 1];
    int64_t size = c->input_sizes[c->spatial - 1], lines = c->input_volume / size * batches;
    int64_t step = c->features * c->bytes;
    hlo_walk_init(&c->pad, 2);
    c->pad.at[0] = dim->pad_low * step;
    hlo_walk_dim2(&c->pad, lines, length * step, size * step);
    hlo_walk_dim2(&c->pad, size, step, step);
    hlo_walk_dim2(&c->pad, c->features, c->bytes, c->bytes);
    c->pads = true;
    c->padded_bytes = lines * length * step;
    c->padded_at = hlo_prepare_scratch(p, (size_t)c->padded_bytes);
}

/* From here on the window is one element long in the last dimension. */
static void prepare_joining(hlo_preparation *p, hlo_convolution *c, int64_t batches) {
    if (hlo_convolution_is_grouped(c) || !joins_last(c)) return;
    hlo_window_dim *dim = &c->window[c->spatial - 1];
    int64_t *size = &c->input_sizes[c->spatial - 1], length = padded_length(dim, *size);
    if (length != *size) prepare_padding(p, c, batches, length);
    c->input_volume = c->input_volume / *size * length;
    *size = length;
    c->run *= dim->size;
    c->window_volume /= dim->size;
    c->joined = *dim;
    c->is_joined = true;
    *dim = (hlo_window_dim){
        .size = 1, .stride = dim->stride, .window_dilation = 1, .base_dilation = 1};
}

/* Whether the result's dimensions are [batch, spatial..., feature]. */
static bool is_in_order(const hlo_convolution *c) {
    for (uint32_t d = 0; d < c->spatial; d++)
        if (c->labels->output_spatial[d] != d + 1 || c->turned[d]) return false;
    return c->labels->output_batch == 0;
}

/* The result has its own order, and perhaps another type. */
static void prepare_store(hlo_preparation *p, hlo_convolution *c) {
    const hlo_shape *out = p->instr->shape;
    hlo_prepare_accumulators(p, &c->result, out, c->type);
    if (is_in_order(c)) return;
    int64_t *to = HLO_NEW_ARRAY(p->arena, int64_t, out->rank);
    int64_t from = c->sum_bytes * c->out_features * c->out_volume;
    hlo_row_major(out, c->sum_bytes, to);
    hlo_walk_init(&c->store, 2);
    hlo_walk_dim2(&c->store, c->out_batch, to[c->labels->output_batch], from);
    for (uint32_t d = 0; d < c->spatial; d++) {
        from /= c->out_sizes[d];
        if (c->turned[d]) c->store.at[1] += (c->out_sizes[d] - 1) * from;
        hlo_walk_dim2(&c->store, c->out_sizes[d], to[c->labels->output_spatial[d]],
                      c->turned[d] ? -from : from);
    }
    hlo_walk_dim2(&c->store, c->out_features, to[c->labels->output_feature], c->sum_bytes);
    c->stores = true;
    c->sums_at = hlo_prepare_scratch(p, (size_t)(hlo_shape_elements(out) * c->sum_bytes));
}

/* After joining. */
static void prepare_steps(hlo_preparation *p, hlo_convolution *c) {
    int64_t window = 1, input = 1;
    c->steps = HLO_NEW_ARRAY(p->arena, hlo_window_steps, c->spatial + 1);
    for (uint32_t d = c->spatial; d-- > 0;) {
        c->steps[d] = hlo_steps_of_window(&c->window[d]);
        c->steps[d].window_stride = window;
        c->steps[d].input_stride = input;
        c->steps[d].window_step = c->steps[d].element * window;
        c->steps[d].input_step = c->steps[d].input * input;
        window *= c->window[d].size;
        input *= c->input_sizes[d];
    }
    c->inner = c->spatial > 1 && c->is_joined ? c->spatial - 2 : c->spatial ? c->spatial - 1 : 0;
    c->live_at = hlo_prepare_scratch(p, (c->spatial + 1) * sizeof(int64_t));
}

static void prepare_arrays(hlo_preparation *p, hlo_convolution *c) {
    hlo_exchange_operands(p, c);
    const hlo_shape *input = hlo_operand(p->instr, c->input_at)->shape;
    const hlo_shape *kernel = hlo_operand(p->instr, c->kernel_at)->shape;
    uint32_t *order = HLO_NEW_ARRAY(p->arena, uint32_t, c->spatial + 2);
    c->input_sizes = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    c->out_sizes = HLO_NEW_ARRAY(p->arena, int64_t, c->spatial);
    set_sizes(c, p->instr);
    set_types(c, (hlo_type)input->type, (hlo_type)kernel->type);
    input_order(order, c);
    hlo_prepare_packing(p, &c->pack_input, input, (hlo_type)input->type, order, c->stored);
    kernel_order(order, c->labels);
    hlo_prepare_packing(p, &c->pack_kernel, kernel, (hlo_type)kernel->type, order, c->stored);
    prepare_reversal(p, c);
    prepare_store(p, c);
    c->joined = (hlo_window_dim){.size = 1};
    prepare_joining(p, c, input->dims[c->labels->input_batch]);
    prepare_steps(p, c);
    if (hlo_convolution_is_grouped(c)) hlo_prepare_convolution_groups(p, c);
    else hlo_prepare_convolution_tiles(p, c);
}

bool hlo_check_dense_operands(hlo_preparation *p) {
    const hlo_attr *sparsity = hlo_instr_attr(p->instr, HLO_ATTR_SPARSITY_CONFIG);
    const hlo_shape *kernel = hlo_operand(p->instr, 1)->shape;
    if (hlo_shape_is_array(kernel) &&
        !(sparsity && (sparsity->u.sparsity->lhs.given || sparsity->u.sparsity->rhs.given)))
        return true;
    return hlo_prepare_error(p, HLO_RULE_UNSUPPORTED, "has a sparse operand");
}

/* Products of an integer and a float are defined by no one: XLA's verifier takes them, its
 * compilers do not. */
bool hlo_check_convolution_types(hlo_preparation *p) {
    hlo_type lhs = (hlo_type)hlo_operand(p->instr, 0)->shape->type;
    hlo_type rhs = (hlo_type)hlo_operand(p->instr, 1)->shape->type;
    bool is_float = hlo_types[lhs].class >= HLO_CLASS_FLOAT;
    if (is_float == (hlo_types[rhs].class >= HLO_CLASS_FLOAT)) return true;
    return hlo_prepare_error(p, HLO_RULE_RUN,
                             "has operands of %s and %s: expected one element type",
                             hlo_types[lhs].text, hlo_types[rhs].text);
}

static bool prepare_convolution(hlo_preparation *p) {
    if (!hlo_check_dense_operands(p) || !hlo_check_convolution_types(p)) return false;
    const hlo_attr *window = hlo_instr_attr(p->instr, HLO_ATTR_WINDOW);
    const hlo_shape *input = hlo_operand(p->instr, 0)->shape;
    const hlo_shape *kernel = hlo_operand(p->instr, 1)->shape;
    hlo_convolution *c = HLO_NEW_STATE(p, hlo_convolution);
    c->labels = c->given_labels = hlo_instr_attr(p->instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    c->batch_groups = hlo_attr_int(p->instr, HLO_ATTR_BATCH_GROUP_COUNT) > 1;
    c->kernel_at = 1;
    c->spatial = c->labels->n;
    c->window = HLO_NEW_ARRAY(p->arena, hlo_window_dim, c->spatial);
    hlo_window_dim *given = HLO_NEW_ARRAY(p->arena, hlo_window_dim, c->spatial);
    for (uint32_t d = 0; d < c->spatial; d++) c->window[d] = given[d] = window->u.window->v[d];
    c->given_window = given;
    c->turned = HLO_NEW_ARRAY(p->arena, bool, c->spatial);
    c->type = hlo_product_type((hlo_type)input->type, (hlo_type)kernel->type,
                               (hlo_type)p->instr->shape->type);
    c->is_empty = hlo_shape_elements(input) <= 0 || hlo_shape_elements(kernel) <= 0 ||
                  hlo_shape_elements(p->instr->shape) <= 0;
    if (!c->is_empty) prepare_arrays(p, c);
    p->state = c;
    return true;
}

/* ---- running ---- */

/* Packed strips may be there from an earlier call. */
static void take_kernel(hlo_convolution *c, const void *kernel) {
    c->cached_now = hlo_call_cached(c->call, c->cached);
    c->strips = c->cached_now.data ? c->cached_now.data : (char *)c->call->scratch + c->strips_at;
    if (c->cached_now.is_made) return;
    c->kernel = hlo_pack(&c->pack_kernel, c->call, kernel);
    if (c->reverses) {
        char *reversed = (char *)c->call->scratch + c->reversed_at;
        hlo_copy_walk(&c->reverse, reversed, c->kernel, (uint32_t)c->bytes);
        c->kernel = reversed;
    }
}

static void pad_input(hlo_convolution *c) {
    char *padded = (char *)c->call->scratch + c->padded_at;
    hlo_zero_bytes(padded, (size_t)c->padded_bytes);
    hlo_copy_walk(&c->pad, padded, c->input, (uint32_t)c->bytes);
    c->input = padded;
}

/* How much of the input's dimensions is there at run time. One that was joined is whole: it has
 * zeros. */
static void set_live_sizes(hlo_convolution *c) {
    c->live_sizes = (int64_t *)((char *)c->call->scratch + c->live_at);
    for (uint32_t d = 0; d < c->spatial; d++) {
        int64_t live =
            hlo_value_size(c->call->in[c->input_at], (uint32_t)c->labels->input_spatial[d]);
        bool was_joined = c->is_joined && d == c->spatial - 1;
        c->live_sizes[d] = was_joined ? c->input_sizes[d] : live;
        c->live_sizes[c->spatial] = live;
    }
}

static void convolve_arrays(const hlo_convolution *state, const hlo_call *call,
                            const hlo_value *const *operands) {
    hlo_convolution c = *state;
    char *ordered = hlo_accumulators_at(&c.result, call, call->out);
    c.call = call;
    set_live_sizes(&c);
    c.input = hlo_pack(&c.pack_input, call, operands[c.input_at]->data);
    take_kernel(&c, operands[c.kernel_at]->data);
    c.sums = c.stores ? (char *)call->scratch + c.sums_at : ordered;
    if (c.pads) pad_input(&c);
    if (hlo_convolution_is_grouped(&c)) hlo_convolve_groups(&c);
    else hlo_convolve_tiles(&c);
    if (c.stores) hlo_copy_walk(&c.store, ordered, c.sums, (uint32_t)c.sum_bytes);
    int64_t first = call->follower ? c.hands_on : 0;
    hlo_accumulators_finish_part(&c.result, call->out, ordered, first, c.result.elements);
}

static bool run_convolution(hlo_call *call) {
    const hlo_convolution *state = call->state;
    if (!hlo_check_convolution_sizes(call, state->given_labels, state->batch_groups)) return false;
    hlo_set_convolution_sizes(call, state->given_labels, state->given_window);
    if (state->is_empty) {
        hlo_value_clear(call->out);
        return true;
    }
    hlo_value *input = hlo_live_convolved(state, call, 0);
    hlo_value *kernel = hlo_live_convolved(state, call, 1);
    if (input && kernel) convolve_arrays(state, call, (const hlo_value *[]){input, kernel});
    hlo_value_release(input);
    hlo_value_release(kernel);
    return input && kernel;
}

const hlo_kernel hlo_kernel_convolution = {prepare_convolution, run_convolution};
