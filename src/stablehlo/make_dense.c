/* Linear algebra, transforms, computations over elements, gather and scatter, random numbers. */
#include "stablehlo/convert.h"

/* ---- linear algebra, transforms ---- */

bool hlo_shlo_cholesky(hlo_stablehlo *s) {
    bool lower;
    if (!hlo_stablehlo_optional_bool(s, "lower", false, &lower)) return false;
    hlo_stablehlo_push_flag(s, HLO_ATTR_LOWER, lower);
    return hlo_stablehlo_make_same(s);
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
    if (!word)
        return hlo_stablehlo_refuse_value(s, "transpose_a is NO_TRANSPOSE, TRANSPOSE or ADJOINT");
    hlo_stablehlo_push_flag(s, HLO_ATTR_LEFT_SIDE, left);
    hlo_stablehlo_push_flag(s, HLO_ATTR_LOWER, lower);
    hlo_stablehlo_push_flag(s, HLO_ATTR_UNIT_DIAGONAL, unit);
    hlo_stablehlo_push_int(s, HLO_ATTR_TRANSPOSE_A, word->number);
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_fft(hlo_stablehlo *s) {
    hlo_str type;
    hlo_int_view length;
    if (!hlo_stablehlo_word(s, "fft_type", &type) || !hlo_stablehlo_ints(s, "fft_length", &length))
        return false;
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_FFT_TYPE, type);
    if (!word) return hlo_stablehlo_refuse_value(s, "fft_type is FFT, IFFT, RFFT or IRFFT");
    hlo_stablehlo_push_int(s, HLO_ATTR_FFT_TYPE, word->number);
    hlo_stablehlo_push_ints(s, HLO_ATTR_FFT_LENGTH, length);
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_batch_norm(hlo_stablehlo *s) {
    double epsilon;
    int64_t feature;
    if (!hlo_stablehlo_float(s, "epsilon", &epsilon) ||
        !hlo_stablehlo_int(s, "feature_index", &feature))
        return false;
    hlo_list_push(&s->attrs, (hlo_attr){.id = HLO_ATTR_EPSILON, .u.f = (double)(float)epsilon});
    hlo_stablehlo_push_int(s, HLO_ATTR_FEATURE_INDEX, feature);
    return hlo_stablehlo_make_same(s);
}

/* ---- computations over elements ---- */

bool hlo_shlo_map(hlo_stablehlo *s) {
    hlo_int_view dims;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_ints(s, "dimensions", &dims))
        return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, dims);
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_reduce(hlo_stablehlo *s) {
    hlo_int_view dims;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_ints(s, "dimensions", &dims))
        return false;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, dims);
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_sort(hlo_stablehlo *s) {
    int64_t dimension;
    bool is_stable;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_optional_int(s, "dimension", -1, &dimension) ||
        !hlo_stablehlo_optional_bool(s, "is_stable", false, &is_stable))
        return false;
    hlo_instr *first = hlo_stablehlo_operand(s, 0);
    if (!first) return false;
    if (dimension < 0) dimension += first->shape->rank;
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    hlo_stablehlo_push_flag(s, HLO_ATTR_IS_STABLE, is_stable);
    return hlo_stablehlo_make_same(s);
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
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_scan(hlo_stablehlo *s) {
    int64_t dimension;
    bool is_reverse, is_associative;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !hlo_stablehlo_int(s, "dimension", &dimension) ||
        !hlo_stablehlo_optional_bool(s, "is_reverse", false, &is_reverse) ||
        !hlo_stablehlo_optional_bool(s, "is_associative", false, &is_associative))
        return false;
    hlo_int_view segments;
    if (!hlo_stablehlo_ints(s, "operandSegmentSizes", &segments) || segments.n != 2)
        return hlo_stablehlo_refuse_value(s, "operandSegmentSizes has two numbers");
    hlo_stablehlo_push_ints(s, HLO_ATTR_DIMENSIONS, (hlo_int_view){1, &dimension});
    hlo_stablehlo_push_flag(s, HLO_ATTR_IS_REVERSE, is_reverse);
    hlo_stablehlo_push_int(s, HLO_ATTR_IS_ASSOCIATIVE, is_associative);
    hlo_stablehlo_push_int(s, HLO_ATTR_NUM_CARRIES, segments.v[1]);
    if (s->op->result_count != 1) return hlo_stablehlo_make_same(s);
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
    bool is_always;
} dims_row;

static bool push_members(hlo_stablehlo *s, const hlo_mlir_attr *of, const dims_row *rows,
                         size_t n) {
    for (size_t i = 0; i < n; i++) {
        hlo_int_view v;
        if (!hlo_stablehlo_member_ints(s, of, rows[i].key, &v)) return false;
        if (v.n || rows[i].is_always) hlo_stablehlo_push_ints(s, rows[i].id, v);
    }
    hlo_stablehlo_push_int(s, HLO_ATTR_INDEX_VECTOR_DIM,
                           hlo_stablehlo_member_int(of, "index_vector_dim", 0));
    return true;
}

bool hlo_shlo_gather(hlo_stablehlo *s) {
    static const dims_row rows[] = {
#define HLO_STABLEHLO_GATHER_LIST(key, id, is_always) {key, HLO_ATTR_##id, is_always},
#include "stablehlo/dimension_lists.def"
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
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_scatter(hlo_stablehlo *s) {
    static const dims_row rows[] = {
#define HLO_STABLEHLO_SCATTER_LIST(key, id, is_always) {key, HLO_ATTR_##id, is_always},
#include "stablehlo/dimension_lists.def"
    };
    const hlo_mlir_attr *dims = hlo_stablehlo_attr(s, "scatter_dimension_numbers");
    bool sorted, unique;
    if (!dims)
        return hlo_stablehlo_fail(s, HLO_RULE_MISSING_ATTRIBUTE,
                                  "the attribute 'scatter_dimension_numbers' is missing") != NULL;
    if (!hlo_stablehlo_push_region(s, HLO_ATTR_TO_APPLY) ||
        !push_members(s, dims, rows, sizeof rows / sizeof *rows) ||
        !hlo_stablehlo_optional_bool(s, "indices_are_sorted", false, &sorted) ||
        !hlo_stablehlo_optional_bool(s, "unique_indices", false, &unique))
        return false;
    hlo_stablehlo_push_flag(s, HLO_ATTR_INDICES_ARE_SORTED, sorted);
    hlo_stablehlo_push_flag(s, HLO_ATTR_UNIQUE_INDICES, unique);
    return hlo_stablehlo_make_same(s);
}

/* ---- random numbers ---- */

bool hlo_shlo_rng(hlo_stablehlo *s) {
    hlo_str distribution;
    if (!hlo_stablehlo_word(s, "rng_distribution", &distribution)) return false;
    bool is_uniform = hlo_str_is(distribution, "UNIFORM");
    if (!is_uniform && !hlo_str_is(distribution, "NORMAL"))
        return hlo_stablehlo_refuse_value(s, "rng_distribution is UNIFORM or NORMAL");
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
        return hlo_stablehlo_refuse_value(s, "rng_algorithm is DEFAULT, THREE_FRY or PHILOX");
    hlo_stablehlo_push_int(s, HLO_ATTR_RNG_ALGORITHM, number);
    return hlo_stablehlo_make_same(s);
}

bool hlo_shlo_rng_state(hlo_stablehlo *s) {
    int64_t delta;
    if (!hlo_stablehlo_int(s, "delta", &delta)) return false;
    hlo_stablehlo_push_int(s, HLO_ATTR_DELTA, delta);
    return hlo_stablehlo_make_same(s);
}
