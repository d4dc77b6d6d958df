/* algsimp: powers, roots and logarithms. Patterns. Those that are valid only for numbers that
 * are not negative ask hlo_is_non_negative; results may differ by rounding. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"

/* ---- powers ---- */

hlo_instr *hlo_rewrite_power_half(hlo_rewriter *r, hlo_instr *power) {
    hlo_instr *a = hlo_operand(power, 0);
    bool fits =
        hlo_is_real(power) && hlo_is_all(hlo_operand(power, 1), 0.5) && hlo_is_non_negative(a);
    return fits ? hlo_emit_unary(r, HLO_OP_SQRT, power->shape, a) : NULL;
}

hlo_instr *hlo_rewrite_divide_by_power(hlo_rewriter *r, hlo_instr *divide) {
    const hlo_instr *power = hlo_operand(divide, 1);
    if (power->opcode != HLO_OP_POWER || !hlo_is_real(divide) || !hlo_has_one_user(power) ||
        !hlo_has_negatives(power))
        return NULL;
    hlo_instr *opposite = hlo_build_unary(r, HLO_OP_NEGATE, hlo_operand(power, 1));
    hlo_instr *inverse =
        hlo_emit_binary(r, HLO_OP_POWER, divide->shape, hlo_operand(power, 0), opposite);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, divide->shape, hlo_operand(divide, 0), inverse);
}

/* ---- roots ---- */

/* op(x) * op(x): x, or NULL. */
static hlo_instr *squared(const hlo_instr *multiply, hlo_opcode opcode) {
    hlo_instr *a = hlo_inside(multiply, opcode);
    const hlo_instr *other = hlo_operand(multiply, 1);
    bool fits = a && hlo_is_real(multiply) && other->opcode == opcode && hlo_operand(other, 0) == a;
    return fits && hlo_is_non_negative(a) ? a : NULL;
}

hlo_instr *hlo_rewrite_multiply_roots(hlo_rewriter *r, hlo_instr *multiply) {
    (void)r;
    return squared(multiply, HLO_OP_SQRT);
}

hlo_instr *hlo_rewrite_multiply_inverse_roots(hlo_rewriter *r, hlo_instr *multiply) {
    hlo_instr *a = squared(multiply, HLO_OP_RSQRT);
    if (!a) return NULL;
    hlo_instr *one = hlo_emit_filled(r, multiply->shape, 1);
    return hlo_emit_binary(r, HLO_OP_DIVIDE, multiply->shape, one, a);
}

hlo_instr *hlo_rewrite_rsqrt_of_inverse(hlo_rewriter *r, hlo_instr *rsqrt) {
    const hlo_instr *divide = hlo_operand(rsqrt, 0);
    bool fits = divide->opcode == HLO_OP_DIVIDE && hlo_is_real(rsqrt) &&
                hlo_is_all(hlo_operand(divide, 0), 1) &&
                hlo_is_non_negative(hlo_operand(divide, 1));
    return fits ? hlo_emit_unary(r, HLO_OP_SQRT, rsqrt->shape, hlo_operand(divide, 1)) : NULL;
}

hlo_instr *hlo_rewrite_rsqrt_of_power(hlo_rewriter *r, hlo_instr *rsqrt) {
    (void)r;
    const hlo_instr *power = hlo_operand(rsqrt, 0);
    bool fits = power->opcode == HLO_OP_POWER && hlo_is_real(rsqrt) &&
                hlo_is_all(hlo_operand(power, 1), -2) && hlo_is_non_negative(hlo_operand(power, 0));
    return fits ? hlo_operand(power, 0) : NULL;
}

/* ---- logarithms ---- */

static hlo_instr *scaled_log(hlo_rewriter *r, const hlo_instr *log, hlo_opcode root, double by) {
    const hlo_instr *operand = hlo_operand(log, 0);
    hlo_instr *a = hlo_inside(log, root);
    if (!a || !hlo_is_real(log) || !hlo_has_one_user(operand)) return NULL;
    hlo_instr *of_a = hlo_emit_unary(r, HLO_OP_LOG, log->shape, a);
    hlo_instr *factor = hlo_build_number(r, log->shape, by);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, log->shape, of_a, factor);
}

hlo_instr *hlo_rewrite_log_of_sqrt(hlo_rewriter *r, hlo_instr *log) {
    return scaled_log(r, log, HLO_OP_SQRT, 0.5);
}

hlo_instr *hlo_rewrite_log_of_rsqrt(hlo_rewriter *r, hlo_instr *log) {
    return hlo_has_negatives(log) ? scaled_log(r, log, HLO_OP_RSQRT, -0.5) : NULL;
}

/* For constant exponents other than 0, since 0 * log(0) is no number. */
hlo_instr *hlo_rewrite_log_of_power(hlo_rewriter *r, hlo_instr *log) {
    const hlo_instr *power = hlo_operand(log, 0);
    double exponent;
    bool fits = power->opcode == HLO_OP_POWER && hlo_is_real(log) && hlo_has_one_user(power) &&
                hlo_number_of(hlo_operand(power, 1), &exponent) && exponent != 0 &&
                hlo_is_non_negative(hlo_operand(power, 0));
    if (!fits) return NULL;
    hlo_instr *of_base = hlo_emit_unary(r, HLO_OP_LOG, log->shape, hlo_operand(power, 0));
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, log->shape, of_base, hlo_operand(power, 1));
}

/* ---- even functions ---- */

/* The imaginary part of a complex cosine may be a zero with another sign. */
hlo_instr *hlo_rewrite_cosine_of_negate(hlo_rewriter *r, hlo_instr *cosine) {
    hlo_instr *a = hlo_negated(hlo_operand(cosine, 0));
    return a && hlo_is_real(cosine) ? hlo_emit_unary(r, HLO_OP_COSINE, cosine->shape, a) : NULL;
}

hlo_instr *hlo_rewrite_sign_of_sign(hlo_rewriter *r, hlo_instr *sign) {
    (void)r;
    hlo_instr *inner = hlo_operand(sign, 0);
    return inner->opcode == HLO_OP_SIGN && !hlo_type_is_complex((hlo_type)sign->shape->type) ? inner
                                                                                             : NULL;
}

/* ---- the greater of two values of a function that never falls ---- */

static bool never_falls(hlo_opcode opcode) {
    return opcode == HLO_OP_CBRT || opcode == HLO_OP_ERF || opcode == HLO_OP_LOGISTIC ||
           opcode == HLO_OP_TANH;
}

/* max(f(a), f(b)) is f(max(a, b)): one f less. */
hlo_instr *hlo_rewrite_extreme_of_rising(hlo_rewriter *r, hlo_instr *instr) {
    const hlo_instr *x = hlo_operand(instr, 0), *y = hlo_operand(instr, 1);
    bool fits = x->opcode == y->opcode && never_falls((hlo_opcode)x->opcode) &&
                hlo_has_one_user(x) && hlo_has_one_user(y);
    if (!fits) return NULL;
    hlo_instr *inner = hlo_emit_binary(r, (hlo_opcode)instr->opcode, instr->shape,
                                       hlo_operand(x, 0), hlo_operand(y, 0));
    return hlo_emit_like(r, x, instr->shape, &inner, 1);
}
