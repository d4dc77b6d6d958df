/* Numbers of 8 and 16 bits that are packed into words, as bf16: XLA's quantize.h. */
#include "build/lib/matrices.h"
#include "ir/float_types.h"

/* Properties of the type of the packed numbers. */
typedef struct {
    int64_t bytes, per_word;
    double half_range; /* of signed numbers */
    double spread;     /* the greatest less the least */
} packed_type;

static packed_type packed_of(hlo_type type) {
    int64_t bits = hlo_types[type].bits;
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    double values = (double)((int64_t)1 << bits);
    return (packed_type){bits / 8, 32 / bits, is_signed ? values / 2 : 0, values - 1};
}

static double rounded(double value) {
    return hlo_float_decode(HLO_BF16, hlo_float_encode(HLO_BF16, value));
}

/* The numbers of each word in a new first dimension, the highest bits first. */
static hlo_term unpacked(hlo_builder *b, hlo_term input, packed_type t) {
    hlo_term words = hlo_builder_broadcast(b, input, HLO_INTS(t.per_word));
    hlo_term iota = hlo_lib_iota(b, HLO_U32, t.per_word);
    hlo_term last = hlo_lib_integer(b, HLO_U32, t.per_word - 1);
    hlo_term shift = hlo_builder_sub(b, last, iota, HLO_NO_DIMS);
    shift = hlo_builder_mul(b, shift, hlo_lib_integer(b, HLO_U32, 8 * t.bytes), HLO_NO_DIMS);
    if (!words) return NULL;
    shift = hlo_builder_broadcast_in_dim(b, shift, hlo_lib_dims(words), HLO_INTS(0));
    hlo_term low = hlo_builder_shift_right_logical(b, words, shift, HLO_NO_DIMS);
    hlo_term mask = hlo_lib_integer(b, HLO_U32, ((int64_t)1 << (8 * t.bytes)) - 1);
    return hlo_builder_and(b, low, mask, HLO_NO_DIMS);
}

/* [k, d0, ..., dn] as [dn * k, ..., d1, d0]. */
static hlo_term reversed(hlo_builder *b, hlo_term x) {
    size_t rank = x->shape->rank;
    int64_t *order = hlo_lib_counting(b, rank);
    order[0] = (int64_t)rank - 1;
    order[1] = 0;
    for (size_t i = 2; i < rank; i++) order[i] = (int64_t)(rank - i);
    hlo_term turned = hlo_builder_transpose(b, x, (hlo_int_list){rank, order});
    return hlo_builder_collapse(b, turned, HLO_INTS(0, 1));
}

static hlo_term in_order(hlo_builder *b, hlo_term x) {
    size_t rank = x->shape->rank;
    int64_t *order = hlo_lib_counting(b, rank);
    for (size_t i = 0; i < rank; i++) order[i] = (int64_t)(rank - 1 - i);
    return hlo_builder_transpose(b, x, (hlo_int_list){rank, order});
}

static hlo_term dequantized(hlo_builder *b, hlo_term input, packed_type t, float least,
                            float most) {
    hlo_term numbers = unpacked(b, input, t);
    if (!numbers) return NULL;
    double low = rounded((double)least), high = rounded((double)most);
    double scale = rounded(rounded(high - low) / rounded(t.spread));
    hlo_term x = hlo_lib_convert(b, numbers, HLO_BF16);
    hlo_formula f = hlo_formula_of(b, "x", &x);
    hlo_formula_set_number(&f, "half", t.half_range);
    hlo_formula_set_number(&f, "scale", scale);
    hlo_formula_set_number(&f, "least", low);
    return hlo_formula_run(&f, "(x + half) * scale + least");
}

hlo_term hlo_lib_dequantize(hlo_builder *b, hlo_term input, hlo_element_type packed, float least,
                            float most, bool transpose_output) {
    HLO_BUILDER_TAKES(b, input);
    if (!hlo_lib_has_rank(b, "Dequantize", input, 1)) return NULL;
    if (input->shape->type != HLO_U32)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE,
                                "only u32 is supported for the input of Dequantize, not %s",
                                hlo_types[input->shape->type].text);
    if (packed != HLO_TYPE_U8 && packed != HLO_TYPE_S8 && packed != HLO_TYPE_U16 &&
        packed != HLO_TYPE_S16)
        return hlo_builder_misuse(b, "%s: packed numbers of type %d", __func__, (int)packed);
    hlo_term x = dequantized(b, input, packed_of(hlo_builder_type(packed)), least, most);
    hlo_term turned = x ? reversed(b, x) : NULL;
    return turned && !transpose_output ? in_order(b, turned) : turned;
}

size_t hlo_lib_pack_to_u32(hlo_element_type type, const void *values, size_t count,
                           uint32_t *packed) {
    bool one_byte = type == HLO_TYPE_U8 || type == HLO_TYPE_S8;
    if (!one_byte && type != HLO_TYPE_U16 && type != HLO_TYPE_S16) return 0;
    const unsigned bits = one_byte ? 8 : 16, each = 32 / bits;
    const uint8_t *bytes = values;
    size_t words = count / each + (count % each != 0);
    for (size_t i = 0; packed && i < words; i++) packed[i] = 0;
    for (size_t i = 0; packed && i < count; i++) {
        uint16_t number = one_byte ? bytes[i] : 0;
        if (!one_byte) memcpy(&number, bytes + 2 * i, sizeof number);
        packed[i / each] |= (uint32_t)number << (bits * (each - 1 - (unsigned)(i % each)));
    }
    return words;
}
