/* The way over the windows of a convolution: which elements of a window meet elements of the input.
 * Padding and what lies between elements of a dilated input are never visited. */
#include "eval/kernels/convolution/convolution.h"

/* ---- one dimension ---- */

hlo_window_steps hlo_steps_of_window(const hlo_window_dim *dim) {
    HLO_ASSERT(dim->stride > 0 && dim->base_dilation > 0 && dim->window_dilation > 0);
    int64_t a = dim->window_dilation, b = dim->base_dilation;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (hlo_window_steps){.element = dim->base_dilation / a, .input = dim->window_dilation / a};
}

/* The first element of the window at `offset` that meets an element of the input, or lies after all
 * of them; `step` elements on is the next one. */
static int64_t first_element(const hlo_window_dim *dim, int64_t step, int64_t offset) {
    int64_t first = 0;
    if (offset < 0)
        first = dim->window_dilation == 1 ? -offset : hlo_units(-offset, dim->window_dilation);
    if (dim->base_dilation == 1) return first;
    for (int64_t i = 0; i < step && first < dim->size; i++, first++)
        if ((offset + first * dim->window_dilation) % dim->base_dilation == 0) return first;
    return dim->size;
}

hlo_window_span hlo_span_of_window(const hlo_window_dim *dim, hlo_window_steps steps, int64_t size,
                                   int64_t place) {
    int64_t offset = place * dim->stride - dim->pad_low;
    int64_t reach = (size - 1) * dim->base_dilation - offset; /* of the input's last element */
    if (reach < 0 || size <= 0) return (hlo_window_span){0};
    int64_t end = dim->window_dilation == 1 ? reach : reach / dim->window_dilation;
    int64_t first = first_element(dim, steps.element, offset);
    end = hlo_smaller(end + 1, dim->size);
    if (first >= end) return (hlo_window_span){0};
    hlo_window_span span = {.first = first, .count = end - first};
    span.input = offset + first * dim->window_dilation;
    if (steps.element > 1) span.count = hlo_units(span.count, steps.element);
    if (dim->base_dilation > 1) span.input /= dim->base_dilation;
    return span;
}

/* ---- all dimensions ---- */

/* That of dimension d, and of the one that was joined with it. */
static void set_span(const hlo_convolution *c, uint32_t d, int64_t place, hlo_window_span *spans) {
    HLO_ASSERT(d < c->spatial);
    spans[d] = hlo_span_of_window(&c->window[d], c->steps[d], c->live_sizes[d], place);
    if (d == c->spatial - 1 && c->is_joined)
        spans[c->spatial] =
            hlo_span_of_window(&c->joined, (hlo_window_steps){.element = 1, .input = 1},
                               c->live_sizes[c->spatial], place);
}

static void clear_spans(const hlo_convolution *c, hlo_window_span *spans) {
    for (uint32_t d = 0; d <= c->spatial; d++) spans[d] = (hlo_window_span){0};
}

void hlo_find_spans(const hlo_convolution *c, int64_t flat, hlo_window_span *spans) {
    bool is_padding = false;
    spans[c->spatial] = (hlo_window_span){0, c->joined.size, 0};
    for (uint32_t d = c->spatial; d-- > 0; flat /= c->out_sizes[d]) {
        set_span(c, d, flat % c->out_sizes[d], spans);
        is_padding |= !spans[d].count;
    }
    if (is_padding || !spans[c->spatial].count) clear_spans(c, spans);
}

/* The spans at another place of the same line. */
static void move_spans(const hlo_convolution *c, int64_t place, const hlo_window_span *from,
                       hlo_window_span *spans) {
    for (uint32_t d = 0; d <= c->spatial && spans != from; d++) spans[d] = from[d];
    set_span(c, c->spatial - 1, place, spans);
    if (!spans[c->spatial - 1].count || !spans[c->spatial].count) clear_spans(c, spans);
}

void hlo_find_next_spans(const hlo_convolution *c, int64_t flat, int64_t place,
                         hlo_window_span *spans) {
    if (!place || !spans[c->spatial].count) hlo_find_spans(c, flat, spans);
    else move_spans(c, place, spans, spans);
}

/* Whether windows at two places of a line meet the same of their elements. */
static bool are_same(const hlo_convolution *c, const hlo_window_span *a, const hlo_window_span *b) {
    for (uint32_t d = c->spatial - 1; d <= c->spatial; d++)
        if (a[d].first != b[d].first || a[d].count != b[d].count) return false;
    return a[c->spatial].count > 0;
}

int64_t hlo_find_spans_of_line(const hlo_convolution *c, int64_t flat, int64_t count,
                               hlo_window_span *spans, hlo_window_span *others) {
    hlo_find_spans(c, flat, spans);
    if (!c->spatial || !spans[c->spatial].count) return 1;
    int64_t length = c->out_sizes[c->spatial - 1], place = flat % length, same = 1;
    int64_t most = hlo_smaller(count, hlo_units(length - place, c->period));
    for (int64_t n = most; same < most; n = same + hlo_units(most - same, 2)) {
        move_spans(c, place + (n - 1) * c->period, spans, others);
        if (are_same(c, spans, others)) same = n;
        else most = n - 1;
    }
    return same;
}

int64_t hlo_elements_of_spans(const hlo_convolution *c, const hlo_window_span *spans) {
    int64_t elements = spans[c->spatial].count > 0;
    for (uint32_t d = 0; d < c->spatial; d++) elements *= spans[d].count;
    return elements;
}

bool hlo_first_row_of_spans(hlo_span_walk *w) {
    const hlo_convolution *c = w->c;
    w->element = w->input = 0;
    w->count = w->spans[c->spatial].count > 0;
    for (uint32_t d = 0; d < c->spatial; d++) {
        w->index[d] = 0;
        w->element += w->spans[d].first * c->steps[d].window_stride;
        w->input += w->spans[d].input * c->steps[d].input_stride;
    }
    if (c->spatial) w->count = w->spans[c->inner].count;
    return w->count > 0;
}

bool hlo_next_row_of_spans(hlo_span_walk *w) {
    const hlo_convolution *c = w->c;
    for (uint32_t d = c->inner; d-- > 0;) {
        const hlo_window_steps *steps = &c->steps[d];
        if (++w->index[d] < w->spans[d].count) {
            w->element += steps->window_step;
            w->input += steps->input_step;
            return true;
        }
        w->element -= steps->window_step * (w->spans[d].count - 1);
        w->input -= steps->input_step * (w->spans[d].count - 1);
        w->index[d] = 0;
    }
    return false;
}
