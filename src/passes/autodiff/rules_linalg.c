/* Rules of cholesky and triangular-solve, in batches, of real and of complex matrices. Only the
 * triangle that an operation reads gets something. */
#include "passes/autodiff/linalg.h"

/* ---- matrices ---- */

hlo_instr *hlo_matrix_transposed(hlo_gradient *g, hlo_instr *a) {
    uint32_t rank = a->shape->rank;
    int64_t *order = hlo_malloc(rank * sizeof *order);
    for (uint32_t i = 0; i < rank; i++) order[i] = i;
    order[rank - 1] = rank - 2;
    order[rank - 2] = rank - 1;
    hlo_instr *out = hlo_build_transpose(g->r, a, order);
    HLO_ASSERT(a->shape->rank >= 2);
    hlo_free(order);
    return out;
}

hlo_instr *hlo_matrix_adjoint(hlo_gradient *g, hlo_instr *a) {
    return conjugated(g, hlo_matrix_transposed(g, a));
}

hlo_instr *hlo_matrix_where(hlo_gradient *g, const hlo_shape *shape, const char *direction) {
    const hlo_shape *places = hlo_shape_with_type(&g->r->module->shapes, shape, HLO_S32);
    hlo_instr *row = hlo_build_iota(g->r, places, shape->rank - 2);
    hlo_instr *column = hlo_build_iota(g->r, places, shape->rank - 1);
    return hlo_build_compare(g->r, column, row, direction);
}

hlo_instr *hlo_matrix_triangle(hlo_gradient *g, hlo_instr *a, const char *direction) {
    return where(g, hlo_matrix_where(g, a->shape, direction), a);
}

hlo_instr *hlo_matrix_half(hlo_gradient *g, hlo_instr *a, bool lower) {
    hlo_instr *half = times_number(g, a, 0.5);
    hlo_instr *is_diagonal = hlo_matrix_where(g, a->shape, "EQ");
    a = hlo_build_select(g->r, is_diagonal, half, a);
    return hlo_matrix_triangle(g, a, lower ? "LE" : "GE");
}

/* ---- triangular-solve ---- */

static int64_t word(hlo_word_set words, const char *text) {
    return hlo_word_find(words, hlo_str_from(text))->number;
}

hlo_instr *hlo_matrix_solution(hlo_gradient *g, hlo_instr *a, hlo_instr *b, hlo_system kind) {
    static const char *const names[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    hlo_attr attrs[] = {
        hlo_attr_of_int(HLO_ATTR_LEFT_SIDE, kind.left), hlo_attr_of_int(HLO_ATTR_LOWER, kind.lower),
        hlo_attr_of_int(HLO_ATTR_UNIT_DIAGONAL, kind.unit),
        hlo_attr_of_int(HLO_ATTR_TRANSPOSE_A, word(HLO_WORDS_TRANSPOSE, names[kind.form]))};
    hlo_instr *operands[] = {a, b};
    return hlo_emit(g->r, HLO_OP_TRIANGULAR_SOLVE, b->shape, operands, 2, attrs, 4);
}

static hlo_system kind_of(const hlo_instr *solve) {
    HLO_ASSERT(solve->opcode == HLO_OP_TRIANGULAR_SOLVE);
    int64_t form = hlo_attr_int(solve, HLO_ATTR_TRANSPOSE_A);
    bool is_transposed = form == word(HLO_WORDS_TRANSPOSE, "TRANSPOSE");
    bool is_adjoint = form == word(HLO_WORDS_TRANSPOSE, "ADJOINT");
    return (hlo_system){.left = hlo_attr_int(solve, HLO_ATTR_LEFT_SIDE) != 0,
                        .lower = hlo_attr_int(solve, HLO_ATTR_LOWER) != 0,
                        .unit = hlo_attr_int(solve, HLO_ATTR_UNIT_DIAGONAL) != 0,
                        .form = is_adjoint      ? HLO_ADJOINT
                                : is_transposed ? HLO_TRANSPOSED
                                                : HLO_PLAIN};
}

/* With op(a)^T in place of op(a). The conjugate of a is no form of it, but the conjugates of both
 * sides are. */
static hlo_instr *turned_solution(hlo_gradient *g, hlo_instr *a, hlo_instr *c, hlo_system kind) {
    if (kind.form == HLO_ADJOINT) {
        kind.form = HLO_PLAIN;
        return conjugated(g, hlo_matrix_solution(g, a, conjugated(g, c), kind));
    }
    kind.form = kind.form == HLO_PLAIN ? HLO_TRANSPOSED : HLO_PLAIN;
    return hlo_matrix_solution(g, a, c, kind);
}

/* With y for what b gets, op(a) gets -y x^T, and where it stands on the right -x^T y. */
static hlo_instr *matrix_part(hlo_gradient *g, hlo_instr *x, hlo_instr *y, hlo_system kind) {
    hlo_instr *of_op;
    if (kind.left) of_op = hlo_build_matmul(g->r, y, x, true);
    else of_op = hlo_build_matmul(g->r, hlo_matrix_transposed(g, x), y, false);
    if (kind.form != HLO_PLAIN) of_op = hlo_matrix_transposed(g, of_op);
    if (kind.form == HLO_ADJOINT) of_op = conjugated(g, of_op);
    const char *read = kind.lower ? (kind.unit ? "LT" : "LE") : (kind.unit ? "GT" : "GE");
    return hlo_matrix_triangle(g, negated(g, of_op), read);
}

void hlo_gradient_of_solution(hlo_gradient *g, hlo_instr *instr, hlo_instr *c, hlo_system kind) {
    hlo_instr *a = hlo_gradient_operand(g, instr, 0);
    hlo_instr *y = turned_solution(g, a, c, kind);
    hlo_gradient_add(g, instr, 1, y);
    if (hlo_gradient_is_needed(g, instr, 0))
        hlo_gradient_add(g, instr, 0, matrix_part(g, hlo_gradient_value(g, instr), y, kind));
}

bool hlo_gradient_triangular_solve(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_TRIANGULAR_SOLVE);
    if (instr->shape->dynamic || hlo_operand(instr, 0)->shape->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    hlo_gradient_of_solution(g, instr, c, kind_of(instr));
    return true;
}

/* ---- cholesky ---- */

/* For l l^H = a and cotangents w of l (by the inner product, that is conjugates of those of the
 * walk): with p the lower half of l^H w and m = l^-H p l^-1, the lower half of m + m^H. (a gets
 * what l d(l^-1 a l^-H) gives, see Murray, Differentiation of the Cholesky decomposition, 2016.) */
static hlo_instr *through_factor(hlo_gradient *g, hlo_instr *l, hlo_instr *w) {
    hlo_instr *p =
        hlo_matrix_half(g, hlo_build_matmul(g->r, hlo_matrix_adjoint(g, l), w, false), true);
    hlo_instr *y = hlo_matrix_solution(
        g, l, p, (hlo_system){.left = true, .lower = true, .form = HLO_ADJOINT});
    hlo_instr *m = hlo_matrix_solution(g, l, y, (hlo_system){.lower = true, .form = HLO_PLAIN});
    return hlo_matrix_half(g, plus(g, m, hlo_matrix_adjoint(g, m)), true);
}

/* An upper factor is the adjoint of the lower one of the adjoint. */
hlo_instr *hlo_through_cholesky(hlo_gradient *g, hlo_instr *factor, hlo_instr *c, bool is_lower) {
    hlo_instr *l = is_lower ? factor : hlo_matrix_adjoint(g, factor);
    hlo_instr *w = is_lower ? conjugated(g, c) : hlo_matrix_transposed(g, c);
    hlo_instr *of_a = through_factor(g, l, w);
    return is_lower ? conjugated(g, of_a) : hlo_matrix_transposed(g, of_a);
}

bool hlo_gradient_cholesky(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_CHOLESKY);
    if (instr->shape->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    bool is_lower = hlo_attr_int(instr, HLO_ATTR_LOWER) != 0;
    hlo_instr *factor = hlo_gradient_value(g, instr);
    hlo_gradient_add(g, instr, 0, hlo_through_cholesky(g, factor, c, is_lower));
    return true;
}
