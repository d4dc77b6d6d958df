/* Profiles as a picture: for each instruction the operations that it did per second over those that
 * it does for each byte, below what the machine can do at most. */
#include <math.h>

#include "base/math.h"
#include "host/profile.h"

/* Points of the picture. */
enum { WIDTH = 960, HEIGHT = 600, LEFT = 70, RIGHT = 280, TOP = 40, BOTTOM = 60, LABELS = 12 };
enum { LABEL_WIDTH = 34 };

/* Axes are logarithms: operations for a byte, operations per second. */
typedef struct {
    hlo_buf *to;
    const hlo_roofline *roof;
    int x_least, x_most, y_least, y_most; /* powers of ten */
} drawing;

static double x_of(const drawing *d, double intensity) {
    double at = (log10(intensity) - d->x_least) / (d->x_most - d->x_least);
    return LEFT + fmin(fmax(at, 0), 1) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const drawing *d, double per_second) {
    double at = (log10(per_second) - d->y_least) / (d->y_most - d->y_least);
    return HEIGHT - BOTTOM - fmin(fmax(at, 0), 1) * (HEIGHT - TOP - BOTTOM);
}

/* Text of a module may hold anything. */
static void put_escaped(hlo_buf *to, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '<') hlo_buf_lit(to, "&lt;");
        else if (c == '>') hlo_buf_lit(to, "&gt;");
        else if (c == '&') hlo_buf_lit(to, "&amp;");
        else if (c < ' ' || c >= 127) hlo_buf_char(to, '?');
        else hlo_buf_char(to, (char)c);
    }
}

/* ---- what is drawn of a row ---- */

typedef struct {
    double intensity, per_second;
    bool only_moves; /* it stands at the left edge, as far below the bandwidth as it is */
} place;

static bool has_place(const hlo_profile_row *row) {
    return !isnan(row->bytes) && row->bytes > 0 && row->total_seconds > 0;
}

static place place_of(const drawing *d, const hlo_profile_row *row) {
    double seconds = row->total_seconds / (double)row->calls;
    double operations = hlo_profile_operations(row);
    bool only_moves = operations <= 0;
    double intensity = only_moves ? pow(10, d->x_least) : operations / row->bytes;
    return (place){intensity, row->bytes / seconds * intensity, only_moves};
}

/* ---- axes ---- */

static void put_line(const drawing *d, double x1, double y1, double x2, double y2,
                     const char *style) {
    hlo_buf_printf(d->to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1,
                   x2, y2, style);
}

static void begin_text(const drawing *d, double x, double y, const char *style) {
    hlo_buf_printf(d->to, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
}

static void end_text(const drawing *d) {
    hlo_buf_lit(d->to, "</text>\n");
}

static void put_axes(const drawing *d) {
    static const char grid[] = "stroke=\"#ddd\"";
    for (int e = d->x_least; e <= d->x_most; e++) {
        double x = x_of(d, pow(10, e));
        put_line(d, x, TOP, x, HEIGHT - BOTTOM, grid);
        begin_text(d, x, HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"");
        hlo_buf_printf(d->to, "%g", pow(10, e));
        end_text(d);
    }
    for (int e = d->y_least; e <= d->y_most; e++) {
        double y = y_of(d, pow(10, e));
        put_line(d, LEFT, y, WIDTH - RIGHT, y, grid);
        begin_text(d, LEFT - 8, y + 4, "text-anchor=\"end\"");
        hlo_buf_printf(d->to, "%g", pow(10, e - 9));
        end_text(d);
    }
    begin_text(d, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor=\"middle\"");
    hlo_buf_printf(d->to, "operations for each byte read or written");
    end_text(d);
    begin_text(d, LEFT - 8, TOP - 14, "text-anchor=\"start\"");
    hlo_buf_printf(d->to, "10^9 operations (flops, functions) per second");
    end_text(d);
}

/* ---- the roof ---- */

static void put_bandwidth(const drawing *d, const hlo_bandwidth *memory) {
    double ridge = d->roof->flops / memory->per_second, first = pow(10, d->x_least);
    if (memory->per_second <= 0) return;
    double y = first * memory->per_second;
    put_line(d, x_of(d, first), y_of(d, y), x_of(d, ridge), y_of(d, d->roof->flops),
             "stroke=\"#555\" stroke-width=\"1.5\"");
    begin_text(d, x_of(d, first) + 6, y_of(d, y) - 6, "fill=\"#555\"");
    hlo_buf_printf(d->to, "%s, %.0f GB/s", memory->name, memory->per_second * 1e-9);
    end_text(d);
}

static void put_roof(const drawing *d) {
    double least = d->roof->memory[HLO_BANDWIDTHS - 1].per_second, first = d->roof->flops;
    for (int i = 0; i < HLO_BANDWIDTHS; i++) {
        put_bandwidth(d, &d->roof->memory[i]);
        least = fmax(least, d->roof->memory[i].per_second);
    }
    double y = y_of(d, d->roof->flops);
    put_line(d, x_of(d, least > 0 ? first / least : 1), y, WIDTH - RIGHT, y,
             "stroke=\"#555\" stroke-width=\"1.5\"");
    begin_text(d, WIDTH - RIGHT - 6, y - 6, "text-anchor=\"end\" fill=\"#555\"");
    hlo_buf_printf(d->to, "f32, %.0f GFLOP/s, %u thread%s, %s", d->roof->flops * 1e-9,
                   d->roof->threads, d->roof->threads == 1 ? "" : "s", d->roof->isa);
    end_text(d);
}

/* ---- rows ---- */

static void put_label(const drawing *d, const hlo_profile_row *row) {
    hlo_buf label = HLO_BUF_INIT;
    hlo_profile_put_label(&label, row);
    bool is_long = label.len > LABEL_WIDTH;
    put_escaped(d->to, label.data, is_long ? LABEL_WIDTH - 3 : label.len);
    if (is_long) hlo_buf_lit(d->to, "...");
    hlo_buf_free(&label);
}

/* Its area is the share of the time. */
static void put_row(const drawing *d, const hlo_profile_row *row, double share) {
    place at = place_of(d, row);
    hlo_buf_printf(d->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s><title>",
                   x_of(d, at.intensity), y_of(d, at.per_second), 3 + 16 * sqrt(share),
                   at.only_moves ? "fill=\"#d1701f\" fill-opacity=\"0.5\""
                                 : "fill=\"#2364aa\" fill-opacity=\"0.5\"");
    put_label(d, row);
    hlo_buf_printf(d->to, ": %.1f %% of the time, %.1f GB/s, %.1f GFLOP/s, %.0f %% of the roof",
                   100 * share, row->bytes * (double)row->calls / row->total_seconds * 1e-9,
                   row->flops * (double)row->calls / row->total_seconds * 1e-9,
                   100 * hlo_profile_reach(row, d->roof));
    hlo_buf_lit(d->to, "</title></circle>\n");
}

/* The longest ones, by number beside the picture and in it. */
static void put_list(const drawing *d, const hlo_profile_list *list) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < list->count && shown < LABELS; i++) {
        const hlo_profile_row *row = &list->rows[i];
        if (!has_place(row)) continue;
        place at = place_of(d, row);
        hlo_buf_printf(d->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%u</text>\n",
                       x_of(d, at.intensity), y_of(d, at.per_second) + 4, ++shown);
        hlo_buf_printf(d->to, "<text x=\"%d\" y=\"%u\">%u  %.1f %%  ", WIDTH - RIGHT + 12,
                       TOP + 20 * shown, shown, 100 * row->seconds / list->all);
        put_label(d, row);
        hlo_buf_lit(d->to, "</text>\n");
    }
}

/* ---- the picture ---- */

/* Whole powers of ten around the roof and all rows. */
static void choose_axes(drawing *d, const hlo_profile_list *list) {
    d->x_least = -2;
    d->x_most = 3;
    d->y_most = (int)ceil(log10(d->roof->flops));
    d->y_least = d->y_most - 5;
    for (uint32_t i = 0; i < list->count; i++) {
        const hlo_profile_row *row = &list->rows[i];
        if (!has_place(row)) continue;
        place at = place_of(d, row);
        int x = (int)ceil(log10(at.intensity)), y = (int)floor(log10(at.per_second));
        d->x_most = (int)hlo_smaller(hlo_larger(d->x_most, x), 6);
        d->y_least = (int)hlo_larger(hlo_smaller(d->y_least, y), d->y_most - 9);
    }
}

void hlo_profile_put_roofline(hlo_buf *to, const hlo_profile_list *list, const hlo_roofline *roof) {
    drawing d = {.to = to, .roof = roof};
    choose_axes(&d, list);
    hlo_buf_printf(to,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                   WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(&d);
    put_roof(&d);
    for (uint32_t i = 0; i < list->count; i++)
        if (has_place(&list->rows[i]))
            put_row(&d, &list->rows[i], list->rows[i].seconds / list->all);
    put_list(&d, list);
    hlo_buf_lit(to, "</svg>\n");
}
