/* Lines of matrices and their places, for cholesky_expander and triangular_solve_expander. */
#ifndef HLO_PASSES_EXPAND_LINALG_PARTS_H
#define HLO_PASSES_EXPAND_LINALG_PARTS_H

#include "passes/pipeline/expression.h"

/* The dimensions of an array of matrices that count rows and columns. */
typedef struct {
    uint32_t rows, columns;
} hlo_matrix_dims;

/* The array itself when its type is real. */
hlo_instr *hlo_conjugated_matrices(hlo_rewriter *r, hlo_instr *a);

/* Its last two dimensions change places. */
hlo_instr *hlo_transposed_matrices(hlo_rewriter *r, hlo_instr *a);

/* The matrices' row (dimension rank - 2) or column (rank - 1) of that number, as one of size 1. */
hlo_instr *hlo_matrix_line(hlo_rewriter *r, hlo_instr *a, hlo_instr *number, uint32_t dimension);

/* The matrices with `new_line` as their row or column of that number. */
hlo_instr *hlo_with_matrix_line(hlo_rewriter *r, hlo_instr *a, hlo_instr *new_line,
                                hlo_instr *number, uint32_t dimension);

/* An array of size 1 along `dimension` as one of the sizes of `like`. */
hlo_instr *hlo_stretched_line(hlo_rewriter *r, hlo_instr *a, uint32_t dimension,
                              const hlo_shape *like);

/* Compares the index of each element along the dimension with the iteration number. */
hlo_instr *hlo_compared_places(hlo_rewriter *r, const hlo_shape *shape, uint32_t dimension,
                               hlo_instr *iteration, const char *direction);

/* Narrow floats are computed in f32, so that errors do not add up. */
hlo_type hlo_factor_type(hlo_type type);

/* Columns of each matrix. */
int64_t hlo_matrix_size(const hlo_shape *matrix);

#endif
