/* The way over the windows of a convolution: which elements of the input each of them meets. */
#include "eval/kernels/convolution.h"

/* In a piece's memory and not on the stack: windows may be as long as their dimension. */
size_t hlo_visitor_bytes(const hlo_convolution *c) {
    size_t bytes = c->spatial * (2 * sizeof(int64_t) + sizeof(int64_t *));
    for (uint32_t d = 0; d < c->spatial; d++) bytes += (size_t)c->window[d].size * sizeof(int64_t);
    return bytes + (size_t)c->window_volume * sizeof(int64_t);
}

hlo_window_visitor hlo_new_visitor(const hlo_convolution *c, char *memory) {
    size_t n = c->spatial;
    int64_t *numbers = (int64_t *)(memory + c->work_bytes);
    hlo_window_visitor v = {c, numbers, numbers + n, (int64_t **)(numbers + 2 * n), NULL};
    int64_t *taps = (int64_t *)(v.taps + n);
    for (size_t d = 0; d < n; d++) {
        v.place[d] = -1;
        v.taps[d] = taps;
        taps += c->window[d].size;
    }
    v.inputs = taps;
    return v;
}

/* Where element `w` of the window at output position `o` lies in the input, or -1 for padding. */
static int64_t input_position(const hlo_window_dim *dim, int64_t size, int64_t o, int64_t w) {
    int64_t at = o * dim->stride + w * dim->window_dilation - dim->pad_low;
    if (at < 0) return -1;
    if (dim->base_dilation > 1) {
        if (at % dim->base_dilation) return -1;
        at /= dim->base_dilation;
    }
    return at < size ? at : -1;
}

/* Fills the taps of dimension d: for every element of the window the distance in input elements,
 * features not counted, that it adds, or -1. */
static void fill_taps(hlo_window_visitor *v, uint32_t d) {
    const hlo_convolution *c = v->c;
    int64_t unit = 1;
    for (uint32_t e = d + 1; e < c->spatial; e++) unit *= c->input_sizes[e];
    for (int64_t w = 0; w < c->window[d].size; w++) {
        int64_t at = input_position(&c->window[d], c->input_sizes[d], v->place[d], w);
        v->taps[d][w] = at < 0 ? -1 : at * unit;
    }
}

/* Moves to an output position. Neighbouring positions share most taps. */
static void set_place(hlo_window_visitor *v, int64_t flat) {
    const hlo_convolution *c = v->c;
    for (uint32_t d = c->spatial; d-- > 0; flat /= c->out_sizes[d]) {
        int64_t place = flat % c->out_sizes[d];
        if (place == v->place[d]) continue;
        v->place[d] = place;
        fill_taps(v, d);
    }
}

/* The taps of all dimensions but the last one, together. */
static int64_t outer_tap(const hlo_window_visitor *v, uint32_t last) {
    int64_t outer = 0;
    for (uint32_t d = 0; d < last; d++) {
        int64_t step = v->taps[d][v->index[d]];
        if (step < 0) return -1;
        outer += step;
    }
    return outer;
}

static void next_row(hlo_window_visitor *v, uint32_t last) {
    for (uint32_t d = last; d-- > 0;) {
        if (++v->index[d] < v->c->window[d].size) return;
        v->index[d] = 0;
    }
}

const int64_t *hlo_window_inputs(hlo_window_visitor *v, int64_t flat) {
    const hlo_convolution *c = v->c;
    v->inputs[0] = 0;
    if (!c->spatial) return v->inputs;
    set_place(v, flat);
    uint32_t last = c->spatial - 1;
    for (uint32_t d = 0; d < last; d++) v->index[d] = 0;
    const int64_t *steps = v->taps[last];
    for (int64_t *row = v->inputs, *end = row + c->window_volume; row < end;) {
        int64_t outer = outer_tap(v, last);
        for (int64_t w = 0; w < c->window[last].size; w++)
            *row++ = outer < 0 || steps[w] < 0 ? -1 : outer + steps[w];
        next_row(v, last);
    }
    return v->inputs;
}
