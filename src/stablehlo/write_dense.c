/* Products, convolutions, gathers, reductions, and others that have dimensions or regions. */
#include "stablehlo/write.h"

/* ---- products ---- */

static const hlo_mlir_attr *precisions(hlo_sw *w, const char *name, uint32_t n) {
    const hlo_ints *given = hlo_attr_ints(w->instr, HLO_ATTR_OPERAND_PRECISION);
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n + given->n);
    if (given->n) n = given->n;
    for (uint32_t i = 0; i < n; i++)
        v[i] = hlo_sw_word(w, name,
                           hlo_sw_capitals(w, HLO_WORDS_PRECISION, given->n ? given->v[i] : 0));
    return hlo_sw_list(w, v, n);
}

static const hlo_mlir_attr *type_attr(hlo_sw *w, const char *name) {
    hlo_mlir_attr *attr = HLO_NEW(w->arena, hlo_mlir_attr);
    hlo_type element = hlo_mlir_element(hlo_str_from(name));
    hlo_mlir_type type = {.kind = HLO_MLIR_SCALAR, .element = element};
    if (element == HLO_TYPE_COUNT) /* tf32, which HLO has not */
        type = (hlo_mlir_type){.kind = HLO_MLIR_OTHER, .text = hlo_str_from(name)};
    attr->kind = HLO_MLIR_TYPE;
    attr->type = hlo_mlir_type_of(w->tree, &type);
    return attr;
}

static bool push_algorithm(hlo_sw *w) {
    static const struct {
        const char *word, *operands, *sums;
        int64_t products;
        bool is_imprecise, is_written;
    } rows[] = {
#define HLO_STABLEHLO_DOT_ALGORITHM(...) {__VA_ARGS__},
#include "stablehlo/dot_algorithms.def"
#undef HLO_STABLEHLO_DOT_ALGORITHM
    };
    int64_t number = hlo_attr_int(w->instr, HLO_ATTR_ALGORITHM);
    if (!number) return true;
    const char *word = hlo_word_text(HLO_WORDS_DOT_ALGORITHM, number);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].is_written || strcmp(rows[i].word, word) != 0) continue;
        hlo_sw_members m = {0};
        const hlo_mlir_attr *type = type_attr(w, rows[i].operands);
        hlo_sw_member(&m, "lhs_precision_type", type);
        hlo_sw_member(&m, "rhs_precision_type", type);
        hlo_sw_member(&m, "accumulation_type", type_attr(w, rows[i].sums));
        hlo_sw_member(&m, "lhs_component_count", hlo_sw_plain_int(w, 1));
        hlo_sw_member(&m, "rhs_component_count", hlo_sw_plain_int(w, 1));
        hlo_sw_member(&m, "num_primitive_operations", hlo_sw_plain_int(w, rows[i].products));
        hlo_sw_member(&m, "allow_imprecise_accumulation", hlo_sw_bool(w, rows[i].is_imprecise));
        hlo_sw_push(w, "algorithm", hlo_sw_struct(w, "stablehlo.dot_algorithm", &m));
        return true;
    }
    return hlo_sw_refuse(w, "StableHLO has no algorithm %s", word) != NULL;
}

static const hlo_mlir_attr *dot_numbers(hlo_sw *w, const char *name) {
    hlo_sw_members m = {0};
    hlo_sw_numbers_member(w, &m, "lhs_batching_dimensions",
                          hlo_attr_ints(w->instr, HLO_ATTR_LHS_BATCH_DIMS));
    hlo_sw_numbers_member(w, &m, "rhs_batching_dimensions",
                          hlo_attr_ints(w->instr, HLO_ATTR_RHS_BATCH_DIMS));
    hlo_sw_numbers_member(w, &m, "lhs_contracting_dimensions",
                          hlo_attr_ints(w->instr, HLO_ATTR_LHS_CONTRACTING_DIMS));
    hlo_sw_numbers_member(w, &m, "rhs_contracting_dimensions",
                          hlo_attr_ints(w->instr, HLO_ATTR_RHS_CONTRACTING_DIMS));
    return hlo_sw_struct(w, name, &m);
}

/* Of vectors and matrices, over the last dimension of one and the first of the other. */
static bool is_plain_dot(const hlo_instr *dot) {
    const hlo_shape *lhs = hlo_operand(dot, 0)->shape, *rhs = hlo_operand(dot, 1)->shape;
    const hlo_ints *left = hlo_attr_ints(dot, HLO_ATTR_LHS_CONTRACTING_DIMS);
    const hlo_ints *right = hlo_attr_ints(dot, HLO_ATTR_RHS_CONTRACTING_DIMS);
    return lhs->rank <= 2 && rhs->rank <= 2 && left->n == 1 && right->n == 1 &&
           left->v[0] == (lhs->rank == 1 ? 0 : 1) && right->v[0] == 0 &&
           !hlo_attr_ints(dot, HLO_ATTR_LHS_BATCH_DIMS)->n &&
           !hlo_attr_ints(dot, HLO_ATTR_RHS_BATCH_DIMS)->n;
}

hlo_mlir_value *hlo_sw_write_dot(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push(w, "precision_config", precisions(w, "stablehlo.precision", 2));
    if (!push_algorithm(w)) return NULL;
    if (is_plain_dot(w->instr)) return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_DOT);
    hlo_sw_push(w, "dot_dimension_numbers", dot_numbers(w, "stablehlo.dot"));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_DOT_GENERAL);
}

hlo_mlir_value *hlo_sw_write_ragged_dot(hlo_sw *w) {
    hlo_sw_members m = {0};
    hlo_sw_member(&m, "dot_dimension_numbers", dot_numbers(w, "mhlo.dot"));
    hlo_sw_numbers_member(w, &m, "lhs_ragged_dimensions",
                          hlo_attr_ints(w->instr, HLO_ATTR_LHS_RAGGED_DIMS));
    hlo_sw_numbers_member(w, &m, "rhs_group_dimensions",
                          hlo_attr_ints(w->instr, HLO_ATTR_RHS_GROUP_DIMS));
    hlo_sw_push_common(w);
    hlo_sw_push(w, "precision_config", precisions(w, "mhlo.precision", 2));
    hlo_sw_push(w, "ragged_dot_dimension_numbers", hlo_sw_struct(w, "mhlo.ragged_dot", &m));
    return hlo_sw_same(w, HLO_MLIR_OP_MHLO_RAGGED_DOT);
}

/* ---- windows ---- */

static const hlo_window *window_of(hlo_sw *w) {
    static const hlo_window none = {0};
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_WINDOW);
    return attr ? attr->u.window : &none;
}

typedef int64_t window_number(const hlo_window_dim *dim);
static int64_t size_of(const hlo_window_dim *dim) {
    return dim->size;
}
static int64_t stride_of(const hlo_window_dim *dim) {
    return dim->stride;
}
static int64_t base_dilation_of(const hlo_window_dim *dim) {
    return dim->base_dilation;
}
static int64_t window_dilation_of(const hlo_window_dim *dim) {
    return dim->window_dilation;
}
static int64_t reversal_of(const hlo_window_dim *dim) {
    return dim->reversed;
}

static const int64_t *numbers(hlo_sw *w, window_number *number) {
    const hlo_window *window = window_of(w);
    int64_t *v = HLO_NEW_ARRAY(w->arena, int64_t, window->n);
    for (uint32_t i = 0; i < window->n; i++) v[i] = number(&window->v[i]);
    return v;
}

static void push_window(hlo_sw *w, const char *name, window_number *number) {
    hlo_sw_push(w, name, hlo_sw_i64s(w, numbers(w, number), window_of(w)->n));
}

static void push_padding(hlo_sw *w) {
    const hlo_window *window = window_of(w);
    int64_t dims[2] = {window->n, 2}, *v = HLO_NEW_ARRAY(w->arena, int64_t, 2 * (size_t)window->n);
    for (uint32_t i = 0; i < window->n; i++) {
        v[2 * i] = window->v[i].pad_low;
        v[2 * i + 1] = window->v[i].pad_high;
    }
    hlo_sw_push(w, "padding", hlo_sw_dense_i64s(w, v, 2, dims));
}

/* ---- convolutions ---- */

/* [b, 0, 1, f]: what each dimension is. */
static const hlo_mlir_attr *labels(hlo_sw *w, const int64_t *spatial, uint32_t n, int64_t first,
                                   int64_t second, const char *letters) {
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(w->arena, const hlo_mlir_attr *, n + 2);
    for (uint32_t i = 0; i < n + 2; i++) {
        bool is_spatial = i < n;
        int64_t at = is_spatial ? spatial[i] : i == n ? first : second;
        if (at < 0 || at >= n + 2 || v[at])
            return hlo_sw_refuse(w, "dim_labels name a dimension twice, or none");
        v[at] = is_spatial ? hlo_sw_plain_int(w, i)
                           : hlo_sw_text(w, HLO_MLIR_WORD, (hlo_str){letters + i - n, 1, 0});
    }
    return hlo_sw_list(w, v, n + 2);
}

static const hlo_mlir_attr *conv_numbers(hlo_sw *w) {
    const hlo_dim_labels *of = hlo_instr_attr(w->instr, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    const hlo_mlir_attr *lists[] = {
        labels(w, of->input_spatial, of->n, of->input_batch, of->input_feature, "bf"),
        labels(w, of->kernel_spatial, of->n, of->kernel_input_feature, of->kernel_output_feature,
               "io"),
        labels(w, of->output_spatial, of->n, of->output_batch, of->output_feature, "bf")};
    if (w->failed) return NULL;
    hlo_mlir_attr *all = HLO_NEW(w->arena, hlo_mlir_attr);
    *all = *hlo_sw_list(w, lists, 3);
    all->bracket = 'x';
    hlo_sw_members only = {.n = 1, .v = {{{0}, all, 0}}};
    return hlo_sw_struct(w, "stablehlo.conv", &only);
}

/* Whether each value of a type is one of the other. */
static bool keeps_values(hlo_type from, hlo_type to) {
    const hlo_type_info *a = &hlo_types[from], *b = &hlo_types[to];
    if (from == to) return true;
    if (a->class == HLO_CLASS_FLOAT && b->class == HLO_CLASS_FLOAT)
        return a->mantissa_bits <= b->mantissa_bits && a->exponent_bits <= b->exponent_bits;
    bool is_from_int = hlo_type_is_integral(from) || from == HLO_PRED;
    if (is_from_int && hlo_type_is_integral(to)) {
        unsigned from_signed = a->class == HLO_CLASS_SIGNED,
                 to_signed = b->class == HLO_CLASS_SIGNED;
        if (from_signed && !to_signed) return false;
        return a->bits - from_signed <= b->bits - to_signed;
    }
    if (is_from_int && b->class == HLO_CLASS_FLOAT)
        return a->bits - (unsigned)(a->class == HLO_CLASS_SIGNED) <= b->mantissa_bits + 1u;
    return false;
}

/* Operands of one type: the one whose values the other type has is converted. */
static bool unify(hlo_sw *w, hlo_mlir_value *v[2]) {
    hlo_type types[] = {(hlo_type)hlo_operand(w->instr, 0)->shape->type,
                        (hlo_type)hlo_operand(w->instr, 1)->shape->type};
    if (types[0] == types[1]) return true;
    int from = keeps_values(types[0], types[1]) ? 0 : keeps_values(types[1], types[0]) ? 1 : -1;
    if (from < 0)
        return hlo_sw_refuse(w, "operands of %s and %s have no common type",
                             hlo_types[types[0]].text, hlo_types[types[1]].text) != NULL;
    hlo_mlir_type type = *v[from]->type;
    type.element = types[!from];
    type.text = (hlo_str){0};
    v[from] =
        hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_CONVERT, &v[from], 1, hlo_mlir_type_of(w->tree, &type));
    return v[from] != NULL;
}

hlo_mlir_value *hlo_sw_write_convolution(hlo_sw *w) {
    hlo_mlir_value *v[] = {hlo_sw_operand(w, 0), hlo_sw_operand(w, 1)};
    const hlo_mlir_attr *dimensions = conv_numbers(w);
    if (!dimensions || !unify(w, v)) return NULL;
    hlo_sw_push_common(w);
    push_window(w, "window_strides", stride_of);
    push_padding(w);
    push_window(w, "lhs_dilation", base_dilation_of);
    push_window(w, "rhs_dilation", window_dilation_of);
    hlo_sw_push(w, "window_reversal", hlo_sw_bools(w, numbers(w, reversal_of), window_of(w)->n));
    hlo_sw_push(w, "dimension_numbers", dimensions);
    hlo_sw_push_int(w, "feature_group_count", hlo_attr_int(w->instr, HLO_ATTR_FEATURE_GROUP_COUNT));
    hlo_sw_push_int(w, "batch_group_count", hlo_attr_int(w->instr, HLO_ATTR_BATCH_GROUP_COUNT));
    hlo_sw_push(w, "precision_config", precisions(w, "stablehlo.precision", 2));
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_CONVOLUTION, v, 2, hlo_sw_type(w, w->instr->shape));
}

/* ---- gather and scatter ---- */

static void add_ints(hlo_sw *w, hlo_sw_members *m, const char *key, hlo_attr_id id) {
    hlo_sw_numbers_member(w, m, key, hlo_attr_ints(w->instr, id));
}

hlo_mlir_value *hlo_sw_write_gather(hlo_sw *w) {
    hlo_sw_members m = {0};
#define HLO_STABLEHLO_GATHER_LIST(key, id, is_always) add_ints(w, &m, key, HLO_ATTR_##id);
#include "stablehlo/dimension_lists.def"
    hlo_sw_number_member(w, &m, "index_vector_dim",
                         hlo_attr_int(w->instr, HLO_ATTR_INDEX_VECTOR_DIM));
    hlo_sw_push_common(w);
    hlo_sw_push(w, "dimension_numbers", hlo_sw_struct(w, "stablehlo.gather", &m));
    hlo_sw_push_ints(w, "slice_sizes", HLO_ATTR_SLICE_SIZES);
    hlo_sw_push_flag(w, "indices_are_sorted", HLO_ATTR_INDICES_ARE_SORTED);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_GATHER);
}

/* An operation with a region, all operands, and results of those types. */
static hlo_mlir_op *with_region(hlo_sw *w, hlo_mlir_op_id id, const hlo_mlir_type_list *types) {
    hlo_mlir_op *op =
        hlo_sw_op(w, id, hlo_sw_operands(w), w->instr->operand_count, types->v, types->n, 1);
    hlo_computation *c = hlo_instr_attr(w->instr, HLO_ATTR_TO_APPLY)->u.computation;
    return op && hlo_sw_region(w, op, 0, c) ? op : NULL;
}

hlo_mlir_value *hlo_sw_write_scatter(hlo_sw *w) {
    hlo_sw_members m = {0};
#define HLO_STABLEHLO_SCATTER_LIST(key, id, is_always) add_ints(w, &m, key, HLO_ATTR_##id);
#include "stablehlo/dimension_lists.def"
    hlo_sw_number_member(w, &m, "index_vector_dim",
                         hlo_attr_int(w->instr, HLO_ATTR_INDEX_VECTOR_DIM));
    hlo_sw_push_common(w);
    hlo_sw_push(w, "scatter_dimension_numbers", hlo_sw_struct(w, "stablehlo.scatter", &m));
    hlo_sw_push_flag(w, "indices_are_sorted", HLO_ATTR_INDICES_ARE_SORTED);
    hlo_sw_push_flag(w, "unique_indices", HLO_ATTR_UNIQUE_INDICES);
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    hlo_mlir_type_list types = {0};
    hlo_sw_flatten(type, &types);
    hlo_mlir_op *op = with_region(w, HLO_MLIR_OP_STABLEHLO_SCATTER, &types);
    hlo_list_free(&types);
    return hlo_sw_results_as(w, op, type);
}

/* ---- reductions and the like: one result, or a tuple of several ---- */

static hlo_mlir_op *with_results(hlo_sw *w, hlo_mlir_op_id id) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    hlo_mlir_type_list types = {0};
    hlo_sw_untuple(type, &types);
    hlo_mlir_op *op = with_region(w, id, &types);
    hlo_list_free(&types);
    return op;
}

static hlo_mlir_value *result_of(hlo_sw *w, hlo_mlir_op *op) {
    if (!op) return NULL;
    return hlo_shape_is_tuple(w->instr->shape) ? hlo_sw_wrapped(w, op) : &op->results[0];
}

/* What the instruction carries goes to the tuple, if there is one. */
hlo_mlir_value *hlo_sw_write_reduce(hlo_sw *w) {
    bool is_tuple = hlo_shape_is_tuple(w->instr->shape);
    if (!is_tuple) hlo_sw_push_common(w);
    hlo_sw_push_ints(w, "dimensions", HLO_ATTR_DIMENSIONS);
    hlo_mlir_op *op = with_results(w, HLO_MLIR_OP_STABLEHLO_REDUCE);
    const hlo_mlir_op *only = op ? hlo_mlir_only_reducer(op) : NULL;
    if (only) { /* the text has no place for it */
        op->regions[0].first->first->location = op->location;
        op->regions[0].first->last->location = op->location;
    }
    if (op && is_tuple) hlo_sw_push_common(w);
    return result_of(w, op);
}

hlo_mlir_value *hlo_sw_write_reduce_window(hlo_sw *w) {
    hlo_sw_push_common(w);
    push_window(w, "window_dimensions", size_of);
    push_window(w, "window_strides", stride_of);
    push_window(w, "base_dilations", base_dilation_of);
    push_window(w, "window_dilations", window_dilation_of);
    push_padding(w);
    return result_of(w, with_results(w, HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW));
}

hlo_mlir_value *hlo_sw_write_select_and_scatter(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    hlo_sw_push_common(w);
    push_window(w, "window_strides", stride_of);
    push_window(w, "window_dimensions", size_of);
    push_padding(w);
    hlo_mlir_op *op = hlo_sw_op(w, HLO_MLIR_OP_STABLEHLO_SELECT_AND_SCATTER, hlo_sw_operands(w),
                                w->instr->operand_count, &type, 1, 2);
    hlo_computation *select = hlo_instr_attr(w->instr, HLO_ATTR_SELECT)->u.computation;
    hlo_computation *scatter = hlo_instr_attr(w->instr, HLO_ATTR_SCATTER)->u.computation;
    bool good = op && hlo_sw_region(w, op, 0, select) && hlo_sw_region(w, op, 1, scatter);
    return good ? &op->results[0] : NULL;
}

hlo_mlir_value *hlo_sw_write_map(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_ints(w, "dimensions", HLO_ATTR_DIMENSIONS);
    return result_of(w, with_results(w, HLO_MLIR_OP_STABLEHLO_MAP));
}

hlo_mlir_value *hlo_sw_write_sort(hlo_sw *w) {
    const hlo_ints *dims = hlo_attr_ints(w->instr, HLO_ATTR_DIMENSIONS);
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "dimension", dims->n ? dims->v[0] : 0);
    hlo_sw_push_flag(w, "is_stable", HLO_ATTR_IS_STABLE);
    return result_of(w, with_results(w, HLO_MLIR_OP_STABLEHLO_SORT));
}

static void push_segments(hlo_sw *w, const char *name, int64_t all, int64_t last) {
    int64_t *v = HLO_NEW_ARRAY(w->arena, int64_t, 2), count = 2;
    hlo_mlir_attr *attr = HLO_NEW(w->arena, hlo_mlir_attr);
    v[0] = all - last;
    v[1] = last;
    attr->kind = HLO_MLIR_INTS;
    attr->type = hlo_sw_tensor(w, HLO_S32, 1, &count);
    attr->u.ints.n = 2;
    attr->u.ints.v = v;
    hlo_sw_push(w, name, attr);
}

hlo_mlir_value *hlo_sw_write_scan(hlo_sw *w) {
    const hlo_ints *dims = hlo_attr_ints(w->instr, HLO_ATTR_DIMENSIONS);
    const hlo_attr *associative = hlo_instr_attr(w->instr, HLO_ATTR_IS_ASSOCIATIVE);
    int64_t carries = hlo_attr_int(w->instr, HLO_ATTR_NUM_CARRIES);
    uint32_t results = hlo_shape_part_count(w->instr->shape);
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "dimension", dims->n ? dims->v[0] : 0);
    hlo_sw_push_flag(w, "is_reverse", HLO_ATTR_IS_REVERSE);
    if (associative) hlo_sw_push(w, "is_associative", hlo_sw_bool(w, associative->u.i != 0));
    push_segments(w, "operandSegmentSizes", w->instr->operand_count, carries);
    push_segments(w, "resultSegmentSizes", results, carries);
    return result_of(w, with_results(w, HLO_MLIR_OP_MHLO_SCAN));
}

hlo_mlir_value *hlo_sw_write_topk(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    if (type->kind != HLO_MLIR_TUPLE) return hlo_sw_refuse(w, "its result is no tuple");
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "k", hlo_attr_int(w->instr, HLO_ATTR_K));
    if (!hlo_attr_int(w->instr, HLO_ATTR_LARGEST)) hlo_sw_push(w, "largest", hlo_sw_bool(w, false));
    return hlo_sw_wrapped(w, hlo_sw_op(w, HLO_MLIR_OP_MHLO_TOPK, hlo_sw_operands(w), 1, type->parts,
                                       type->part_count, 0));
}

/* ---- linear algebra, transforms, statistics ---- */

hlo_mlir_value *hlo_sw_write_cholesky(hlo_sw *w) {
    hlo_sw_push_common(w);
    if (hlo_attr_int(w->instr, HLO_ATTR_LOWER)) hlo_sw_push(w, "lower", hlo_sw_bool(w, true));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_CHOLESKY);
}

hlo_mlir_value *hlo_sw_write_triangular_solve(hlo_sw *w) {
    int64_t transpose = hlo_attr_int(w->instr, HLO_ATTR_TRANSPOSE_A);
    hlo_sw_push_common(w);
    hlo_sw_push_flag(w, "left_side", HLO_ATTR_LEFT_SIDE);
    hlo_sw_push_flag(w, "lower", HLO_ATTR_LOWER);
    hlo_sw_push_flag(w, "unit_diagonal", HLO_ATTR_UNIT_DIAGONAL);
    hlo_sw_push(
        w, "transpose_a",
        hlo_sw_word(w, "stablehlo.transpose", hlo_word_text(HLO_WORDS_TRANSPOSE, transpose)));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_TRIANGULAR_SOLVE);
}

hlo_mlir_value *hlo_sw_write_fft(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push(
        w, "fft_type",
        hlo_sw_word(w, "stablehlo.fft_type",
                    hlo_word_text(HLO_WORDS_FFT_TYPE, hlo_attr_int(w->instr, HLO_ATTR_FFT_TYPE))));
    hlo_sw_push_ints(w, "fft_length", HLO_ATTR_FFT_LENGTH);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_FFT);
}

hlo_mlir_value *hlo_sw_write_batch_norm(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    const hlo_attr *epsilon = hlo_instr_attr(w->instr, HLO_ATTR_EPSILON);
    if (!type) return NULL;
    hlo_sw_push_common(w);
    hlo_sw_push(w, "epsilon", hlo_sw_f32(w, epsilon ? epsilon->u.f : 0));
    hlo_sw_push_int(w, "feature_index", hlo_attr_int(w->instr, HLO_ATTR_FEATURE_INDEX));
    hlo_mlir_type_list types = {0};
    hlo_sw_flatten(type, &types);
    hlo_mlir_op *op = hlo_sw_op(w, hlo_sw_op_of((hlo_opcode)w->instr->opcode), hlo_sw_operands(w),
                                w->instr->operand_count, types.v, types.n, 0);
    hlo_list_free(&types);
    return hlo_sw_results_as(w, op, type);
}

/* ---- random numbers ---- */

hlo_mlir_value *hlo_sw_write_rng(hlo_sw *w) {
    const hlo_shape *shape = w->instr->shape;
    int64_t dims[2] = {shape->rank, 0};
    const char *word = hlo_attr_int(w->instr, HLO_ATTR_DISTRIBUTION) == 1 ? "UNIFORM" : "NORMAL";
    hlo_sw_push(w, "value", hlo_sw_dense_i64s(w, shape->dims, 1, dims));
    hlo_mlir_value *v[] = {
        hlo_sw_operand(w, 0), hlo_sw_operand(w, 1),
        hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_CONSTANT, NULL, 0, hlo_sw_tensor(w, HLO_S64, 1, dims))};
    hlo_sw_push_common(w);
    hlo_sw_push(w, "rng_distribution", hlo_sw_word(w, "stablehlo.rng_distribution", word));
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_RNG, v, 3, hlo_sw_type(w, shape));
}

/* The new state comes with the numbers, also where the instruction has the numbers alone; then it
 * is replicated. */
static void push_sharding_of_both(hlo_sw *w) {
    for (uint32_t i = 0; i < w->attrs.n; i++) {
        if (!hlo_str_is(w->attrs.v[i].key, "mhlo.sharding")) continue;
        hlo_str own = w->attrs.v[i].value->u.text;
        char *text = hlo_arena_alloc(w->arena, (size_t)own.len + 20);
        uint32_t n = 0;
        memcpy(text, "{{replicated}, ", 15);
        n = 15;
        memcpy(text + n, own.ptr, own.len);
        n += own.len;
        text[n++] = '}';
        w->attrs.v[i].value = hlo_sw_text(w, HLO_MLIR_STRING, (hlo_str){text, n, 0});
    }
}

hlo_mlir_value *hlo_sw_write_rng_bit_generator(hlo_sw *w) {
    static const char *const words[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    int64_t algorithm = hlo_attr_int(w->instr, HLO_ATTR_RNG_ALGORITHM);
    if (!type) return NULL;
    HLO_ASSERT(algorithm >= 0 && algorithm < 3);
    bool is_array = type->kind != HLO_MLIR_TUPLE;
    hlo_sw_push_common(w);
    if (is_array) push_sharding_of_both(w);
    hlo_sw_push(w, "rng_algorithm", hlo_sw_word(w, "stablehlo.rng_algorithm", words[algorithm]));
    hlo_mlir_value *state = hlo_sw_operand(w, 0);
    hlo_mlir_type_list types = {0};
    if (is_array) hlo_list_push(&types, state->type);
    hlo_sw_flatten(type, &types);
    hlo_mlir_op *op = NULL;
    if (types.n != 2) hlo_sw_refuse(w, "its result is no pair of a state and numbers");
    else op = hlo_sw_op(w, HLO_MLIR_OP_STABLEHLO_RNG_BIT_GENERATOR, &state, 1, types.v, types.n, 0);
    hlo_list_free(&types);
    if (!op) return NULL;
    return is_array ? &op->results[1] : hlo_sw_results_as(w, op, type);
}

hlo_mlir_value *hlo_sw_write_rng_state(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "delta", hlo_attr_int(w->instr, HLO_ATTR_DELTA));
    return hlo_sw_same(w, HLO_MLIR_OP_MHLO_XLA_RNG_GET_AND_UPDATE_STATE);
}
