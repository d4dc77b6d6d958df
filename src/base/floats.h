/* The small and large float formats: bits <-> double, exactly rounded, and their special values.
 * ir/float_types.h maps element types to formats. */
#ifndef HLO_BASE_FLOATS_H
#define HLO_BASE_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum {
    HLO_FLOAT_IEEE,
    HLO_FLOAT_FN,
    HLO_FLOAT_FNUZ,
    HLO_FLOAT_FINITE,
    HLO_FLOAT_SCALE
} hlo_float_specials;

typedef enum {
#define HLO_FLOAT(id, ...) HLO_FLOAT_##id,
#include "base/floats.def"
#undef HLO_FLOAT
    HLO_FLOAT_COUNT
} hlo_float_id;

typedef struct {
    uint8_t id; /* hlo_float_id: the format's row in hlo_float_formats */
    uint8_t mantissa_bits, exponent_bits;
    uint8_t specials; /* hlo_float_specials */
    uint8_t bytes;    /* of one stored element: 1, 2, 4 or 8 */
    int16_t bias;
    uint64_t mask;       /* the bits that count in a stored element */
    uint64_t sign;       /* the sign bit, 0 when there is none */
    uint64_t max_finite; /* bits of the largest finite value */
    uint64_t nan;        /* bits of the default nan; FINITE: of what nan becomes, -0 */
} hlo_float_format;

extern const hlo_float_format hlo_float_formats[HLO_FLOAT_COUNT];

/* The value of the bits; bits outside the format's mask are ignored. A nan keeps its sign. */
double hlo_float_to_double(const hlo_float_format *format, uint64_t bits);
/* `value` rounded once, to nearest even (SCALE: ties up). What overflows becomes infinity, nan or
 * the largest value, as the format has it; nan becomes the default nan with its sign (FNUZ and
 * SCALE: the only one; FINITE: zero of the other sign). */
uint64_t hlo_float_from_double(const hlo_float_format *format, double value);
/* The greatest or the least value: an infinity, or, in formats without one and with `finite`, a
 * finite value. */
uint64_t hlo_float_extreme(const hlo_float_format *format, bool greatest, bool finite);
/* Neither infinite nor nan. */
bool hlo_float_is_finite(const hlo_float_format *format, uint64_t bits);
static inline bool hlo_float_is_negative_zero(const hlo_float_format *format, uint64_t bits) {
    return format->sign && bits == format->sign && hlo_float_is_finite(format, bits);
}

/* n stored elements (bytes each as in the format) to and from floats. */
void hlo_floats_to_f32(const hlo_float_format *format, const void *from, float *to, size_t n);
void hlo_floats_from_f32(const hlo_float_format *format, const float *from, void *to, size_t n);
/* The values of all 256 bytes; formats of one byte only. */
const float *hlo_float_table(const hlo_float_format *format);

static inline uint32_t hlo_f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float hlo_f32_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint64_t hlo_f64_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double hlo_f64_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float hlo_bf16_to_f32(uint16_t bits) {
    return hlo_f32_from_bits((uint32_t)bits << 16);
}

static inline uint16_t hlo_f32_to_bf16(float value) {
    uint32_t bits = hlo_f32_bits(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint32_t nan = (bits >> 16 & 0x8000) | 0x7fc0;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

/* The exponent fields differ by 112: the multiplication adds that and normalises subnormals. */
static inline float hlo_f16_to_f32(uint16_t bits) {
    uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13;
    uint32_t finite = hlo_f32_bits(hlo_f32_from_bits(magnitude) * 0x1p112f);
    uint32_t special = magnitude | 0x7f800000;
    uint32_t chosen = magnitude < 0x7c00u << 13 ? finite : special;
    return hlo_f32_from_bits(chosen | (uint32_t)(bits & 0x8000) << 16);
}

static inline uint16_t hlo_f32_to_f16(float value) {
    uint32_t bits = hlo_f32_bits(value), magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* 0.5 has the ulp of f16's subnormals: the addition rounds to it. */
    uint32_t subnormal = hlo_f32_bits(hlo_f32_from_bits(magnitude) + 0.5f) - hlo_f32_bits(0.5f);
    uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    uint32_t large = magnitude > 0x7f800000 ? nan : 0x7c00;
    uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
    uint32_t chosen = magnitude >= 0x47800000 ? large : finite;
    return (uint16_t)(chosen | (bits >> 16 & 0x8000));
}

#endif
