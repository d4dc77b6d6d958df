/* triangular_solve_expander: a triangular system as a loop over rows. */
#include "passes/expand/linalg_parts.h"

typedef struct {
    hlo_matrix_dims dims;
    int64_t n;
    bool backward, unit_diagonal;
} system_case;

/* One row of x: (b's row - a's row times x) / a's diagonal. Rows of x that are to come are zeros,
 * so the part of a's row beyond the diagonal counts for nothing where it is finite; it is masked.
 */
static void solve_row(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                      void *context) {
    const system_case *s = context;
    (void)n;
    hlo_instr *x = state[0], *a = state[1], *b = state[2];
    hlo_instr *number = iteration;
    if (s->backward)
        number = hlo_build_binary(r, HLO_OP_SUBTRACT,
                                  hlo_build_integer(r, iteration->shape, s->n - 1), iteration);
    hlo_instr *row = hlo_matrix_line(r, a, number, s->dims.rows);
    hlo_instr *known =
        hlo_compared_places(r, row->shape, s->dims.columns, number, s->backward ? "GT" : "LT");
    hlo_instr *masked = hlo_build_select(r, known, row, hlo_build_integer(r, row->shape, 0));
    hlo_instr *given = hlo_matrix_line(r, b, number, s->dims.rows);
    hlo_instr *solved =
        hlo_build_binary(r, HLO_OP_SUBTRACT, given, hlo_build_matmul(r, masked, x, false));
    if (!s->unit_diagonal) {
        hlo_instr *pivot = hlo_matrix_line(r, row, number, s->dims.columns);
        solved = hlo_build_binary(r, HLO_OP_DIVIDE, solved,
                                  hlo_stretched_line(r, pivot, s->dims.columns, solved->shape));
    }
    state[0] = hlo_with_matrix_line(r, x, solved, number, s->dims.rows);
}

/* x op(a) = b is op(a)^T x^T = b^T. */
hlo_instr *hlo_rewrite_expand_triangular_solve(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_shape *shape = instr->shape;
    hlo_type type = hlo_factor_type((hlo_type)shape->type);
    const char *how = hlo_word_text(HLO_WORDS_TRANSPOSE, hlo_attr_int(instr, HLO_ATTR_TRANSPOSE_A));
    bool left = hlo_attr_int(instr, HLO_ATTR_LEFT_SIDE) != 0;
    bool flipped = strcmp(how, "NO_TRANSPOSE") != 0;
    bool lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    hlo_instr *a = hlo_build_convert(r, hlo_operand(instr, 0), type);
    hlo_instr *b = hlo_build_convert(r, hlo_operand(instr, 1), type);
    if (strcmp(how, "ADJOINT") == 0) a = hlo_conjugated_matrices(r, a);
    if (flipped == left) a = hlo_transposed_matrices(r, a);
    if (!left) b = hlo_transposed_matrices(r, b);
    system_case s = {.dims = {shape->rank - 2, shape->rank - 1},
                     .n = hlo_matrix_size(a->shape),
                     .backward = lower == (flipped == left),
                     .unit_diagonal = hlo_attr_int(instr, HLO_ATTR_UNIT_DIAGONAL) != 0};
    hlo_instr *state[] = {hlo_build_integer(r, b->shape, 0), a, b};
    hlo_instr *x = hlo_build_loop(r, s.n, state, 3, solve_row, &s);
    if (!left) x = hlo_transposed_matrices(r, x);
    return hlo_build_as(hlo_build_convert(r, x, (hlo_type)shape->type), shape);
}
