/* What gather and scatter have in common, by their definition: windows of an operand whose starts
 * are read from an array of index vectors, and which are parts of an array of slices (gather's
 * result, scatter's updates). */
#ifndef HLO_EVAL_REF_INDEXED_WINDOWS_H
#define HLO_EVAL_REF_INDEXED_WINDOWS_H

#include "eval/kernels/moves/indexed_windows.h"
#include "eval/ref/index.h"

typedef struct {
    hlo_indexed_windows_dims dims; /* the attributes */
    /* By dimension of the slices: the dimension of the indices that it comes from, -1 for a window
     * dimension. */
    const int64_t *from_indices;
    /* By dimension of the operand: the dimension of the slices along which its window extends, -1
     * where a window is a single element; and the window's size. */
    const int64_t *in_slices, *window_sizes;
    hlo_indices in_indices; /* one index of the array of index vectors */
} hlo_plain_windows;

bool hlo_plain_windows_prepare(hlo_plain_windows *windows, hlo_preparation *p,
                               hlo_indexed_windows_dims dims, const hlo_shape *operand,
                               const hlo_shape *indices, const hlo_shape *slices);

/* Sets `start`, an index of the operand, as given by the index vector of `slice`, an index of the
 * slices. It may lie outside. */
void hlo_plain_window_start(const hlo_plain_windows *windows, const hlo_call *call,
                            const hlo_value *indices, const int64_t *slice, int64_t *start);
/* The operand's element at the place in the window at `start` that `slice` has along the window
 * dimensions. */
int64_t hlo_plain_window_element(const hlo_plain_windows *windows, const hlo_value *operand,
                                 const int64_t *start, const int64_t *slice);

#endif
