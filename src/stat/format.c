/* Figures as text: thousands, decimal and binary prefixes, units of time. */
#include <math.h>

#include "base/printable.h"
#include "stat/stat.h"

enum { THOUSAND = 1000, KIBI = 1024 };

/* Three digits. */
static void put_digits(hlo_buf *to, double value) {
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
        put_digits(to, value);
    }
    if (*units[unit]) hlo_buf_printf(to, " %s", units[unit]);
}

static void put_flops(hlo_buf *to, double value) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E", "Z", NULL};
    put_prefixed(to, value, THOUSAND, units);
}

static void put_bytes(hlo_buf *to, double value) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL};
    put_prefixed(to, value, KIBI, units);
}

static void put_seconds(hlo_buf *to, double value) {
    static const char *const units[] = {"ns", "us", "ms", "s", NULL};
    put_prefixed(to, value * 1e9, THOUSAND, units);
}

/* 1,234,567 */
static void put_count(hlo_buf *to, double value) {
    hlo_buf digits = HLO_BUF_INIT;
    hlo_buf_printf(&digits, "%.0f", value);
    for (size_t i = 0; i < digits.len; i++) {
        if (i && (digits.len - i) % 3 == 0) hlo_buf_char(to, ',');
        hlo_buf_char(to, digits.data[i]);
    }
    hlo_buf_free(&digits);
}

static void put_ratio(hlo_buf *to, double value) {
    if (value > 0 && value < 0.005) hlo_buf_printf(to, "%.1g", value);
    else put_digits(to, value);
}

static void put_percent(hlo_buf *to, double value) {
    hlo_buf_printf(to, "%.1f", value);
}

/* By kind; NULL: as it is. */
static void (*const put_readable[HLO_STAT_KINDS])(hlo_buf *to, double value) = {
    [HLO_STAT_COUNT] = put_count,     [HLO_STAT_TIMES] = put_count,
    [HLO_STAT_FLOPS] = put_flops,     [HLO_STAT_BYTES] = put_bytes,
    [HLO_STAT_SIZE] = put_bytes,      [HLO_STAT_SECONDS] = put_seconds,
    [HLO_STAT_PERCENT] = put_percent, [HLO_STAT_RATIO] = put_ratio,
};

void hlo_stat_put_plain(hlo_buf *to, double number) {
    const double most_exact = 9007199254740992.0; /* 2^53 */
    if (!isfinite(number)) return;
    bool is_whole = number == floor(number) && fabs(number) <= most_exact;
    hlo_buf_printf(to, is_whole ? "%.0f" : "%.15g", number);
}

static void put_number(hlo_buf *to, const hlo_stat_cell *cell, bool exact) {
    double size = fabs(cell->number);
    if (exact || !put_readable[cell->kind]) hlo_stat_put_plain(to, size);
    else put_readable[cell->kind](to, size);
}

void hlo_stat_put_label(hlo_buf *to, const hlo_stat_table *table, const hlo_stat_cell *cell) {
    size_t from = to->len;
    if (!cell->text.len) hlo_buf_lit(to, "(none)");
    hlo_stat_put_cell(to, cell, false, true);
    for (size_t i = from; hlo_stat_is_summary(table) && i < to->len; i++)
        if (to->data[i] == '_') to->data[i] = ' ';
}

void hlo_stat_put_cell(hlo_buf *to, const hlo_stat_cell *cell, bool is_change, bool exact) {
    if (cell->kind == HLO_STAT_TEXT) {
        hlo_put_printable(to, cell->text.ptr, cell->text.len);
    } else if (!isfinite(cell->number)) {
        hlo_buf_lit(to, "?");
    } else {
        if (cell->number < 0) hlo_buf_char(to, '-');
        if (is_change && cell->number > 0) hlo_buf_char(to, '+');
        put_number(to, cell, exact);
    }
}
