/* Special functions whose formulas are repeated for coefficients, and those of two operands. */
#include "stablehlo/functions.h"

#include "ir/types.h"
#include "stablehlo/coefficients.h"
#include "stablehlo/formula.h"

static const double *values_of(const char *name) {
    return hlo_expansion_coefficients(hlo_str_from(name))->values;
}

/* ---- inverse of erf ---- */

/* M. Giles, Approximating the erfinv function: polynomials of w = -ln(1 - x^2), each in its range.
 */
static const char giles_w[] = "w = -log_plus_one(x * -x)";
static const char giles_end[] = "y = p * x; one = abs(x) == 1; select(one, x * inf, y)";

hlo_mlir_value *hlo_expand_erf_inv(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    const double *near = values_of("erf_inv_near"), *far = values_of("erf_inv_far");
    hlo_expansion f;
    hlo_expansion_begin(&f, e, operands[0]);
    hlo_expansion_set(&f, "x", operands[0]);
    hlo_expansion_run(&f, giles_w);
    hlo_expansion_run(&f, "small = w < 5; t = w - 2.5; w = select(small, t, sqrt(w) - 3)");
    for (int i = 0; i < 9; i++) {
        hlo_expansion_number(&f, "a", near[i]);
        hlo_expansion_number(&f, "b", far[i]);
        hlo_expansion_run(&f, i ? "p = select(small, a, b) + p * w" : "p = select(small, a, b)");
    }
    return hlo_expansion_run(&f, giles_end);
}

enum { GILES_FAR = 17, GILES_MIDDLE = 19, GILES_NEAR = 23 };

/* The coefficient of the ranges that have one of that power, as c. */
static void run_coefficient(hlo_expansion *f, int i) {
    hlo_expansion_number(f, "a", values_of("erf_inv_64_near")[i]);
    hlo_expansion_run(f, "c = a");
    if (i < GILES_MIDDLE) {
        hlo_expansion_number(f, "a", values_of("erf_inv_64_middle")[i]);
        hlo_expansion_run(f, "c = select(small, c, a)");
    }
    if (i < GILES_FAR) {
        hlo_expansion_number(f, "a", values_of("erf_inv_64_far")[i]);
        hlo_expansion_run(f, "c = select(middle, c, a)");
    }
}

hlo_mlir_value *hlo_expand_erf_inv_64(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    hlo_expansion f;
    hlo_expansion_begin(&f, e, operands[0]);
    hlo_expansion_set(&f, "x", operands[0]);
    hlo_expansion_run(&f, giles_w);
    hlo_expansion_run(&f, "small = w < 6.25; middle = w < 16; root = sqrt(w); t = w - 3.125;"
                          "u = root - select(middle, 3.25, 5); w = select(small, t, u)");
    for (int i = 0; i < GILES_NEAR; i++) {
        run_coefficient(&f, i);
        hlo_expansion_run(&f, i == 0             ? "p = c"
                              : i < GILES_FAR    ? "p = c + p * w"
                              : i < GILES_MIDDLE ? "p = select(middle, c + p * w, p)"
                                                 : "p = select(small, c + p * w, p)");
    }
    return hlo_expansion_run(&f, giles_end);
}

/* ---- gamma ---- */

/* C. Lanczos, A precision approximation of the gamma function, 1964, for g = 7: of z + 1, where z
 * is x - 1, or -x below 1/2, where the reflection formula follows. */
static const double lanczos_first = 0.99999999999980993227684700473478;
static const char lanczos_begin[] =
    "half = 0.5; reflected = x < half; n = -x; one = 1; m = x - one;"
    "z = select(reflected, n, m)";
/* ln(t) of t = z + 7.5 */
static const char lanczos_log[] =
    "g = 7.5; t = g + z; l = 2.0149030205422647; l = l + log_plus_one(z / g)";

static void run_lanczos(hlo_expansion *f, const char *sum) {
    const hlo_coefficients *c = hlo_expansion_coefficients(HLO_STR("lanczos"));
    for (size_t i = 0; i < c->count; i++) {
        hlo_expansion_number(f, "coefficient", c->values[i]);
        hlo_expansion_number(f, "index", (double)i + 1);
        hlo_expansion_run(f, sum);
    }
}

/* Of x below 1/2 it is ln pi - ln |sin pi x| - lgamma(1 - x), the sine by the distance from the
 * nearest integer. */
hlo_mlir_value *hlo_expand_lgamma(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    hlo_expansion f;
    hlo_expansion_begin(&f, e, operands[0]);
    hlo_expansion_set(&f, "x", operands[0]);
    hlo_expansion_number(&f, "first", lanczos_first);
    hlo_expansion_run(&f, lanczos_begin);
    hlo_expansion_run(&f, "a = first");
    run_lanczos(&f, "c = coefficient; k = index; a = a + c / (z + k)");
    hlo_expansion_run(&f, lanczos_log);
    hlo_expansion_run(
        &f, "q = t / l; r = (z + half - q) * l; la = log(a); y = 0.91893853320467266 + r + la;"
            "ax = abs(x); d = ax - floor(ax); high = half < d; d = select(high, one - d, d);"
            "s = log(sine(pi * d)); v = 1.1447298858494002 - s - y; finite = is_finite(s); n = -s;"
            "v = select(finite, v, n); y = select(reflected, v, y)");
    return hlo_expansion_run(&f, "infinite = is_inf(x); select(infinite, inf, y)");
}

/* The derivative; below 1/2 it is digamma(1 - x) - pi cot pi x. */
hlo_mlir_value *hlo_expand_digamma(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    hlo_expansion f;
    hlo_expansion_begin(&f, e, operands[0]);
    hlo_expansion_set(&f, "x", operands[0]);
    hlo_expansion_number(&f, "first", lanczos_first);
    hlo_expansion_run(&f, lanczos_begin);
    hlo_expansion_run(&f, "zero = 0; a = first; derivative = zero");
    run_lanczos(&f, "c = coefficient; k = index; t = z + k; derivative = derivative - c / (t * t); "
                    "a = a + c / t");
    hlo_expansion_run(&f, lanczos_log);
    hlo_expansion_run(
        &f,
        "q = derivative / a; s = 7 / t; y = l + q - s; d = x + abs(floor(x + 0.5)); p = pi;"
        "t = p * d; c = cosine(t); s = sine(t); v = y - p * c / s; y = select(reflected, v, y)");
    return hlo_expansion_run(&f,
                             "low = x <= zero; pole = low & x == floor(x); select(pole, nan, y)");
}

/* (-1)^(n + 1) n! zeta(n + 1, x) */
hlo_mlir_value *hlo_expand_polygamma(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    hlo_expansion f;
    hlo_expansion_begin(&f, e, operands[1]);
    hlo_expansion_set(&f, "n", operands[0]);
    hlo_expansion_set(&f, "x", operands[1]);
    hlo_expansion_run(&f, "one = 1; two = 2; s = two * (n % two) - one; m = n + one; factorial = "
                          "exponential(lgamma(m));"
                          "v = zeta(m, x); y = s * factorial * v; zero = 0; first = n == zero;"
                          "y = select(first, digamma(x), y)");
    return hlo_expansion_run(
        &f, "partial = n != floor(n); bad = partial | n < zero; select(bad, nan, y)");
}

/* ---- zeta ---- */

/* F. Johansson, Rigorous high-precision computation of the Hurwitz zeta function and its
 * derivatives, 2015, formula (5): ten terms of the sum, and the Euler-Maclaurin formula for the
 * rest by Horner's rule. */
enum { ZETA_FIRST_TERMS = 9 };

static void run_zeta_sum(hlo_expansion *f) {
    hlo_expansion_run(f, "zero = 0; one = 1; a = q; p = zero; n = -x; sum = power(q, n)");
    for (int i = 0; i < ZETA_FIRST_TERMS; i++)
        hlo_expansion_run(f, "a = a + one; p = power(a, n); sum = sum + p");
    hlo_expansion_run(f, "a = a + one; p = power(a, n); one_x = 1; integral = p * a / (x - one_x);"
                         "inverse = one / (a * a); horner = zero");
}

static void run_zeta_rest(hlo_expansion *f) {
    const hlo_coefficients *c = hlo_expansion_coefficients(HLO_STR("zeta"));
    double last = 2 * (double)c->count - 1;
    for (size_t i = 0; i + 1 < c->count; i++) {
        hlo_expansion_number(f, "first", last - 1 - 2 * (double)i);
        hlo_expansion_number(f, "second", last - 2 - 2 * (double)i);
        hlo_expansion_number(f, "coefficient", 1 / c->values[i]);
        hlo_expansion_run(
            f,
            "u = x + first; v = x + second; horner = u * v * (inverse * (horner + coefficient))");
    }
    hlo_expansion_number(f, "coefficient", 1 / c->values[c->count - 1]);
    hlo_expansion_run(f, "half = 0.5; t = x / a; t = p * (half + t * (coefficient + horner));"
                         "y = sum + integral + t");
}

hlo_mlir_value *hlo_expand_zeta(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    hlo_expansion f;
    hlo_expansion_begin(&f, e, operands[0]);
    hlo_expansion_set(&f, "x", operands[0]);
    hlo_expansion_set(&f, "q", operands[1]);
    run_zeta_sum(&f);
    run_zeta_rest(&f);
    hlo_expansion_run(
        &f, "ap = abs(p); as = abs(sum); done = ap < as * smallest; y = select(done, sum, y);"
            "undefined = nan; y = select(x < one_x, undefined, y); low = q <= zero; partial = x != "
            "floor(x);"
            "y = select(low & partial, undefined, y); infinite = inf; whole = q == floor(q);"
            "pole = low & whole; two = 2; whole = x == floor(x); even = x % two == zero; even = "
            "whole & even");
    return hlo_expansion_run(
        &f,
        "y = select(pole, select(even, infinite, undefined), y); select(x == one, infinite, y)");
}

/* ---- next after ---- */

/* By the bits as integers, whose order is that of magnitudes. */
hlo_mlir_value *hlo_expand_next_after(hlo_mlir_emitter *e, hlo_mlir_value *const *operands) {
    static const hlo_type integers[] = {HLO_S4, HLO_S8, HLO_S16, HLO_S32, HLO_S64};
    hlo_type element = operands[0]->type->element, integer = HLO_TYPE_COUNT;
    hlo_expansion f;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (hlo_types[integers[i]].bits == hlo_types[element].bits) integer = integers[i];
    if (integer == HLO_TYPE_COUNT) {
        e->fault = "of this element type";
        return operands[0];
    }
    hlo_mlir_op_id cast = HLO_MLIR_OP_STABLEHLO_BITCAST_CONVERT;
    hlo_mlir_value *x_bits = hlo_mlir_emit_as(e, cast, integer, operands[0]);
    hlo_mlir_value *y_bits = hlo_mlir_emit_as(e, cast, integer, operands[1]);
    uint64_t sign = UINT64_C(1) << (hlo_types[element].bits - 1);
    hlo_expansion_begin(&f, e, operands[0]);
    hlo_expansion_set(&f, "x", operands[0]);
    hlo_expansion_set(&f, "y", operands[1]);
    hlo_expansion_set(&f, "xi", x_bits);
    hlo_expansion_set(&f, "yi", y_bits);
    hlo_mlir_value *nan =
        hlo_expansion_run(&f, "x_nan = x != x; y_nan = y != y; none = x_nan | y_nan; nan");
    hlo_expansion_set(&f, "nan_bits", hlo_mlir_emit_as(e, cast, integer, nan));
    f.like = x_bits;
    f.element = integer;
    hlo_expansion_bits(&f, "sign_bit", integer == HLO_S4 ? 0xf8 : sign);
    hlo_expansion_bits(&f, "others", sign - 1);
    hlo_expansion_run(
        &f,
        "mask = sign_bit; rest = others; xm = xi & rest; ym = yi & rest; same = x == y; zero = 0;"
        "x_zero = xm == zero; y_zero = ym == zero; xs = xi & mask; ys = yi & mask; one = 1;"
        "least = ys | one; differ = xs != ys; larger = xm > ym; inwards = larger | differ; minus = "
        "-1;"
        "r = xi + select(inwards, minus, one); t = select(y_zero, yi, least); r = select(x_zero, "
        "t, r);"
        "r = select(same, yi, r)");
    return hlo_mlir_emit_as(e, cast, element, hlo_expansion_run(&f, "select(none, nan_bits, r)"));
}
