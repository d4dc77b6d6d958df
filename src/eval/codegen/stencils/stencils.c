/* Stencils other than arithmetic of elements: conversions, choices, and elements of arrays. Those
 * of arithmetic and comparisons are made from the lane functions. Compiled as in stencil.h. */
#include "eval/codegen/stencils/stencil.h"

/* ---- conversions: as lanes_convert.c ---- */

/* Truncated, saturated, 0 for nan. */
#define TRUNCATE(T, least, largest, above)            \
    static inline T truncate_##T(double value) {      \
        if (value >= (above)) return (T)(largest);    \
        if (value <= (double)(least)) return (least); \
        return value != value ? (T)0 : (T)value;      \
    }
TRUNCATE(int8_t, INT8_MIN, INT8_MAX, 0x1p7)
TRUNCATE(int16_t, INT16_MIN, INT16_MAX, 0x1p15)
TRUNCATE(int32_t, INT32_MIN, INT32_MAX, 0x1p31)
TRUNCATE(int64_t, INT64_MIN, INT64_MAX, 0x1p63)
TRUNCATE(uint8_t, 0, UINT8_MAX, 0x1p8)
TRUNCATE(uint16_t, 0, UINT16_MAX, 0x1p16)
TRUNCATE(uint32_t, 0, UINT32_MAX, 0x1p32)
TRUNCATE(uint64_t, 0, UINT64_MAX, 0x1p64)

#define CONVERT(from, F, to, T, expression) \
    STENCIL_DEFINE(CONVERT_##from##_##to, T, (F a), expression)
#define FROM_INTEGER(from, F)               \
    CONVERT(from, F, PRED, uint8_t, a != 0) \
    CONVERT(from, F, S8, int8_t, a)         \
    CONVERT(from, F, S16, int16_t, a)       \
    CONVERT(from, F, S32, int32_t, a)       \
    CONVERT(from, F, S64, int64_t, a)       \
    CONVERT(from, F, U8, uint8_t, a)        \
    CONVERT(from, F, U16, uint16_t, a)      \
    CONVERT(from, F, U32, uint32_t, a)      \
    CONVERT(from, F, U64, uint64_t, a)      \
    CONVERT(from, F, F32, float, a)         \
    CONVERT(from, F, F64, double, a)
#define FROM_FLOAT(from, F)                               \
    CONVERT(from, F, PRED, uint8_t, a != 0)               \
    CONVERT(from, F, S8, int8_t, truncate_int8_t(a))      \
    CONVERT(from, F, S16, int16_t, truncate_int16_t(a))   \
    CONVERT(from, F, S32, int32_t, truncate_int32_t(a))   \
    CONVERT(from, F, S64, int64_t, truncate_int64_t(a))   \
    CONVERT(from, F, U8, uint8_t, truncate_uint8_t(a))    \
    CONVERT(from, F, U16, uint16_t, truncate_uint16_t(a)) \
    CONVERT(from, F, U32, uint32_t, truncate_uint32_t(a)) \
    CONVERT(from, F, U64, uint64_t, truncate_uint64_t(a)) \
    CONVERT(from, F, F32, float, a)                       \
    CONVERT(from, F, F64, double, a)
FROM_INTEGER(PRED, uint8_t)
FROM_INTEGER(S8, int8_t)
FROM_INTEGER(S16, int16_t)
FROM_INTEGER(S32, int32_t)
FROM_INTEGER(S64, int64_t)
FROM_INTEGER(U8, uint8_t)
FROM_INTEGER(U16, uint16_t)
FROM_INTEGER(U32, uint32_t)
FROM_INTEGER(U64, uint64_t)
FROM_FLOAT(F32, float)
FROM_FLOAT(F64, double)

/* One element for all of a vector. */
#define SPREAD(T)                                                    \
    STENCIL(V_SPREAD_##T, (T a)) {                                   \
        hlo_vector x;                                                \
        T p[sizeof x / sizeof a];                                    \
        for (unsigned k = 0; k < sizeof x / sizeof a; k++) p[k] = a; \
        __builtin_memcpy(&x, p, sizeof x);                           \
        hlo_next_vector(x);                                          \
    }
SPREAD(int32_t)
SPREAD(int64_t)
SPREAD(uint32_t)
SPREAD(uint64_t)
SPREAD(float)
SPREAD(double)

/* ---- choices ---- */

/* Without a branch, which could not be predicted. */
static inline float choose_float(uint8_t p, float a, float b) {
    uint32_t x, y, mask = 0u - (p != 0);
    __builtin_memcpy(&x, &a, sizeof x);
    __builtin_memcpy(&y, &b, sizeof y);
    x = (x & mask) | (y & ~mask);
    __builtin_memcpy(&a, &x, sizeof a);
    return a;
}

static inline double choose_double(uint8_t p, double a, double b) {
    uint64_t x, y, mask = UINT64_C(0) - (p != 0);
    __builtin_memcpy(&x, &a, sizeof x);
    __builtin_memcpy(&y, &b, sizeof y);
    x = (x & mask) | (y & ~mask);
    __builtin_memcpy(&a, &x, sizeof a);
    return a;
}

#define SELECT(T, expression) STENCIL_DEFINE(SELECT_##T, T, (uint8_t p, T a, T b), expression)
SELECT(uint64_t, p ? a : b)
SELECT(float, choose_float(p, a, b))
SELECT(double, choose_double(p, a, b))

/* ---- elements of arrays ---- */

static inline int64_t clamped(int64_t start, int64_t last) {
    return start < 0 ? 0 : start > last ? last : start;
}

/* Where a slice starts along a dimension: clamped, so that it fits. */
#define START(T, saturated) \
    STENCIL_DEFINE(START_##T, int64_t, (T a, int64_t last), clamped((int64_t)(saturated), last))
START(int8_t, a)
START(int16_t, a)
START(int32_t, a)
START(int64_t, a)
START(uint8_t, a)
START(uint16_t, a)
START(uint32_t, a)
START(uint64_t, a > INT64_MAX ? INT64_MAX : (int64_t)a)

STENCIL_DEFINE(OFFSET, int64_t, (int64_t index, int64_t stride, int64_t at), at + index * stride)
STENCIL_DEFINE(ADDRESS, uint64_t, (const char *base, int64_t at), (uintptr_t)(base + at))

#define ELEMENT(T)                                                                       \
    STENCIL_DEFINE(LOAD_##T, T, (const char *base, int64_t at), *(const T *)(base + at)) \
    STENCIL(STORE_##T, (char *base, int64_t at, T element)) {                            \
        *(T *)(base + at) = element;                                                     \
        hlo_next_nothing();                                                              \
    }
STENCIL_TYPES(ELEMENT)
