/* One spelling of numbers for all options: see number.h. */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

/* Digits, a fraction, an exponent: where they end; NULL without digits in front. */
static const char *end_of(const char *text, bool *is_plain) {
    size_t whole = strspn(text, digits), part = 0;
    const char *at = text + whole;
    *is_plain = *at != '.';
    if (*at == '.') {
        part = strspn(at + 1, digits);
        at += 1 + part;
    }
    if (!whole && !part) return NULL;
    size_t sign = (*at == 'e' || *at == 'E') && (at[1] == '+' || at[1] == '-');
    if ((*at == 'e' || *at == 'E') && strspn(at + 1 + sign, digits)) {
        at += 1 + sign;
        at += strspn(at, digits);
        *is_plain = false;
    }
    return at;
}

const char *number_read(const char *text, double *number) {
    bool is_plain;
    const char *end = end_of(text, &is_plain);
    if (end) *number = strtod(text, NULL);
    return end;
}

const char *number_read_whole(const char *text, uint64_t *number, bool *fits) {
    bool is_plain;
    const char *end = end_of(text, &is_plain);
    if (!end) return NULL;
    errno = 0;
    if (is_plain) {
        *number = strtoull(text, NULL, 10);
        *fits = !errno;
        return end;
    }
    double value = strtod(text, NULL);
    if (value != floor(value)) return NULL;
    *fits = value < 0x1p64;
    *number = *fits ? (uint64_t)value : UINT64_MAX;
    return end;
}

/* A number with the suffix K, M, G or T, optionally followed by B or iB: powers of 1024 bytes. */
const char *number_read_size(const char *text, uint64_t *bytes, bool *fits) {
    static const char units[] = "KMGT";
    double size;
    const char *end = number_read(text, &size);
    if (!end) return NULL;
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) size *= (double)(1ull << 10 * (unit - units + 1));
    if (unit) end++;
    if (unit && strncmp(end, "iB", 2) == 0) end++;
    if (*end == 'B') end++;
    if (!unit && number_read_whole(text, bytes, fits)) return end;
    *fits = size < 0x1p64;
    *bytes = *fits ? (uint64_t)size : UINT64_MAX;
    return end;
}
