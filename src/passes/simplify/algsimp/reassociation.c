/* algsimp: constants to the right and together, and products, quotients and powers in a cheaper
 * form. Patterns. Floats may round differently. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

/* A constant, or a scalar constant everywhere. */
static bool is_constant(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_CONSTANT ||
           (instr->opcode == HLO_OP_BROADCAST && hlo_constant_of(hlo_operand(instr, 0)) &&
            hlo_operand(instr, 0)->shape->rank == 0);
}

/* op(a, b) of two constants: of their scalars when both are broadcast. */
static hlo_instr *combined(hlo_rewriter *r, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    if (a->opcode != HLO_OP_BROADCAST || b->opcode != HLO_OP_BROADCAST)
        return hlo_emit_binary(r, opcode, a->shape, a, b);
    hlo_instr *x = hlo_operand(a, 0), *y = hlo_operand(b, 0);
    hlo_instr *scalar = hlo_emit_binary(r, opcode, x->shape, x, y);
    return hlo_emit_broadcast(r, a->shape, scalar, NULL, 0);
}

/* ---- constants ---- */

/* The canonical order: patterns below look for the constant at the right. */
hlo_instr *hlo_rewrite_constant_last(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *a = hlo_operand(instr, 0), *b = hlo_operand(instr, 1);
    if (!is_constant(a) || is_constant(b)) return NULL;
    return hlo_emit_binary(r, (hlo_opcode)instr->opcode, instr->shape, b, a);
}

/* Products by c1, then by c2 are products by both, up to rounding: with factors up to 1 nothing
 * overflows, and none of the products rounds more than another while c1 * c2 is a normal number;
 * powers of two from 1 on do not round at all. */
static bool are_gentle_factors(const hlo_instr *c1, const hlo_instr *c2) {
    double x, y;
    hlo_type type = (hlo_type)c1->shape->type;
    if (!hlo_is_real(c1) || !hlo_number_of(c1, &x) || !hlo_number_of(c2, &y)) return false;
    x = __builtin_fabs(x);
    y = __builtin_fabs(y);
    int least = 2 - (1 << (hlo_types[type].exponent_bits - 1));
    if (x <= 1 && y <= 1) return x * y >= __builtin_ldexp(1, least);
    return x >= 1 && y >= 1 && hlo_is_power_of_two(c1) && hlo_is_power_of_two(c2) &&
           x * y < __builtin_ldexp(1, -least);
}

static bool constants_may_meet(const hlo_rewriter *r, const hlo_instr *instr, const hlo_instr *c1,
                               const hlo_instr *c2) {
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    return hlo_is_fast_math(r) || hlo_is_exact_in_any_order(opcode, (hlo_type)instr->shape->type) ||
           (opcode == HLO_OP_MULTIPLY && are_gentle_factors(c1, c2));
}

/* op(op(a, c1), c2) as op(a, op(c1, c2)). */
hlo_instr *hlo_rewrite_constants_together(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *inner = hlo_operand(instr, 0), *c2 = hlo_operand(instr, 1);
    if (inner->opcode != instr->opcode || !is_constant(c2)) return NULL;
    hlo_instr *a = hlo_operand(inner, 0), *c1 = hlo_operand(inner, 1);
    if (!is_constant(c1) || is_constant(a) || !constants_may_meet(r, instr, c1, c2)) return NULL;
    hlo_instr *both = combined(r, (hlo_opcode)instr->opcode, c1, c2);
    return hlo_emit_binary(r, (hlo_opcode)instr->opcode, instr->shape, a, both);
}

hlo_instr *hlo_rewrite_subtract_constant(hlo_rewriter *r, hlo_instr *subtract) {
    hlo_instr *a = hlo_operand(subtract, 0), *c = hlo_operand(subtract, 1);
    if (!is_constant(c) || is_constant(a) || !hlo_has_negatives(subtract)) return NULL;
    hlo_instr *scalar = c->opcode == HLO_OP_BROADCAST ? hlo_operand(c, 0) : c;
    hlo_instr *negated = hlo_emit_unary(r, HLO_OP_NEGATE, scalar->shape, scalar);
    if (scalar != c) negated = hlo_emit_broadcast(r, c->shape, negated, NULL, 0);
    return hlo_emit_binary(r, HLO_OP_ADD, subtract->shape, a, negated);
}

hlo_instr *hlo_rewrite_add_constant_difference(hlo_rewriter *r, hlo_instr *add) {
    hlo_instr *inner = hlo_operand(add, 0), *c2 = hlo_operand(add, 1);
    if (inner->opcode != HLO_OP_SUBTRACT || !is_constant(c2)) return NULL;
    if (!hlo_is_integral(add) && !hlo_is_fast_math(r)) return NULL;
    hlo_instr *c1 = hlo_operand(inner, 0), *a = hlo_operand(inner, 1);
    if (!is_constant(c1) || is_constant(a)) return NULL;
    return hlo_emit_binary(r, HLO_OP_SUBTRACT, add->shape, combined(r, HLO_OP_ADD, c1, c2), a);
}

/* ---- sums and products ---- */

/* The factor of a product other than `c`, or NULL. */
static hlo_instr *other_factor(const hlo_instr *product, const hlo_instr *c) {
    if (hlo_operand(product, 1) == c) return hlo_operand(product, 0);
    return hlo_operand(product, 0) == c ? hlo_operand(product, 1) : NULL;
}

/* Integers wrap the same either way. With a power of two no product rounds, but the sum may
 * overflow where those of the products do not, and the other way round. */
hlo_instr *hlo_rewrite_add_common_factor(hlo_rewriter *r, hlo_instr *add) {
    hlo_instr *x = hlo_operand(add, 0), *y = hlo_operand(add, 1);
    if (x->opcode != HLO_OP_MULTIPLY || y->opcode != HLO_OP_MULTIPLY) return NULL;
    if (!hlo_has_one_user(x) || !hlo_has_one_user(y)) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *c = hlo_operand(x, 1 - i), *b = other_factor(y, c);
        bool fits = hlo_is_integral(add) || (hlo_is_fast_math(r) && hlo_is_power_of_two(c));
        if (!b || !fits) continue;
        hlo_instr *sum = hlo_emit_binary(r, HLO_OP_ADD, add->shape, hlo_operand(x, i), b);
        return hlo_emit_binary(r, HLO_OP_MULTIPLY, add->shape, sum, c);
    }
    return NULL;
}

hlo_instr *hlo_rewrite_add_negate(hlo_rewriter *r, hlo_instr *add) {
    for (uint32_t i = 2; i-- > 0;) {
        hlo_instr *negate = hlo_operand(add, i), *other = hlo_operand(add, 1 - i);
        if (hlo_negated(negate) && hlo_has_one_user(negate) && !is_constant(hlo_operand(negate, 0)))
            return hlo_emit_binary(r, HLO_OP_SUBTRACT, add->shape, other, hlo_operand(negate, 0));
    }
    return NULL;
}

hlo_instr *hlo_rewrite_subtract_negate(hlo_rewriter *r, hlo_instr *subtract) {
    hlo_instr *negate = hlo_operand(subtract, 1);
    if (!hlo_negated(negate) || !hlo_has_one_user(negate)) return NULL;
    return hlo_emit_binary(r, HLO_OP_ADD, subtract->shape, hlo_operand(subtract, 0),
                           hlo_operand(negate, 0));
}

/* Both operands with that opcode: their operands to *a and *b. */
static bool both(const hlo_instr *instr, hlo_opcode opcode, hlo_instr **a, hlo_instr **b) {
    const hlo_instr *x = hlo_operand(instr, 0), *y = hlo_operand(instr, 1);
    if (x->opcode != opcode || y->opcode != opcode) return false;
    *a = hlo_operand(x, 0);
    *b = hlo_operand(y, 0);
    return true;
}

hlo_instr *hlo_rewrite_multiply_negates(hlo_rewriter *r, hlo_instr *multiply) {
    hlo_instr *a = hlo_negated(hlo_operand(multiply, 0));
    hlo_instr *b = hlo_negated(hlo_operand(multiply, 1));
    if (!a || !b) return NULL;
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, multiply->shape, a, b);
}

hlo_instr *hlo_rewrite_multiply_abs_self(hlo_rewriter *r, hlo_instr *multiply) {
    hlo_instr *a, *b;
    if (!both(multiply, HLO_OP_ABS, &a, &b) || a != b || a->shape != multiply->shape) return NULL;
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, multiply->shape, a, a);
}

hlo_instr *hlo_rewrite_multiply_exponentials(hlo_rewriter *r, hlo_instr *multiply) {
    hlo_instr *a, *b;
    if (!both(multiply, HLO_OP_EXPONENTIAL, &a, &b)) return NULL;
    hlo_instr *sum = hlo_emit_binary(r, HLO_OP_ADD, multiply->shape, a, b);
    return hlo_emit_unary(r, HLO_OP_EXPONENTIAL, multiply->shape, sum);
}

/* Not for integers: the least one has no negation, and its quotient would be another. */
hlo_instr *hlo_rewrite_divide_negates(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *a = hlo_negated(hlo_operand(divide, 0)), *b = hlo_negated(hlo_operand(divide, 1));
    if (!a || !b || hlo_is_integral(divide)) return NULL;
    return hlo_emit_binary(r, HLO_OP_DIVIDE, divide->shape, a, b);
}

/* ---- quotients ---- */

hlo_instr *hlo_rewrite_divide_exponentials(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *a, *b;
    if (!both(divide, HLO_OP_EXPONENTIAL, &a, &b)) return NULL;
    hlo_instr *difference = hlo_emit_binary(r, HLO_OP_SUBTRACT, divide->shape, a, b);
    return hlo_emit_unary(r, HLO_OP_EXPONENTIAL, divide->shape, difference);
}

hlo_instr *hlo_rewrite_divide_by_exponential(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *b = hlo_operand(divide, 1);
    bool fits = b->opcode == HLO_OP_EXPONENTIAL && hlo_has_one_user(b) && hlo_has_negatives(b);
    if (!fits) return NULL;
    hlo_instr *negated = hlo_emit_unary(r, HLO_OP_NEGATE, divide->shape, hlo_operand(b, 0));
    hlo_instr *inverse = hlo_emit_unary(r, HLO_OP_EXPONENTIAL, divide->shape, negated);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, hlo_operand(divide, 0), inverse);
}

static hlo_instr *multiply_by_inverse_root(hlo_rewriter *r, hlo_instr *divide, hlo_opcode root,
                                           hlo_opcode inverse) {
    hlo_instr *b = hlo_operand(divide, 1);
    if (b->opcode != root || !hlo_type_is_float((hlo_type)divide->shape->type)) return NULL;
    hlo_instr *other = hlo_emit_unary(r, inverse, divide->shape, hlo_operand(b, 0));
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, hlo_operand(divide, 0), other);
}

hlo_instr *hlo_rewrite_divide_by_sqrt(hlo_rewriter *r, hlo_instr *divide) {
    return multiply_by_inverse_root(r, divide, HLO_OP_SQRT, HLO_OP_RSQRT);
}

hlo_instr *hlo_rewrite_divide_by_rsqrt(hlo_rewriter *r, hlo_instr *divide) {
    return multiply_by_inverse_root(r, divide, HLO_OP_RSQRT, HLO_OP_SQRT);
}

/* The inverse is a normal number, and so are products with most numbers. */
static bool has_good_inverse(const hlo_instr *instr) {
    double value;
    hlo_type type = (hlo_type)instr->shape->type;
    bool is_wide = type == HLO_F32 || type == HLO_F64 || type == HLO_BF16;
    if (!is_wide || !hlo_number_of(instr, &value)) return false;
    return __builtin_fabs(value) > 1e-30 && __builtin_fabs(value) < 1e30;
}

/* A quotient by less than 1 can be the greatest number where the product, rounded twice, is
 * infinite; not by a power of two, which does not round. */
static bool never_overflows(const hlo_instr *divisor) {
    double value;
    return hlo_is_power_of_two(divisor) ||
           (hlo_number_of(divisor, &value) && __builtin_fabs(value) > 1);
}

hlo_instr *hlo_rewrite_divide_by_constant(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *c = hlo_operand(divide, 1), *a = hlo_operand(divide, 0);
    if (!has_good_inverse(c) || is_constant(a)) return NULL;
    if (!never_overflows(c) && !hlo_is_fast_math(r)) return NULL;
    hlo_instr *scalar = c->opcode == HLO_OP_BROADCAST ? hlo_operand(c, 0) : c;
    hlo_instr *one = hlo_emit_filled(r, scalar->shape, 1);
    hlo_instr *inverse = hlo_emit_binary(r, HLO_OP_DIVIDE, scalar->shape, one, scalar);
    if (scalar != c) inverse = hlo_emit_broadcast(r, c->shape, inverse, NULL, 0);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, a, inverse);
}

hlo_instr *hlo_rewrite_divide_quotient(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *quotient = hlo_operand(divide, 0);
    if (quotient->opcode != HLO_OP_DIVIDE || !hlo_has_one_user(quotient) || !hlo_is_real(divide))
        return NULL;
    hlo_instr *product = hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape,
                                         hlo_operand(quotient, 1), hlo_operand(divide, 1));
    return hlo_emit_binary(r, HLO_OP_DIVIDE, divide->shape, hlo_operand(quotient, 0), product);
}

hlo_instr *hlo_rewrite_divide_by_quotient(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *quotient = hlo_operand(divide, 1);
    if (quotient->opcode != HLO_OP_DIVIDE || !hlo_has_one_user(quotient) || !hlo_is_real(divide))
        return NULL;
    hlo_instr *product = hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, hlo_operand(divide, 0),
                                         hlo_operand(quotient, 1));
    return hlo_emit_binary(r, HLO_OP_DIVIDE, divide->shape, product, hlo_operand(quotient, 0));
}

/* ---- powers ---- */

hlo_instr *hlo_rewrite_power_of_exponential(hlo_rewriter *r, hlo_instr *power) {
    hlo_instr *base = hlo_operand(power, 0);
    if (base->opcode != HLO_OP_EXPONENTIAL || !hlo_is_real(power)) return NULL;
    hlo_instr *product = hlo_emit_binary(r, HLO_OP_MULTIPLY, power->shape, hlo_operand(base, 0),
                                         hlo_operand(power, 1));
    return hlo_emit_unary(r, HLO_OP_EXPONENTIAL, power->shape, product);
}

/* ---- constants of both operands, for integers ---- */

/* op(op(a, c1), op(b, c2)), both used here alone. */
static bool both_with_constants(const hlo_instr *instr) {
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        if (operand->opcode != instr->opcode || !hlo_has_one_user(operand)) return false;
        if (!is_constant(hlo_operand(operand, 1)) || is_constant(hlo_operand(operand, 0)))
            return false;
    }
    return hlo_is_integral(instr);
}

hlo_instr *hlo_rewrite_constants_of_both(hlo_rewriter *r, hlo_instr *instr) {
    if (!both_with_constants(instr)) return NULL;
    hlo_opcode opcode = (hlo_opcode)instr->opcode;
    const hlo_instr *x = hlo_operand(instr, 0), *y = hlo_operand(instr, 1);
    hlo_instr *inner =
        hlo_emit_binary(r, opcode, instr->shape, hlo_operand(x, 0), hlo_operand(y, 0));
    hlo_instr *both = combined(r, opcode, hlo_operand(x, 1), hlo_operand(y, 1));
    return hlo_emit_binary(r, opcode, instr->shape, inner, both);
}

hlo_instr *hlo_rewrite_constant_minus_sum(hlo_rewriter *r, hlo_instr *subtract) {
    hlo_instr *c1 = hlo_operand(subtract, 0);
    const hlo_instr *sum = hlo_operand(subtract, 1);
    if (sum->opcode != HLO_OP_ADD || !hlo_is_integral(subtract) || !is_constant(c1)) return NULL;
    hlo_instr *a = hlo_operand(sum, 0), *c2 = hlo_operand(sum, 1);
    if (!is_constant(c2) || is_constant(a)) return NULL;
    hlo_instr *both = combined(r, HLO_OP_SUBTRACT, c1, c2);
    return hlo_emit_binary(r, HLO_OP_SUBTRACT, subtract->shape, both, a);
}

hlo_instr *hlo_rewrite_constant_minus_difference(hlo_rewriter *r, hlo_instr *subtract) {
    hlo_instr *c1 = hlo_operand(subtract, 0);
    const hlo_instr *inner = hlo_operand(subtract, 1);
    if (inner->opcode != HLO_OP_SUBTRACT || !hlo_is_integral(subtract) || !is_constant(c1))
        return NULL;
    hlo_instr *c2 = hlo_operand(inner, 0), *a = hlo_operand(inner, 1);
    if (!is_constant(c2) || is_constant(a)) return NULL;
    hlo_instr *both = combined(r, HLO_OP_SUBTRACT, c1, c2);
    return hlo_emit_binary(r, HLO_OP_ADD, subtract->shape, a, both);
}

hlo_instr *hlo_rewrite_subtract_common_factor(hlo_rewriter *r, hlo_instr *subtract) {
    hlo_instr *x = hlo_operand(subtract, 0), *y = hlo_operand(subtract, 1);
    if (x->opcode != HLO_OP_MULTIPLY || y->opcode != HLO_OP_MULTIPLY) return NULL;
    if (!hlo_has_one_user(x) || !hlo_has_one_user(y) || !hlo_is_integral(subtract)) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *c = hlo_operand(x, 1 - i), *b = other_factor(y, c);
        if (!b) continue;
        hlo_instr *rest =
            hlo_emit_binary(r, HLO_OP_SUBTRACT, subtract->shape, hlo_operand(x, i), b);
        return hlo_emit_binary(r, HLO_OP_MULTIPLY, subtract->shape, rest, c);
    }
    return NULL;
}

/* ---- signs and constants: exact, for floats too ---- */

/* `c` with the opposite sign, made of a scalar where it is one. */
static hlo_instr *negated(hlo_rewriter *r, hlo_instr *c) {
    hlo_instr *scalar = c->opcode == HLO_OP_BROADCAST ? hlo_operand(c, 0) : c;
    hlo_instr *opposite = hlo_emit_unary(r, HLO_OP_NEGATE, scalar->shape, scalar);
    return scalar == c ? opposite : hlo_emit_broadcast(r, c->shape, opposite, NULL, 0);
}

hlo_instr *hlo_rewrite_multiply_negate_constant(hlo_rewriter *r, hlo_instr *multiply) {
    const hlo_instr *negate = hlo_operand(multiply, 0);
    hlo_instr *c = hlo_operand(multiply, 1);
    if (!hlo_negated(negate) || !is_constant(c) || hlo_is_all(c, -1)) return NULL;
    if (!hlo_has_one_user(negate) || is_constant(hlo_operand(negate, 0))) return NULL;
    hlo_instr *opposite = negated(r, c);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, multiply->shape, hlo_operand(negate, 0), opposite);
}

hlo_instr *hlo_rewrite_negate_of_product(hlo_rewriter *r, hlo_instr *negate) {
    const hlo_instr *product = hlo_operand(negate, 0);
    if (product->opcode != HLO_OP_MULTIPLY || !hlo_has_one_user(product)) return NULL;
    if (hlo_type_is_complex((hlo_type)negate->shape->type)) return NULL; /* signs of zero sums */
    hlo_instr *a = hlo_operand(product, 0), *c = hlo_operand(product, 1);
    if (!is_constant(c) || is_constant(a)) return NULL;
    hlo_instr *opposite = negated(r, c);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, negate->shape, a, opposite);
}

hlo_instr *hlo_rewrite_divide_quotients(hlo_rewriter *r, hlo_instr *divide) {
    hlo_instr *x = hlo_operand(divide, 0), *y = hlo_operand(divide, 1);
    if (x->opcode != HLO_OP_DIVIDE || y->opcode != HLO_OP_DIVIDE || !hlo_is_real(divide))
        return NULL;
    if (!hlo_has_one_user(x) || !hlo_has_one_user(y)) return NULL;
    hlo_instr *above =
        hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, hlo_operand(x, 0), hlo_operand(y, 1));
    hlo_instr *below =
        hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, hlo_operand(x, 1), hlo_operand(y, 0));
    return hlo_emit_binary(r, HLO_OP_DIVIDE, divide->shape, above, below);
}

/* A flag as a number is 0 or 1. For integers: of floats 0 * inf is not 0. */
hlo_instr *hlo_rewrite_multiply_flag(hlo_rewriter *r, hlo_instr *multiply) {
    for (uint32_t i = 0; i < 2 && hlo_is_integral(multiply); i++) {
        const hlo_instr *convert = hlo_operand(multiply, i);
        if (convert->opcode != HLO_OP_CONVERT || !hlo_has_one_user(convert)) continue;
        if (hlo_operand(convert, 0)->shape->type != HLO_PRED) continue;
        hlo_instr *zero = hlo_emit_filled(r, multiply->shape, 0);
        hlo_instr *operands[] = {hlo_operand(convert, 0), hlo_operand(multiply, 1 - i), zero};
        return hlo_emit(r, HLO_OP_SELECT, multiply->shape, operands, 3, NULL, 0);
    }
    return NULL;
}
