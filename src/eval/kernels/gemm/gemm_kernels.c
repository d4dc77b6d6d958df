/* The inner parts of matrix products, see gemm_kernels.h: templates for each type of sums
 * (gemm_tile.inc) and of stored elements (gemm_storage.inc; pairs and complex
 * numbers: gemm_units.inc). Compiled for each instruction set; products and sums are fused here. */
#include "eval/kernels/gemm/gemm_kernels.h"

#include <string.h>

#include "base/floats.h"
#include "eval/kernel/vectors.h"

/* The registers' number, for a tile of two vectors by ROWS. */
#if defined __AVX512F__ || !defined __x86_64__
enum { ROWS = 8 };
#else
enum { ROWS = 6 };
#endif

#define NAME(word) JOIN(word, SUMS)

/* The width of the strip that begins at column j. */
INLINE int64_t strip_width(int64_t j, int64_t columns, int64_t lanes) {
    return columns - j <= lanes ? lanes : 2 * lanes;
}

/* Columns of an inner product that meet a row at once: their sums, four vectors each, are in
 * registers. */
#if defined __AVX512F__
enum { DOTS_AT_ONCE = 4 };
#else
enum { DOTS_AT_ONCE = 2 };
#endif

enum { STRIPS_AT_ONCE = 4 };

enum { HALVINGS = 5 }; /* more than halve any vector to one lane */

#if !defined __clang__
/* Constants of vector types: shuffles by what is computed from them get immediate operands. */
#if VECTOR_BYTES == 64
#define NUMBERS_32 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define NUMBERS_64 0, 1, 2, 3, 4, 5, 6, 7
#elif VECTOR_BYTES == 32
#define NUMBERS_32 0, 1, 2, 3, 4, 5, 6, 7
#define NUMBERS_64 0, 1, 2, 3
#else
#define NUMBERS_32 0, 1, 2, 3
#define NUMBERS_64 0, 1
#endif
static const int32_t numbers_32 __attribute__((vector_size(VECTOR_BYTES))) = {NUMBERS_32};
static const int64_t numbers_64 __attribute__((vector_size(VECTOR_BYTES))) = {NUMBERS_64};
#endif

/* ---- sums ---- */

#define SUMS f32
#define T float
#include "eval/kernels/gemm/gemm_tile.inc"
#undef SUMS
#undef T

#define SUMS f64
#define T double
#include "eval/kernels/gemm/gemm_tile.inc"
#undef SUMS
#undef T

#define SUMS s32
#define T uint32_t
#include "eval/kernels/gemm/gemm_tile.inc"
#undef SUMS
#undef T

#define SUMS s64
#define T uint64_t
#include "eval/kernels/gemm/gemm_tile.inc"
#undef SUMS
#undef T

/* ---- stored elements ---- */

/* LOAD(p): the element at p as a T; LOAD_VECTOR(p): those from p on as a vector. */
#define STORED f32
#define SUMS f32
#define T float
#define S float
#define LOAD(p) (*(p))
#define LOAD_VECTOR(p) (*(const NAME(loose) *)(p))
#include "eval/kernels/gemm/gemm_storage.inc"

#define STORED f64
#define SUMS f64
#define T double
#define S double
#define LOAD(p) (*(p))
#define LOAD_VECTOR(p) (*(const NAME(loose) *)(p))
#include "eval/kernels/gemm/gemm_storage.inc"

#define STORED s32
#define SUMS s32
#define T uint32_t
#define S uint32_t
#define LOAD(p) (*(p))
#define LOAD_VECTOR(p) (*(const NAME(loose) *)(p))
#include "eval/kernels/gemm/gemm_storage.inc"

#define STORED s64
#define SUMS s64
#define T uint64_t
#define S uint64_t
#define LOAD(p) (*(p))
#define LOAD_VECTOR(p) (*(const NAME(loose) *)(p))
#include "eval/kernels/gemm/gemm_storage.inc"

/* As many 16-bit elements as a vector of f32 has. */
typedef uint16_t loose_halves __attribute__((vector_size(VECTOR_BYTES / 2), aligned(2), may_alias));
typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));

INLINE vector_f32 load_bf16(const uint16_t *p) {
    return (vector_f32)(__builtin_convertvector(*(const loose_halves *)p, words) << 16);
}

#define STORED bf16
#define SUMS f32
#define T float
#define S uint16_t
#define CONVERTS 1
#define LOAD(p) hlo_f32_from_bits((uint32_t)(p)[0] << 16)
#define LOAD_VECTOR(p) load_bf16(p)
#include "eval/kernels/gemm/gemm_storage.inc"

/* The exponent of f16 is brought to that of f32 by a product, which makes numbers of subnormals;
 * infinities and NaNs get the exponent that they have there. */
INLINE vector_f32 widen_f16(words halves) {
    words magnitude = halves & 0x7fff;
    vector_f32 scaled = (vector_f32)(magnitude << 13) * 0x1p112f;
    words special = (words)(magnitude >= 0x7c00) & 0x7f800000;
    return (vector_f32)((words)scaled | special | (halves & 0x8000) << 16);
}

INLINE float load_one_f16(const uint16_t *p) {
    uint32_t magnitude = *p & 0x7fffu, word;
    float scaled = hlo_f32_from_bits(magnitude << 13) * 0x1p112f;
    memcpy(&word, &scaled, sizeof word);
    return hlo_f32_from_bits(word | (magnitude >= 0x7c00 ? 0x7f800000u : 0) | (*p & 0x8000u) << 16);
}

#define STORED f16
#define SUMS f32
#define T float
#define S uint16_t
#define CONVERTS 1
#define LOAD(p) load_one_f16(p)
#define LOAD_VECTOR(p) widen_f16(__builtin_convertvector(*(const loose_halves *)(p), words))
#include "eval/kernels/gemm/gemm_storage.inc"

#include "eval/kernels/gemm/gemm_units.inc"

/* ---- the set ---- */

static const hlo_gemm_kernels *kernels_of(hlo_type sums) {
    switch (sums) {
    case HLO_F32: return &kernels_f32;
    case HLO_F64: return &kernels_f64;
    case HLO_S32: return &kernels_s32;
    default: return &kernels_s64;
    }
}

static const hlo_gemm_storage *storage_of(hlo_type stored, hlo_type sums) {
    switch (stored) {
    case HLO_F32: return &storage_f32_f32;
    case HLO_BF16: return &storage_bf16_f32;
    case HLO_F16: return &storage_f16_f32;
    case HLO_F64: return &storage_f64_f64;
    case HLO_C64: return &storage_c64_f32;
    case HLO_C128: return &storage_c128_f64;
    default: return sums == HLO_S32 ? &storage_s32_s32 : &storage_s64_s64;
    }
}

static hlo_gemm_pairs pairs_of(hlo_type stored) {
    return stored == HLO_S16 ? PAIRS_OF_S16 : (hlo_gemm_pairs){0};
}

/* As many chains as hide the latency of an addition, in registers. */
enum { CHAINS = 12 };

static double multiply_adds(int64_t rounds) {
    vector_f32 sums[CHAINS] = {{0}}, factor = {0};
    __asm__ volatile("" : "+m"(factor));
    for (int64_t n = 0; n < rounds; n++) {
        UNROLL for (int c = 0; c < CHAINS; c++) sums[c] = sums[c] * factor + factor;
    }
    __asm__ volatile("" : : "m"(sums));
    return 2.0 * CHAINS * (double)rounds * VECTOR_BYTES / sizeof(float);
}

const hlo_gemm_set HLO_LANES_PART(gemm) = {kernels_of, storage_of, pairs_of, multiply_adds};

#if defined HAS_BF16_PAIRS
static hlo_gemm_pairs pairs_of_both(hlo_type stored) {
    return stored == HLO_BF16 ? PAIRS_OF_BF16 : pairs_of(stored);
}

const hlo_gemm_set hlo_lanes_gemm_avx512_bf16 = {kernels_of, storage_of, pairs_of_both,
                                                 multiply_adds};
#endif
