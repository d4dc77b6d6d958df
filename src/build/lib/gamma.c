/* The logarithm of the gamma function and its derivative, by C. Lanczos, A precision approximation
 * of the gamma function, SIAM Journal on Numerical Analysis B 1, 1964. */
#include "build/lib/coefficients.h"
#include "build/lib/formula.h"
#include "build/lib/upcast.h"

/* ---- lgamma ---- */

/* ln((z + 1/2) ...) of z = x - 1, or below 1/2 of z = -x, whose value is reflected. */
static void add_lanczos_terms(hlo_formula *f, const char *term) {
    const hlo_coefficients *lanczos = hlo_coefficients_of("lanczos");
    for (size_t i = 0; i < lanczos->count; i++) {
        hlo_formula_set_number(f, "coefficient", lanczos->values[i]);
        hlo_formula_set_number(f, "index", (double)i);
        hlo_formula_run(f, term);
    }
}

static hlo_term compute_lgamma(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "x", terms);
    hlo_formula_run(&f, "half = 0.5; one = 1; pi_ = pi; log_pi = 1.1447298858494002;"
                        "log_sqrt_two_pi = 0.91893853320467267; g_half = 7.5;"
                        "log_g_half = 2.0149030205422647; sum = 0.99999999999980993227684700473478;"
                        "reflect = x < half; z = select(reflect, -x, x - one)");
    add_lanczos_terms(&f, "c = coefficient; k = index; sum = sum + c / (z + k + one)");
    /* (z + 1/2) ln(t) - t, in a form that does not overflow */
    hlo_formula_run(&f, "t = g_half + z; log_t = log_g_half + log1p(z / g_half);"
                        "log_y = log_sqrt_two_pi + (z + half - t / log_t) * log_t + log(sum)");
    /* lgamma(x) = ln(pi) - lgamma(1 - x) - ln|sin(pi x)|, of the distance to the next integer */
    hlo_formula_run(&f, "a = abs(x); part = a - floor(a);"
                        "reduced = select(part > 0.5, 1 - part, part);"
                        "denominator = log(sin(pi_ * reduced));"
                        "reflection = select(is_finite(denominator), log_pi - denominator - log_y,"
                        "                    -denominator)");
    return hlo_formula_run(&f, "result = select(reflect, reflection, log_y);"
                               "infinite = full(x, inf); select(is_inf(x), infinite, result)");
}

hlo_term hlo_lib_lgamma(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_is_real_float(b, "Lgamma", operand)) return NULL;
    return hlo_lib_upcast(b, HLO_UPCAST_NARROW, &operand, 1, compute_lgamma, NULL);
}

/* ---- digamma ---- */

static hlo_term compute_digamma(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "x", terms);
    hlo_formula_run(&f, "zero = 0; half = 0.5; one = 1; pi_ = pi; g = 7; g_half = 7.5;"
                        "log_g_half = 2.0149030205422647; sum = 0.99999999999980993227684700473478;"
                        "reflect = x < half; z = select(reflect, -x, x - one); num = zero");
    add_lanczos_terms(&f, "c = coefficient; k = index;"
                          "num = num - c / ((z + k + one) * (z + k + one));"
                          "sum = sum + c / (z + k + one)");
    hlo_formula_run(&f, "t = g_half + z; log_t = log_g_half + log1p(z / g_half);"
                        "y = log_t + num / sum - g / t");
    /* digamma(1 - x) - pi cot(pi x), of x moved into [-1/2, 1/2]; poles are NaN */
    hlo_formula_run(&f, "reduced = x + abs(floor(x + 0.5));"
                        "reflection = y - pi_ * cos(pi_ * reduced) / sin(pi_ * reduced)");
    return hlo_formula_run(&f, "result = select(reflect, reflection, y);"
                               "select(x <= zero && x == floor(x), full(x, nan), result)");
}

hlo_term hlo_lib_digamma(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_is_real_float(b, "Digamma", operand)) return NULL;
    return hlo_lib_upcast(b, HLO_UPCAST_NARROW, &operand, 1, compute_digamma, NULL);
}
