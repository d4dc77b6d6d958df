/* comparison-expander: comparisons in total order of floats as comparisons of integers. */
#include "passes/pipeline/expression.h"

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
