/* Functions of the builder's library that have no table of values: constants, tests of floats,
 * polynomials, reductions, comparators and loops; and errors. Only public headers of the library
 * are included. */
#include <hlo_builder_lib.h>
#include <math.h>

#include "unit/built.h"

/* ---- constants ---- */

typedef const hlo_instr *of_type(hlo_builder *, hlo_element_type);

static void constant_is(const char *what, of_type *function, hlo_element_type type,
                        const char *wanted) {
    start();
    runs(what, function(b, type), wanted);
}

static void test_constants(void) {
    constant_is("zero", hlo_lib_zero, HLO_TYPE_S64, "s64[] 0");
    constant_is("one", hlo_lib_one, HLO_TYPE_C64, "c64[] (1, 0)");
    constant_is("epsilon", hlo_lib_epsilon, HLO_TYPE_BF16, "bf16[] 0.007812");
    constant_is("epsilon of f64", hlo_lib_epsilon, HLO_TYPE_F64, "f64[] 2.2204460492503131e-16");
    constant_is("min of s8", hlo_lib_min_value, HLO_TYPE_S8, "s8[] -128");
    constant_is("min of s4", hlo_lib_min_value, HLO_TYPE_S4, "s4[] -8");
    constant_is("min of f32", hlo_lib_min_value, HLO_TYPE_F32, "f32[] -inf");
    constant_is("min of e4m3fn", hlo_lib_min_value, HLO_TYPE_F8E4M3FN, "f8e4m3fn[] -448");
    constant_is("max of u64", hlo_lib_max_value, HLO_TYPE_U64, "u64[] 18446744073709551615");
    constant_is("max of s64", hlo_lib_max_value, HLO_TYPE_S64, "s64[] 9223372036854775807");
    constant_is("max of pred", hlo_lib_max_value, HLO_TYPE_PRED, "pred[] true");
    constant_is("max of f16", hlo_lib_max_value, HLO_TYPE_F16, "f16[] inf");
    constant_is("greatest f16", hlo_lib_max_finite_value, HLO_TYPE_F16, "f16[] 65504");
    constant_is("least f16", hlo_lib_min_finite_value, HLO_TYPE_F16, "f16[] -65504");
    constant_is("normal f16", hlo_lib_min_positive_normal_value, HLO_TYPE_F16, "f16[] 6.1035e-05");
    constant_is("nan", hlo_lib_nan_value, HLO_TYPE_F32, "f32[] nan");
}

static void test_constants_of_shapes(void) {
    start();
    runs("scalar", hlo_lib_scalar(b, HLO_TYPE_U8, 200), "u8[] 200");
    start();
    runs("scalar_like", hlo_lib_scalar_like(b, counting(HLO_INTS(3)), 0.5), "f32[] 0.5");
    start();
    runs("full_like", hlo_lib_full_like(b, counting(HLO_INTS(2)), 1.5), "f32[2] {1.5, 1.5}");
    start();
    runs("zeros_like", hlo_lib_zeros_like(b, counting(HLO_INTS(2))), "f32[2] {0, 0}");
    start();
    runs("zeros", hlo_lib_zeros(b, f32(HLO_INTS(1, 2))), "f32[1,2] { { 0, 0 } }");
}

/* ---- tests of floats, signs ---- */

static const hlo_instr *strange(hlo_element_type type) {
    const hlo_instr *x = floats(HLO_INTS(5), VALUES(INFINITY, -INFINITY, NAN, -0.0F, 0));
    return hlo_builder_convert_element_type(b, x, type);
}

typedef const hlo_instr *one_operand(hlo_builder *, const hlo_instr *);

static void strange_is(const char *what, one_operand *function, hlo_element_type type,
                       const char *wanted) {
    start();
    runs(what, function(b, strange(type)), wanted);
}

static void test_classes(void) {
    static const hlo_element_type types[] = {HLO_TYPE_F64, HLO_TYPE_F32, HLO_TYPE_F16,
                                             HLO_TYPE_BF16, HLO_TYPE_F8E5M2};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        strange_is("is_pos_inf", hlo_lib_is_pos_inf, types[i], "pred[5] {1, 0, 0, 0, 0}");
        strange_is("is_neg_inf", hlo_lib_is_neg_inf, types[i], "pred[5] {0, 1, 0, 0, 0}");
        strange_is("is_inf", hlo_lib_is_inf, types[i], "pred[5] {1, 1, 0, 0, 0}");
        strange_is("is_nan", hlo_lib_is_nan, types[i], "pred[5] {0, 0, 1, 0, 0}");
        strange_is("is_neg_zero", hlo_lib_is_neg_zero, types[i], "pred[5] {0, 0, 0, 1, 0}");
    }
    strange_is("no inf", hlo_lib_is_pos_inf, HLO_TYPE_F8E4M3FN, "pred[5] {0, 0, 0, 0, 0}");
    strange_is("no -inf", hlo_lib_is_neg_inf, HLO_TYPE_F8E4M3FN, "pred[5] {0, 0, 0, 0, 0}");
    strange_is("no -0", hlo_lib_is_neg_zero, HLO_TYPE_F8E5M2FNUZ, "pred[5] {0, 0, 0, 0, 0}");
}

static void test_conjugates(void) {
    start();
    const hlo_instr *x = floats(HLO_INTS(1), VALUES(2)),
                    *z = hlo_builder_complex(b, x, x, HLO_NONE);
    runs("maybe_conjugate", hlo_lib_maybe_conjugate(b, z, true), "c64[1] {(2, -2)}");
    start();
    x = floats(HLO_INTS(1), VALUES(2));
    runs("not conjugated", hlo_lib_maybe_conjugate(b, x, true), "f32[1] {2}");
}

static void test_next_after(void) {
    start();
    const hlo_instr *from = floats(HLO_INTS(6), VALUES(1, 1, 0, -0.0F, 2, NAN));
    const hlo_instr *to = floats(HLO_INTS(6), VALUES(2, 0, -1, 0, 2, 1));
    runs("next_after", hlo_lib_next_after(b, from, to),
         "f32[6] {1.00000012, 0.99999994, -1.4013e-45, 0, 2, nan}");
    start();
    from = hlo_builder_convert_element_type(b, floats(HLO_INTS(2), VALUES(1, -1)), HLO_TYPE_F8E4M3);
    to = hlo_builder_convert_element_type(b, floats(HLO_INTS(2), VALUES(2, 2)), HLO_TYPE_F8E4M3);
    runs("next_after of 8 bits", hlo_lib_next_after(b, from, to), "f8e4m3[2] {1.12, -0.938}");
    start();
    from = hlo_builder_convert_element_type(b, floats(HLO_INTS(1), VALUES(-0x1p-17F)),
                                            HLO_TYPE_F8E5M2FNUZ);
    to = hlo_builder_convert_element_type(b, floats(HLO_INTS(1), VALUES(1)), HLO_TYPE_F8E5M2FNUZ);
    runs("next_after, the only zero", hlo_lib_next_after(b, from, to), "f8e5m2fnuz[1] {0}");
}

static void test_polynomials(void) {
    static const double c[] = {2, 3, 4};
    start();
    const hlo_instr *x = floats(HLO_INTS(3), VALUES(0, 1, -2));
    runs("evaluate_polynomial", hlo_lib_evaluate_polynomial(b, x, c, 3), "f32[3] {4, 9, 6}");
    start();
    runs("no coefficient", hlo_lib_evaluate_polynomial(b, counting(HLO_INTS(2)), NULL, 0),
         "f32[] 0");
    start(); /* (4 + 3 T1(x/2) 2 + 2 T2(x/2) 2) / 2 with T2(y) = 2 y^2 - 1 */
    x = floats(HLO_INTS(2), VALUES(1, 2));
    runs("evaluate_chebyshev_polynomial", hlo_lib_evaluate_chebyshev_polynomial(b, x, c, 3),
         "f32[2] {2.5, 7}");
}

static void test_select(void) {
    start();
    const hlo_instr *pred =
        hlo_builder_gt(b, counting(HLO_INTS(3)), hlo_builder_constant_f32(b, 0), HLO_NONE);
    runs("select", hlo_lib_select(b, pred, hlo_builder_constant_f32(b, 7), counting(HLO_INTS(3))),
         "f32[3] {0, 7, 7}");
}

/* ---- reductions ---- */

static void test_reductions(void) {
    static const char *const wanted[] = {"f32[] 10", "f32[] 0", "f32[] 4", "f32[] 0"};
    static const char *const operations[] = {"add", "mul", "max", "min"};
    for (size_t i = 0; i < 4; i++) {
        start();
        const hlo_computation *c = hlo_lib_scalar_computation(b, operations[i], HLO_TYPE_F32);
        const hlo_instr *x = counting(HLO_INTS(5)), *zero = hlo_builder_constant_f32(b, 0);
        runs("scalar_computation",
             hlo_builder_reduce(b, HLO_INSTRS(x), HLO_INSTRS(zero), c, HLO_INTS(0)), wanted[i]);
    }
    start();
    const hlo_computation *c = hlo_lib_scalar_identity_with_zero_computation(b, HLO_TYPE_S32);
    const hlo_instr *x = ints(HLO_INTS(3), NUMBERS(1, 2, 8)),
                    *zero = hlo_builder_constant_s32(b, 0);
    runs("scalar_identity_with_zero_computation",
         hlo_builder_reduce(b, HLO_INSTRS(x), HLO_INSTRS(zero), c, HLO_INTS(0)), "s32[] 11");
}

static void test_extremes(void) {
    static const float values[] = {3, 9, 1, 9, 5, 5};
    start();
    runs("arg_max", hlo_lib_arg_max(b, floats(HLO_INTS(2, 3), values), HLO_TYPE_S64, 1),
         "s64[2] {1, 0}");
    start();
    runs("arg_min", hlo_lib_arg_min(b, floats(HLO_INTS(2, 3), values), HLO_TYPE_S32, 0),
         "s32[3] {0, 1, 0}");
    start();
    const hlo_instr *x = counting(HLO_INTS(2, 2)), *one = hlo_builder_constant_f32(b, 1);
    runs("any", hlo_lib_any(b, hlo_builder_ge(b, x, one, HLO_NONE)), "pred[] true");
}

/* ---- comparators ---- */

static void test_comparators(void) {
    static const hlo_element_type two[] = {HLO_TYPE_F32, HLO_TYPE_S32};
    static const float keys[] = {2, 1, 2, NAN};
    static const int32_t others[] = {1, 2, 3, 4};
    static const hlo_lib_order orders[] = {HLO_LIB_LT_TOTAL_ORDER, HLO_LIB_GT};
    start();
    const hlo_instr *x = floats(HLO_INTS(4), keys), *y = ints(HLO_INTS(4), others);
    runs("comparator",
         hlo_builder_sort(b, HLO_INSTRS(x, y), hlo_lib_comparator(b, "by_two", two, orders, 2), 0,
                          0),
         "(f32[4], s32[4]) ( {1, 2, 2, nan}, {2, 3, 1, 4} )");
    start();
    x = floats(HLO_INTS(4), keys);
    runs("lt_comparator",
         hlo_builder_sort(b, HLO_INSTRS(x), hlo_lib_lt_comparator(b, two, 1), 0, true),
         "f32[4] {1, 2, 2, nan}");
    start();
    x = floats(HLO_INTS(4), keys);
    runs("gt_comparator",
         hlo_builder_sort(b, HLO_INSTRS(x), hlo_lib_gt_comparator(b, two, 1), 0, true),
         "f32[4] {nan, 2, 2, 1}");
}

/* ---- loops ---- */

static const hlo_instr *below_100(hlo_builder *builder, const hlo_instr *const *values,
                                  size_t count, void *context) {
    (void)context;
    check(count == 2, "a loop's condition gets the values");
    return hlo_builder_lt(builder, values[0], hlo_builder_constant_f32(builder, 100), HLO_NONE);
}

static bool doubled(hlo_builder *builder, const hlo_instr *const *values, const hlo_instr **updated,
                    size_t count, void *context) {
    (void)context;
    (void)count;
    updated[0] = hlo_builder_add(builder, values[0], values[0], HLO_NONE);
    updated[1] =
        hlo_builder_add(builder, values[1], hlo_builder_constant_s32(builder, 1), HLO_NONE);
    return true;
}

static bool sum_of_indices(hlo_builder *builder, const hlo_instr *index,
                           const hlo_instr *const *values, const hlo_instr **updated, size_t count,
                           void *context) {
    ++*(int *)context;
    updated[0] = hlo_builder_add(builder, values[0], index, HLO_NONE);
    return count == 1;
}

static void test_loops(void) {
    start();
    const hlo_instr *results[2];
    const hlo_instr *one = hlo_builder_constant_f32(b, 1), *zero = hlo_builder_constant_s32(b, 0);
    check(hlo_lib_while_loop(b, below_100, doubled, HLO_INSTRS(one, zero), "double", NULL, results),
          "while_loop");
    runs("while_loop", hlo_builder_tuple(b, HLO_INSTRS(results[0], results[1])),
         "(f32[], s32[]) ( 128, 7 )");
    start();
    int calls = 0;
    zero = hlo_builder_constant_s32(b, 0);
    check(hlo_lib_for_each_index(b, 5, HLO_TYPE_S32, sum_of_indices, HLO_INSTRS(zero), "sum",
                                 &calls, results),
          "for_each_index");
    check(calls == 1, "a body is built once");
    runs("for_each_index", results[0], "s32[] 10");
}

/* ---- errors ---- */

static void test_refused_types(void) {
    start();
    hlo_lib_lgamma(b, ints(HLO_INTS(1), NUMBERS(1)));
    fails("lgamma of integers", HLO_BAD_MODULE,
          "operands to Lgamma must be real-valued floating-point, but got s32");
    start();
    hlo_lib_igamma(b, counting(HLO_INTS(2)), counting(HLO_INTS(3)));
    fails("igamma of two shapes", HLO_BAD_MODULE,
          "arguments to Igamma must have equal shapes and types; got f32[2] and f32[3]");
    start();
    hlo_lib_asin(b, ints(HLO_INTS(1), NUMBERS(1)));
    fails("asin of integers", HLO_BAD_MODULE, "Asin got unsupported element type s32");
    start();
    hlo_lib_scalar(b, HLO_TYPE_S32, 0.5);
    fails("half an integer", HLO_BAD_MODULE, "invalid cast from floating point type to s32");
    start();
    hlo_lib_epsilon(b, HLO_TYPE_S32);
    fails("epsilon of integers", HLO_BAD_MODULE, "invalid type for Epsilon (s32)");
    start();
    hlo_lib_max_value(b, HLO_TYPE_C64);
    fails("greatest complex number", HLO_BAD_MODULE, "MaxValue: numbers of c64 have no order");
}

static void test_refused_arguments(void) {
    static const hlo_element_type type = HLO_TYPE_F32;
    static const hlo_lib_order order = HLO_LIB_UNORDERED;
    start();
    hlo_lib_comparator(b, "c", &type, &order, 1);
    fails("a comparator of nothing", HLO_BAD_USE, "a comparator compares by one of its operands");
    start();
    hlo_lib_scalar_computation(b, "tan", HLO_TYPE_F32);
    fails("a computation by another name", HLO_BAD_USE, "'tan' of type 11");
    start();
    hlo_lib_arg_max(b, counting(HLO_INTS(2)), HLO_TYPE_S32, 1);
    fails("an axis that is none", HLO_BAD_MODULE, "ArgMax: axis 1 of f32[2]");
    start();
    hlo_lib_lgamma(b, NULL);
    fails("no operand", HLO_BAD_USE, "an argument is NULL");
    check(!hlo_lib_erfc(NULL, NULL), "no builder");
}

int main(void) {
    test_constants();
    test_constants_of_shapes();
    test_classes();
    test_conjugates();
    test_next_after();
    test_polynomials();
    test_select();
    test_reductions();
    test_extremes();
    test_comparators();
    test_loops();
    test_refused_types();
    test_refused_arguments();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
