/* Products, convolutions, transforms, reductions, windows, sorts, random numbers. */
#include "stablehlo/convert.h"

#include "base/text.h"

static bool made(hlo_stablehlo *s, const hlo_shape *shape) {
    hlo_opcode opcode = hlo_stablehlo_opcode(s->op->id);
    hlo_stablehlo_push_operands(s);
    hlo_instr *instr = hlo_stablehlo_make(s, opcode, shape);
    return s->op->result_count == 1 ? hlo_stablehlo_set_result(s, instr)
                                    : hlo_stablehlo_set_elements(s, instr);
}

/* Of all operands, with the attributes that were pushed. */
static bool same(hlo_stablehlo *s) {
    return made(s, hlo_stablehlo_result_shape(s, s->op));
}

static bool refuse_value(hlo_stablehlo *s, const char *message) {
    return hlo_stablehlo_fail(s, HLO_RULE_ATTRIBUTE_VALUE, "%s", message) != NULL;
}

/* ---- dot ---- */

/* [HIGHEST, DEFAULT] */
static bool push_precision(hlo_stablehlo *s) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, "precision_config");
    if (!attr || !attr->list.n) return true;
    int64_t *numbers = HLO_NEW_ARRAY(s->arena, int64_t, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        hlo_str word;
        char lower[16];
        if (!hlo_stablehlo_word_of(attr->list.v[i].value, &word) || word.len >= sizeof lower)
            return refuse_value(s, "precision_config lists DEFAULT, HIGH or HIGHEST");
        for (uint32_t k = 0; k < word.len; k++) lower[k] = (char)(word.ptr[k] | 0x20);
        const hlo_word_info *info =
            hlo_word_find(HLO_WORDS_PRECISION, (hlo_str){lower, word.len, 0});
        if (!info) return refuse_value(s, "precision_config lists DEFAULT, HIGH or HIGHEST");
        numbers[i] = info->number;
    }
    hlo_stablehlo_push_ints(s, HLO_ATTR_OPERAND_PRECISION, (hlo_int_view){attr->list.n, numbers});
    return true;
}

/* The name of a type in an algorithm: f32, tf32. */
static hlo_str type_name(const hlo_mlir_attr *of, const char *key) {
    const hlo_mlir_attr *member = hlo_mlir_member(of, key);
    if (!member) return HLO_STR("");
    if (member->kind == HLO_MLIR_TYPE) return member->type->text;
    bool is_text = member->kind == HLO_MLIR_WORD || member->kind == HLO_MLIR_STRING;
    return is_text ? member->u.text : HLO_STR("");
}

/* The word of HLO for what the struct describes. */
static bool push_algorithm(hlo_stablehlo *s) {
    static const struct {
        const char *lhs, *rhs, *accumulation;
        int64_t components, operations;
        const char *word;
    } rows[] = {
        {"f16", "f16", "f16", 1, 1, "dot_f16_f16_f16"},
        {"f16", "f16", "f32", 1, 1, "dot_f16_f16_f32"},
        {"bf16", "bf16", "bf16", 1, 1, "dot_bf16_bf16_bf16"},
        {"bf16", "bf16", "f32", 1, 1, "dot_bf16_bf16_f32"},
        {"bf16", "bf16", "f32", 1, 3, "dot_bf16_bf16_f32_x3"},
        {"bf16", "bf16", "f32", 1, 6, "dot_bf16_bf16_f32_x6"},
        {"bf16", "bf16", "f32", 1, 9, "dot_bf16_bf16_f32_x9"},
        {"tf32", "tf32", "f32", 1, 1, "dot_tf32_tf32_f32"},
        {"tf32", "tf32", "f32", 1, 3, "dot_tf32_tf32_f32_x3"},
        {"f32", "f32", "f32", 1, 1, "dot_f32_f32_f32"},
        {"f64", "f64", "f64", 1, 1, "dot_f64_f64_f64"},
    };
    const hlo_mlir_attr *a = hlo_stablehlo_attr(s, "algorithm");
    if (!a || a->kind == HLO_MLIR_WORD) return true;
    hlo_str lhs = type_name(a, "lhs_precision_type"), rhs = type_name(a, "rhs_precision_type");
    hlo_str accumulation = type_name(a, "accumulation_type");
    int64_t operations = hlo_stablehlo_member_int(a, "num_primitive_operations", 1);
    const hlo_mlir_attr *imprecise = hlo_mlir_member(a, "allow_imprecise_accumulation");
    const char *word = NULL;
    bool is_f8 = lhs.len > 2 && rhs.len > 2 && lhs.ptr[1] == '8' && rhs.ptr[1] == '8' &&
                 hlo_str_is(accumulation, "f32");
    if (is_f8)
        word = imprecise && imprecise->u.i ? "dot_any_f8_any_f8_f32_fast_accum"
                                           : "dot_any_f8_any_f8_f32";
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !word; i++)
        if (hlo_str_is(lhs, rows[i].lhs) && hlo_str_is(rhs, rows[i].rhs) &&
            hlo_str_is(accumulation, rows[i].accumulation) && operations == rows[i].operations)
            word = rows[i].word;
    if (!word) return refuse_value(s, "HLO has no word for this algorithm");
    hlo_stablehlo_push_int(s, HLO_ATTR_ALGORITHM,
                           hlo_word_find(HLO_WORDS_DOT_ALGORITHM, hlo_str_from(word))->number);
    return true;
}

/* `[0] x [1]` of the pretty form, or members of #stablehlo.dot. */
static bool dot_dims(hlo_stablehlo *s, const char *pretty, const char *lhs, const char *rhs,
                     hlo_int_view v[2]) {
    const hlo_mlir_attr *pair = hlo_stablehlo_attr(s, pretty),
                        *whole = hlo_stablehlo_attr(s, "dot_dimension_numbers");
    v[0] = v[1] = (hlo_int_view){0};
    if (whole)
        return hlo_stablehlo_member_ints(s, whole, lhs, &v[0]) &&
               hlo_stablehlo_member_ints(s, whole, rhs, &v[1]);
    if (!pair) return true;
    if (pair->list.n != 2 || !hlo_mlir_ints(s->tree, pair->list.v[0].value, &v[0].n, &v[0].v) ||
        !hlo_mlir_ints(s->tree, pair->list.v[1].value, &v[1].n, &v[1].v))
        return refuse_value(s, "dimensions are written [0] x [1]");
    return true;
}

static void push_dims(hlo_stablehlo *s, hlo_attr_id lhs, hlo_attr_id rhs, const hlo_int_view v[2],
                      bool always) {
    if (always || v[0].n) hlo_stablehlo_push_ints(s, lhs, v[0]);
    if (always || v[1].n) hlo_stablehlo_push_ints(s, rhs, v[1]);
}

bool hlo_shlo_dot_general(hlo_stablehlo *s) {
    hlo_int_view batch[2], contracting[2];
    if (!dot_dims(s, "batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions",
                  batch) ||
        !dot_dims(s, "contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                  contracting))
        return false;
    push_dims(s, HLO_ATTR_LHS_BATCH_DIMS, HLO_ATTR_RHS_BATCH_DIMS, batch, false);
    push_dims(s, HLO_ATTR_LHS_CONTRACTING_DIMS, HLO_ATTR_RHS_CONTRACTING_DIMS, contracting, true);
    return push_precision(s) && push_algorithm(s) && same(s);
}

/* Of vectors and matrices: the last dimension of lhs and the first of rhs. */
bool hlo_shlo_dot(hlo_stablehlo *s) {
    hlo_instr *lhs = hlo_stablehlo_operand(s, 0);
    if (!lhs || !lhs->shape->rank) return refuse_value(s, "operands are vectors or matrices");
    int64_t last = lhs->shape->rank - 1, first = 0;
    hlo_int_view contracting[2] = {{1, &last}, {1, &first}};
    push_dims(s, HLO_ATTR_LHS_CONTRACTING_DIMS, HLO_ATTR_RHS_CONTRACTING_DIMS, contracting, true);
    return push_precision(s) && same(s);
}

bool hlo_shlo_ragged_dot(hlo_stablehlo *s) {
    static const struct {
        const char *key;
        hlo_attr_id id;
        bool always;
    } rows[] = {
        {"lhs_batching_dimensions", HLO_ATTR_LHS_BATCH_DIMS, false},
        {"rhs_batching_dimensions", HLO_ATTR_RHS_BATCH_DIMS, false},
        {"lhs_contracting_dimensions", HLO_ATTR_LHS_CONTRACTING_DIMS, true},
        {"rhs_contracting_dimensions", HLO_ATTR_RHS_CONTRACTING_DIMS, true},
        {"lhs_ragged_dimensions", HLO_ATTR_LHS_RAGGED_DIMS, false},
        {"rhs_group_dimensions", HLO_ATTR_RHS_GROUP_DIMS, false},
    };
    const hlo_mlir_attr *dims = hlo_stablehlo_attr(s, "ragged_dot_dimension_numbers");
    const hlo_mlir_attr *of_dot = hlo_mlir_member(dims, "dot_dimension_numbers"); /* of mhlo */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hlo_int_view v;
        bool is_nested = of_dot && !hlo_mlir_member(dims, rows[i].key);
        if (!hlo_stablehlo_member_ints(s, is_nested ? of_dot : dims, rows[i].key, &v)) return false;
        if (v.n || rows[i].always) hlo_stablehlo_push_ints(s, rows[i].id, v);
    }
    return push_precision(s) && same(s);
}

/* ---- convolution ---- */

/* Positions of the labels in [b, 0, 1, f]: those of two letters, and of the spatial numbers. */
static bool read_labels(hlo_stablehlo *s, const hlo_mlir_attr *list, char first, char second,
                        int64_t *one, int64_t *two, int64_t *spatial) {
    for (uint32_t i = 0; i < list->list.n; i++) {
        const hlo_mlir_attr *label = list->list.v[i].value;
        if (label->kind == HLO_MLIR_INT && label->u.i >= 0 &&
            label->u.i + 2 < (int64_t)list->list.n)
            spatial[label->u.i] = i;
        else if (label->kind == HLO_MLIR_WORD && label->u.text.len == 1 &&
                 *label->u.text.ptr == first)
            *one = i;
        else if (label->kind == HLO_MLIR_WORD && label->u.text.len == 1 &&
                 *label->u.text.ptr == second)
            *two = i;
        else if (label->kind != HLO_MLIR_WORD || !hlo_str_is(label->u.text, "?"))
            return refuse_value(
                s, "dimension labels are like [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
    }
    return true;
}

static bool labels_from_lists(hlo_stablehlo *s, const hlo_mlir_attr *lists, hlo_dim_labels *to) {
    if (lists->list.n != 3)
        return refuse_value(s, "dimension labels are like [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
    uint32_t rank = lists->list.v[0].value->list.n;
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
        return refuse_value(s, "the three lists of spatial dimensions have one length");
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
static const hlo_dim_labels *dim_labels(hlo_stablehlo *s) {
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

/* A list of the window: within `window = {...}`, or an attribute. */
static bool window_ints(hlo_stablehlo *s, const char *key, const char *name, hlo_int_view *out) {
    const hlo_mlir_attr *window = hlo_stablehlo_attr(s, "window");
    return window ? hlo_stablehlo_member_ints(s, window, key, out)
                  : hlo_stablehlo_optional_ints(s, name, out);
}

/* Pairs: [[1, 1], [0, 0]], or dense<...> : tensor<2x2xi64>. */
static bool window_pairs(hlo_stablehlo *s, const char *key, const char *name, hlo_int_view *out) {
    const hlo_mlir_attr *window = hlo_stablehlo_attr(s, "window");
    const hlo_mlir_attr *attr = window ? hlo_mlir_member(window, key) : hlo_stablehlo_attr(s, name);
    *out = (hlo_int_view){0};
    if (!attr) return true;
    if (attr->kind != HLO_MLIR_LIST)
        return hlo_mlir_ints(s->tree, attr, &out->n, &out->v) ||
               refuse_value(s, "padding is a list of pairs");
    int64_t *all = HLO_NEW_ARRAY(s->arena, int64_t, 2 * (size_t)attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        hlo_int_view pair;
        if (!hlo_mlir_ints(s->tree, attr->list.v[i].value, &pair.n, &pair.v) || pair.n != 2)
            return refuse_value(s, "padding is a list of pairs");
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

/* Of so many dimensions, which have these sizes in the window. */
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
               refuse_value(s, "window_reversal is a list of booleans");
    int64_t *all = HLO_NEW_ARRAY(s->arena, int64_t, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) all[i] = attr->list.v[i].value->u.i;
    *out = (hlo_int_view){attr->list.n, all};
    return true;
}

bool hlo_shlo_convolution(hlo_stablehlo *s) {
    window_lists lists;
    const hlo_dim_labels *labels = dim_labels(s);
    int64_t features, batches;
    if (!labels || !window_ints(s, "stride", "window_strides", &lists.strides) ||
        !window_pairs(s, "pad", "padding", &lists.padding) ||
        !window_ints(s, "lhs_dilate", "lhs_dilation", &lists.base_dilations) ||
        !window_ints(s, "rhs_dilate", "rhs_dilation", &lists.window_dilations) ||
        !reversal_of(s, &lists.reversal) ||
        !hlo_stablehlo_optional_int(s, "feature_group_count", 1, &features) ||
        !hlo_stablehlo_optional_int(s, "batch_group_count", 1, &batches))
        return false;
    hlo_instr *kernel = hlo_stablehlo_operand(s, 1);
    if (!kernel) return false;
    int64_t *sizes = HLO_NEW_ARRAY(s->arena, int64_t, labels->n);
    for (uint32_t i = 0; i < labels->n; i++) {
        if (labels->kernel_spatial[i] < 0 || labels->kernel_spatial[i] >= kernel->shape->rank)
            return refuse_value(s, "a spatial dimension of the kernel is out of range");
        sizes[i] = kernel->shape->dims[labels->kernel_spatial[i]];
    }
    if (!push_window(s, &lists, sizes, labels->n)) return false;
    hlo_stablehlo_push_any(s, HLO_ATTR_DIM_LABELS, labels);
    if (features != 1) hlo_stablehlo_push_int(s, HLO_ATTR_FEATURE_GROUP_COUNT, features);
    if (batches != 1) hlo_stablehlo_push_int(s, HLO_ATTR_BATCH_GROUP_COUNT, batches);
    return push_precision(s) && same(s);
}

/* ---- linear algebra, transforms ---- */

bool hlo_shlo_cholesky(hlo_stablehlo *s) {
    bool lower;
    if (!hlo_stablehlo_optional_bool(s, "lower", false, &lower)) return false;
    hlo_stablehlo_push_flag(s, HLO_ATTR_LOWER, lower);
    return same(s);
}

bool hlo_shlo_triangular_solve(hlo_stablehlo *s) {
    bool left, lower, unit;
    hlo_str transpose = HLO_STR("NO_TRANSPOSE");
    if (!hlo_stablehlo_optional_bool(s, "left_side", false, &left) ||
        !hlo_stablehlo_optional_bool(s, "lower", false, &lower) ||
        !hlo_stablehlo_optional_bool(s, "unit_diagonal", false, &unit) ||
        (hlo_stablehlo_attr(s, "transpose_a") && !hlo_stablehlo_word(s, "transpose_a", &transpose)))
        return false;
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_TRANSPOSE, transpose);
    if (!word) return refuse_value(s, "transpose_a is NO_TRANSPOSE, TRANSPOSE or ADJOINT");
    hlo_stablehlo_push_flag(s, HLO_ATTR_LEFT_SIDE, left);
    hlo_stablehlo_push_flag(s, HLO_ATTR_LOWER, lower);
    hlo_stablehlo_push_flag(s, HLO_ATTR_UNIT_DIAGONAL, unit);
    hlo_stablehlo_push_int(s, HLO_ATTR_TRANSPOSE_A, word->number);
    return same(s);
}

bool hlo_shlo_fft(hlo_stablehlo *s) {
    hlo_str type;
    hlo_int_view length;
    if (!hlo_stablehlo_word(s, "fft_type", &type) || !hlo_stablehlo_ints(s, "fft_length", &length))
        return false;
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_FFT_TYPE, type);
    if (!word) return refuse_value(s, "fft_type is FFT, IFFT, RFFT or IRFFT");
    hlo_stablehlo_push_int(s, HLO_ATTR_FFT_TYPE, word->number);
    hlo_stablehlo_push_ints(s, HLO_ATTR_FFT_LENGTH, length);
    return same(s);
}

bool hlo_shlo_batch_norm(hlo_stablehlo *s) {
    double epsilon;
    int64_t feature;
    if (!hlo_stablehlo_float(s, "epsilon", &epsilon) ||
        !hlo_stablehlo_int(s, "feature_index", &feature))
        return false;
    hlo_list_push(&s->attrs, (hlo_attr){.id = HLO_ATTR_EPSILON, .u.f = (double)(float)epsilon});
    hlo_stablehlo_push_int(s, HLO_ATTR_FEATURE_INDEX, feature);
    return same(s);
}

/* ---- computations over elements ---- */

static bool has_regions(hlo_stablehlo *s, uint32_t n) {
    return s->op->region_count == n ||
           hlo_stablehlo_fail(s, HLO_RULE_SYNTAX, "it has %u regions, %u are needed",
                              s->op->region_count, n) != NULL;
}

/* The region is lowered before operands are looked at, as XLA numbers names. */
static bool push_region(hlo_stablehlo *s, hlo_attr_id id) {
    if (!has_regions(s, 1)) return false;
    hlo_computation *c = hlo_stablehlo_region(s, &s->op->regions[0]);
    if (c) hlo_stablehlo_push_computation(s, id, c);
    return c != NULL;
}

bool hlo_shlo_map(hlo_stablehlo *s) {
    hlo_int_view dims;
    if (!push_region(s, HLO_ATTR_TO_APPLY) || !hlo_stablehlo_ints(s, "dimensions", &dims))
        return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, dims);
    return same(s);
}

bool hlo_shlo_reduce(hlo_stablehlo *s) {
    hlo_int_view dims;
    if (!push_region(s, HLO_ATTR_TO_APPLY) || !hlo_stablehlo_ints(s, "dimensions", &dims))
        return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, dims);
    return same(s);
}

bool hlo_shlo_reduce_window(hlo_stablehlo *s) {
    window_lists lists = {.reversal = {0}};
    hlo_int_view sizes;
    if (!push_region(s, HLO_ATTR_TO_APPLY) || !hlo_stablehlo_ints(s, "window_dimensions", &sizes) ||
        !hlo_stablehlo_optional_ints(s, "window_strides", &lists.strides) ||
        !window_pairs(s, "pad", "padding", &lists.padding) ||
        !hlo_stablehlo_optional_ints(s, "base_dilations", &lists.base_dilations) ||
        !hlo_stablehlo_optional_ints(s, "window_dilations", &lists.window_dilations))
        return false;
    return push_window(s, &lists, sizes.v, sizes.n) && same(s);
}

bool hlo_shlo_select_and_scatter(hlo_stablehlo *s) {
    window_lists lists = {.reversal = {0}};
    hlo_int_view sizes;
    if (!has_regions(s, 2)) return false;
    hlo_computation *select = hlo_stablehlo_region(s, &s->op->regions[0]);
    hlo_computation *scatter = select ? hlo_stablehlo_region(s, &s->op->regions[1]) : NULL;
    if (!scatter || !hlo_stablehlo_optional_ints(s, "window_dimensions", &sizes) ||
        !hlo_stablehlo_optional_ints(s, "window_strides", &lists.strides) ||
        !window_pairs(s, "pad", "padding", &lists.padding))
        return false;
    hlo_stablehlo_push_computation(s, HLO_ATTR_SELECT, select);
    hlo_stablehlo_push_computation(s, HLO_ATTR_SCATTER, scatter);
    return push_window(s, &lists, sizes.v, sizes.n) && same(s);
}

bool hlo_shlo_sort(hlo_stablehlo *s) {
    int64_t dimension;
    bool is_stable;
    if (!push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_optional_int(s, "dimension", -1, &dimension) ||
        !hlo_stablehlo_optional_bool(s, "is_stable", false, &is_stable))
        return false;
    hlo_instr *first = hlo_stablehlo_operand(s, 0);
    if (!first) return false;
    if (dimension < 0) dimension += first->shape->rank;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    hlo_stablehlo_push_flag(s, HLO_ATTR_IS_STABLE, is_stable);
    return same(s);
}

bool hlo_shlo_top_k(hlo_stablehlo *s) {
    int64_t k;
    bool is_stable, largest;
    if (!hlo_stablehlo_int(s, "k", &k) ||
        !hlo_stablehlo_optional_bool(s, "is_stable", true, &is_stable) ||
        !hlo_stablehlo_optional_bool(s, "largest", true, &largest))
        return false;
    hlo_stablehlo_push_int(s, HLO_ATTR_K, k);
    hlo_stablehlo_push_int(s, HLO_ATTR_LARGEST, largest);
    if (hlo_stablehlo_attr(s, "is_stable"))
        hlo_stablehlo_push_int(s, HLO_ATTR_TOPK_IS_STABLE, is_stable);
    return same(s);
}

bool hlo_shlo_scan(hlo_stablehlo *s) {
    int64_t dimension;
    bool is_reverse, is_associative;
    if (!push_region(s, HLO_ATTR_TO_APPLY) || !hlo_stablehlo_int(s, "dimension", &dimension) ||
        !hlo_stablehlo_optional_bool(s, "is_reverse", false, &is_reverse) ||
        !hlo_stablehlo_optional_bool(s, "is_associative", false, &is_associative))
        return false;
    hlo_int_view segments;
    if (!hlo_stablehlo_ints(s, "operandSegmentSizes", &segments) || segments.n != 2)
        return refuse_value(s, "operandSegmentSizes has two numbers");
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    hlo_stablehlo_push_flag(s, HLO_ATTR_IS_REVERSE, is_reverse);
    hlo_stablehlo_push_int(s, HLO_ATTR_IS_ASSOCIATIVE, is_associative);
    hlo_stablehlo_push_int(s, HLO_ATTR_NUM_CARRIES, segments.v[1]);
    if (s->op->result_count != 1) return same(s);
    const hlo_shape *only = hlo_stablehlo_result_shape(s, s->op);
    if (!only) return false;
    hlo_stablehlo_push_operands(s);
    return hlo_stablehlo_set_elements(
        s, hlo_stablehlo_make(s, HLO_OP_SCAN, hlo_shape_tuple(&s->module->shapes, &only, 1)));
}

/* ---- gather, scatter ---- */

typedef struct {
    const char *key;
    hlo_attr_id id;
    bool always;
} dims_row;

static bool push_members(hlo_stablehlo *s, const hlo_mlir_attr *of, const dims_row *rows,
                         size_t n) {
    for (size_t i = 0; i < n; i++) {
        hlo_int_view v;
        if (!hlo_stablehlo_member_ints(s, of, rows[i].key, &v)) return false;
        if (v.n || rows[i].always) hlo_stablehlo_push_ints(s, rows[i].id, v);
    }
    hlo_stablehlo_push_int(s, HLO_ATTR_INDEX_VECTOR_DIM,
                           hlo_stablehlo_member_int(of, "index_vector_dim", 0));
    return true;
}

bool hlo_shlo_gather(hlo_stablehlo *s) {
    static const dims_row rows[] = {
        {"offset_dims", HLO_ATTR_OFFSET_DIMS, true},
        {"collapsed_slice_dims", HLO_ATTR_COLLAPSED_SLICE_DIMS, true},
        {"operand_batching_dims", HLO_ATTR_OPERAND_BATCHING_DIMS, false},
        {"start_indices_batching_dims", HLO_ATTR_START_INDICES_BATCHING_DIMS, false},
        {"start_index_map", HLO_ATTR_START_INDEX_MAP, true},
    };
    const hlo_mlir_attr *dims = hlo_stablehlo_attr(s, "dimension_numbers");
    hlo_int_view sizes;
    bool sorted;
    if (!dims)
        return hlo_stablehlo_fail(s, HLO_RULE_MISSING_ATTRIBUTE,
                                  "the attribute 'dimension_numbers' is missing") != NULL;
    if (!push_members(s, dims, rows, sizeof rows / sizeof *rows) ||
        !hlo_stablehlo_ints(s, "slice_sizes", &sizes) ||
        !hlo_stablehlo_optional_bool(s, "indices_are_sorted", false, &sorted))
        return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_SLICE_SIZES, sizes);
    hlo_stablehlo_push_flag(s, HLO_ATTR_INDICES_ARE_SORTED, sorted);
    return same(s);
}

bool hlo_shlo_scatter(hlo_stablehlo *s) {
    static const dims_row rows[] = {
        {"update_window_dims", HLO_ATTR_UPDATE_WINDOW_DIMS, true},
        {"inserted_window_dims", HLO_ATTR_INSERTED_WINDOW_DIMS, true},
        {"input_batching_dims", HLO_ATTR_INPUT_BATCHING_DIMS, false},
        {"scatter_indices_batching_dims", HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS, false},
        {"scatter_dims_to_operand_dims", HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, true},
    };
    const hlo_mlir_attr *dims = hlo_stablehlo_attr(s, "scatter_dimension_numbers");
    bool sorted, unique;
    if (!dims)
        return hlo_stablehlo_fail(s, HLO_RULE_MISSING_ATTRIBUTE,
                                  "the attribute 'scatter_dimension_numbers' is missing") != NULL;
    if (!push_region(s, HLO_ATTR_TO_APPLY) ||
        !push_members(s, dims, rows, sizeof rows / sizeof *rows) ||
        !hlo_stablehlo_optional_bool(s, "indices_are_sorted", false, &sorted) ||
        !hlo_stablehlo_optional_bool(s, "unique_indices", false, &unique))
        return false;
    hlo_stablehlo_push_flag(s, HLO_ATTR_INDICES_ARE_SORTED, sorted);
    hlo_stablehlo_push_flag(s, HLO_ATTR_UNIQUE_INDICES, unique);
    return same(s);
}

/* ---- random numbers ---- */

bool hlo_shlo_rng(hlo_stablehlo *s) {
    hlo_str distribution;
    if (!hlo_stablehlo_word(s, "rng_distribution", &distribution)) return false;
    bool is_uniform = hlo_str_is(distribution, "UNIFORM");
    if (!is_uniform && !hlo_str_is(distribution, "NORMAL"))
        return refuse_value(s, "rng_distribution is UNIFORM or NORMAL");
    hlo_stablehlo_push_int(s, HLO_ATTR_DISTRIBUTION, is_uniform ? 1 : 2);
    hlo_instr *operands[2] = {hlo_stablehlo_operand(s, 0), hlo_stablehlo_operand(s, 1)};
    return hlo_stablehlo_set_result(
        s, hlo_stablehlo_make_of(s, HLO_OP_RNG, hlo_stablehlo_result_shape(s, s->op), operands, 2));
}

bool hlo_shlo_rng_bit_generator(hlo_stablehlo *s) {
    hlo_str algorithm;
    if (!hlo_stablehlo_word(s, "rng_algorithm", &algorithm)) return false;
    int64_t number = hlo_str_is(algorithm, "THREE_FRY") ? 1
                     : hlo_str_is(algorithm, "PHILOX")  ? 2
                                                        : 0;
    if (!number && !hlo_str_is(algorithm, "DEFAULT"))
        return refuse_value(s, "rng_algorithm is DEFAULT, THREE_FRY or PHILOX");
    hlo_stablehlo_push_int(s, HLO_ATTR_RNG_ALGORITHM, number);
    return same(s);
}

bool hlo_shlo_rng_state(hlo_stablehlo *s) {
    int64_t delta;
    if (!hlo_stablehlo_int(s, "delta", &delta)) return false;
    hlo_stablehlo_push_int(s, HLO_ATTR_DELTA, delta);
    return same(s);
}
