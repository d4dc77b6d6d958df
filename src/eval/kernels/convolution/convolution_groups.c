/* Convolutions of many small groups: a window element of all groups at once. */
#include <string.h>

#include "base/pool.h"
#include "eval/kernels/convolution/convolution.h"

/* Groups of fewer output features than this are too narrow for matrix products. */
enum { SMALL_GROUP = 4 };
/* Products that are added before their sum is, so that long chains stay accurate. */
enum { LONGEST_RUN = 256 };

/* Small groups, and of groups of batches those that have a single batch in each (the gradients of
 * depthwise kernels). */
bool hlo_convolution_is_grouped(const hlo_convolution *c) {
    return c->groups > 1 && c->out_group < SMALL_GROUP && !hlo_type_is_complex(c->type) &&
           (!c->batch_groups || c->out_batch == 1);
}

/* The elements of a window that are there. For groups of batches, whose batches are innermost in
 * the input, each of them is as many as there are input features. */
typedef struct {
    const void **inputs, **kernels;
    int64_t count;
} taps;

static int64_t most_taps(const hlo_convolution *c) {
    return c->window_volume * (c->batch_groups ? c->in_group : 1);
}

/* A piece's memory: sums of a run, then the taps. */
static taps taps_in(const hlo_convolution *c, char *memory) {
    const void **inputs = (const void **)(memory + (c->out_features * c->bytes + 15) / 16 * 16);
    return (taps){inputs, inputs + most_taps(c), 0};
}

void hlo_prepare_convolution_groups(hlo_preparation *p, hlo_convolution *c) {
    c->kernels = hlo_gemm_chosen()->kernels(c->type);
    c->period = 1;
    c->work_bytes = (size_t)((c->out_features * c->bytes + 15) / 16 * 16) +
                    2 * (size_t)most_taps(c) * sizeof(void *);
    p->piece_bytes =
        c->work_bytes + (c->spatial + 1) * sizeof(hlo_window_span) + c->spatial * sizeof(int64_t);
}

static void add_tap(taps *t, const char *input, const char *kernel) {
    t->inputs[t->count] = input;
    t->kernels[t->count++] = kernel;
}

/* Those of a row of the window. */
static void add_taps(const hlo_convolution *c, const hlo_span_walk *w, const char *batch, taps *t) {
    int64_t unit = c->out_features * c->bytes;
    const char *kernel = c->kernel + w->element * c->in_group * unit;
    const char *from = batch + w->input * c->features * c->bytes;
    if (c->batch_groups) from = batch + w->input * c->features * c->groups * c->bytes;
    int64_t kernel_step = c->steps[c->inner].window_step * c->in_group * unit;
    int64_t step = c->steps[c->inner].input_step * c->features * c->bytes;
    if (c->batch_groups) step *= c->groups;
    for (int64_t n = 0; n < w->count; n++, kernel += kernel_step, from += step) {
        if (!c->batch_groups) add_tap(t, from, kernel);
        for (int64_t i = 0; c->batch_groups && i < c->in_group; i++)
            add_tap(t, from + i * c->groups * c->bytes, kernel + i * unit);
    }
}

/* Of the row that the walk's spans are of. */
static void find_taps(const hlo_convolution *c, hlo_span_walk *walk, int64_t batch, taps *t) {
    int64_t at = c->batch_groups ? 0 : batch;
    const char *from = c->input + at * c->input_volume * c->features * c->bytes;
    t->count = 0;
    for (bool more = hlo_first_row_of_spans(walk); more; more = hlo_next_row_of_spans(walk))
        add_taps(c, walk, from, t);
}

/* The sums of some taps. */
static void sum_run(const hlo_convolution *c, const taps *t, int64_t first, int64_t count,
                    void *sums) {
    int64_t in_group = c->batch_groups ? 1 : c->in_group;
    if (in_group == 1 && c->out_group == 1) {
        c->kernels->depthwise(count, t->inputs + first, t->kernels + first, c->out_features, sums);
        return;
    }
    memset(sums, 0, (size_t)(c->out_features * c->bytes));
    for (int64_t i = first; i < first + count; i++)
        c->kernels->grouped(c->groups, in_group, c->out_group, t->inputs[i], t->kernels[i], sums);
}

static void sum_row(const hlo_convolution *c, const taps *t, char *run, char *to) {
    for (int64_t i = 0; i < t->count || !i; i += LONGEST_RUN) {
        int64_t n = t->count - i < LONGEST_RUN ? t->count - i : LONGEST_RUN;
        sum_run(c, t, i, n, i ? run : to);
        if (i) c->kernels->add(c->out_features, run, to);
    }
}

static void convolve_rows(void *context, int64_t first, int64_t last) {
    HLO_ASSERT(first >= 0 && first < last);
    const hlo_convolution *c = context;
    char *memory = hlo_piece_take(c->call);
    hlo_window_span *spans = (hlo_window_span *)(memory + c->work_bytes);
    hlo_span_walk walk = {.c = c, .spans = spans, .index = (int64_t *)(spans + c->spatial + 1)};
    taps t = taps_in(c, memory);
    int64_t batch = first / c->out_volume, flat = first % c->out_volume;
    int64_t length = c->spatial ? c->out_sizes[c->spatial - 1] : 1, place = flat % length;
    hlo_find_spans(c, flat, spans);
    for (int64_t row = first; row < last; row++) {
        find_taps(c, &walk, batch, &t);
        sum_row(c, &t, memory, c->sums + row * c->out_features * c->bytes);
        if (++place == length) place = 0;
        if (++flat == c->out_volume) flat = 0, batch++;
        hlo_find_next_spans(c, flat, place, spans);
    }
    hlo_piece_leave(c->call, memory);
}

void hlo_convolve_groups(const hlo_convolution *c) {
    int64_t cost = most_taps(c) * (c->out_features / 8 + 1);
    hlo_parallel(c->out_batch * c->out_volume, hlo_grain(cost), convolve_rows, (void *)c);
}
