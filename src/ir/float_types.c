/* The formats of the float and complex element types. */
#include "ir/float_types.h"

/* The two tables describe the same types. */
#define HLO_TYPE(id, text, bits, class, number, field, mantissa, exponent, digits) \
    TYPE_MANTISSA_##id = (mantissa), TYPE_EXPONENT_##id = (exponent),
enum {
#include "ir/types.def"
};
#undef HLO_TYPE
#define HLO_FLOAT(id, mantissa, exponent, ...)                                           \
    _Static_assert(TYPE_MANTISSA_##id == (mantissa) && TYPE_EXPONENT_##id == (exponent), \
                   "types.def and floats.def differ about " #id);
#include "base/floats.def"
#undef HLO_FLOAT

static const hlo_float_format *const formats[HLO_TYPE_COUNT] = {
#define HLO_FLOAT(id, ...) [HLO_##id] = &hlo_float_formats[HLO_FLOAT_##id],
#include "base/floats.def"
#undef HLO_FLOAT
    [HLO_C64] = &hlo_float_formats[HLO_FLOAT_F32],
    [HLO_C128] = &hlo_float_formats[HLO_FLOAT_F64],
};

const hlo_float_format *hlo_type_float_format(hlo_type type) {
    HLO_ASSERT(type < sizeof formats / sizeof *formats);
    return formats[type];
}

double hlo_float_decode(hlo_type type, uint64_t bits) {
    HLO_ASSERT(type < sizeof formats / sizeof *formats);
    return hlo_float_to_double(formats[type], bits);
}

uint64_t hlo_float_encode(hlo_type type, double value) {
    if (type == HLO_BF16) return hlo_f32_to_bf16((float)value);
    return hlo_float_from_double(formats[type], value);
}

uint64_t hlo_float_encode_literal(hlo_type type, double value) {
    if (type == HLO_F16) return hlo_f32_to_f16((float)value);
    return hlo_float_encode(type, value);
}
