/* The inverse of erf, by M. Giles, Approximating the erfinv function, GPU Computing Gems 2, 2011:
 * polynomials in w = -ln((1 - x)(1 + x)), with separate coefficients for each piece. */
#include "build/lib/coefficients.h"
#include "build/lib/formula.h"
#include "build/lib/upcast.h"

static void set_coefficient(hlo_formula *f, const char *name, const char *table, size_t i) {
    const hlo_coefficients *c = hlo_coefficients_of(table);
    if (i < c->count) hlo_formula_set_number(f, name, c->values[i]);
}

static hlo_term coefficient_32(hlo_formula *f, size_t i) {
    set_coefficient(f, "near", "erf_inv_near", i);
    set_coefficient(f, "far", "erf_inv_far", i);
    return hlo_formula_run(f, "c = select(below, full(x, near), full(x, far))");
}

static hlo_term erf_inv_32(hlo_builder *b, hlo_term x) {
    hlo_formula f = hlo_formula_of(b, "x", &x);
    hlo_formula_run(&f, "w = -log1p(-x * x); below = w < 5;"
                        "w = select(below, w - 2.5, sqrt(w) - 3)");
    coefficient_32(&f, 0);
    hlo_formula_run(&f, "p = c");
    for (size_t i = 1; i < hlo_coefficients_of("erf_inv_near")->count; i++) {
        coefficient_32(&f, i);
        hlo_formula_run(&f, "p = c + p * w");
    }
    return hlo_formula_run(&f, "result = p * x; select(abs(x) == 1, x * max_value(x), result)");
}

static hlo_term coefficient_64(hlo_formula *f, size_t i) {
    set_coefficient(f, "near", "erf_inv_64_near", i);
    set_coefficient(f, "middle", "erf_inv_64_middle", i);
    set_coefficient(f, "far", "erf_inv_64_far", i);
    hlo_term c = hlo_formula_run(f, "c = full(x, near)");
    if (i < hlo_coefficients_of("erf_inv_64_middle")->count)
        c = hlo_formula_run(f, "c = select(below, c, full(x, middle))");
    if (i < hlo_coefficients_of("erf_inv_64_far")->count)
        c = hlo_formula_run(f, "c = select(below16, c, full(x, far))");
    return c;
}

static hlo_term erf_inv_64(hlo_builder *b, hlo_term x) {
    hlo_formula f = hlo_formula_of(b, "x", &x);
    size_t far = hlo_coefficients_of("erf_inv_64_far")->count;
    size_t middle = hlo_coefficients_of("erf_inv_64_middle")->count;
    hlo_formula_run(&f, "w = -log1p(-x * x); below = w < 6.25; below16 = w < 16; root = sqrt(w);"
                        "w = select(below, w - 3.125, root - select(below16, 3.25, 5))");
    coefficient_64(&f, 0);
    hlo_formula_run(&f, "p = c");
    for (size_t i = 1; i < hlo_coefficients_of("erf_inv_64_near")->count; i++) {
        coefficient_64(&f, i);
        hlo_formula_run(&f, i < far      ? "p = c + p * w"
                            : i < middle ? "p = select(below16, c + p * w, p)"
                                         : "p = select(below, c + p * w, p)");
    }
    return hlo_formula_run(&f, "result = p * x; select(abs(x) == 1, x * max_value(x), result)");
}

static hlo_term compute_erf_inv(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    return terms[0]->shape->type == HLO_F64 ? erf_inv_64(b, terms[0]) : erf_inv_32(b, terms[0]);
}

hlo_term hlo_lib_erf_inv(hlo_builder *b, hlo_term operand) {
    HLO_BUILDER_TAKES(b, operand);
    if (!hlo_lib_is_real_float(b, "ErfInv", operand)) return NULL;
    return hlo_lib_upcast(b, HLO_UPCAST_NARROW, &operand, 1, compute_erf_inv, NULL);
}
