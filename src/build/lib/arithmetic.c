/* Computations of two scalars, and reductions by them: XLA's arithmetic.h. */
#include <ctype.h>
#include <stdio.h>

#include "build/lib/computations.h"
#include "build/lib/formula.h"
#include "ir/float_types.h"

#define NO_DIMS ((hlo_int_list){0, NULL})

/* ---- computations ---- */

void hlo_lib_open(hlo_builder *b, const char *name) {
    hlo_builder_begin_scope(b);
    if (hlo_builder_failed(b)) return;
    *b->scope = (hlo_builder_scope){.outer = b->scope->outer};
    hlo_builder_begin(b, name);
}

const hlo_computation *hlo_lib_close(hlo_builder *b, hlo_term root) {
    const hlo_computation *c = root && !hlo_builder_failed(b) ? hlo_builder_end(b, root) : NULL;
    hlo_builder_end_scope(b);
    return c;
}

hlo_term hlo_lib_scalar_parameter(hlo_builder *b, int64_t number, hlo_type type, const char *name) {
    if (hlo_builder_failed(b)) return NULL;
    hlo_builder_set_name(b, name);
    return hlo_builder_parameter(b, number, hlo_shape_scalar(hlo_builder_shapes(b), type));
}

/* The operations that XLA's library has computations of. */
typedef hlo_term two_terms(hlo_builder *, hlo_term, hlo_term, hlo_int_list);
static const struct {
    const char *name;
    two_terms *function;
} operations[] = {
    {"add", hlo_builder_add}, {"mul", hlo_builder_mul}, {"ge", hlo_builder_ge},
    {"max", hlo_builder_max}, {"min", hlo_builder_min}, {"and", hlo_builder_and},
    {"or", hlo_builder_or},
};

static two_terms *operation_of(const char *name) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0) return operations[i].function;
    return NULL;
}

/* As XLA names it: add_F32, and of pred without a type. */
static void name_of(char *to, size_t size, const char *operation, hlo_type type) {
    if (type == HLO_PRED) {
        snprintf(to, size, "%s", operation);
        return;
    }
    int n = snprintf(to, size, "%s_", operation);
    snprintf(to + n, size - (size_t)n, "%s", hlo_types[type].text);
    for (char *c = to + n; *c; c++) *c = (char)toupper((unsigned char)*c);
}

static const hlo_computation *of_two(hlo_builder *b, const char *operation, hlo_type type,
                                     two_terms *function) {
    char name[64];
    name_of(name, sizeof name, operation, type);
    hlo_lib_open(b, name);
    hlo_term lhs = hlo_lib_scalar_parameter(b, 0, type, "lhs");
    hlo_term rhs = hlo_lib_scalar_parameter(b, 1, type, "rhs");
    hlo_term root = function(b, lhs, rhs, NO_DIMS);
    const hlo_computation *c = hlo_lib_close(b, root);
    /* In XLA both names get one number. */
    bool same = c && strcmp(hlo_ops[root->opcode].text, name) == 0;
    if (same) ((hlo_computation *)(uintptr_t)c)->name = root->name;
    return c;
}

const hlo_computation *hlo_lib_reducer(hlo_builder *b, const char *operation, hlo_type type) {
    return of_two(b, operation, type, operation_of(operation));
}

const hlo_computation *hlo_lib_scalar_computation(hlo_builder *b, const char *operation,
                                                  hlo_element_type type) {
    HLO_BUILDER_TAKES(b, operation);
    two_terms *function = operation_of(operation);
    if (function && hlo_element_type_bytes(type))
        return of_two(b, operation, hlo_builder_type(type), function);
    hlo_builder_misuse(b, "%s: '%.32s' of type %d", __func__, operation, (int)type);
    return NULL;
}

const hlo_computation *hlo_lib_scalar_computation_of(hlo_builder *b, const char *name,
                                                     hlo_element_type type,
                                                     hlo_lib_combiner *combiner, void *context) {
    HLO_BUILDER_TAKES(b, name);
    if (!combiner || !hlo_element_type_bytes(type)) {
        hlo_builder_misuse(b, "%s: of type %d, by a function", __func__, (int)type);
        return NULL;
    }
    hlo_type own = hlo_builder_type(type);
    char full[256];
    name_of(full, sizeof full, name, own);
    hlo_lib_open(b, full);
    hlo_term lhs = hlo_lib_scalar_parameter(b, 0, own, "lhs");
    hlo_term rhs = hlo_lib_scalar_parameter(b, 1, own, "rhs");
    return hlo_lib_close(b, rhs ? combiner(b, lhs, rhs, context) : NULL);
}

const hlo_computation *hlo_lib_scalar_identity_with_zero_computation(hlo_builder *b,
                                                                     hlo_element_type type) {
    HLO_BUILDER_CALL(b, NULL);
    bool is_float =
        hlo_element_type_bytes(type) && hlo_type_float_format(hlo_builder_type(type)) != NULL;
    return hlo_lib_scalar_computation(b, is_float ? "add" : "or", type);
}

/* ---- reductions ---- */

hlo_term hlo_lib_reduced(hlo_builder *b, hlo_term operand, double initial, const char *operation,
                         hlo_int_list dimensions) {
    if (!operand) return NULL;
    hlo_term start = hlo_lib_like(b, operand, initial);
    const hlo_computation *by = hlo_lib_reducer(b, operation, (hlo_type)operand->shape->type);
    return hlo_builder_reduce(b, HLO_INSTRS(operand), HLO_INSTRS(start), by, dimensions);
}

hlo_term hlo_lib_any(hlo_builder *b, hlo_term predicates) {
    HLO_BUILDER_TAKES(b, predicates);
    if (!hlo_lib_has_rank(b, "Any", predicates, 0)) return NULL;
    if (predicates->shape->type != HLO_PRED)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "Any takes pred, not %s",
                                hlo_types[predicates->shape->type].text);
    uint32_t rank = predicates->shape->rank;
    return hlo_lib_reduced(b, predicates, 0, "or", (hlo_int_list){rank, hlo_lib_counting(b, rank)});
}

/* ---- where the extreme element is ---- */

/* Of two pairs of value and index the one with the extreme value; of equal ones the first. */
static const hlo_computation *extreme_of_two(hlo_builder *b, hlo_type type, hlo_type index,
                                             bool is_min) {
    hlo_lib_open(b, "minmax_func");
    hlo_term lhs = hlo_lib_scalar_parameter(b, 0, type, "lhs_value");
    hlo_term lhs_index = hlo_lib_scalar_parameter(b, 1, index, "lhs_index");
    hlo_term rhs = hlo_lib_scalar_parameter(b, 2, type, "rhs_value");
    hlo_term rhs_index = hlo_lib_scalar_parameter(b, 3, index, "rhs_index");
    if (hlo_builder_failed(b)) return NULL;
    hlo_formula f =
        hlo_formula_of(b, "x i y k", (const hlo_term[]){lhs, lhs_index, rhs, rhs_index});
    hlo_formula_run(&f, is_min ? "wins = x <= y" : "wins = x >= y");
    hlo_formula_run(&f, "best = select(wins, x, y); at = select(wins, i, k); tie = x == y;"
                        "at = select(tie, min(i, k), at)");
    hlo_term best = hlo_formula_get(&f, "best"), at = hlo_formula_get(&f, "at");
    return hlo_lib_close(b,
                         hlo_builder_failed(b) ? NULL : hlo_builder_tuple(b, HLO_INSTRS(best, at)));
}

static hlo_term extreme_index(hlo_builder *b, hlo_term input, hlo_element_type wanted, int64_t axis,
                              bool is_min) {
    HLO_ASSERT(axis >= 0 && axis < input->shape->rank);
    hlo_type type = (hlo_type)input->shape->type;
    hlo_type index = input->shape->dims[axis] <= INT32_MAX ? HLO_S32 : hlo_builder_type(wanted);
    hlo_term start = is_min ? hlo_lib_max_value(b, hlo_lib_public(type))
                            : hlo_lib_min_value(b, hlo_lib_public(type));
    hlo_term zero = hlo_lib_integer(b, index, 0);
    hlo_term iota = hlo_builder_iota(b, hlo_lib_shape(b, index, hlo_lib_dims(input)), axis);
    if (hlo_builder_failed(b)) return NULL;
    const hlo_computation *by = extreme_of_two(b, type, index, is_min);
    hlo_term both =
        hlo_builder_reduce(b, HLO_INSTRS(input, iota), HLO_INSTRS(start, zero), by, HLO_INTS(axis));
    hlo_term at = hlo_builder_get_tuple_element(b, both, 1);
    return index == hlo_builder_type(wanted) ? at : hlo_builder_convert_element_type(b, at, wanted);
}

static hlo_term checked_extreme_index(hlo_builder *b, const char *function, hlo_term input,
                                      hlo_element_type type, int64_t axis, bool is_min) {
    if (!hlo_lib_has_rank(b, function, input, 1)) return NULL;
    if (!hlo_element_type_bytes(type) || !hlo_type_is_integral(hlo_builder_type(type)))
        return hlo_builder_misuse(b, "%s: type %d is no integer's", function, (int)type);
    if (axis < 0 || axis >= input->shape->rank)
        return hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "%s: axis %lld of %s", function,
                                (long long)axis, hlo_shape_name(&b->module->arena, input->shape));
    return extreme_index(b, input, type, axis, is_min);
}

hlo_term hlo_lib_arg_max(hlo_builder *b, hlo_term input, hlo_element_type type, int64_t axis) {
    HLO_BUILDER_TAKES(b, input);
    return checked_extreme_index(b, "ArgMax", input, type, axis, false);
}

hlo_term hlo_lib_arg_min(hlo_builder *b, hlo_term input, hlo_element_type type, int64_t axis) {
    HLO_BUILDER_TAKES(b, input);
    return checked_extreme_index(b, "ArgMin", input, type, axis, true);
}
