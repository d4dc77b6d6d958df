/* Lane functions of compare and select, for every element type. */
#include "base/floats.h"
#include "eval/kernel/lanes_isa.h"

/* The directions by their number in words.def. */
#define DIRECTIONS(X, T) X(EQ, ==, T) X(NE, !=, T) X(GE, >=, T) X(GT, >, T) X(LE, <=, T) X(LT, <, T)
enum { EQ, NE, GE, GT, LE, LT, DIRECTION_COUNT };

/* ---- by stored type ---- */

#define DEFINE(direction, op, T)                                                          \
    HLO_STENCIL_COMPARE(direction##_##T, T, a op b)                                       \
    static void direction##_##T(const hlo_lanes *lanes, void *out, const void *const *in, \
                                size_t n) {                                               \
        (void)lanes;                                                                      \
        const T *x = in[0], *y = in[1];                                                   \
        uint8_t *o = out;                                                                 \
        for (size_t k = 0; k < n; k++) o[k] = x[k] op y[k];                               \
    }
#define ROW(direction, op, T) [direction] = direction##_##T,
#define SINGLE(direction, op, T) HLO_LANES_SINGLE(direction##_##T, T, uint8_t, a op b)
#define SINGLE_ROWS(direction, op, T) HLO_LANES_SINGLE_ROWS(direction##_##T),
#define COMPARE_SINGLE(T) \
    DIRECTIONS(SINGLE, T) \
    static const hlo_lanes_variant singles_##T[] = {DIRECTIONS(SINGLE_ROWS, T)};
#define COMPARE(T)        \
    DIRECTIONS(DEFINE, T) \
    static hlo_lanes_fn *const compare_##T[DIRECTION_COUNT] = {DIRECTIONS(ROW, T)};
COMPARE(int8_t)
COMPARE(int16_t)
COMPARE(int32_t)
COMPARE(int64_t)
COMPARE(uint8_t)
COMPARE(uint16_t)
COMPARE(uint32_t)
COMPARE(uint64_t)
COMPARE(float)
COMPARE(double)
COMPARE_SINGLE(int32_t)
COMPARE_SINGLE(uint32_t)
COMPARE_SINGLE(float)
COMPARE_SINGLE(double)
#undef DEFINE
#undef ROW
#undef SINGLE
#undef SINGLE_ROWS

/* Complex numbers are equal or not. */
#define COMPARE_COMPLEX(T)                                                               \
    static void EQ_complex_##T(const hlo_lanes *lanes, void *out, const void *const *in, \
                               size_t n) {                                               \
        (void)lanes;                                                                     \
        const T *x = in[0], *y = in[1];                                                  \
        uint8_t *o = out;                                                                \
        for (size_t k = 0; k < n; k++)                                                   \
            o[k] = x[2 * k] == y[2 * k] && x[2 * k + 1] == y[2 * k + 1];                 \
    }                                                                                    \
    static void NE_complex_##T(const hlo_lanes *lanes, void *out, const void *const *in, \
                               size_t n) {                                               \
        uint8_t *o = out;                                                                \
        EQ_complex_##T(lanes, out, in, n);                                               \
        for (size_t k = 0; k < n; k++) o[k] = !o[k];                                     \
    }                                                                                    \
    static hlo_lanes_fn *const compare_complex_##T[DIRECTION_COUNT] = {                  \
        [EQ] = EQ_complex_##T, [NE] = NE_complex_##T};
COMPARE_COMPLEX(float)
COMPARE_COMPLEX(double)

/* ---- total order: -nan < -inf < ... < -0 < +0 < ... < +inf < +nan ---- */

static int32_t order_f32(float value) {
    int32_t bits = (int32_t)hlo_f32_bits(value);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

static int64_t order_f64(double value) {
    int64_t bits = (int64_t)hlo_f64_bits(value);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

/* Maps blocks of floats to integers of the same order, which `inner` compares. */
#define TOTAL_ORDER(name, T, integer, order)                                               \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        integer x[HLO_LANES_BLOCK], y[HLO_LANES_BLOCK];                                    \
        const void *const mapped[] = {x, y};                                               \
        for (size_t at = 0, m; at < n; at += m) {                                          \
            m = n - at < HLO_LANES_BLOCK ? n - at : HLO_LANES_BLOCK;                       \
            const T *a = (const T *)in[0] + at, *b = (const T *)in[1] + at;                \
            for (size_t k = 0; k < m; k++) x[k] = order(a[k]), y[k] = order(b[k]);         \
            compare_##integer[lanes->direction](lanes, (uint8_t *)out + at, mapped, m);    \
        }                                                                                  \
    }
TOTAL_ORDER(total_order_f32, float, int32_t, order_f32)
TOTAL_ORDER(total_order_f64, double, int64_t, order_f64)

static hlo_lanes_fn *const *const compares[HLO_TYPE_COUNT] = {
    [HLO_PRED] = compare_uint8_t,        [HLO_S1] = compare_int8_t,
    [HLO_S2] = compare_int8_t,           [HLO_S4] = compare_int8_t,
    [HLO_S8] = compare_int8_t,           [HLO_S16] = compare_int16_t,
    [HLO_S32] = compare_int32_t,         [HLO_S64] = compare_int64_t,
    [HLO_U1] = compare_uint8_t,          [HLO_U2] = compare_uint8_t,
    [HLO_U4] = compare_uint8_t,          [HLO_U8] = compare_uint8_t,
    [HLO_U16] = compare_uint16_t,        [HLO_U32] = compare_uint32_t,
    [HLO_U64] = compare_uint64_t,        [HLO_F32] = compare_float,
    [HLO_F64] = compare_double,          [HLO_C64] = compare_complex_float,
    [HLO_C128] = compare_complex_double,
};

hlo_lanes_fn *HLO_LANES_PART(compare)(int64_t direction, bool total_order, hlo_type type) {
    if (!compares[type] || direction < 0 || direction >= DIRECTION_COUNT) return NULL;
    if (total_order && type == HLO_F32) return total_order_f32;
    if (total_order && type == HLO_F64) return total_order_f64;
    return compares[type][direction];
}

/* ---- select: only the size of an element matters ---- */

typedef struct {
    uint64_t words[2];
} uint128_words;

#define SELECT(T)                                                                                \
    static void select_##T(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        (void)lanes;                                                                             \
        const uint8_t *choose = in[0];                                                           \
        const T *x = in[1], *y = in[2];                                                          \
        T *o = out;                                                                              \
        for (size_t k = 0; k < n; k++) o[k] = choose[k] ? x[k] : y[k];                           \
    }
SELECT(uint8_t)
SELECT(uint16_t)
SELECT(uint32_t)
SELECT(uint64_t)
SELECT(uint128_words)

/* Where one of the two, or each of them, is one element. */
#define SELECT_SINGLE(name, T, FIRST, SECOND)                                              \
    static void name(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) { \
        (void)lanes;                                                                       \
        const uint8_t *choose = in[0];                                                     \
        const T *x = in[1], *y = in[2], first_x = *x, first_y = *y;                        \
        T *o = out;                                                                        \
        (void)first_x, (void)first_y;                                                      \
        for (size_t k = 0; k < n; k++) o[k] = choose[k] ? FIRST : SECOND;                  \
    }
SELECT_SINGLE(select_uint32_t_2, uint32_t, first_x, y[k])
SELECT_SINGLE(select_uint32_t_4, uint32_t, x[k], first_y)
SELECT_SINGLE(select_uint32_t_6, uint32_t, first_x, first_y)

hlo_lanes_fn *HLO_LANES_PART(select)(hlo_type type) {
    switch (hlo_types[type].bytes) {
    case 1: return select_uint8_t;
    case 2: return select_uint16_t;
    case 4: return select_uint32_t;
    case 8: return select_uint64_t;
    case 16: return select_uint128_words;
    default: return NULL;
    }
}

static const hlo_lanes_variant singles_select[] = {{select_uint32_t, 2, select_uint32_t_2},
                                                   {select_uint32_t, 4, select_uint32_t_4},
                                                   {select_uint32_t, 6, select_uint32_t_6}};

HLO_LANES_SINGLE_PART(single_compare, HLO_LANES_VARIANTS(singles_float),
                      HLO_LANES_VARIANTS(singles_double), HLO_LANES_VARIANTS(singles_int32_t),
                      HLO_LANES_VARIANTS(singles_uint32_t), HLO_LANES_VARIANTS(singles_select))
