/* The incomplete gamma functions and their derivatives: a power series, and a continued fraction,
 * as in Cephes; each is a loop that goes on while an element has not converged. */
#include <string.h>

#include "build/lib/formula.h"
#include "build/lib/upcast.h"

typedef enum { VALUE, DERIVATIVE, SAMPLE_DERIVATIVE } wanted;

/* A loop over named values, the first of which is the mask of elements still iterated. */
typedef struct {
    const char *names;     /* of the state */
    const char *condition; /* whether it goes on at all */
    const char *step;      /* NAME_ for each name is its next value */
    bool keeps_count;      /* `c` counts in every iteration */
    hlo_term like;
} masked_loop;

static hlo_term goes_on(hlo_builder *b, const hlo_term *values, size_t count, void *context) {
    const masked_loop *loop = context;
    (void)count;
    hlo_formula f = hlo_formula_of(b, loop->names, values);
    f.like = values[1];
    return hlo_formula_run(&f, loop->condition);
}

/* The value after the step, where the loop still went on. */
static hlo_term updated_value(hlo_formula *f, const char *name, size_t length, hlo_term old,
                              bool is_unmasked) {
    char next[32];
    memcpy(next, name, length);
    memcpy(next + length, "_", 2);
    hlo_term value = hlo_formula_get(f, next);
    if (is_unmasked || !value) return value ? value : old;
    return hlo_lib_select(f->b, hlo_formula_get(f, "enabled"), value, old);
}

static bool step(hlo_builder *b, const hlo_term *values, hlo_term *updated, size_t count,
                 void *context) {
    const masked_loop *loop = context;
    hlo_formula f = hlo_formula_of(b, loop->names, values);
    f.like = values[1];
    hlo_formula_run(&f, loop->step);
    const char *name = loop->names;
    for (size_t i = 0; i < count && !hlo_builder_failed(b); i++) {
        size_t length = strcspn(name, " ");
        bool is_unmasked = i == 0 || (length == 1 && *name == 'c' && loop->keeps_count);
        updated[i] = updated_value(&f, name, length, values[i], is_unmasked);
        name += length + strspn(name + length, " ");
    }
    return !hlo_builder_failed(b);
}

/* The terms of these names. */
static size_t terms_of(const hlo_formula *f, const char *names, hlo_term *terms) {
    size_t count = 0;
    char name[32];
    while (*names) {
        size_t length = strcspn(names, " ");
        memcpy(name, names, length);
        name[length] = 0;
        terms[count++] = hlo_formula_get(f, name);
        names += length + strspn(names + length, " ");
    }
    return count;
}

static size_t position_of(const char *names, const char *name) {
    size_t position = 0, length = strlen(name);
    while (strncmp(names, name, length) != 0 || (names[length] && names[length] != ' ')) {
        names += strcspn(names, " ");
        names += strspn(names, " ");
        position++;
    }
    return position;
}

/* Runs the loop from `start` on where `mask` holds, and while `enabled` holds: gives the
 * formula the last `ans` and `dans_da`. False after an error. */
static bool converge(hlo_formula *f, masked_loop loop, const char *mask, const char *start,
                     const char *enabled, const char *name) {
    char text[2048];
    hlo_term values[16];
    strcpy(text, loop.step);
    strcat(text, enabled);
    loop.step = text;
    hlo_formula_set(f, "enabled", hlo_formula_run(f, mask));
    hlo_formula_run(f, start);
    size_t n = terms_of(f, loop.names, values);
    if (!hlo_lib_while_loop(f->b, goes_on, step, (hlo_instrs_list){n, values}, name, &loop, values))
        return false;
    hlo_formula_set(f, "ans", values[position_of(loop.names, "ans")]);
    hlo_formula_set(f, "dans_da", values[position_of(loop.names, "dans_da")]);
    return true;
}

/* ---- the power series of the lower function ---- */

static const char series_step[] =
    "r_ = r + 1; dc_da_ = dc_da * (x / r_) + (-1 * c * x) / (r_ * r_);"
    "dans_da_ = dans_da + dc_da_; c_ = c * (x / r_); ans_ = ans + c_;"
    "x_ = x;";

static hlo_term series(hlo_formula *outer, const char *mask, wanted want) {
    masked_loop loop = {.names = "enabled r c ans x dc_da dans_da",
                        .condition = "any(enabled)",
                        .step = series_step};
    hlo_formula f = *outer;
    if (!converge(&f, loop, mask,
                  "r = a; c = full(a, 1); ans = full(a, 1); dc_da = full(a, 0);"
                  "dans_da = full(a, 0)",
                  want == VALUE ? "enabled_ = enabled && c_ / ans_ > epsilon(r)"
                                : "enabled_ = enabled && abs(dc_da_ / dans_da_) > epsilon(r)",
                  "igamma"))
        return NULL;
    if (want == VALUE) return hlo_formula_run(&f, "(ans * ax) / a");
    hlo_formula_run(&f, "dlogax_da = log(x) - digamma(a + 1)");
    return hlo_formula_run(&f, want == DERIVATIVE ? "ax * (ans * dlogax_da + dans_da) / a"
                                                  : "-(dans_da + ans * dlogax_da) * x / a");
}

/* ---- the continued fraction of the upper function ---- */

static const char fraction_names[] = "enabled ans t y z c pkm1 qkm1 pkm2 qkm2 dpkm2_da dqkm2_da "
                                     "dpkm1_da dqkm1_da dans_da";

static const char fraction_step[] =
    "c_ = c + 1; y_ = y + 1; z_ = z + 2; yc = y_ * c_; pk = pkm1 * z_ - pkm2 * yc;"
    "qk = qkm1 * z_ - qkm2 * yc; there = qk != 0; r = pk / qk;"
    "t_ = select(there, abs((ans - r) / r), full(t, 1)); ans_ = select(there, r, ans);"
    "dpk = dpkm1_da * z_ - pkm1 - dpkm2_da * yc + pkm2 * c_;"
    "dqk = dqkm1_da * z_ - qkm1 - dqkm2_da * yc + qkm2 * c_;"
    "dans_da_ = select(there, (dpk - ans_ * dqk) / qk, dans_da);"
    "change = select(there, abs(dans_da_ - dans_da), full(dans_da, 1));"
    "large = abs(pk) > reciprocal(epsilon(pk));"
    "pkm2_ = select(large, pkm1 * epsilon(pk), pkm1); pkm1_ = select(large, pk * epsilon(pk), pk);"
    "qkm2_ = select(large, qkm1 * epsilon(pk), qkm1); qkm1_ = select(large, qk * epsilon(pk), qk);"
    "dpkm2_da_ = select(large, dpkm1_da * epsilon(pk), dpkm1_da);"
    "dqkm2_da_ = select(large, dqkm1_da * epsilon(pk), dqkm1_da);"
    "dpkm1_da_ = select(large, dpk * epsilon(pk), dpk);"
    "dqkm1_da_ = select(large, dqk * epsilon(pk), dqk);";

/* The first two convergents and their derivatives. */
static const char fraction_start[] =
    "y = 1 - a; z = x + y + 1; c = 0; pkm2 = full(x, 1); qkm2 = x; pkm1 = x + 1; qkm1 = z * x;"
    "ans = pkm1 / qkm1; t = full(x, 1); dpkm2_da = full(x, 0); dqkm2_da = full(x, 0);"
    "dpkm1_da = full(x, 0); dqkm1_da = -x; dans_da = (dpkm1_da - ans * dqkm1_da) / qkm1";

static hlo_term fraction(hlo_formula *outer, const char *mask, wanted want) {
    masked_loop loop = {.names = fraction_names,
                        .condition = "c < 2000 && any(enabled)",
                        .step = fraction_step,
                        .keeps_count = true};
    hlo_formula f = *outer;
    if (!converge(&f, loop, mask, fraction_start,
                  want == VALUE ? "enabled_ = enabled && t_ > epsilon(pk)"
                                : "enabled_ = enabled && change > epsilon(pk)",
                  "igammac"))
        return NULL;
    if (want == VALUE) return hlo_formula_run(&f, "ans * ax");
    hlo_formula_run(&f, "dlogax_da = log(x) - digamma(a)");
    return hlo_formula_run(&f, want == DERIVATIVE ? "ax * (ans * dlogax_da + dans_da)"
                                                  : "-(dans_da + ans * dlogax_da) * x");
}

/* ---- the functions ---- */

/* The upper function is accurate for x > 1 and x > a, the lower one elsewhere; ax = x^a e^-x /
 * gamma(a) may underflow. */
static const char bounds[] =
    "no_number = is_nan(a) || is_nan(x); at_zero = x == 0; at_infinity = x == inf;"
    "outside = x < 0 || a <= 0; upper = x > 1 && x > a; ax = a * log(x) - x - lgamma(a);"
    "vanishes = ax < -log(max_finite(a)); ax = exp(ax);"
    "enabled = !(at_zero || outside || vanishes || no_number)";

static hlo_term compute_igamma(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "a x", terms);
    hlo_formula_run(&f, bounds);
    hlo_formula_run(&f, "one = 1");
    hlo_formula_set(&f, "above", fraction(&f, "enabled && upper", VALUE));
    hlo_formula_set(&f, "below", series(&f, "enabled && !upper", VALUE));
    return hlo_formula_run(&f, "y = select(upper, one - above, below);"
                               "y = select(at_zero, zeros(y), y);"
                               "y = select(at_infinity, full(y, 1), y);"
                               "select(outside || no_number, full(a, nan), y)");
}

hlo_term hlo_lib_igamma(hlo_builder *b, hlo_term a, hlo_term x) {
    HLO_BUILDER_TAKES(b, a, x);
    return hlo_lib_of_two(b, "Igamma", HLO_UPCAST_NARROW, a, x, compute_igamma, NULL);
}

static const char gradient_bounds[] =
    "no_number = is_nan(a) || is_nan(x); at_zero = x == 0; outside = x < 0 || a <= 0;"
    "upper = x > 1 && x > a; ax = a * log(x) - x - lgamma(a);"
    "vanishes = ax < -log(max_finite(a)); ax = exp(ax);"
    "enabled = !(at_zero || outside || vanishes || no_number)";

static hlo_term compute_gradient(hlo_builder *b, const hlo_term *terms, const void *context) {
    const wanted *want = context;
    hlo_formula f = hlo_formula_of(b, "a x", terms);
    hlo_formula_run(&f, gradient_bounds);
    hlo_formula_set(&f, "above", fraction(&f, "enabled && upper", *want));
    hlo_formula_set(&f, "below", series(&f, "enabled && !upper", *want));
    return hlo_formula_run(&f, "y = select(upper, -above, below);"
                               "y = select(at_zero, zeros(y), y);"
                               "select(outside || no_number, full(a, nan), y)");
}

hlo_term hlo_lib_igamma_grad_a(hlo_builder *b, hlo_term a, hlo_term x) {
    static const wanted want = DERIVATIVE;
    HLO_BUILDER_TAKES(b, a, x);
    return hlo_lib_of_two(b, "IgammaGradA", HLO_UPCAST_NARROW, a, x, compute_gradient, &want);
}

hlo_term hlo_lib_random_gamma_grad(hlo_builder *b, hlo_term a, hlo_term x) {
    static const wanted want = SAMPLE_DERIVATIVE;
    HLO_BUILDER_TAKES(b, a, x);
    return hlo_lib_of_two(b, "RandomGammaGrad", HLO_UPCAST_NARROW, a, x, compute_gradient, &want);
}

static hlo_term compute_igammac(hlo_builder *b, const hlo_term *terms, const void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "a x", terms);
    hlo_formula_run(&f, "outside = x <= 0 || a <= 0; lower = x < 1 || x < a;"
                        "ax = a * log(x) - x - lgamma(a); vanishes = ax < -log(max_finite(a));"
                        "enabled = !(outside || vanishes); ax = exp(ax); one = 1");
    hlo_formula_set(&f, "below", series(&f, "enabled && lower", VALUE));
    hlo_formula_set(&f, "above", fraction(&f, "enabled && !lower", VALUE));
    return hlo_formula_run(&f, "y = select(lower, one - below, above); at_infinity = x == inf;"
                               "y = select(at_infinity, zeros(y), y);"
                               "select(outside, full(a, 1), y)");
}

hlo_term hlo_lib_igammac(hlo_builder *b, hlo_term a, hlo_term x) {
    HLO_BUILDER_TAKES(b, a, x);
    return hlo_lib_of_two(b, "Igammac", HLO_UPCAST_NARROW, a, x, compute_igammac, NULL);
}
