/* Functions of the builder's library that are about sizes: padding, dynamic sizes, tuples of
 * tuples, and about the first k elements. Only public headers of the library are included. */
#include <hlo_builder_lib.h>

#include "unit/built.h"

static const hlo_instr *numbered_matrix(void) {
    return hlo_builder_reshape(b, counting(HLO_INTS(9)), HLO_NONE, HLO_INTS(3, 3));
}

/* ---- padding ---- */

static void test_padding(void) {
    int64_t low[2], high[2];
    start();
    check(hlo_lib_make_padding(b, HLO_INTS(10, 5), HLO_INTS(5, 2), HLO_INTS(3, 2), HLO_PAD_SAME,
                               low, high) &&
              low[0] == 2 && high[0] == 2 && low[1] == 0 && high[1] == 1,
          "make_padding, same");
    check(
        hlo_lib_make_padding(b, HLO_INTS(10), HLO_INTS(5), HLO_INTS(3), HLO_PAD_VALID, low, high) &&
            low[0] == 0 && high[0] == 0,
        "make_padding, valid");
    check(hlo_lib_make_spatial_padding(b, HLO_INTS(1, 10, 5, 7), HLO_INTS(1, 5, 2, 1),
                                       HLO_INTS(1, 3, 2, 1), HLO_PAD_SAME, HLO_INTS(2, 1), low,
                                       high) &&
              low[0] == 0 && high[0] == 1 && low[1] == 2 && high[1] == 2,
          "make_spatial_padding");
    hlo_lib_make_padding(b, HLO_INTS(10), HLO_INTS(0), HLO_INTS(1), HLO_PAD_SAME, low, high);
    fails("no window", HLO_BAD_USE, "each with a positive window and stride");
    start();
    hlo_lib_make_spatial_padding(b, HLO_INTS(1, 1, 9), HLO_INTS(1, 1, 2), HLO_INTS(1, 1, 1),
                                 HLO_PAD_SAME, HLO_INTS(3), low, high);
    fails("no such dimension", HLO_BAD_USE, "all but two are spatial ones");
}

/* A convolution of 7 by windows of 3, two apart: 3 positions, or 4 with padding. */
static void test_gradients(void) {
    start();
    hlo_lib_conv_grad_size s = hlo_lib_conv_grad_dimension(b, 7, 3, 3, 1, 2, HLO_PAD_VALID);
    check(s.output_size == 5 && s.pad_before == 2 && s.pad_after == 2, "conv_grad, valid");
    s = hlo_lib_conv_grad_dimension(b, 7, 3, 4, 1, 2, HLO_PAD_SAME);
    check(s.output_size == 7 && s.pad_before == 1 && s.pad_after == 1, "conv_grad, same");
    s = hlo_lib_conv_grad_dimension(b, 7, 3, 3, 2, 1, HLO_PAD_VALID);
    check(s.output_size == 3 && s.pad_before == 4 && s.pad_after == 4, "conv_grad, dilated");
    s = hlo_lib_conv_grad_dimension(b, 7, 3, 4, 1, 2, HLO_PAD_VALID);
    check(s.output_size == -1, "conv_grad of another size");
    fails("conv_grad of another size", HLO_BAD_MODULE, "doesn't match computed: 4 and 3");
}

/* ---- tuples ---- */

static void test_tuples(void) {
    start();
    const hlo_shape *shape = hlo_builder_shape_from_text(b, "((f32[2], s32[]), f32[1])");
    const hlo_instr *leaves[3], *x = hlo_builder_parameter(b, 0, shape);
    check(hlo_lib_leaf_count(shape) == 3 && hlo_lib_leaf_count(NULL) == 0, "leaf_count");
    check(hlo_lib_disassemble_tuple(b, x, leaves), "disassemble_tuple");
    const hlo_instr *swapped[] = {leaves[2], leaves[1], leaves[0]};
    builds("assemble_tuple", hlo_lib_assemble_tuple(b, shape, (hlo_instrs_list){3, swapped}),
           "((f32[1], s32[]), f32[2])");
    start();
    x = hlo_builder_constant_s32(b, 7);
    check(hlo_lib_disassemble_tuple(b, x, leaves) && leaves[0] == x, "an array is its own leaf");
    shape = hlo_builder_shape_from_text(b, "(s32[], ())");
    runs("the same back", hlo_lib_assemble_tuple(b, shape, HLO_INSTRS(x)),
         "(s32[], ()) ( 7, (  ) )");
    start();
    shape = hlo_builder_shape_from_text(b, "(s32[], s32[])");
    hlo_lib_assemble_tuple(b, shape, HLO_INSTRS(hlo_builder_constant_s32(b, 7)));
    fails("too few leaves", HLO_BAD_USE, "the shape has 2 leaves, 1 are given");
}

/* ---- dynamic sizes ---- */

static const hlo_computation *first_elements(int64_t n) {
    hlo_builder_begin(b, "first");
    const hlo_instr *x = hlo_builder_parameter(b, 0, f32(HLO_INTS(4)));
    return hlo_builder_end(b, hlo_builder_slice(b, x, HLO_INTS(0), HLO_INTS(n), HLO_NONE));
}

static void test_conditionals(void) {
    start();
    const hlo_instr *x = counting(HLO_INTS(4)), *yes = hlo_builder_constant_pred(b, true);
    const hlo_computation *two = first_elements(2), *three = first_elements(3);
    runs("dynamic_conditional", hlo_lib_dynamic_conditional(b, yes, x, two, x, three),
         "f32[2] {0, 1}");
    start();
    x = counting(HLO_INTS(4)), yes = hlo_builder_constant_pred(b, false);
    two = first_elements(2);
    runs("dynamic_conditional of equal sizes",
         hlo_lib_dynamic_conditional(b, yes, x, two, x, first_elements(2)), "f32[2] {0, 1}");
    for (int i = 0; i < 3; i++) {
        start();
        x = counting(HLO_INTS(4));
        const hlo_instr *at = hlo_builder_constant_s32(b, i);
        hlo_computations_list branches =
            HLO_COMPUTATIONS(first_elements(1), first_elements(3), first_elements(2));
        static const char *const wanted[] = {"f32[1] {0}", "f32[3] {0, 1, 2}", "f32[2] {0, 1}"};
        runs("dynamic_conditional_indexed",
             hlo_lib_dynamic_conditional_indexed(b, at, branches, HLO_INSTRS(x, x, x)), wanted[i]);
    }
}

static const hlo_computation *pair_of(int64_t n) {
    hlo_builder_begin(b, "pair");
    const hlo_instr *x = hlo_builder_parameter(b, 0, f32(HLO_INTS(4)));
    const hlo_instr *first = hlo_builder_slice(b, x, HLO_INTS(0), HLO_INTS(n), HLO_NONE);
    return hlo_builder_end(b, hlo_builder_tuple(b, HLO_INSTRS(first, x)));
}

static void test_conditionals_of_tuples(void) {
    start();
    const hlo_instr *x = counting(HLO_INTS(4)), *yes = hlo_builder_constant_pred(b, false);
    const hlo_computation *one = pair_of(1), *two = pair_of(2);
    runs("dynamic_conditional of tuples", hlo_lib_dynamic_conditional(b, yes, x, one, x, two),
         "(f32[2], f32[4]) ( {0, 1}, {0, 1, 2, 3} )");
    start();
    x = counting(HLO_INTS(4)), yes = hlo_builder_constant_pred(b, false);
    one = pair_of(1), two = first_elements(1);
    hlo_lib_dynamic_conditional(b, yes, x, one, x, two);
    fails("an array and a tuple", HLO_BAD_MODULE, "sizes: (f32[1], f32[4]) and f32[1]");
}

static void test_sizes(void) {
    start();
    const hlo_instr *x = counting(HLO_INTS(4)), *known = hlo_builder_constant_s32(b, 3);
    builds("a known size", hlo_lib_set_dimension_size_with_rebound(b, x, known, 0), "f32[3]");
    start();
    x = counting(HLO_INTS(4));
    const hlo_instr *size = hlo_builder_parameter(b, 0, hlo_builder_shape_from_text(b, "s32[]"));
    const hlo_instr *most = hlo_builder_min(b, size, hlo_builder_constant_s32(b, 2), HLO_NONE);
    builds("a bounded size", hlo_lib_set_dimension_size_with_rebound(b, x, most, 0), "f32[<=2]");
    start();
    x = numbered_matrix();
    const hlo_instr *y = hlo_builder_parameter(b, 0, hlo_builder_shape_from_text(b, "f32[<=2]"));
    const hlo_instr *own = hlo_builder_get_dimension_size(b, y, 0);
    builds("a size of another array", hlo_lib_set_dimension_size_with_rebound(b, x, own, 1),
           "f32[3,<=2]");
    start();
    hlo_lib_set_dimension_size_with_rebound(b, counting(HLO_INTS(4)),
                                            hlo_builder_constant_s32(b, 1), 1);
    fails("no such dimension", HLO_BAD_MODULE, "dimension 1 of f32[4]");
}

static const hlo_instr *as_vector(const hlo_instr *scalar) {
    return hlo_builder_reshape(b, scalar, HLO_NONE, HLO_INTS(1));
}

static void test_all_sizes(void) {
    start();
    const hlo_instr *x = numbered_matrix();
    const hlo_instr *size = hlo_builder_parameter(b, 0, hlo_builder_shape_from_text(b, "s32[]"));
    const hlo_instr *three = as_vector(hlo_builder_constant_s32(b, 3));
    const hlo_instr *sizes = hlo_builder_concatenate(b, HLO_INSTRS(three, as_vector(size)), 0);
    builds("set_all_dimension_sizes", hlo_lib_set_all_dimension_sizes(b, x, sizes), "f32[3,<=3]");
    start();
    x = numbered_matrix();
    builds("sizes that are known",
           hlo_lib_set_all_dimension_sizes(b, x, ints(HLO_INTS(2), NUMBERS(3, 3))), "f32[3,3]");
    start();
    hlo_lib_set_all_dimension_sizes(b, numbered_matrix(), ints(HLO_INTS(1), NUMBERS(3)));
    fails("too few sizes", HLO_BAD_MODULE, "one for each of 2 dimensions");
}

/* ---- the first k ---- */

static const hlo_instr *top_of(int64_t size, int64_t k, bool fallback, bool aggregate) {
    const hlo_element_type types[] = {HLO_TYPE_F32, HLO_TYPE_S32};
    const hlo_instr *x = counting(HLO_INTS(size));
    const hlo_instr *at =
        hlo_builder_iota(b, hlo_builder_shape(b, HLO_TYPE_S32, HLO_INTS(size)), 0);
    hlo_instrs_list inits =
        HLO_INSTRS(hlo_lib_min_value(b, HLO_TYPE_F32), hlo_builder_constant_s32(b, -1));
    const hlo_computation *by = hlo_lib_gt_comparator(b, types, 2);
    return (fallback ? hlo_lib_approx_top_k_fallback : hlo_lib_approx_top_k)(
        b, HLO_INSTRS(x, at), inits, k, 0, by, 0.9F, aggregate, -1);
}

static void test_approx_top_k(void) {
    for (int fallback = 0; fallback < 2; fallback++) {
        start();
        runs("approx_top_k of few", top_of(5, 2, fallback, true),
             "(f32[2], s32[2]) ( {4, 3}, {4, 3} )");
        start();
        runs("approx_top_k, one", top_of(5, 1, fallback, true), "(f32[1], s32[1]) ( {4}, {4} )");
    }
    start();
    builds("approx_top_k of many", top_of(1 << 20, 10, false, true), "(f32[10], s32[10])");
    start();
    builds("approx_top_k, not aggregated", top_of(1 << 20, 10, false, false),
           "(f32[1024], s32[1024])");
    start();
    builds("approx_top_k_fallback, not aggregated", top_of(1 << 20, 10, true, false),
           "(f32[1024], s32[1024])");
    start();
    hlo_lib_approx_top_k(
        b, HLO_INSTRS(counting(HLO_INTS(4))), HLO_INSTRS(hlo_lib_zero(b, HLO_TYPE_S32)), 1, 0,
        hlo_lib_gt_comparator(b, &(hlo_element_type){HLO_TYPE_F32}, 1), 0.9F, true, -1);
    fails("approx_top_k of other types", HLO_BAD_MODULE, "operands type mismatch");
}

static const hlo_instr *one_operand(void) {
    hlo_element_type type = HLO_TYPE_F32;
    return hlo_lib_approx_top_k(b, HLO_INSTRS(counting(HLO_INTS(3))),
                                HLO_INSTRS(hlo_lib_min_value(b, type)), 1, 0,
                                hlo_lib_gt_comparator(b, &type, 1), 1, true, -1);
}

/* As XLA has them. */
static void test_output_size(void) {
    static const struct {
        int64_t size, rank, k, whole, wanted, log2;
        float recall;
        bool aggregate;
    } cases[] = {
        {1 << 20, 1, 10, -1, 1024, 10, 0.9F, false}, {1000, 1, 10, -1, 1000, 0, 0.9F, false},
        {1 << 16, 2, 1, -1, 128, 9, 0.9F, false},    {1 << 16, 2, 50, -1, 512, 7, 0.9F, false},
        {5000, 2, 20, -1, 5000, 0, 1, false},        {5000, 2, 20, -1, 384, 4, 0.9F, false},
        {5000, 2, 20, 10000, 256, 5, 0.9F, false},   {5000, 2, 20, -1, 20, -1, 0.9F, true}};
    start();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hlo_lib_top_k_size s =
            hlo_lib_approx_top_k_output_size(b, cases[i].size, cases[i].rank, cases[i].k,
                                             cases[i].recall, cases[i].aggregate, cases[i].whole);
        check(s.size == cases[i].wanted && s.log2_reduction == cases[i].log2, "output_size");
        if (s.size != cases[i].wanted || s.log2_reduction != cases[i].log2)
            printf("  case %zu is %lld, %lld\n", i, (long long)s.size, (long long)s.log2_reduction);
    }
    hlo_lib_approx_top_k_output_size(b, 5000, 2, 20, 1.5F, false, -1);
    fails("output_size", HLO_BAD_MODULE, "recall_target is in (0, 1]");
    start();
    runs("approx_top_k of one operand", one_operand(), "(f32[1]) ( {2} )");
}

/* ---- computations by the caller's function ---- */

static const hlo_instr *difference(hlo_builder *builder, const hlo_instr *old,
                                   const hlo_instr *update, void *context) {
    *(bool *)context = true;
    return hlo_builder_sub(builder, old, update, HLO_NONE);
}

static void test_computation(void) {
    bool called = false;
    start();
    const hlo_instr *x = counting(HLO_INTS(4)), *ten = hlo_builder_constant_f32(b, 10);
    const hlo_computation *by =
        hlo_lib_scalar_computation_of(b, "difference", HLO_TYPE_F32, difference, &called);
    check(called && by && strncmp(hlo_computation_name(by).text, "difference_F32", 14) == 0,
          "scalar_computation_of");
    runs("scalar_computation_of",
         hlo_builder_reduce(b, HLO_INSTRS(x), HLO_INSTRS(ten), by, HLO_INTS(0)), "f32[] 4");
    start();
    hlo_lib_scalar_computation_of(b, "difference", HLO_TYPE_F32, NULL, NULL);
    fails("no function", HLO_BAD_USE, "hlo_lib_scalar_computation_of");
}

int main(void) {
    test_computation();
    test_padding();
    test_gradients();
    test_tuples();
    test_conditionals();
    test_conditionals_of_tuples();
    test_sizes();
    test_all_sizes();
    test_approx_top_k();
    test_output_size();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
