/* Recipes of reductions over dimensions and windows. */
#include <math.h>

#include "generator/generator.h"

/* A body whose sides are computed apart: (a0, a1, b0, b1) -> (a0 op b0, a1 op b1). */
static hlo_computation *pair_body(generator *g, const hlo_opcode *opcodes, const hlo_type *types) {
    scope s;
    open_scope(g, &s, "pair", true);
    hlo_instr *parameters[4], *sides[2];
    for (int i = 0; i < 4; i++)
        parameters[i] = add_parameter(g, scalar_of(g, types[i % 2]), (facts){0});
    for (int i = 0; i < 2; i++) {
        hlo_instr *operands[2] = {parameters[i], parameters[2 + i]};
        sides[i] = emit(g, opcodes[i], NULL, operands, 2, NULL, 0);
    }
    return close_scope(g, emit(g, HLO_OP_TUPLE, NULL, sides, 2, NULL, 0));
}

/* (value, index) pairs: the larger value, and of equal ones the smaller index. */
static hlo_computation *argmax_body(generator *g, hlo_type type, hlo_type index) {
    scope s;
    open_scope(g, &s, "argmax", true);
    hlo_instr *p[4];
    for (int i = 0; i < 4; i++)
        p[i] = add_parameter(g, scalar_of(g, i % 2 ? index : type), (facts){0});
    hlo_attr gt = attr_word(HLO_ATTR_DIRECTION, "GT"), eq = attr_word(HLO_ATTR_DIRECTION, "EQ"),
             lt = attr_word(HLO_ATTR_DIRECTION, "LT");
    hlo_instr *values[2] = {p[0], p[2]}, *indices[2] = {p[1], p[3]};
    hlo_instr *above = emit(g, HLO_OP_COMPARE, NULL, values, 2, &gt, 1);
    hlo_instr *same = emit(g, HLO_OP_COMPARE, NULL, values, 2, &eq, 1);
    hlo_instr *first = emit(g, HLO_OP_COMPARE, NULL, indices, 2, &lt, 1);
    hlo_instr *both[2] = {same, first};
    hlo_instr *either[2] = {above, emit(g, HLO_OP_AND, NULL, both, 2, NULL, 0)};
    hlo_instr *left = emit(g, HLO_OP_OR, NULL, either, 2, NULL, 0);
    hlo_instr *chosen[2];
    for (int i = 0; i < 2; i++) {
        hlo_instr *operands[3] = {left, p[i], p[2 + i]};
        chosen[i] = emit(g, HLO_OP_SELECT, NULL, operands, 3, NULL, 0);
    }
    return close_scope(g, emit(g, HLO_OP_TUPLE, NULL, chosen, 2, NULL, 0));
}

static void take_elements(generator *g, hlo_instr *tuple, const facts *f) {
    for (uint32_t i = 0; tuple && i < tuple->shape->rank; i++) {
        hlo_attr index = attr_int(HLO_ATTR_INDEX, i);
        emit_value(g, HLO_OP_GET_TUPLE_ELEMENT, NULL, &tuple, 1, &index, 1, f[i]);
    }
}

/* An operand brought to where its reduction stays in range. */
static hlo_instr *ready(generator *g, hlo_instr *a, const reduction *r) {
    if (!a || r->need == 0) return a;
    return within(g, a, -r->need, r->need);
}

static int64_t product_of(const hlo_shape *shape, const int64_t *dims, uint32_t n) {
    int64_t product = 1;
    for (uint32_t i = 0; i < n; i++) product *= shape->dims[dims[i]];
    return product;
}

static hlo_instr *reduce_pair(generator *g, hlo_opcode opcode, hlo_instr *a, hlo_attr dims,
                              int64_t n) {
    hlo_type types[2] = {(hlo_type)a->shape->type, choose_type(g, OF_INTEGER)};
    if (types[1] == HLO_TYPE_COUNT) return NULL;
    bool is_argmax = one_in(g, 2) && !hlo_type_is_complex(types[0]);
    hlo_instr *operands[4] = {is_argmax ? exact(g, a) : a, NULL, NULL, NULL};
    operands[1] = pick_of(g, like(g, a->shape, types[1]));
    if (!operands[0] || !operands[1]) return NULL;
    facts f[2];
    reduction r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = choose_reduction(g, types[i], facts_of(g, operands[i]), n);
        operands[i] = ready(g, operands[i], &r[i]);
        if (!operands[i]) return NULL;
        operands[2 + i] = neutral_element(g, types[i], &r[i]);
        f[i] = r[i].out;
    }
    hlo_opcode opcodes[2] = {r[0].opcode, r[1].opcode};
    if (is_argmax) { /* below every value, and after every index */
        const reduction ends[2] = {{.neutral = -INFINITY}, {.neutral = INFINITY}};
        for (int i = 0; i < 2; i++) {
            operands[2 + i] = neutral_element(g, types[i], &ends[i]);
            f[i] = facts_of_type(types[i]);
        }
    }
    hlo_attr attrs[2] = {
        dims, attr_computation(HLO_ATTR_TO_APPLY, is_argmax ? argmax_body(g, types[0], types[1])
                                                            : pair_body(g, opcodes, types))};
    hlo_instr *tuple = emit_value(g, opcode, NULL, operands, 4, attrs, 2, (facts){0});
    take_elements(g, tuple, f);
    return tuple;
}

hlo_instr *generate_reduce(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick(g, OF_ANY, 1, MAX_RANK);
    if (!a || g->scope->depth >= MAX_DEPTH) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    int64_t dims[MAX_RANK];
    uint32_t n = (uint32_t)between(g, one_in(g, 8) ? 0 : 1, a->shape->rank);
    choose_some(g, dims, n, a->shape->rank);
    hlo_attr over = attr_ints(g, HLO_ATTR_DIMENSIONS, dims, n);
    int64_t count = product_of(a->shape, dims, n);
    if (one_in(g, 4)) return reduce_pair(g, opcode, a, over, count);
    reduction r = choose_reduction(g, type, facts_of(g, a), count);
    hlo_instr *operands[2] = {ready(g, a, &r), neutral_element(g, type, &r)};
    hlo_attr attrs[2] = {over, attr_computation(HLO_ATTR_TO_APPLY, binary_body(g, r.opcode, type))};
    return emit_value(g, opcode, NULL, operands, 2, attrs, 2, r.out);
}

/* ---- windows ---- */

/* A window over every dimension; how many elements it holds goes to *count. */
static void choose_window(generator *g, const hlo_shape *shape, hlo_window_dim *window,
                          bool with_dilation, int64_t *count) {
    *count = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t most = shape->dims[i] < 3 ? shape->dims[i] : 3;
        hlo_window_dim d = {.size = between(g, 1, most < 1 ? 1 : most),
                            .stride = between(g, 1, 3),
                            .base_dilation = 1,
                            .window_dilation = 1};
        d.pad_low = between(g, 0, d.size - 1);
        d.pad_high = between(g, 0, d.size - 1);
        if (with_dilation && one_in(g, 4)) d.base_dilation = 2;
        if (with_dilation && one_in(g, 4)) d.window_dilation = 2;
        *count *= d.size;
        window[i] = d;
    }
}

hlo_instr *generate_reduce_window(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 1, 4);
    if (!a || g->scope->depth >= MAX_DEPTH) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    hlo_window_dim window[MAX_RANK];
    int64_t count;
    choose_window(g, a->shape, window, true, &count);
    reduction r = choose_reduction(g, type, facts_of(g, a), count);
    hlo_instr *operands[2] = {ready(g, a, &r), neutral_element(g, type, &r)};
    hlo_attr attrs[2] = {attr_window(g, window, a->shape->rank),
                         attr_computation(HLO_ATTR_TO_APPLY, binary_body(g, r.opcode, type))};
    return emit_value(g, opcode, NULL, operands, 2, attrs, 2, r.out);
}

static hlo_computation *select_body(generator *g, hlo_type type) {
    scope s;
    open_scope(g, &s, "select", true);
    hlo_instr *operands[2];
    for (int i = 0; i < 2; i++) operands[i] = add_parameter(g, scalar_of(g, type), (facts){0});
    hlo_attr direction = attr_word(HLO_ATTR_DIRECTION, one_in(g, 3) ? "LE" : "GE");
    return close_scope(g, emit(g, HLO_OP_COMPARE, NULL, operands, 2, &direction, 1));
}

/* The shape of the windows' places comes from inference of a reduce-window. */
static const hlo_shape *places_of(const hlo_shape *shape, const hlo_window_dim *window,
                                  generator *g) {
    int64_t dims[MAX_RANK];
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t padded = shape->dims[i] + window[i].pad_low + window[i].pad_high;
        dims[i] = padded < window[i].size ? 0 : (padded - window[i].size) / window[i].stride + 1;
    }
    return array_of(g, (hlo_type)shape->type, dims, shape->rank);
}

/* Which of equal elements a window selects is not specified; so all differ: 0 .. n - 1, shuffled.
 */
static hlo_instr *distinct(generator *g, const hlo_shape *shape) {
    enum { MOST = 4096 };
    int64_t order[MOST], n = hlo_shape_elements(shape);
    double epsilon = type_epsilon((hlo_type)shape->type);
    double most = epsilon > 0 ? 1 / epsilon : facts_of_type((hlo_type)shape->type).high;
    if (n > MOST || (double)n > most) return NULL;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    shuffle(g, order, (uint32_t)n);
    return constant_numbers(g, shape, order);
}

hlo_instr *generate_select_and_scatter(generator *g, hlo_opcode opcode) {
    if (g->scope->scalars || g->scope->depth >= MAX_DEPTH) return NULL;
    hlo_type type = choose_type(g, OF_INTEGER | OF_FLOAT);
    if (type == HLO_TYPE_COUNT) return NULL;
    hlo_instr *a = distinct(g, choose_shape(g, type, 1, 4));
    if (!a) return NULL;
    hlo_window_dim window[MAX_RANK];
    int64_t count;
    choose_window(g, a->shape, window, false, &count);
    hlo_instr *source = pick_of(g, places_of(a->shape, window, g));
    if (!source) return NULL;
    reduction r = choose_reduction(g, type, facts_of(g, source), count);
    hlo_instr *operands[3] = {a, ready(g, source, &r), neutral_element(g, type, &r)};
    hlo_attr attrs[3] = {attr_window(g, window, a->shape->rank),
                         attr_computation(HLO_ATTR_SELECT, select_body(g, type)),
                         attr_computation(HLO_ATTR_SCATTER, binary_body(g, r.opcode, type))};
    return emit_value(g, opcode, NULL, operands, 3, attrs, 3, r.out);
}

/* ---- scan ---- */

/* (x, carry) -> (y, carry): y is the carry so far. */
static hlo_computation *scan_body(generator *g, hlo_opcode opcode, const hlo_shape *shape) {
    scope s;
    open_scope(g, &s, "scan", false);
    hlo_instr *operands[2];
    for (int i = 0; i < 2; i++) operands[i] = add_parameter(g, shape, (facts){0});
    hlo_instr *sum = emit(g, opcode, NULL, operands, 2, NULL, 0);
    hlo_instr *both[2] = {sum, sum};
    return close_scope(g, emit(g, HLO_OP_TUPLE, NULL, both, 2, NULL, 0));
}

hlo_instr *generate_scan(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 1, 3);
    if (!a || g->scope->depth >= MAX_DEPTH) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    uint32_t dimension = (uint32_t)roll(g, a->shape->rank), rank = 0;
    int64_t dims[MAX_RANK], at = dimension;
    for (uint32_t i = 0; i < a->shape->rank; i++)
        if (i != dimension) dims[rank++] = a->shape->dims[i];
    const hlo_shape *row = array_of(g, type, dims, rank);
    reduction r = choose_reduction(g, type, facts_of(g, a), a->shape->dims[dimension]);
    hlo_instr *operands[2] = {ready(g, a, &r), NULL};
    if (!operands[0]) return NULL;
    operands[1] = ready(g, pick_of(g, row), &r);
    if (!operands[1] || facts_of(g, operands[1]).error > facts_of(g, operands[0]).error)
        return NULL;
    hlo_attr attrs[5] = {attr_ints(g, HLO_ATTR_DIMENSIONS, &at, 1),
                         attr_int(HLO_ATTR_NUM_CARRIES, 1),
                         attr_int(HLO_ATTR_IS_REVERSE, one_in(g, 2)),
                         attr_int(HLO_ATTR_IS_ASSOCIATIVE, one_in(g, 2)),
                         attr_computation(HLO_ATTR_TO_APPLY, scan_body(g, r.opcode, row))};
    hlo_instr *tuple = emit_value(g, opcode, NULL, operands, 2, attrs, 5, (facts){0});
    facts f[2] = {r.out, r.out};
    take_elements(g, tuple, f);
    return tuple;
}
