/* Lane functions of integers and predicates. */
#include "eval/kernel/lanes_isa.h"

/* What an operation computes from elements a and b, by helpers of lanes_integer.inc. T is the
 * stored type and U its unsigned twin, whose arithmetic wraps around. BITS: results of signed and
 * unsigned operands are the same bits; OWN: they differ. SINGLE: those that are worth a separate
 * loop where an operand is one number. */
#define OWN_UNARY(X)                                             \
    X(ABS, NAME(is_negative)(a) ? NAME(wrap)((U)(0 - (U)a)) : a) \
    X(SIGN, NAME(is_negative)(a) ? NAME(wrap)((U)-1) : (T) !!a)

#define BITS_UNARY(X)                    \
    X(NEGATE, NAME(wrap)((U)(0 - (U)a))) \
    X(NOT, NAME(wrap)((U)(~(U)a)))       \
    X(POPCNT, NAME(ones)(a))             \
    X(COUNT_LEADING_ZEROS, NAME(leading_zeros)(a))

/* Elements of less than a byte are those of a byte in these, and so are their results. */
#define OWN_SINGLE(X)         \
    X(MAXIMUM, a > b ? a : b) \
    X(MINIMUM, a < b ? a : b)
#define OWN_BYTES(X) X(REMAINDER, NAME(modulo)(a, b))
#define BITS_BYTES(X) \
    X(AND, (a & b))   \
    X(OR, a | b)      \
    X(XOR, a ^ b)

/* Powers are the same bits too, but the compiler makes vectors of some types only. */
#define OWN_BINARY(X)                  \
    X(MULHI, NAME(high_product)(a, b)) \
    X(DIVIDE, NAME(quotient)(a, b))    \
    X(POWER, NAME(power)(a, b))

#define BITS_SINGLE(X)                                      \
    X(ADD, NAME(wrap)((U)((U)a + (U)b)))                    \
    X(SUBTRACT, NAME(wrap)((U)((U)a - (U)b)))               \
    X(MULTIPLY, NAME(wrap)(NAME(product)((U)a, (U)b)))      \
    X(SHIFT_LEFT, NAME(left)(a, b))                         \
    X(SHIFT_RIGHT_ARITHMETIC, NAME(right_arithmetic)(a, b)) \
    X(SHIFT_RIGHT_LOGICAL, NAME(right_logical)(a, b))

#define TYPE U8
#define BITS 8
#define IS_SIGNED 0
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE U16
#define BITS 16
#define IS_SIGNED 0
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE U32
#define BITS 32
#define IS_SIGNED 0
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE U64
#define BITS 64
#define IS_SIGNED 0
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S8
#define BITS 8
#define IS_SIGNED 1
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S16
#define BITS 16
#define IS_SIGNED 1
#define TWIN U16
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S32
#define BITS 32
#define IS_SIGNED 1
#define TWIN U32
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S64
#define BITS 64
#define IS_SIGNED 1
#define TWIN U64
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE U1
#define BITS 1
#define IS_SIGNED 0
#define WHOLE U8
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE U2
#define BITS 2
#define IS_SIGNED 0
#define WHOLE U8
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE U4
#define BITS 4
#define IS_SIGNED 0
#define WHOLE U8
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S1
#define BITS 1
#define IS_SIGNED 1
#define WHOLE S8
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S2
#define BITS 2
#define IS_SIGNED 1
#define WHOLE S8
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"
#define TYPE S4
#define BITS 4
#define IS_SIGNED 1
#define WHOLE S8
#define TWIN U8
#include "eval/kernels/elementwise/lanes_integer.inc"

/* ---- s64 by one number for all elements: a product instead of the slowest instruction ---- */

/* |x| / |by| is the upper half of |x| times `factor`, shifted, for |x| below 2^63 (Granlund and
 * Montgomery, Division by invariant integers using multiplication). */
typedef struct {
    int64_t by;
    uint64_t factor;
    int shift;
} divisor;

/* False for numbers that have no such factor, and when there are too few elements for it. */
static bool find_divisor(divisor *d, const int64_t *by, size_t n) {
    enum { FEW = 16 };
    int64_t differences = 0;
    for (size_t k = 0; k < n; k++) differences |= by[k] ^ by[0];
    if (n < FEW || differences || (uint64_t)by[0] + 1 <= 2 || by[0] == INT64_MIN) return false;
    uint64_t size = (uint64_t)(by[0] < 0 ? -by[0] : by[0]);
    int bits = 64 - __builtin_clzll(size - 1);
    d->by = by[0];
    d->shift = bits - 1;
    d->factor = (uint64_t)(((unsigned __int128)1 << (63 + bits)) / size) + 1;
    return true;
}

static inline int64_t divided(const divisor *d, int64_t x) {
    if (x == INT64_MIN) return x / d->by;
    uint64_t size = (uint64_t)(x < 0 ? -x : x);
    int64_t quotient = (int64_t)((uint64_t)((unsigned __int128)size * d->factor >> 64) >> d->shift);
    return (x < 0) != (d->by < 0) ? -quotient : quotient;
}

static void divide_s64(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    divisor d;
    const int64_t *x = in[0];
    int64_t *o = out;
    if (!find_divisor(&d, in[1], n)) DIVIDE_S64(lanes, out, in, n);
    else
        for (size_t k = 0; k < n; k++) o[k] = divided(&d, x[k]);
}

static void remainder_s64(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    divisor d;
    const int64_t *x = in[0];
    int64_t *o = out;
    if (!find_divisor(&d, in[1], n)) REMAINDER_S64(lanes, out, in, n);
    else
        for (size_t k = 0; k < n; k++) o[k] = x[k] - divided(&d, x[k]) * d.by;
}

/* Predicates are bytes of 0 and 1: or is their sum, and their product. They have functions to
 * themselves: in clusters they are masks. */
HLO_LANES_BINARY(AND_PRED, uint8_t, (a & b))
HLO_LANES_BINARY(OR_PRED, uint8_t, a | b)
HLO_LANES_BINARY(XOR_PRED, uint8_t, a ^ b)
HLO_LANES_UNARY(NOT_PRED, uint8_t, !a)

HLO_STENCIL_BINARY(ADD_PRED, uint8_t, a | b)
HLO_STENCIL_BINARY(MULTIPLY_PRED, uint8_t, (a & b))
HLO_STENCIL_BINARY(MAXIMUM_PRED, uint8_t, a | b)
HLO_STENCIL_BINARY(MINIMUM_PRED, uint8_t, (a & b))

static hlo_lanes_fn *const functions_PRED[HLO_OP_COUNT] = {
    [HLO_OP_NOT] = NOT_PRED,    [HLO_OP_ADD] = OR_PRED,      [HLO_OP_MULTIPLY] = AND_PRED,
    [HLO_OP_MAXIMUM] = OR_PRED, [HLO_OP_MINIMUM] = AND_PRED, [HLO_OP_AND] = AND_PRED,
    [HLO_OP_OR] = OR_PRED,      [HLO_OP_XOR] = XOR_PRED,     [HLO_OP_CLAMP] = CLAMP_U8,
};

static hlo_lanes_fn *const *const functions[HLO_TYPE_COUNT] = {
    [HLO_PRED] = functions_PRED, [HLO_S1] = functions_S1,   [HLO_S2] = functions_S2,
    [HLO_S4] = functions_S4,     [HLO_S8] = functions_S8,   [HLO_S16] = functions_S16,
    [HLO_S32] = functions_S32,   [HLO_S64] = functions_S64, [HLO_U1] = functions_U1,
    [HLO_U2] = functions_U2,     [HLO_U4] = functions_U4,   [HLO_U8] = functions_U8,
    [HLO_U16] = functions_U16,   [HLO_U32] = functions_U32, [HLO_U64] = functions_U64,
};

hlo_lanes_fn *HLO_LANES_PART(integer)(hlo_opcode opcode, hlo_type type) {
    if (type == HLO_S64 && opcode == HLO_OP_DIVIDE) return divide_s64;
    if (type == HLO_S64 && opcode == HLO_OP_REMAINDER) return remainder_s64;
    return functions[type] ? functions[type][opcode] : NULL;
}

HLO_LANES_SINGLE_PART(single_integer, HLO_LANES_VARIANTS(singles_S32),
                      HLO_LANES_VARIANTS(singles_U32), HLO_LANES_VARIANTS(singles_S64),
                      HLO_LANES_VARIANTS(singles_U64))
