/* The addressing that gather and scatter share: windows of one array ("operand") that stand at
 * places found in a second ("indices"), paired with windows of a third ("slices": gather's result,
 * scatter's updates). */
#ifndef HLO_EVAL_KERNELS_MOVES_INDEXED_WINDOWS_H
#define HLO_EVAL_KERNELS_MOVES_INDEXED_WINDOWS_H

#include "eval/kernel/kernel.h"
#include "eval/kernel/strides.h"
#include "ir/index_dims.h"

typedef struct {
    hlo_index_dims numbers;
    const int64_t *index_sizes, *slice_sizes; /* at run time; NULL: as in the shapes */
} hlo_indexed_windows_dims;

/* A component of an index vector by its place there: the largest start of a window that fits, and
 * the distance of neighbouring starts. `last` is negative when no start fits. A component for a
 * batching dimension decides nothing and is left out. */
typedef struct {
    int64_t place, last, stride;
} hlo_window_start;

/* A window along one dimension of the operand: its elements at run time, and their distances. */
typedef struct {
    int64_t size, in_slices, in_operand;
} hlo_window_extent;

typedef struct {
    /* Over index vectors: arrays 0 slices, 1 indices (counted in elements), 2 operand. */
    hlo_walk places;
    /* Over the elements of one window, to be placed by `at`: arrays 0 slices, 1 operand. */
    hlo_walk window;
    hlo_window_extent *extents; /* by dimension of the operand: what `window` is made of */
    uint32_t index_count;
    int64_t index_stride; /* elements between the components of an index vector */
    hlo_window_start *starts;
} hlo_indexed_windows;

/* The shapes are those of verified operands. Distances in operand and slices are multiplied by
 * `unit`: the bytes of an element to count bytes, 1 to count elements. `memory` has the bytes that
 * hlo_indexed_windows_bytes asks for, and must stay as long as `w`. */
void hlo_indexed_windows_init(hlo_indexed_windows *w, const hlo_indexed_windows_dims *dims,
                              const hlo_shape *operand, const hlo_shape *indices,
                              const hlo_shape *slices, int64_t unit, void *memory);
size_t hlo_indexed_windows_bytes(const hlo_indexed_windows_dims *dims, const hlo_shape *operand,
                                 const hlo_shape *indices, const hlo_shape *slices);

/* The bytes of a window that is a row of neighbours in both arrays; 0: it is none. */
int64_t hlo_window_row_bytes(const hlo_walk *window, uint32_t bytes);
/* Prefetches a row: the processor fetches the rest when it sees its first lines being read. */
static inline void hlo_fetch_row(const char *row, int64_t bytes) {
    enum { LINE = 64, LINES = 8 };
    for (int64_t at = 0; at < bytes && at < LINES * LINE; at += LINE) __builtin_prefetch(row + at);
}

/* Where the windows of n index vectors start in the operand: those of the current row of `places`
 * from its k-th on. Starts are clamped so that windows fit, or -1 where one does not. */
void hlo_find_clamped_starts(const hlo_indexed_windows *w, const hlo_walk *places, int64_t k,
                             int64_t n, const hlo_value *indices, int64_t *starts);
void hlo_find_fitting_starts(const hlo_indexed_windows *w, const hlo_walk *places, int64_t k,
                             int64_t n, const hlo_value *indices, int64_t *starts);

/* For either engine. The verifier, like XLA's, accepts a batching dimension with a second role, so
 * that the other dimensions are not as many as those of a window; and arrays, or updates, of a
 * scatter that differ in size. Reports either, and returns false. */
bool hlo_check_windows_dims(hlo_preparation *p, const hlo_indexed_windows_dims *dims);
/* For either engine. What a scatter cannot do is reported: batches of indices that the operand does
 * not have, run-time sizes under which a window has no place, updates of other types. False then.
 */
bool hlo_scatter_check(const hlo_call *call, const hlo_indexed_windows_dims *dims);
/* The same for a gather; its result gets the run-time sizes of indices, and of operand dimensions
 * that are taken whole. Of other dimensions a part is taken as it lies in memory. */
bool hlo_gather_set_sizes(const hlo_call *call, const hlo_indexed_windows_dims *dims);

#endif
