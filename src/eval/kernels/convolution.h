/* What the files of the convolution share: its sizes, the way over windows, and the ways of
 * summing. The input is [batch, spatial..., feature], the kernel [window..., input, output], sums
 * are [batch, spatial..., feature]. Called by convolution*.c. */
#ifndef HLO_EVAL_KERNELS_CONVOLUTION_H
#define HLO_EVAL_KERNELS_CONVOLUTION_H

#include "eval/kernel.h"
#include "eval/kernels/combine.h"
#include "eval/kernels/products.h"

/* What is known when the kernel is prepared, followed by the arrays of one run. Where the input
 * lies so that the elements of a window along the last dimension are one run of memory, they count
 * as one window element of many features: sizes are those after that. */
typedef struct {
    const hlo_dim_labels *labels;
    uint32_t spatial;       /* spatial dimensions; arrays below have as many entries */
    hlo_window_dim *window; /* as the input that is read needs it */
    int64_t *input_sizes, *out_sizes;
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
    size_t sums_at, reversed_at, padded_at, strips_at, zeros_at; /* in scratch memory */
    int64_t padded_bytes;
    const hlo_gemm_kernels *kernels;
    const hlo_gemm_storage *storage;
    int64_t deep, wide;      /* of tiles: units along the depth and columns of a group */
    int64_t rows, columns;   /* of a share */
    int64_t period;          /* of rows that meet the same elements of the window */
    bool is_followed;        /* call->follower gets whole rows of the result */
    int64_t hands_on;        /* then: how many elements, the first ones */
    hlo_block_counts counts; /* of shares of the same rows */
    size_t work_bytes;       /* of a piece; a visitor's arrays follow */
    hlo_kept *kept;          /* the packed kernel; NULL: it is another one each time */

    const hlo_call *call;
    const char *input, *kernel;
    char *strips;             /* the packed kernel */
    hlo_kept_memory kept_now; /* of `kept` */
    char *sums;
} hlo_convolution;

/* What the convolutions of both engines ask first: whether both operands hold all their elements;
 * reports a sparse one. */
bool hlo_check_dense_operands(hlo_preparation *p);

/* ---- the way over windows ---- */

/* One thread's way over the outputs. */
typedef struct {
    const hlo_convolution *c;
    int64_t *place, *index; /* of the current output; scratch of hlo_window_inputs */
    int64_t **taps;         /* by dimension and window element */
    int64_t *inputs;
} hlo_window_visitor;

/* Bytes of a visitor's arrays, which follow a piece's own memory. */
size_t hlo_visitor_bytes(const hlo_convolution *c);
hlo_window_visitor hlo_new_visitor(const hlo_convolution *c, char *memory);
/* For each element of the window of output position number `flat` in row-major order: the input
 * position that it meets, or -1 for padding and for what lies between elements of the input. The
 * array is the visitor's, until the next call. */
const int64_t *hlo_window_inputs(hlo_window_visitor *v, int64_t flat);

/* ---- ways of summing ---- */

/* As matrix products whose left rows are windows, read where they lie. */
void hlo_prepare_convolution_tiles(hlo_preparation *p, hlo_convolution *c);
void hlo_convolve_tiles(const hlo_convolution *c);

/* The same where the input is dilated, without what lies between its elements. */
bool hlo_convolution_has_holes(const hlo_convolution *c);
void hlo_prepare_convolution_holes(hlo_preparation *p, hlo_convolution *c);
void hlo_convolve_holes(const hlo_convolution *c);

/* What both do: kernels and memory for the packed kernel; packing it; the strips of a group. */
void hlo_prepare_convolution_strips(hlo_preparation *p, hlo_convolution *c);
void hlo_pack_convolution_kernel(const hlo_convolution *c);
char *hlo_convolution_strips(const hlo_convolution *c, int64_t group);
/* Where the elements of the window of a row of the result begin, or zeros, HLO_GEMM_ROWS apart. */
void hlo_window_addresses(hlo_window_visitor *v, int64_t group, int64_t row, const void **to);

/* Many small groups: directly, all groups at once. */
bool hlo_convolution_is_grouped(const hlo_convolution *c);
void hlo_prepare_convolution_groups(hlo_preparation *p, hlo_convolution *c);
void hlo_convolve_groups(const hlo_convolution *c);

#endif
