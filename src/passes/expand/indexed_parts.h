/* Index vectors and windows of gather and scatter, for gather_expander and scatter_expander. */
#ifndef HLO_PASSES_EXPAND_INDEXED_PARTS_H
#define HLO_PASSES_EXPAND_INDEXED_PARTS_H

#include "ir/index_dims.h"
#include "passes/pipeline/expression.h"

/* Index vectors as rows of [count, size], in a type that holds every index and every count. */
typedef struct {
    hlo_instr *rows;
    int64_t count, size;
    int64_t *batch_sizes; /* of the indices without the vectors' dimension */
    uint32_t batch_rank;
} hlo_index_rows;

/* Where a window lies in the operand, dimension by dimension. */
typedef struct {
    hlo_index_dims numbers;
    const int64_t *sizes; /* of the window, by operand dimension */
} hlo_window_place;

/* The index vectors of `indices`; the caller frees batch_sizes. */
hlo_index_rows hlo_index_rows_of(hlo_rewriter *r, hlo_instr *indices, int64_t vector_dim);

/* Row `iteration` of a [count, ...] array, without the first dimension. */
hlo_instr *hlo_index_row_at(hlo_rewriter *r, hlo_instr *a, hlo_instr *iteration);

/* One start for each dimension of the operand, in the type of the rows; the caller frees them. */
hlo_instr **hlo_window_starts_at(hlo_rewriter *r, hlo_instr *iteration, hlo_instr *table,
                                 const hlo_index_rows *rows, const hlo_window_place *place,
                                 uint32_t rank);

#endif
