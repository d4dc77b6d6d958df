/* Functions of floats against the mathematical library in double precision: whole runs over all
 * values of bf16 and f16, and over a million of f32 for each function (COUNT of them:
 * math_accuracy_test COUNT, which `make check-math` calls); as many of f64, where there is a vector
 * kernel, against the library in long double. No error may be above the row's bound in math.def. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hlo.h>

#include "base/floats.h"
#include "ir/float_types.h"
#include "ir/ir.h"

enum { BLOCK = 1 << 16 };

/* ---- what the library computes in double ---- */

static double logistic_of(double a) {
    return 1 / (1 + exp(-a));
}

/* Arguments that are subnormal in f32 count as zero. */
static double erf_of(double a) {
    return fabs(a) < FLT_MIN ? copysign(0, a) : erf(a);
}

/* 0 where e^-a is beyond f64, as XLA has it. */
static long double long_logistic_of(long double a) {
    return isinf((double)expl(-a)) ? 0 : 1 / (1 + expl(-a));
}

#define M(name) name
#define NAME(name) name##_of
#define DEFINE(op, expression)                       \
    static double library_##op(double a, double b) { \
        (void)a, (void)b;                            \
        return expression;                           \
    }
#define HLO_MATH_UNARY(op, expression, kernel, ulp, wide, wide_ulp) DEFINE(op, expression)
#define HLO_MATH_PERIODIC HLO_MATH_UNARY
#define HLO_MATH_BINARY HLO_MATH_UNARY
#include "eval/kernels/elementwise/math.def"
#undef M
#undef NAME
#undef DEFINE

/* Of the rows with a kernel of f64. */
#define WIDE(...) __VA_ARGS__
#define LIBRARY(...)
#define M(name) name##l
#define NAME(name) long_##name##_of
#define DEFINE(op, expression)                    \
    static long double long_##op(long double a) { \
        return expression;                        \
    }
#undef HLO_MATH_UNARY
#define HLO_MATH_UNARY(op, expression, kernel, ulp, wide, wide_ulp) wide(DEFINE(op, expression))
#include "eval/kernels/elementwise/math.def"
#undef HLO_MATH_UNARY
#undef HLO_MATH_PERIODIC
#undef HLO_MATH_BINARY
#undef WIDE
#undef LIBRARY

typedef struct {
    hlo_opcode opcode;
    uint32_t arity;
    double (*library)(double, double);
    double bound;
    long double (*wide)(long double); /* NULL: no kernel of f64 */
    double wide_bound;
} function;

#define WIDE(op) long_##op
#define LIBRARY(op) NULL
#define ROW(arity, op, ulp, wide, wide_ulp) \
    {HLO_OP_##op, arity, library_##op, ulp, wide(op), wide_ulp},
#define HLO_MATH_UNARY(op, expression, kernel, ulp, wide, wide_ulp) ROW(1, op, ulp, wide, wide_ulp)
#define HLO_MATH_PERIODIC HLO_MATH_UNARY
#define HLO_MATH_BINARY(op, expression, kernel, ulp, wide, wide_ulp) ROW(2, op, ulp, wide, wide_ulp)
static const function functions[] = {
#include "eval/kernels/elementwise/math.def"
};

/* ---- errors ---- */

/* The worst result so far. */
typedef struct {
    double error, a, b, got, wanted;
} worst;

/* The distance of numbers of the format next to a value in its range. */
static double last_place(const hlo_float_format *format, double value) {
    int exponent,
        least = 3 - (1 << (format->exponent_bits - 1)); /* of the smallest normal number */
    int most = 1 << (format->exponent_bits - 1);
    frexp(value, &exponent);
    if (value == 0 || exponent < least) exponent = least;
    return ldexp(1, (exponent > most ? most : exponent) - format->mantissa_bits - 1);
}

/* Infinity counts as the number after the largest. */
static double within_range(const hlo_float_format *format, double value) {
    double limit = ldexp(1, 1 << (format->exponent_bits - 1));
    return fabs(value) > limit ? copysign(limit, value) : value;
}

static double error_of(const hlo_float_format *format, double got, double wanted) {
    if (isnan(got) || isnan(wanted)) return isnan(got) && isnan(wanted) ? 0 : INFINITY;
    if (wanted == 0) return got == 0 && !signbit(got) == !signbit(wanted) ? 0 : INFINITY;
    if (isinf(wanted)) return got == wanted ? 0 : INFINITY;
    double distance = within_range(format, got) - within_range(format, wanted);
    return fabs(distance) / last_place(format, within_range(format, wanted));
}

/* ---- runs of one function over blocks ---- */

typedef struct {
    const function *of;
    hlo_type type;
    hlo_diags *diags;
    hlo_source *source;
    hlo_module *module;
    hlo_run *run;
    unsigned char operands[2][BLOCK * sizeof(double)];
    worst worst;
} session;

static session *begin(const function *of, hlo_type type) {
    session *s = calloc(1, sizeof *s);
    char text[300];
    const char *name = hlo_types[type].text;
    int length =
        snprintf(text, sizeof text,
                 "HloModule m ENTRY e { a = %s[%d] parameter(0) %s%s%s ROOT r = %s[%d] %s(a%s) }",
                 name, BLOCK, of->arity == 2 ? "b = " : "", of->arity == 2 ? name : "",
                 of->arity == 2 ? "[65536] parameter(1)" : "", name, BLOCK,
                 hlo_ops[of->opcode].text, of->arity == 2 ? ", b" : "");
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.isa = getenv("HLO_ISA");
    s->of = of;
    s->type = type;
    s->diags = hlo_diags_create(0);
    s->source = hlo_source_from_text("m", text, (size_t)length);
    if (hlo_parse(s->source, s->diags, &s->module) != HLO_OK ||
        hlo_run_prepare(s->module, &options, s->diags, &s->run) != HLO_OK) {
        printf("%s cannot be prepared\n", text);
        exit(1);
    }
    return s;
}

static void end(session *s) {
    hlo_run_free(s->run);
    hlo_module_free(s->module);
    hlo_source_free(s->source);
    hlo_diags_free(s->diags);
    free(s);
}

static const void *run(session *s) {
    static const int64_t dims[] = {BLOCK};
    hlo_array result;
    bool ok = true;
    for (uint32_t i = 0; i < s->of->arity; i++) {
        hlo_array array = {(hlo_element_type)hlo_types[s->type].proto_number, 1, dims, NULL,
                           s->operands[i]};
        ok = ok && hlo_run_set_input(s->run, 0, i, &array, s->diags) == HLO_OK;
    }
    ok = ok && hlo_run_execute(s->run, s->diags) == HLO_OK &&
         hlo_run_output(s->run, 0, 0, s->diags, &result) == HLO_OK;
    if (ok) return result.data;
    printf("%s does not run\n", hlo_ops[s->of->opcode].text);
    exit(1);
}

static double element(const session *s, const void *data, size_t k) {
    unsigned bytes = hlo_types[s->type].bytes;
    return hlo_float_decode(s->type, hlo_element_bits((const char *)data + k * bytes, bytes));
}

/* Of f64: infinity counts as right where the value is beyond its range. */
static double wide_error(double got, long double wanted) {
    if (isnan(got) || isnan(wanted)) return isnan(got) && isnan(wanted) ? 0 : INFINITY;
    if (wanted == 0) return got == 0 && !signbit(got) == !signbit(wanted) ? 0 : INFINITY;
    if (isinf(got) || isinf((double)wanted)) return got == (double)wanted ? 0 : INFINITY;
    int exponent;
    frexpl(wanted, &exponent);
    if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
    return (double)(fabsl(got - wanted) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static void judge_wide_block(session *s) {
    const double *a = (const double *)(const void *)s->operands[0], *results = run(s);
    for (size_t k = 0; k < BLOCK; k++) {
        long double wanted = s->of->wide(a[k]);
        double error = wide_error(results[k], wanted);
        if (error > s->worst.error) s->worst = (worst){error, a[k], 0, results[k], (double)wanted};
    }
}

static void judge_block(session *s) {
    const hlo_float_format *format = hlo_type_float_format(s->type);
    const void *results = run(s);
    for (size_t k = 0; k < BLOCK; k++) {
        double a = element(s, s->operands[0], k), b = element(s, s->operands[1], k);
        double got = element(s, results, k), wanted = s->of->library(a, b);
        double error = error_of(format, got, wanted);
        if (error > s->worst.error) s->worst = (worst){error, a, b, got, wanted};
    }
}

/* ---- operands ---- */

static void set(session *s, uint32_t operand, size_t k, uint64_t bits) {
    unsigned bytes = hlo_types[s->type].bytes;
    hlo_set_element_bits(s->operands[operand] + k * bytes, bytes, bits);
}

/* Special cases of operations of two operands, and numbers of usual size. */
static const double partners[] = {0,  -0.0, 1,  -1, INFINITY, -INFINITY, NAN,  0.5,    -0.5, 2,
                                  -2, 3,    -3, 7,  -1.5,     0.37,      1e-3, -25.25, 1e5,  65504};
enum { PARTNERS = sizeof partners / sizeof *partners };

/* All values of 16 bits, with each partner on each side. */
static void judge_small(session *s) {
    uint32_t times = s->of->arity == 2 ? 2 * PARTNERS : 1;
    for (uint32_t t = 0; t < times; t++) {
        uint32_t varied = t % 2;
        uint64_t partner = hlo_float_encode(s->type, partners[t / 2]);
        for (uint32_t k = 0; k < BLOCK; k++) {
            set(s, varied, k, k);
            set(s, !varied, k, partner);
        }
        judge_block(s);
    }
}

/* Every bits pattern in turn at a distance that gives `count` of them. */
static void judge_strided(session *s, uint64_t count) {
    uint64_t step = (UINT64_C(1) << 32) / count | 1, at = 0;
    for (uint64_t done = 0; done < count; done += BLOCK) {
        for (uint32_t k = 0; k < BLOCK; k++, at += step) set(s, 0, k, (uint32_t)at);
        judge_block(s);
    }
}

static uint64_t random_bits(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Any bits, usual sizes, bases near 1 with large exponents, and small integers and partners. */
static void set_pair(session *s, size_t k) {
    uint64_t bits = random_bits();
    uint32_t a = (uint32_t)bits, b = (uint32_t)(bits >> 32), one = hlo_f32_bits(1);
    float usual = ldexpf((float)(int32_t)b, -27), whole = (float)((int)(b & 63) - 32);
    switch (k % 5) {
    case 1:
        a = (a & 0x80000000) | (one - (1 << 24) + (a & 0x1ffffff)), b = hlo_f32_bits(usual);
        break;
    case 2: a = (one - (1 << 12) + (a & 0x1fff)), b = hlo_f32_bits(usual * 0x1p12f); break;
    case 3: b = hlo_f32_bits(whole); break;
    case 4: b = hlo_f32_bits((float)partners[b % PARTNERS]); break;
    default: break;
    }
    set(s, 0, k, a);
    set(s, 1, k, b);
}

static void judge_pairs(session *s, uint64_t count) {
    for (uint64_t done = 0; done < count; done += BLOCK) {
        for (uint32_t k = 0; k < BLOCK; k++) set_pair(s, k);
        judge_block(s);
    }
}

/* Any bits, and numbers of usual sizes: up to 1, 32 and 1024. */
static void judge_wide(session *s, uint64_t count) {
    for (uint64_t done = 0; done < count; done += BLOCK) {
        for (uint32_t k = 0; k < BLOCK; k++) {
            uint64_t bits = random_bits();
            double usual = ldexp((double)(int64_t)random_bits(), -63);
            static const int sizes[] = {0, 5, 10};
            set(s, 0, k, k % 4 ? hlo_f64_bits(ldexp(usual, sizes[k % 4 - 1])) : bits);
        }
        judge_wide_block(s);
    }
}

/* ---- all functions ---- */

/* In units of a smaller type, the error of f32 shrinks, and rounding adds one half. */
static double bound_of(const function *of, hlo_type type) {
    if (type == HLO_F64) return of->wide_bound;
    int lost = 23 - hlo_type_float_format(type)->mantissa_bits;
    return lost ? 0.5 + ldexp(of->bound, -lost) : of->bound;
}

static bool judge(const function *of, hlo_type type, uint64_t count, bool prints) {
    session *s = begin(of, type);
    if (type == HLO_F64) judge_wide(s, count);
    else if (type != HLO_F32) judge_small(s);
    else if (of->arity == 1) judge_strided(s, count);
    else judge_pairs(s, count);
    bool good = s->worst.error <= bound_of(of, type);
    if (prints || !good)
        printf("%-22s %-4s %.4f units of the last place, at most %.4f: (%a, %a) gives %a, not %a\n",
               hlo_ops[of->opcode].text, hlo_types[type].text, s->worst.error, bound_of(of, type),
               s->worst.a, s->worst.b, s->worst.got, s->worst.wanted);
    end(s);
    return good;
}

int main(int argc, char **argv) {
    static const hlo_type types[] = {HLO_BF16, HLO_F16, HLO_F32, HLO_F64};
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (types[t] == HLO_F64 && (!functions[i].wide || LDBL_MANT_DIG < 64)) continue;
            else if (judge(&functions[i], types[t], count ? count : 1, argc > 1)) passed++;
            else failed++;
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
