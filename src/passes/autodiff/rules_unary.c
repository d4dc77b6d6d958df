/* Rules of functions of one operand: the cotangent times the derivative, of complex numbers too. */
#include "passes/autodiff/formula.h"

/* A rule whose derivative is a formula of the operand x, and one where it is a formula of the
 * result y. */
#define BY_OPERAND(name, gradient)                                              \
    bool hlo_gradient_##name(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) { \
        hlo_instr *x = hlo_gradient_operand(g, instr, 0);                       \
        hlo_gradient_add(g, instr, 0, gradient);                                \
        return true;                                                            \
    }
#define BY_RESULT(name, gradient)                                               \
    bool hlo_gradient_##name(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) { \
        hlo_instr *y = hlo_gradient_value(g, instr);                            \
        hlo_gradient_add(g, instr, 0, gradient);                                \
        return true;                                                            \
    }

static hlo_instr *reciprocal_root(hlo_gradient *g, hlo_instr *a) {
    return apply(g, HLO_OP_RSQRT, a);
}

/* ---- exponents and logarithms ---- */
BY_RESULT(exponential, times(g, c, y))
BY_RESULT(exponential_minus_one, times(g, c, plus_number(g, y, 1)))
BY_OPERAND(log, over(g, c, x))
BY_OPERAND(log_plus_one, over(g, c, plus_number(g, x, 1)))

/* y (1 - y) */
static hlo_instr *logistic_slope(hlo_gradient *g, hlo_instr *y) {
    return times(g, y, number_minus(g, 1, y));
}
BY_RESULT(logistic, times(g, c, logistic_slope(g, y)))

/* 2 / sqrt(pi) exp(-x^2) */
static hlo_instr *bell(hlo_gradient *g, hlo_instr *x) {
    hlo_instr *curve = apply(g, HLO_OP_EXPONENTIAL, negated(g, squared(g, x)));
    return times_number(g, curve, 1.1283791670955126);
}
BY_OPERAND(erf, times(g, c, bell(g, x)))

/* ---- roots ---- */
BY_RESULT(sqrt, over(g, times_number(g, c, 0.5), y))

static hlo_instr *third_of_square(hlo_gradient *g, hlo_instr *y, hlo_instr *c) {
    hlo_instr *square = squared(g, y);
    return over(g, times_number(g, c, 1.0 / 3), square);
}
BY_RESULT(cbrt, third_of_square(g, y, c))

/* -y / 2x: of a small x, the cube of y would be out of range where this is not. */
bool hlo_gradient_rsqrt(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *y = hlo_gradient_value(g, instr), *x = hlo_gradient_operand(g, instr, 0);
    hlo_instr *slope = times_number(g, over(g, y, x), -0.5);
    hlo_gradient_add(g, instr, 0, times(g, c, slope));
    return true;
}

/* ---- circular and hyperbolic functions ---- */
BY_OPERAND(sine, times(g, c, apply(g, HLO_OP_COSINE, x)))
BY_OPERAND(cosine, negated(g, times(g, c, apply(g, HLO_OP_SINE, x))))
BY_OPERAND(sinh, times(g, c, apply(g, HLO_OP_COSH, x)))
BY_OPERAND(cosh, times(g, c, apply(g, HLO_OP_SINH, x)))
BY_RESULT(tan, times(g, c, plus_number(g, squared(g, y), 1)))
/* (1 + y)(1 - y) c, which is more exact near 1 than 1 - y^2. */
static hlo_instr *tanh_contribution(hlo_gradient *g, hlo_instr *y, hlo_instr *c) {
    hlo_instr *sum = plus(g, c, times(g, c, y));
    return times(g, sum, number_minus(g, 1, y));
}
BY_RESULT(tanh, tanh_contribution(g, y, c))

/* ---- their inverses ---- */
BY_OPERAND(asin, times(g, c, reciprocal_root(g, number_minus(g, 1, squared(g, x)))))
BY_OPERAND(acos, negated(g, times(g, c, reciprocal_root(g, number_minus(g, 1, squared(g, x))))))
BY_OPERAND(asinh, times(g, c, reciprocal_root(g, plus_number(g, squared(g, x), 1))))
BY_OPERAND(acosh, times(g, c, reciprocal_root(g, plus_number(g, squared(g, x), -1))))
/* c / ((1 - x)(1 + x)) */
static hlo_instr *atanh_contribution(hlo_gradient *g, hlo_instr *x, hlo_instr *c) {
    hlo_instr *part = over(g, c, number_minus(g, 1, x));
    return over(g, part, plus_number(g, x, 1));
}
BY_OPERAND(atanh, atanh_contribution(g, x, c))

/* ---- signs and types ---- */

bool hlo_gradient_negate(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_gradient_add(g, instr, 0, negated(g, c));
    return true;
}

/* Of a complex number, the direction towards it mirrored at the real axis; 0 of 0. */
static hlo_instr *mirrored_direction(hlo_gradient *g, hlo_instr *x) {
    hlo_instr *direction = apply(g, HLO_OP_SIGN, x);
    const hlo_shape *part = hlo_shape_with_type(&g->r->module->shapes, x->shape,
                                                hlo_type_part((hlo_type)x->shape->type));
    hlo_instr *real = hlo_emit_unary(g->r, HLO_OP_REAL, part, direction);
    hlo_instr *imag = negated(g, hlo_emit_unary(g->r, HLO_OP_IMAG, part, direction));
    return hlo_emit_binary(g->r, HLO_OP_COMPLEX, x->shape, real, imag);
}

/* c as a complex number of the type of x. */
static hlo_instr *as_complex(hlo_gradient *g, const hlo_instr *x, hlo_instr *c) {
    return hlo_emit_binary(g->r, HLO_OP_COMPLEX, x->shape, c, number(g, c, 0));
}

bool hlo_gradient_abs(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *x = hlo_gradient_operand(g, instr, 0), *slope;
    if (hlo_type_is_complex((hlo_type)x->shape->type)) {
        slope = mirrored_direction(g, x);
        c = as_complex(g, x, c);
    } else {
        slope = apply(g, HLO_OP_SIGN, x);
    }
    hlo_gradient_add(g, instr, 0, times(g, c, slope));
    return true;
}

/* The real part of a complex cotangent is what a real operand gets. */
bool hlo_gradient_convert(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    const hlo_shape *to = hlo_operand(instr, 0)->shape;
    hlo_type type = (hlo_type)to->type;
    if (hlo_type_is_complex((hlo_type)c->shape->type) && !hlo_type_is_complex(type)) {
        hlo_type part = hlo_type_part((hlo_type)c->shape->type);
        c = hlo_emit_unary(g->r, HLO_OP_REAL,
                           hlo_shape_with_type(&g->r->module->shapes, c->shape, part), c);
    }
    hlo_gradient_add(g, instr, 0, c); /* which converts */
    return true;
}

/* The cotangent is rounded as the value was. */
bool hlo_gradient_reduce_precision(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_gradient_add(g, instr, 0, hlo_emit_like(g->r, instr, c->shape, &c, 1));
    return true;
}

/* ---- parts of complex numbers ---- */

/* Real numbers have parts too: themselves, and zero. */
static bool is_of_complex(const hlo_instr *instr) {
    return hlo_type_is_complex((hlo_type)hlo_operand(instr, 0)->shape->type);
}

bool hlo_gradient_real(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    if (is_of_complex(instr)) c = as_complex(g, hlo_operand(instr, 0), c);
    hlo_gradient_add(g, instr, 0, c);
    return true;
}

bool hlo_gradient_imag(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    if (!is_of_complex(instr)) return true;
    hlo_instr *zero = number(g, c, 0), *imag = negated(g, c);
    const hlo_shape *shape = hlo_operand(instr, 0)->shape;
    hlo_gradient_add(g, instr, 0, hlo_emit_binary(g->r, HLO_OP_COMPLEX, shape, zero, imag));
    return true;
}

bool hlo_gradient_complex(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    const hlo_shape *part = hlo_operand(instr, 0)->shape;
    if (hlo_gradient_is_needed(g, instr, 0))
        hlo_gradient_add(g, instr, 0, hlo_emit_unary(g->r, HLO_OP_REAL, part, c));
    if (hlo_gradient_is_needed(g, instr, 1)) {
        hlo_instr *imag = hlo_emit_unary(g->r, HLO_OP_IMAG, part, c);
        hlo_gradient_add(g, instr, 1, negated(g, imag));
    }
    return true;
}
