/* cholesky_expander: a Cholesky decomposition as a loop over columns. */
#include <math.h>

#include "passes/expand/linalg_parts.h"

/* One column: c = a's column - l times l's row, divided by the root of its element on the diagonal.
 * `state` holds l; `context` a. */
static void cholesky_column(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                            void *context) {
    const hlo_matrix_dims *dims = context;
    (void)n;
    hlo_instr *l = state[0], *a = state[1];
    hlo_instr *row = hlo_conjugated_matrices(r, hlo_matrix_line(r, l, iteration, dims->rows));
    hlo_instr *given = hlo_matrix_line(r, a, iteration, dims->columns);
    hlo_instr *column =
        hlo_build_binary(r, HLO_OP_SUBTRACT, given, hlo_build_matmul(r, l, row, true));
    hlo_instr *pivot =
        hlo_build_unary(r, HLO_OP_SQRT, hlo_matrix_line(r, column, iteration, dims->rows));
    hlo_instr *scaled = hlo_build_binary(r, HLO_OP_DIVIDE, column,
                                         hlo_stretched_line(r, pivot, dims->rows, column->shape));
    hlo_instr *below = hlo_compared_places(r, column->shape, dims->rows, iteration, "GE");
    hlo_instr *kept = hlo_build_select(r, below, scaled, hlo_build_integer(r, column->shape, 0));
    state[0] = hlo_with_matrix_line(r, l, kept, iteration, dims->columns);
}

/* A matrix that is not positive definite has NaN everywhere: some pivot was not positive. */
static hlo_instr *or_nan(hlo_rewriter *r, hlo_instr *l, const hlo_matrix_dims *dims) {
    hlo_shapes_table *shapes = &r->module->shapes;
    hlo_type type = (hlo_type)l->shape->type, part = hlo_type_part(type);
    hlo_instr *real = l;
    if (part != type)
        real = hlo_emit_unary(r, HLO_OP_REAL, hlo_shape_with_type(shapes, l->shape, part), l);
    hlo_instr *zero = hlo_build_integer(r, real->shape, 0);
    hlo_instr *positive = hlo_build_compare(r, real, zero, "GT");
    const hlo_shape *places = hlo_shape_with_type(shapes, l->shape, HLO_S32);
    hlo_instr *row = hlo_build_iota(r, places, dims->rows);
    hlo_instr *column = hlo_build_iota(r, places, dims->columns);
    hlo_instr *off_diagonal = hlo_build_compare(r, row, column, "NE");
    hlo_instr *fine = hlo_build_binary(r, HLO_OP_OR, positive, off_diagonal);
    int64_t matrix[] = {dims->rows, dims->columns};
    hlo_instr *all = hlo_build_reduce(r, fine, HLO_OP_AND, matrix, 2);
    int64_t *batch = hlo_calloc(l->shape->rank, sizeof *batch);
    for (uint32_t i = 0; i < dims->rows; i++) batch[i] = i;
    hlo_instr *choice = hlo_build_spread(r, all, l->shape, batch);
    hlo_free(batch);
    /* Converted: text has no complex number with one NaN part. */
    hlo_instr *nan = hlo_build_convert(r, hlo_build_number(r, real->shape, NAN), type);
    return hlo_build_select(r, choice, l, nan);
}

hlo_instr *hlo_rewrite_expand_cholesky(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_shape *shape = instr->shape;
    bool lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    hlo_matrix_dims dims = {shape->rank - 2, shape->rank - 1};
    hlo_type type = hlo_factor_type((hlo_type)shape->type);
    hlo_instr *a = hlo_build_convert(r, hlo_operand(instr, 0), type);
    if (!lower) a = hlo_conjugated_matrices(r, hlo_transposed_matrices(r, a));
    hlo_instr *state[] = {hlo_build_integer(r, a->shape, 0), a};
    hlo_instr *l = hlo_build_loop(r, hlo_matrix_size(shape), state, 2, cholesky_column, &dims);
    l = or_nan(r, l, &dims);
    if (!lower) l = hlo_conjugated_matrices(r, hlo_transposed_matrices(r, l));
    return hlo_build_as(hlo_build_convert(r, l, (hlo_type)shape->type), shape);
}
