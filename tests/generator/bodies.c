/* Computations under construction, and the bodies of reductions. */
#include <math.h>

#include "generator/generator.h"
#include "ir/float_types.h"

void open_scope(generator *g, scope *s, const char *name, bool scalars) {
    char text[64];
    snprintf(text, sizeof text, "%s.%u", name, ++g->names);
    hlo_name *unique = hlo_module_intern_copy(g->module, hlo_str_from(text));
    *s = (scope){.computation = hlo_computation_new(g->module, unique),
                 .outer = g->scope,
                 .depth = g->scope ? g->scope->depth + 1 : 0,
                 .scalars = scalars};
    g->scope = s;
}

hlo_instr *add_parameter(generator *g, const hlo_shape *shape, facts f) {
    hlo_computation *computation = g->scope->computation;
    hlo_attr number = attr_int(HLO_ATTR_PARAMETER_NUMBER, computation->parameter_count);
    hlo_instr *made = emit_value(g, HLO_OP_PARAMETER, shape, NULL, 0, &number, 1, f);
    if (made) hlo_computation_index_parameters(computation);
    return made;
}

hlo_computation *close_scope(generator *g, hlo_instr *root) {
    scope *s = g->scope;
    s->computation->root = root;
    hlo_list_free(&s->values);
    g->scope = s->outer;
    return s->computation;
}

bool is_too_deep(const generator *g) {
    return g->scope->scalars || g->scope->depth >= MAX_DEPTH - 1;
}

uint32_t pick_operands(generator *g, hlo_instr **operands, uint32_t most) {
    uint32_t n = (uint32_t)between(g, 1, most), taken = 0;
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *a = pick_static(g, OF_ANY, 0, MAX_RANK);
        if (a) operands[taken++] = a;
    }
    return taken;
}

hlo_instr *element_of(generator *g, hlo_instr *tuple, uint32_t i, facts f) {
    hlo_attr index = attr_int(HLO_ATTR_INDEX, i);
    return tuple ? emit_value(g, HLO_OP_GET_TUPLE_ELEMENT, NULL, &tuple, 1, &index, 1, f) : NULL;
}

hlo_computation *binary_body(generator *g, hlo_opcode opcode, hlo_type type) {
    scope s;
    open_scope(g, &s, hlo_ops[opcode].text, true);
    hlo_instr *operands[2];
    for (int i = 0; i < 2; i++) operands[i] = add_parameter(g, scalar_of(g, type), (facts){0});
    return close_scope(g, emit(g, opcode, NULL, operands, 2, NULL, 0));
}

/* ---- what may be reduced ---- */

static const hlo_opcode of_bits[] = {HLO_OP_AND, HLO_OP_OR, HLO_OP_XOR};
static const hlo_opcode of_order[] = {HLO_OP_MAXIMUM, HLO_OP_MINIMUM};

static hlo_opcode choose_opcode(generator *g, hlo_type type) {
    if (type == HLO_PRED) return of_bits[roll(g, 2)];
    bool is_coarse = hlo_type_is_float(type) && (type == HLO_F8E8M0FNU || type_epsilon(type) > 0.2);
    if (is_coarse) return of_order[roll(g, 2)];
    if (hlo_type_is_complex(type)) return one_in(g, 3) ? HLO_OP_MULTIPLY : HLO_OP_ADD;
    if (hlo_type_is_integral(type) && one_in(g, 4)) return of_bits[roll(g, 3)];
    if (one_in(g, 3)) return of_order[roll(g, 2)];
    return one_in(g, 4) ? HLO_OP_MULTIPLY : HLO_OP_ADD;
}

/* A sum of n numbers, in any order and any precision from the type's on. */
static void bound_sum(reduction *r, hlo_type type, facts in, double n) {
    r->need = type_reach(type) / n;
    double most = largest_of(in) < r->need ? largest_of(in) : r->need;
    r->out = (facts){-n * most, n * most, n * in.error + n * n * most * type_epsilon(type)};
}

/* Factors of magnitude one at most, or of two complex parts whose square stays below it. */
static void bound_product(reduction *r, hlo_type type, facts in, double n) {
    r->need = hlo_type_is_complex(type) ? 0.625 : 1;
    r->out = (facts){-1, 1, 2 * n * in.error + 4 * n * type_epsilon(type)};
}

reduction choose_reduction(generator *g, hlo_type type, facts in, int64_t n) {
    reduction r = {.opcode = choose_opcode(g, type), .out = in};
    double count = n < 1 ? 2 : (double)n + 1;
    bool rounds = hlo_type_is_float(hlo_type_part(type));
    if (r.opcode == HLO_OP_MAXIMUM) r.neutral = -INFINITY;
    if (r.opcode == HLO_OP_MINIMUM) r.neutral = INFINITY;
    if (r.opcode == HLO_OP_MULTIPLY) r.neutral = 1;
    if (r.opcode == HLO_OP_AND) r.neutral = type == HLO_PRED ? 1 : -1;
    if (!rounds) r.out = facts_of_type(type);
    else if (r.opcode == HLO_OP_ADD) bound_sum(&r, type, in, count);
    else if (r.opcode == HLO_OP_MULTIPLY) bound_product(&r, type, in, count);
    else r.out = (facts){-type_reach(type), type_reach(type), in.error};
    return r;
}

/* The type's least or greatest number; finite, so that empty reductions can be computed with. */
static double extreme(hlo_type type, bool greatest) {
    facts whole = facts_of_type(type);
    if (type == HLO_F8E8M0FNU && !greatest) return ldexp(1, -8);
    return greatest ? whole.high : whole.low;
}

hlo_instr *neutral_element(generator *g, hlo_type type, const reduction *r) {
    if (!isinf(r->neutral)) return constant_real(g, type, r->neutral);
    if (!hlo_type_is_integral(type)) return constant_real(g, type, extreme(type, r->neutral > 0));
    int bits = hlo_types[type].bits;
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    uint64_t greatest = UINT64_MAX >> (64 - bits) >> is_signed;
    uint64_t least = is_signed ? ~greatest : 0;
    return constant_int(g, type, (int64_t)(r->neutral > 0 ? greatest : least));
}
