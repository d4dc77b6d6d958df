/* Numbers at which rewrites go wrong, as bits of a float type: zeros, denormal, extreme, infinite,
 * nan; and how far two results are from each other. For special_values_test.c. */
#ifndef TESTS_UNIT_SPECIAL_VALUES_H
#define TESTS_UNIT_SPECIAL_VALUES_H

#include <math.h>

#include "ir/types.h"

enum { SPECIAL_COUNT = 31, ORDINARY_COUNT = 8 };

typedef struct {
    unsigned bytes, mantissa;
    uint64_t sign, infinity; /* bits */
} float_form;

/* False for types whose bits are not those of IEEE: they have other special values. */
static bool form_of(hlo_type type, float_form *form) {
    if (type != HLO_F16 && type != HLO_BF16 && type != HLO_F32 && type != HLO_F64) return false;
    unsigned bits = hlo_types[type].bits;
    form->bytes = bits / 8;
    form->mantissa = hlo_types[type].mantissa_bits;
    form->sign = (uint64_t)1 << (bits - 1);
    form->infinity = form->sign - ((uint64_t)1 << form->mantissa);
    return true;
}

/* A normal number of every type here. */
static uint64_t bits_of(const float_form *form, double number) {
    int exponent;
    unsigned exponent_bits = form->bytes * 8 - 1 - form->mantissa;
    double fraction = frexp(fabs(number), &exponent) * 2 - 1;
    uint64_t bias = ((uint64_t)1 << (exponent_bits - 1)) - 1;
    uint64_t digits = (uint64_t)llround(ldexp(fraction, (int)form->mantissa));
    uint64_t bits = ((bias + (uint64_t)(int64_t)(exponent - 1)) << form->mantissa) + digits;
    return number < 0 ? bits | form->sign : bits;
}

/* Each with both signs, but nan. The first eight are ordinary. */
static void special_bits(const float_form *form, uint64_t values[SPECIAL_COUNT]) {
    uint64_t one = bits_of(form, 1), normal = (uint64_t)1 << form->mantissa;
    const uint64_t magnitudes[] = {one,
                                   bits_of(form, 0.1),
                                   bits_of(form, 2.75),
                                   bits_of(form, 100.0),
                                   0,
                                   1,
                                   normal / 2 + 1,
                                   normal - 1,
                                   normal,
                                   one - 1,
                                   one + 1,
                                   normal + (one - normal) / 2,
                                   one + (form->infinity - one) / 2,
                                   form->infinity - 1,
                                   form->infinity};
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        values[n++] = magnitudes[i];
        values[n++] = magnitudes[i] | form->sign;
    }
    values[n] = form->infinity | normal / 2;
}

typedef struct {
    bool same,
        class_kept; /* every bit; finite, infinite, nan and the signs of zeros and of infinities */
    uint64_t ulps;  /* of two finite numbers */
} distance;

static distance distance_of(const float_form *form, uint64_t a, uint64_t b) {
    uint64_t x = a & ~form->sign, y = b & ~form->sign;
    distance d = {.same = a == b, .class_kept = true};
    if (x > form->infinity || y > form->infinity) {
        d.same = d.class_kept = x > form->infinity && y > form->infinity;
        return d;
    }
    bool opposite = ((a ^ b) & form->sign) != 0;
    if (x == form->infinity || y == form->infinity || (x == 0 && y == 0)) {
        d.class_kept = a == b;
        return d;
    }
    d.ulps = opposite ? x + y : x > y ? x - y : y - x;
    return d;
}

#endif
