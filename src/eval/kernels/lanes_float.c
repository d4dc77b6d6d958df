/* Lane functions of f32 and f64; lanes.c uses those of f32 for the smaller floats too. */
#include <float.h>
#include <math.h>

#include "eval/kernels/lanes_isa.h"

/* What an operation computes from elements a and b. */
#define FLOAT_UNARY(X)                    \
    X(ABS, M(fabs)(a))                    \
    X(NEGATE, -a)                         \
    X(SIGN, NAME(sign)(a))                \
    X(CEIL, M(ceil)(a))                   \
    X(FLOOR, M(floor)(a))                 \
    X(ROUND_NEAREST_AFZ, M(round)(a))     \
    X(ROUND_NEAREST_EVEN, M(rint)(a))     \
    X(SQRT, M(sqrt)(a))                   \
    X(RSQRT, Z(1.0) / M(sqrt)(a))         \
    X(CBRT, M(cbrt)(a))                   \
    X(EXPONENTIAL, M(exp)(a))             \
    X(EXPONENTIAL_MINUS_ONE, M(expm1)(a)) \
    X(LOG, M(log)(a))                     \
    X(LOG_PLUS_ONE, M(log1p)(a))          \
    X(LOGISTIC, NAME(logistic)(a))        \
    X(ERF, NAME(erf)(a))                  \
    X(SINE, M(sin)(a))                    \
    X(COSINE, M(cos)(a))                  \
    X(TAN, M(tan)(a))                     \
    X(ASIN, M(asin)(a))                   \
    X(ACOS, M(acos)(a))                   \
    X(SINH, M(sinh)(a))                   \
    X(COSH, M(cosh)(a))                   \
    X(TANH, M(tanh)(a))                   \
    X(ASINH, M(asinh)(a))                 \
    X(ACOSH, M(acosh)(a))                 \
    X(ATANH, M(atanh)(a))

#define FLOAT_BINARY(X)             \
    X(ADD, a + b)                   \
    X(SUBTRACT, a - b)              \
    X(MULTIPLY, (a * b))            \
    X(DIVIDE, a / b)                \
    X(REMAINDER, M(fmod)(a, b))     \
    X(POWER, M(pow)(a, b))          \
    X(ATAN2, M(atan2)(a, b))        \
    X(MAXIMUM, NAME(maximum)(a, b)) \
    X(MINIMUM, NAME(minimum)(a, b))

#define TYPE F32
#define T float
#define M(name) name##f
#define Z(x) ((float)(x))
#define SMALLEST_NORMAL FLT_MIN
#include "eval/kernels/lanes_float.inc"

#define TYPE F64
#define T double
#define M(name) name
#define Z(x) (x)
#define SMALLEST_NORMAL DBL_MIN
#include "eval/kernels/lanes_float.inc"

hlo_lanes_fn *HLO_LANES_PART(float)(hlo_opcode opcode, hlo_type type) {
    return type == HLO_F32 ? functions_F32[opcode] : type == HLO_F64 ? functions_F64[opcode] : NULL;
}
