/* Reductions, windows, convolutions and sorts of builders. */
#include "build/builder.h"

/* ---- windows ---- */

/* Lists that may be empty, for as many dimensions. */
typedef struct {
    hlo_int_list sizes, strides, low, high, base_dilations, window_dilations;
    bool is_same; /* padding by the rule, for which operand_sizes are known */
    const int64_t *operand_sizes;
} window_spec;

static int64_t entry(hlo_int_list list, size_t i, int64_t otherwise) {
    return list.count ? list.values[i] : otherwise;
}

static bool fits(hlo_int_list list, size_t n) {
    return !list.count || list.count == n;
}

void hlo_builder_pad_same(hlo_window_dim *dim, int64_t size) {
    if (dim->stride < 1) return; /* inference reports it */
    int64_t positions = size / dim->stride + (size % dim->stride != 0);
    int64_t reach = (dim->size - 1) * dim->window_dilation + 1;
    int64_t total = (positions - 1) * dim->stride + reach - size;
    dim->pad_low = total > 0 ? total / 2 : 0;
    dim->pad_high = total > 0 ? total - dim->pad_low : 0;
}

/* Sizes out of range are not multiplied; the window is refused by inference for its own numbers. */
static bool check_spec(hlo_builder *b, const window_spec *s) {
    size_t n = s->sizes.count;
    bool good = fits(s->strides, n) && fits(s->low, n) && fits(s->high, n) &&
                fits(s->base_dilations, n) && fits(s->window_dilations, n);
    for (size_t i = 0; i < n && good && s->is_same; i++)
        good = s->sizes.values[i] > 0 && s->sizes.values[i] < INT32_MAX &&
               entry(s->window_dilations, i, 1) > 0 &&
               entry(s->window_dilations, i, 1) < INT32_MAX && s->operand_sizes[i] >= 0 &&
               s->operand_sizes[i] < INT64_MAX / 4;
    if (!good)
        hlo_builder_fail(b, HLO_RULE_WINDOW,
                         "window: lists that are not empty have a number in range for each of %zu "
                         "dimensions",
                         n);
    return good;
}

static hlo_attr window_of(hlo_builder *b, const window_spec *s) {
    size_t n = s->sizes.count;
    hlo_window *window =
        hlo_arena_zero(&b->module->arena, sizeof *window + n * sizeof window->v[0]);
    window->n = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        hlo_window_dim *dim = &window->v[i];
        *dim = (hlo_window_dim){.size = s->sizes.values[i],
                                .stride = entry(s->strides, i, 1),
                                .pad_low = entry(s->low, i, 0),
                                .pad_high = entry(s->high, i, 0),
                                .base_dilation = entry(s->base_dilations, i, 1),
                                .window_dilation = entry(s->window_dilations, i, 1)};
        int64_t size = s->is_same ? s->operand_sizes[i] : 0, d = dim->base_dilation;
        if (s->is_same && size && !__builtin_mul_overflow(size - 1, d, &size)) size++;
        if (s->is_same) hlo_builder_pad_same(dim, size);
    }
    return n ? (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = window} : hlo_builder_no_attr();
}

/* ---- reductions ---- */

static hlo_instrs_list with_inits(hlo_builder *b, hlo_instrs_list operands, hlo_instrs_list inits) {
    size_t n = operands.count;
    const hlo_instr **all = HLO_NEW_ARRAY(&b->module->arena, const hlo_instr *, 2 * n);
    for (size_t i = 0; i < n; i++) {
        all[i] = operands.values[i];
        all[n + i] = inits.values[i];
    }
    return (hlo_instrs_list){2 * n, all};
}

static bool check_inits(hlo_builder *b, const char *function, hlo_instrs_list operands,
                        hlo_instrs_list inits) {
    if (!hlo_builder_has_list(b, function, operands) || !hlo_builder_has_list(b, function, inits))
        return false;
    if (operands.count && operands.count == inits.count) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_COUNT, "%s: %zu operands and %zu initial values", function,
                     operands.count, inits.count);
    return false;
}

const hlo_instr *hlo_builder_reduce(hlo_builder *b, hlo_instrs_list operands,
                                    hlo_instrs_list init_values, const hlo_computation *computation,
                                    hlo_int_list dimensions) {
    HLO_BUILDER_TAKES(b, computation);
    if (!check_inits(b, __func__, operands, init_values)) return NULL;
    return hlo_builder_made(b, HLO_OP_REDUCE, NULL, with_inits(b, operands, init_values),
                            HLO_ATTRS(hlo_builder_ints(b, HLO_ATTR_DIMENSIONS, dimensions),
                                      hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

static const hlo_instr *window_reduced(hlo_builder *b, const char *function,
                                       hlo_instrs_list operands, hlo_instrs_list inits,
                                       const hlo_computation *computation, window_spec spec) {
    if (!check_inits(b, function, operands, inits)) return NULL;
    const hlo_shape *shape = operands.values[0]->shape;
    if (!hlo_shape_is_array(shape) || shape->rank != spec.sizes.count)
        return hlo_builder_fail(b, HLO_RULE_WINDOW,
                                "reduce-window: a window of %zu dimensions over %s",
                                spec.sizes.count, hlo_shape_name(&b->module->arena, shape));
    spec.operand_sizes = shape->dims;
    if (!check_spec(b, &spec)) return NULL;
    return hlo_builder_made(
        b, HLO_OP_REDUCE_WINDOW, NULL, with_inits(b, operands, inits),
        HLO_ATTRS(window_of(b, &spec), hlo_builder_callee(HLO_ATTR_TO_APPLY, computation)));
}

const hlo_instr *hlo_builder_reduce_window(
    hlo_builder *b, hlo_instrs_list operands, hlo_instrs_list init_values,
    const hlo_computation *computation, hlo_int_list window_dimensions, hlo_int_list window_strides,
    hlo_int_list base_dilations, hlo_int_list window_dilations, hlo_padding_rule padding) {
    HLO_BUILDER_TAKES(b, computation);
    return window_reduced(b, __func__, operands, init_values, computation,
                          (window_spec){.sizes = window_dimensions,
                                        .strides = window_strides,
                                        .base_dilations = base_dilations,
                                        .window_dilations = window_dilations,
                                        .is_same = padding == HLO_PAD_SAME});
}

const hlo_instr *hlo_builder_reduce_window_padded(
    hlo_builder *b, hlo_instrs_list operands, hlo_instrs_list init_values,
    const hlo_computation *computation, hlo_int_list window_dimensions, hlo_int_list window_strides,
    hlo_int_list base_dilations, hlo_int_list window_dilations, hlo_int_list padding_low,
    hlo_int_list padding_high) {
    HLO_BUILDER_TAKES(b, computation);
    return window_reduced(b, __func__, operands, init_values, computation,
                          (window_spec){.sizes = window_dimensions,
                                        .strides = window_strides,
                                        .low = padding_low,
                                        .high = padding_high,
                                        .base_dilations = base_dilations,
                                        .window_dilations = window_dilations});
}

/* The operands are the array, the source and the initial value. */
static const hlo_instr *scattered(hlo_builder *b, hlo_instrs_list operands,
                                  const hlo_computation *select, const hlo_computation *scatter,
                                  window_spec window) {
    const hlo_shape *shape = operands.values[0]->shape;
    if (!hlo_shape_is_array(shape) || shape->rank != window.sizes.count)
        return hlo_builder_fail(b, HLO_RULE_WINDOW,
                                "select-and-scatter: a window of %zu dimensions over %s",
                                window.sizes.count, hlo_shape_name(&b->module->arena, shape));
    window.operand_sizes = shape->dims;
    if (!check_spec(b, &window)) return NULL;
    return hlo_builder_made(b, HLO_OP_SELECT_AND_SCATTER, NULL, operands,
                            HLO_ATTRS(window_of(b, &window),
                                      hlo_builder_callee(HLO_ATTR_SELECT, select),
                                      hlo_builder_callee(HLO_ATTR_SCATTER, scatter)));
}

const hlo_instr *hlo_builder_select_and_scatter(
    hlo_builder *b, const hlo_instr *operand, const hlo_computation *select,
    hlo_int_list window_dimensions, hlo_int_list window_strides, hlo_padding_rule padding,
    const hlo_instr *source, const hlo_instr *init_value, const hlo_computation *scatter) {
    HLO_BUILDER_TAKES(b, operand, select, source, init_value, scatter);
    return scattered(b, HLO_INSTRS(operand, source, init_value), select, scatter,
                     (window_spec){.sizes = window_dimensions,
                                   .strides = window_strides,
                                   .is_same = padding == HLO_PAD_SAME});
}

const hlo_instr *hlo_builder_select_and_scatter_padded(
    hlo_builder *b, const hlo_instr *operand, const hlo_computation *select,
    hlo_int_list window_dimensions, hlo_int_list window_strides, hlo_int_list padding_low,
    hlo_int_list padding_high, const hlo_instr *source, const hlo_instr *init_value,
    const hlo_computation *scatter) {
    HLO_BUILDER_TAKES(b, operand, select, source, init_value, scatter);
    return scattered(b, HLO_INSTRS(operand, source, init_value), select, scatter,
                     (window_spec){.sizes = window_dimensions,
                                   .strides = window_strides,
                                   .low = padding_low,
                                   .high = padding_high});
}

/* ---- convolutions ---- */

typedef struct {
    const hlo_instr *lhs, *rhs;
    window_spec window;
    const hlo_conv_dimensions *dims;
    int64_t feature_groups, batch_groups;
} conv_spec;

/* A sparse kernel is a tuple of its values and their places. */
static const hlo_shape *kernel_of(const conv_spec *c) {
    const hlo_shape *rhs = c->rhs->shape;
    return hlo_shape_is_tuple(rhs) && rhs->rank == 2 ? hlo_shape_part(rhs, 0) : rhs;
}

static bool in_range(hlo_int_list list, uint32_t rank, size_t n) {
    bool good = list.count == n;
    for (size_t i = 0; i < list.count && good; i++)
        good = list.values[i] >= 0 && list.values[i] < rank;
    return good;
}

static bool check_conv(hlo_builder *b, const conv_spec *c) {
    const hlo_shape *l = c->lhs->shape, *r = kernel_of(c);
    size_t n = c->dims->kernel_spatial.count;
    bool good = hlo_shape_is_array(l) && hlo_shape_is_array(r) && l->rank == n + 2 &&
                r->rank == n + 2 && in_range(c->dims->input_spatial, l->rank, n) &&
                in_range(c->dims->kernel_spatial, r->rank, n) &&
                in_range(c->dims->output_spatial, l->rank, n);
    if (!good)
        hlo_builder_fail(b, HLO_RULE_CONVOLUTION_DIM_LABELS,
                         "convolution: %s and %s do not have the dimensions that are named",
                         hlo_shape_name(&b->module->arena, l),
                         hlo_shape_name(&b->module->arena, c->rhs->shape));
    return good;
}

static const int64_t *copied(hlo_builder *b, hlo_int_list list) {
    return hlo_arena_copy(&b->module->arena, list.values, list.count * sizeof *list.values);
}

static hlo_attr labels_of(hlo_builder *b, const hlo_conv_dimensions *d) {
    hlo_dim_labels *labels = HLO_NEW(&b->module->arena, hlo_dim_labels);
    *labels = (hlo_dim_labels){.n = (uint32_t)d->kernel_spatial.count,
                               .input_batch = d->input_batch,
                               .input_feature = d->input_feature,
                               .kernel_input_feature = d->kernel_input_feature,
                               .kernel_output_feature = d->kernel_output_feature,
                               .output_batch = d->output_batch,
                               .output_feature = d->output_feature,
                               .input_spatial = copied(b, d->input_spatial),
                               .kernel_spatial = copied(b, d->kernel_spatial),
                               .output_spatial = copied(b, d->output_spatial)};
    return (hlo_attr){.id = HLO_ATTR_DIM_LABELS, .u.dim_labels = labels};
}

static hlo_attr count_of(hlo_attr_id id, int64_t count) {
    HLO_ASSERT(hlo_attr_is_integer(id));
    return count == 1 ? hlo_builder_no_attr() : hlo_builder_int(id, count);
}

static const hlo_instr *convolved(hlo_builder *b, conv_spec *c) {
    if (!check_conv(b, c)) return NULL;
    size_t n = c->dims->kernel_spatial.count;
    int64_t *sizes = HLO_NEW_ARRAY(&b->module->arena, int64_t, 2 * n), *input = sizes + n;
    for (size_t i = 0; i < n; i++) {
        sizes[i] = kernel_of(c)->dims[c->dims->kernel_spatial.values[i]];
        input[i] = c->lhs->shape->dims[c->dims->input_spatial.values[i]];
    }
    c->window.sizes = (hlo_int_list){n, sizes};
    c->window.operand_sizes = input;
    if (!check_spec(b, &c->window)) return NULL;
    return hlo_builder_made(b, HLO_OP_CONVOLUTION, NULL, HLO_INSTRS(c->lhs, c->rhs),
                            HLO_ATTRS(window_of(b, &c->window), labels_of(b, c->dims),
                                      count_of(HLO_ATTR_FEATURE_GROUP_COUNT, c->feature_groups),
                                      count_of(HLO_ATTR_BATCH_GROUP_COUNT, c->batch_groups)));
}

/* Batch, features, spatial; output features, input features, spatial. */
static hlo_conv_dimensions usual_dimensions(hlo_builder *b, const hlo_instr *rhs) {
    uint32_t rank = hlo_shape_is_array(rhs->shape) ? rhs->shape->rank : 0,
             n = rank > 2 ? rank - 2 : 0;
    int64_t *spatial = HLO_NEW_ARRAY(&b->module->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++) spatial[i] = i + 2;
    hlo_int_list list = {n, spatial};
    return (hlo_conv_dimensions){.input_batch = 0,
                                 .input_feature = 1,
                                 .input_spatial = list,
                                 .kernel_input_feature = 1,
                                 .kernel_output_feature = 0,
                                 .kernel_spatial = list,
                                 .output_batch = 0,
                                 .output_feature = 1,
                                 .output_spatial = list};
}

const hlo_instr *hlo_builder_conv(hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs,
                                  hlo_int_list window_strides, hlo_padding_rule padding,
                                  int64_t feature_group_count, int64_t batch_group_count) {
    HLO_BUILDER_TAKES(b, lhs, rhs);
    hlo_conv_dimensions dims = usual_dimensions(b, rhs);
    return convolved(
        b, &(conv_spec){.lhs = lhs,
                        .rhs = rhs,
                        .window = {.strides = window_strides, .is_same = padding == HLO_PAD_SAME},
                        .dims = &dims,
                        .feature_groups = feature_group_count,
                        .batch_groups = batch_group_count});
}

const hlo_instr *hlo_builder_conv_with_general_padding(
    hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs, hlo_int_list window_strides,
    hlo_int_list padding_low, hlo_int_list padding_high, hlo_int_list lhs_dilation,
    hlo_int_list rhs_dilation, int64_t feature_group_count, int64_t batch_group_count) {
    HLO_BUILDER_TAKES(b, lhs, rhs);
    hlo_conv_dimensions dims = usual_dimensions(b, rhs);
    return hlo_builder_conv_general_dilated(b, lhs, rhs, window_strides, padding_low, padding_high,
                                            lhs_dilation, rhs_dilation, &dims, feature_group_count,
                                            batch_group_count);
}

const hlo_instr *hlo_builder_conv_general_dilated(
    hlo_builder *b, const hlo_instr *lhs, const hlo_instr *rhs, hlo_int_list window_strides,
    hlo_int_list padding_low, hlo_int_list padding_high, hlo_int_list lhs_dilation,
    hlo_int_list rhs_dilation, const hlo_conv_dimensions *dimensions, int64_t feature_group_count,
    int64_t batch_group_count) {
    HLO_BUILDER_TAKES(b, lhs, rhs, dimensions);
    return convolved(b, &(conv_spec){.lhs = lhs,
                                     .rhs = rhs,
                                     .window = {.strides = window_strides,
                                                .low = padding_low,
                                                .high = padding_high,
                                                .base_dilations = lhs_dilation,
                                                .window_dilations = rhs_dilation},
                                     .dims = dimensions,
                                     .feature_groups = feature_group_count,
                                     .batch_groups = batch_group_count});
}
