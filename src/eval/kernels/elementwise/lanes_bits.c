/* Lane functions that work on the bits of elements: reduce-precision, stochastic-convert and
 * bitcast-convert between types of one width. */
#include <math.h>

#include "eval/kernel/lanes.h"
#include "ir/float_types.h"

/* ---- reduce-precision ---- */

typedef struct {
    uint64_t sign, exponent, last; /* masks: sign, exponent field, last mantissa bit that is kept */
    uint64_t overflow,
        underflow; /* exponent fields above and up to which a value leaves the range */
} precision;

/* Of formats like IEEE's: sign, exponent, mantissa, with all exponent bits set for inf and nan. */
static precision precision_of(const hlo_float_format *format, int exponent_bits,
                              int mantissa_bits) {
    int kept = mantissa_bits < format->mantissa_bits ? mantissa_bits : format->mantissa_bits;
    uint64_t exponent_ones = (UINT64_C(1) << format->exponent_bits) - 1;
    precision p = {.sign = format->sign,
                   .exponent = exponent_ones << format->mantissa_bits,
                   .last = UINT64_C(1) << (format->mantissa_bits - kept)};
    p.overflow = p.exponent; /* nothing is above */
    if (exponent_bits < format->exponent_bits) {
        uint64_t bias = (UINT64_C(1) << (exponent_bits - 1)) - 1, middle = exponent_ones >> 1;
        p.overflow = (middle + bias) << format->mantissa_bits;
        p.underflow = (middle - bias) << format->mantissa_bits;
    }
    return p;
}

/* To nearest even; then what is too large becomes infinity, what is too small (subnormals too)
 * zero. Nan stays, even where no mantissa bit is left to distinguish it from infinity. */
static uint64_t reduce_bits(const precision *p, uint64_t bits) {
    uint64_t sign = bits & p->sign, magnitude = bits & ~p->sign;
    if (magnitude > p->exponent) return bits;
    if (p->last > 1) {
        magnitude += (p->last >> 1) - 1 + ((magnitude & p->last) != 0);
        magnitude &= ~(p->last - 1);
    }
    uint64_t exponent = magnitude & p->exponent;
    if (exponent > p->overflow) return sign | p->exponent;
    if (p->underflow && exponent <= p->underflow) return sign;
    return sign | magnitude;
}

#define REDUCE(T)                                                                                \
    static void reduce_##T(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        precision p = precision_of(hlo_type_float_format(lanes->from), lanes->exponent_bits,     \
                                   lanes->mantissa_bits);                                        \
        const T *x = in[0];                                                                      \
        T *o = out;                                                                              \
        for (size_t k = 0; k < n; k++) o[k] = (T)reduce_bits(&p, x[k]);                          \
    }
REDUCE(uint16_t)
REDUCE(uint32_t)
REDUCE(uint64_t)

/* Numbers of a byte or less are reduced as numbers of a wider type, as XLA does it: what is
 * subnormal in their own type need not be so in the one that is asked for. */
static void reduce_widened(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_type from = lanes->from, wide = from == HLO_F8E8M0FNU ? HLO_F32 : HLO_F16;
    precision p =
        precision_of(hlo_type_float_format(wide), lanes->exponent_bits, lanes->mantissa_bits);
    const uint8_t *x = in[0];
    uint8_t *o = out;
    for (size_t k = 0; k < n; k++) {
        uint64_t bits = hlo_float_encode(wide, hlo_float_decode(from, x[k]));
        o[k] = (uint8_t)hlo_float_encode(from, hlo_float_decode(wide, reduce_bits(&p, bits)));
    }
}

hlo_lanes_fn *hlo_lanes_reduce_precision(hlo_type type) {
    if (!hlo_type_is_float(type)) return NULL;
    switch (hlo_types[type].bytes) {
    case 1: return reduce_widened;
    case 2: return reduce_uint16_t;
    case 4: return reduce_uint32_t;
    default: return reduce_uint64_t;
    }
}

/* ---- stochastic-convert ---- */

/* |value| is truncated, and one is added when the random number, read as a fraction of its type's
 * range, is below what was cut off. Saturates; nan gives 0. */
static int64_t round_by_chance(double value, uint64_t random, int random_bits, int to_bits) {
    int64_t largest = (int64_t)(UINT64_MAX >> (64 - to_bits) >> 1);
    if (value >= (double)largest) return largest;
    if (value <= -1.0 - (double)largest) return -1 - largest;
    if (value != value) return 0;
    double size = fabs(value);
    int64_t whole = (int64_t)size;
    double threshold = ldexp(size - (double)whole, random_bits);
    if (random < (uint64_t)threshold) whole++;
    return value < 0 ? -whole : whole;
}

static void stochastic_convert(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_type random_type = lanes->operands[1];
    unsigned bytes = hlo_types[lanes->from].bytes, random_bytes = hlo_types[random_type].bytes;
    unsigned to_bytes = hlo_types[lanes->to].bytes;
    const char *x = in[0], *random = in[1];
    char *o = out;
    for (size_t k = 0; k < n; k++) {
        double value = hlo_float_decode(lanes->from, hlo_element_bits(x + k * bytes, bytes));
        int64_t rounded =
            round_by_chance(value, hlo_element_bits(random + k * random_bytes, random_bytes),
                            hlo_types[random_type].bits, hlo_types[lanes->to].bits);
        hlo_set_element_bits(o + k * to_bytes, to_bytes, (uint64_t)rounded);
    }
}

hlo_lanes_fn *hlo_lanes_stochastic_convert(hlo_type from, hlo_type to) {
    bool is_known = hlo_type_is_float(from) && hlo_types[to].class == HLO_CLASS_SIGNED;
    return is_known ? stochastic_convert : NULL;
}

/* ---- bitcast-convert ---- */

/* The bits stay; integers below a byte are kept sign or zero extended. */
static void reinterpret(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    size_t bytes = hlo_types[lanes->to].bytes;
    if (out != in[0] && n) memcpy(out, in[0], n * bytes);
    hlo_extend_elements(lanes->to, out, n);
}

void hlo_extend_elements(hlo_type type, void *elements, size_t n) {
    int bits = hlo_types[type].bits;
    if (bits >= 8) return;
    const uint8_t mask = (uint8_t)(0xff >> (8 - bits));
    const uint8_t sign = (uint8_t)(hlo_types[type].class == HLO_CLASS_SIGNED ? 1 << (bits - 1) : 0);
    uint8_t *o = elements;
    for (size_t k = 0; k < n; k++) o[k] = (uint8_t)(((o[k] & mask) ^ sign) - sign);
}

hlo_lanes_fn *hlo_lanes_bitcast_convert(hlo_type from, hlo_type to) {
    return hlo_types[from].bits == hlo_types[to].bits ? reinterpret : NULL;
}
