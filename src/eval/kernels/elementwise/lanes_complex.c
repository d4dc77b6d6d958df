/* Lane functions of c64 and c128. Transcendental functions are computed in double precision for
 * both. Compiled for each instruction set: lanes_isa.h. */
#include "base/cmplx.h"
#undef complex /* the name of a part */

#include <math.h>

#include "eval/kernel/lanes_isa.h"
#include "eval/kernel/vectors.h"

/* Numbers at a time where parts are computed apart. */
enum { BLOCK = 64 };

/* z / |z|, and 0 for 0. */
static double _Complex direction(double _Complex z) {
    double size = cabs(z);
    return size == 0 ? 0 : CMPLX(creal(z) / size, cimag(z) / size);
}

/* exp(x+iy) - 1 = expm1(x) cos y - 2 sin²(y/2) + i exp(x) sin y: no cancellation near 0. */
static double _Complex exp_minus_one(double _Complex z) {
    double x = creal(z), y = cimag(z), half = sin(y / 2);
    if (y == 0) return CMPLX(expm1(x), y);
    return CMPLX(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

/* Near 1 the modulus comes from |1+z|² - 1 = x(2+x) + y². */
static double _Complex log_plus_one(double _Complex z) {
    double x = creal(z), y = cimag(z), excess = x * (2 + x) + y * y;
    double log_size = fabs(excess) < 0.5 ? 0.5 * log1p(excess) : log(hypot(1 + x, y));
    return CMPLX(log_size, atan2(y, 1 + x));
}

/* a^b = |a|^c e^(-d arg a) (cos q + i sin q), q = c arg a + d log |a|, for b = c + id. */
static double _Complex power(double _Complex a, double _Complex b) {
    double c = creal(b), d = cimag(b), size = cabs(a), angle = carg(a);
    if (c == 0 && d == 0) return 1;
    if (a == 1) return 1;
    if (size == 0 && d == 0 && c > 0) return 0;
    if (isinf(creal(a)) && creal(a) > 0 && cimag(a) == 0 && d == 0) return c > 0 ? INFINITY : 0;
    double scale = pow(size, c) * exp(-d * angle), q = c * angle + d * log(size);
    return CMPLX(scale * cos(q), scale * sin(q));
}

/* What an operation computes from a and b. */
#define COMPLEX_UNARY(X)                       \
    X(SIGN, direction(a))                      \
    X(SQRT, csqrt(a))                          \
    X(RSQRT, 1 / csqrt(a))                     \
    X(EXPONENTIAL, cexp(a))                    \
    X(EXPONENTIAL_MINUS_ONE, exp_minus_one(a)) \
    X(LOG, clog(a))                            \
    X(LOG_PLUS_ONE, log_plus_one(a))           \
    X(LOGISTIC, 1 / (1 + cexp(-a)))            \
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

#define COMPLEX_BINARY(X) \
    X(POWER, power(a, b)) \
    X(ATAN2, NAME(angle)(a, b))

/* Those that the file of a type defines, or this one below. */
#define COMPLEX_PLAIN(X) \
    X(NEGATE, ) X(ADD, ) X(SUBTRACT, ) X(MULTIPLY, ) X(DIVIDE, ) X(ABS, ) X(REAL, ) X(IMAG, )

/* ---- quotients and moduli: in double precision where parts are f32 ---- */

/* A block of quotients, of infinities and zeros as if they were numbers; whether one is nan + i
 * nan. */
static bool quotients(float *re, float *im, const float *x, const float *y, size_t n) {
    uint32_t lost = 0;
    for (size_t k = 0; k < n; k++) {
        double ar = x[2 * k], ai = x[2 * k + 1], br = y[2 * k], bi = y[2 * k + 1];
        double below = br * br + bi * bi;
        re[k] = (float)((ar * br + ai * bi) / below);
        im[k] = (float)((ai * br - ar * bi) / below);
        lost |= (uint32_t)(re[k] != re[k]) & (uint32_t)(im[k] != im[k]);
    }
    return lost;
}

/* C's operator finds infinities and zeros again in quotients that are nan. */
static void DIVIDE_C64(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)lanes;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        float re[BLOCK], im[BLOCK], *o = (float *)out + 2 * at;
        const float *x = (const float *)in[0] + 2 * at, *y = (const float *)in[1] + 2 * at;
        bool lost = quotients(re, im, x, y, count);
        for (size_t k = 0; k < count && lost; k++) {
            if (!isnan(re[k]) || !isnan(im[k])) continue;
            float _Complex a = (float _Complex)CMPLX(x[2 * k], x[2 * k + 1]);
            a /= (float _Complex)CMPLX(y[2 * k], y[2 * k + 1]);
            re[k] = crealf(a);
            im[k] = cimagf(a);
        }
        for (size_t k = 0; k < count; k++) {
            o[2 * k] = re[k];
            o[2 * k + 1] = im[k];
        }
    }
}

static void DIVIDE_C128(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)lanes;
    for (size_t k = 0; k < n; k++) {
        const double *x = (const double *)in[0] + 2 * k, *y = (const double *)in[1] + 2 * k;
        double _Complex quotient = CMPLX(x[0], x[1]) / CMPLX(y[0], y[1]);
        memcpy((double *)out + 2 * k, &quotient, sizeof quotient);
    }
}

static void ABS_C64(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)lanes;
    const float *x = in[0];
    float *o = out;
    for (size_t k = 0; k < n; k++) {
        float re = fabsf(x[2 * k]), im = fabsf(x[2 * k + 1]);
        float size = (float)sqrt((double)re * re + (double)im * im);
        o[k] = ((re == INFINITY) | (im == INFINITY)) ? INFINITY : size;
    }
}

static void ABS_C128(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)lanes;
    const double *x = in[0];
    double *o = out;
    for (size_t k = 0; k < n; k++) o[k] = hypot(x[2 * k], x[2 * k + 1]);
}

#define TYPE C64
#define T float
#include "eval/kernels/elementwise/lanes_complex.inc"

#define TYPE C128
#define T double
#include "eval/kernels/elementwise/lanes_complex.inc"

hlo_lanes_fn *HLO_LANES_PART(complex)(hlo_opcode opcode, hlo_type type) {
    return type == HLO_C64    ? functions_C64[opcode]
           : type == HLO_C128 ? functions_C128[opcode]
                              : NULL;
}
