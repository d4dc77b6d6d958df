/* algsimp: operations with a neutral or absorbing operand, or with the same operand twice.
 * Patterns. What is not exact for floats (A - A is no zero for infinities) is for integers only. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

static bool is_logical(const hlo_instr *instr) {
    return hlo_is_integral(instr) || instr->shape->type == HLO_PRED;
}

/* Every bit set. */
static bool is_all_ones(const hlo_instr *instr) {
    const unsigned char *element = hlo_splat_of(instr);
    hlo_type type = (hlo_type)instr->shape->type;
    if (!element || !is_logical(instr)) return false;
    if (type == HLO_PRED) return *element == 1;
    if (hlo_types[type].bits < 8)
        return *element == (hlo_types[type].class == HLO_CLASS_SIGNED
                                ? 0xff
                                : (1u << hlo_types[type].bits) - 1);
    for (unsigned i = 0; i < hlo_types[type].bytes; i++)
        if (element[i] != 0xff) return false;
    return true;
}

/* The other operand of one that `fits`: the second operand is tried first. */
static hlo_instr *other_operand(const hlo_instr *instr, bool (*fits)(const hlo_instr *)) {
    if (fits(hlo_operand(instr, 1))) return hlo_operand(instr, 0);
    return fits(hlo_operand(instr, 0)) ? hlo_operand(instr, 1) : NULL;
}

static hlo_instr *either(const hlo_instr *instr, bool (*fits)(const hlo_instr *)) {
    if (fits(hlo_operand(instr, 1))) return hlo_operand(instr, 1);
    return fits(hlo_operand(instr, 0)) ? hlo_operand(instr, 0) : NULL;
}

static bool is_zero(const hlo_instr *instr) {
    return hlo_is_all(instr, 0);
}

static bool is_one(const hlo_instr *instr) {
    return hlo_is_all(instr, 1);
}

static bool is_complex(const hlo_instr *instr) {
    return hlo_type_is_complex((hlo_type)instr->shape->type);
}

static bool has_same_operands(const hlo_instr *instr) {
    return hlo_operand(instr, 0) == hlo_operand(instr, 1);
}

/* ---- add, subtract ---- */

/* -0 + 0 is 0. */
hlo_instr *hlo_rewrite_add_zero(hlo_rewriter *r, hlo_instr *add) {
    for (uint32_t i = 2; i-- > 0;) {
        hlo_instr *zero = hlo_operand(add, i), *other = hlo_operand(add, 1 - i);
        if (is_zero(zero) && (hlo_is_exactly_neutral(HLO_OP_ADD, zero) ||
                              hlo_is_never_negative_zero(other) || hlo_is_fast_math(r)))
            return other;
    }
    return NULL;
}

/* A - 0 is A, but -0 - -0 is 0. */
hlo_instr *hlo_rewrite_subtract_zero(hlo_rewriter *r, hlo_instr *subtract) {
    (void)r;
    const hlo_instr *zero = hlo_operand(subtract, 1);
    return is_zero(zero) && hlo_is_never_negative_zero(zero) ? hlo_operand(subtract, 0) : NULL;
}

hlo_instr *hlo_rewrite_subtract_self(hlo_rewriter *r, hlo_instr *subtract) {
    if (!has_same_operands(subtract) || !hlo_is_integral(subtract)) return NULL;
    return hlo_emit_filled(r, subtract->shape, 0);
}

hlo_instr *hlo_rewrite_zero_subtract(hlo_rewriter *r, hlo_instr *subtract) {
    if (!hlo_is_integral(subtract) || !is_zero(hlo_operand(subtract, 0))) return NULL;
    return hlo_emit_unary(r, HLO_OP_NEGATE, subtract->shape, hlo_operand(subtract, 1));
}

hlo_instr *hlo_rewrite_add_difference(hlo_rewriter *r, hlo_instr *add) {
    (void)r;
    for (uint32_t i = 0; i < 2 && hlo_is_integral(add); i++) {
        hlo_instr *difference = hlo_operand(add, i), *other = hlo_operand(add, 1 - i);
        if (difference->opcode == HLO_OP_SUBTRACT && hlo_operand(difference, 1) == other)
            return hlo_operand(difference, 0);
    }
    return NULL;
}

hlo_instr *hlo_rewrite_subtract_difference(hlo_rewriter *r, hlo_instr *subtract) {
    (void)r;
    hlo_instr *a = hlo_operand(subtract, 0), *inner = hlo_operand(subtract, 1);
    bool fits =
        hlo_is_integral(subtract) && inner->opcode == HLO_OP_SUBTRACT && hlo_operand(inner, 0) == a;
    return fits ? hlo_operand(inner, 1) : NULL;
}

/* The operand of `sum` other than `a`, or NULL. */
static hlo_instr *rest_of_sum(const hlo_instr *sum, const hlo_instr *a) {
    if (sum->opcode != HLO_OP_ADD) return NULL;
    if (hlo_operand(sum, 0) == a) return hlo_operand(sum, 1);
    return hlo_operand(sum, 1) == a ? hlo_operand(sum, 0) : NULL;
}

hlo_instr *hlo_rewrite_subtract_sum(hlo_rewriter *r, hlo_instr *subtract) {
    hlo_instr *rest = rest_of_sum(hlo_operand(subtract, 1), hlo_operand(subtract, 0));
    if (!rest || !hlo_is_integral(subtract)) return NULL;
    return hlo_emit_unary(r, HLO_OP_NEGATE, subtract->shape, rest);
}

hlo_instr *hlo_rewrite_sum_subtract(hlo_rewriter *r, hlo_instr *subtract) {
    (void)r;
    hlo_instr *rest = rest_of_sum(hlo_operand(subtract, 0), hlo_operand(subtract, 1));
    return rest && hlo_is_integral(subtract) ? rest : NULL;
}

/* ---- multiply, divide, remainder ---- */

/* (inf + inf i) * (1 + 0i) has parts that are no numbers. */
hlo_instr *hlo_rewrite_multiply_one(hlo_rewriter *r, hlo_instr *multiply) {
    return is_complex(multiply) && !hlo_is_fast_math(r) ? NULL : other_operand(multiply, is_one);
}

hlo_instr *hlo_rewrite_multiply_zero(hlo_rewriter *r, hlo_instr *multiply) {
    (void)r;
    return is_logical(multiply) ? either(multiply, is_zero) : NULL;
}

static bool is_minus_one(const hlo_instr *instr) {
    return !hlo_type_is_complex((hlo_type)instr->shape->type) && hlo_is_all(instr, -1);
}

hlo_instr *hlo_rewrite_multiply_minus_one(hlo_rewriter *r, hlo_instr *multiply) {
    hlo_instr *other = other_operand(multiply, is_minus_one);
    return other ? hlo_emit_unary(r, HLO_OP_NEGATE, multiply->shape, other) : NULL;
}

hlo_instr *hlo_rewrite_divide_one(hlo_rewriter *r, hlo_instr *divide) {
    if (is_complex(divide) && !hlo_is_fast_math(r)) return NULL;
    return is_one(hlo_operand(divide, 1)) ? hlo_operand(divide, 0) : NULL;
}

/* The exponent when every element is the same power of two of an unsigned type; -1 otherwise. */
static int unsigned_power_of_two(const hlo_instr *instr) {
    int64_t value;
    bool is_unsigned = hlo_types[instr->shape->type].class == HLO_CLASS_UNSIGNED;
    if (!is_unsigned || !hlo_integer_of(instr, &value) || value < 1) return -1;
    return (value & (value - 1)) == 0 ? __builtin_ctzll((uint64_t)value) : -1;
}

hlo_instr *hlo_rewrite_divide_power_of_two(hlo_rewriter *r, hlo_instr *divide) {
    int log = unsigned_power_of_two(hlo_operand(divide, 1));
    if (log < 1) return NULL;
    hlo_instr *amount = hlo_emit_filled(r, divide->shape, log);
    return hlo_emit_binary(r, HLO_OP_SHIFT_RIGHT_LOGICAL, divide->shape, hlo_operand(divide, 0),
                           amount);
}

hlo_instr *hlo_rewrite_remainder_power_of_two(hlo_rewriter *r, hlo_instr *remainder) {
    int log = unsigned_power_of_two(hlo_operand(remainder, 1));
    if (log < 0) return NULL;
    hlo_instr *mask = hlo_emit_filled(r, remainder->shape, ((int64_t)1 << log) - 1);
    return hlo_emit_binary(r, HLO_OP_AND, remainder->shape, hlo_operand(remainder, 0), mask);
}

/* ---- and, or, xor, shifts ---- */

hlo_instr *hlo_rewrite_and_ones(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return other_operand(instr, is_all_ones);
}

hlo_instr *hlo_rewrite_and_zero(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return either(instr, is_zero);
}

hlo_instr *hlo_rewrite_one_of_same_operands(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return has_same_operands(instr) ? hlo_operand(instr, 0) : NULL;
}

hlo_instr *hlo_rewrite_or_zero(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return other_operand(instr, is_zero);
}

hlo_instr *hlo_rewrite_or_ones(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return either(instr, is_all_ones);
}

hlo_instr *hlo_rewrite_xor_zero(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return other_operand(instr, is_zero);
}

hlo_instr *hlo_rewrite_xor_self(hlo_rewriter *r, hlo_instr *instr) {
    return has_same_operands(instr) ? hlo_emit_filled(r, instr->shape, 0) : NULL;
}

hlo_instr *hlo_rewrite_xor_ones(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *other = other_operand(instr, is_all_ones);
    return other ? hlo_emit_unary(r, HLO_OP_NOT, instr->shape, other) : NULL;
}

static hlo_instr *unshifted(const hlo_instr *shift) {
    return is_zero(hlo_operand(shift, 1)) ? hlo_operand(shift, 0) : NULL;
}

hlo_instr *hlo_rewrite_shift_left_zero(hlo_rewriter *r, hlo_instr *shift) {
    (void)r;
    return unshifted(shift);
}

hlo_instr *hlo_rewrite_shift_right_arithmetic_zero(hlo_rewriter *r, hlo_instr *shift) {
    (void)r;
    return unshifted(shift);
}

hlo_instr *hlo_rewrite_shift_right_logical_zero(hlo_rewriter *r, hlo_instr *shift) {
    (void)r;
    return unshifted(shift);
}

/* ---- maximum, minimum ---- */

static bool is_infinite(const hlo_instr *instr, double sign) {
    double value;
    return hlo_type_is_float((hlo_type)instr->shape->type) && hlo_number_of(instr, &value) &&
           value == sign * __builtin_inf();
}

static bool is_minus_infinity(const hlo_instr *instr) {
    return is_infinite(instr, -1);
}

static bool is_infinity(const hlo_instr *instr) {
    return is_infinite(instr, 1);
}

hlo_instr *hlo_rewrite_maximum_of_least(hlo_rewriter *r, hlo_instr *maximum) {
    (void)r;
    return other_operand(maximum, is_minus_infinity);
}

hlo_instr *hlo_rewrite_minimum_of_greatest(hlo_rewriter *r, hlo_instr *minimum) {
    (void)r;
    return other_operand(minimum, is_infinity);
}

/* op(op(x, y), y) and the like: the inner one, when it has the outer's other operand. */
static hlo_instr *absorbed(const hlo_instr *outer) {
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *inner = hlo_operand(outer, i), *other = hlo_operand(outer, 1 - i);
        if (inner->opcode != outer->opcode) continue;
        if (hlo_operand(inner, 0) == other || hlo_operand(inner, 1) == other) return inner;
    }
    return NULL;
}

hlo_instr *hlo_rewrite_maximum_of_maximum(hlo_rewriter *r, hlo_instr *maximum) {
    (void)r;
    return absorbed(maximum);
}

hlo_instr *hlo_rewrite_minimum_of_minimum(hlo_rewriter *r, hlo_instr *minimum) {
    (void)r;
    return absorbed(minimum);
}

/* ---- power: of complex numbers, parts of an infinite one are no numbers ---- */

hlo_instr *hlo_rewrite_power_zero(hlo_rewriter *r, hlo_instr *power) {
    return is_zero(hlo_operand(power, 1)) ? hlo_emit_filled(r, power->shape, 1) : NULL;
}

hlo_instr *hlo_rewrite_power_one(hlo_rewriter *r, hlo_instr *power) {
    (void)r;
    bool fits = is_one(hlo_operand(power, 1)) && !is_complex(power);
    return fits ? hlo_operand(power, 0) : NULL;
}

hlo_instr *hlo_rewrite_power_two(hlo_rewriter *r, hlo_instr *power) {
    hlo_instr *a = hlo_operand(power, 0);
    if (!hlo_is_all(hlo_operand(power, 1), 2) || is_complex(power)) return NULL;
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, power->shape, a, a);
}

hlo_instr *hlo_rewrite_power_three(hlo_rewriter *r, hlo_instr *power) {
    hlo_instr *a = hlo_operand(power, 0);
    if (!hlo_is_all(hlo_operand(power, 1), 3) || is_complex(power)) return NULL;
    hlo_instr *square = hlo_emit_binary(r, HLO_OP_MULTIPLY, power->shape, a, a);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, power->shape, square, a);
}

hlo_instr *hlo_rewrite_power_minus_one(hlo_rewriter *r, hlo_instr *power) {
    bool fits =
        hlo_type_is_float((hlo_type)power->shape->type) && hlo_is_all(hlo_operand(power, 1), -1);
    if (!fits) return NULL;
    hlo_instr *one = hlo_emit_filled(r, power->shape, 1);
    return hlo_emit_binary(r, HLO_OP_DIVIDE, power->shape, one, hlo_operand(power, 0));
}

/* ---- laws of absorption ---- */

/* The operand of `outer` that is op(A, B) or op(B, A) for its other operand A; that A to *a. */
static hlo_instr *around(const hlo_instr *outer, hlo_opcode opcode, hlo_instr **a) {
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *inner = hlo_operand(outer, i);
        *a = hlo_operand(outer, 1 - i);
        if (inner->opcode == opcode && (hlo_operand(inner, 0) == *a || hlo_operand(inner, 1) == *a))
            return inner;
    }
    return NULL;
}

static hlo_instr *absorbs(const hlo_instr *outer, hlo_opcode inner) {
    hlo_instr *a;
    return is_logical(outer) && around(outer, inner, &a) ? a : NULL;
}

hlo_instr *hlo_rewrite_and_of_or(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return absorbs(instr, HLO_OP_OR);
}

hlo_instr *hlo_rewrite_or_of_and(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return absorbs(instr, HLO_OP_AND);
}

hlo_instr *hlo_rewrite_maximum_of_own_minimum(hlo_rewriter *r, hlo_instr *maximum) {
    (void)r;
    return absorbs(maximum, HLO_OP_MINIMUM);
}

hlo_instr *hlo_rewrite_minimum_of_own_maximum(hlo_rewriter *r, hlo_instr *minimum) {
    (void)r;
    return absorbs(minimum, HLO_OP_MAXIMUM);
}

/* One operand is the negation of the other. */
static bool is_of_opposites(const hlo_instr *instr) {
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_instr *negation = hlo_operand(instr, i);
        if (negation->opcode == HLO_OP_NOT && hlo_operand(negation, 0) == hlo_operand(instr, 1 - i))
            return true;
    }
    return false;
}

hlo_instr *hlo_rewrite_and_of_opposites(hlo_rewriter *r, hlo_instr *instr) {
    return is_of_opposites(instr) ? hlo_emit_filled(r, instr->shape, 0) : NULL;
}

/* Stored elements of types below a byte have their upper bits normalised. */
static hlo_instr *all_ones(hlo_rewriter *r, const hlo_shape *shape) {
    const hlo_type_info *type = &hlo_types[shape->type];
    if (shape->type == HLO_PRED) return hlo_emit_filled(r, shape, 1);
    if (type->class == HLO_CLASS_SIGNED || type->bits == 64) return hlo_emit_filled(r, shape, -1);
    return hlo_emit_filled(r, shape, ((int64_t)1 << type->bits) - 1);
}

hlo_instr *hlo_rewrite_ones_of_opposites(hlo_rewriter *r, hlo_instr *instr) {
    return is_of_opposites(instr) ? all_ones(r, instr->shape) : NULL;
}

hlo_instr *hlo_rewrite_negate_of_subtract(hlo_rewriter *r, hlo_instr *negate) {
    hlo_instr *inner = hlo_operand(negate, 0);
    if (inner->opcode != HLO_OP_SUBTRACT || !hlo_is_integral(negate) || !hlo_has_one_user(inner))
        return NULL;
    return hlo_emit_binary(r, HLO_OP_SUBTRACT, negate->shape, hlo_operand(inner, 1),
                           hlo_operand(inner, 0));
}

/* ---- bitwise operations of the same operands ---- */

/* op(op(A, B), B): the inner one. */
static hlo_instr *repeats_inner(const hlo_instr *instr) {
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *inner = hlo_operand(instr, i);
        const hlo_instr *other = hlo_operand(instr, 1 - i);
        if (inner->opcode != instr->opcode) continue;
        if (hlo_operand(inner, 0) == other || hlo_operand(inner, 1) == other) return inner;
    }
    return NULL;
}

hlo_instr *hlo_rewrite_repeated_inside(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    return repeats_inner(instr);
}

hlo_instr *hlo_rewrite_xor_of_xor(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    const hlo_instr *inner = repeats_inner(instr);
    if (!inner) return NULL;
    bool is_second = hlo_operand(inner, 1) == hlo_operand(instr, 0) ||
                     hlo_operand(inner, 1) == hlo_operand(instr, 1);
    return hlo_operand(inner, is_second ? 0 : 1);
}

/* Both operands are negations without other users. */
static bool is_of_nots(const hlo_instr *instr) {
    const hlo_instr *x = hlo_operand(instr, 0), *y = hlo_operand(instr, 1);
    return x->opcode == HLO_OP_NOT && y->opcode == HLO_OP_NOT && x != y && hlo_has_one_user(x) &&
           hlo_has_one_user(y);
}

/* Neither is not one or the other, and so on. */
hlo_instr *hlo_rewrite_nots_together(hlo_rewriter *r, hlo_instr *instr) {
    if (!is_of_nots(instr)) return NULL;
    hlo_opcode other = instr->opcode == HLO_OP_AND ? HLO_OP_OR : HLO_OP_AND;
    hlo_instr *inner =
        hlo_emit_binary(r, other, instr->shape, hlo_operand(hlo_operand(instr, 0), 0),
                        hlo_operand(hlo_operand(instr, 1), 0));
    return hlo_emit_unary(r, HLO_OP_NOT, instr->shape, inner);
}

hlo_instr *hlo_rewrite_xor_of_nots(hlo_rewriter *r, hlo_instr *instr) {
    if (!is_of_nots(instr)) return NULL;
    return hlo_emit_binary(r, HLO_OP_XOR, instr->shape, hlo_operand(hlo_operand(instr, 0), 0),
                           hlo_operand(hlo_operand(instr, 1), 0));
}
