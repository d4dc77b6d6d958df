/* Functions of checks.def for products, convolutions and random numbers: what the conversion would
 * lose. The dimensions themselves are for HLO's shape inference. */
#include "base/text.h"
#include "stablehlo/check.h"
#include "stablehlo/edit.h"

/* A precision for each of two operands, or none. */
static bool check_precision(hlo_check *s) {
    static const char *const words[] = {"DEFAULT", "HIGH", "HIGHEST"};
    const hlo_mlir_attr *config = hlo_mlir_attr_of(s->op, "precision_config");
    if (!config) return true;
    bool good = config->kind == HLO_MLIR_LIST;
    for (uint32_t i = 0; good && i < config->list.n; i++) {
        hlo_str word = hlo_mlir_word_of(config->list.v[i].value);
        good = false;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            good |= hlo_str_is(word, words[k]);
    }
    if (!good)
        return hlo_check_refuse_at(s, config, HLO_RULE_ATTRIBUTE_VALUE,
                                   "has precisions that are not DEFAULT, HIGH or HIGHEST");
    return config->list.n <= 2 ||
           hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                            "has %u precisions; there is one for each of two operands",
                            config->list.n);
}

static bool have_one_element(hlo_check *s) {
    const hlo_mlir_type *lhs = hlo_check_operand(s, 0), *rhs = hlo_check_operand(s, 1);
    return hlo_check_same_elements(lhs, rhs) ||
           hlo_check_refuse(s, HLO_RULE_OPERAND_TYPES, "has operands %.*s and %.*s",
                            HLO_CHECK_TYPE(lhs), HLO_CHECK_TYPE(rhs));
}

/* ---- products ---- */

bool hlo_check_dot(hlo_check *s) {
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_mlir_type *type = hlo_check_operand(s, i);
        if (type->rank != 1 && type->rank != 2)
            return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                    "takes vectors and matrices, not %.*s", HLO_CHECK_TYPE(type));
    }
    return check_precision(s);
}

/* With an algorithm precisions are all DEFAULT, and the numbers of the algorithm are positive. */
static bool check_algorithm(hlo_check *s) {
    static const char *const counts[] = {"lhs_component_count", "rhs_component_count",
                                         "num_primitive_operations"};
    const hlo_mlir_attr *algorithm = hlo_mlir_attr_of(s->op, "algorithm"),
                        *config = hlo_mlir_attr_of(s->op, "precision_config");
    if (!algorithm || algorithm->kind == HLO_MLIR_WORD) return true;
    for (uint32_t i = 0; config && i < config->list.n; i++) {
        hlo_str word = hlo_mlir_word_of(config->list.v[i].value);
        if (word.len && !hlo_str_is(word, "DEFAULT"))
            return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                                    "has an algorithm, and a precision other than DEFAULT");
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const hlo_mlir_attr *count = hlo_mlir_member(algorithm, counts[i]);
        if (count && count->kind == HLO_MLIR_INT && count->u.i < 1)
            return hlo_check_refuse_at(s, algorithm, HLO_RULE_ATTRIBUTE_VALUE, "has the %s %lld",
                                       counts[i], (long long)count->u.i);
    }
    return true;
}

bool hlo_check_dot_general(hlo_check *s) {
    return check_precision(s) && check_algorithm(s);
}

/* ---- convolutions ---- */

static bool check_groups(hlo_check *s) {
    static const char *const names[] = {"feature_group_count", "batch_group_count"};
    int64_t counts[2] = {1, 1};
    for (int i = 0; i < 2; i++)
        if (hlo_check_int(s, names[i], &counts[i]) && counts[i] < 1)
            return hlo_check_refuse_at(s, hlo_mlir_attr_of(s->op, names[i]),
                                       HLO_RULE_CONVOLUTION_GROUPS, "has the %s %lld", names[i],
                                       (long long)counts[i]);
    return counts[0] == 1 || counts[1] == 1 ||
           hlo_check_refuse(s, HLO_RULE_CONVOLUTION_GROUPS,
                            "has %lld groups of features and %lld of batches", (long long)counts[0],
                            (long long)counts[1]);
}

/* The members of the pretty form's window. */
static bool check_window(hlo_check *s) {
    static const char *const names[] = {"stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"};
    const hlo_mlir_attr *window = hlo_mlir_attr_of(s->op, "window");
    for (uint32_t i = 0; window && i < window->list.n; i++) {
        hlo_mlir_named entry = window->list.v[i];
        bool known = false;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            known |= hlo_str_is(entry.key, names[k]);
        for (uint32_t k = 0; k < i; k++) known &= !hlo_str_equal(entry.key, window->list.v[k].key);
        if (!known)
            return hlo_check_refuse_at(s, entry.value, HLO_RULE_UNKNOWN_ATTRIBUTE,
                                       "has no %.*s in its window, or has it twice",
                                       (int)entry.key.len, entry.key.ptr);
        bool is_pad = hlo_str_is(entry.key, "pad");
        for (uint32_t k = 0; is_pad && k < entry.value->list.n; k++)
            if (entry.value->list.v[k].value->list.n != 2)
                return hlo_check_refuse_at(s, entry.value, HLO_RULE_WINDOW,
                                           "has a padding that is no list of pairs");
    }
    return true;
}

bool hlo_check_convolution(hlo_check *s) {
    const hlo_mlir_type *lhs = hlo_check_operand(s, 0), *rhs = hlo_check_operand(s, 1);
    const hlo_mlir_attr *padding = hlo_mlir_attr_of(s->op, "padding");
    if (!check_window(s)) return false;
    if (lhs->rank != rhs->rank || lhs->rank < 2)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                "takes operands of one rank, 2 or more, not %.*s and %.*s",
                                HLO_CHECK_TYPE(lhs), HLO_CHECK_TYPE(rhs));
    if (padding && padding->kind == HLO_MLIR_DENSE &&
        (padding->type->rank != 2 || padding->type->dims[1] != 2))
        return hlo_check_refuse(s, HLO_RULE_WINDOW,
                                "has a padding of type %.*s; it is a pair for each dimension",
                                HLO_CHECK_TYPE(padding->type));
    return have_one_element(s) && check_groups(s) && check_precision(s);
}

/* ---- random numbers ---- */

bool hlo_check_rng(hlo_check *s) {
    const hlo_mlir_type *to = hlo_check_result(s, 0), *sizes = hlo_check_operand(s, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_mlir_type *limit = hlo_check_operand(s, i);
        if (limit->rank || !hlo_check_same_elements(limit, to))
            return hlo_check_refuse(s, HLO_RULE_RNG_OPERANDS,
                                    "takes scalars of the elements of %.*s, not %.*s",
                                    HLO_CHECK_TYPE(to), HLO_CHECK_TYPE(limit));
    }
    if (sizes->rank != 1 || sizes->dims[0] == HLO_UNBOUNDED ||
        !hlo_type_is_integral(sizes->element))
        return hlo_check_refuse(s, HLO_RULE_RNG_OPERANDS,
                                "takes the sizes of its result as a list of integers, not %.*s",
                                HLO_CHECK_TYPE(sizes));
    const hlo_mlir_attr *value = hlo_mlir_operand(s->op, 2)->op
                                     ? hlo_mlir_attr_of(hlo_mlir_operand(s->op, 2)->op, "value")
                                     : NULL;
    uint32_t n = (uint32_t)sizes->dims[0];
    const int64_t *v = NULL;
    bool is_known = value && hlo_mlir_ints(s->module, value, &n, &v);
    bool fits = to->rank == sizes->dims[0];
    for (uint32_t i = 0; is_known && fits && i < n; i++)
        fits = hlo_check_same_size(v[i], to->dims[i]);
    return fits || hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                                    "gives %.*s, whose sizes are not those of operand 2",
                                    HLO_CHECK_TYPE(to));
}

bool hlo_check_rng_bit_generator(hlo_check *s) {
    if (s->op->result_count != 2)
        return hlo_check_refuse(s, HLO_RULE_RESULT_FORM, "has %u results; it has two",
                                s->op->result_count);
    const hlo_mlir_type *before = hlo_check_operand(s, 0), *after = hlo_check_result(s, 0);
    return hlo_check_compatible(before, after) ||
           hlo_check_refuse(s, HLO_RULE_RNG_STATE, "has the state %.*s, which becomes %.*s",
                            HLO_CHECK_TYPE(before), HLO_CHECK_TYPE(after));
}

/* ---- chlo ---- */

bool hlo_check_constant_like(hlo_check *s) {
    const hlo_mlir_attr *value = hlo_mlir_attr_of(s->op, "value");
    const hlo_mlir_type *to = hlo_check_result(s, 0);
    if (!value || !value->type || value->type->kind != HLO_MLIR_SCALAR) return true;
    return value->type->element == to->element ||
           hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "has a value of type %.*s, and gives %.*s",
                            HLO_CHECK_TYPE(value->type), HLO_CHECK_TYPE(to));
}

bool hlo_check_top_k(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0);
    int64_t k;
    if (!hlo_check_is_tensor(from) || !from->rank)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                "takes an array of rank 1 or more, not %.*s", HLO_CHECK_TYPE(from));
    int64_t last = from->dims[from->rank - 1];
    return !hlo_check_int(s, "k", &k) || last == HLO_UNBOUNDED || k <= last ||
           hlo_check_refuse(s, HLO_RULE_TOPK_K, "takes %lld of %lld elements", (long long)k,
                            (long long)last);
}
