/* Figures for readers, as tables of text have them. */
#include <math.h>

#include <hlo/numbers.h>

#include "base/figure.h"
#include "diag/diag.h"

static void (*const put[])(hlo_buf *to, double value) = {
    [HLO_FIGURE_COUNT] = hlo_put_count,
    [HLO_FIGURE_FLOPS] = hlo_put_flops,
    [HLO_FIGURE_BYTES] = hlo_put_bytes,
    [HLO_FIGURE_SECONDS] = hlo_put_seconds,
};

static void write_figure(hlo_figure_kind kind, double figure, char *to) {
    hlo_buf text = HLO_BUF_INIT;
    if (figure < 0) hlo_buf_char(&text, '-');
    if (isinf(figure)) hlo_buf_lit(&text, "inf");
    else put[kind](&text, fabs(figure));
    size_t n = text.len < HLO_FIGURE_SIZE ? text.len : HLO_FIGURE_SIZE - 1;
    memcpy(to, text.data, n);
    to[n] = 0;
    hlo_buf_free(&text);
}

char *hlo_write_figure(hlo_figure_kind kind, double figure, char *to) {
    char *volatile place = to;
    if (!to || (unsigned)kind >= sizeof put / sizeof *put) return NULL;
    memcpy(to, "?", sizeof "?");
    HLO_API_CALL(NULL) return place;
    if (!isnan(figure)) write_figure(kind, figure, place);
    return place;
}
