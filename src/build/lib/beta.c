/* The regularized incomplete beta function: a continued fraction (DLMF 8.17.22) by the algorithm of
 * I. Thompson and A. Barnett, Coulomb and Bessel functions of complex arguments and order, Journal
 * of Computational Physics 64, 1986. */
#include <float.h>

#include "build/lib/formula.h"
#include "build/lib/upcast.h"

typedef struct {
    int64_t most;     /* iterations, as in Cephes */
    double threshold; /* of relative change, and what zeros are replaced by */
} fraction;

/* The names of the loop's state. */
static const char state[] = "iteration unconverged c d h a b x";

/* ---- terms of the fraction ---- */

/* The iteration's number in every place. */
static void spread_iteration(hlo_formula *f) {
    hlo_term iteration = hlo_formula_get(f, "iteration"), x = hlo_formula_get(f, "x");
    if (!hlo_builder_failed(f->b))
        hlo_formula_set(f, "k", hlo_lib_spread(f->b, iteration, x->shape));
}

static void add_numerator(hlo_formula *f) {
    spread_iteration(f);
    hlo_formula_run(f, "even = k % full(k, 2) == full(k, 0); is_first = k == full(k, 1);"
                       "before = k - full(k, 1); m = before / full(before, 2)");
    hlo_term m = hlo_formula_get(f, "m"), x = hlo_formula_get(f, "x");
    if (hlo_builder_failed(f->b)) return;
    hlo_formula_set(f, "m", hlo_lib_convert(f->b, m, (hlo_type)x->shape->type));
    hlo_formula_run(f,
                    "one = full(a, 1); two = full(a, 2);"
                    "on_even = -(a + m) * (a + b + m) * x / ((a + two * m) * (a + two * m + one));"
                    "on_odd = m * (b - m) * x / ((a + two * m - one) * (a + two * m));"
                    "on_first = like(x, 1); numerator = select(is_first, on_first, select(even, "
                    "on_even, on_odd))");
}

/* 0, and 1 from the first iteration on. */
static void add_denominator(hlo_formula *f) {
    spread_iteration(f);
    hlo_formula_run(f, "denominator = select(k == like(k, 0), like(x, 0), like(x, 1))");
}

/* ---- the loop ---- */

static hlo_term goes_on(hlo_builder *b, const hlo_term *values, size_t count, void *context) {
    const fraction *loop = context;
    (void)count;
    hlo_formula f = hlo_formula_of(b, state, values);
    hlo_formula_set_number(&f, "most", (double)loop->most);
    return hlo_formula_run(&f, "iteration < most && unconverged");
}

static bool step(hlo_builder *b, const hlo_term *values, hlo_term *updated, size_t count,
                 void *context) {
    const fraction *loop = context;
    hlo_formula f = hlo_formula_of(b, state, values);
    f.like = hlo_formula_get(&f, "x");
    hlo_formula_set_number(&f, "threshold", loop->threshold);
    add_numerator(&f);
    add_denominator(&f);
    hlo_formula_run(&f, "c = denominator + numerator / c; small = full(c, threshold);"
                        "c = select(abs(c) < small, small, c); d = denominator + numerator * d;"
                        "d = select(abs(d) < small, small, d); d = reciprocal(d);"
                        "delta = c * d; h = h * delta; next = iteration + like(iteration, 1);"
                        "changes = abs(delta - full(delta, 1)) >= full(delta, threshold);"
                        "goes_on = any(changes)");
    static const char *const names[] = {"next", "goes_on", "c", "d", "h"};
    for (size_t i = 0; i < count; i++)
        updated[i] = i < 5 ? hlo_formula_get(&f, names[i]) : values[i];
    return !hlo_builder_failed(b);
}

static hlo_term fraction_of(hlo_formula *outer, fraction *loop) {
    hlo_builder *b = outer->b;
    hlo_formula f = *outer;
    hlo_formula_set_number(&f, "threshold", loop->threshold);
    hlo_formula_set(&f, "iteration", hlo_lib_integer(b, HLO_U32, 0));
    add_denominator(&f);
    hlo_formula_run(&f, "h = denominator; small = full(h, threshold);"
                        "h = select(abs(h) < small, small, h)");
    hlo_term one = hlo_lib_integer(b, HLO_U32, 1), yes = hlo_builder_constant_pred(b, true);
    hlo_term start = hlo_formula_get(&f, "h"), zero = hlo_formula_run(&f, "full(h, 0)");
    hlo_term values[] = {one,
                         yes,
                         start,
                         zero,
                         start,
                         hlo_formula_get(&f, "a"),
                         hlo_formula_get(&f, "b"),
                         hlo_formula_get(&f, "x")};
    if (!hlo_lib_while_loop(b, goes_on, step, (hlo_instrs_list){8, values}, "Betainc", loop,
                            values))
        return NULL;
    return values[4];
}

/* ---- the function ---- */

/* The fraction converges fast for x < (a + 1) / (a + b + 2); otherwise I(x; a, b) = 1 - I(1 - x; b,
 * a). */
static hlo_term compute_beta(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "a b x", terms);
    hlo_formula_run(&f, "outside = a <= 0 || b <= 0 || x < 0 || x > 1;"
                        "fast = x < (a + full(a, 1)) / (a + b + full(b, 2)); old_a = a;"
                        "a = select(fast, a, b); b = select(fast, b, old_a);"
                        "x = select(fast, x, full(x, 1) - x)");
    if (hlo_builder_failed(b)) return NULL;
    bool single = terms[0]->shape->type == HLO_F32;
    fraction loop = {.most = single ? 200 : 600,
                     .threshold = single ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2};
    hlo_formula_set(&f, "fraction", fraction_of(&f, &loop));
    return hlo_formula_run(&f,
                           "lbeta = lgamma(a) + lgamma(b) - lgamma(a + b);"
                           "y = fraction * exp(log(x) * a + log1p(-x) * b - lbeta) / a;"
                           "y = select(outside, nan_value(x), y); select(fast, y, full(y, 1) - y)");
}

hlo_term hlo_lib_regularized_incomplete_beta(hlo_builder *b, hlo_term a, hlo_term beta,
                                             hlo_term x) {
    HLO_BUILDER_TAKES(b, a, beta, x);
    static const char name[] = "RegularizedIncompleteBeta";
    if (!hlo_lib_same_shapes(b, name, a, beta) || !hlo_lib_same_shapes(b, name, a, x) ||
        !hlo_lib_is_real_float(b, name, a))
        return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    if (type != HLO_F32 && type != HLO_F64 && type != HLO_F16 && type != HLO_BF16)
        return hlo_builder_fail(b, HLO_RULE_ELEMENT_TYPE, "%s got unsupported element type %s",
                                name, hlo_types[type].text);
    return hlo_lib_upcast(b, HLO_UPCAST_HALF, (const hlo_term[]){a, beta, x}, 3, compute_beta,
                          NULL);
}
