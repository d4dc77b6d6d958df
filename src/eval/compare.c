/* Comparing arrays element by element, and summaries of arrays. See compare.h. */
#include "eval/compare.h"

#include <math.h>

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
    bool agrees;
    double error;
    uint64_t ulps;
} distance;

static distance number_distance(const number_form *form, const hlo_literal *got,
                                const hlo_literal *expected, int64_t number,
                                const hlo_tolerance *tolerance) {
    uint64_t a = bits_at(form, got->data, number), b = bits_at(form, expected->data, number);
    double x = number_at(form, got->data, number), y = number_at(form, expected->data, number);
    if (!form->format) return (distance){a == b, fabs(x - y), UINT64_MAX};
    if (x == y || (isnan(x) && isnan(y))) return (distance){true, 0, 0};
    if (!isfinite(x) || !isfinite(y)) return (distance){false, INFINITY, UINT64_MAX};
    distance d = {false, fabs(x - y), ulps_between(form, a, b)};
    d.agrees =
        d.error <= tolerance->atol + tolerance->rtol * fabs(y) || d.ulps <= tolerance->max_ulp;
    return d;
}

/* The whole of a complex element may be near where a part is not. */
static bool is_near(const number_form *form, const hlo_literal *expected, int64_t element,
                    const hlo_tolerance *tolerance, double error) {
    double re = number_at(form, expected->data, 2 * element);
    double im = number_at(form, expected->data, 2 * element + 1);
    return isfinite(error) && error <= tolerance->atol + tolerance->rtol * hypot(re, im);
}

static distance element_distance(const number_form *form, const hlo_literal *got,
                                 const hlo_literal *expected, int64_t element,
                                 const hlo_tolerance *tolerance) {
    distance whole = number_distance(form, got, expected, element * form->parts, tolerance);
    if (form->parts == 1) return whole;
    distance other = number_distance(form, got, expected, element * 2 + 1, tolerance);
    whole.agrees &= other.agrees;
    whole.error = hypot(whole.error, other.error);
    if (other.ulps > whole.ulps) whole.ulps = other.ulps;
    whole.agrees |= is_near(form, expected, element, tolerance, whole.error);
    return whole;
}

static int bin_of(uint64_t ulps) {
    int bin = 0;
    if (ulps == UINT64_MAX) return HLO_ULP_BINS - 1;
    for (; ulps; ulps >>= 1) bin++;
    return bin;
}

hlo_comparison hlo_compare_arrays(const hlo_literal *got, const hlo_literal *expected,
                                  const hlo_tolerance *tolerance) {
    number_form form = form_of((hlo_type)got->shape->type);
    hlo_comparison c = {.elements = hlo_shape_elements(got->shape), .worst = -1};
    for (int64_t i = 0; i < c.elements; i++) {
        distance d = element_distance(&form, got, expected, i, tolerance);
        if (form.format) c.ulps[bin_of(d.ulps)]++;
        if (d.agrees) continue;
        c.different++;
        if (c.worst >= 0 && d.error <= c.worst_error) continue;
        c.worst = i;
        c.worst_error = d.error;
        c.worst_ulp = d.ulps;
    }
    return c;
}

/* ---- the report ---- */

static void print_index(hlo_buf *to, const hlo_shape *shape, int64_t position) {
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

void hlo_comparison_print(hlo_buf *to, const char *name, const hlo_comparison *comparison,
                          const hlo_literal *got, const hlo_literal *expected) {
    hlo_buf_printf(to, "%s: ", name);
    if (!comparison->different) {
        hlo_buf_printf(to, "%lld elements agree\n", (long long)comparison->elements);
        return;
    }
    hlo_buf_printf(to, "%lld of %lld elements differ\n  worst: ", (long long)comparison->different,
                   (long long)comparison->elements);
    print_index(to, got->shape, comparison->worst);
    hlo_buf_lit(to, " got ");
    print_element(to, got, comparison->worst);
    hlo_buf_lit(to, ", expected ");
    print_element(to, expected, comparison->worst);
    hlo_buf_printf(to, ", error %.3g", comparison->worst_error);
    if (comparison->worst_ulp != UINT64_MAX)
        hlo_buf_printf(to, ", %llu ulp", (unsigned long long)comparison->worst_ulp);
    hlo_buf_char(to, '\n');
    if (form_of((hlo_type)got->shape->type).format) print_histogram(to, comparison);
}

/* ---- summaries ---- */

hlo_array_summary hlo_summarise_array(const hlo_literal *array) {
    number_form form = form_of((hlo_type)array->shape->type);
    hlo_array_summary s = {.numbers = hlo_shape_elements(array->shape) * form.parts,
                           .least = INFINITY,
                           .greatest = -INFINITY};
    double sum = 0;
    for (int64_t i = 0; i < s.numbers; i++) {
        double x = number_at(&form, array->data, i);
        if (isnan(x)) {
            s.nans++;
            continue;
        }
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
