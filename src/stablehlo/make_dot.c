/* Products of arrays: their dimensions, precision and algorithm. */
#include "stablehlo/convert.h"

/* [HIGHEST, DEFAULT] */
bool hlo_stablehlo_push_precision(hlo_stablehlo *s) {
    const hlo_mlir_attr *attr = hlo_stablehlo_attr(s, "precision_config");
    if (!attr || !attr->list.n) return true;
    int64_t *numbers = HLO_NEW_ARRAY(s->arena, int64_t, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        hlo_str word;
        char lower[16];
        if (!hlo_stablehlo_word_of(attr->list.v[i].value, &word) || word.len >= sizeof lower)
            return hlo_stablehlo_refuse_value(s, "precision_config lists DEFAULT, HIGH or HIGHEST");
        for (uint32_t k = 0; k < word.len; k++) lower[k] = (char)(word.ptr[k] | 0x20);
        const hlo_word_info *info =
            hlo_word_find(HLO_WORDS_PRECISION, (hlo_str){lower, word.len, 0});
        if (!info)
            return hlo_stablehlo_refuse_value(s, "precision_config lists DEFAULT, HIGH or HIGHEST");
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
    return is_text ? hlo_mlir_text_of(member) : HLO_STR("");
}

/* The word of HLO for what the struct describes. */
static bool push_algorithm(hlo_stablehlo *s) {
    static const struct {
        const char *word, *operands, *sums;
        int64_t products;
        bool is_imprecise;
    } rows[] = {
#define HLO_STABLEHLO_DOT_ALGORITHM(word, operands, sums, products, is_imprecise, is_written) \
    {word, operands, sums, products, is_imprecise},
#include "stablehlo/dot_algorithms.def"
#undef HLO_STABLEHLO_DOT_ALGORITHM
    };
    const hlo_mlir_attr *a = hlo_stablehlo_attr(s, "algorithm");
    if (!a || a->kind == HLO_MLIR_WORD) return true;
    hlo_str lhs = type_name(a, "lhs_precision_type"), rhs = type_name(a, "rhs_precision_type");
    hlo_str accumulation = type_name(a, "accumulation_type");
    int64_t operations = hlo_stablehlo_member_int(a, "num_primitive_operations", 1);
    int64_t lhs_components = hlo_stablehlo_member_int(a, "lhs_component_count", 1),
            rhs_components = hlo_stablehlo_member_int(a, "rhs_component_count", 1);
    const hlo_mlir_attr *imprecise = hlo_mlir_member(a, "allow_imprecise_accumulation");
    if (imprecise && !hlo_mlir_has_int(imprecise))
        return hlo_stablehlo_refuse_value(s, "allow_imprecise_accumulation is true or false");
    bool is_imprecise = imprecise && hlo_mlir_int_of(imprecise);
    const char *word = NULL;
    bool is_f8 = lhs.len > 2 && rhs.len > 2 && lhs.ptr[1] == '8' && rhs.ptr[1] == '8' &&
                 hlo_str_is(accumulation, "f32");
    if (is_f8) word = is_imprecise ? "dot_any_f8_any_f8_f32_fast_accum" : "dot_any_f8_any_f8_f32";
    bool has_parts = lhs_components != 1 || rhs_components != 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !word && !has_parts; i++)
        if (hlo_str_is(lhs, rows[i].operands) && hlo_str_is(rhs, rows[i].operands) &&
            hlo_str_is(accumulation, rows[i].sums) && operations == rows[i].products &&
            is_imprecise == rows[i].is_imprecise)
            word = rows[i].word;
    if (!word)
        return hlo_stablehlo_fail_at(
                   s, s->op, a->at, HLO_RULE_ATTRIBUTE_VALUE,
                   "'stablehlo.dot_general': HLO has no word for this algorithm") != NULL;
    hlo_stablehlo_push_int(s, HLO_ATTR_ALGORITHM,
                           hlo_word_find(HLO_WORDS_DOT_ALGORITHM, hlo_str_from(word))->number);
    return true;
}

/* `[0] x [1]` of the pretty form, or members of #stablehlo.dot. */
bool hlo_stablehlo_dot_dims(hlo_stablehlo *s, const char *pretty, const char *lhs, const char *rhs,
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
        return hlo_stablehlo_refuse_value(s, "dimensions are written [0] x [1]");
    return true;
}

static void push_dims(hlo_stablehlo *s, hlo_attr_id lhs, hlo_attr_id rhs, const hlo_int_view v[2],
                      bool always) {
    if (always || v[0].n) hlo_stablehlo_push_ints(s, lhs, v[0]);
    if (always || v[1].n) hlo_stablehlo_push_ints(s, rhs, v[1]);
}

bool hlo_shlo_dot_general(hlo_stablehlo *s) {
    hlo_int_view batch[2], contracting[2];
    if (!hlo_stablehlo_dot_dims(s, "batching_dims", "lhs_batching_dimensions",
                                "rhs_batching_dimensions", batch) ||
        !hlo_stablehlo_dot_dims(s, "contracting_dims", "lhs_contracting_dimensions",
                                "rhs_contracting_dimensions", contracting))
        return false;
    push_dims(s, HLO_ATTR_LHS_BATCH_DIMS, HLO_ATTR_RHS_BATCH_DIMS, batch, false);
    push_dims(s, HLO_ATTR_LHS_CONTRACTING_DIMS, HLO_ATTR_RHS_CONTRACTING_DIMS, contracting, true);
    return hlo_stablehlo_push_precision(s) && push_algorithm(s) && hlo_stablehlo_make_same(s);
}

/* Of vectors and matrices: the last dimension of lhs and the first of rhs. */
bool hlo_shlo_dot(hlo_stablehlo *s) {
    hlo_instr *lhs = hlo_stablehlo_operand(s, 0);
    if (!lhs || !lhs->shape->rank)
        return hlo_stablehlo_refuse_value(s, "operands are vectors or matrices");
    int64_t last = lhs->shape->rank - 1, first = 0;
    hlo_int_view contracting[2] = {{1, &last}, {1, &first}};
    push_dims(s, HLO_ATTR_LHS_CONTRACTING_DIMS, HLO_ATTR_RHS_CONTRACTING_DIMS, contracting, true);
    return hlo_stablehlo_push_precision(s) && hlo_stablehlo_make_same(s);
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
    return hlo_stablehlo_push_precision(s) && hlo_stablehlo_make_same(s);
}
