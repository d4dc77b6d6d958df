/* What the text of a literal does not give back when it is read, which XLA reads as we do
 * (docs/text-format.md, 6.2). */
#include "ir/float_types.h"
#include "ir/literal.h"

static uint64_t magnitude(const hlo_float_format *format, uint64_t bits) {
    return bits & format->mask & ~format->sign;
}

static bool is_nan(const hlo_float_format *format, uint64_t bits) {
    if (hlo_float_is_finite(format, bits)) return false;
    return format->specials != HLO_FLOAT_IEEE || magnitude(format, bits) != format->max_finite + 1;
}

/* A nan that is written without a payload: only the quiet bit is set. */
static bool is_plain_nan(const hlo_float_format *format, uint64_t bits) {
    uint64_t payload = bits & ((UINT64_C(1) << format->mantissa_bits) - 1);
    return payload == UINT64_C(1) << format->mantissa_bits >> 1;
}

/* A nan real part is read into both parts; one in the imaginary part of c64 keeps its sign only. */
static bool loses_nan(hlo_type type, const hlo_float_format *format, uint64_t real,
                      uint64_t imaginary) {
    if (is_nan(format, real)) return real != imaginary;
    return is_nan(format, imaginary) && type == HLO_C64 && !is_plain_nan(format, imaginary);
}

static hlo_literal_loss loss_of_floats(hlo_type type, const char *data, int64_t n) {
    const hlo_float_format *format = hlo_type_float_format(type);
    for (int64_t i = 0; i < n; i++, data += format->bytes)
        if (hlo_float_is_negative_zero(format, hlo_element_bits(data, format->bytes)))
            return HLO_LITERAL_LOSES_ZERO;
    return HLO_LITERAL_WHOLE;
}

static hlo_literal_loss loss_of_pairs(hlo_type type, const char *data, int64_t n) {
    const hlo_float_format *format = hlo_type_float_format(hlo_type_part(type));
    unsigned bytes = format->bytes;
    hlo_literal_loss loss = HLO_LITERAL_WHOLE;
    for (int64_t i = 0; i < n; i++, data += (size_t)2 * bytes) {
        uint64_t real = hlo_element_bits(data, bytes);
        uint64_t imaginary = hlo_element_bits(data + bytes, bytes);
        if (loses_nan(type, format, real, imaginary)) return HLO_LITERAL_LOSES_NAN;
        if (hlo_float_is_negative_zero(format, real) ||
            hlo_float_is_negative_zero(format, imaginary))
            loss = HLO_LITERAL_LOSES_ZERO;
    }
    return loss;
}

/* Elements that are implied are a number before zeros, or invented and never a negative zero. */
static hlo_literal_loss loss_of_array(const hlo_literal *literal) {
    hlo_type type = (hlo_type)literal->shape->type;
    int64_t n = hlo_shape_elements(literal->shape);
    const char *data = literal->data;
    if (!data && literal->implied && !literal->implied->is_elided) {
        data = literal->implied->first;
        n = 1;
    }
    if (!data || n <= 0) return HLO_LITERAL_WHOLE;
    if (hlo_types[type].class == HLO_CLASS_FLOAT) return loss_of_floats(type, data, n);
    if (hlo_types[type].class == HLO_CLASS_COMPLEX) return loss_of_pairs(type, data, n);
    return HLO_LITERAL_WHOLE;
}

hlo_literal_loss hlo_literal_text_loss(const hlo_literal *literal) {
    if (hlo_shape_is_array(literal->shape)) return loss_of_array(literal);
    hlo_literal_loss worst = HLO_LITERAL_WHOLE;
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++) {
        hlo_literal_loss loss = hlo_literal_text_loss(literal->elements[i]);
        if (loss > worst) worst = loss;
    }
    return worst;
}
