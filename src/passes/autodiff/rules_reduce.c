/* Rules of reduce by add, multiply, maximum and minimum, also of several operands that are reduced
 * side by side. */
#include "analysis/match.h"
#include "passes/autodiff/formula.h"

/* One of the operands that a reduce combines by a separate operation. */
typedef struct {
    hlo_gradient *g;
    hlo_instr *instr;
    uint32_t operand, init; /* their numbers */
    hlo_instr *c;
    const hlo_ints *dims; /* that are reduced */
} reduction;

/* ---- shapes ---- */

/* Dimensions that are left, in the operand. */
static int64_t *kept_dims(const reduction *r) {
    const hlo_shape *shape = hlo_operand(r->instr, r->operand)->shape;
    int64_t *kept = hlo_malloc((shape->rank + 1u) * sizeof *kept);
    uint32_t n = 0;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (!hlo_ints_contain(r->dims, d)) kept[n++] = d;
    return kept;
}

/* A result for each element of the operand that it was made from. */
static hlo_instr *spread_over_operand(const reduction *r, hlo_instr *a) {
    int64_t *kept = kept_dims(r);
    a = hlo_gradient_spread(r->g, a, hlo_operand(r->instr, r->operand), kept);
    hlo_free(kept);
    return a;
}

/* ---- add ---- */

static void add_sum(const reduction *r) {
    if (hlo_gradient_is_needed(r->g, r->instr, r->operand))
        hlo_gradient_add(r->g, r->instr, r->operand, spread_over_operand(r, r->c));
    if (hlo_gradient_is_needed(r->g, r->instr, r->init))
        hlo_gradient_add(r->g, r->instr, r->init, sum_of_all(r->g, r->c));
}

/* ---- maximum and minimum ---- */

/* Elements that equal the result share the cotangent, and so does the init value where it is
 * differentiated by. Where it alone is the result, none does. */
static void add_extreme(const reduction *r) {
    hlo_gradient *g = r->g;
    hlo_instr *x = hlo_gradient_operand(g, r->instr, r->operand);
    hlo_instr *y = hlo_gradient_element(g, r->instr, r->operand);
    hlo_instr *is_best = hlo_build_compare(g->r, x, spread_over_operand(r, y), "EQ");
    hlo_instr *winners = sum_over(g, where(g, is_best, number(g, x, 1)), r->dims);
    hlo_instr *init_wins = NULL;
    if (hlo_gradient_is_needed(g, r->instr, r->init)) {
        hlo_instr *init = hlo_gradient_operand(g, r->instr, r->init);
        init_wins = equals(g, y, hlo_build_spread(g->r, init, y->shape, NULL));
        winners = plus(g, winners, init_wins);
    }
    winners = hlo_build_binary(g->r, HLO_OP_MAXIMUM, winners, number(g, winners, 1));
    hlo_instr *share = over(g, r->c, winners);
    if (hlo_gradient_is_needed(g, r->instr, r->operand))
        hlo_gradient_add(g, r->instr, r->operand, where(g, is_best, spread_over_operand(r, share)));
    if (init_wins)
        hlo_gradient_add(g, r->instr, r->init, sum_of_all(g, times(g, share, init_wins)));
}

/* ---- multiply ---- */

/* Kept dimensions first, then those that are reduced; to or from one dimension for the latter. */
static int64_t *split_order(const reduction *r) {
    const hlo_shape *shape = hlo_operand(r->instr, r->operand)->shape;
    int64_t *order = kept_dims(r);
    uint32_t n = shape->rank - r->dims->n;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (hlo_ints_contain(r->dims, d)) order[n++] = d;
    return order;
}

static hlo_instr *gathered(const reduction *r, hlo_instr *x, const int64_t *order) {
    x = hlo_build_transpose(r->g->r, x, order);
    uint32_t kept = x->shape->rank - r->dims->n;
    int64_t *sizes = hlo_malloc((kept + 1u) * sizeof *sizes);
    sizes[kept] = 1;
    for (uint32_t i = 0; i < kept; i++) sizes[i] = x->shape->dims[i];
    for (uint32_t i = kept; i < x->shape->rank; i++) sizes[kept] *= x->shape->dims[i];
    x = hlo_build_reshape(r->g->r, x, sizes, kept + 1);
    hlo_free(sizes);
    return x;
}

static hlo_instr *scattered(const reduction *r, hlo_instr *a, const int64_t *order) {
    const hlo_shape *shape = hlo_operand(r->instr, r->operand)->shape;
    int64_t *sizes = hlo_malloc((shape->rank + 1u) * sizeof *sizes);
    int64_t *inverse = hlo_malloc((shape->rank + 1u) * sizeof *inverse);
    for (uint32_t i = 0; i < shape->rank; i++) {
        sizes[i] = shape->dims[order[i]];
        inverse[order[i]] = i;
    }
    a = hlo_build_reshape(r->g->r, a, sizes, shape->rank);
    a = hlo_build_transpose(r->g->r, a, inverse);
    hlo_free(sizes);
    hlo_free(inverse);
    return a;
}

/* Along the last dimension, for each element the product of those before it (after it): as many
 * products as the size has bits, each with the one twice as far. Zeros divide nothing. */
static hlo_instr *product_of_others(hlo_gradient *g, hlo_instr *x, bool after) {
    int64_t d = x->shape->rank - 1, size = x->shape->dims[d];
    hlo_instr *one = hlo_build_number(
        g->r, hlo_shape_scalar(&g->r->module->shapes, (hlo_type)x->shape->type), 1);
    x = hlo_build_pad(g->r, x, one, d, after ? -1 : 1, after ? 1 : -1);
    for (int64_t far = 1; far < size; far *= 2) {
        int64_t low = after ? -far : far;
        x = times(g, x, hlo_build_pad(g->r, x, one, d, low, -low));
    }
    return x;
}

static hlo_instr *init_times(const reduction *r, hlo_instr *c) {
    hlo_instr *init = hlo_gradient_operand(r->g, r->instr, r->init);
    if (hlo_is_all(init, 1)) return c;
    return times(r->g, c, hlo_build_spread(r->g->r, init, c->shape, NULL));
}

static void add_product(const reduction *r) {
    hlo_gradient *g = r->g;
    hlo_instr *x = hlo_gradient_operand(g, r->instr, r->operand);
    if (hlo_gradient_is_needed(g, r->instr, r->init)) {
        hlo_instr *product =
            r->dims->n ? hlo_build_reduce(g->r, x, HLO_OP_MULTIPLY, r->dims->v, r->dims->n) : x;
        hlo_gradient_add(g, r->instr, r->init, sum_of_all(g, times(g, r->c, product)));
    }
    if (!hlo_gradient_is_needed(g, r->instr, r->operand)) return;
    int64_t *order = split_order(r);
    hlo_instr *row = gathered(r, x, order);
    hlo_instr *before = product_of_others(g, row, false);
    hlo_instr *others = times(g, before, product_of_others(g, row, true));
    hlo_instr *c = spread_over_operand(r, init_times(r, r->c));
    hlo_gradient_add(g, r->instr, r->operand, times(g, c, scattered(r, others, order)));
    hlo_free(order);
}

/* ---- the rule ---- */

static bool reduce_one(const reduction *r, hlo_opcode opcode) {
    bool is_real = !hlo_type_is_complex((hlo_type)r->c->shape->type);
    bool is_static =
        !r->instr->shape->dynamic && !hlo_operand(r->instr, r->operand)->shape->dynamic;
    if (opcode == HLO_OP_ADD) {
        add_sum(r);
        return true;
    }
    if ((opcode == HLO_OP_MAXIMUM || opcode == HLO_OP_MINIMUM) && is_real) {
        add_extreme(r);
        return true;
    }
    if (opcode == HLO_OP_MULTIPLY && is_static) {
        add_product(r);
        return true;
    }
    return hlo_gradient_refuse(r->g, r->instr,
                               "has a gradient only for add, multiply, maximum or minimum");
}

bool hlo_gradient_reduce(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    HLO_ASSERT(instr->opcode == HLO_OP_REDUCE);
    uint32_t n = instr->operand_count / 2;
    for (uint32_t i = 0; i < n; i++) {
        reduction r = {.g = g,
                       .instr = instr,
                       .operand = i,
                       .init = n + i,
                       .c = c ? c : hlo_gradient_cotangent(g, instr, i),
                       .dims = hlo_attr_ints(instr, HLO_ATTR_DIMENSIONS)};
        if (r.c && !reduce_one(&r, hlo_combiner_of(hlo_called(instr, 0), i, n))) return false;
    }
    return true;
}
