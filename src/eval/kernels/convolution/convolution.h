/* What the files of the convolution share: its sizes, the way over windows, and the ways of
 * summing. The input is [batch, spatial..., feature], the kernel [window..., input, output], sums
 * are [batch, spatial..., feature]. */
#ifndef HLO_EVAL_KERNELS_CONVOLUTION_CONVOLUTION_H
#define HLO_EVAL_KERNELS_CONVOLUTION_CONVOLUTION_H

#include "eval/kernel/combine.h"
#include "eval/kernel/kernel.h"
#include "eval/kernels/gemm/products.h"

/* How far neighbours along a dimension of the window that meet the input are apart; the distances
 * of neighbours in the arrays, in elements without features. */
typedef struct {
    int64_t element, input;
    int64_t window_stride, input_stride;
    int64_t window_step, input_step; /* such a neighbour: element times window_stride, and so on */
} hlo_window_steps;

/* What is known when the kernel is prepared, followed by the arrays of one run. Where the input
 * lies so that the elements of a window along the last dimension are one run of memory, they count
 * as one window element of many features: sizes are those after that. */
typedef struct {
    const hlo_dim_labels *labels;
    const hlo_dim_labels *given_labels;
    uint32_t input_at, kernel_at; /* operands: 0 and 1, or exchanged */
    bool *turned;                 /* whether sums lie the other way round than in the result */
    uint32_t spatial;             /* spatial dimensions; arrays below have as many entries */
    hlo_window_dim *window;       /* as the input that is read needs it */
    const hlo_window_dim *given_window;
    hlo_window_steps *steps;
    int64_t *input_sizes, *out_sizes;
    hlo_window_dim joined; /* the last dimension before; of one element where it did not change */
    bool is_joined;
    uint32_t inner; /* the last dimension along which windows may have several elements */
    int64_t window_volume, out_volume, input_volume;
    int64_t groups; /* feature groups or batch groups */
    bool batch_groups;
    int64_t out_batch;           /* batches of the result */
    int64_t features;            /* of the input */
    int64_t in_group, out_group; /* input and output features of one group */
    int64_t run;                 /* elements of the input that a window element of a group has */
    int64_t out_features;
    hlo_type type, stored;    /* of sums and of packed operands */
    bool pairs;               /* elements meet in pairs along the features */
    int64_t bytes, sum_bytes; /* of an element of these */
    bool is_empty;            /* an operand or the result has no elements: the result is zero */
    hlo_packing pack_input, pack_kernel;
    hlo_walk reverse, store, pad; /* of the kernel's window dimensions; of the sums to the result;
                                   * of the input into one with zeros along the last dimension */
    bool reverses, stores, pads;
    hlo_accumulators result;
    size_t sums_at, reversed_at, padded_at, strips_at, zeros_at, live_at; /* in scratch */
    int64_t padded_bytes;
    const hlo_gemm_kernels *kernels;
    const hlo_gemm_storage *storage;
    int64_t deep, wide;      /* of tiles: units along the depth and columns of a group */
    int64_t run_units, unit; /* units of a run; of a run before the last dimension was joined */
    int64_t strips_of_share; /* each of kernels->rows rows */
    int64_t groups_of_share;
    int64_t rows, columns;   /* of a share */
    int64_t period;          /* of rows that meet the same elements of the window */
    bool is_followed;        /* call->follower gets whole rows of the result */
    int64_t hands_on;        /* then: how many elements, the first ones */
    hlo_block_counts counts; /* of shares of the same rows */
    size_t work_bytes;       /* of a piece */
    hlo_cached *cached;      /* the packed kernel; NULL: it is another one each time */

    const hlo_call *call;
    int64_t *live_sizes; /* of the input's dimensions, then of the last one before it was joined */
    const char *input, *kernel;
    char *strips;                 /* the packed kernel */
    hlo_cached_memory cached_now; /* of `kept` */
    char *sums;
} hlo_convolution;

/* What the convolutions of both engines ask first: whether both operands hold all their elements;
 * reports a sparse one. */
bool hlo_check_dense_operands(hlo_preparation *p);
bool hlo_check_convolution_types(hlo_preparation *p);

/* Operand i, retained, or a copy that has zeros for what is not there at run time, and along the
 * features of each group for what the other operand lacks, so that neither meets it: zero times
 * infinity would be a NaN. NULL when there is no memory. */
hlo_value *hlo_live_convolved(const hlo_convolution *c, const hlo_call *call, uint32_t i);

/* Exchanges input and kernel where that takes less time, in labels and window: call it before
 * anything else that reads them. */
void hlo_exchange_operands(hlo_preparation *p, hlo_convolution *c);

/* ---- the way over windows ---- */

/* Elements of the window along one dimension that meet the input, one step apart: how many from
 * `first` on, and the place in the input that the first one meets. */
typedef struct hlo_window_span {
    int64_t first, count, input;
} hlo_window_span;

/* That step, counted in elements of the window and of the input. */
hlo_window_steps hlo_steps_of_window(const hlo_window_dim *dim);
/* Of the window at output position `place`, of an input of `size` elements. */
hlo_window_span hlo_span_of_window(const hlo_window_dim *dim, hlo_window_steps steps, int64_t size,
                                   int64_t place);

/* Those of output position number `flat` in row-major order, by dimension; a last one, of the
 * dimension that was joined, has 1 element where there is none. Where the window meets nothing but
 * padding all counts are 0. */
void hlo_find_spans(const hlo_convolution *c, int64_t flat, hlo_window_span *spans);
/* The same from those of the position before, at `place` of the last dimension; 0 without any. */
void hlo_find_next_spans(const hlo_convolution *c, int64_t flat, int64_t place,
                         hlo_window_span *spans);
/* Those of position number `flat`; returns how many of `count` positions from there on, c->period
 * apart in the same line of the last dimension, meet the same elements of the window, and the next
 * ones of the input. `others` is room for the spans of another position. */
int64_t hlo_find_spans_of_line(const hlo_convolution *c, int64_t flat, int64_t count,
                               hlo_window_span *spans, hlo_window_span *others);
/* How many elements of the window these are. */
int64_t hlo_elements_of_spans(const hlo_convolution *c, const hlo_window_span *spans);

/* Over these elements, in rows along dimension c->inner: `count` of them from window element
 * `element` on, which meets input position `input`; neighbours are the steps of that dimension
 * apart. */
typedef struct {
    const hlo_convolution *c;
    const hlo_window_span *spans;
    int64_t *index; /* c->spatial entries */
    int64_t element, input, count;
} hlo_span_walk;
bool hlo_first_row_of_spans(hlo_span_walk *w);
bool hlo_next_row_of_spans(hlo_span_walk *w);

/* ---- ways of summing ---- */

/* As matrix products whose left rows are windows, read where they lie. */
void hlo_prepare_convolution_tiles(hlo_preparation *p, hlo_convolution *c);
void hlo_convolve_tiles(const hlo_convolution *c);

/* Many small groups: directly, all groups at once. */
bool hlo_convolution_is_grouped(const hlo_convolution *c);
void hlo_prepare_convolution_groups(hlo_preparation *p, hlo_convolution *c);
void hlo_convolve_groups(const hlo_convolution *c);

#endif
