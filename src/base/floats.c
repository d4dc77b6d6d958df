/* Float formats by table: decoding, correctly rounded encoding, and arrays of them. */
#include "base/floats.h"

#include <math.h>
#include <pthread.h>

#include "base/assert.h"

#define BITS_IEEE(m, e) (1 + (m) + (e))
#define BITS_FN BITS_IEEE
#define BITS_FNUZ BITS_IEEE
#define BITS_FINITE BITS_IEEE
#define BITS_SCALE(m, e) ((m) + (e))
#define SIGN_IEEE(m, e) (UINT64_C(1) << ((m) + (e)))
#define SIGN_FN SIGN_IEEE
#define SIGN_FNUZ SIGN_IEEE
#define SIGN_FINITE SIGN_IEEE
#define SIGN_SCALE(m, e) 0
#define ONES(n) (~UINT64_C(0) >> (64 - (n)))
#define MAX_IEEE(m, e) ((ONES(e) << (m)) - 1)
#define MAX_FN(m, e) (ONES((m) + (e)) - 1)
#define MAX_FNUZ(m, e) ONES((m) + (e))
#define MAX_FINITE(m, e) ONES((m) + (e))
#define MAX_SCALE(m, e) (ONES((m) + (e)) - 1)
#define NAN_IEEE(m, e) (ONES((e) + 1) << ((m)-1))
#define NAN_FN(m, e) ONES((m) + (e))
#define NAN_FNUZ(m, e) SIGN_IEEE(m, e)
#define NAN_FINITE(m, e) SIGN_IEEE(m, e)
#define NAN_SCALE(m, e) ONES((m) + (e))

const hlo_float_format hlo_float_formats[HLO_FLOAT_COUNT] = {
#define HLO_FLOAT(id, m, e, b, kind)                 \
    [HLO_FLOAT_##id] = {HLO_FLOAT_##id,              \
                        m,                           \
                        e,                           \
                        HLO_FLOAT_##kind,            \
                        (BITS_##kind(m, e) + 7) / 8, \
                        b,                           \
                        ONES(BITS_##kind(m, e)),     \
                        SIGN_##kind(m, e),           \
                        MAX_##kind(m, e),            \
                        NAN_##kind(m, e)},
#include "base/floats.def"
#undef HLO_FLOAT
};

enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023, DOUBLE_SPECIAL = 2047 };

static bool is_nan_bits(const hlo_float_format *f, uint64_t bits) {
    switch ((hlo_float_specials)f->specials) {
    case HLO_FLOAT_IEEE: return (bits & ~f->sign) > f->max_finite + 1;
    case HLO_FLOAT_FN: return (bits & ~f->sign) == f->nan;
    case HLO_FLOAT_FNUZ:
    case HLO_FLOAT_SCALE: return bits == f->nan;
    case HLO_FLOAT_FINITE: break;
    }
    return false;
}

uint64_t hlo_float_extreme(const hlo_float_format *f, bool greatest, bool finite) {
    if (!greatest && !f->sign) return 0;
    uint64_t magnitude = f->max_finite + (!finite && f->specials == HLO_FLOAT_IEEE);
    return magnitude | (greatest ? 0 : f->sign);
}

bool hlo_float_is_finite(const hlo_float_format *f, uint64_t bits) {
    bits &= f->mask;
    if (f->specials == HLO_FLOAT_FNUZ) return bits != f->nan;
    return (bits & ~f->sign) <= f->max_finite;
}

/* A quiet nan with the payload's upper bits, as hardware conversions give it. */
static double nan_to_double(const hlo_float_format *f, uint64_t bits, uint64_t sign) {
    uint64_t out = (uint64_t)DOUBLE_SPECIAL << DOUBLE_MANTISSA | UINT64_C(1)
                                                                     << (DOUBLE_MANTISSA - 1);
    if (f->specials == HLO_FLOAT_IEEE)
        out |= (bits & ONES(f->mantissa_bits)) << (DOUBLE_MANTISSA - f->mantissa_bits);
    if (f->specials == HLO_FLOAT_FNUZ) sign = UINT64_C(1) << 63;
    return hlo_f64_from_bits(out | sign);
}

double hlo_float_to_double(const hlo_float_format *f, uint64_t bits) {
    HLO_ASSERT(f == &hlo_float_formats[f->id]);
    if (f->id == HLO_FLOAT_F64) return hlo_f64_from_bits(bits);
    bits &= f->mask;
    uint64_t sign = bits & f->sign ? UINT64_C(1) << 63 : 0;
    if (is_nan_bits(f, bits)) return nan_to_double(f, bits, sign);
    uint64_t magnitude = bits & ~f->sign;
    uint64_t exponent = magnitude >> f->mantissa_bits,
             mantissa = magnitude & ONES(f->mantissa_bits + 1) >> 1;
    if (magnitude > f->max_finite)
        return hlo_f64_from_bits(sign | (uint64_t)DOUBLE_SPECIAL << DOUBLE_MANTISSA);
    if (exponent == 0 && f->specials != HLO_FLOAT_SCALE) {
        double value = ldexp((double)mantissa, 1 - f->bias - f->mantissa_bits);
        return sign ? -value : value;
    }
    uint64_t rebiased = exponent + (uint64_t)(DOUBLE_BIAS - f->bias);
    return hlo_f64_from_bits(sign | rebiased << DOUBLE_MANTISSA |
                             mantissa << (DOUBLE_MANTISSA - f->mantissa_bits));
}

/* What a magnitude beyond the largest finite one becomes. */
static uint64_t overflowed(const hlo_float_format *f, uint64_t sign) {
    switch ((hlo_float_specials)f->specials) {
    case HLO_FLOAT_IEEE: return sign | (f->max_finite + 1);
    case HLO_FLOAT_FINITE: return sign | f->max_finite;
    case HLO_FLOAT_FN: return sign | f->nan;
    case HLO_FLOAT_FNUZ:
    case HLO_FLOAT_SCALE: break;
    }
    return f->nan;
}

static uint64_t nan_from_double(const hlo_float_format *f, uint64_t sign) {
    if (f->specials == HLO_FLOAT_FNUZ || f->specials == HLO_FLOAT_SCALE) return f->nan;
    return f->nan ^ sign;
}

/* m / 2^shift to nearest, ties to even; shift >= 1. */
static uint64_t shift_to_even(uint64_t m, int shift) {
    HLO_ASSERT(shift >= 1);
    if (shift > DOUBLE_MANTISSA + 2) return 0; /* below half of the smallest step */
    uint64_t half = UINT64_C(1) << (shift - 1), quotient = m >> shift, rest = m & (2 * half - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* A positive value as a power of two: ties go up, and nothing is below the smallest power. */
static uint64_t scale_from_double(const hlo_float_format *f, uint64_t magnitude) {
    HLO_ASSERT(f->specials == HLO_FLOAT_SCALE && magnitude);
    int64_t exponent = (int64_t)(magnitude >> DOUBLE_MANTISSA) - DOUBLE_BIAS + f->bias;
    uint64_t mantissa = magnitude & ONES(DOUBLE_MANTISSA);
    if (exponent < 0) return 0;
    exponent += mantissa >> (DOUBLE_MANTISSA - 1) ? 1 : 0;
    return (uint64_t)exponent > f->max_finite ? f->nan : (uint64_t)exponent;
}

uint64_t hlo_float_from_double(const hlo_float_format *f, double value) {
    HLO_ASSERT(f == &hlo_float_formats[f->id]);
    uint64_t bits = hlo_f64_bits(value);
    if (f->id == HLO_FLOAT_F64) return bits;
    uint64_t sign = bits >> 63 ? f->sign : 0, magnitude = bits & ONES(63);
    int biased = (int)(magnitude >> DOUBLE_MANTISSA);
    if (biased == DOUBLE_SPECIAL)
        return magnitude & ONES(DOUBLE_MANTISSA) ? nan_from_double(f, sign) : overflowed(f, sign);
    if (f->specials == HLO_FLOAT_SCALE)
        return bits >> 63 || magnitude == 0 ? f->nan : scale_from_double(f, magnitude);
    int exponent = biased - DOUBLE_BIAS, least = 1 - f->bias;
    uint64_t out = 0;
    if (biased) { /* subnormal doubles are below every other format's steps */
        uint64_t m = (magnitude & ONES(DOUBLE_MANTISSA)) | UINT64_C(1) << DOUBLE_MANTISSA;
        int step = exponent > least ? exponent : least;
        uint64_t rounded = shift_to_even(m, step - exponent + DOUBLE_MANTISSA - f->mantissa_bits);
        /* The hidden bit, and a carry out of rounding, add one to the exponent field. */
        out = rounded + ((uint64_t)(step - least) << f->mantissa_bits);
    }
    if (out > f->max_finite) return overflowed(f, sign);
    return f->specials == HLO_FLOAT_FNUZ && out == 0 ? 0 : out | sign;
}

/* ---- arrays ---- */

static float byte_tables[HLO_FLOAT_COUNT][256];
static pthread_once_t byte_tables_made = PTHREAD_ONCE_INIT;

static void make_byte_tables(void) {
    for (int id = 0; id < HLO_FLOAT_COUNT; id++) {
        const hlo_float_format *f = &hlo_float_formats[id];
        for (unsigned bits = 0; f->bytes == 1 && bits < 256; bits++)
            byte_tables[id][bits] = (float)hlo_float_to_double(f, bits);
    }
}

const float *hlo_float_table(const hlo_float_format *format) {
    HLO_ASSERT(format->bytes == 1);
    pthread_once(&byte_tables_made, make_byte_tables);
    return byte_tables[format->id];
}

void hlo_floats_to_f32(const hlo_float_format *format, const void *from, float *to, size_t n) {
    if (format->bytes == 1) {
        const float *table = hlo_float_table(format);
        for (size_t i = 0; i < n; i++) to[i] = table[((const uint8_t *)from)[i]];
    } else if (format->id == HLO_FLOAT_F16) {
        for (size_t i = 0; i < n; i++) to[i] = hlo_f16_to_f32(((const uint16_t *)from)[i]);
    } else if (format->id == HLO_FLOAT_BF16) {
        for (size_t i = 0; i < n; i++) to[i] = hlo_bf16_to_f32(((const uint16_t *)from)[i]);
    } else if (format->id == HLO_FLOAT_F64) {
        for (size_t i = 0; i < n; i++) to[i] = (float)((const double *)from)[i];
    } else if (n) {
        memcpy(to, from, n * sizeof *to);
    }
}

void hlo_floats_from_f32(const hlo_float_format *format, const float *from, void *to, size_t n) {
    if (format->bytes == 1) {
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)to)[i] = (uint8_t)hlo_float_from_double(format, (double)from[i]);
    } else if (format->id == HLO_FLOAT_F16) {
        for (size_t i = 0; i < n; i++) ((uint16_t *)to)[i] = hlo_f32_to_f16(from[i]);
    } else if (format->id == HLO_FLOAT_BF16) {
        for (size_t i = 0; i < n; i++) ((uint16_t *)to)[i] = hlo_f32_to_bf16(from[i]);
    } else if (format->id == HLO_FLOAT_F64) {
        for (size_t i = 0; i < n; i++) ((double *)to)[i] = (double)from[i];
    } else if (n) {
        memcpy(to, from, n * sizeof *from);
    }
}
