/* Strips of a convolution: rows of the result are taken `period` apart where the input is dilated,
 * since these meet the same elements of the window; stretches of rows that meet the same lie
 * together in groups of those that meet nearly the same. */
#include "eval/kernels/convolution/convolution_strips.h"

/* ---- memory ---- */

/* Runs are apart, so there are at most half as many as elements. */
static int64_t most_runs(const hlo_convolution *c) {
    return (c->window_volume + 1) / 2;
}

static size_t address_bytes(const hlo_convolution *c) {
    return (size_t)(c->window_volume * HLO_GEMM_ROWS) * sizeof(void *);
}

static size_t run_bytes(const hlo_convolution *c) {
    return (size_t)(most_runs(c) * HLO_GEMM_ROWS) * sizeof(hlo_element_run);
}

size_t hlo_strips_bytes(const hlo_convolution *c, int64_t count) {
    return (size_t)count * (sizeof(hlo_strip) + address_bytes(c) + run_bytes(c)) +
           (size_t)most_runs(c) * sizeof(hlo_element_run) +
           (HLO_GEMM_ROWS + 2) * (c->spatial + 1) * sizeof(hlo_window_span) +
           c->spatial * sizeof(int64_t);
}

/* From the addresses of a row to those of the next one of a stretch; 0 where no two rows meet the
 * input, so far are they apart. */
static int64_t row_shift(const hlo_convolution *c) {
    if (!c->spatial) return 0;
    const hlo_window_dim *dim = &c->window[c->spatial - 1];
    int64_t places = dim->stride / (dim->base_dilation / c->period), bytes;
    return __builtin_mul_overflow(places, c->features * c->bytes, &bytes) ? 0 : bytes;
}

hlo_strip_finder hlo_new_strips(const hlo_convolution *c, int64_t count, char *memory) {
    uint32_t spans = c->spatial + 1;
    hlo_strip_finder f = {.c = c, .strips = (hlo_strip *)memory};
    memory += (size_t)count * sizeof(hlo_strip);
    for (int64_t i = 0; i < count; i++, memory += address_bytes(c) + run_bytes(c)) {
        f.strips[i].addresses = (const void **)memory;
        f.strips[i].runs = (hlo_element_run *)(memory + address_bytes(c));
    }
    f.spare = (hlo_element_run *)memory;
    f.spans = (hlo_window_span *)(f.spare + most_runs(c));
    f.box = f.spans + HLO_GEMM_ROWS * spans;
    f.joined = f.box + spans;
    f.index = (int64_t *)(f.joined + spans);
    f.row_shift = row_shift(c);
    return f;
}

/* ---- which rows ---- */

/* Rows of the result that are counted together: those of the last dimension, or all. */
static int64_t line_length(const hlo_convolution *c) {
    return c->period > 1 ? c->out_sizes[c->spatial - 1] : c->out_batch * c->out_volume;
}

static int64_t phases(const hlo_convolution *c) {
    return hlo_smaller(c->period, line_length(c));
}

static int64_t strips_of_phase(const hlo_convolution *c) {
    return hlo_units(hlo_units(line_length(c), c->period), c->kernels->rows);
}

int64_t hlo_count_strips(const hlo_convolution *c) {
    return c->out_batch * c->out_volume / line_length(c) * phases(c) * strips_of_phase(c);
}

/* The last strip of a phase may have no rows. */
static void place_strip(const hlo_convolution *c, hlo_strip *s, int64_t number) {
    HLO_ASSERT(number >= 0);
    int64_t row = number % strips_of_phase(c) * c->kernels->rows;
    int64_t phase = number / strips_of_phase(c) % phases(c);
    int64_t line = number / strips_of_phase(c) / phases(c);
    int64_t rows = hlo_units(line_length(c) - phase, c->period) - row;
    s->first = line * line_length(c) + phase + row * c->period;
    s->rows = rows < 0 ? 0 : hlo_smaller(rows, c->kernels->rows);
}

static int64_t row_number(const hlo_convolution *c, const hlo_strip *s, int64_t r) {
    return s->first + r * c->period;
}

/* ---- groups ---- */

/* Rows of a strip, `rows` from number `row` on, that meet the same elements of the window. */
typedef struct {
    int64_t row, rows;
    hlo_window_span *spans; /* of the first one */
} stretch;

static void copy_spans(const hlo_convolution *c, hlo_window_span *to, const hlo_window_span *from) {
    for (uint32_t d = 0; d <= c->spatial; d++) to[d] = from[d];
}

static bool are_equal(const hlo_convolution *c, const hlo_window_span *a,
                      const hlo_window_span *b) {
    for (uint32_t d = 0; d <= c->spatial; d++)
        if (a[d].first != b[d].first || a[d].count != b[d].count) return false;
    return true;
}

/* The least span that contains both; false where there is none, since steps do not meet. */
static bool join_span(int64_t step, const hlo_window_span *a, const hlo_window_span *b,
                      hlo_window_span *joined) {
    const hlo_window_span *early = a->first < b->first ? a : b, *late = early == a ? b : a;
    int64_t distance = late->first - early->first;
    if (step > 1 && distance) {
        if (distance % step) return false;
        distance /= step;
    }
    int64_t end = late->count + distance;
    *joined = (hlo_window_span){early->first, end > early->count ? end : early->count, 0};
    return true;
}

static bool join_spans(const hlo_convolution *c, const hlo_window_span *a, const hlo_window_span *b,
                       hlo_window_span *joined) {
    for (uint32_t d = 0; d <= c->spatial; d++)
        if (!join_span(d < c->spatial ? c->steps[d].element : 1, &a[d], &b[d], &joined[d]))
            return false;
    return true;
}

/* What rows cost that meet these elements: few rows take as long as ENOUGH, and each strip of
 * products some time more. */
static int64_t cost(const hlo_convolution *c, const hlo_window_span *spans, int64_t rows) {
    enum { ENOUGH = 4, START = 32 };
    int64_t run = c->unit * spans[c->spatial].count;
    return (hlo_elements_of_spans(c, spans) * run + START) * (rows < ENOUGH ? ENOUGH : rows);
}

/* Whether the group, which has rows, should have those of one more stretch: its box grows. */
static bool takes_stretch(const hlo_strip_finder *f, hlo_row_group *g, const stretch *next) {
    const hlo_convolution *c = f->c;
    if (are_equal(c, f->box, next->spans)) return true;
    bool met = hlo_elements_of_spans(c, f->box) > 0;
    bool meets = hlo_elements_of_spans(c, next->spans) > 0;
    if (!met || !meets) copy_spans(c, f->joined, met ? f->box : next->spans);
    else if (!join_spans(c, f->box, next->spans, f->joined)) return false;
    if (cost(c, f->joined, g->rows + next->rows) >
        cost(c, f->box, g->rows) + cost(c, next->spans, next->rows))
        return false;
    copy_spans(c, f->box, f->joined);
    return true;
}

static hlo_span_walk walk_spans(const hlo_strip_finder *f, const hlo_window_span *spans) {
    return (hlo_span_walk){.c = f->c, .spans = spans, .index = f->index};
}

/* The elements of the window that the spans have, as runs. */
static void list_runs(const hlo_strip_finder *f, hlo_row_group *g, const hlo_window_span *spans) {
    const hlo_convolution *c = f->c;
    hlo_span_walk w = walk_spans(f, spans);
    int64_t step = c->steps[c->inner].window_step;
    g->count = g->next = 0;
    g->offset = spans[c->spatial].first * c->unit;
    g->depth = spans[c->spatial].count * c->unit;
    for (bool more = hlo_first_row_of_spans(&w); more; more = hlo_next_row_of_spans(&w)) {
        int64_t length = step == 1 ? w.count : 1;
        for (int64_t i = 0; i < w.count; i += length) {
            int64_t element = w.element + i * step;
            if (g->count && g->runs[g->count - 1].end == element)
                g->runs[g->count - 1].end += length;
            else g->runs[g->count++] = (hlo_element_run){element, element + length};
        }
    }
}

/* ---- addresses ---- */

/* Of rows from r on, as far as there is room: those of later stretches follow. */
static void set_zeros(const hlo_strip_finder *f, const hlo_row_group *g, int64_t r,
                      const void **to) {
    const char *zeros = (const char *)f->c->call->scratch + f->c->zeros_at;
    for (int64_t i = 0; i < g->count; i++)
        for (int64_t w = g->runs[i].first; w < g->runs[i].end; w++)
            for (int64_t n = r; n < HLO_GEMM_ROWS; n++) to[w * HLO_GEMM_ROWS + n] = zeros;
}

/* Where the batch begins that a row meets, or that of its group of batches. */
static const char *input_of_row(const hlo_convolution *c, int64_t batch_group, int64_t row) {
    int64_t batch = row / c->out_volume + batch_group * c->out_batch;
    return c->input + batch * c->input_volume * c->features * c->bytes;
}

/* Numbers, since those after the last row of a stretch are not of the input. */
static void set_rows(uintptr_t input, uintptr_t shift, int64_t r, uintptr_t *to) {
    if (!r)
        for (uintptr_t n = 0; n < HLO_GEMM_ROWS; n++) to[n] = input + n * shift;
    else
        for (; r < HLO_GEMM_ROWS; r++, input += shift) to[r] = input;
}

static void set_addresses(const hlo_strip_finder *f, const stretch *rows, const char *from,
                          const void **to) {
    int64_t bytes = f->c->features * f->c->bytes;
    int64_t element_step = f->c->steps[f->c->inner].window_step * HLO_GEMM_ROWS;
    int64_t input_step = f->c->steps[f->c->inner].input_step * bytes;
    hlo_span_walk w = walk_spans(f, rows->spans);
    for (bool more = hlo_first_row_of_spans(&w); more; more = hlo_next_row_of_spans(&w)) {
        const void **element = to + w.element * HLO_GEMM_ROWS;
        const char *input = from + w.input * bytes;
        for (int64_t i = 0; i < w.count; i++, element += element_step, input += input_step)
            set_rows((uintptr_t)input, (uintptr_t)f->row_shift, rows->row, (uintptr_t *)element);
    }
}

/* ---- strips ---- */

static int64_t find_stretches(const hlo_strip_finder *f, const hlo_strip *s, stretch *stretches) {
    const hlo_convolution *c = f->c;
    int64_t n = 0;
    for (int64_t r = 0; r < s->rows; r += stretches[n++].rows) {
        hlo_window_span *spans = f->spans + n * (c->spatial + 1);
        int64_t flat = row_number(c, s, r) % c->out_volume;
        stretches[n] = (stretch){r, 0, spans};
        stretches[n].rows = hlo_find_spans_of_line(c, flat, s->rows - r, spans, f->joined);
    }
    return n;
}

/* The group that begins with the first of some stretches; returns how many of them it has. */
static int64_t find_group(const hlo_strip_finder *f, const hlo_strip *s, int64_t batch_group,
                          const stretch *stretches, int64_t count, hlo_row_group *g) {
    const hlo_convolution *c = f->c;
    int64_t n = 0;
    copy_spans(c, f->box, stretches->spans);
    do g->rows += stretches[n++].rows;
    while (n < count && takes_stretch(f, g, &stretches[n]));
    list_runs(f, g, f->box);
    for (int64_t i = 0; i < n; i++) {
        int64_t r = stretches[i].row, row = row_number(c, s, r);
        if (n > 1 && !are_equal(c, f->box, stretches[i].spans)) {
            g->zeros |= ((1U << stretches[i].rows) - 1) << r;
            set_zeros(f, g, r, s->addresses);
        }
        set_addresses(f, &stretches[i], input_of_row(c, batch_group, row), s->addresses);
    }
    return n;
}

void hlo_find_strip(const hlo_strip_finder *f, int64_t batch_group, int64_t number, int64_t at) {
    hlo_strip *s = &f->strips[at];
    stretch stretches[HLO_GEMM_ROWS];
    place_strip(f->c, s, number);
    s->count = 0;
    for (int64_t i = 0, n = find_stretches(f, s, stretches); i < n; s->count++) {
        hlo_row_group *g = &s->groups[s->count];
        *g = (hlo_row_group){.row = stretches[i].row, .runs = s->runs + s->count * most_runs(f->c)};
        i += find_group(f, s, batch_group, stretches + i, n - i, g);
    }
}

hlo_row_group hlo_single_row(const hlo_strip_finder *f, const hlo_strip *s, int64_t row) {
    hlo_row_group g = {.row = row, .rows = 1, .runs = f->spare};
    hlo_find_spans(f->c, row_number(f->c, s, row) % f->c->out_volume, f->spans);
    list_runs(f, &g, f->spans);
    return g;
}
