/* Strips of a convolution: rows of the result that meet the kernel in one tile, and in which
 * elements of the window they do. */
#ifndef HLO_EVAL_KERNELS_CONVOLUTION_CONVOLUTION_STRIPS_H
#define HLO_EVAL_KERNELS_CONVOLUTION_CONVOLUTION_STRIPS_H

#include "eval/kernels/convolution/convolution.h"

/* Neighbours among the elements of the window. */
typedef struct {
    int64_t first, end;
} hlo_element_run;

/* Rows of a strip that meet the same elements of the window, or nearly: where one meets padding and
 * another does not, it reads zeros. */
typedef struct {
    int64_t row, rows;
    uint32_t zeros;        /* bit r: whether row r of the strip reads some */
    hlo_element_run *runs; /* elements that some row meets */
    int64_t count, next;   /* next: the first run that is not done */
    int64_t offset, depth; /* what of the memory of an element is met: in units */
} hlo_row_group;

/* Rows first, first + period, ... of the result. */
typedef struct {
    int64_t first, rows;
    const void **addresses; /* [window elements, HLO_GEMM_ROWS]: those of elements in groups */
    hlo_element_run *runs;
    hlo_row_group groups[HLO_GEMM_ROWS];
    int64_t count;
} hlo_strip;

/* Strips of all rows. */
int64_t hlo_count_strips(const hlo_convolution *c);
/* Bytes of `count` strips and of what finding them takes; makes them there. */
size_t hlo_strips_bytes(const hlo_convolution *c, int64_t count);
/* The way to find them, of one thread. */
typedef struct {
    const hlo_convolution *c;
    int64_t *index;                        /* of hlo_span_walk */
    hlo_window_span *spans, *box, *joined; /* of rows; of a group; of one with other rows */
    int64_t row_shift;                     /* from the addresses of a row to its repetition's */
    hlo_element_run *spare;                /* of hlo_single_row */
    hlo_strip *strips;
} hlo_strip_finder;
hlo_strip_finder hlo_new_strips(const hlo_convolution *c, int64_t count, char *memory);
/* Fills strip number `number` of all rows as the finder's number `at`. Addresses are those of group
 * `batch_group` of batches, and of the first group of features. */
void hlo_find_strip(const hlo_strip_finder *f, int64_t batch_group, int64_t number, int64_t at);
/* Row `row` of the strip alone, as a group without zeros, until the next call. */
hlo_row_group hlo_single_row(const hlo_strip_finder *f, const hlo_strip *s, int64_t row);

#endif
