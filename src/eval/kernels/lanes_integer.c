/* Lane functions of integers and predicates. Called by lanes.c. */
#include "eval/kernels/lanes_isa.h"

/* What an operation computes from elements a and b, by helpers of lanes_integer.inc. T is the
 * stored type and U its unsigned twin, whose arithmetic wraps around. */
#define INTEGER_UNARY(X)                                         \
    X(ABS, NAME(is_negative)(a) ? NAME(wrap)((U)(0 - (U)a)) : a) \
    X(NEGATE, NAME(wrap)((U)(0 - (U)a)))                         \
    X(NOT, NAME(wrap)((U)(~(U)a)))                               \
    X(SIGN, NAME(is_negative)(a) ? NAME(wrap)((U)-1) : (T) !!a)  \
    X(POPCNT, NAME(ones)(a))                                     \
    X(COUNT_LEADING_ZEROS, NAME(leading_zeros)(a))

#define INTEGER_BINARY(X)                                   \
    X(ADD, NAME(wrap)((U)((U)a + (U)b)))                    \
    X(SUBTRACT, NAME(wrap)((U)((U)a - (U)b)))               \
    X(MULTIPLY, NAME(wrap)(NAME(product)((U)a, (U)b)))      \
    X(MULHI, NAME(high_product)(a, b))                      \
    X(DIVIDE, NAME(quotient)(a, b))                         \
    X(REMAINDER, NAME(modulo)(a, b))                        \
    X(POWER, NAME(power)(a, b))                             \
    X(MAXIMUM, a > b ? a : b)                               \
    X(MINIMUM, a < b ? a : b)                               \
    X(AND, (a & b))                                         \
    X(OR, a | b)                                            \
    X(XOR, a ^ b)                                           \
    X(SHIFT_LEFT, NAME(left)(a, b))                         \
    X(SHIFT_RIGHT_ARITHMETIC, NAME(right_arithmetic)(a, b)) \
    X(SHIFT_RIGHT_LOGICAL, NAME(right_logical)(a, b))

#define TYPE S1
#define BITS 1
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE S2
#define BITS 2
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE S4
#define BITS 4
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE S8
#define BITS 8
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE S16
#define BITS 16
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE S32
#define BITS 32
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE S64
#define BITS 64
#define IS_SIGNED 1
#include "eval/kernels/lanes_integer.inc"
#define TYPE U1
#define BITS 1
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"
#define TYPE U2
#define BITS 2
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"
#define TYPE U4
#define BITS 4
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"
#define TYPE U8
#define BITS 8
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"
#define TYPE U16
#define BITS 16
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"
#define TYPE U32
#define BITS 32
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"
#define TYPE U64
#define BITS 64
#define IS_SIGNED 0
#include "eval/kernels/lanes_integer.inc"

/* Predicates are bytes of 0 and 1: or is their sum, and their product. */
#define PRED_BINARY(X)   \
    X(ADD, a | b)        \
    X(MULTIPLY, (a & b)) \
    X(MAXIMUM, a | b)    \
    X(MINIMUM, (a & b))  \
    X(AND, (a & b))      \
    X(OR, a | b)         \
    X(XOR, a ^ b)

#define DEFINE(op, expression) HLO_LANES_BINARY(op##_PRED, uint8_t, expression)
PRED_BINARY(DEFINE)
#undef DEFINE

HLO_LANES_UNARY(NOT_PRED, uint8_t, !a)

#define ROW(op, expression) [HLO_OP_##op] = op##_PRED,
static hlo_lanes_fn *const functions_PRED[HLO_OP_COUNT] = {
    [HLO_OP_NOT] = NOT_PRED, [HLO_OP_CLAMP] = clamp_U8, PRED_BINARY(ROW)};
#undef ROW

static hlo_lanes_fn *const *const functions[HLO_TYPE_COUNT] = {
    [HLO_PRED] = functions_PRED, [HLO_S1] = functions_S1,   [HLO_S2] = functions_S2,
    [HLO_S4] = functions_S4,     [HLO_S8] = functions_S8,   [HLO_S16] = functions_S16,
    [HLO_S32] = functions_S32,   [HLO_S64] = functions_S64, [HLO_U1] = functions_U1,
    [HLO_U2] = functions_U2,     [HLO_U4] = functions_U4,   [HLO_U8] = functions_U8,
    [HLO_U16] = functions_U16,   [HLO_U32] = functions_U32, [HLO_U64] = functions_U64,
};

hlo_lanes_fn *HLO_LANES_PART(integer)(hlo_opcode opcode, hlo_type type) {
    return functions[type] ? functions[type][opcode] : NULL;
}
