/* Numbers and sizes as options have them, of programs and of passes. */
#include <math.h>

#include <hlo/numbers.h>

#include "base/decimal.h"
#include "base/text.h"

static const char *after_digits(const char *at) {
    while (hlo_is_digit(*at)) at++;
    return at;
}

/* Digits, a fraction, an exponent: where they end; NULL without digits in front. */
static const char *end_of(const char *text, bool *is_plain) {
    const char *at = after_digits(text), *point = at;
    if (*at == '.') at = after_digits(at + 1);
    if (point == text && at - point < 2) return NULL;
    *is_plain = at == point;
    if (*at != 'e' && *at != 'E') return at;
    const char *digits = at + 1 + (at[1] == '+' || at[1] == '-'), *end = after_digits(digits);
    if (end == digits) return at;
    *is_plain = false;
    return end;
}

const char *hlo_read_number(const char *text, double *number) {
    bool is_plain;
    const char *end = text ? end_of(text, &is_plain) : NULL;
    if (end) *number = hlo_decimal_start(text);
    return end;
}

/* The number times 2^shift. One that is not whole is refused, or its part is dropped. */
static const char *read_scaled(const char *text, unsigned shift, bool drops_part, uint64_t *out,
                               bool *fits) {
    bool is_plain = false;
    const char *end = end_of(text, &is_plain), *at = text;
    if (!end) return NULL;
    if (is_plain) {
        *fits = hlo_digits(&at, end, UINT64_MAX >> shift, out);
        *out <<= shift;
    } else {
        double value = ldexp(hlo_decimal_start(text), (int)shift);
        if (!drops_part && value != floor(value)) return NULL;
        *fits = value < 0x1p64;
        if (*fits) *out = (uint64_t)value;
    }
    if (!*fits) *out = UINT64_MAX;
    return end;
}

const char *hlo_read_whole(const char *text, uint64_t *number, bool *fits) {
    return text ? read_scaled(text, 0, false, number, fits) : NULL;
}

const char *hlo_read_size(const char *text, uint64_t *bytes, bool *fits) {
    static const char units[] = "KMGT";
    bool is_plain;
    const char *end = text ? end_of(text, &is_plain) : NULL;
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (!end || !read_scaled(text, shift, unit != NULL, bytes, fits)) return NULL;
    if (unit) end++;
    if (unit && strncmp(end, "iB", 2) == 0) end++;
    return end + (*end == 'B');
}
