/* The inner parts of kernels that move elements, see move_kernels.h. Compiled for each instruction
 * set. */
#include "eval/kernels/moves/move_kernels.h"

#include <string.h>

#include "eval/kernel/vectors.h"

enum { LINE = 64 }; /* bytes of the memory that is fetched and stored at once */

/* ---- vectors ---- */

#if defined __AVX512F__
typedef __m512i vector;
#define WIDTH(instruction) _mm512_##instruction
INLINE vector load_parts(const char *from, int64_t stride) {
    vector v = _mm512_castsi128_si512(_mm_load_si128((const __m128i *)from));
    v = _mm512_inserti32x4(v, _mm_load_si128((const __m128i *)(from + stride)), 1);
    v = _mm512_inserti32x4(v, _mm_load_si128((const __m128i *)(from + 2 * stride)), 2);
    return _mm512_inserti32x4(v, _mm_load_si128((const __m128i *)(from + 3 * stride)), 3);
}
INLINE vector load_vector(const char *from) {
    return _mm512_loadu_si512(from);
}
INLINE void put_vector(char *to, vector v, bool streams) {
    if (streams) _mm512_stream_si512((void *)to, v);
    else _mm512_storeu_si512(to, v);
}
#elif defined __AVX2__
typedef __m256i vector;
#define WIDTH(instruction) _mm256_##instruction
INLINE vector load_parts(const char *from, int64_t stride) {
    vector v = _mm256_castsi128_si256(_mm_load_si128((const __m128i *)from));
    return _mm256_inserti128_si256(v, _mm_load_si128((const __m128i *)(from + stride)), 1);
}
INLINE vector load_vector(const char *from) {
    return _mm256_loadu_si256((const vector *)from);
}
INLINE void put_vector(char *to, vector v, bool streams) {
    if (streams) _mm256_stream_si256((vector *)to, v);
    else _mm256_storeu_si256((vector *)to, v);
}
#elif defined __SSE2__
typedef __m128i vector;
#define WIDTH(instruction) _mm_##instruction
INLINE vector load_parts(const char *from, int64_t stride) {
    (void)stride;
    return _mm_load_si128((const vector *)from);
}
INLINE vector load_vector(const char *from) {
    return _mm_loadu_si128((const vector *)from);
}
INLINE void put_vector(char *to, vector v, bool streams) {
    if (streams) _mm_stream_si128((vector *)to, v);
    else _mm_storeu_si128((vector *)to, v);
}
#endif

/* ---- cells ---- */

#define BYTES 1
#if defined __SSE2__
#define LOW WIDTH(unpacklo_epi8)
#define HIGH WIDTH(unpackhi_epi8)
#endif
#include "eval/kernels/moves/move_cell.inc"

#define BYTES 2
#if defined __SSE2__
#define LOW WIDTH(unpacklo_epi16)
#define HIGH WIDTH(unpackhi_epi16)
#endif
#include "eval/kernels/moves/move_cell.inc"

#define BYTES 4
#if defined __SSE2__
#define LOW WIDTH(unpacklo_epi32)
#define HIGH WIDTH(unpackhi_epi32)
#endif
#include "eval/kernels/moves/move_cell.inc"

#define BYTES 8
#if defined __SSE2__
#define LOW WIDTH(unpacklo_epi64)
#define HIGH WIDTH(unpackhi_epi64)
#endif
#include "eval/kernels/moves/move_cell.inc"

#define BYTES 16
#include "eval/kernels/moves/move_cell.inc"

/* ---- rows of neighbours ---- */

#define DEFINE_SHORT_ROWS(most)                                                    \
    static void short_rows_##most(char *to, int64_t to_stride, const char *from,   \
                                  int64_t from_stride, int64_t bytes, int64_t n) { \
        const int64_t second = bytes - (most) / 2; /* overlaps the first half */   \
        for (int64_t i = 0; i < n; i++, to += to_stride, from += from_stride) {    \
            char halves[most];                                                     \
            memcpy(halves, from, (most) / 2);                                      \
            memcpy(halves + (most) / 2, from + second, (most) / 2);                \
            memcpy(to, halves, (most) / 2);                                        \
            memcpy(to + second, halves + (most) / 2, (most) / 2);                  \
        }                                                                          \
    }
DEFINE_SHORT_ROWS(2)
DEFINE_SHORT_ROWS(4)
DEFINE_SHORT_ROWS(8)
DEFINE_SHORT_ROWS(16)
DEFINE_SHORT_ROWS(32)
DEFINE_SHORT_ROWS(64)
DEFINE_SHORT_ROWS(128)

static void rows(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t bytes,
                 int64_t n) {
    static void (*const short_rows[])(char *, int64_t, const char *, int64_t, int64_t, int64_t) = {
        short_rows_2,  short_rows_2,  short_rows_4,  short_rows_8,
        short_rows_16, short_rows_32, short_rows_64, short_rows_128};
    if (bytes <= 0) return;
    if (bytes <= 128) { /* by the power of two that is not below */
        int power = bytes == 1 ? 0 : 64 - __builtin_clzll((uint64_t)bytes - 1);
        short_rows[power](to, to_stride, from, from_stride, bytes, n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_stride, from + i * from_stride, (size_t)bytes);
}

/* ---- neighbours, in lines ---- */

INLINE void copy_lines(char *to, const char *from, int64_t bytes, bool streams) {
#if defined __SSE2__
    for (; bytes >= LINE; to += LINE, from += LINE, bytes -= LINE)
        UNROLL for (int i = 0; i < LINE; i += VECTOR_BYTES)
            put_vector(to + i, load_vector(from + i), streams);
#else
    (void)streams;
#endif
    memcpy(to, from, (size_t)bytes);
}

static void copy(char *to, const char *from, int64_t bytes) {
    copy_lines(to, from, bytes, false);
}

static void stream(char *to, const char *from, int64_t bytes) {
    int64_t head = (int64_t)(-(uintptr_t)to % LINE);
    if (head > bytes) head = bytes;
    memcpy(to, from, (size_t)head);
    copy_lines(to + head, from + head, bytes - head, true);
}

/* ---- starts of windows ---- */

/* Unsigned numbers beyond INT64_MAX are as far out as that one. */
#define AS_IS(value) (int64_t)(value)
#define AT_MOST(value) (int64_t)((value) > INT64_MAX ? INT64_MAX : (value))

/* Neighbours are read by a separate loop, which the compiler vectorises. */
#define FOR_INDICES(T, number, statement)                                         \
    const T *at = index->indices;                                                 \
    const int64_t stride = index->stride, last = index->last, unit = index->unit; \
    if (stride == 1) {                                                            \
        for (int64_t i = 0; i < n; i++) {                                         \
            int64_t value = number(at[i]);                                        \
            statement;                                                            \
        }                                                                         \
    } else {                                                                      \
        for (int64_t i = 0; i < n; i++) {                                         \
            int64_t value = number(at[i * stride]);                               \
            statement;                                                            \
        }                                                                         \
    }

static void count_up(int64_t *starts, int64_t first, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++, first += step) starts[i] = first;
}

#define DEFINE_REPLACE(size)                                                        \
    static void replace_##size(char *restrict to, const char *restrict from,        \
                               const uint8_t *restrict keeps, int64_t n) {          \
        hlo_cell_##size *cells = (hlo_cell_##size *)to;                             \
        const hlo_cell_##size *others = (const hlo_cell_##size *)from;              \
        for (int64_t i = 0; i < n; i++) cells[i] = keeps[i] ? cells[i] : others[i]; \
    }
DEFINE_REPLACE(1)
DEFINE_REPLACE(2)
DEFINE_REPLACE(4)
DEFINE_REPLACE(8)
DEFINE_REPLACE(16)

/* A sign bit is set when a start is outside. */
static bool are_between(const int64_t *starts, int64_t first, int64_t last, int64_t n) {
    int64_t signs = 0;
    for (int64_t i = 0; i < n; i++) signs |= (starts[i] - first) | (last - 1 - starts[i]);
    return signs >= 0;
}

#define DEFINE_STARTS(name, T, number)                                                        \
    static void add_clamped_##name(int64_t *starts, const hlo_move_index *index, int64_t n) { \
        FOR_INDICES(T, number,                                                                \
                    value = value > last ? last                                               \
                            : value < 0  ? 0                                                  \
                                         : value;                                              \
                    starts[i] += value * unit)                                                \
    }                                                                                         \
    static void add_fitting_##name(int64_t *starts, const hlo_move_index *index, int64_t n) { \
        FOR_INDICES(T, number, bool fits = value >= 0 && value <= last && starts[i] >= 0;     \
                    starts[i] = fits ? starts[i] + value * unit : -1)                         \
    }
DEFINE_STARTS(s8, int8_t, AS_IS)
DEFINE_STARTS(s16, int16_t, AS_IS)
DEFINE_STARTS(s32, int32_t, AS_IS)
DEFINE_STARTS(s64, int64_t, AS_IS)
DEFINE_STARTS(u8, uint8_t, AS_IS)
DEFINE_STARTS(u16, uint16_t, AS_IS)
DEFINE_STARTS(u32, uint32_t, AS_IS)
DEFINE_STARTS(u64, uint64_t, AT_MOST)

/* Integers of less than a byte are stored as bytes, with their sign. */
#define STARTS_OF(kind)                                                                           \
    {                                                                                             \
        [HLO_PRED] = kind##_u8, [HLO_S1] = kind##_s8, [HLO_S2] = kind##_s8, [HLO_S4] = kind##_s8, \
        [HLO_S8] = kind##_s8, [HLO_S16] = kind##_s16, [HLO_S32] = kind##_s32,                     \
        [HLO_S64] = kind##_s64, [HLO_U1] = kind##_u8, [HLO_U2] = kind##_u8, [HLO_U4] = kind##_u8, \
        [HLO_U8] = kind##_u8, [HLO_U16] = kind##_u16, [HLO_U32] = kind##_u32,                     \
        [HLO_U64] = kind##_u64,                                                                   \
    }

const hlo_move_set HLO_LANES_PART(move) = {
    .row = {row_1, row_2, row_4, row_8, row_16},
    .between = {between_1, between_2, between_4, between_8, between_16},
    .transpose = {transpose_1, transpose_2, transpose_4, transpose_8, transpose_16},
    .rows = rows,
    .replace = {replace_1, replace_2, replace_4, replace_8, replace_16},
    .copy = copy,
    .stream = stream,
    .count_up = count_up,
    .are_between = are_between,
    .add_clamped = STARTS_OF(add_clamped),
    .add_fitting = STARTS_OF(add_fitting),
};
