/* Short names for what rules are made of: elementwise operations with the shape of their first
 * operand. */
#ifndef HLO_PASSES_AUTODIFF_FORMULA_H
#define HLO_PASSES_AUTODIFF_FORMULA_H

#include "passes/autodiff/rule.h"

static inline hlo_instr *plus(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(g->r, HLO_OP_ADD, a, b);
}
static inline hlo_instr *minus(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(g->r, HLO_OP_SUBTRACT, a, b);
}
static inline hlo_instr *times(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(g->r, HLO_OP_MULTIPLY, a, b);
}
static inline hlo_instr *over(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(g->r, HLO_OP_DIVIDE, a, b);
}
/* An operation of one operand. */
static inline hlo_instr *apply(hlo_gradient *g, hlo_opcode opcode, hlo_instr *a) {
    return hlo_build_unary(g->r, opcode, a);
}
static inline hlo_instr *negated(hlo_gradient *g, hlo_instr *a) {
    return apply(g, HLO_OP_NEGATE, a);
}
static inline hlo_instr *squared(hlo_gradient *g, hlo_instr *a) {
    return times(g, a, a);
}
/* The number everywhere in an array like `a`. */
static inline hlo_instr *number(hlo_gradient *g, const hlo_instr *a, double value) {
    return hlo_build_number(g->r, a->shape, value);
}
static inline hlo_instr *plus_number(hlo_gradient *g, hlo_instr *a, double value) {
    return plus(g, a, number(g, a, value));
}
static inline hlo_instr *times_number(hlo_gradient *g, hlo_instr *a, double value) {
    return times(g, a, number(g, a, value));
}
/* value - a */
static inline hlo_instr *number_minus(hlo_gradient *g, double value, hlo_instr *a) {
    return minus(g, number(g, a, value), a);
}
/* `a` where the choice is true, else zeros. */
static inline hlo_instr *where(hlo_gradient *g, hlo_instr *choice, hlo_instr *a) {
    return hlo_build_select(g->r, choice, a, number(g, a, 0));
}
/* 1 where the two are equal, else 0. */
static inline hlo_instr *equals(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    hlo_instr *is_equal = hlo_build_compare(g->r, a, b, "EQ");
    return where(g, is_equal, number(g, a, 1));
}
/* A real number is its own conjugate. */
static inline hlo_instr *conjugated(hlo_gradient *g, hlo_instr *a) {
    hlo_type type = (hlo_type)a->shape->type;
    if (!hlo_type_is_complex(type)) return a;
    const hlo_shape *part =
        hlo_shape_with_type(&g->r->module->shapes, a->shape, hlo_type_part(type));
    hlo_instr *real = hlo_emit_unary(g->r, HLO_OP_REAL, part, a);
    hlo_instr *imag = hlo_emit_unary(g->r, HLO_OP_IMAG, part, a);
    return hlo_emit_binary(g->r, HLO_OP_COMPLEX, a->shape, real, negated(g, imag));
}
/* The sum over some dimensions; over all of them, to a scalar. */
static inline hlo_instr *sum_over(hlo_gradient *g, hlo_instr *a, const hlo_ints *dims) {
    return dims->n ? hlo_build_reduce(g->r, a, HLO_OP_ADD, dims->v, dims->n) : a;
}
static inline hlo_instr *sum_of_all(hlo_gradient *g, hlo_instr *a) {
    hlo_ints *dims = hlo_ints_new(&g->r->module->arena, a->shape->rank);
    for (uint32_t i = 0; i < dims->n; i++) dims->v[i] = i;
    return sum_over(g, a, dims);
}

#endif
