/* Convolutions of many small groups: a window element of all groups at once. Called by
 * convolution.c. */
#include <string.h>

#include "base/pool.h"
#include "eval/kernels/convolution.h"

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
    c->work_bytes = (size_t)((c->out_features * c->bytes + 15) / 16 * 16) +
                    2 * (size_t)most_taps(c) * sizeof(void *);
    p->piece_bytes = c->work_bytes + hlo_visitor_bytes(c);
}

static void add_tap(taps *t, const char *input, const char *kernel) {
    t->inputs[t->count] = input;
    t->kernels[t->count++] = kernel;
}

/* Row number `row` is a batch and a position. */
static void find_taps(hlo_window_visitor *v, int64_t row, taps *t) {
    const hlo_convolution *c = v->c;
    const int64_t *inputs = hlo_window_inputs(v, row % c->out_volume);
    int64_t batch = c->batch_groups ? 0 : row / c->out_volume;
    const char *from = c->input + batch * c->input_volume * c->features * c->bytes;
    int64_t kernel = c->in_group * c->out_features * c->bytes;
    t->count = 0;
    for (int64_t w = 0; w < c->window_volume; w++) {
        if (inputs[w] < 0) continue;
        if (!c->batch_groups)
            add_tap(t, from + inputs[w] * c->features * c->bytes, c->kernel + w * kernel);
        for (int64_t i = 0; c->batch_groups && i < c->in_group; i++)
            add_tap(t, from + (inputs[w] * c->features + i) * c->groups * c->bytes,
                    c->kernel + (w * c->in_group + i) * c->out_features * c->bytes);
    }
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
    const hlo_convolution *c = context;
    char *memory = hlo_piece_take(c->call);
    hlo_window_visitor v = hlo_new_visitor(c, memory);
    taps t = taps_in(c, memory);
    for (int64_t row = first; row < last; row++) {
        find_taps(&v, row, &t);
        sum_row(c, &t, memory, c->sums + row * c->out_features * c->bytes);
    }
    hlo_piece_leave(c->call, memory);
}

void hlo_convolve_groups(const hlo_convolution *c) {
    int64_t cost = most_taps(c) * (c->out_features / 8 + 1);
    hlo_parallel(c->out_batch * c->out_volume, hlo_grain(cost), convolve_rows, (void *)c);
}
