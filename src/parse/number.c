/* Scanning of numbers: decimal floats, integers, nan payloads, and the tokens that start like one.
 */
#include "parse/number.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/floats.h"
#include "base/text.h"

/* Digits of a number as they are read: the first 19 significant ones and what to scale them by. */
typedef struct {
    uint64_t value;
    uint32_t
        significant; /* digits in value, without zeros in front; beyond 19: not all are in it */
    int64_t exponent;
} decimal_digits;

enum { DIGITS_THAT_FIT = 19, LARGEST_EXPONENT = 1000000 };

static inline const char *read_digits(const char *at, decimal_digits *d) {
    for (; hlo_is_digit(*at); at++) {
        if (d->significant >= DIGITS_THAT_FIT) {
            d->significant++;
            continue;
        }
        d->value = d->value * 10 + (uint64_t)(*at - '0');
        d->significant += d->value != 0;
    }
    return at;
}

/* An exponent at `at`, or `at` itself when there is none. */
static const char *read_exponent(const char *at, int64_t *exponent) {
    const char *p = at + 1;
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    if (!hlo_is_digit(*p)) return at;
    int64_t value = 0;
    for (; hlo_is_digit(*p); p++)
        if (value < LARGEST_EXPONENT) value = value * 10 + (*p - '0');
    *exponent += negative ? -value : value;
    return p;
}

static double decimal_value(const char *from, const char *to, bool negative,
                            const decimal_digits *d) {
    double value;
    if (d->significant > DIGITS_THAT_FIT || d->exponent > LARGEST_EXPONENT ||
        d->exponent < -LARGEST_EXPONENT ||
        !hlo_decimal_to_double(d->value, (int)d->exponent, &value))
        value = d->significant ? hlo_decimal_text(from, (size_t)(to - from)) : 0;
    return negative ? -value : value;
}

/* The patterns of 1.2 that start with digits; each returns the end or NULL. */
static const char *match_set(const char *at, const char *letters, int least) {
    const char *p = at;
    while (hlo_is_digit(*p) || (*p && strchr(letters, *p))) p++;
    return p - at >= least ? p : NULL;
}

static const char *match_dim_labels(const char *at) {
    const char *p = match_set(at, "bf?", 2);
    if (!p || *p != '_') return NULL;
    p = match_set(p + 1, "io?", 2);
    if (!p || p[0] != '-' || p[1] != '>') return NULL;
    return match_set(p + 2, "bf?", 2);
}

static const char *match_digits(const char *at) {
    const char *p = at;
    while (hlo_is_digit(*p)) p++;
    return p > at ? p : NULL;
}

static const char *match_times(const char *at) {
    const char *p = match_digits(at), *end = NULL;
    while (p && *p == 'x' && (p = match_digits(p + 1))) end = p;
    return end;
}

static const char *match_padding(const char *at) {
    const char *end = NULL, *p = at;
    for (;;) {
        p = match_digits(p + (*p == '-'));
        if (!p || *p != '_') return end;
        p = match_digits(p + 1 + (p[1] == '-'));
        if (!p) return end;
        const char *interior = *p == '_' ? match_digits(p + 1) : NULL;
        end = p = interior ? interior : p;
        if (*p != 'x') return end;
        p++;
    }
}

/* Digits that are followed by one of these may belong to one of the patterns above. */
static bool may_be_pattern(char c) {
    return c == 'x' || c == '_' || c == 'b' || c == 'f' || c == '?';
}

static hlo_number bad_number(const char *end, const char *problem) {
    return (hlo_number){HLO_NUMBER_BAD, end, .problem = problem};
}

/* The value of the digits as XLA keeps it: without a sign an unsigned, with one a signed number. */
static bool integer_value(const char *digits, const char *end, bool negative,
                          const decimal_digits *d, int64_t *out) {
    uint64_t value = d->value;
    if (d->significant > DIGITS_THAT_FIT && !hlo_digits(&digits, end, UINT64_MAX, &value))
        return false; /* 20 digits may still fit */
    if (negative && value > UINT64_C(1) << 63) return false;
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}

static hlo_number integer_token(const char *at, const char *digits, const char *end,
                                const decimal_digits *d) {
    if (may_be_pattern(*end)) {
        const char *other = match_dim_labels(at);
        if (!other) other = match_times(at);
        if (!other) other = match_padding(at);
        if (other) return (hlo_number){HLO_NUMBER_PATTERN, other, .integer = 0};
    }
    hlo_number out = {HLO_NUMBER_INT, end, .integer = 0};
    if (!integer_value(digits, end, digits > at, d, &out.integer))
        return bad_number(end, "this integer does not fit 64 bits");
    return out;
}

hlo_number hlo_scan_nan(const char *at, bool negative) {
    uint64_t mantissa = UINT64_C(1) << 51, limit = UINT64_C(1) << 52;
    if (*at == '(') {
        const char *p = at + 1;
        if (p[0] != '0' || p[1] != 'x')
            return bad_number(at, "the payload of a nan is written nan(0x...)");
        const char *digits = p += 2;
        mantissa = 0;
        for (;; p++) {
            unsigned value = hlo_digit_value(*p);
            if (value == 16) break;
            if (mantissa < limit) mantissa = mantissa * 16 + value;
        }
        if (p == digits || *p != ')')
            return bad_number(p, "the payload of a nan is written nan(0x...)");
        at = p + 1;
        if (mantissa == 0 || mantissa >= limit)
            return bad_number(at, "the payload of a nan is from 0x1 to 0xfffffffffffff");
    }
    uint64_t sign = (uint64_t)negative << 63;
    return (hlo_number){HLO_NUMBER_DECIMAL, at,
                        .decimal = hlo_f64_from_bits(sign | UINT64_C(0x7ff) << 52 | mantissa)};
}

static hlo_number minus_word(const char *at) {
    if (strncmp(at, "-inf", 4) == 0)
        return (hlo_number){HLO_NUMBER_INFINITY, at + 4, .decimal = -(double)INFINITY};
    if (strncmp(at, "-nan", 4) == 0) return hlo_scan_nan(at + 4, true);
    return bad_number(at + 1, "'-' is not followed by a number");
}

hlo_number hlo_scan_number(const char *at) {
    bool negative = *at == '-';
    const char *digits = at + negative;
    decimal_digits d = {0, 0, 0};
    const char *end = read_digits(digits, &d);
    bool is_float = false, any = end > digits;
    if (*end == '.') {
        const char *fraction = end + 1, *stop = read_digits(fraction, &d);
        if (any || stop > fraction) {
            d.exponent = fraction - stop;
            end = stop;
            is_float = any = true;
        }
    }
    if (any && (*end | 0x20) == 'e') {
        const char *stop = read_exponent(end, &d.exponent);
        is_float |= stop > end;
        end = stop;
    }
    if (is_float)
        return (hlo_number){HLO_NUMBER_DECIMAL, end,
                            .decimal = decimal_value(digits, end, negative, &d)};
    if (any) return integer_token(at, digits, end, &d);
    return minus_word(at);
}

bool hlo_read_int64(const char *text, size_t n, int64_t *out) {
    bool negative = n && *text == '-';
    decimal_digits d = {0, 0, 0};
    for (size_t i = negative; i < n; i++) {
        if (d.significant < DIGITS_THAT_FIT) d.value = d.value * 10 + (uint64_t)(text[i] - '0');
        d.significant += d.value != 0;
    }
    return integer_value(text + negative, text + n, negative, &d, out);
}

bool hlo_read_double(const char *text, size_t n, double *out) {
    bool negative = n && *text == '-';
    bool is_nan = n > negative && text[negative] == 'n';
    hlo_number number =
        is_nan ? hlo_scan_nan(text + negative + 3, negative) : hlo_scan_number(text);
    if (number.kind == HLO_NUMBER_INT) number.decimal = (double)number.integer;
    else if (number.kind != HLO_NUMBER_DECIMAL) return false;
    *out = number.decimal;
    return true;
}
