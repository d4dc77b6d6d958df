/* Lane functions of c64 and c128. Transcendental functions are computed in double precision for
 * both. Called by lanes.c. */
#include <complex.h>
#include <math.h>

#include "eval/kernels/lanes.h"

/* C11's CMPLX, which not every compiler's headers have. */
static inline double complex of_parts(double re, double im) {
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* z / |z|, and 0 for 0. */
static double complex direction(double complex z) {
    double size = cabs(z);
    return size == 0 ? 0 : of_parts(creal(z) / size, cimag(z) / size);
}

/* exp(x+iy) - 1 = expm1(x) cos y - 2 sin²(y/2) + i exp(x) sin y: no cancellation near 0. */
static double complex exp_minus_one(double complex z) {
    double x = creal(z), y = cimag(z), half = sin(y / 2);
    if (y == 0) return of_parts(expm1(x), y);
    return of_parts(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

/* Near 1 the modulus comes from |1+z|² - 1 = x(2+x) + y². */
static double complex log_plus_one(double complex z) {
    double x = creal(z), y = cimag(z), excess = x * (2 + x) + y * y;
    double log_size = fabs(excess) < 0.5 ? 0.5 * log1p(excess) : log(hypot(1 + x, y));
    return of_parts(log_size, atan2(y, 1 + x));
}

static double complex reciprocal_root(double complex z) {
    return 1 / csqrt(z);
}

static double complex logistic(double complex z) {
    return 1 / (1 + cexp(-z));
}

/* a^b = |a|^c e^(-d arg a) (cos q + i sin q), q = c arg a + d log |a|, for b = c + id. */
static double complex power(double complex a, double complex b) {
    double c = creal(b), d = cimag(b), size = cabs(a), angle = carg(a);
    if (c == 0 && d == 0) return 1;
    if (a == 1) return 1;
    if (size == 0 && d == 0 && c > 0) return 0;
    if (isinf(creal(a)) && creal(a) > 0 && cimag(a) == 0 && d == 0) return c > 0 ? INFINITY : 0;
    double scale = pow(size, c) * exp(-d * angle), q = c * angle + d * log(size);
    return of_parts(scale * cos(q), scale * sin(q));
}

/* What an operation computes from a and b. */
#define COMPLEX_UNARY(X)                       \
    X(NEGATE, -a)                              \
    X(SIGN, direction(a))                      \
    X(SQRT, csqrt(a))                          \
    X(RSQRT, reciprocal_root(a))               \
    X(EXPONENTIAL, cexp(a))                    \
    X(EXPONENTIAL_MINUS_ONE, exp_minus_one(a)) \
    X(LOG, clog(a))                            \
    X(LOG_PLUS_ONE, log_plus_one(a))           \
    X(LOGISTIC, logistic(a))                   \
    X(SINE, csin(a))                           \
    X(COSINE, ccos(a))                         \
    X(TAN, ctan(a))                            \
    X(ASIN, casin(a))                          \
    X(ACOS, cacos(a))                          \
    X(SINH, csinh(a))                          \
    X(COSH, ccosh(a))                          \
    X(TANH, ctanh(a))                          \
    X(ASINH, casinh(a))                        \
    X(ACOSH, cacosh(a))                        \
    X(ATANH, catanh(a))

#define COMPLEX_BINARY(X)            \
    X(ADD, a + b)                    \
    X(SUBTRACT, a - b)               \
    X(MULTIPLY, NAME(product)(a, b)) \
    X(DIVIDE, a / b)                 \
    X(POWER, power(a, b))            \
    X(ATAN2, NAME(angle)(a, b))

/* From a complex number to its parts' type. */
#define COMPLEX_PART(X) X(REAL, creal(a)) X(IMAG, cimag(a)) X(ABS, cabs(a))

#define TYPE C64
#define T float
#include "eval/kernels/lanes_complex.inc"

#define TYPE C128
#define T double
#include "eval/kernels/lanes_complex.inc"

hlo_lanes_fn *hlo_lanes_complex(hlo_opcode opcode, hlo_type type) {
    return type == HLO_C64    ? functions_C64[opcode]
           : type == HLO_C128 ? functions_C128[opcode]
                              : NULL;
}
