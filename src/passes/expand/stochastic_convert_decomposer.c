/* stochastic_convert_decomposer: stochastic-convert as truncation and a comparison of random bits.
 */
#include <math.h>

#include "passes/pipeline/expression.h"

/* 2^bits of the random numbers' type, times the part that truncation drops, as one of them. */
static hlo_instr *chance_of_more(hlo_rewriter *r, hlo_instr *fraction, hlo_type random) {
    double scale = (double)((uint64_t)1 << (hlo_types[random].bits - 1)) * 2;
    hlo_instr *scaled =
        hlo_build_binary(r, HLO_OP_MULTIPLY, fraction, hlo_build_number(r, fraction->shape, scale));
    return hlo_build_convert(r, scaled, random);
}

hlo_instr *hlo_rewrite_expand_stochastic_convert(hlo_rewriter *r, hlo_instr *convert) {
    hlo_type to = (hlo_type)convert->shape->type;
    hlo_type random_type = (hlo_type)hlo_operand(convert, 1)->shape->type;
    hlo_type from = (hlo_type)hlo_operand(convert, 0)->shape->type;
    if (hlo_types[to].class != HLO_CLASS_SIGNED || !hlo_type_is_float(from)) return NULL;
    /* Fractions of narrow types, and their multiples, are numbers of f32 and f64. */
    hlo_type wide = from == HLO_F64 ? HLO_F64 : HLO_F32;
    hlo_instr *x = hlo_build_convert(r, hlo_operand(convert, 0), wide);
    hlo_instr *size = hlo_build_unary(r, HLO_OP_ABS, x);
    /* The least number has a magnitude that the type does not hold. */
    hlo_instr *whole = hlo_build_convert(r, size, hlo_types[to].bits < 32 ? HLO_S32 : HLO_S64);
    hlo_instr *fraction =
        hlo_build_binary(r, HLO_OP_SUBTRACT, size, hlo_build_convert(r, whole, wide));
    hlo_instr *more = hlo_build_compare(r, hlo_operand(convert, 1),
                                        chance_of_more(r, fraction, random_type), "LT");
    hlo_instr *one = hlo_build_integer(r, whole->shape, 1);
    hlo_instr *rounded =
        hlo_build_select(r, more, hlo_build_binary(r, HLO_OP_ADD, whole, one), whole);
    hlo_instr *is_negative = hlo_build_compare(r, x, hlo_build_integer(r, x->shape, 0), "LT");
    hlo_instr *value =
        hlo_build_select(r, is_negative, hlo_build_unary(r, HLO_OP_NEGATE, rounded), rounded);
    /* What is beyond the type, and NaN, converts as it does without chance. */
    double beyond = ldexp(1, hlo_types[to].bits - 1);
    hlo_instr *low = hlo_build_compare(r, x, hlo_build_number(r, x->shape, -beyond), "GT");
    hlo_instr *high = hlo_build_compare(r, x, hlo_build_number(r, x->shape, beyond - 1), "LT");
    hlo_instr *fits = hlo_build_binary(r, HLO_OP_AND, low, high);
    hlo_instr *plain = hlo_build_convert(r, x, to);
    value = hlo_build_convert(r, value, to);
    return hlo_build_as(hlo_build_select(r, fits, value, plain), convert->shape);
}
