/* Floats as MLIR prints them: by the decimal digits of LLVM's APFloat, which are those of the
 * number multiplied by a power of five, cut to a number of digits before they are rounded. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "ir/float_types.h"
#include "mlir/print.h"

/* Of a double no more than 767 digits differ from zero. */
enum { MOST_DIGITS = 800, SIX = 6, MOST_ZEROS = 3 };

typedef struct {
    char digits[MOST_DIGITS]; /* the first one first */
    int n, exponent;          /* digits * 10^exponent */
    bool is_negative;
} decimal;

/* Binary digits of a significand, with the hidden one. */
static int precision_of(hlo_type type) {
    switch (type) {
    case HLO_F64: return 53;
    case HLO_F32: return 24;
    default: return hlo_type_float_format(type)->mantissa_bits + 1;
    }
}

/* All digits of a number other than zero, without zeros at the end, and the binary digits that they
 * have as a whole number. */
static void expand(decimal *d, double value, double *bits) {
    hlo_buf text = HLO_BUF_INIT;
    int exponent = 0, whole_exponent;
    hlo_buf_printf(&text, "%.*e", MOST_DIGITS - 2, fabs(value));
    hlo_buf_char(&text, '\0');
    d->is_negative = signbit(value) != 0;
    d->n = 0;
    const char *c = text.data;
    for (; *c != 'e'; c++)
        if (*c != '.') d->digits[d->n++] = *c;
    for (const char *digit = c + 2; *digit; digit++) exponent = 10 * exponent + (*digit - '0');
    if (c[1] == '-') exponent = -exponent;
    hlo_buf_free(&text);
    d->exponent = exponent - (d->n - 1);
    while (d->n > 1 && d->digits[d->n - 1] == '0') {
        d->n--;
        d->exponent++;
    }
    double significand = frexp(fabs(value), &whole_exponent);
    for (int i = 0; i < 53 && significand != floor(significand); i++) {
        significand *= 2;
        whole_exponent--;
    }
    *bits = log2(significand) + (whole_exponent < 0 ? -whole_exponent * log2(5) : whole_exponent);
}

/* Drops digits beyond what so many need, with the estimate of APFloat. */
static void cut(decimal *d, double log2_of_whole, int wanted) {
    int bits = (int)floor(log2_of_whole) + 1, needed = (wanted * 196 + 58) / 59;
    if (d->exponent > 0) { /* of a whole number the zeros at the end count as digits */
        while (d->exponent > 0 && d->n < MOST_DIGITS) {
            d->digits[d->n++] = '0';
            d->exponent--;
        }
    }
    if (bits > needed) {
        int dropped = (bits - needed) * 59 / 196;
        if (dropped >= d->n) dropped = d->n - 1;
        d->n -= dropped;
        d->exponent += dropped;
    }
    while (d->n > 1 && d->digits[d->n - 1] == '0') {
        d->n--;
        d->exponent++;
    }
}

/* To `wanted` digits; ties go away from zero. */
static void round_to(decimal *d, int wanted) {
    if (d->n <= wanted) return;
    bool up = d->digits[wanted] >= '5';
    d->exponent += d->n - wanted;
    d->n = wanted;
    if (up) {
        int i = wanted - 1;
        while (i >= 0 && d->digits[i] == '9') i--;
        if (i < 0) {
            d->digits[0] = '1';
            d->exponent += d->n;
            d->n = 1;
            return;
        }
        d->digits[i]++;
        d->exponent += d->n - 1 - i;
        d->n = i + 1;
    }
    while (d->n > 1 && d->digits[d->n - 1] == '0') {
        d->n--;
        d->exponent++;
    }
}

static decimal digits_of(double value, int wanted) {
    decimal d;
    double bits;
    expand(&d, value, &bits);
    cut(&d, bits, wanted);
    round_to(&d, wanted);
    return d;
}

/* 1.000000e+00 */
static void six_digits(char *text, double value) {
    if (value == 0) {
        strcpy(text, signbit(value) ? "-0.000000e+00" : "0.000000e+00");
        return;
    }
    decimal d = digits_of(value, SIX);
    char fraction[SIX + 1];
    for (int i = 0; i < SIX; i++) fraction[i] = i + 1 < d.n ? d.digits[i + 1] : '0';
    fraction[SIX] = '\0';
    int exponent = d.exponent + d.n - 1;
    sprintf(text, "%s%c.%se%c%02d", d.is_negative ? "-" : "", d.digits[0], fraction,
            exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

static bool is_scientific(const decimal *d, int wanted) {
    int top = d->exponent + d->n - 1;
    if (d->exponent >= 0) return d->exponent > MOST_ZEROS || d->n + d->exponent > wanted;
    return top < 0 && -top > MOST_ZEROS;
}

/* With as many digits as the type needs; without a point, where the number is whole. */
static void all_digits(hlo_buf *to, hlo_type type, double value) {
    int wanted = 2 + precision_of(type) * 59 / 196;
    decimal d = digits_of(value, wanted);
    if (d.is_negative) hlo_buf_char(to, '-');
    if (is_scientific(&d, wanted)) {
        int exponent = d.exponent + d.n - 1;
        hlo_buf_char(to, d.digits[0]);
        hlo_buf_char(to, '.');
        if (d.n == 1) hlo_buf_char(to, '0');
        hlo_buf_bytes(to, d.digits + 1, (size_t)d.n - 1);
        hlo_buf_printf(to, "E%c%d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
        return;
    }
    int whole = d.exponent + d.n;
    if (d.exponent >= 0) {
        hlo_buf_bytes(to, d.digits, (size_t)d.n);
        for (int i = 0; i < d.exponent; i++) hlo_buf_char(to, '0');
    } else if (whole > 0) {
        hlo_buf_bytes(to, d.digits, (size_t)whole);
        hlo_buf_char(to, '.');
        hlo_buf_bytes(to, d.digits + whole, (size_t)(d.n - whole));
    } else {
        hlo_buf_cstr(to, "0.");
        for (int i = 0; i < -whole; i++) hlo_buf_char(to, '0');
        hlo_buf_bytes(to, d.digits, (size_t)d.n);
    }
}

static bool reads_as(const char *text, hlo_type type, uint64_t bits) {
    double read = hlo_decimal_text(text, strlen(text));
    if (type == HLO_F32) return hlo_f32_bits((float)read) == (uint32_t)bits;
    return hlo_float_encode(type, read) == bits;
}

void hlo_mlir_print_float(hlo_buf *to, hlo_type type, double value, uint64_t bits) {
    char text[64];
    if (isfinite(value)) {
        six_digits(text, value);
        if (reads_as(text, type, bits)) {
            hlo_buf_cstr(to, text);
            return;
        }
        hlo_buf digits = HLO_BUF_INIT; /* `to` may drain into a file */
        all_digits(&digits, type, value);
        bool has_point = memchr(digits.data, '.', digits.len) != NULL;
        if (has_point) hlo_buf_bytes(to, digits.data, digits.len);
        hlo_buf_free(&digits);
        if (has_point) return;
    }
    hlo_buf_printf(to, "0x%llX", (unsigned long long)bits);
}
