/* The rule of reduce-window by add, maximum, minimum and multiply, also of several operands side by
 * side. Padding and gaps of a dilated operand take no part, and the initial value takes part once
 * in each window. */
#include "analysis/match.h"
#include "passes/autodiff/formula.h"
#include "passes/autodiff/window.h"

static const hlo_shape *operand_shape(const hlo_windowed *w) {
    return hlo_operand(w->instr, w->operand)->shape;
}

/* ---- add ---- */

static bool add_sum(const hlo_windowed *w) {
    hlo_gradient *g = w->g;
    if (hlo_gradient_is_needed(g, w->instr, w->init))
        hlo_gradient_add(g, w->instr, w->init, sum_of_all(g, w->c));
    if (!hlo_gradient_is_needed(g, w->instr, w->operand) || w->is_empty) return true;
    hlo_window *window = hlo_gradient_window(g, w->instr, w->c->shape->rank);
    for (uint32_t d = 0; d < window->n; d++)
        if (!hlo_window_turn(&window->v[d], operand_shape(w)->dims[d], w->c->shape->dims[d]))
            return hlo_gradient_refuse(g, w->instr, "has a gradient that is padded beyond 63 bits");
    hlo_type type = (hlo_type)w->c->shape->type;
    hlo_instr *operands[] = {w->c, hlo_gradient_zero_scalar(g, w->c->shape)};
    hlo_attr attrs[] = {
        {.id = HLO_ATTR_TO_APPLY, .u.computation = hlo_build_reducer(g->r, HLO_OP_ADD, type)},
        {.id = HLO_ATTR_WINDOW, .u.window = window}};
    hlo_gradient_add(
        g, w->instr, w->operand,
        hlo_emit(g->r, HLO_OP_REDUCE_WINDOW, NULL, operands, 2, attrs, window->n ? 2 : 1));
    return true;
}

/* ---- maximum and minimum ---- */

/* The cotangents of windows that the initial value does not decide. Where it equals the best
 * element, it decides. */
static hlo_instr *decided_by_operand(const hlo_windowed *w) {
    hlo_gradient *g = w->g;
    if (hlo_is_neutral(w->opcode, hlo_operand(w->instr, w->init))) return w->c;
    hlo_instr *y = hlo_gradient_element(g, w->instr, w->operand);
    hlo_instr *init = hlo_gradient_operand(g, w->instr, w->init);
    hlo_instr *by_init =
        hlo_build_compare(g->r, y, hlo_build_spread(g->r, init, y->shape, NULL), "EQ");
    if (hlo_gradient_is_needed(g, w->instr, w->init))
        hlo_gradient_add(g, w->instr, w->init, sum_of_all(g, where(g, by_init, w->c)));
    return hlo_build_select(g->r, by_init, number(g, w->c, 0), w->c);
}

static bool add_extreme(const hlo_windowed *w) {
    hlo_gradient *g = w->g;
    hlo_instr *c = decided_by_operand(w);
    if (!hlo_gradient_is_needed(g, w->instr, w->operand) || w->is_empty) return true;
    hlo_instr *x = hlo_gradient_operand(g, w->instr, w->operand);
    hlo_window *window = hlo_gradient_window(g, w->instr, x->shape->rank);
    const char *direction = w->opcode == HLO_OP_MAXIMUM ? "GE" : "LE";
    hlo_gradient_add(g, w->instr, w->operand, hlo_gradient_scattered(g, x, c, window, direction));
    return true;
}

/* ---- the rule ---- */

static bool differentiate(const hlo_windowed *w) {
    bool is_real = !hlo_type_is_complex((hlo_type)w->c->shape->type);
    bool is_extreme = w->opcode == HLO_OP_MAXIMUM || w->opcode == HLO_OP_MINIMUM;
    if (operand_shape(w)->dynamic)
        return hlo_gradient_refuse(w->g, w->instr, "has no gradient for arrays of dynamic sizes");
    if (w->opcode == HLO_OP_ADD) return add_sum(w);
    if (is_extreme && is_real) return add_extreme(w);
    if (w->opcode == HLO_OP_MULTIPLY) return hlo_gradient_window_product(w);
    return hlo_gradient_refuse(w->g, w->instr,
                               "has a gradient only for add, multiply, maximum or minimum");
}

bool hlo_gradient_reduce_window(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE_WINDOW);
    uint32_t n = instr->operand_count / 2;
    for (uint32_t i = 0; i < n; i++) {
        hlo_windowed w = {.g = g,
                          .instr = instr,
                          .operand = i,
                          .init = n + i,
                          .c = c ? c : hlo_gradient_cotangent(g, instr, i),
                          .opcode = hlo_combiner_of(hlo_called(instr, 0), i, n)};
        if (!w.c) continue;
        w.is_empty = !hlo_shape_elements(operand_shape(&w)) || !hlo_shape_elements(w.c->shape);
        if (!differentiate(&w)) return false;
    }
    return true;
}
