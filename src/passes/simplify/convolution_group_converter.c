/* convolution-group-converter: convolutions in groups become plain ones with one more window
 * dimension, along which each group meets its own part of the kernel. Patterns. */
#include "passes/pipeline/expression.h"

/* The dimension d of size groups * n as two, groups and n, at d and d + 1. */
static const hlo_shape *split_shape(hlo_rewriter *r, const hlo_shape *shape, int64_t d,
                                    int64_t groups) {
    int64_t *sizes = hlo_calloc(shape->rank + 1, sizeof *sizes);
    for (uint32_t i = 0; i < shape->rank; i++) sizes[i + (i > d)] = shape->dims[i];
    sizes[d] = groups;
    sizes[d + 1] = shape->dims[d] / groups;
    const hlo_shape *out = hlo_shape_of_sizes(r, (hlo_type)shape->type, sizes, shape->rank + 1);
    hlo_free(sizes);
    return out;
}

static hlo_instr *split(hlo_rewriter *r, hlo_instr *a, int64_t d, int64_t groups) {
    return hlo_emit_unary(r, HLO_OP_RESHAPE, split_shape(r, a->shape, d, groups), a);
}

static int64_t shifted(int64_t d, int64_t at) {
    return d + (d >= at);
}

/* Places of the spatial dimensions when another one is put in at `at`; that one comes last. */
static const int64_t *with_spatial(hlo_rewriter *r, const int64_t *spatial, uint32_t n,
                                   int64_t at) {
    int64_t *out = hlo_arena_zero(&r->module->arena, (n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[i] = shifted(spatial[i], at);
    out[n] = at;
    return out;
}

/* The roles of dimensions after the input was split at `input`, and kernel and output at their
 * output features. */
static const hlo_dim_labels *split_labels(hlo_rewriter *r, const hlo_dim_labels *old,
                                          int64_t input) {
    int64_t kernel = old->kernel_output_feature, output = old->output_feature;
    hlo_dim_labels *labels = hlo_arena_zero(&r->module->arena, sizeof *labels);
    labels->n = old->n + 1;
    labels->input_batch = shifted(old->input_batch, input);
    labels->input_feature = shifted(old->input_feature, input);
    labels->kernel_input_feature = shifted(old->kernel_input_feature, kernel);
    labels->kernel_output_feature = shifted(old->kernel_output_feature, kernel);
    labels->output_batch = shifted(old->output_batch, output);
    labels->output_feature = shifted(old->output_feature, output);
    labels->input_spatial = with_spatial(r, old->input_spatial, old->n, input);
    labels->kernel_spatial = with_spatial(r, old->kernel_spatial, old->n, kernel);
    labels->output_spatial = with_spatial(r, old->output_spatial, old->n, output);
    return labels;
}

/* A window as long as there are groups slides over groups that stand as far apart as that, with
 * a stride of one less: in its k-th place it covers group k alone, by its k-th element. */
static const hlo_window *with_groups(hlo_rewriter *r, const hlo_instr *convolution,
                                     int64_t groups) {
    HLO_ASSERT(convolution->opcode == HLO_OP_CONVOLUTION);
    const hlo_attr *attr = hlo_instr_attr(convolution, HLO_ATTR_WINDOW);
    uint32_t n = attr ? attr->u.window->n : 0;
    hlo_window *window =
        hlo_arena_zero(&r->module->arena, sizeof *window + (n + 1) * sizeof window->v[0]);
    window->n = n + 1;
    if (n) memcpy(window->v, attr->u.window->v, n * sizeof window->v[0]);
    window->v[n] = (hlo_window_dim){
        .size = groups, .stride = groups - 1, .base_dilation = groups, .window_dilation = 1};
    return window;
}

static hlo_instr *ungrouped(hlo_rewriter *r, hlo_instr *convolution, int64_t groups,
                            hlo_attr_id count, int64_t input) {
    const hlo_dim_labels *old = hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    hlo_instr *operands[2];
    operands[0] = split(r, hlo_operand(convolution, 0), input, groups);
    operands[1] = split(r, hlo_operand(convolution, 1), old->kernel_output_feature, groups);
    const hlo_shape *shape = split_shape(r, convolution->shape, old->output_feature, groups);
    hlo_instr *plain = hlo_emit_like(r, convolution, shape, operands, 2);
    HLO_ASSERT(convolution->opcode == HLO_OP_CONVOLUTION);
    hlo_instr_remove_attr(plain, count);
    hlo_instr_set_attr(
        plain, (hlo_attr){.id = HLO_ATTR_DIM_LABELS, .u.dim_labels = split_labels(r, old, input)});
    hlo_instr_set_attr(
        plain, (hlo_attr){.id = HLO_ATTR_WINDOW, .u.window = with_groups(r, convolution, groups)});
    return hlo_emit_unary(r, HLO_OP_RESHAPE, convolution->shape, plain);
}

static bool has_groups(const hlo_instr *convolution, hlo_attr_id count) {
    HLO_ASSERT(convolution->opcode == HLO_OP_CONVOLUTION);
    return hlo_attr_int(convolution, count) > 1 &&
           !hlo_instr_attr(convolution, HLO_ATTR_SPARSITY_CONFIG);
}

hlo_instr *hlo_rewrite_feature_groups_as_window(hlo_rewriter *r, hlo_instr *convolution) {
    if (!has_groups(convolution, HLO_ATTR_FEATURE_GROUP_COUNT)) return NULL;
    const hlo_dim_labels *labels = hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    return ungrouped(r, convolution, hlo_attr_int(convolution, HLO_ATTR_FEATURE_GROUP_COUNT),
                     HLO_ATTR_FEATURE_GROUP_COUNT, labels->input_feature);
}

hlo_instr *hlo_rewrite_batch_groups_as_window(hlo_rewriter *r, hlo_instr *convolution) {
    if (!has_groups(convolution, HLO_ATTR_BATCH_GROUP_COUNT)) return NULL;
    const hlo_dim_labels *labels = hlo_instr_attr(convolution, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    return ungrouped(r, convolution, hlo_attr_int(convolution, HLO_ATTR_BATCH_GROUP_COUNT),
                     HLO_ATTR_BATCH_GROUP_COUNT, labels->input_batch);
}
