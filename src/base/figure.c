/* Figures as text for readers: thousands, decimal and binary prefixes, units of time. */
#include "base/figure.h"

#include <math.h>

enum { THOUSAND = 1000, KIBI = 1024 };

void hlo_put_digits(hlo_buf *to, double value) {
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    hlo_buf_printf(to, "%.*f", decimals, value);
}

/* With the largest prefix that leaves a digit before the point. */
static void put_prefixed(hlo_buf *to, double value, double step, const char *const *units) {
    int unit = 0;
    if (value < step && value == floor(value)) {
        hlo_buf_printf(to, "%.0f", value);
    } else {
        while (units[unit + 1] && value >= step * 0.9995) value /= step, unit++;
        hlo_put_digits(to, value);
    }
    if (*units[unit]) hlo_buf_printf(to, " %s", units[unit]);
}

void hlo_put_flops(hlo_buf *to, double value) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E", "Z", NULL};
    put_prefixed(to, value, THOUSAND, units);
}

void hlo_put_bytes(hlo_buf *to, double value) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL};
    put_prefixed(to, value, KIBI, units);
}

void hlo_put_seconds(hlo_buf *to, double value) {
    static const char *const units[] = {"ns", "us", "ms", "s", NULL};
    put_prefixed(to, value * 1e9, THOUSAND, units);
}

void hlo_put_count(hlo_buf *to, double value) {
    hlo_buf digits = HLO_BUF_INIT;
    hlo_buf_printf(&digits, "%.0f", value);
    for (size_t i = 0; i < digits.len; i++) {
        if (i && (digits.len - i) % 3 == 0) hlo_buf_char(to, ',');
        hlo_buf_char(to, digits.data[i]);
    }
    hlo_buf_free(&digits);
}
