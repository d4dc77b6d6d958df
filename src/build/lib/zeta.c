/* The Hurwitz zeta function and the polygamma functions, which are made of it. */
#include "build/lib/coefficients.h"
#include "build/lib/formula.h"
#include "build/lib/upcast.h"

/* ---- zeta ---- */

/* F. Johansson, Rigorous high-precision computation of the Hurwitz zeta function and its
 * derivatives, Numerical Algorithms 69, 2015, formula (5): ten terms of the sum, and the
 * Euler-Maclaurin formula for the rest, its powers of 1/a by Horner's rule. */
enum { FIRST_TERMS = 9 };

static void add_first_terms(hlo_formula *f) {
    hlo_formula_run(f, "acc = q; power = 0; S = pow(q, -x)");
    for (int i = 0; i < FIRST_TERMS; i++)
        hlo_formula_run(f, "acc = acc + 1; power = pow(acc, -x); S = S + power");
    hlo_formula_run(f, "acc = acc + 1; power = pow(acc, -x); I = power * acc / (x - 1)");
}

static void add_rest(hlo_formula *f) {
    const hlo_coefficients *c = hlo_coefficients_of("zeta");
    hlo_formula_run(f, "inverse = reciprocal(square(acc)); horner = 0; factor = 1");
    for (size_t i = 0; i + 1 < c->count; i++) {
        double k = (double)(2 * c->count - 1);
        hlo_formula_set_number(f, "first", k - 1 - 2 * (double)i);
        hlo_formula_set_number(f, "second", k - 2 - 2 * (double)i);
        hlo_formula_set_number(f, "coefficient", 1 / c->values[i]);
        hlo_formula_run(f, "factor = (x + first) * (x + second);"
                           "horner = factor * inverse * (horner + coefficient)");
    }
    hlo_formula_set_number(f, "coefficient", 1 / c->values[c->count - 1]);
    hlo_formula_run(f, "T = power * (0.5 + x / acc * (coefficient + horner)); whole = S + I + T");
}

static hlo_term compute_zeta(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "x q", terms);
    add_first_terms(&f);
    add_rest(&f);
    /* a pole at 1; no number below, nor for q <= 0 unless x is an integer, an even one at poles */
    return hlo_formula_run(
        &f, "y = select(abs(power) < abs(S) * epsilon(x), S, whole); y = select(x == 1, inf, y);"
            "y = select(x < 1, nan, y); outside = q <= 0 && x != floor(x);"
            "y = select(outside, nan, y); pole = q <= 0 && q == floor(q);"
            "even = x % 2 == 0 && x == floor(x); select(pole, select(even, inf, nan), y)");
}

hlo_term hlo_lib_zeta(hlo_builder *b, hlo_term x, hlo_term q) {
    HLO_BUILDER_TAKES(b, x, q);
    return hlo_lib_of_two(b, "Zeta", HLO_UPCAST_HALF, x, q, compute_zeta, NULL);
}

/* ---- polygamma ---- */

/* pi d^n/dx^n cot(pi x) for n from 1 to 4, of x moved into [-1/2, 1/2]. */
static const char reflection[] =
    "pi_ = pi; reduced = x + abs(floor(x + 0.5)); px = pi_ * reduced; s = sin(px); c = cos(px);"
    "s2 = s * s; s3 = s2 * s; s4 = s2 * s2; s5 = s4 * s; pi2 = pi_ * pi_; pi3 = pi2 * pi_;"
    "pi4 = pi2 * pi2; pi5 = pi4 * pi_; g1 = -(pi2 / s2); g2 = 2 * pi3 * c / s3;"
    "g3 = -2 * pi4 * (2 + cos(2 * px)) / s4; g4 = 8 * pi5 * c * (2 + c * c) / s5;"
    "first = n == 1; second = n == 2; third = n == 3;"
    "g = select(first, g1, select(second, g2, select(third, g3, g4)))";

/* (-1)^(n+1) n! zeta(n + 1, x); below zero psi_n(x) = (-1)^n psi_n(1 - x) - g. */
static hlo_term compute_polygamma(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "n x", terms);
    hlo_formula_run(&f, "n1 = n + 1; sign_ = 2 * (n % 2) - 1");
    hlo_formula_run(&f, reflection);
    hlo_formula_run(&f, "other = 1 - x; mirrored = -exp(lgamma(n1)) * zeta(n1, other);"
                        "mirrored = mirrored - g; negative = x < 0; inexact = x != floor(x);"
                        "in_range = n >= 1 && n <= 4; use = negative && inexact && in_range");
    return hlo_formula_run(&f, "y = select(n == 0, digamma(x), select(use, mirrored, sign_ * "
                               "exp(lgamma(n1)) * zeta(n1, x)));"
                               "select(n != floor(n) || n < 0, nan, y)");
}

hlo_term hlo_lib_polygamma(hlo_builder *b, hlo_term n, hlo_term x) {
    HLO_BUILDER_TAKES(b, n, x);
    return hlo_lib_of_two(b, "Polygamma", HLO_UPCAST_HALF, n, x, compute_polygamma, NULL);
}
