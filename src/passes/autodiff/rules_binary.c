/* Rules of elementwise operations of several operands. Each makes only what operands that want
 * something need. */
#include "passes/autodiff/formula.h"

/* ---- arithmetic ---- */

bool hlo_gradient_sum(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_gradient_add(g, instr, 0, c);
    hlo_gradient_add(g, instr, 1, c);
    return true;
}

bool hlo_gradient_subtract(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_SUBTRACT);
    hlo_gradient_add(g, instr, 0, c);
    if (hlo_gradient_is_needed(g, instr, 1)) hlo_gradient_add(g, instr, 1, negated(g, c));
    return true;
}

bool hlo_gradient_multiply(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    for (uint32_t i = 0; i < 2; i++)
        if (hlo_gradient_is_needed(g, instr, i))
            hlo_gradient_add(g, instr, i, times(g, c, hlo_gradient_operand(g, instr, 1 - i)));
    return true;
}

bool hlo_gradient_divide(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *quotient = over(g, c, hlo_gradient_operand(g, instr, 1));
    HLO_ASSERT(instr->opcode == HLO_OP_DIVIDE);
    hlo_gradient_add(g, instr, 0, quotient);
    if (hlo_gradient_is_needed(g, instr, 1)) {
        hlo_instr *product = times(g, quotient, hlo_gradient_value(g, instr));
        hlo_gradient_add(g, instr, 1, negated(g, product));
    }
    return true;
}

/* The quotient rounded towards zero is what x loses y. */
bool hlo_gradient_remainder(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_gradient_add(g, instr, 0, c);
    if (!hlo_gradient_is_needed(g, instr, 1)) return true;
    hlo_instr *x = hlo_gradient_operand(g, instr, 0), *y = hlo_gradient_operand(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_REMAINDER);
    hlo_instr *quotient = over(g, x, y);
    hlo_instr *whole = apply(g, HLO_OP_FLOOR, apply(g, HLO_OP_ABS, quotient));
    hlo_instr *taken = times(g, apply(g, HLO_OP_SIGN, quotient), whole);
    hlo_gradient_add(g, instr, 1, negated(g, times(g, c, taken)));
    return true;
}

/* ---- powers and angles ---- */

/* b a^(b-1) */
static void power_base(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *a = hlo_gradient_operand(g, instr, 0), *b = hlo_gradient_operand(g, instr, 1);
    hlo_instr *power = hlo_build_binary(g->r, HLO_OP_POWER, a, plus_number(g, b, -1));
    hlo_gradient_add(g, instr, 0, times(g, c, times(g, b, power)));
}

/* y log a, which is 0 where a is 0. */
static void power_exponent(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *a = hlo_gradient_operand(g, instr, 0), *y = hlo_gradient_value(g, instr);
    hlo_instr *is_zero = hlo_build_compare(g->r, a, number(g, a, 0), "EQ");
    hlo_instr *safe = hlo_build_select(g->r, is_zero, number(g, a, 1), a);
    hlo_instr *slope = times(g, apply(g, HLO_OP_LOG, safe), y);
    hlo_gradient_add(g, instr, 1, times(g, c, slope));
}

bool hlo_gradient_power(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_POWER);
    if (hlo_gradient_is_needed(g, instr, 0)) power_base(g, instr, c);
    if (hlo_gradient_is_needed(g, instr, 1)) power_exponent(g, instr, c);
    return true;
}

/* c y / (x^2 + y^2) and -c x / (x^2 + y^2) */
bool hlo_gradient_atan2(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *x = hlo_gradient_operand(g, instr, 0), *y = hlo_gradient_operand(g, instr, 1);
    HLO_ASSERT(instr->opcode == HLO_OP_ATAN2);
    hlo_instr *x2 = squared(g, x);
    hlo_instr *part = over(g, c, plus(g, x2, squared(g, y)));
    if (hlo_gradient_is_needed(g, instr, 0)) hlo_gradient_add(g, instr, 0, times(g, part, y));
    if (hlo_gradient_is_needed(g, instr, 1))
        hlo_gradient_add(g, instr, 1, negated(g, times(g, part, x)));
    return true;
}

/* ---- choices ---- */

/* Half to each operand where they are equal, else all to the one that won. */
static bool choose_extreme(hlo_gradient *g, hlo_instr *instr, hlo_instr *c, const char *wins) {
    if (hlo_type_is_complex((hlo_type)instr->shape->type))
        return hlo_gradient_refuse(g, instr, "has no gradient for complex numbers");
    hlo_instr *x = hlo_gradient_operand(g, instr, 0), *y = hlo_gradient_operand(g, instr, 1);
    hlo_instr *is_tie = hlo_build_compare(g->r, x, y, "EQ"), *half = times_number(g, c, 0.5);
    for (uint32_t i = 0; i < 2; i++) {
        if (!hlo_gradient_is_needed(g, instr, i)) continue;
        hlo_instr *won = hlo_build_compare(g->r, i ? y : x, i ? x : y, wins);
        hlo_instr *all = where(g, won, c);
        hlo_gradient_add(g, instr, i, hlo_build_select(g->r, is_tie, half, all));
    }
    return true;
}

bool hlo_gradient_maximum(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_MAXIMUM);
    return choose_extreme(g, instr, c, "GT");
}

bool hlo_gradient_minimum(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_MINIMUM);
    return choose_extreme(g, instr, c, "LT");
}

/* A scalar that chooses for whole arrays, as an array. */
static hlo_instr *widened(hlo_gradient *g, hlo_instr *a, const hlo_instr *like) {
    bool is_scalar = !a->shape->rank && like->shape->rank;
    return is_scalar ? hlo_build_spread(g->r, a, like->shape, NULL) : a;
}

bool hlo_gradient_select(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *choice = hlo_gradient_operand(g, instr, 0), *zero = number(g, c, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_SELECT);
    if (hlo_gradient_is_needed(g, instr, 1))
        hlo_gradient_add(g, instr, 1, hlo_build_select(g->r, choice, c, zero));
    if (hlo_gradient_is_needed(g, instr, 2))
        hlo_gradient_add(g, instr, 2, hlo_build_select(g->r, choice, zero, c));
    return true;
}

/* A bound gets what it holds; a scalar one the sum of it. */
static void add_bound(hlo_gradient *g, hlo_instr *instr, uint32_t bound, hlo_instr *part) {
    if (!hlo_operand(instr, bound)->shape->rank) part = sum_of_all(g, part);
    hlo_gradient_add(g, instr, bound, part);
}

static hlo_instr *both(hlo_gradient *g, hlo_instr *a, hlo_instr *b) {
    return hlo_build_binary(g->r, HLO_OP_AND, a, b);
}

bool hlo_gradient_clamp(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    hlo_instr *x = hlo_gradient_operand(g, instr, 1);
    hlo_instr *low = widened(g, hlo_gradient_operand(g, instr, 0), x);
    hlo_instr *high = widened(g, hlo_gradient_operand(g, instr, 2), x);
    HLO_ASSERT(instr->opcode == HLO_OP_CLAMP);
    hlo_instr *is_below = hlo_build_compare(g->r, x, low, "LT");
    if (hlo_gradient_is_needed(g, instr, 0)) {
        hlo_instr *in_order = hlo_build_compare(g->r, low, high, "LT");
        add_bound(g, instr, 0, where(g, both(g, is_below, in_order), c));
    }
    if (hlo_gradient_is_needed(g, instr, 1)) {
        hlo_instr *over_low = hlo_build_compare(g->r, x, low, "GT");
        hlo_instr *under_high = hlo_build_compare(g->r, x, high, "LT");
        hlo_gradient_add(g, instr, 1, where(g, both(g, over_low, under_high), c));
    }
    if (hlo_gradient_is_needed(g, instr, 2)) {
        hlo_instr *is_above = hlo_build_compare(g->r, x, high, "GT");
        add_bound(g, instr, 2, where(g, is_above, c));
    }
    return true;
}
