/* The inner loops of reductions, see fold_kernels.h: a template (fold_kernels.inc) for each
 * operation, type of elements and type of accumulators. Compiled for each instruction set. */
#include "eval/kernels/reduce/fold_kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/floats.h"
#include "eval/kernel/vectors.h"

/* Accumulators of long and of short rows, the same in every set; rows that are read at once. */
enum {
    LONG_BYTES = 256,
    SHORT_BYTES = 64,
    MOST_VECTORS = LONG_BYTES / VECTOR_BYTES,
    STREAMS = HLO_FOLD_ADDED
};
/* Sums of f32 in f64: so many rows of so many numbers are added in f32 first, the same in every
 * set; numbers of a vector. */
enum { GROUP_ROWS = HLO_FOLD_ADDED, GROUP_LANES = LONG_BYTES / 8, FLOATS = VECTOR_BYTES / 4 };

#define JOIN3_(a, b, c) a##_##b##_##c
#define JOIN3(a, b, c) JOIN3_(a, b, c)

/* ---- vectors ---- */

/* Lane i ^ half as lane i; `places` are of integers I. */
#if defined __clang__
#define EXCHANGE(name, I)                                                               \
    vector_##name other;                                                                \
    for (int i = 0; i < VECTOR_BYTES / (int)sizeof(I); i++) other[i] = lanes[i ^ half]; \
    return other;
#else
#define NUMBERS                                                                                   \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, \
        26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,   \
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
static const int8_t numbers_int8_t[] = {NUMBERS};
static const int16_t numbers_int16_t[] = {NUMBERS};
static const int32_t numbers_int32_t[] = {NUMBERS};
static const int64_t numbers_int64_t[] = {NUMBERS};
#define EXCHANGE(name, I)                        \
    places_##name places;                        \
    memcpy(&places, numbers_##I, sizeof places); \
    return __builtin_shuffle(lanes, places ^ (I)half);
#endif

/* `places`: what comparisons give, and numbers of lanes. Lane i of `exchanged` is lane i ^ half. */
#define DEFINE_VECTOR(name, T, I)                                                             \
    typedef T vector_##name __attribute__((vector_size(VECTOR_BYTES)));                       \
    typedef T loose_##name __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias)); \
    typedef I places_##name __attribute__((vector_size(VECTOR_BYTES)));                       \
    INLINE vector_##name exchanged_##name(vector_##name lanes, const int half) {              \
        EXCHANGE(name, I)                                                                     \
    }
DEFINE_VECTOR(f32, float, int32_t)
DEFINE_VECTOR(f64, double, int64_t)
DEFINE_VECTOR(s8, int8_t, int8_t)
DEFINE_VECTOR(s16, int16_t, int16_t)
DEFINE_VECTOR(s32, int32_t, int32_t)
DEFINE_VECTOR(s64, int64_t, int64_t)
DEFINE_VECTOR(u8, uint8_t, int8_t)
DEFINE_VECTOR(u16, uint16_t, int16_t)
DEFINE_VECTOR(u32, uint32_t, int32_t)
DEFINE_VECTOR(u64, uint64_t, int64_t)

/* ---- maximum and minimum of floats: nan wins; +0 is above -0 ---- */

/* As the processor has them: b of equal numbers, and where there is a nan. */
#if defined __AVX512F__
#define INTRINSIC(word) _mm512_##word
typedef __m512 register_f32;
typedef __m512d register_f64;
#elif defined __AVX2__
#define INTRINSIC(word) _mm256_##word
typedef __m256 register_f32;
typedef __m256d register_f64;
#elif defined __SSE2__
#define INTRINSIC(word) _mm_##word
typedef __m128 register_f32;
typedef __m128d register_f64;
#endif
#if defined INTRINSIC
#define CHOOSE(name, word, suffix, relation) \
    return (vector_##name)INTRINSIC(word##_##suffix)((register_##name)a, (register_##name)b);
#else
#define CHOOSE(name, word, suffix, relation)                                        \
    places_##name first = a relation b, p = (places_##name)a, q = (places_##name)b; \
    return (vector_##name)((first & p) | (~first & q));
#endif
#define DEFINE_ORDERED(name, suffix)                                                        \
    INLINE vector_##name greater_##name(vector_##name a, vector_##name b){                  \
        CHOOSE(name, max, suffix, >)} INLINE vector_##name lesser_##name(vector_##name a,   \
                                                                         vector_##name b) { \
        CHOOSE(name, min, suffix, <)                                                        \
    }
DEFINE_ORDERED(f32, ps)
DEFINE_ORDERED(f64, pd)

/* Which lanes are nan; whether any is. */
#if defined __AVX512F__
typedef __mmask16 nans_f32;
typedef __mmask8 nans_f64;
#define DEFINE_NANS(name, suffix)                                          \
    INLINE nans_##name nans_of_##name(vector_##name a) {                   \
        register_##name lanes = (register_##name)a;                        \
        return INTRINSIC(cmp_##suffix##_mask)(lanes, lanes, _CMP_UNORD_Q); \
    }                                                                      \
    INLINE bool is_any_##name(nans_##name nans) {                          \
        return nans != 0;                                                  \
    }
#else
typedef places_f32 nans_f32;
typedef places_f64 nans_f64;
#define DEFINE_NANS(name, suffix)                                                  \
    INLINE nans_##name nans_of_##name(vector_##name a) {                           \
        return a != a;                                                             \
    }                                                                              \
    INLINE bool is_any_##name(nans_##name nans) {                                  \
        int64_t words[VECTOR_BYTES / 8], all = 0;                                  \
        memcpy(words, &nans, sizeof words);                                        \
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) all |= words[k]; \
        return all != 0;                                                           \
    }
#endif
DEFINE_NANS(f32, ps)
DEFINE_NANS(f64, pd)

/* Equal numbers differ in the sign of zero at most. */
#define DEFINE_EXTREMES(name, T)                                                   \
    INLINE T maximum_##name(T a, T b) {                                            \
        if (a > b || a != a) return a;                                             \
        return b > a || b != b || signbit(a) ? b : a;                              \
    }                                                                              \
    INLINE T minimum_##name(T a, T b) {                                            \
        if (a < b || a != a) return a;                                             \
        return b < a || b != b || !signbit(a) ? b : a;                             \
    }                                                                              \
    INLINE vector_##name maximum_vector_##name(vector_##name a, vector_##name b) { \
        places_##name nan = a != a, equal = a == b, p = (places_##name)a;          \
        places_##name r = (places_##name)greater_##name(a, b) & (~equal | p);      \
        return (vector_##name)((nan & p) | (~nan & r));                            \
    }                                                                              \
    INLINE vector_##name minimum_vector_##name(vector_##name a, vector_##name b) { \
        places_##name nan = a != a, equal = a == b, p = (places_##name)a;          \
        places_##name r = (places_##name)lesser_##name(a, b) | (equal & p);        \
        return (vector_##name)((nan & p) | (~nan & r));                            \
    }
DEFINE_EXTREMES(f32, float)
DEFINE_EXTREMES(f64, double)

#define DEFINE_CHOICE(name)                                                                     \
    INLINE vector_##name choose_##name(places_##name first, vector_##name a, vector_##name b) { \
        return (vector_##name)((first & (places_##name)a) | (~first & (places_##name)b));       \
    }
DEFINE_CHOICE(s8)
DEFINE_CHOICE(s16)
DEFINE_CHOICE(s32)
DEFINE_CHOICE(s64)
DEFINE_CHOICE(u8)
DEFINE_CHOICE(u16)
DEFINE_CHOICE(u32)
DEFINE_CHOICE(u64)

/* ---- elements as accumulators ---- */

typedef float floats_f64 __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef float singles_f64 __attribute__((vector_size(VECTOR_BYTES / 2), aligned(1), may_alias));
typedef uint32_t words_f64 __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint16_t halves_f64 __attribute__((vector_size(VECTOR_BYTES / 4), aligned(1), may_alias));
typedef uint32_t words_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t halves_f32 __attribute__((vector_size(VECTOR_BYTES / 2), aligned(1), may_alias));
typedef float floats_f32 __attribute__((vector_size(VECTOR_BYTES)));

/* Where there is one instruction for it, the compiler would do it by halves. */
#if defined __AVX512F__
INLINE vector_f64 doubles_of(floats_f64 floats) {
    return (vector_f64)_mm512_cvtps_pd((__m256)floats);
}
INLINE words_f64 words_of_f64(const uint16_t *halves) {
    return (words_f64)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)halves));
}
INLINE words_f32 words_of_f32(const uint16_t *halves) {
    return (words_f32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)halves));
}
#else
INLINE vector_f64 doubles_of(floats_f64 floats) {
    return __builtin_convertvector(floats, vector_f64);
}
INLINE words_f64 words_of_f64(const uint16_t *halves) {
    return __builtin_convertvector(*(const halves_f64 *)halves, words_f64);
}
#if defined __AVX2__
INLINE words_f32 words_of_f32(const uint16_t *halves) {
    return (words_f32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)halves));
}
#else
INLINE words_f32 words_of_f32(const uint16_t *halves) {
    return __builtin_convertvector(*(const halves_f32 *)halves, words_f32);
}
#endif
#endif

/* Halves of the lanes of f32. */
#if defined __AVX512F__
INLINE floats_f64 low_half(vector_f32 lanes) {
    return (floats_f64)_mm512_castps512_ps256((__m512)lanes);
}
INLINE floats_f64 high_half(vector_f32 lanes) {
    return (floats_f64)_mm512_extractf32x8_ps((__m512)lanes, 1);
}
#elif defined __AVX2__
INLINE floats_f64 low_half(vector_f32 lanes) {
    return (floats_f64)_mm256_castps256_ps128((__m256)lanes);
}
INLINE floats_f64 high_half(vector_f32 lanes) {
    return (floats_f64)_mm256_extractf128_ps((__m256)lanes, 1);
}
#else
INLINE floats_f64 half_at(vector_f32 lanes, size_t at) {
    floats_f64 half;
    memcpy(&half, (const char *)&lanes + at, sizeof half);
    return half;
}
INLINE floats_f64 low_half(vector_f32 lanes) {
    return half_at(lanes, 0);
}
INLINE floats_f64 high_half(vector_f32 lanes) {
    return half_at(lanes, sizeof(floats_f64));
}
#endif

INLINE float float_of_bf16(const uint16_t *p) {
    return hlo_f32_from_bits((uint32_t)*p << 16);
}

/* The exponent of f16 is brought to that of f32 by a product, which makes numbers of subnormals;
 * infinities and NaNs get the exponent that they have there. */
INLINE float float_of_f16(const uint16_t *p) {
    uint32_t magnitude = *p & 0x7fffu, word;
    float scaled = hlo_f32_from_bits(magnitude << 13) * 0x1p112f;
    memcpy(&word, &scaled, sizeof word);
    return hlo_f32_from_bits(word | (magnitude >= 0x7c00 ? 0x7f800000u : 0) | (*p & 0x8000u) << 16);
}

#define DEFINE_HALVES(A)                                                            \
    INLINE floats_##A floats_of_bf16_##A(const uint16_t *p) {                       \
        return (floats_##A)(words_of_##A(p) << 16);                                 \
    }                                                                               \
    INLINE floats_##A floats_of_f16_##A(const uint16_t *p) {                        \
        words_##A halves = words_of_##A(p);                                         \
        words_##A magnitude = halves & 0x7fff;                                      \
        floats_##A scaled = (floats_##A)(magnitude << 13) * 0x1p112f;               \
        words_##A special = (words_##A)(magnitude >= 0x7c00) & 0x7f800000;          \
        return (floats_##A)((words_##A)scaled | special | (halves & 0x8000) << 16); \
    }
DEFINE_HALVES(f32)
DEFINE_HALVES(f64)

/* ---- all of them ---- */

#define OWN(p) (*(p))
#define OWN_VECTOR(p) (*(const JOIN(loose, A) *)(p))

#define FROM f64
#define A f64
#define T double
#define S double
#define LOAD OWN
#define LOAD_VECTOR OWN_VECTOR
#define ADDS
#define COMPARES
#include "eval/kernels/reduce/fold_floats.inc"

#define FROM f32
#define A f64
#define T double
#define S float
#define LOAD OWN
#define LOAD_VECTOR(p) doubles_of(*(const singles_f64 *)(p))
#define LOAD_FLOATS(p) (*(const loose_f32 *)(p))
#define ADDS
#include "eval/kernels/reduce/fold_floats.inc"

#define FROM bf16
#define A f64
#define T double
#define S uint16_t
#define LOAD float_of_bf16
#define LOAD_VECTOR(p) doubles_of(floats_of_bf16_f64(p))
#define LOAD_FLOATS(p) (vector_f32) floats_of_bf16_f32(p)
#define ADDS
#include "eval/kernels/reduce/fold_floats.inc"

#define FROM f16
#define A f64
#define T double
#define S uint16_t
#define LOAD float_of_f16
#define LOAD_VECTOR(p) doubles_of(floats_of_f16_f64(p))
#define LOAD_FLOATS(p) (vector_f32) floats_of_f16_f32(p)
#define ADDS
#include "eval/kernels/reduce/fold_floats.inc"

/* Elements are squared before they are added, as f32. */
INLINE float square_of(const float *p) {
    return *p * *p;
}
INLINE floats_f64 squares_f64(const float *p) {
    floats_f64 lanes = *(const singles_f64 *)p;
    return lanes * lanes;
}
INLINE vector_f32 squares_f32(const float *p) {
    vector_f32 lanes = *(const loose_f32 *)p;
    return lanes * lanes;
}
#define FROM squares
#define A f64
#define T double
#define S float
#define LOAD square_of
#define LOAD_VECTOR(p) doubles_of(squares_f64(p))
#define LOAD_FLOATS squares_f32
#define ADDS
#include "eval/kernels/reduce/fold_floats.inc"

/* Sums of f32 are the parts of complex numbers. */
#define FROM f32
#define A f32
#define T float
#define S float
#define LOAD OWN
#define LOAD_VECTOR OWN_VECTOR
#define ADDS
#define COMPARES
#include "eval/kernels/reduce/fold_floats.inc"

#define FROM bf16
#define A f32
#define T float
#define S uint16_t
#define LOAD float_of_bf16
#define LOAD_VECTOR floats_of_bf16_f32
#define COMPARES
#include "eval/kernels/reduce/fold_floats.inc"

#define FROM f16
#define A f32
#define T float
#define S uint16_t
#define LOAD float_of_f16
#define LOAD_VECTOR floats_of_f16_f32
#define COMPARES
#include "eval/kernels/reduce/fold_floats.inc"

#define A u8
#define T uint8_t
#define IS_UNSIGNED
#include "eval/kernels/reduce/fold_integers.inc"
#define A u16
#define T uint16_t
#define IS_UNSIGNED
#include "eval/kernels/reduce/fold_integers.inc"
#define A u32
#define T uint32_t
#define IS_UNSIGNED
#include "eval/kernels/reduce/fold_integers.inc"
#define A u64
#define T uint64_t
#define IS_UNSIGNED
#include "eval/kernels/reduce/fold_integers.inc"
#define A s8
#define T int8_t
#include "eval/kernels/reduce/fold_integers.inc"
#define A s16
#define T int16_t
#include "eval/kernels/reduce/fold_integers.inc"
#define A s32
#define T int32_t
#include "eval/kernels/reduce/fold_integers.inc"
#define A s64
#define T int64_t
#include "eval/kernels/reduce/fold_integers.inc"

/* ---- the set ---- */

typedef enum { SUM, PRODUCT, GREATEST, LEAST, ALL, ANY, ODD, OPERATIONS } operation;

#define EXTREMES(from, type) \
    [GREATEST] = &maximum_##from##_##type, [LEAST] = &minimum_##from##_##type
#define FLOATS(from, type) [PRODUCT] = &multiply_##from##_##type, EXTREMES(from, type)
#define BITS(type)                                                       \
    [SUM] = &add_##type##_##type, [PRODUCT] = &multiply_##type##_##type, \
    [ALL] = &and_##type##_##type, [ANY] = &or_##type##_##type, [ODD] = &xor_##type##_##type

/* By type of elements: in accumulators of a wider type, and of the same type. */
static const hlo_fold_kernels *const in_wider[HLO_TYPE_COUNT][OPERATIONS] = {
    [HLO_F32] = {[SUM] = &add_f32_f64},
    [HLO_BF16] = {[SUM] = &add_bf16_f64, FLOATS(bf16, f32)},
    [HLO_F16] = {[SUM] = &add_f16_f64, FLOATS(f16, f32)},
};
static const hlo_fold_kernels *const in_own[HLO_TYPE_COUNT][OPERATIONS] = {
    [HLO_F64] = {[SUM] = &add_f64_f64, FLOATS(f64, f64)},
    [HLO_F32] = {[SUM] = &add_f32_f32, FLOATS(f32, f32)},
    [HLO_U8] = {BITS(u8), EXTREMES(u8, u8)},
    [HLO_U16] = {BITS(u16), EXTREMES(u16, u16)},
    [HLO_U32] = {BITS(u32), EXTREMES(u32, u32)},
    [HLO_U64] = {BITS(u64), EXTREMES(u64, u64)},
    [HLO_S8] = {BITS(u8), EXTREMES(s8, s8)},
    [HLO_S16] = {BITS(u16), EXTREMES(s16, s16)},
    [HLO_S32] = {BITS(u32), EXTREMES(s32, s32)},
    [HLO_S64] = {BITS(u64), EXTREMES(s64, s64)},
    /* Bytes of 0 and 1: or is their sum, and their product. */
    [HLO_PRED] = {[SUM] = &or_u8_u8,
                  [ANY] = &or_u8_u8,
                  [GREATEST] = &or_u8_u8,
                  [PRODUCT] = &and_u8_u8,
                  [ALL] = &and_u8_u8,
                  [LEAST] = &and_u8_u8,
                  [ODD] = &xor_u8_u8},
};

static operation operation_of(hlo_opcode opcode) {
    switch (opcode) {
    case HLO_OP_ADD: return SUM;
    case HLO_OP_MULTIPLY: return PRODUCT;
    case HLO_OP_MAXIMUM: return GREATEST;
    case HLO_OP_MINIMUM: return LEAST;
    case HLO_OP_AND: return ALL;
    case HLO_OP_OR: return ANY;
    case HLO_OP_XOR: return ODD;
    default: return OPERATIONS;
    }
}

static const hlo_fold_kernels *kernels_of(hlo_opcode opcode, hlo_type from, hlo_type type) {
    operation of = operation_of(opcode);
    if (of == OPERATIONS) return NULL;
    return (from == type ? in_own : in_wider)[from][of];
}

const hlo_fold_set HLO_LANES_PART(fold) = {kernels_of, &add_squares_f64};
