/* Lane functions of convert: any element type to any other. Elements pass through one of four
 * carriers, a block at a time. Called by lanes.c. */
#include <math.h>

#include "eval/kernels/lanes_isa.h"
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

static void small_to_f32(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_floats_to_f32(hlo_type_float_format(lanes->from), in[0], out, n);
}

static void f32_to_small(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    hlo_floats_from_f32(hlo_type_float_format(lanes->to), in[0], out, n);
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

hlo_lanes_fn *HLO_LANES_PART(convert)(hlo_type from, hlo_type to) {
    if (!hlo_type_is_array(from) || !hlo_type_is_array(to)) return NULL;
    if (from == to) return same_type;
    if (hlo_type_is_complex(from) && hlo_type_is_complex(to)) return convert_parts;
    if (hlo_type_is_small_float(from) && to == HLO_F32) return small_to_f32;
    if (hlo_type_is_small_float(to) && from == HLO_F32) return f32_to_small;
    return convert;
}
