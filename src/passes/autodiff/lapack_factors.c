/* Rules of LAPACK's triangular systems, factors of Cholesky and LU, and tridiagonal systems. */
#include "passes/autodiff/lapack.h"

hlo_instr *hlo_matrix_resized(hlo_gradient *g, hlo_instr *a, uint32_t dimension, int64_t size) {
    HLO_ASSERT(dimension < a->shape->rank);
    int64_t more = size - a->shape->dims[dimension];
    const hlo_shape *scalar = hlo_shape_scalar(&g->r->module->shapes, (hlo_type)a->shape->type);
    hlo_instr *zero = more ? hlo_build_number(g->r, scalar, 0) : NULL;
    return more ? hlo_build_pad(g->r, a, zero, dimension, 0, more) : a;
}

/* ---- trsm, potrf ---- */

bool hlo_gradient_trsm(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    int64_t form = hlo_lapack_flag(instr, "trans_x");
    hlo_system kind = {.left = hlo_lapack_flag(instr, "side") == 'L',
                       .lower = hlo_lapack_flag(instr, "uplo") == 'L',
                       .unit = hlo_lapack_flag(instr, "diag") == 'U',
                       .form = form == 'C'   ? HLO_ADJOINT
                               : form == 'T' ? HLO_TRANSPOSED
                                             : HLO_PLAIN};
    hlo_gradient_of_solution(g, instr, c, kind);
    return true;
}

/* The other triangle is handed through. */
bool hlo_gradient_potrf(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    hlo_instr *c = hlo_gradient_cotangent(g, instr, 0);
    bool is_lower = hlo_lapack_flag(instr, "uplo") == 'L';
    const char *own = is_lower ? "LE" : "GE", *other = is_lower ? "GT" : "LT";
    hlo_instr *factor = hlo_matrix_triangle(g, hlo_gradient_element(g, instr, 0), own);
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_instr *through = hlo_through_cholesky(g, factor, hlo_matrix_triangle(g, c, own), is_lower);
    hlo_gradient_add(g, instr, 0, plus(g, through, hlo_matrix_triangle(g, c, other)));
    return true;
}

/* ---- getrf ---- */

/* Of each matrix of a batch, spread over rows. */
static hlo_instr *over_rows(hlo_rewriter *r, hlo_instr *a, const hlo_shape *like) {
    int64_t *dims = hlo_malloc((like->rank + 1u) * sizeof *dims);
    for (uint32_t i = 0; i < like->rank; i++) dims[i] = i;
    a = hlo_build_spread(r, a, like, dims);
    hlo_free(dims);
    return a;
}

/* The number that a row has in the places that the choice takes. */
static hlo_instr *taken(hlo_rewriter *r, hlo_instr *choice, hlo_instr *rows) {
    int64_t last = rows->shape->rank - 1;
    hlo_instr *none = hlo_build_integer(r, rows->shape, 0);
    hlo_instr *sum =
        hlo_build_reduce(r, hlo_build_select(r, choice, rows, none), HLO_OP_ADD, &last, 1);
    return over_rows(r, sum, rows->shape);
}

/* Rows `iteration` and that of the pivot change places. State: rows, pivots. */
static void swap_rows(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                      void *context) {
    (void)n, (void)context;
    hlo_instr *rows = state[0], *pivots = state[1];
    uint32_t last = pivots->shape->rank - 1;
    hlo_instr **starts = hlo_malloc((last + 1u) * sizeof *starts);
    int64_t *sizes = hlo_malloc((last + 1u) * sizeof *sizes);
    for (uint32_t i = 0; i < last; i++) {
        starts[i] = hlo_build_integer(r, iteration->shape, 0);
        sizes[i] = pivots->shape->dims[i];
    }
    starts[last] = iteration;
    sizes[last] = 1;
    hlo_instr *pivot = hlo_build_dynamic_slice(r, pivots, starts, sizes);
    pivot = hlo_build_reshape(r, pivot, sizes, last);
    hlo_free(starts);
    hlo_free(sizes);
    pivot = over_rows(r, pivot, rows->shape);
    pivot = hlo_build_binary(r, HLO_OP_SUBTRACT, pivot, hlo_build_integer(r, rows->shape, 1));
    hlo_instr *place = hlo_build_iota(r, rows->shape, last);
    hlo_instr *is_pivot = hlo_build_compare(r, place, pivot, "EQ");
    hlo_instr *now = hlo_build_spread(r, iteration, rows->shape, NULL);
    hlo_instr *is_now = hlo_build_compare(r, place, now, "EQ");
    hlo_instr *of_pivot = taken(r, is_pivot, rows), *of_now = taken(r, is_now, rows);
    hlo_instr *moved = hlo_build_select(r, is_pivot, of_now, rows);
    state[0] = hlo_build_select(r, is_now, of_pivot, moved);
}

/* The matrix p of p a = l u. */
static hlo_instr *permutation(hlo_gradient *g, hlo_instr *pivots, const hlo_shape *matrix) {
    hlo_rewriter *r = g->r;
    uint32_t rank = matrix->rank;
    int64_t *sizes = hlo_malloc((rank + 1u) * sizeof *sizes);
    for (uint32_t i = 0; i < rank; i++) sizes[i] = matrix->dims[i];
    const hlo_shape *vector = hlo_shape_of_sizes(r, HLO_S32, sizes, rank - 1);
    sizes[rank - 1] = matrix->dims[rank - 2];
    const hlo_shape *square = hlo_shape_of_sizes(r, HLO_S32, sizes, rank);
    hlo_free(sizes);
    hlo_instr *state[] = {hlo_build_iota(r, vector, rank - 2), pivots};
    hlo_instr *rows = hlo_build_loop(r, pivots->shape->dims[rank - 2], state, 2, swap_rows, NULL);
    hlo_instr *wanted = over_rows(r, rows, square);
    hlo_instr *is_there = hlo_build_compare(r, hlo_build_iota(r, square, rank - 1), wanted, "EQ");
    return hlo_build_convert(r, is_there, (hlo_type)matrix->type);
}

static hlo_instr *with_ones(hlo_gradient *g, hlo_instr *a, int64_t first) {
    hlo_instr *is_one = hlo_matrix_where(g, a->shape, "EQ");
    if (first) {
        const hlo_shape *places = hlo_shape_with_type(&g->r->module->shapes, a->shape, HLO_S32);
        hlo_instr *row = hlo_build_iota(g->r, places, a->shape->rank - 2);
        hlo_instr *from = hlo_build_integer(g->r, places, first);
        hlo_instr *is_late = hlo_build_compare(g->r, row, from, "GE");
        is_one = hlo_build_binary(g->r, HLO_OP_AND, is_one, is_late);
    }
    return hlo_build_select(g->r, is_one, number(g, a, 1), a);
}

/* For p a = l u, l and u filled up to squares by ones on the diagonal: with t the strictly lower
 * triangle of l^T c and the upper one of c u^T, p a gets l^-T t u^-T. */
bool hlo_gradient_getrf(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    hlo_instr *c = hlo_gradient_cotangent(g, instr, 0);
    hlo_instr *packed = hlo_gradient_element(g, instr, 0);
    hlo_instr *pivots = hlo_gradient_element(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    const hlo_shape *shape = packed->shape;
    uint32_t rank = shape->rank;
    int64_t m = shape->dims[rank - 2], n = shape->dims[rank - 1];
    if (!hlo_shape_elements(shape)) return true;
    hlo_instr *lower = hlo_matrix_resized(g, packed, rank - 1, m);
    lower = with_ones(g, hlo_matrix_triangle(g, lower, "LT"), 0);
    hlo_instr *upper = hlo_matrix_resized(g, packed, rank - 2, n);
    upper = hlo_matrix_triangle(g, upper, "GE");
    if (m < n) upper = with_ones(g, upper, m);
    hlo_instr *of_lower = hlo_matrix_triangle(g, c, "LT");
    of_lower = hlo_matrix_product(g, hlo_matrix_transposed(g, lower), of_lower);
    hlo_instr *of_upper = hlo_build_matmul(g->r, hlo_matrix_triangle(g, c, "GE"), upper, true);
    of_lower = hlo_matrix_triangle(g, of_lower, "LT");
    hlo_instr *t = plus(g, of_lower, hlo_matrix_triangle(g, of_upper, "GE"));
    hlo_system left = {.left = true, .lower = true, .unit = true, .form = HLO_TRANSPOSED};
    hlo_system right = {.form = HLO_TRANSPOSED};
    t = hlo_matrix_solution(g, upper, hlo_matrix_solution(g, lower, t, left), right);
    hlo_instr *p = permutation(g, pivots, shape);
    hlo_gradient_add(g, instr, 0, hlo_matrix_product(g, hlo_matrix_transposed(g, p), t));
    return true;
}

/* ---- gtsv ---- */

/* Element i + 1 (i - 1) along a dimension, 0 beyond the end. */
static hlo_instr *shifted(hlo_gradient *g, hlo_instr *a, uint32_t dimension, bool up) {
    const hlo_shape *scalar = hlo_shape_scalar(&g->r->module->shapes, (hlo_type)a->shape->type);
    hlo_instr *zero = hlo_build_number(g->r, scalar, 0);
    return hlo_build_pad(g->r, a, zero, dimension, up ? -1 : 1, up ? 1 : -1);
}

/* The diagonal gets the sums over right sides of -y x. */
static void add_diagonal(hlo_gradient *g, hlo_instr *instr, uint32_t operand, hlo_instr *x,
                         hlo_instr *y) {
    if (!hlo_gradient_is_needed(g, instr, operand)) return;
    int64_t last = x->shape->rank - 1;
    hlo_instr *sum = hlo_build_reduce(g->r, times(g, x, y), HLO_OP_ADD, &last, 1);
    hlo_gradient_add(g, instr, operand, negated(g, sum));
}

/* Operands and results: the diagonals below, on and above, right sides; only the solution counts.
 * The system of the transposed matrix gives what right sides get. */
bool hlo_gradient_gtsv(hlo_gradient *g, hlo_instr *instr, hlo_instr *none) {
    (void)none;
    for (uint32_t i = 0; i < 3; i++)
        if (hlo_gradient_cotangent(g, instr, i))
            return hlo_gradient_refuse(g, instr, "has a gradient only for its solution");
    hlo_instr *below = hlo_gradient_operand(g, instr, 0);
    hlo_instr *above = hlo_gradient_operand(g, instr, 2);
    uint32_t row = below->shape->rank - 1;
    hlo_instr *operands[] = {shifted(g, above, row, false), hlo_gradient_operand(g, instr, 1),
                             shifted(g, below, row, true), hlo_gradient_cotangent(g, instr, 3)};
    for (uint32_t i = 0; i < 4; i++)
        if (operands[i]->shape != hlo_operand(instr, i)->shape)
            operands[i] =
                hlo_emit_unary(g->r, HLO_OP_COPY, hlo_operand(instr, i)->shape, operands[i]);
    hlo_instr *solved = hlo_emit_like(g->r, instr, instr->shape, operands, 4);
    hlo_instr *y = hlo_emit_element(g->r, solved, 3), *x = hlo_gradient_element(g, instr, 3);
    HLO_ASSERT(instr->opcode == HLO_OP_CUSTOM_CALL);
    hlo_gradient_add(g, instr, 3, y);
    add_diagonal(g, instr, 0, shifted(g, x, row, false), y);
    add_diagonal(g, instr, 1, x, y);
    add_diagonal(g, instr, 2, shifted(g, x, row, true), y);
    return true;
}
