/* Operations with a window: convolutions, and computations over the elements of windows. */
#include "stablehlo/convert.h"

/* ---- dimension labels ---- */

/* Positions of the labels in [b, 0, 1, f]: those of two letters, and of the spatial numbers. */
static bool read_labels(hlo_stablehlo *s, const hlo_mlir_attr *list, char first, char second,
                        int64_t *one, int64_t *two, int64_t *spatial) {
    for (uint32_t i = 0; i < list->list.n; i++) {
        const hlo_mlir_attr *label = list->list.v[i].value;
        if (label->kind == HLO_MLIR_INT && hlo_mlir_int_of(label) >= 0 &&
            hlo_mlir_int_of(label) < (int64_t)list->list.n - 2)
            spatial[hlo_mlir_int_of(label)] = i;
        else if (label->kind == HLO_MLIR_WORD && hlo_mlir_text_of(label).len == 1 &&
                 *hlo_mlir_text_of(label).ptr == first)
            *one = i;
        else if (label->kind == HLO_MLIR_WORD && hlo_mlir_text_of(label).len == 1 &&
                 *hlo_mlir_text_of(label).ptr == second)
            *two = i;
        else if (label->kind != HLO_MLIR_WORD || !hlo_str_is(hlo_mlir_text_of(label), "?"))
            return hlo_stablehlo_refuse_value(
                s, "dimension labels are like [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
    }
    return true;
}

static bool labels_from_lists(hlo_stablehlo *s, const hlo_mlir_attr *lists, hlo_dim_labels *to) {
    if (lists->list.n != 3)
        return hlo_stablehlo_refuse_value(
            s, "dimension labels are like [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
    uint32_t rank = lists->list.v[0].value->list.n;
    if (lists->list.v[1].value->list.n != rank || lists->list.v[2].value->list.n != rank)
        return hlo_stablehlo_refuse_value(s, "the three lists of dimension labels have one length");
    to->n = rank < 2 ? 0 : rank - 2;
    int64_t *spatial[3];
    for (int i = 0; i < 3; i++)
        spatial[i] = HLO_NEW_ARRAY(s->arena, int64_t, lists->list.v[i].value->list.n + 1);
    to->input_spatial = spatial[0];
    to->kernel_spatial = spatial[1];
    to->output_spatial = spatial[2];
    return read_labels(s, lists->list.v[0].value, 'b', 'f', &to->input_batch, &to->input_feature,
                       spatial[0]) &&
           read_labels(s, lists->list.v[1].value, 'i', 'o', &to->kernel_input_feature,
                       &to->kernel_output_feature, spatial[1]) &&
           read_labels(s, lists->list.v[2].value, 'b', 'f', &to->output_batch, &to->output_feature,
                       spatial[2]);
}

static bool labels_from_members(hlo_stablehlo *s, const hlo_mlir_attr *of, hlo_dim_labels *to) {
    hlo_int_view input, kernel, output;
    if (!hlo_stablehlo_member_ints(s, of, "input_spatial_dimensions", &input) ||
        !hlo_stablehlo_member_ints(s, of, "kernel_spatial_dimensions", &kernel) ||
        !hlo_stablehlo_member_ints(s, of, "output_spatial_dimensions", &output))
        return false;
    if (input.n != kernel.n || input.n != output.n)
        return hlo_stablehlo_refuse_value(s,
                                          "the three lists of spatial dimensions have one length");
    *to = (hlo_dim_labels){
        .n = input.n,
        .input_batch = hlo_stablehlo_member_int(of, "input_batch_dimension", 0),
        .input_feature = hlo_stablehlo_member_int(of, "input_feature_dimension", 0),
        .kernel_input_feature = hlo_stablehlo_member_int(of, "kernel_input_feature_dimension", 0),
        .kernel_output_feature = hlo_stablehlo_member_int(of, "kernel_output_feature_dimension", 0),
        .output_batch = hlo_stablehlo_member_int(of, "output_batch_dimension", 0),
        .output_feature = hlo_stablehlo_member_int(of, "output_feature_dimension", 0),
        .input_spatial = hlo_ints_from(s->arena, input.v, input.n)->v,
        .kernel_spatial = hlo_ints_from(s->arena, kernel.v, kernel.n)->v,
        .output_spatial = hlo_ints_from(s->arena, output.v, output.n)->v};
    return true;
}

/* #stablehlo.conv<[...]x[...]->[...]>, its members, or the lists of the pretty form. */
const hlo_dim_labels *hlo_stablehlo_dim_labels(hlo_stablehlo *s) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, "dimension_numbers");
    if (!attr)
        return hlo_stablehlo_fail(s, HLO_RULE_MISSING_ATTRIBUTE,
                                  "the attribute 'dimension_numbers' is missing");
    hlo_dim_labels *labels = HLO_NEW(s->arena, hlo_dim_labels);
    if (attr->kind == HLO_MLIR_STRUCT && attr->list.n == 1 && !attr->list.v[0].key.len)
        attr = attr->list.v[0].value;
    bool good = attr->kind == HLO_MLIR_STRUCT || attr->kind == HLO_MLIR_DICT
                    ? labels_from_members(s, attr, labels)
                    : labels_from_lists(s, attr, labels);
    return good ? labels : NULL;
}

/* ---- windows ---- */

/* A list of the window: within `window = {...}`, or an attribute. */
bool hlo_stablehlo_window_ints(hlo_stablehlo *s, const char *key, const char *name,
                               hlo_int_view *out) {
    const hlo_mlir_attr *window = hlo_stablehlo_attr(s, "window");
    return window ? hlo_stablehlo_member_ints(s, window, key, out)
                  : hlo_stablehlo_optional_ints(s, name, out);
}

/* Pairs: [[1, 1], [0, 0]], or dense<...> : tensor<2x2xi64>. */
bool hlo_stablehlo_window_pairs(hlo_stablehlo *s, const char *key, const char *name,
                                hlo_int_view *out) {
    const hlo_mlir_attr *window = hlo_stablehlo_attr(s, "window");
    const hlo_mlir_attr *attr = window ? hlo_mlir_member(window, key) : hlo_stablehlo_attr(s, name);
    *out = (hlo_int_view){0};
    if (!attr) return true;
    if (attr->kind != HLO_MLIR_LIST)
        return hlo_mlir_ints(s->tree, attr, &out->n, &out->v) ||
               hlo_stablehlo_refuse_value(s, "padding is a list of pairs");
    int64_t *all = HLO_NEW_ARRAY(s->arena, int64_t, 2 * (size_t)attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        hlo_int_view pair;
        if (!hlo_mlir_ints(s->tree, attr->list.v[i].value, &pair.n, &pair.v) || pair.n != 2)
            return hlo_stablehlo_refuse_value(s, "padding is a list of pairs");
        all[2 * i] = pair.v[0];
        all[2 * i + 1] = pair.v[1];
    }
    *out = (hlo_int_view){2 * attr->list.n, all};
    return true;
}

typedef struct {
    hlo_int_view strides, padding, base_dilations, window_dilations, reversal;
} window_lists;

static int64_t entry(hlo_int_view list, uint32_t i, int64_t otherwise) {
    return list.n ? list.v[i] : otherwise;
}

static bool has_length(hlo_int_view list, uint32_t n) {
    return !list.n || list.n == n;
}

/* A window of `n` dimensions of these sizes. */
static bool push_window(hlo_stablehlo *s, const window_lists *lists, const int64_t *sizes,
                        uint32_t n) {
    if (!has_length(lists->strides, n) || !has_length(lists->padding, 2 * n) ||
        !has_length(lists->base_dilations, n) || !has_length(lists->window_dilations, n) ||
        !has_length(lists->reversal, n))
        return hlo_stablehlo_fail(s, HLO_RULE_WINDOW,
                                  "lists of the window have a number for each of %u dimensions",
                                  n) != NULL;
    if (!n) return true;
    hlo_window *window = hlo_arena_zero(s->arena, sizeof *window + n * sizeof window->v[0]);
    window->n = n;
    for (uint32_t i = 0; i < n; i++)
        window->v[i] = (hlo_window_dim){.size = sizes[i],
                                        .stride = entry(lists->strides, i, 1),
                                        .pad_low = entry(lists->padding, 2 * i, 0),
                                        .pad_high = entry(lists->padding, 2 * i + 1, 0),
                                        .base_dilation = entry(lists->base_dilations, i, 1),
                                        .window_dilation = entry(lists->window_dilations, i, 1),
                                        .reversed = entry(lists->reversal, i, 0) != 0};
    hlo_stablehlo_push_any(s, HLO_ATTR_WINDOW, window);
    return true;
}

static bool reversal_of(hlo_stablehlo *s, hlo_int_view *out) {
    const hlo_mlir_attr *window = hlo_stablehlo_attr(s, "window"),
                        *attr = window ? hlo_mlir_member(window, "reverse")
                                       : hlo_stablehlo_attr(s, "window_reversal");
    *out = (hlo_int_view){0};
    if (!attr) return true;
    if (attr->kind != HLO_MLIR_LIST)
        return hlo_mlir_ints(s->tree, attr, &out->n, &out->v) ||
               hlo_stablehlo_refuse_value(s, "window_reversal is a list of booleans");
    int64_t *all = HLO_NEW_ARRAY(s->arena, int64_t, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        const hlo_mlir_attr *one = attr->list.v[i].value;
        if (!hlo_mlir_has_int(one))
            return hlo_stablehlo_refuse_value(s, "window_reversal is a list of booleans");
        all[i] = hlo_mlir_int_of(one);
    }
    *out = (hlo_int_view){attr->list.n, all};
    return true;
}

/* ---- operations ---- */

bool hlo_shlo_convolution(hlo_stablehlo *s) {
    window_lists lists;
    const hlo_dim_labels *labels = hlo_stablehlo_dim_labels(s);
    int64_t features, batches;
    if (!labels || !hlo_stablehlo_window_ints(s, "stride", "window_strides", &lists.strides) ||
        !hlo_stablehlo_window_pairs(s, "pad", "padding", &lists.padding) ||
        !hlo_stablehlo_window_ints(s, "lhs_dilate", "lhs_dilation", &lists.base_dilations) ||
        !hlo_stablehlo_window_ints(s, "rhs_dilate", "rhs_dilation", &lists.window_dilations) ||
        !reversal_of(s, &lists.reversal) ||
        !hlo_stablehlo_optional_int(s, "feature_group_count", 1, &features) ||
        !hlo_stablehlo_optional_int(s, "batch_group_count", 1, &batches))
        return false;
    hlo_instr *kernel = hlo_stablehlo_operand(s, 1);
    if (!kernel) return false;
    int64_t *sizes = HLO_NEW_ARRAY(s->arena, int64_t, labels->n);
    for (uint32_t i = 0; i < labels->n; i++) {
        if (labels->kernel_spatial[i] < 0 || labels->kernel_spatial[i] >= kernel->shape->rank)
            return hlo_stablehlo_refuse_value(s,
                                              "a spatial dimension of the kernel is out of range");
        sizes[i] = kernel->shape->dims[labels->kernel_spatial[i]];
    }
    if (!push_window(s, &lists, sizes, labels->n)) return false;
    hlo_stablehlo_push_any(s, HLO_ATTR_DIM_LABELS, labels);
    if (features != 1) hlo_stablehlo_push_int(s, HLO_ATTR_FEATURE_GROUP_COUNT, features);
    if (batches != 1) hlo_stablehlo_push_int(s, HLO_ATTR_BATCH_GROUP_COUNT, batches);
    return hlo_stablehlo_push_precision(s) && hlo_stablehlo_make_same(s);
}

bool hlo_shlo_reduce_window(hlo_stablehlo *s) {
    window_lists lists = {.reversal = {0}};
    hlo_int_view sizes;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_ints(s, "window_dimensions", &sizes) ||
        !hlo_stablehlo_optional_ints(s, "window_strides", &lists.strides) ||
        !hlo_stablehlo_window_pairs(s, "pad", "padding", &lists.padding) ||
        !hlo_stablehlo_optional_ints(s, "base_dilations", &lists.base_dilations) ||
        !hlo_stablehlo_optional_ints(s, "window_dilations", &lists.window_dilations))
        return false;
    return push_window(s, &lists, sizes.v, sizes.n) && hlo_stablehlo_make_same(s);
}

bool hlo_shlo_select_and_scatter(hlo_stablehlo *s) {
    window_lists lists = {.reversal = {0}};
    hlo_int_view sizes;
    if (!hlo_stablehlo_has_regions(s, 2)) return false;
    hlo_computation *select = hlo_stablehlo_region(s, &s->op->regions[0]);
    hlo_computation *scatter = select ? hlo_stablehlo_region(s, &s->op->regions[1]) : NULL;
    if (!scatter || !hlo_stablehlo_optional_ints(s, "window_dimensions", &sizes) ||
        !hlo_stablehlo_optional_ints(s, "window_strides", &lists.strides) ||
        !hlo_stablehlo_window_pairs(s, "pad", "padding", &lists.padding))
        return false;
    hlo_stablehlo_push_computation(s, HLO_ATTR_SELECT, select);
    hlo_stablehlo_push_computation(s, HLO_ATTR_SCATTER, scatter);
    return push_window(s, &lists, sizes.v, sizes.n) && hlo_stablehlo_make_same(s);
}
