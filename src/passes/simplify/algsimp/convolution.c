/* algsimp: what moves data before or after a convolution and can be expressed by its window and its
 * dimension labels instead. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* A copy to be changed, with one entry per spatial dimension even where the attribute is absent. */
static hlo_window *copy_window(hlo_rewriter *r, const hlo_instr *conv) {
    uint32_t n = hlo_labels_of(conv)->n;
    const hlo_attr *attr = hlo_instr_attr(conv, HLO_ATTR_WINDOW);
    hlo_window *window =
        hlo_arena_zero(&r->module->arena, sizeof *window + n * sizeof window->v[0]);
    window->n = n;
    for (uint32_t i = 0; i < n; i++)
        window->v[i] = attr ? attr->u.window->v[i]
                            : (hlo_window_dim){
                                  .size = 1, .stride = 1, .base_dilation = 1, .window_dilation = 1};
    return window;
}

static hlo_instr *with_window(hlo_rewriter *r, const hlo_instr *conv, uint32_t side,
                              hlo_instr *operand, const hlo_window *window) {
    hlo_instr *by = hlo_emit_with_operand(r, conv, side, operand);
    hlo_instr_set_attr(by, (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window});
    return by;
}

/* The spatial dimension at that position; -1: none. */
static int spatial_at(const int64_t *places, uint32_t n, int64_t place) {
    for (uint32_t i = 0; i < n; i++)
        if (places[i] == place) return (int)i;
    return -1;
}

/* ---- padding ---- */

/* Padding of one dimension as the window's: interior zeros become a dilation, if there was none;
 * the old padding is added outside. */
static bool pad_in_window(hlo_window_dim *d, int64_t low, int64_t high, int64_t interior) {
    if (interior && d->base_dilation != 1) return false;
    if ((low || high) && d->base_dilation != 1) return false;
    if (low < 0 || high < 0) return false;
    if (__builtin_add_overflow(d->pad_low, low, &d->pad_low)) return false;
    if (__builtin_add_overflow(d->pad_high, high, &d->pad_high)) return false;
    d->base_dilation += interior;
    return true;
}

/* Products of the zeros of a pad with infinities and nans are nans; a window has no such products.
 */
static bool may_skip_zeros(const hlo_rewriter *r, const hlo_instr *conv) {
    return hlo_is_integral(conv) || hlo_is_fast_math(r);
}

hlo_instr *hlo_rewrite_convolution_of_padded_input(hlo_rewriter *r, hlo_instr *conv) {
    const hlo_instr *pad = hlo_operand(conv, 0);
    if (!may_skip_zeros(r, conv)) return NULL;
    if (pad->opcode != HLO_OP_PAD || !hlo_is_all(hlo_operand(pad, 1), 0)) return NULL;
    if (!hlo_shape_elements(hlo_operand(pad, 0)->shape)) return NULL;
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    const hlo_dim_labels *labels = hlo_labels_of(conv);
    hlo_window *window = copy_window(r, conv);
    for (uint32_t d = 0; d < padding->n; d++) {
        int64_t low = padding->v[d].low, high = padding->v[d].high;
        int64_t interior = padding->v[d].interior;
        if (!low && !high && !interior) continue;
        int spatial = spatial_at(labels->input_spatial, labels->n, d);
        if (spatial < 0 || !pad_in_window(&window->v[spatial], low, high, interior)) return NULL;
    }
    return with_window(r, conv, 0, hlo_operand(pad, 0), window);
}

/* Zeros between the elements of the kernel are a dilation. */
hlo_instr *hlo_rewrite_convolution_of_spread_kernel(hlo_rewriter *r, hlo_instr *conv) {
    const hlo_instr *pad = hlo_operand(conv, 1);
    if (!may_skip_zeros(r, conv)) return NULL;
    if (pad->opcode != HLO_OP_PAD || !hlo_is_all(hlo_operand(pad, 1), 0)) return NULL;
    const hlo_padding *padding = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    const hlo_shape *kernel = hlo_operand(pad, 0)->shape;
    const hlo_dim_labels *labels = hlo_labels_of(conv);
    hlo_window *window = copy_window(r, conv);
    if (!hlo_shape_elements(kernel)) return NULL;
    for (uint32_t d = 0; d < padding->n; d++) {
        if (padding->v[d].low || padding->v[d].high) return NULL;
        if (!padding->v[d].interior) continue;
        int spatial = spatial_at(labels->kernel_spatial, labels->n, d);
        if (spatial < 0 || window->v[spatial].window_dilation != 1) return NULL;
        window->v[spatial].size = kernel->dims[d];
        window->v[spatial].window_dilation = 1 + padding->v[d].interior;
    }
    return with_window(r, conv, 1, hlo_operand(pad, 0), window);
}

/* ---- reverse, strides ---- */

hlo_instr *hlo_rewrite_convolution_of_reversed_kernel(hlo_rewriter *r, hlo_instr *conv) {
    const hlo_instr *reverse = hlo_operand(conv, 1);
    if (reverse->opcode != HLO_OP_REVERSE) return NULL;
    const hlo_ints *dims = hlo_attr_ints(reverse, HLO_ATTR_DIMENSIONS);
    const hlo_dim_labels *labels = hlo_labels_of(conv);
    hlo_window *window = copy_window(r, conv);
    for (uint32_t i = 0; i < dims->n; i++) {
        int spatial = spatial_at(labels->kernel_spatial, labels->n, dims->v[i]);
        if (spatial < 0) return NULL;
        window->v[spatial].reversed = !window->v[spatial].reversed;
    }
    return with_window(r, conv, 1, hlo_operand(reverse, 0), window);
}

/* The window fills the padded input: there is only one place for it. */
static bool is_whole(const hlo_window_dim *d, int64_t input) {
    int64_t base = (input - 1) * d->base_dilation + 1 + d->pad_low + d->pad_high;
    return base == (d->size - 1) * d->window_dilation + 1;
}

/* One window does not move, one element is not reversed, and nothing lies between one element. */
static bool tidy_dim(hlo_window_dim *d, int64_t input) {
    hlo_window_dim old = *d;
    if (is_whole(d, input)) d->stride = 1;
    if (d->size == 1) {
        d->reversed = false;
        d->window_dilation = 1;
    }
    if (input == 1) d->base_dilation = 1;
    return old.stride != d->stride || old.reversed != d->reversed ||
           old.window_dilation != d->window_dilation || old.base_dilation != d->base_dilation;
}

hlo_instr *hlo_rewrite_convolution_plain_window(hlo_rewriter *r, hlo_instr *conv) {
    hlo_instr *input = hlo_operand(conv, 0);
    if (!hlo_instr_attr(conv, HLO_ATTR_WINDOW) || !hlo_shape_elements(input->shape)) return NULL;
    const hlo_dim_labels *labels = hlo_labels_of(conv);
    hlo_window *window = copy_window(r, conv);
    bool changed = false;
    for (uint32_t i = 0; i < window->n; i++)
        changed |= tidy_dim(&window->v[i], input->shape->dims[labels->input_spatial[i]]);
    return changed ? with_window(r, conv, 0, input, window) : NULL;
}

/* ---- transposes ---- */

static const int64_t *mapped(hlo_rewriter *r, const int64_t *places, uint32_t n,
                             const int64_t *order) {
    hlo_ints *new_places = hlo_ints_new(&r->module->arena, n);
    for (uint32_t i = 0; i < n; i++) new_places->v[i] = order[places[i]];
    return new_places->v;
}

static hlo_instr *with_labels(hlo_rewriter *r, const hlo_instr *conv, const hlo_shape *shape,
                              hlo_instr *input, hlo_instr *kernel, hlo_dim_labels labels) {
    hlo_instr *by = hlo_emit_like(r, conv, shape, (hlo_instr *[]){input, kernel}, 2);
    const hlo_dim_labels *kept = hlo_arena_copy(&r->module->arena, &labels, sizeof labels);
    hlo_instr_set_attr(by, (hlo_attr){.id = HLO_ATTR_DIM_LABELS, .u.dim_labels = kept});
    return by;
}

/* Dimension d of transpose(A) is dimension order[d] of A. */
hlo_instr *hlo_rewrite_convolution_of_transposed_input(hlo_rewriter *r, hlo_instr *conv) {
    const hlo_instr *transpose = hlo_operand(conv, 0);
    if (transpose->opcode != HLO_OP_TRANSPOSE) return NULL;
    const int64_t *order = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS)->v;
    hlo_dim_labels labels = *hlo_labels_of(conv);
    labels.input_batch = order[labels.input_batch];
    labels.input_feature = order[labels.input_feature];
    labels.input_spatial = mapped(r, labels.input_spatial, labels.n, order);
    return with_labels(r, conv, conv->shape, hlo_operand(transpose, 0), hlo_operand(conv, 1),
                       labels);
}

hlo_instr *hlo_rewrite_convolution_of_transposed_kernel(hlo_rewriter *r, hlo_instr *conv) {
    const hlo_instr *transpose = hlo_operand(conv, 1);
    if (transpose->opcode != HLO_OP_TRANSPOSE) return NULL;
    const int64_t *order = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS)->v;
    hlo_dim_labels labels = *hlo_labels_of(conv);
    labels.kernel_input_feature = order[labels.kernel_input_feature];
    labels.kernel_output_feature = order[labels.kernel_output_feature];
    labels.kernel_spatial = mapped(r, labels.kernel_spatial, labels.n, order);
    return with_labels(r, conv, conv->shape, hlo_operand(conv, 0), hlo_operand(transpose, 0),
                       labels);
}

hlo_instr *hlo_rewrite_transpose_of_convolution(hlo_rewriter *r, hlo_instr *transpose) {
    const hlo_instr *conv = hlo_operand(transpose, 0);
    if (conv->opcode != HLO_OP_CONVOLUTION || !hlo_has_one_user(conv)) return NULL;
    hlo_dim_labels labels = *hlo_labels_of(conv);
    hlo_ints *place = hlo_ints_new(&r->module->arena, transpose->shape->rank);
    hlo_invert_order(hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS), place->v);
    labels.output_batch = place->v[labels.output_batch];
    labels.output_feature = place->v[labels.output_feature];
    labels.output_spatial = mapped(r, labels.output_spatial, labels.n, place->v);
    return with_labels(r, conv, transpose->shape, hlo_operand(conv, 0), hlo_operand(conv, 1),
                       labels);
}

/* ---- products ---- */

/* Each window is one element, and each element has one. */
static bool is_pointwise(const hlo_instr *conv) {
    const hlo_attr *attr = hlo_instr_attr(conv, HLO_ATTR_WINDOW);
    for (uint32_t i = 0; attr && i < attr->u.window->n; i++) {
        const hlo_window_dim *d = &attr->u.window->v[i];
        if (d->size != 1 || d->stride != 1 || d->pad_low || d->pad_high || d->base_dilation != 1)
            return false;
    }
    return hlo_attr_int(conv, HLO_ATTR_FEATURE_GROUP_COUNT) == 1 &&
           hlo_attr_int(conv, HLO_ATTR_BATCH_GROUP_COUNT) == 1 && !hlo_has_sparse_operand(conv) &&
           !hlo_instr_attr(conv, HLO_ATTR_OPERAND_PRECISION);
}

/* The output has the input's dimensions in their order, with the features last: what dot leaves. */
static bool has_order_of_dot(const hlo_instr *conv) {
    const hlo_dim_labels *labels = hlo_labels_of(conv);
    int64_t feature = labels->input_feature, rank = conv->shape->rank;
    if (labels->output_feature != rank - 1) return false;
    if (labels->output_batch != labels->input_batch - (labels->input_batch > feature)) return false;
    for (uint32_t i = 0; i < labels->n; i++) {
        int64_t place = labels->input_spatial[i];
        if (labels->output_spatial[i] != place - (place > feature)) return false;
    }
    return rank == hlo_operand(conv, 0)->shape->rank;
}

hlo_instr *hlo_rewrite_convolution_to_dot(hlo_rewriter *r, hlo_instr *conv) {
    const hlo_dim_labels *labels = hlo_labels_of(conv);
    hlo_instr *kernel = hlo_operand(conv, 1);
    bool fits = is_pointwise(conv) && has_order_of_dot(conv) &&
                kernel->shape->rank == labels->n + 2 && kernel->shape->type == conv->shape->type &&
                hlo_operand(conv, 0)->shape->type == conv->shape->type;
    if (!fits) return NULL;
    bool input_first = labels->kernel_input_feature < labels->kernel_output_feature;
    int64_t sizes[2] = {kernel->shape->dims[labels->kernel_output_feature],
                        kernel->shape->dims[labels->kernel_output_feature]};
    sizes[input_first ? 0 : 1] = kernel->shape->dims[labels->kernel_input_feature];
    hlo_instr *matrix = labels->n ? hlo_build_reshape(r, kernel, sizes, 2) : kernel;
    int64_t contracted = input_first ? 0 : 1;
    hlo_attr attrs[] = {
        hlo_attr_of_ints(r, HLO_ATTR_LHS_CONTRACTING_DIMS, &labels->input_feature, 1),
        hlo_attr_of_ints(r, HLO_ATTR_RHS_CONTRACTING_DIMS, &contracted, 1)};
    hlo_instr *operands[] = {hlo_operand(conv, 0), matrix};
    return hlo_emit(r, HLO_OP_DOT, conv->shape, operands, 2, attrs, 2);
}
