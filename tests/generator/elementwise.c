/* Recipes of elementwise operations. */
#include <math.h>

#include "generator/generator.h"
#include "ir/float_types.h"

/* ---- unary ---- */

/* Where an operation on real numbers is defined and smooth, its steepest slope there, and what
 * comes out. EXACT ones take exact operands instead: they jump. */
enum { ANYWHERE = 0, IN_DOMAIN = 1, EXACT_ONLY = 2 };
static const struct {
    int kind;
    double low, high, slope, out_low, out_high;
} domains[HLO_OP_COUNT] = {
    [HLO_OP_ACOS] = {IN_DOMAIN, -0.875, 0.875, 2.1, 0.5, 2.7},
    [HLO_OP_ACOSH] = {IN_DOMAIN, 1.25, 6, 1.4, 0.6, 2.6},
    [HLO_OP_ASIN] = {IN_DOMAIN, -0.875, 0.875, 2.1, -1.1, 1.1},
    [HLO_OP_ASINH] = {IN_DOMAIN, -6, 6, 1, -2.6, 2.6},
    [HLO_OP_ATANH] = {IN_DOMAIN, -0.875, 0.875, 4.3, -1.4, 1.4},
    [HLO_OP_CBRT] = {IN_DOMAIN, 0.5, 64, 0.6, 0.7, 4},
    [HLO_OP_CEIL] = {EXACT_ONLY, 0, 0, 0, 0, 1},
    [HLO_OP_COSH] = {IN_DOMAIN, -2, 2, 3.7, 1, 3.8},
    [HLO_OP_COSINE] = {IN_DOMAIN, -6, 6, 1, -1, 1},
    [HLO_OP_ERF] = {IN_DOMAIN, -4, 4, 1.2, -1, 1},
    [HLO_OP_EXPONENTIAL] = {IN_DOMAIN, -6, 1.5, 4.5, 0.002, 4.5},
    [HLO_OP_EXPONENTIAL_MINUS_ONE] = {IN_DOMAIN, -6, 1.5, 4.5, -1, 3.5},
    [HLO_OP_FLOOR] = {EXACT_ONLY, 0, 0, 0, -1, 0},
    [HLO_OP_LOG] = {IN_DOMAIN, 0.5, 64, 2, -0.7, 4.2},
    [HLO_OP_LOG_PLUS_ONE] = {IN_DOMAIN, -0.5, 64, 2, -0.7, 4.2},
    [HLO_OP_LOGISTIC] = {IN_DOMAIN, -6, 6, 0.25, 0, 1},
    [HLO_OP_ROUND_NEAREST_AFZ] = {EXACT_ONLY, 0, 0, 0, -1, 1},
    [HLO_OP_ROUND_NEAREST_EVEN] = {EXACT_ONLY, 0, 0, 0, -1, 1},
    [HLO_OP_RSQRT] = {IN_DOMAIN, 0.5, 64, 1.5, 0.1, 1.5},
    [HLO_OP_SIGN] = {EXACT_ONLY, 0, 0, 0, -1, 1},
    [HLO_OP_SINE] = {IN_DOMAIN, -6, 6, 1, -1, 1},
    [HLO_OP_SINH] = {IN_DOMAIN, -2, 2, 3.8, -3.7, 3.7},
    [HLO_OP_SQRT] = {IN_DOMAIN, 0.5, 64, 0.8, 0.7, 8},
    [HLO_OP_TAN] = {IN_DOMAIN, -1, 1, 3.5, -1.6, 1.6},
    [HLO_OP_TANH] = {IN_DOMAIN, -6, 6, 1, -1, 1},
};

/* Complex numbers away from every branch cut: both parts in a square of the first quadrant, where
 * no function of the table is steeper than 8 or larger than 4. */
static const double square_low = 0.25, square_high = 0.75, square_slope = 8, square_out = 4;

static bool jumps(hlo_opcode opcode) {
    return domains[opcode].kind == EXACT_ONLY;
}

/* Shape inference decides which types the operation takes; of those, floats without
 * sign or without fractions have nothing to compute with. */
static bool computes(const generator *g, hlo_type type) {
    return g->options.any_values || (type != HLO_F8E8M0FNU && type_epsilon(type) < 0.3);
}

static hlo_instr *unary_complex(generator *g, hlo_opcode opcode, hlo_instr *a) {
    if (opcode == HLO_OP_NEGATE) return emit(g, opcode, NULL, &a, 1, NULL, 0);
    hlo_type type = (hlo_type)a->shape->type;
    a = within(g, a, square_low, square_high);
    if (!a) return NULL;
    facts f = {-square_out, square_out, square_slope * facts_of(g, a).error};
    return emit_value(g, opcode, NULL, &a, 1, NULL, 0, rounded(type, f, 16));
}

static hlo_instr *unary_real(generator *g, hlo_opcode opcode, hlo_instr *a) {
    hlo_type type = (hlo_type)a->shape->type;
    a = jumps(opcode) ? exact(g, a) : tame(g, a, 2);
    if (domains[opcode].kind == IN_DOMAIN)
        a = within(g, a, domains[opcode].low, domains[opcode].high);
    if (!a) return NULL;
    facts f = facts_of(g, a);
    if (domains[opcode].kind == IN_DOMAIN) {
        f = (facts){domains[opcode].out_low, domains[opcode].out_high,
                    domains[opcode].slope * f.error};
        f = rounded(type, f, 16);
    } else if (jumps(opcode)) {
        f = (facts){f.low + domains[opcode].out_low, f.high + domains[opcode].out_high, 0};
    } else { /* abs, negate */
        double most = largest_of(f);
        f = (facts){-most, most, f.error};
    }
    return emit_value(g, opcode, NULL, &a, 1, NULL, 0, f);
}

hlo_instr *generate_unary(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, OF_ANY, 0, MAX_RANK);
    if (!a) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    if (opcode == HLO_OP_COPY) return emit(g, opcode, NULL, &a, 1, NULL, 0);
    /* XLA CPU counts the bits of the sign-extended byte. */
    bool is_wide = opcode == HLO_OP_POPCNT && is_of(type, OF_SIGNED) && hlo_types[type].bits < 8;
    if (is_wide && !g->options.any_values) return NULL;
    if (!hlo_type_is_float(hlo_type_part(type)))
        return emit_value(g, opcode, NULL, &a, 1, NULL, 0, facts_of_type(type));
    if (!computes(g, hlo_type_part(type))) return NULL;
    bool rounds = opcode == HLO_OP_ROUND_NEAREST_AFZ || opcode == HLO_OP_ROUND_NEAREST_EVEN;
    if (rounds && type == HLO_F8E3M4 && !g->options.any_values) return NULL; /* XLA CPU gives nan */
    return hlo_type_is_complex(type) ? unary_complex(g, opcode, a) : unary_real(g, opcode, a);
}

hlo_instr *generate_real(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, one_in(g, 4) ? OF_FLOAT : OF_COMPLEX, 0, MAX_RANK);
    return emit(g, opcode, NULL, &a, 1, NULL, 0);
}

hlo_instr *generate_imag(generator *g, hlo_opcode opcode) {
    hlo_instr *a = generate_real(g, opcode);
    if (a)
        set_facts(g, a,
                  (facts){fmin(facts_of(g, a).low, 0), fmax(facts_of(g, a).high, 0),
                          facts_of(g, a).error});
    return a;
}

hlo_instr *generate_is_finite(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, OF_FLOAT, 0, MAX_RANK);
    return emit_value(g, opcode, NULL, &a, 1, NULL, 0, (facts){0, 1, 0});
}

hlo_instr *generate_reduce_precision(generator *g, hlo_opcode opcode) {
    hlo_instr *a = exact(g, pick(g, OF_FLOAT, 0, MAX_RANK));
    if (!a) return NULL;
    const hlo_float_format *format = hlo_type_float_format((hlo_type)a->shape->type);
    int most = format->exponent_bits + 1;
    hlo_attr attrs[2] = {
        attr_int(HLO_ATTR_EXPONENT_BITS, between(g, most < 4 ? most : 4, most)),
        attr_int(HLO_ATTR_MANTISSA_BITS, between(g, 1, format->mantissa_bits + 1))};
    a = within(g, a, -64, 64);
    if (!a) return NULL;
    facts f = facts_of(g, a);
    return emit_value(g, opcode, NULL, &a, 1, attrs, 2, (facts){2 * f.low, 2 * f.high, 0});
}

/* ---- binary ---- */

static hlo_instr *emit_pair(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_instr *b, facts f,
                            double steps) {
    hlo_instr *operands[2] = {a, b};
    if (!a || !b) return NULL;
    f = rounded(hlo_type_part((hlo_type)a->shape->type), f, steps);
    return emit_value(g, opcode, NULL, operands, 2, NULL, 0, f);
}

static hlo_instr *add_real(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    a = tame(g, a, 2), b = tame(g, b, 2);
    if (!a || !b) return NULL;
    facts x = facts_of(g, a), y = facts_of(g, b);
    double most = largest_of(x) + largest_of(y);
    facts f = {-most, most, x.error + y.error};
    if (opcode == HLO_OP_ADD) f.low = x.low + y.low, f.high = x.high + y.high;
    return emit_pair(g, opcode, a, b, f, 2);
}

static hlo_instr *multiply_real(generator *g, hlo_instr *a, hlo_instr *b) {
    double reach = sqrt(type_reach((hlo_type)a->shape->type) / 2);
    a = within(g, a, -reach, reach), b = within(g, b, -reach, reach);
    if (!a || !b) return NULL;
    facts x = facts_of(g, a), y = facts_of(g, b);
    double most = largest_of(x) * largest_of(y) * (hlo_type_is_complex(a->shape->type) ? 2 : 1);
    facts f = {-most, most, 2 * (x.error * largest_of(y) + y.error * largest_of(x))};
    return emit_pair(g, HLO_OP_MULTIPLY, a, b, f, 4);
}

static hlo_instr *divide_real(generator *g, hlo_instr *a, hlo_instr *b) {
    a = tame(g, a, 4), b = within(g, b, 0.5, type_reach((hlo_type)a->shape->type));
    if (!a || !b) return NULL;
    facts x = facts_of(g, a), y = facts_of(g, b);
    double most = 2 * largest_of(x);
    facts f = {-most, most, 2 * x.error + 4 * largest_of(x) * y.error};
    return emit_pair(g, HLO_OP_DIVIDE, a, b, f, 4);
}

static hlo_instr *power_real(generator *g, hlo_instr *a, hlo_instr *b) {
    a = within(g, a, 0.5, 2), b = within(g, b, -2, 2);
    if (!a || !b) return NULL;
    facts f = {0.25, 4, 16 * facts_of(g, a).error + 3 * facts_of(g, b).error};
    return emit_pair(g, HLO_OP_POWER, a, b, f, 16);
}

static hlo_instr *atan2_real(generator *g, hlo_instr *a, hlo_instr *b) {
    a = within(g, a, -4, 4), b = within(g, b, 0.5, 4);
    if (!a || !b) return NULL;
    facts f = {-1.6, 1.6, 4 * facts_of(g, a).error + 4 * facts_of(g, b).error};
    return emit_pair(g, HLO_OP_ATAN2, a, b, f, 16);
}

static hlo_instr *remainder_real(generator *g, hlo_instr *a, hlo_instr *b) {
    a = exact(g, a), b = within(g, exact(g, b), 0.5, 16);
    if (!a || !b) return NULL;
    facts x = facts_of(g, a);
    return emit_pair(g, HLO_OP_REMAINDER, a, b, (facts){x.low, x.high, 0}, 0);
}

static hlo_instr *order_real(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    hlo_instr *operands[2] = {a, b};
    return emit(g, opcode, NULL, operands, 2, NULL, 0);
}

static hlo_instr *binary_real(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    switch (opcode) {
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT: return add_real(g, opcode, a, b);
    case HLO_OP_MULTIPLY: return multiply_real(g, a, b);
    case HLO_OP_DIVIDE: return divide_real(g, a, b);
    case HLO_OP_POWER: return power_real(g, a, b);
    case HLO_OP_ATAN2: return atan2_real(g, a, b);
    case HLO_OP_REMAINDER: return remainder_real(g, a, b);
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM: return order_real(g, opcode, a, b);
    default: return NULL;
    }
}

static hlo_instr *binary_complex(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    if (opcode == HLO_OP_ADD || opcode == HLO_OP_SUBTRACT) return add_real(g, opcode, a, b);
    if (opcode == HLO_OP_MULTIPLY) return multiply_real(g, a, b);
    if (opcode != HLO_OP_DIVIDE && opcode != HLO_OP_POWER) return NULL;
    a = within(g, a, square_low, square_high), b = within(g, b, square_low, square_high);
    if (!a || !b) return NULL;
    facts f = {-square_out, square_out,
               square_slope * (facts_of(g, a).error + facts_of(g, b).error)};
    return emit_pair(g, opcode, a, b, f, 16);
}

/* XLA CPU reads the six lowest bits of an integer exponent and of a negative one nothing; its
 * simplifier makes a / b^c a product with b^-c, which of integers is wrong. */
static hlo_instr *binary_integer(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_instr *b) {
    if (opcode == HLO_OP_POWER) b = within(g, b, 0, 7);
    if (opcode == HLO_OP_DIVIDE && b->opcode == HLO_OP_POWER) b = fresh(g, b->shape);
    hlo_instr *operands[2] = {a, b};
    if (!b) return NULL;
    return emit_value(g, opcode, NULL, operands, 2, NULL, 0,
                      facts_of_type((hlo_type)a->shape->type));
}

/* Shape inference lets them pass for other types, but they have no meaning there. */
static unsigned meaningful_classes(hlo_opcode opcode) {
    switch (opcode) {
    case HLO_OP_MULHI:
    case HLO_OP_SHIFT_LEFT:
    case HLO_OP_SHIFT_RIGHT_ARITHMETIC:
    case HLO_OP_SHIFT_RIGHT_LOGICAL: return OF_INTEGER;
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_REMAINDER: return OF_ANY & ~OF_COMPLEX;
    default: return OF_ANY;
    }
}

hlo_instr *generate_binary(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, meaningful_classes(opcode), 0, MAX_RANK),
              *b = a ? pick_of(g, a->shape) : NULL;
    if (!b) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    hlo_instr *operands[2] = {a, b};
    bool is_real = hlo_type_is_float(hlo_type_part(type));
    if (!is_real) return binary_integer(g, opcode, a, b);
    if (g->options.any_values) return emit(g, opcode, NULL, operands, 2, NULL, 0);
    if (!computes(g, hlo_type_part(type))) return NULL;
    return hlo_type_is_complex(type) ? binary_complex(g, opcode, a, b)
                                     : binary_real(g, opcode, a, b);
}

hlo_instr *generate_complex(generator *g, hlo_opcode opcode) {
    hlo_type part = one_in(g, 3) ? HLO_F64 : HLO_F32;
    if (!g->options.types[part] || !g->options.types[part == HLO_F32 ? HLO_C64 : HLO_C128])
        return NULL;
    hlo_instr *operands[2] = {fresh(g, choose_shape(g, part, 0, 4)), NULL};
    for (uint32_t i = 0; i < g->scope->values.n; i++)
        if (g->scope->values.v[i]->shape->type == part && one_in(g, 2))
            operands[0] = g->scope->values.v[i];
    if (operands[0]->shape->dynamic) return NULL;
    operands[1] = pick_of(g, operands[0]->shape);
    return emit(g, opcode, NULL, operands, 2, NULL, 0);
}

/* ---- compare, select, clamp ---- */

hlo_instr *generate_compare(generator *g, hlo_opcode opcode) {
    static const char *const directions[] = {"EQ", "NE", "LT", "GT", "LE", "GE"};
    hlo_instr *a = exact(g, pick(g, OF_ANY, 0, MAX_RANK));
    hlo_instr *operands[2] = {a, a ? exact(g, pick_of(g, a->shape)) : NULL};
    if (!a) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    hlo_attr attrs[2] = {
        attr_word(HLO_ATTR_DIRECTION, directions[roll(g, hlo_type_is_complex(type) ? 2 : 6)]),
        attr_word(HLO_ATTR_TYPE, "TOTALORDER")};
    uint32_t n = hlo_type_is_float(type) && one_in(g, 4) ? 2 : 1;
    return emit_value(g, opcode, NULL, operands, 2, attrs, n, (facts){0, 1, 0});
}

static const hlo_shape *pred_for(generator *g, const hlo_shape *shape) {
    return one_in(g, 3) ? scalar_of(g, HLO_PRED) : like(g, shape, HLO_PRED);
}

hlo_instr *generate_select(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, OF_ANY, 0, MAX_RANK);
    if (!a || !g->options.types[HLO_PRED]) return NULL;
    hlo_instr *b = pick_of(g, a->shape);
    if (!b) return NULL;
    facts x = facts_of(g, a), y = facts_of(g, b);
    facts f = {fmin(x.low, y.low), fmax(x.high, y.high), fmax(x.error, y.error)};
    hlo_instr *operands[3] = {pick_of(g, pred_for(g, a->shape)), a, b};
    return emit_value(g, opcode, NULL, operands, 3, NULL, 0, f);
}

hlo_instr *generate_clamp(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, OF_PRED | OF_INTEGER | OF_FLOAT, 0, MAX_RANK);
    if (!a) return NULL;
    const hlo_shape *bounds = one_in(g, 2) ? a->shape : scalar_of(g, (hlo_type)a->shape->type);
    hlo_instr *operands[3] = {pick_of(g, bounds), a, pick_of(g, bounds)};
    return emit(g, opcode, NULL, operands, 3, NULL, 0);
}

/* ---- conversions ---- */

/* From a number with an error only to where it does not decide which number comes out. */
hlo_instr *generate_convert(generator *g, hlo_opcode opcode) {
    hlo_instr *a = pick(g, OF_ANY, 0, MAX_RANK);
    hlo_type to = choose_type(g, OF_ANY);
    if (!a || to == HLO_TYPE_COUNT) return NULL;
    hlo_type from = (hlo_type)a->shape->type;
    bool to_real = hlo_type_is_float(hlo_type_part(to));
    bool is_lost = to == HLO_PRED && hlo_type_is_complex(from); /* XLA's CPU backend ends there */
    if (is_lost || (to == HLO_F8E8M0FNU && !g->options.any_values)) return NULL;
    if (!to_real) a = exact(g, a);
    if (to_real) {
        facts reach = facts_of_type(hlo_type_part(to));
        a = within(g, a, reach.low, reach.high);
    }
    if (!a) return NULL;
    facts f = facts_of(g, a);
    if (!to_real) f = facts_of_type(to);
    return emit_value(g, opcode, like(g, a->shape, to), &a, 1, NULL, 0,
                      rounded(hlo_type_part(to), f, hlo_type_part(to) == from ? 0 : 1));
}

/* Numbers become bits, and bits become bits; bits that become numbers may be anything. */
hlo_instr *generate_bitcast_convert(generator *g, hlo_opcode opcode) {
    hlo_instr *a = exact(g, pick_static(g, OF_ANY & ~OF_COMPLEX, 0, MAX_RANK - 1));
    hlo_type to = choose_type(g, g->options.any_values ? OF_INTEGER | OF_FLOAT : OF_INTEGER);
    if (!a || to == HLO_TYPE_COUNT || a->shape->type == HLO_PRED) return NULL;
    int from_bits = hlo_types[a->shape->type].bits, to_bits = hlo_types[to].bits;
    int64_t dims[MAX_RANK + 1];
    uint32_t rank = a->shape->rank;
    for (uint32_t i = 0; i < rank; i++) dims[i] = a->shape->dims[i];
    if (g->scope->scalars && from_bits != to_bits) return NULL;
    if (from_bits % to_bits == 0 && from_bits != to_bits) dims[rank++] = from_bits / to_bits;
    else if (from_bits != to_bits && rank && to_bits / from_bits == dims[rank - 1]) rank--;
    else if (from_bits != to_bits) return NULL;
    return emit_value(g, opcode, array_of(g, to, dims, rank), &a, 1, NULL, 0, facts_of_type(to));
}

hlo_instr *generate_stochastic_convert(generator *g, hlo_opcode opcode) {
    static const hlo_type randoms[][2] = {
        {HLO_F32, HLO_U32}, {HLO_F64, HLO_U64}, {HLO_F16, HLO_U16}, {HLO_BF16, HLO_U16}};
    unsigned row = (unsigned)roll(g, 4);
    hlo_type to = choose_type(g, OF_SIGNED);
    if (to == HLO_TYPE_COUNT || !g->options.types[randoms[row][0]] ||
        !g->options.types[randoms[row][1]])
        return NULL;
    const hlo_shape *shape = choose_shape(g, randoms[row][0], 0, 3);
    hlo_instr *operands[2] = {fresh(g, shape), fresh(g, like(g, shape, randoms[row][1]))};
    return emit_value(g, opcode, like(g, shape, to), operands, 2, NULL, 0, facts_of_type(to));
}
