/* Elementwise operations by simpler ones: logistic, comparison in total order, stochastic-convert;
 * opt-barrier by nothing. Patterns, called by patterns.c. */
#include <math.h>

#include "passes/pipeline/expression.h"

/* A fence that has done its duty. */
hlo_instr *hlo_rewrite_expand_barrier(hlo_rewriter *r, hlo_instr *barrier) {
    (void)r;
    return hlo_operand(barrier, 0);
}

/* logistic(x) = 1 / (1 + exp(-x)) */
hlo_instr *hlo_rewrite_expand_logistic(hlo_rewriter *r, hlo_instr *logistic) {
    const hlo_shape *shape = logistic->shape;
    hlo_instr *one = hlo_build_integer(r, shape, 1);
    hlo_instr *negated = hlo_emit_unary(r, HLO_OP_NEGATE, shape, hlo_operand(logistic, 0));
    hlo_instr *power = hlo_build_unary(r, HLO_OP_EXPONENTIAL, negated);
    return hlo_build_binary(r, HLO_OP_DIVIDE, one, hlo_build_binary(r, HLO_OP_ADD, one, power));
}

/* ---- comparison in total order ---- */

/* The signed integers of a format's width whose order is that of its numbers. Other floats of 8
 * bits are compared in a wider type, where their several NaNs are one, or have no negative zero. */
static hlo_type ordering_integers(hlo_type type) {
    switch (type) {
    case HLO_F4E2M1FN: return HLO_S4;
    case HLO_F8E4M3FN: return HLO_S8;
    case HLO_F16:
    case HLO_BF16: return HLO_S16;
    case HLO_F32: return HLO_S32;
    case HLO_F64: return HLO_S64;
    default: return HLO_TYPE_COUNT;
    }
}

/* Sign and magnitude become two's complement: of negative numbers all bits but the sign flip. */
static hlo_instr *ordered_integer(hlo_rewriter *r, hlo_instr *x, hlo_type integers) {
    hlo_instr *bits = hlo_build_bitcast_convert(r, x, integers);
    uint64_t magnitude = UINT64_MAX >> (65 - hlo_types[integers].bits);
    hlo_instr *flipped =
        hlo_build_binary(r, HLO_OP_XOR, bits, hlo_build_bits(r, bits->shape, magnitude));
    hlo_instr *is_negative = hlo_build_compare(r, bits, hlo_build_integer(r, bits->shape, 0), "LT");
    return hlo_build_select(r, is_negative, flipped, bits);
}

hlo_instr *hlo_rewrite_expand_total_order(hlo_rewriter *r, hlo_instr *compare) {
    const hlo_word_info *total = hlo_word_find(HLO_WORDS_COMPARE_TYPE, HLO_STR("TOTALORDER"));
    if (hlo_attr_int(compare, HLO_ATTR_TYPE) != total->number) return NULL;
    hlo_type integers = ordering_integers((hlo_type)hlo_operand(compare, 0)->shape->type);
    if (integers == HLO_TYPE_COUNT) return NULL;
    hlo_instr *a = ordered_integer(r, hlo_operand(compare, 0), integers);
    hlo_instr *b = ordered_integer(r, hlo_operand(compare, 1), integers);
    hlo_attr direction =
        hlo_attr_of_int(HLO_ATTR_DIRECTION, hlo_attr_int(compare, HLO_ATTR_DIRECTION));
    return hlo_emit(r, HLO_OP_COMPARE, compare->shape, (hlo_instr *[]){a, b}, 2, &direction, 1);
}

/* ---- stochastic-convert ---- */

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
