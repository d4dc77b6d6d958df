/* Shapes of convolutions, and of whatever a window slides over (also reduce-window and
 * select-and-scatter in infer_reduce.c). */
#include "shape/rules.h"

/* ---- windows ---- */

static bool check_window_dim(hlo_inference *in, const hlo_window_dim *dim, uint32_t i) {
    const struct {
        int64_t value;
        const char *what;
    } positive[] = {{dim->size, "size"},
                    {dim->stride, "stride"},
                    {dim->base_dilation, "base dilation"},
                    {dim->window_dilation, "window dilation"}};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (positive[k].value < 1)
            return hlo_refuse(in, HLO_RULE_WINDOW, HLO_AT(WINDOW),
                              "the window's %s in dimension %u is %lld and must be positive",
                              positive[k].what, i, (long long)positive[k].value);
    return true;
}

/* Elements stand `dilation` apart. True on overflow. */
static bool dilate(int64_t size, int64_t dilation, int64_t *out) {
    *out = 0;
    if (size == 0) return false;
    return __builtin_mul_overflow(size - 1, dilation, out) || __builtin_add_overflow(*out, 1, out);
}

static bool slide(hlo_inference *in, const hlo_window_dim *dim, uint32_t i, int64_t *size) {
    int64_t base, window;
    bool overflow = dilate(*size, dim->base_dilation, &base);
    overflow |= dilate(dim->size, dim->window_dilation, &window);
    overflow |= __builtin_add_overflow(base, dim->pad_low, &base);
    overflow |= __builtin_add_overflow(base, dim->pad_high, &base);
    if (overflow)
        return hlo_refuse(in, HLO_RULE_SHAPE_SIZE, HLO_AT(WINDOW),
                          "dimension %u is padded or dilated beyond 63 bits", i);
    if (base < 0)
        return hlo_refuse(in, HLO_RULE_WINDOW, HLO_AT(WINDOW),
                          "negative padding of the window exceeds dimension %u", i);
    *size = base == 0 || window > base ? 0 : (base - window) / dim->stride + 1;
    return true;
}

bool hlo_infer_window(hlo_inference *in, const hlo_window *window, hlo_dims *dims) {
    if (window->n != dims->rank)
        return hlo_refuse(in, HLO_RULE_WINDOW, HLO_AT(WINDOW),
                          "the window has the rank %u and slides over the rank %u", window->n,
                          dims->rank);
    for (uint32_t i = 0; i < dims->rank; i++) {
        if (!check_window_dim(in, &window->v[i], i)) return false;
        if (dims->size[i] != HLO_UNBOUNDED && !slide(in, &window->v[i], i, &dims->size[i]))
            return false;
    }
    return true;
}

/* ---- convolution ---- */

typedef struct {
    const hlo_shape *lhs, *rhs;
    const hlo_dim_labels *labels;
    int64_t feature_groups, batch_groups;
    int64_t kernel_inputs; /* with the zeros of a sparse kernel */
} convolution;

/* Each of the dimensions has exactly one role. */
static bool check_roles(hlo_inference *in, const char *of, int64_t first, int64_t second,
                        const int64_t *spatial, uint32_t n) {
    uint32_t rank = n + 2;
    HLO_ASSERT(rank >= 2);
    uint8_t *seen = HLO_NEW_ARRAY(&in->scratch, uint8_t, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t d = i == 0 ? first : i == 1 ? second : spatial[i - 2];
        if (d < 0 || d >= rank || seen[d]++)
            return hlo_refuse(in, HLO_RULE_CONVOLUTION_DIM_LABELS, HLO_AT(DIM_LABELS),
                              "dim_labels must name each of the %u dimensions of the %s once", rank,
                              of);
    }
    return true;
}

static bool check_labels(hlo_inference *in, const convolution *c) {
    const hlo_dim_labels *l = c->labels;
    uint32_t rank = l->n + 2;
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_shape *shape = i ? c->rhs : c->lhs;
        if (shape->rank != rank)
            return hlo_refuse(in, HLO_RULE_CONVOLUTION_DIM_LABELS, (int)i,
                              "operand %u is %s, but dim_labels has rank %u", i,
                              hlo_infer_text(in, shape), rank);
    }
    return check_roles(in, "input", l->input_batch, l->input_feature, l->input_spatial, l->n) &&
           check_roles(in, "kernel", l->kernel_input_feature, l->kernel_output_feature,
                       l->kernel_spatial, l->n) &&
           check_roles(in, "result", l->output_batch, l->output_feature, l->output_spatial, l->n);
}

static bool check_group_counts(hlo_inference *in, const convolution *c) {
    if (c->feature_groups <= 0)
        return hlo_refuse(in, HLO_RULE_CONVOLUTION_GROUPS, HLO_AT(FEATURE_GROUP_COUNT),
                          "feature_group_count is %lld and must be positive",
                          (long long)c->feature_groups);
    if (c->batch_groups <= 0)
        return hlo_refuse(in, HLO_RULE_CONVOLUTION_GROUPS, HLO_AT(BATCH_GROUP_COUNT),
                          "batch_group_count is %lld and must be positive",
                          (long long)c->batch_groups);
    if (c->feature_groups > 1 && c->batch_groups > 1)
        return hlo_refuse(
            in, HLO_RULE_CONVOLUTION_GROUPS, HLO_AT(BATCH_GROUP_COUNT),
            "feature_group_count %lld and batch_group_count %lld cannot both be above 1",
            (long long)c->feature_groups, (long long)c->batch_groups);
    return true;
}

static bool expect_divides(hlo_inference *in, int where, int64_t groups, const char *what,
                           int64_t size) {
    if (size % groups == 0) return true;
    return hlo_refuse(in, HLO_RULE_CONVOLUTION_GROUPS, where,
                      "%lld groups do not divide the %lld %s", (long long)groups, (long long)size,
                      what);
}

static bool check_groups(hlo_inference *in, const convolution *c) {
    const hlo_dim_labels *l = c->labels;
    int64_t outputs = c->rhs->dims[l->kernel_output_feature], batch = c->lhs->dims[l->input_batch];
    int64_t inputs = c->lhs->dims[l->input_feature];
    if (!expect_divides(in, HLO_AT(BATCH_GROUP_COUNT), c->batch_groups, "output features",
                        outputs) ||
        !expect_divides(in, HLO_AT(FEATURE_GROUP_COUNT), c->feature_groups, "output features",
                        outputs) ||
        !expect_divides(in, HLO_AT(BATCH_GROUP_COUNT), c->batch_groups, "input batches", batch))
        return false;
    if (inputs % c->feature_groups != 0 || inputs / c->feature_groups != c->kernel_inputs)
        return hlo_refuse(
            in, HLO_RULE_CONVOLUTION_FEATURES, 1,
            "operand 0, %s, has %lld features and operand 1, %s, takes %lld of each of %lld "
            "groups",
            hlo_infer_text(in, c->lhs), (long long)inputs, hlo_infer_text(in, c->rhs),
            (long long)c->kernel_inputs, (long long)c->feature_groups);
    return true;
}

/* A sparse kernel stands for one with block-1 zeros between its input features. */
static bool read_sparsity(hlo_inference *in, convolution *c) {
    c->kernel_inputs = c->rhs->dims[c->labels->kernel_input_feature];
    const hlo_attr *attr = hlo_infer_attr(in, HLO_ATTR_SPARSITY_CONFIG);
    if (!attr || !attr->u.sparsity->rhs.given) return true;
    if (attr->u.sparsity->rhs.nonzeros != 1)
        return hlo_refuse(in, HLO_RULE_CONVOLUTION_FEATURES, HLO_AT(SPARSITY_CONFIG),
                          "sparsity_config has %lld non-zeros in a block and only 1 is supported",
                          (long long)attr->u.sparsity->rhs.nonzeros);
    if (!__builtin_mul_overflow(c->kernel_inputs, attr->u.sparsity->rhs.block, &c->kernel_inputs))
        return true;
    return hlo_refuse(in, HLO_RULE_SHAPE_SIZE, HLO_AT(SPARSITY_CONFIG),
                      "the sparse kernel is too large");
}

static bool read_convolution(hlo_inference *in, convolution *c) {
    const hlo_attr *labels = hlo_infer_attr(in, HLO_ATTR_DIM_LABELS);
    if (!labels)
        return hlo_refuse(in, HLO_RULE_MISSING_ATTRIBUTE, HLO_NOWHERE, "dim_labels= is missing");
    const hlo_shape *rhs = in->operands[1];
    if (hlo_shape_is_tuple(rhs) && rhs->rank == 2)
        rhs = rhs->elements[0]; /* values and their places */
    if (!hlo_expect_array(in, 0)) return false;
    if (!hlo_shape_is_array(rhs)) return (void)hlo_expect_array(in, 1), false;
    *c = (convolution){.lhs = in->operands[0],
                       .rhs = rhs,
                       .labels = labels->u.dim_labels,
                       .feature_groups = hlo_infer_int(in, HLO_ATTR_FEATURE_GROUP_COUNT),
                       .batch_groups = hlo_infer_int(in, HLO_ATTR_BATCH_GROUP_COUNT)};
    return check_group_counts(in, c) && check_labels(in, c) && read_sparsity(in, c) &&
           check_groups(in, c);
}

/* Sizes of the spatial dimensions of the result, in order of their labels. */
static bool slide_spatial(hlo_inference *in, const convolution *c, hlo_dims *spatial) {
    const hlo_window *window = hlo_infer_window_attr(in);
    *spatial = hlo_dims_new(in, c->labels->n);
    if (window->n != c->labels->n)
        return hlo_refuse(in, HLO_RULE_CONVOLUTION_WINDOW, HLO_AT(WINDOW),
                          "the window has the rank %u and dim_labels names %s", window->n,
                          hlo_infer_count_text(in, c->labels->n, "spatial dimension"));
    for (uint32_t i = 0; i < spatial->rank; i++) {
        int64_t kernel = c->rhs->dims[c->labels->kernel_spatial[i]];
        spatial->size[i] = c->lhs->dims[c->labels->input_spatial[i]];
        if (window->v[i].size != kernel)
            return hlo_refuse(
                in, HLO_RULE_CONVOLUTION_WINDOW, HLO_AT(WINDOW),
                "the window has the size %lld in dimension %u and the kernel, %s, has %lld",
                (long long)window->v[i].size, i, hlo_infer_text(in, c->rhs), (long long)kernel);
    }
    return hlo_infer_window(in, window, spatial);
}

const hlo_shape *hlo_infer_convolution(hlo_inference *in) {
    convolution c;
    hlo_dims spatial;
    if (!read_convolution(in, &c) || !slide_spatial(in, &c, &spatial)) return NULL;
    const hlo_dim_labels *l = c.labels;
    if (hlo_dim_is_dynamic(c.rhs, (uint32_t)l->kernel_output_feature))
        return hlo_infer_fail(in, HLO_RULE_CONVOLUTION_FEATURES, 1,
                              "the output features of operand 1, %s, must not be dynamic",
                              hlo_infer_text(in, c.rhs));
    hlo_dims dims = hlo_dims_new(in, l->n + 2);
    int64_t batch = c.lhs->dims[l->input_batch];
    dims.size[l->output_batch] = batch == HLO_UNBOUNDED ? batch : batch / c.batch_groups;
    dims.dynamic[l->output_batch] = hlo_dim_is_dynamic(c.lhs, (uint32_t)l->input_batch);
    dims.size[l->output_feature] = c.rhs->dims[l->kernel_output_feature];
    for (uint32_t i = 0; i < l->n; i++) {
        dims.size[l->output_spatial[i]] = spatial.size[i];
        dims.dynamic[l->output_spatial[i]] =
            hlo_dim_is_dynamic(c.lhs, (uint32_t)l->input_spatial[i]) ||
            hlo_dim_is_dynamic(c.rhs, (uint32_t)l->kernel_spatial[i]);
    }
    hlo_type type = hlo_higher_precision(c.lhs->type, c.rhs->type);
    if (in->stated && hlo_shape_is_array(in->stated)) type = (hlo_type)in->stated->type;
    return hlo_make_array(in, type, dims);
}
