/* Matrices in the last two dimensions of arrays, for rules of factorizations. */
#ifndef HLO_PASSES_AUTODIFF_LINALG_H
#define HLO_PASSES_AUTODIFF_LINALG_H

#include "passes/autodiff/formula.h"

hlo_instr *hlo_matrix_transposed(hlo_gradient *g, hlo_instr *a);
hlo_instr *hlo_matrix_adjoint(hlo_gradient *g, hlo_instr *a);
static inline hlo_instr *hlo_matrix_product(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return hlo_build_matmul(g->r, a, b, false);
}

/* How the column of an element compares with its row: "LE" is the lower triangle. */
hlo_instr *hlo_matrix_where(hlo_gradient *g, const hlo_shape *shape, const char *direction);
/* Elements of that triangle, zeros elsewhere. */
hlo_instr *hlo_matrix_triangle(hlo_gradient *g, hlo_instr *a, const char *direction);
/* The lower (upper) triangle with half of the diagonal. */
hlo_instr *hlo_matrix_half(hlo_gradient *g, hlo_instr *a, bool lower);

typedef enum { HLO_PLAIN, HLO_TRANSPOSED, HLO_ADJOINT } hlo_form_of_a;

typedef struct {
    bool left, lower, unit;
    hlo_form_of_a form;
} hlo_system;

/* x of op(a) x = b, or of x op(a) = b. */
hlo_instr *hlo_matrix_solution(hlo_gradient *g, hlo_instr *a, hlo_instr *b, hlo_system kind);
/* The rule of an instruction with operands a and b whose result is that x. */
void hlo_gradient_of_solution(hlo_gradient *g, hlo_instr *instr, hlo_instr *c, hlo_system kind);
/* What the cotangent of a Cholesky factor gives to the triangle that was read. */
hlo_instr *hlo_through_cholesky(hlo_gradient *g, hlo_instr *factor, hlo_instr *c, bool is_lower);

#endif
