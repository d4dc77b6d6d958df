/* Builders: a module for each elementwise operation of the operation semantics, verified and run.
 * Only public headers of the library are included. */
#include <hlo_builder.h>

#include "unit/built.h"

typedef const hlo_instr *unary_function(hlo_builder *, const hlo_instr *);
typedef const hlo_instr *binary_function(hlo_builder *, const hlo_instr *, const hlo_instr *,
                                         hlo_int_list);

/* F floats, I integers, C complex numbers, A any of these */
static const struct {
    const char *name;
    char takes;
    unary_function *make;
} unaries[] = {
#define U(name, takes) \
    { #name, takes, hlo_builder_##name }
    U(abs, 'A'),   U(acos, 'F'),  U(acosh, 'F'),
    U(asin, 'F'),  U(asinh, 'F'), U(atanh, 'F'),
    U(cbrt, 'F'),  U(ceil, 'F'),  U(clz, 'I'),
    U(copy, 'A'),  U(cos, 'F'),   U(cosh, 'F'),
    U(erf, 'F'),   U(exp, 'F'),   U(expm1, 'F'),
    U(floor, 'F'), U(imag, 'C'),  U(is_finite, 'F'),
    U(log, 'F'),   U(log1p, 'F'), U(logistic, 'F'),
    U(neg, 'A'),   U(not, 'I'),   U(population_count, 'I'),
    U(real, 'C'),  U(round, 'F'), U(round_nearest_even, 'F'),
    U(rsqrt, 'F'), U(sign, 'A'),  U(sin, 'F'),
    U(sinh, 'F'),  U(sqrt, 'F'),  U(tan, 'F'),
    U(tanh, 'F'),
};

static const hlo_instr *sample(char takes) {
    const hlo_instr *x = floats(HLO_INTS(2), VALUES(1, 1));
    if (takes == 'I') return hlo_builder_convert_element_type(b, x, HLO_TYPE_S32);
    return takes == 'C' ? hlo_builder_complex(b, x, x, HLO_NONE) : x;
}

static void test_unary(void) {
    for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++) {
        start();
        runs(unaries[i].name, unaries[i].make(b, sample(unaries[i].takes)), NULL);
    }
}

static const struct {
    const char *name;
    char takes;
    binary_function *make;
    const char *wanted; /* of 6 and 4 */
} binaries[] = {
#define B(name, takes, wanted) \
    { #name, takes, hlo_builder_##name, wanted }
    B(add, 'I', "s32[] 10"),
    B(and, 'I', "s32[] 4"),
    B(atan2, 'F', NULL),
    B(complex, 'F', "c64[] (6, 4)"),
    B(div, 'I', "s32[] 1"),
    B(max, 'I', "s32[] 6"),
    B(min, 'I', "s32[] 4"),
    B(mul, 'I', "s32[] 24"),
    B(or, 'I', "s32[] 6"),
    B(pow, 'I', "s32[] 1296"),
    B(rem, 'I', "s32[] 2"),
    B(shift_left, 'I', "s32[] 96"),
    B(shift_right_arithmetic, 'I', "s32[] 0"),
    B(shift_right_logical, 'I', "s32[] 0"),
    B(sub, 'I', "s32[] 2"),
    B(xor, 'I', "s32[] 2"),
    B(eq, 'I', "pred[] false"),
    B(ne, 'I', "pred[] true"),
    B(ge, 'I', "pred[] true"),
    B(gt, 'I', "pred[] true"),
    B(le, 'I', "pred[] false"),
    B(lt, 'I', "pred[] false"),
    B(eq_total_order, 'F', "pred[] false"),
    B(ne_total_order, 'F', "pred[] true"),
    B(ge_total_order, 'F', "pred[] true"),
    B(gt_total_order, 'F', "pred[] true"),
    B(le_total_order, 'F', "pred[] false"),
    B(lt_total_order, 'F', "pred[] false"),
};

static void test_binary(void) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        start();
        bool integers = binaries[i].takes == 'I';
        const hlo_instr *x =
            integers ? hlo_builder_constant_s32(b, 6) : hlo_builder_constant_f32(b, 6);
        const hlo_instr *y =
            integers ? hlo_builder_constant_s32(b, 4) : hlo_builder_constant_f32(b, 4);
        runs(binaries[i].name, binaries[i].make(b, x, y, HLO_NONE), binaries[i].wanted);
    }
}

static void test_total_order(void) {
    start();
    const hlo_instr *zero = hlo_builder_constant_f32(b, 0.0f);
    const hlo_instr *minus = hlo_builder_constant_f32(b, -0.0f);
    runs("-0 < 0 in total order", hlo_builder_lt_total_order(b, minus, zero, HLO_NONE),
         "pred[] true");
}

static void test_broadcasting(void) {
    start();
    const hlo_instr *m = ints(HLO_INTS(2, 3), NUMBERS(1, 2, 3, 4, 5, 6));
    runs("a scalar on the left", hlo_builder_sub(b, hlo_builder_constant_s32(b, 10), m, HLO_NONE),
         "s32[2,3] { { 9, 8, 7 }, { 6, 5, 4 } }");
    start();
    m = ints(HLO_INTS(2, 3), NUMBERS(1, 2, 3, 4, 5, 6));
    runs("the lower rank by dimension 1",
         hlo_builder_add(b, ints(HLO_INTS(3), NUMBERS(10, 20, 30)), m, HLO_INTS(1)),
         "s32[2,3] { { 11, 22, 33 }, { 14, 25, 36 } }");
    start();
    m = ints(HLO_INTS(2, 3), NUMBERS(1, 2, 3, 4, 5, 6));
    runs("the lower rank on the right by dimension 0",
         hlo_builder_add(b, m, ints(HLO_INTS(2), NUMBERS(10, 20)), HLO_INTS(0)),
         "s32[2,3] { { 11, 12, 13 }, { 24, 25, 26 } }");
    start();
    runs("sizes of 1 on both sides",
         hlo_builder_add(b, ints(HLO_INTS(2, 1), NUMBERS(10, 20)),
                         ints(HLO_INTS(1, 3), NUMBERS(1, 2, 3)), HLO_NONE),
         "s32[2,3] { { 11, 12, 13 }, { 21, 22, 23 } }");
    start();
    runs("a size of 1 among named dimensions",
         hlo_builder_add(b, ints(HLO_INTS(1), NUMBERS(10)),
                         ints(HLO_INTS(2, 2), NUMBERS(1, 2, 3, 4)), HLO_INTS(0)),
         "s32[2,2] { { 11, 12 }, { 13, 14 } }");
}

static const hlo_computation *square_plus(void) {
    hlo_builder_begin(b, "square_plus");
    const hlo_instr *x = hlo_builder_parameter(b, 0, f32(HLO_NONE));
    const hlo_instr *y = hlo_builder_parameter(b, 1, f32(HLO_NONE));
    return hlo_builder_end(b, hlo_builder_add(b, hlo_builder_mul(b, x, x, HLO_NONE), y, HLO_NONE));
}

static void test_other_elementwise(void) {
    start();
    runs("Clamp",
         hlo_builder_clamp(b, hlo_builder_constant_f32(b, 0), floats(HLO_INTS(3), VALUES(-1, 5, 9)),
                           hlo_builder_constant_f32(b, 6)),
         "f32[3] {0, 5, 6}");
    start();
    runs("Select",
         hlo_builder_select(b, hlo_builder_constant_pred(b, true), ints(HLO_INTS(2), NUMBERS(1, 2)),
                            ints(HLO_INTS(2), NUMBERS(3, 4))),
         "s32[2] {1, 2}");
    start();
    const hlo_instr *one = hlo_builder_constant_s32(b, 1), *two = hlo_builder_constant_s32(b, 2);
    runs("Select between tuples",
         hlo_builder_select(b, hlo_builder_constant_pred(b, false),
                            hlo_builder_tuple(b, HLO_INSTRS(one, two)),
                            hlo_builder_tuple(b, HLO_INSTRS(two, one))),
         "(s32[], s32[]) ( 2, 1 )");
    start();
    runs("ConvertElementType",
         hlo_builder_convert_element_type(b, floats(HLO_INTS(2), VALUES(1, 2)), HLO_TYPE_S32),
         "s32[2] {1, 2}");
    start();
    runs("BitcastConvertType",
         hlo_builder_bitcast_convert_type(b, hlo_builder_constant_s32(b, 0x00010002), HLO_TYPE_U16),
         "u16[2] {2, 1}");
    start();
    runs("BitcastConvertType to a wider type",
         hlo_builder_bitcast_convert_type(b, ints(HLO_INTS(1, 2), NUMBERS(1, 0)), HLO_TYPE_S64),
         "s64[1] {1}");
    start();
    runs("ReducePrecision",
         hlo_builder_reduce_precision(b, hlo_builder_constant_f32(b, 1.1f), 5, 2), "f32[] 1");
    start();
    const hlo_instr *x = floats(HLO_INTS(2), VALUES(2, 3));
    runs("Map", hlo_builder_map(b, HLO_INSTRS(x, x), square_plus(), (hlo_instrs_list){0, NULL}),
         "f32[2] {6, 12}");
    start();
    x = floats(HLO_INTS(2), VALUES(2, 3));
    const hlo_instr *still = hlo_builder_constant_f32(b, 1);
    runs("Map with a static operand",
         hlo_builder_map(b, HLO_INSTRS(x), square_plus(), HLO_INSTRS(still)), "f32[2] {5, 10}");
}

/* (x + y + the sum of an array) * s */
static const hlo_computation *with_table(int64_t n) {
    hlo_builder_begin(b, "plus");
    const hlo_instr *p = hlo_builder_parameter(b, 0, f32(HLO_NONE));
    const hlo_instr *q = hlo_builder_parameter(b, 1, f32(HLO_NONE));
    const hlo_computation *plus = hlo_builder_end(b, hlo_builder_add(b, p, q, HLO_NONE));
    hlo_builder_begin(b, "with_table");
    const hlo_instr *x = hlo_builder_parameter(b, 0, f32(HLO_NONE));
    const hlo_instr *y = hlo_builder_parameter(b, 1, f32(HLO_NONE));
    const hlo_instr *table = hlo_builder_parameter(b, 2, f32(HLO_INTS(n)));
    const hlo_instr *s = hlo_builder_parameter(b, 3, f32(HLO_NONE));
    const hlo_instr *zero = hlo_builder_constant_f32(b, 0);
    const hlo_instr *sum =
        hlo_builder_reduce(b, HLO_INSTRS(table), HLO_INSTRS(zero), plus, HLO_INTS(0));
    sum = hlo_builder_add(b, hlo_builder_add(b, x, y, HLO_NONE), sum, HLO_NONE);
    return hlo_builder_end(b, hlo_builder_mul(b, sum, s, HLO_NONE));
}

static void test_static_arrays(void) {
    start();
    const hlo_instr *x = floats(HLO_INTS(2, 2), VALUES(2, 3, 4, 5));
    const hlo_instr *table = floats(HLO_INTS(3), VALUES(1, 10, 100));
    const hlo_instr *two = hlo_builder_constant_f32(b, 2);
    runs("Map with an array as a static operand",
         hlo_builder_map(b, HLO_INSTRS(x, x), with_table(3), HLO_INSTRS(table, two)),
         "f32[2,2] { { 230, 234 }, { 238, 242 } }");
    start();
    x = floats(HLO_INTS(2), VALUES(2, 3));
    table = floats(HLO_INTS(2), VALUES(1, 10));
    const hlo_instr *pair = hlo_builder_tuple(b, HLO_INSTRS(table, table));
    hlo_builder_map(b, HLO_INSTRS(x, x), with_table(2), HLO_INSTRS(pair, table));
    fails("a static operand of another shape than the parameter", HLO_BAD_MODULE, "call");
}

static void test_order_of_dimensions(void) {
    start();
    hlo_builder_add(b, counting(HLO_INTS(2, 3)), counting(HLO_INTS(3, 2, 4)), HLO_INTS(1, 0));
    fails("a broadcast that transposes", HLO_BAD_MODULE, "broadcast_dimensions must ascend");
    start();
    hlo_builder_lt(b, counting(HLO_INTS(2, 3, 4)), counting(HLO_INTS(2, 2)), HLO_INTS(0, 0));
    fails("a dimension that is named twice", HLO_BAD_MODULE, "broadcast_dimensions must ascend");
}

int main(void) {
    test_unary();
    test_binary();
    test_total_order();
    test_broadcasting();
    test_other_elementwise();
    test_static_arrays();
    test_order_of_dimensions();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
