/* Lane functions of convert: any element type to any other. Usual pairs have separate loops; in
 * others elements pass through one of four carriers, a block at a time. */
#include <math.h>

#include "eval/kernel/vectors.h"
#include "ir/float_types.h"

/* What every element of a type fits into. */
typedef enum { SIGNED, UNSIGNED, SINGLE, DOUBLE } carrier;

typedef union {
    int64_t s[HLO_LANES_BLOCK];
    uint64_t u[HLO_LANES_BLOCK];
    float f[HLO_LANES_BLOCK];
    double d[HLO_LANES_BLOCK];
} block;

static carrier carrier_of(hlo_type type) {
    hlo_type part = hlo_type_part(type);
    if (part == HLO_U64) return UNSIGNED;
    if (!hlo_type_is_float(part)) return SIGNED;
    return part == HLO_F64 ? DOUBLE : SINGLE;
}

/* ---- elements to a carrier; of complex numbers the real part ---- */

#define LOAD(name, T, member, step)                                  \
    static void load_##name(block *to, const void *from, size_t n) { \
        const T *x = from;                                           \
        for (size_t k = 0; k < n; k++) to->member[k] = x[(step)*k];  \
    }
LOAD(s8, int8_t, s, 1) /* NOLINT(bugprone-signed-char-misuse): numbers, not characters */
LOAD(s16, int16_t, s, 1)
LOAD(s32, int32_t, s, 1)
LOAD(s64, int64_t, s, 1)
LOAD(u8, uint8_t, s, 1)
LOAD(u16, uint16_t, s, 1)
LOAD(u32, uint32_t, s, 1)
LOAD(u64, uint64_t, u, 1)
LOAD(f32, float, f, 1)
LOAD(f64, double, d, 1)
LOAD(c64, float, f, 2)
LOAD(c128, double, d, 2)

static void load(hlo_type type, block *to, const void *from, size_t n) {
    static void (*const loads[HLO_TYPE_COUNT])(block *, const void *, size_t) = {
        [HLO_PRED] = load_u8, [HLO_S1] = load_s8,   [HLO_S2] = load_s8,     [HLO_S4] = load_s8,
        [HLO_S8] = load_s8,   [HLO_S16] = load_s16, [HLO_S32] = load_s32,   [HLO_S64] = load_s64,
        [HLO_U1] = load_u8,   [HLO_U2] = load_u8,   [HLO_U4] = load_u8,     [HLO_U8] = load_u8,
        [HLO_U16] = load_u16, [HLO_U32] = load_u32, [HLO_U64] = load_u64,   [HLO_F32] = load_f32,
        [HLO_F64] = load_f64, [HLO_C64] = load_c64, [HLO_C128] = load_c128,
    };
    if (loads[type]) loads[type](to, from, n);
    else hlo_floats_to_f32(hlo_type_float_format(type), from, to->f, n);
}

/* ---- from one carrier to another ---- */

/* Floats to integers of a type: truncated, saturated, 0 for nan. */
static void truncate_doubles(hlo_type type, block *values, size_t n) {
    int bits = hlo_types[type].bits;
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    double limit = ldexp(1, is_signed ? bits - 1 : bits); /* one above the largest */
    double low = is_signed ? -limit : 0;
    uint64_t largest = UINT64_MAX >> (64 - bits) >> is_signed;
    int64_t least = is_signed ? -1 - (int64_t)largest : 0;
    for (size_t k = 0; k < n; k++) {
        double value = values->d[k];
        if (value >= limit) values->u[k] = largest;
        else if (value <= low) values->s[k] = least;
        else if (value != value) values->u[k] = 0;
        else if (is_signed) values->s[k] = (int64_t)value;
        else values->u[k] = (uint64_t)value;
    }
}

/* Widens in place, so from the end: the elements of the narrower array lie below. */
static void singles_to_doubles(block *values, size_t n) {
    for (size_t k = n; k-- > 0;) {
        double wide = values->f[k];
        values->d[k] = wide;
    }
}

static void is_not_zero(carrier from, block *values, size_t n) {
    if (from == SINGLE) singles_to_doubles(values, n);
    bool is_float = from == SINGLE || from == DOUBLE;
    for (size_t k = 0; k < n; k++) values->u[k] = is_float ? values->d[k] != 0 : values->u[k] != 0;
}

static void to_doubles(carrier from, block *values, size_t n) {
    if (from == SINGLE) singles_to_doubles(values, n);
    if (from == SIGNED)
        for (size_t k = 0; k < n; k++) values->d[k] = (double)values->s[k];
    if (from == UNSIGNED)
        for (size_t k = 0; k < n; k++) values->d[k] = (double)values->u[k];
}

static void to_singles(carrier from, block *values, size_t n) {
    for (size_t k = 0; k < n; k++) {
        float narrow = from == SIGNED     ? (float)values->s[k]
                       : from == UNSIGNED ? (float)values->u[k]
                       : from == DOUBLE   ? (float)values->d[k]
                                          : values->f[k];
        values->f[k] = narrow;
    }
}

static void change_carrier(hlo_type from_type, hlo_type to_type, block *values, size_t n) {
    carrier from = carrier_of(from_type), to = carrier_of(to_type);
    if (from_type != HLO_PRED && to_type == HLO_PRED) {
        is_not_zero(from, values, n);
    } else if (to == DOUBLE) {
        to_doubles(from, values, n);
    } else if (to == SINGLE) {
        if (from != SINGLE) to_singles(from, values, n);
    } else if (from == SINGLE || from == DOUBLE) {
        to_doubles(from, values, n);
        truncate_doubles(to_type, values, n);
    } /* between integers the bits are what counts */
}

/* ---- a carrier to elements; integers keep their low bits ---- */

#define STORE(name, T, member)                                        \
    static void store_##name(void *to, const block *from, size_t n) { \
        T *o = to;                                                    \
        for (size_t k = 0; k < n; k++) o[k] = (T)from->member[k];     \
    }
#define STORE_COMPLEX(name, T, member)                                \
    static void store_##name(void *to, const block *from, size_t n) { \
        T *o = to;                                                    \
        for (size_t k = 0; k < n; k++) {                              \
            o[2 * k] = from->member[k];                               \
            o[2 * k + 1] = 0;                                         \
        }                                                             \
    }
STORE(u8, uint8_t, u)
STORE(u16, uint16_t, u)
STORE(u32, uint32_t, u)
STORE(u64, uint64_t, u)
STORE(f32, float, f)
STORE(f64, double, d)
STORE_COMPLEX(c64, float, f)
STORE_COMPLEX(c128, double, d)

static void store(hlo_type type, void *to, const block *from, size_t n) {
    static void (*const stores[HLO_TYPE_COUNT])(void *, const block *, size_t) = {
        [HLO_PRED] = store_u8,   [HLO_S1] = store_u8,   [HLO_S2] = store_u8,
        [HLO_S4] = store_u8,     [HLO_S8] = store_u8,   [HLO_S16] = store_u16,
        [HLO_S32] = store_u32,   [HLO_S64] = store_u64, [HLO_U1] = store_u8,
        [HLO_U2] = store_u8,     [HLO_U4] = store_u8,   [HLO_U8] = store_u8,
        [HLO_U16] = store_u16,   [HLO_U32] = store_u32, [HLO_U64] = store_u64,
        [HLO_F32] = store_f32,   [HLO_F64] = store_f64, [HLO_C64] = store_c64,
        [HLO_C128] = store_c128,
    };
    if (stores[type]) stores[type](to, from, n);
    else hlo_floats_from_f32(hlo_type_float_format(type), from->f, to, n);
}

/* From f64 a small float is rounded once. */
static void store_from_doubles(hlo_type type, void *to, const block *from, size_t n) {
    unsigned bytes = hlo_types[type].bytes;
    char *o = to;
    for (size_t k = 0; k < n; k++)
        hlo_set_element_bits(o + k * bytes, bytes, hlo_float_encode(type, from->d[k]));
}

/* ---- whole arrays ---- */

static void convert(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    size_t from_bytes = hlo_types[lanes->from].bytes, to_bytes = hlo_types[lanes->to].bytes;
    const char *from = in[0];
    char *to = out;
    bool rounds_once = carrier_of(lanes->from) == DOUBLE && hlo_type_is_small_float(lanes->to);
    block values;
    for (size_t m; n; n -= m, from += m * from_bytes, to += m * to_bytes) {
        m = n < HLO_LANES_BLOCK ? n : HLO_LANES_BLOCK;
        load(lanes->from, &values, from, m);
        if (rounds_once) {
            store_from_doubles(lanes->to, to, &values, m);
            continue;
        }
        change_carrier(lanes->from, lanes->to, &values, m);
        store(lanes->to, to, &values, m);
        if (hlo_type_is_integral(lanes->to)) hlo_extend_elements(lanes->to, to, m);
    }
}

/* Complex numbers of one size to the other: their parts are the elements. */
static void convert_parts(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_lanes parts = *lanes;
    parts.from = hlo_type_part(lanes->from);
    parts.to = hlo_type_part(lanes->to);
    convert(&parts, out, in, 2 * n);
}

static void same_type(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    if (out != in[0] && n) memcpy(out, in[0], n * hlo_types[lanes->to].bytes);
}

/* ---- pairs of types with a separate loop ---- */

/* NAME, stored as; integers of less than a byte are stored as bytes. */
#define SIGNED(X) X(s8, int8_t) X(s16, int16_t) X(s32, int32_t) X(s64, int64_t)
#define UNSIGNED(X) X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t) X(u64, uint64_t)
#define INTEGERS(X) SIGNED(X) UNSIGNED(X)
#define FLOATS(X) X(f32, float) X(f64, double)

#define DEFINE_LOOP(name, F, T, expression)                                                \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        (void)lanes;                                                                       \
        const F *x = in[0];                                                                \
        T *o = out;                                                                        \
        for (size_t k = 0; k < n; k++) o[k] = (T)(expression);                             \
    }
#define DEFINE_FROM(from, F)                     \
    DEFINE_LOOP(from##_to_8, F, uint8_t, x[k])   \
    DEFINE_LOOP(from##_to_16, F, uint16_t, x[k]) \
    DEFINE_LOOP(from##_to_32, F, uint32_t, x[k]) \
    DEFINE_LOOP(from##_to_64, F, uint64_t, x[k])
#define DEFINE_TO_FLOATS(from, F)               \
    DEFINE_LOOP(from##_to_f32, F, float, x[k])  \
    DEFINE_LOOP(from##_to_f64, F, double, x[k]) \
    DEFINE_LOOP(from##_to_pred, F, uint8_t, x[k] != 0)
INTEGERS(DEFINE_FROM)
INTEGERS(DEFINE_TO_FLOATS)
FLOATS(DEFINE_TO_FLOATS)

/* What floats are cut off to become integers: all of these are numbers of the float type. */
typedef struct {
    double least, largest;
} limits;

static limits limits_of(hlo_type type) {
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    double beyond = ldexp(1, hlo_types[type].bits - is_signed);
    return (limits){is_signed ? -beyond : 0, beyond - 1};
}

/* Nan becomes 0. VIA is signed and has room for all of T. */
#define DEFINE_CUT(name, F, VIA, T)                                                        \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        const limits limit = limits_of(lanes->to);                                         \
        const F least = (F)limit.least, largest = (F)limit.largest, *x = in[0];            \
        T *o = out;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            F value = x[k] < least ? least : x[k];                                         \
            value = value > largest ? largest : value;                                     \
            o[k] = (T)(VIA)(value == value ? value : 0);                                   \
        }                                                                                  \
    }
DEFINE_CUT(f32_cut_8, float, int32_t, uint8_t)
DEFINE_CUT(f32_cut_16, float, int32_t, uint16_t)
DEFINE_CUT(f64_cut_8, double, int32_t, uint8_t)
DEFINE_CUT(f64_cut_16, double, int32_t, uint16_t)
DEFINE_CUT(f64_cut_32, double, int64_t, uint32_t)

/* 2^31 - 1 is no float: the largest one below stands for what does not reach 2^31. */
static void f32_cut_s32(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)lanes;
    const float beyond = 0x1p31f, largest = 0x1.fffffep30f, *x = in[0];
    int32_t *o = out;
    for (size_t k = 0; k < n; k++) {
        float value = x[k] < -beyond ? -beyond : x[k];
        value = value > largest ? largest : value;
        int32_t whole = (int32_t)(value == value ? value : 0);
        o[k] = x[k] >= beyond ? INT32_MAX : whole;
    }
}

typedef struct {
    hlo_lanes_fn *to_8, *to_16, *to_32, *to_64, *to_f32, *to_f64, *to_pred;
} loops;

#define FROM_INTEGER(from)                                                                   \
    {                                                                                        \
        from##_to_8, from##_to_16, from##_to_32, from##_to_64, from##_to_f32, from##_to_f64, \
            from##_to_pred                                                                   \
    }
static const loops loops_from[HLO_TYPE_COUNT] = {
    [HLO_PRED] = FROM_INTEGER(u8),
    [HLO_S1] = FROM_INTEGER(s8),
    [HLO_S2] = FROM_INTEGER(s8),
    [HLO_S4] = FROM_INTEGER(s8),
    [HLO_S8] = FROM_INTEGER(s8),
    [HLO_S16] = FROM_INTEGER(s16),
    [HLO_S32] = FROM_INTEGER(s32),
    [HLO_S64] = FROM_INTEGER(s64),
    [HLO_U1] = FROM_INTEGER(u8),
    [HLO_U2] = FROM_INTEGER(u8),
    [HLO_U4] = FROM_INTEGER(u8),
    [HLO_U8] = FROM_INTEGER(u8),
    [HLO_U16] = FROM_INTEGER(u16),
    [HLO_U32] = FROM_INTEGER(u32),
    [HLO_U64] = FROM_INTEGER(u64),
    [HLO_F32] = {f32_cut_8, f32_cut_16, NULL, NULL, f32_to_f32, f32_to_f64, f32_to_pred},
    [HLO_F64] = {f64_cut_8, f64_cut_16, f64_cut_32, NULL, f64_to_f32, f64_to_f64, f64_to_pred},
};

/* NULL: `convert` knows. */
static hlo_lanes_fn *loop_of(hlo_type from, hlo_type to) {
    const loops *l = &loops_from[from];
    if (to == HLO_PRED) return l->to_pred;
    if (to == HLO_F32) return l->to_f32;
    if (to == HLO_F64) return l->to_f64;
    if (!hlo_type_is_integral(to)) return NULL;
    if (from == HLO_F32 && to == HLO_S32) return f32_cut_s32;
    if (hlo_types[to].bits < 8 && !hlo_type_is_float(from)) return NULL; /* high bits are set */
    switch (hlo_types[to].bytes) {
    case 1: return l->to_8;
    case 2: return l->to_16;
    case 4: return l->to_32;
    default: return l->to_64;
    }
}

/* ---- small floats, which are computed in f32 ---- */

DEFINE_LOOP(bf16_to_f32, uint16_t, float, hlo_bf16_to_f32(x[k]))
DEFINE_LOOP(f16_to_f32, uint16_t, float, hlo_f16_to_f32(x[k]))

/* AT_ONCE numbers, as hlo_f32_to_bf16 and hlo_f32_to_f16 round them; the compiler
 * would narrow what both are computed from, several times. */
#if defined __AVX512F__
enum { AT_ONCE = 16 };
INLINE void round_to_bf16(uint16_t *to, const float *from) {
    __m512i bits = _mm512_loadu_si512(from), high = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    __m512i sign = _mm512_and_si512(high, _mm512_set1_epi32(0x8000));
    __m512i nan = _mm512_or_si512(sign, _mm512_set1_epi32(0x7fc0));
    __m512 value = _mm512_castsi512_ps(bits);
    __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    __m512i chosen = _mm512_mask_mov_epi32(_mm512_srli_epi32(sum, 16), is_nan, nan);
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(chosen));
}
INLINE void round_to_f16(uint16_t *to, const float *from) {
    __m256i rounded = _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256((__m256i *)to, rounded);
}
#elif defined __AVX2__
enum { AT_ONCE = 16 };
INLINE __m256i rounded_8(const float *from) {
    __m256 value = _mm256_loadu_ps(from);
    __m256i bits = _mm256_castps_si256(value), high = _mm256_srli_epi32(bits, 16);
    __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    __m256i sign = _mm256_and_si256(high, _mm256_set1_epi32(0x8000));
    __m256i nan = _mm256_or_si256(sign, _mm256_set1_epi32(0x7fc0));
    __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16), nan, is_nan);
}
INLINE void round_to_bf16(uint16_t *to, const float *from) {
    __m256i mixed = _mm256_packus_epi32(rounded_8(from), rounded_8(from + 8));
    _mm256_storeu_si256((__m256i *)to, _mm256_permute4x64_epi64(mixed, 0xd8));
}
#endif

DEFINE_LOOP(f32_to_bf16_rest, float, uint16_t, hlo_f32_to_bf16(x[k]))
DEFINE_LOOP(f32_to_f16_rest, float, uint16_t, hlo_f32_to_f16(x[k]))

#define DEFINE_ROUNDING(name, round)                                                       \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        const float *x = in[0];                                                            \
        uint16_t *o = out;                                                                 \
        size_t k = 0;                                                                      \
        for (; k + AT_ONCE <= n; k += AT_ONCE) round(o + k, x + k);                        \
        if (k < n) name##_rest(lanes, o + k, (const void *[]){x + k}, n - k);              \
    }
#if defined __AVX2__
DEFINE_ROUNDING(f32_to_bf16, round_to_bf16)
#else
#define f32_to_bf16 f32_to_bf16_rest
#endif
#if defined __AVX512F__
DEFINE_ROUNDING(f32_to_f16, round_to_f16)
#else
#define f32_to_f16 f32_to_f16_rest
#endif

static void bytes_to_f32(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_floats_to_f32(hlo_type_float_format(lanes->from), in[0], out, n);
}

/* How f32 is rounded to a format of one byte, in integer arithmetic. */
typedef struct {
    uint32_t dropped;        /* mantissa bits */
    uint32_t rebias, normal; /* exponents' difference, least normal number: as f32 has them */
    float magic;             /* its ulp is the step of subnormal numbers */
    uint32_t sign, max_finite, overflow, nan;
    uint32_t overflow_sign, nan_sign, zero_sign; /* `sign` where the value has one, else 0 */
} rounding;

static rounding rounding_of(const hlo_float_format *f) {
    bool is_ieee = f->specials == HLO_FLOAT_IEEE, is_fnuz = f->specials == HLO_FLOAT_FNUZ;
    uint32_t sign = (uint32_t)f->sign, max = (uint32_t)f->max_finite, nan = (uint32_t)f->nan;
    return (rounding){
        .dropped = 23u - f->mantissa_bits,
        .rebias = (uint32_t)(127 - f->bias) << 23,
        .normal = (uint32_t)(128 - f->bias) << 23,
        .magic = ldexpf(1, 24 - f->bias - f->mantissa_bits),
        .sign = sign,
        .max_finite = max,
        .overflow = is_ieee                           ? max + 1
                    : f->specials == HLO_FLOAT_FINITE ? max
                                                      : nan,
        .nan = nan,
        .overflow_sign = is_fnuz ? 0 : sign,
        .nan_sign = is_fnuz ? 0 : sign,
        .zero_sign = is_fnuz ? 0 : sign,
    };
}

static inline uint32_t round_to_byte(const rounding *r, float value) {
    uint32_t bits = hlo_f32_bits(value), magnitude = bits & 0x7fffffff;
    uint32_t half = (UINT32_C(1) << (r->dropped - 1)) - 1, odd = magnitude >> r->dropped & 1;
    uint32_t normal = (magnitude - r->rebias + half + odd) >> r->dropped;
    uint32_t small = hlo_f32_bits(hlo_f32_from_bits(magnitude) + r->magic) - hlo_f32_bits(r->magic);
    uint32_t finite = magnitude < r->normal ? small : normal;
    uint32_t sign = bits >> 31 ? UINT32_MAX : 0;
    uint32_t signed_finite = finite | (sign & (finite ? r->sign : r->zero_sign));
    uint32_t ordered =
        finite > r->max_finite ? r->overflow | (sign & r->overflow_sign) : signed_finite;
    return magnitude > 0x7f800000 ? r->nan ^ (sign & r->nan_sign) : ordered;
}

static void f32_to_bytes(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    const hlo_float_format *format = hlo_type_float_format(lanes->to);
    const rounding r = rounding_of(format);
    const float *x = in[0];
    uint8_t *o = out;
    if (format->specials == HLO_FLOAT_SCALE) hlo_floats_from_f32(format, x, out, n);
    else
        for (size_t k = 0; k < n; k++) o[k] = (uint8_t)round_to_byte(&r, x[k]);
}

static hlo_lanes_fn *small_to_f32(hlo_type type) {
    return type == HLO_BF16 ? bf16_to_f32 : type == HLO_F16 ? f16_to_f32 : bytes_to_f32;
}

static hlo_lanes_fn *f32_to_small(hlo_type type) {
    return type == HLO_BF16 ? f32_to_bf16 : type == HLO_F16 ? f32_to_f16 : f32_to_bytes;
}

/* From or to a small float, by way of f32. */
static void convert_by_f32(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_lanes first = {.from = lanes->from, .to = HLO_F32},
              second = {.from = HLO_F32, .to = lanes->to};
    hlo_lanes_fn *decode = HLO_LANES_PART(convert)(first.from, first.to);
    hlo_lanes_fn *encode = HLO_LANES_PART(convert)(second.from, second.to);
    size_t from_bytes = hlo_types[lanes->from].bytes, to_bytes = hlo_types[lanes->to].bytes;
    float values[HLO_LANES_BLOCK];
    for (size_t at = 0, m; at < n; at += m) {
        m = n - at < HLO_LANES_BLOCK ? n - at : HLO_LANES_BLOCK;
        decode(&first, values, (const void *[]){(const char *)in[0] + at * from_bytes}, m);
        encode(&second, (char *)out + at * to_bytes, (const void *[]){values}, m);
    }
}

hlo_lanes_fn *HLO_LANES_PART(convert)(hlo_type from, hlo_type to) {
    if (!hlo_type_is_array(from) || !hlo_type_is_array(to)) return NULL;
    if (from == to) return same_type;
    if (hlo_type_is_complex(from)) return hlo_type_is_complex(to) ? convert_parts : convert;
    if (hlo_type_is_complex(to)) return convert;
    bool decodes = hlo_type_is_small_float(from), encodes = hlo_type_is_small_float(to);
    if (decodes && to == HLO_F32) return small_to_f32(from);
    if (encodes && from == HLO_F32) return f32_to_small(to);
    if (encodes && from == HLO_F64) return convert; /* rounded once */
    if (decodes || encodes) return convert_by_f32;
    hlo_lanes_fn *loop = loop_of(from, to);
    return loop ? loop : convert;
}
