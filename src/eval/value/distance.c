/* Comparing arrays element by element, and summaries of arrays. See distance.h. */
#include "eval/value/distance.h"

#include <math.h>

#include "base/decimal.h"
#include "ir/float_types.h"

/* ---- elements as numbers ---- */

/* How the numbers of an array are stored: one for an element, or two of a complex one. */
typedef struct {
    hlo_type type; /* of a number */
    unsigned bytes;
    int parts;
    const hlo_float_format *format; /* NULL: integers */
} number_form;

static number_form form_of(hlo_type type) {
    number_form form = {type, hlo_types[type].bytes, 1, hlo_type_float_format(type)};
    if (!hlo_type_is_complex(type)) return form;
    form.type = type == HLO_C64 ? HLO_F32 : HLO_F64;
    form.bytes /= 2;
    form.parts = 2;
    return form;
}

static uint64_t bits_at(const number_form *form, const void *data, int64_t number) {
    return hlo_element_bits((const char *)data + number * form->bytes, form->bytes);
}

static double number_at(const number_form *form, const void *data, int64_t number) {
    uint64_t bits = bits_at(form, data, number);
    if (form->format) return hlo_float_decode(form->type, bits);
    if (hlo_types[form->type].class != HLO_CLASS_SIGNED) return (double)bits;
    unsigned shift = 64 - 8 * form->bytes;
    return (double)((int64_t)(bits << shift) >> shift);
}

/* ---- distances ---- */

/* Grows with the value, by one for each representable value; both zeros are 0. */
static int64_t order_of(const hlo_float_format *format, uint64_t bits) {
    bits &= format->mask;
    return bits & format->sign ? -(int64_t)(bits & ~format->sign) : (int64_t)bits;
}

static uint64_t ulps_between(const number_form *form, uint64_t a, uint64_t b) {
    int64_t x = order_of(form->format, a), y = order_of(form->format, b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

typedef struct {
    bool agrees, is_nan; /* is_nan: both are */
    double error, size;  /* the magnitude of the expected number */
    uint64_t ulps;
} distance;

static distance number_distance(const number_form *form, const hlo_literal *got,
                                const hlo_literal *expected, int64_t number,
                                const hlo_tolerance *tolerance) {
    uint64_t a = bits_at(form, got->data, number), b = bits_at(form, expected->data, number);
    double y = number_at(form, expected->data, number);
    uint64_t no_ulps = form->format ? 0 : UINT64_MAX;
    if (a == b) return (distance){true, isnan(y), 0, fabs(y), no_ulps};
    double x = number_at(form, got->data, number);
    if (!form->format) return (distance){false, false, fabs(x - y), fabs(y), no_ulps};
    bool is_nan = isnan(x) && isnan(y);
    if (x == y || is_nan) return (distance){true, is_nan, 0, fabs(y), 0};
    if (!isfinite(x) || !isfinite(y))
        return (distance){false, false, INFINITY, fabs(y), UINT64_MAX};
    distance d = {false, false, fabs(x - y), fabs(y), ulps_between(form, a, b)};
    d.agrees =
        d.error <= tolerance->atol + tolerance->rtol * fabs(y) || d.ulps <= tolerance->max_ulp;
    return d;
}

static distance element_distance(const number_form *form, const hlo_literal *got,
                                 const hlo_literal *expected, int64_t element,
                                 const hlo_tolerance *tolerance) {
    distance whole = number_distance(form, got, expected, element * form->parts, tolerance);
    if (form->parts == 1) return whole;
    distance other = number_distance(form, got, expected, element * 2 + 1, tolerance);
    whole.agrees &= other.agrees;
    whole.is_nan |= other.is_nan;
    whole.error = hypot(whole.error, other.error);
    whole.size = hypot(whole.size, other.size);
    if (other.ulps > whole.ulps) whole.ulps = other.ulps;
    /* The whole may be near where a part is not. */
    whole.agrees |=
        isfinite(whole.error) && whole.error <= tolerance->atol + tolerance->rtol * whole.size;
    return whole;
}

static int bin_of(uint64_t ulps) {
    int bin = 0;
    if (ulps == UINT64_MAX) return HLO_ULP_BINS - 1;
    for (; ulps; ulps >>= 1) bin++;
    return bin;
}

/* ---- tolerances ---- */

static double mean_magnitude(const number_form *form, const hlo_literal *array) {
    int64_t numbers = hlo_shape_elements(array->shape) * form->parts, finite = 0;
    double sum = 0;
    for (int64_t i = 0; i < numbers; i++) {
        double x = fabs(number_at(form, array->data, i));
        if (!isfinite(x)) continue;
        sum += x;
        finite++;
    }
    return finite ? sum / (double)finite : 0;
}

/* rtol and atol as numbers. */
static hlo_tolerance settle_tolerance(const number_form *form, const hlo_literal *expected,
                                      const hlo_tolerance *wanted) {
    hlo_tolerance allowed = *wanted;
    if (!wanted->auto_rtol || !form->format) return allowed;
    allowed.rtol = ldexp(1, -(form->format->mantissa_bits * 3 / 4));
    if (wanted->atol == 0) allowed.atol = allowed.rtol * mean_magnitude(form, expected);
    return allowed;
}

/* How many times the distance is what is allowed. */
static double excess_of(const distance *d, const hlo_tolerance *allowed) {
    double near = allowed->atol + allowed->rtol * d->size, excess = INFINITY;
    if (!isfinite(d->error)) return INFINITY;
    if (near == 0 && allowed->max_ulp == 0) return d->error;
    if (near > 0) excess = d->error / near;
    if (allowed->max_ulp) excess = fmin(excess, (double)d->ulps / (double)allowed->max_ulp);
    return excess;
}

/* What the user has asked for in numbers, to which a tolerance that would pass is an alternative.
 */
static hlo_tolerance without_auto(hlo_tolerance wanted) {
    if (wanted.auto_rtol) wanted.rtol = 0;
    wanted.auto_rtol = false;
    return wanted;
}

/* Takes an element into account. */
static void need(hlo_comparison *c, const number_form *form, const distance *d,
                 const hlo_tolerance *given) {
    if (!form->format || !isfinite(d->error)) {
        c->hopeless += d->error > 0;
        return;
    }
    if (d->error <= given->atol + given->rtol * d->size || d->ulps <= given->max_ulp) return;
    double beyond_atol = d->error - given->atol;
    c->needed_rtol = fmax(c->needed_rtol, d->size > 0 ? beyond_atol / d->size : INFINITY);
    c->needed_atol = fmax(c->needed_atol, d->error - given->rtol * d->size);
    if (d->ulps > c->needed_ulp) c->needed_ulp = d->ulps;
}

/* ---- arrays ---- */

hlo_comparison hlo_compare_arrays(const hlo_literal *got, const hlo_literal *expected,
                                  const hlo_tolerance *tolerance) {
    number_form form = form_of((hlo_type)got->shape->type);
    hlo_comparison c = {.elements = hlo_shape_elements(got->shape), .worst = -1};
    const hlo_tolerance given = without_auto(*tolerance);
    c.allowed = settle_tolerance(&form, expected, tolerance);
    double worst = 0;
    for (int64_t i = 0; i < c.elements; i++) {
        distance d = element_distance(&form, got, expected, i, &c.allowed);
        if (form.format) c.ulps[bin_of(d.ulps)]++;
        need(&c, &form, &d, &given);
        c.nans += d.agrees && d.is_nan;
        if (d.agrees) continue;
        c.different++;
        double excess = excess_of(&d, &c.allowed);
        bool is_worse = excess > worst || (excess == worst && d.error > c.worst_error);
        if (c.worst >= 0 && !is_worse) continue;
        c.worst = i;
        worst = excess;
        c.worst_error = d.error;
        c.worst_ulp = d.ulps;
    }
    return c;
}

/* ---- the report ---- */

void hlo_element_index_print(hlo_buf *to, const hlo_shape *shape, int64_t position) {
    int64_t stride = 1;
    for (uint32_t d = 0; d < shape->rank; d++) stride *= shape->dims[d];
    hlo_buf_char(to, '[');
    for (uint32_t d = 0; d < shape->rank; d++) {
        stride /= shape->dims[d];
        hlo_buf_printf(to, "%s%lld", d ? "," : "", (long long)(position / stride));
        position %= stride;
    }
    hlo_buf_char(to, ']');
}

static void print_element(hlo_buf *to, const hlo_literal *array, int64_t element) {
    number_form form = form_of((hlo_type)array->shape->type);
    if (form.parts == 2)
        hlo_buf_printf(to, "(%.9g, %.9g)", number_at(&form, array->data, 2 * element),
                       number_at(&form, array->data, 2 * element + 1));
    else hlo_buf_printf(to, "%.17g", number_at(&form, array->data, element));
}

static void print_histogram(hlo_buf *to, const hlo_comparison *comparison) {
    hlo_buf_lit(to, "  ulps:");
    for (int bin = 0; bin < HLO_ULP_BINS; bin++) {
        if (!comparison->ulps[bin]) continue;
        if (bin == HLO_ULP_BINS - 1) hlo_buf_lit(to, " none");
        else if (bin < 2) hlo_buf_printf(to, " %d", bin);
        else
            hlo_buf_printf(to, " %llu-%llu", 1ULL << (bin - 1),
                           (1ULL << (bin - 1)) - 1 + (1ULL << (bin - 1)));
        hlo_buf_printf(to, ": %llu;", (unsigned long long)comparison->ulps[bin]);
    }
    hlo_buf_char(to, '\n');
}

/* With three digits, rounded up: a tolerance that is read back is not smaller. Where a step of the
 * third digit is below the least double, three digits are exact. */
static void print_up(hlo_buf *to, double x) {
    double unit = pow(10, floor(log10(x)) - 2);
    double up = unit > 0 ? ceil(x / unit * (1 - 1e-13)) * unit : x;
    for (; isfinite(up); up += unit) {
        char text[HLO_NUMBER_SIZE];
        size_t n = (size_t)(hlo_put_g(text, up, 3) - text);
        if (hlo_decimal_text(text, n) < x) continue;
        hlo_buf_bytes(to, text, n);
        return;
    }
    hlo_buf_lit(to, "inf");
}

static void print_number_needed(hlo_buf *to, const char **before, const char *name, double x) {
    if (!isfinite(x) || x <= 0) return;
    hlo_buf_printf(to, "%s%s ", *before, name);
    print_up(to, x);
    *before = " or ";
}

/* Which tolerance would do, each beside the others that were given. */
static void print_needed(hlo_buf *to, const hlo_comparison *c) {
    if (c->hopeless) {
        hlo_buf_printf(to, "  no tolerance suffices: %lld %s not finite on both sides\n",
                       (long long)c->hopeless, c->hopeless == 1 ? "is" : "are");
        return;
    }
    const char *before = "  would pass: ";
    print_number_needed(to, &before, "rtol", c->needed_rtol);
    print_number_needed(to, &before, "atol", c->needed_atol);
    hlo_buf_printf(to, "%smax-ulp %llu\n", before, (unsigned long long)c->needed_ulp);
}

/* What --rtol=auto has meant. */
static void print_allowed(hlo_buf *to, const hlo_comparison *c, bool is_float) {
    if (!c->allowed.auto_rtol || !is_float) return;
    hlo_buf_printf(to, " (rtol %.3g, atol %.3g)", c->allowed.rtol, c->allowed.atol);
}

void hlo_worst_element_print(hlo_buf *to, const hlo_comparison *comparison, const hlo_literal *got,
                             const hlo_literal *expected) {
    HLO_ASSERT(comparison->worst >= 0);
    hlo_element_index_print(to, got->shape, comparison->worst);
    hlo_buf_lit(to, " got ");
    print_element(to, got, comparison->worst);
    hlo_buf_lit(to, ", expected ");
    print_element(to, expected, comparison->worst);
    hlo_buf_printf(to, ", error %.3g", comparison->worst_error);
    if (comparison->worst_ulp != UINT64_MAX)
        hlo_buf_printf(to, ", %llu ulp", (unsigned long long)comparison->worst_ulp);
}

static void print_worst(hlo_buf *to, const hlo_comparison *comparison, const hlo_literal *got,
                        const hlo_literal *expected) {
    hlo_buf_lit(to, "  worst: ");
    hlo_worst_element_print(to, comparison, got, expected);
    hlo_buf_char(to, '\n');
}

void hlo_comparison_print(hlo_buf *to, const char *name, const hlo_comparison *comparison,
                          const hlo_literal *got, const hlo_literal *expected) {
    bool is_float = form_of((hlo_type)got->shape->type).format != NULL;
    const char *plural = comparison->elements == 1 ? "" : "s";
    hlo_buf_printf(
        to, "%s: %lld ", name,
        (long long)(comparison->different ? comparison->different : comparison->elements));
    if (comparison->different)
        hlo_buf_printf(to, "of %lld element%s differ%s", (long long)comparison->elements, plural,
                       *plural ? "" : "s");
    else hlo_buf_printf(to, "element%s %s", plural, *plural ? "agree" : "agrees");
    if (comparison->nans)
        hlo_buf_printf(to, ", %lld %s NaN on both sides", (long long)comparison->nans,
                       comparison->nans == 1 ? "is" : "are");
    print_allowed(to, comparison, is_float);
    hlo_buf_char(to, '\n');
    if (!comparison->different) return;
    print_worst(to, comparison, got, expected);
    if (!is_float) return;
    print_histogram(to, comparison);
    print_needed(to, comparison);
}

/* ---- summaries ---- */

hlo_array_summary hlo_summarise_array(const hlo_literal *array) {
    number_form form = form_of((hlo_type)array->shape->type);
    hlo_array_summary s = {.numbers = hlo_shape_elements(array->shape) * form.parts,
                           .first_nan = -1,
                           .first_infinity = -1,
                           .least = INFINITY,
                           .greatest = -INFINITY};
    double sum = 0;
    for (int64_t i = 0; i < s.numbers; i++) {
        double x = number_at(&form, array->data, i);
        if (isnan(x)) {
            if (s.nans++ == 0) s.first_nan = i / form.parts;
            continue;
        }
        if (isinf(x) && s.infinities++ == 0) s.first_infinity = i / form.parts;
        if (x < s.least) s.least = x;
        if (x > s.greatest) s.greatest = x;
        sum += x;
    }
    s.mean = sum / (double)(s.numbers - s.nans);
    return s;
}

void hlo_summary_print(hlo_buf *to, const hlo_array_summary *s) {
    if (s->numbers > s->nans)
        hlo_buf_printf(to, "min %.6g max %.6g mean %.6g ", s->least, s->greatest, s->mean);
    hlo_buf_printf(to, "nan %lld", (long long)s->nans);
}
