/* Convolutions whose input is dilated: what lies between its elements is left out. Rows of the
 * result along the last dimension that are as far apart as the dilation meet the same elements of
 * the window, and form the tiles. Called by convolution.c. */
#include <string.h>

#include "base/pool.h"
#include "eval/kernels/convolution.h"

/* Rows that are computed together, fewer where their addresses were too many. */
enum { MOST_ROWS = 64, MOST_ADDRESSES = 1 << 16 };

/* ---- preparing ---- */

bool hlo_convolution_has_holes(const hlo_convolution *c) {
    for (uint32_t d = 0; d < c->spatial; d++)
        if (c->window[d].base_dilation > 1) return !hlo_convolution_is_grouped(c);
    return false;
}

static int64_t line_length(const hlo_convolution *c) {
    return c->out_sizes[c->spatial - 1];
}

void hlo_prepare_convolution_holes(hlo_preparation *p, hlo_convolution *c) {
    hlo_prepare_convolution_strips(p, c);
    c->period = hlo_window_period(&c->window[c->spatial - 1]);
    c->rows = MOST_ROWS;
    while (c->rows > HLO_GEMM_ROWS && c->rows > MOST_ADDRESSES / c->window_volume) c->rows /= 2;
    int64_t strips = c->rows / c->kernels->rows;
    c->rows = strips * c->kernels->rows;
    c->work_bytes = (size_t)(c->window_volume * (strips * HLO_GEMM_ROWS + 1)) * sizeof(void *);
    p->piece_bytes = c->work_bytes + hlo_visitor_bytes(c);
}

/* ---- running ---- */

/* Some rows of a line, `period` apart, of one group; elements of the window that meet the input. */
typedef struct {
    const hlo_convolution *c;
    hlo_window_visitor visitor;
    const void **addresses; /* [strips, window elements, HLO_GEMM_ROWS] */
    int64_t *elements, count;
    int64_t group, line, first, rows;
} stretch;

/* Whether element `w` of the window meets elements of the input, or its padding, and nothing that
 * lies between them. */
static bool meets_input(const stretch *s, int64_t w) {
    const hlo_convolution *c = s->c;
    int64_t line = s->line, o = s->first;
    for (uint32_t d = c->spatial; d-- > 0;) {
        const hlo_window_dim *dim = &c->window[d];
        int64_t at = o * dim->stride + w % dim->size * dim->window_dilation - dim->pad_low;
        if (at % dim->base_dilation) return false;
        w /= dim->size;
        if (!d) break;
        o = line % c->out_sizes[d - 1];
        line /= c->out_sizes[d - 1];
    }
    return true;
}

static void find_elements(stretch *s) {
    s->count = 0;
    for (int64_t w = 0; w < s->c->window_volume; w++)
        if (meets_input(s, w)) s->elements[s->count++] = w;
}

/* The number of row r among all rows of the result. */
static int64_t row_number(const stretch *s, int64_t r) {
    return s->line * line_length(s->c) + s->first + r * s->c->period;
}

static void find_addresses(stretch *s) {
    const hlo_convolution *c = s->c;
    for (int64_t r = 0; r < s->rows; r++)
        hlo_window_addresses(&s->visitor, s->group, row_number(s, r),
                             s->addresses +
                                 r / c->kernels->rows * c->window_volume * HLO_GEMM_ROWS +
                                 r % c->kernels->rows);
}

/* One element of the window, one strip of columns, j, and all strips of rows. */
static void multiply_element(const stretch *s, int64_t w, int64_t j, bool adds) {
    const hlo_convolution *c = s->c;
    int64_t run = c->deep / c->window_volume, unit = c->kernels->bytes, tall = c->kernels->rows;
    int64_t full = 2 * c->kernels->lanes, columns = hlo_smaller(full, c->wide - j);
    int64_t width = columns <= c->kernels->lanes ? c->kernels->lanes : full;
    for (int64_t i = 0; i < s->rows; i += tall) {
        char *to =
            c->sums + (row_number(s, i) * c->out_features + s->group * c->out_group) * c->sum_bytes;
        hlo_gemm_tile tile = {
            .rows = s->addresses + (i / tall * c->window_volume + w) * HLO_GEMM_ROWS,
            .segments = 1,
            .depth = run,
            .step = 1,
            .b = hlo_convolution_strips(c, s->group) + (j * c->deep + w * run * width) * unit,
            .c = to + j * unit,
            .c_stride = c->period * c->out_features * c->sum_bytes / unit,
            .adds = adds,
        };
        hlo_gemm_multiply_tile(c->kernels, &tile, hlo_smaller(tall, s->rows - i), columns);
    }
}

static void clear_rows(const stretch *s) {
    const hlo_convolution *c = s->c;
    for (int64_t r = 0; r < s->rows; r++)
        memset(c->sums +
                   (row_number(s, r) * c->out_features + s->group * c->out_group) * c->sum_bytes,
               0, (size_t)(c->out_group * c->sum_bytes));
}

static void multiply_stretch(stretch *s) {
    find_elements(s);
    if (!s->count) {
        clear_rows(s);
        return;
    }
    find_addresses(s);
    for (int64_t j = 0; j < s->c->wide; j += 2 * s->c->kernels->lanes)
        for (int64_t e = 0; e < s->count; e++) multiply_element(s, s->elements[e], j, e > 0);
}

/* ---- all stretches ---- */

/* Stretches of a line: those of each phase in turn, which is of the rows that are a period apart.
 */
static int64_t phases(const hlo_convolution *c) {
    return hlo_smaller(c->period, line_length(c));
}

static int64_t stretches_of_phase(const hlo_convolution *c) {
    return hlo_units(hlo_units(line_length(c), c->period), c->rows);
}

static int64_t lines(const hlo_convolution *c) {
    return c->out_batch * c->out_volume / line_length(c);
}

/* Number `at` among those of all lines of all groups; the last of a phase may have no rows. */
static void place_stretch(stretch *s, int64_t at) {
    const hlo_convolution *c = s->c;
    int64_t row = at % stretches_of_phase(c) * c->rows;
    int64_t of_all_lines = at / stretches_of_phase(c), phase = of_all_lines % phases(c);
    s->line = of_all_lines / phases(c) % lines(c);
    s->group = of_all_lines / phases(c) / lines(c);
    s->first = phase + row * c->period;
    s->rows = hlo_smaller(c->rows, hlo_units(line_length(c) - phase, c->period) - row);
}

static void convolve_stretches(void *context, int64_t first, int64_t last) {
    const hlo_convolution *c = context;
    char *memory = hlo_piece_take(c->call);
    stretch s = {.c = c, .visitor = hlo_new_visitor(c, memory), .addresses = (const void **)memory};
    s.elements =
        (int64_t *)(s.addresses + c->rows / c->kernels->rows * c->window_volume * HLO_GEMM_ROWS);
    for (int64_t at = first; at < last; at++) {
        place_stretch(&s, at);
        if (s.rows > 0) multiply_stretch(&s);
    }
    hlo_piece_leave(c->call, memory);
}

void hlo_convolve_holes(const hlo_convolution *c) {
    int64_t rows = hlo_smaller(c->rows, hlo_units(line_length(c), c->period));
    int64_t products = hlo_smaller(rows * c->wide, 1 << 20) * hlo_smaller(c->deep, 1 << 20);
    hlo_pack_convolution_kernel(c);
    hlo_parallel(c->groups * lines(c) * phases(c) * stretches_of_phase(c),
                 hlo_grain(products / 64 + 1), convolve_stretches, (void *)c);
}
