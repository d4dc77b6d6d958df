/* Systems of equations and products with matrices of three diagonals: XLA's tridiagonal.h. */
#include "build/lib/matrices.h"

/* ---- what a system is ---- */

static bool refuse(hlo_builder *b, const char *what, hlo_term x, hlo_term rhs) {
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS, "tridiagonal: %s, but got %s and %s", what,
                     hlo_shape_name(&b->module->arena, x->shape),
                     hlo_shape_name(&b->module->arena, rhs->shape));
    return false;
}

static bool check_diagonal(hlo_builder *b, hlo_term x, hlo_term rhs) {
    if (!hlo_lib_has_rank(b, "TridiagonalSolver", x, 2)) return false;
    if (x->shape->rank != rhs->shape->rank)
        return refuse(b, "all inputs should have the same rank", x, rhs);
    if (hlo_lib_columns(x) != hlo_lib_columns(rhs))
        return refuse(b, "all inputs should have the same innermost dimension", x, rhs);
    if (hlo_lib_rows(x) != 1)
        return refuse(b, "the second to last dimension of a diagonal should be 1", x, rhs);
    return true;
}

/* ---- the algorithm of Thomas ---- */

static hlo_term at(hlo_builder *b, hlo_term x, hlo_term i) {
    return x && i ? hlo_lib_dynamic_slice_in_minor_dims(b, x, HLO_INSTRS(i), HLO_INTS(1)) : NULL;
}

static hlo_term at_number(hlo_builder *b, hlo_term x, int64_t i) {
    return at(b, x, hlo_lib_integer(b, HLO_S32, i));
}

static hlo_term set_at(hlo_builder *b, hlo_term x, hlo_term i, hlo_term update) {
    if (!x || !i || !update) return NULL;
    return hlo_lib_dynamic_update_slice_in_minor_dims(b, x, update, HLO_INSTRS(i));
}

static hlo_term set_at_number(hlo_builder *b, hlo_term x, int64_t i, hlo_term update) {
    return set_at(b, x, hlo_lib_integer(b, HLO_S32, i), update);
}

/* Copies all coefficients above the diagonal that are there. */
static bool prepare(hlo_builder *b, hlo_term i, const hlo_term *values, hlo_term *updated,
                    size_t count, void *context) {
    (void)context;
    updated[0] = set_at(b, values[0], i, at(b, values[1], i));
    updated[1] = values[1];
    return count == 2;
}

enum { LOWER, MAIN, RHS, NEW_MAIN, NEW_UPPER, NEW_RHS, FORWARD_STATE };

/* w = lower[i] / main'[i - 1]; main'[i] = main[i] - w upper[i - 1]; the same of the right side. */
static bool go_forward(hlo_builder *b, hlo_term before, const hlo_term *values, hlo_term *updated,
                       size_t count, void *context) {
    (void)context;
    hlo_formula f = hlo_formula_of(b, "k", &before);
    hlo_formula_run(&f, "one = 1; i = k + one");
    hlo_term i = hlo_formula_get(&f, "i");
    hlo_formula_set(&f, "lower", at(b, values[LOWER], i));
    hlo_formula_set(&f, "main", at(b, values[MAIN], i));
    hlo_formula_set(&f, "rhs", at(b, values[RHS], i));
    hlo_formula_set(&f, "old", at(b, values[NEW_MAIN], hlo_formula_run(&f, "i - one")));
    hlo_formula_run(&f, "w = lower / old");
    hlo_formula_set(&f, "upper", at(b, values[NEW_UPPER], hlo_formula_run(&f, "i - one")));
    hlo_term main = hlo_formula_run(&f, "main - w * upper");
    for (size_t v = 0; v < count; v++) updated[v] = values[v];
    updated[NEW_MAIN] = set_at(b, values[NEW_MAIN], i, main);
    hlo_formula_set(&f, "left", at(b, values[NEW_RHS], hlo_formula_run(&f, "i - one")));
    hlo_term rhs = hlo_formula_run(&f, "rhs - w * left");
    updated[NEW_RHS] = set_at(b, values[NEW_RHS], i, rhs);
    return count == FORWARD_STATE;
}

/* x[i] = (rhs'[i] - upper[i] x[i + 1]) / main'[i], from the last but one on. */
static bool go_back(hlo_builder *b, hlo_term j, const hlo_term *values, hlo_term *updated,
                    size_t count, void *context) {
    hlo_formula f = hlo_formula_of(b, "j", &j);
    hlo_formula_set_number(&f, "last", (double)*(const int64_t *)context);
    hlo_formula_run(&f, "n = last; one = 1; i = n - j");
    hlo_term i = hlo_formula_get(&f, "i");
    hlo_formula_set(&f, "rhs", at(b, values[1], i));
    hlo_formula_set(&f, "upper", at(b, values[2], i));
    hlo_formula_set(&f, "next", at(b, values[0], hlo_formula_run(&f, "i + one")));
    hlo_formula_run(&f, "left = rhs - upper * next");
    hlo_formula_set(&f, "main", at(b, values[3], i));
    hlo_term x = hlo_formula_run(&f, "left / main");
    for (size_t v = 1; v < count; v++) updated[v] = values[v];
    updated[0] = set_at(b, values[0], i, x);
    return count == 4;
}

static bool eliminate(hlo_builder *b, hlo_term *state, int64_t equations) {
    hlo_term upper = state[NEW_UPPER], zeros_main = hlo_lib_zeros_like(b, state[MAIN]);
    hlo_term zeros_rhs = hlo_lib_zeros_like(b, state[RHS]);
    hlo_term coefficients[] = {hlo_lib_zeros_like(b, upper), upper};
    state[NEW_MAIN] = set_at_number(b, zeros_main, 0, at_number(b, state[MAIN], 0));
    state[NEW_RHS] = set_at_number(b, zeros_rhs, 0, at_number(b, state[RHS], 0));
    if (!hlo_lib_for_each_index(b, equations - 1, HLO_TYPE_S32, prepare,
                                (hlo_instrs_list){2, coefficients}, "preparation", NULL,
                                coefficients))
        return false;
    state[NEW_UPPER] = coefficients[0];
    return hlo_lib_for_each_index(b, equations - 1, HLO_TYPE_S32, go_forward,
                                  (hlo_instrs_list){FORWARD_STATE, state}, "forward_transformation",
                                  NULL, state);
}

static hlo_term solve(hlo_builder *b, hlo_term lower, hlo_term main, hlo_term upper, hlo_term rhs) {
    if (!hlo_lib_has_rank(b, "TridiagonalSolver", rhs, 2) || !check_diagonal(b, lower, rhs) ||
        !check_diagonal(b, main, rhs) || !check_diagonal(b, upper, rhs))
        return NULL;
    int64_t equations = hlo_lib_columns(rhs), last = equations - 1, before_last = equations - 2;
    hlo_term x = NULL, state[FORWARD_STATE] = {lower, main, rhs, NULL, upper, NULL};
    if (!eliminate(b, state, equations)) return NULL;
    x = hlo_lib_zeros_like(b, rhs);
    hlo_term of_rhs = at_number(b, state[NEW_RHS], last);
    hlo_term of_main = at_number(b, state[NEW_MAIN], last);
    hlo_term end = hlo_builder_div(b, of_rhs, of_main, HLO_NO_DIMS);
    hlo_term back[] = {set_at_number(b, x, last, end), state[NEW_RHS], state[NEW_UPPER],
                       state[NEW_MAIN]};
    if (!hlo_lib_for_each_index(b, equations - 1, HLO_TYPE_S32, go_back, (hlo_instrs_list){4, back},
                                "backward_reduction", &before_last, back))
        return NULL;
    return back[0];
}

hlo_term hlo_lib_tridiagonal_solver(hlo_builder *b, hlo_term lower_diagonal, hlo_term main_diagonal,
                                    hlo_term upper_diagonal, hlo_term rhs) {
    HLO_BUILDER_TAKES(b, lower_diagonal, main_diagonal, upper_diagonal, rhs);
    return solve(b, lower_diagonal, main_diagonal, upper_diagonal, rhs);
}

hlo_term hlo_lib_tridiagonal_solver_of_stack(hlo_builder *b, hlo_term diagonals, hlo_term rhs) {
    HLO_BUILDER_TAKES(b, diagonals, rhs);
    if (!hlo_lib_has_rank(b, "TridiagonalSolver", diagonals, 2)) return NULL;
    if (hlo_lib_rows(diagonals) != 3)
        return refuse(b, "there should be three diagonals", diagonals, rhs), NULL;
    int64_t dimension = diagonals->shape->rank - 2;
    hlo_term upper = hlo_lib_slice_in_dim(b, diagonals, 0, 1, dimension);
    hlo_term main = hlo_lib_slice_in_dim(b, diagonals, 1, 2, dimension);
    hlo_term lower = hlo_lib_slice_in_dim(b, diagonals, 2, 3, dimension);
    rhs = hlo_lib_transpose_in_minor_dims(b, rhs);
    if (!rhs) return NULL;
    hlo_term x = solve(b, lower, main, upper, rhs);
    return x ? hlo_lib_transpose_in_minor_dims(b, x) : NULL;
}

/* ---- products ---- */

static bool check_factor(hlo_builder *b, hlo_term x, hlo_term rhs) {
    if (!hlo_lib_has_rank(b, "TridiagonalMatMul", x, 2)) return false;
    if (x->shape->rank != rhs->shape->rank)
        return refuse(b, "a diagonal must have the same rank as rhs", x, rhs);
    for (uint32_t i = 0; i + 2 < rhs->shape->rank; i++)
        if (x->shape->dims[i] != rhs->shape->dims[i])
            return refuse(b, "a diagonal must have the same outer dimensions as rhs", x, rhs);
    if (hlo_lib_rows(x) != 1)
        return refuse(b, "a diagonal's second-to-last dimension must be 1", x, rhs);
    if (hlo_lib_columns(x) != hlo_lib_rows(rhs))
        return refuse(b, "a diagonal's last dimension size must be rhs's second-to-last one", x,
                      rhs);
    return true;
}

/* The diagonal's numbers from `start` on with the rows of rhs from `rows` on, padded to all rows.
 */
static hlo_term off_diagonal(hlo_builder *b, hlo_term diagonal, int64_t start, hlo_term rhs,
                             int64_t rows) {
    int64_t m = hlo_lib_rows(rhs), n = hlo_lib_columns(rhs), dimension = rhs->shape->rank - 2;
    hlo_term part =
        hlo_lib_slice_in_minor_dims(b, diagonal, HLO_INTS(start), HLO_INTS(start + m - 1));
    part = part ? hlo_lib_transpose_in_minor_dims(b, part) : NULL;
    hlo_term of_rhs =
        hlo_lib_slice_in_minor_dims(b, rhs, HLO_INTS(rows, 0), HLO_INTS(rows + m - 1, n));
    hlo_term scaled = hlo_builder_mul(b, part, of_rhs, HLO_NO_DIMS);
    return hlo_lib_pad_in_dim(b, scaled, hlo_lib_like(b, rhs, 0), dimension, start, 1 - start);
}

hlo_term hlo_lib_tridiagonal_mat_mul(hlo_builder *b, hlo_term upper_diagonal,
                                     hlo_term main_diagonal, hlo_term lower_diagonal,
                                     hlo_term rhs) {
    HLO_BUILDER_TAKES(b, upper_diagonal, main_diagonal, lower_diagonal, rhs);
    if (!hlo_lib_has_rank(b, "TridiagonalMatMul", rhs, 2) ||
        !check_factor(b, upper_diagonal, rhs) || !check_factor(b, main_diagonal, rhs) ||
        !check_factor(b, lower_diagonal, rhs))
        return NULL;
    if (!hlo_lib_rows(rhs))
        return refuse(b, "a matrix of three diagonals has rows", upper_diagonal, rhs), NULL;
    hlo_term main = hlo_lib_transpose_in_minor_dims(b, main_diagonal);
    hlo_term sum = hlo_builder_mul(b, main, rhs, HLO_NO_DIMS);
    hlo_term above = off_diagonal(b, upper_diagonal, 0, rhs, 1);
    hlo_term below = off_diagonal(b, lower_diagonal, 1, rhs, 0);
    sum = hlo_builder_add(b, sum, above, HLO_NO_DIMS);
    return hlo_builder_add(b, sum, below, HLO_NO_DIMS);
}
