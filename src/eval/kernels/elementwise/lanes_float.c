/* Lane functions of f32 and f64: arithmetic and the vector kernels of functions; lanes.c uses those
 * of f32 for the smaller floats too. */
#include <math.h>
#include <string.h>

#include "eval/kernel/vectors.h"

/* What an operation computes from elements a and b. */
#define FLOAT_UNARY(X)                \
    X(ABS, M(fabs)(a))                \
    X(NEGATE, -a)                     \
    X(SIGN, NAME(sign)(a))            \
    X(CEIL, M(ceil)(a))               \
    X(FLOOR, M(floor)(a))             \
    X(ROUND_NEAREST_AFZ, M(round)(a)) \
    X(ROUND_NEAREST_EVEN, M(rint)(a)) \
    X(SQRT, M(sqrt)(a))               \
    X(RSQRT, Z(1.0) / M(sqrt)(a))

#define FLOAT_BINARY(X)             \
    X(ADD, a + b)                   \
    X(SUBTRACT, a - b)              \
    X(MULTIPLY, (a * b))            \
    X(DIVIDE, a / b)                \
    X(REMAINDER, M(fmod)(a, b))     \
    X(MAXIMUM, NAME(maximum)(a, b)) \
    X(MINIMUM, NAME(minimum)(a, b))

#define TYPE F32
#define T float
#define U uint32_t
#define M(name) name##f
#define Z(x) ((float)(x))
#include "eval/kernels/elementwise/lanes_float.inc"

#define TYPE F64
#define T double
#define U uint64_t
#define M(name) name
#define Z(x) (x)
#include "eval/kernels/elementwise/lanes_float.inc"

/* No stencils of functions: they are as long as a call. */
#undef HLO_STENCIL_UNARY
#undef HLO_STENCIL_BINARY
#define HLO_STENCIL_UNARY(name, T, expression)
#define HLO_STENCIL_BINARY(name, T, expression)
#include "eval/kernels/elementwise/lanes_math.inc"

hlo_lanes_fn *HLO_LANES_PART(float)(hlo_opcode opcode, hlo_type type) {
    return type == HLO_F32 ? functions_F32[opcode] : type == HLO_F64 ? functions_F64[opcode] : NULL;
}

hlo_lanes_fn *HLO_LANES_PART(math)(hlo_opcode opcode, hlo_type type) {
    return type == HLO_F32   ? math_functions[opcode]
           : type == HLO_F64 ? wide_functions[opcode]
                             : NULL;
}

#include "eval/kernels/elementwise/lanes_bf16.inc"
#include "eval/kernels/elementwise/lanes_pairs.inc"

HLO_LANES_SINGLE_PART(single_float, HLO_LANES_VARIANTS(singles_F32),
                      HLO_LANES_VARIANTS(singles_F64), HLO_LANES_VARIANTS(singles_BF16),
                      HLO_LANES_VARIANTS(single_pairs))
