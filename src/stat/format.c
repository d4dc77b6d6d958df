/* Cells of tables as text. */
#include <math.h>

#include "base/figure.h"
#include "base/printable.h"
#include "stat/stat.h"

static void put_ratio(hlo_buf *to, double value) {
    if (value > 0 && value < 0.005) hlo_buf_printf(to, "%.1g", value);
    else hlo_put_digits(to, value);
}

static void put_percent(hlo_buf *to, double value) {
    hlo_buf_printf(to, "%.1f", value);
}

/* By kind; NULL: as it is. */
static void (*const put_readable[HLO_STAT_KINDS])(hlo_buf *to, double value) = {
    [HLO_STAT_COUNT] = hlo_put_count, [HLO_STAT_TIMES] = hlo_put_count,
    [HLO_STAT_FLOPS] = hlo_put_flops, [HLO_STAT_BYTES] = hlo_put_bytes,
    [HLO_STAT_SIZE] = hlo_put_bytes,  [HLO_STAT_SECONDS] = hlo_put_seconds,
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
