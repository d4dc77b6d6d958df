/* The rule of scatter by add, subtract, multiply, maximum and minimum, and of one that overwrites;
 * also of several operands side by side. prepare.c has made loops of scatters by other
 * computations. Updates that do not lie in the operand change nothing, and get nothing. */
#include "analysis/match.h"
#include "passes/autodiff/formula.h"
#include "passes/autodiff/indexed.h"
#include "passes/autodiff/prepared.h"

/* One of the operands, with its updates. */
typedef struct {
    hlo_gradient *g;
    hlo_instr *instr;
    hlo_indexed x;
    uint32_t number, updates; /* numbers of the two */
    hlo_instr *c, *indices;
    bool is_unique;
} scattered;

static bool wants_operand(const scattered *s) {
    return hlo_gradient_is_needed(s->g, s->instr, s->number);
}

static bool wants_updates(const scattered *s) {
    return hlo_gradient_is_needed(s->g, s->instr, s->updates);
}

/* What gather finds for the updates in an array like the operand; something, where they do not lie
 * in it. */
static hlo_instr *found(const scattered *s, hlo_instr *in) {
    return hlo_indexed_gather(s->g, &s->x, in, s->indices);
}

/* The same with zeros for those. */
static hlo_instr *found_if_fitting(const scattered *s, hlo_instr *in) {
    hlo_instr *fits = hlo_indexed_fitting(s->g, &s->x, s->indices);
    return where(s->g, fits, found(s, in));
}

/* ---- add, subtract ---- */

static void add_sum(const scattered *s, bool is_difference) {
    if (wants_operand(s)) hlo_gradient_add(s->g, s->instr, s->number, s->c);
    if (!wants_updates(s)) return;
    hlo_instr *c = found_if_fitting(s, s->c);
    hlo_gradient_add(s->g, s->instr, s->updates, is_difference ? negated(s->g, c) : c);
}

/* ---- multiply, where no two updates meet ---- */

static void add_product(const scattered *s) {
    hlo_gradient *g = s->g;
    if (wants_operand(s)) {
        hlo_instr *updates = hlo_gradient_operand(g, s->instr, s->updates);
        hlo_computation *multiply =
            hlo_build_reducer(g->r, HLO_OP_MULTIPLY, (hlo_type)s->c->shape->type);
        hlo_gradient_add(g, s->instr, s->number,
                         hlo_indexed_scatter(g, &s->x, s->c, s->indices, updates, multiply, true));
    }
    if (!wants_updates(s)) return;
    hlo_instr *x = hlo_gradient_operand(g, s->instr, s->number);
    hlo_gradient_add(g, s->instr, s->updates, found_if_fitting(s, times(g, s->c, x)));
}

/* ---- maximum, minimum ---- */

/* The element that was there and the updates that equal the result share the cotangent. */
static void add_extreme(const scattered *s) {
    hlo_gradient *g = s->g;
    hlo_instr *y = hlo_gradient_element(g, s->instr, s->number);
    hlo_instr *x = hlo_gradient_operand(g, s->instr, s->number);
    hlo_instr *updates = hlo_gradient_operand(g, s->instr, s->updates);
    hlo_instr *stays = equals(g, x, y);
    hlo_instr *wins = equals(g, updates, found(s, y));
    hlo_instr *winners = plus(g, stays, hlo_indexed_sum(g, &s->x, s->indices, wins, false));
    winners = hlo_build_binary(g->r, HLO_OP_MAXIMUM, winners, number(g, winners, 1));
    hlo_instr *share = over(g, s->c, winners);
    if (wants_operand(s)) hlo_gradient_add(g, s->instr, s->number, times(g, stays, share));
    if (wants_updates(s))
        hlo_gradient_add(g, s->instr, s->updates, times(g, wins, found_if_fitting(s, share)));
}

/* ---- overwriting ---- */

static hlo_computation *overwriter(hlo_gradient *g, hlo_type type) {
    const hlo_shape *scalar = hlo_shape_scalar(&g->r->module->shapes, type);
    hlo_body body = hlo_build_open(g->r, "overwrite");
    hlo_build_parameter(g->r, &body, 0, scalar);
    hlo_instr *update = hlo_build_parameter(g->r, &body, 1, scalar);
    return hlo_build_close(g->r, &body, update);
}

static hlo_instr *overwritten(const scattered *s, hlo_instr *into, hlo_instr *slices) {
    hlo_computation *overwrite = overwriter(s->g, (hlo_type)into->shape->type);
    return hlo_indexed_scatter(s->g, &s->x, into, s->indices, slices, overwrite, s->is_unique);
}

/* An element each: from 1 up. */
static hlo_instr *ids(const scattered *s) {
    hlo_rewriter *r = s->g->r;
    int64_t count = hlo_shape_elements(s->x.slices);
    hlo_type type = count < INT32_MAX ? HLO_S32 : HLO_S64;
    hlo_instr *row = hlo_build_iota(r, hlo_shape_of_sizes(r, type, &count, 1), 0);
    hlo_instr *all = hlo_build_reshape(r, row, s->x.slices->dims, s->x.slices->rank);
    return plus(s->g, all, hlo_build_integer(r, all->shape, 1));
}

/* Which update has stayed is seen by scattering ids in the same way; the id of one that does not
 * lie in the operand is nowhere. */
static void add_last(const scattered *s) {
    hlo_gradient *g = s->g;
    hlo_instr *mine = ids(s);
    const hlo_shape *places =
        hlo_shape_with_type(&g->r->module->shapes, s->x.operand, (hlo_type)mine->shape->type);
    hlo_instr *none = hlo_build_integer(g->r, places, 0);
    hlo_instr *last = overwritten(s, none, mine);
    if (wants_operand(s)) {
        hlo_instr *stays = hlo_build_compare(g->r, last, none, "EQ");
        hlo_gradient_add(g, s->instr, s->number, where(g, stays, s->c));
    }
    if (!wants_updates(s)) return;
    hlo_instr *is_mine = hlo_build_compare(g->r, mine, found(s, last), "EQ");
    hlo_gradient_add(g, s->instr, s->updates, where(g, is_mine, found(s, s->c)));
}

static void add_overwritten(const scattered *s) {
    hlo_gradient *g = s->g;
    if (!s->is_unique) {
        add_last(s);
        return;
    }
    if (wants_operand(s)) {
        hlo_instr *zeros = hlo_build_number(g->r, s->x.slices, 0);
        hlo_gradient_add(g, s->instr, s->number, overwritten(s, s->c, zeros));
    }
    if (wants_updates(s)) hlo_gradient_add(g, s->instr, s->updates, found_if_fitting(s, s->c));
}

/* ---- the rule ---- */

/* The operation that a rule above has, HLO_OP_PARAMETER for overwriting; HLO_OP_COUNT: none. */
static hlo_opcode combiner(const hlo_instr *scatter, uint32_t i) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    uint32_t n = scatter->operand_count / 2;
    hlo_opcode opcode = hlo_combiner_of(hlo_called(scatter, 0), i, n);
    bool is_complex = hlo_type_is_complex((hlo_type)hlo_operand(scatter, i)->shape->type);
    bool is_unique = hlo_attr_int(scatter, HLO_ATTR_UNIQUE_INDICES) != 0;
    switch (opcode) {
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_PARAMETER: return opcode;
    case HLO_OP_MULTIPLY: return is_unique ? opcode : HLO_OP_COUNT;
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM: return is_complex ? HLO_OP_COUNT : opcode;
    default: return HLO_OP_COUNT;
    }
}

static bool has_rule(const hlo_instr *scatter) {
    bool has = true;
    for (uint32_t i = 0; i < scatter->operand_count / 2; i++)
        has &= combiner(scatter, i) != HLO_OP_COUNT;
    return has;
}

hlo_instr *hlo_scatter_as_loop(hlo_rewriter *r, hlo_instr *scatter) {
    HLO_ASSERT(scatter->opcode == HLO_OP_SCATTER);
    bool has_meaning = !scatter->shape->dynamic && !hlo_has_dim_of_two_roles(scatter);
    return has_rule(scatter) || !has_meaning ? NULL : hlo_rewrite_expand_scatter(r, scatter);
}

static void add_one(const scattered *s) {
    switch (combiner(s->instr, s->number)) {
    case HLO_OP_ADD: add_sum(s, false); break;
    case HLO_OP_SUBTRACT: add_sum(s, true); break;
    case HLO_OP_MULTIPLY: add_product(s); break;
    case HLO_OP_PARAMETER: add_overwritten(s); break;
    default: add_extreme(s);
    }
}

bool hlo_gradient_scatter(hlo_gradient *g, hlo_instr *instr, hlo_instr *c) {
    uint32_t n = instr->operand_count / 2;
    if (instr->shape->dynamic || hlo_operand(instr, n + 1)->shape->dynamic)
        return hlo_gradient_refuse(g, instr, "has no gradient for arrays of dynamic sizes");
    if (hlo_has_dim_of_two_roles(instr))
        return hlo_gradient_refuse(g, instr, "has no gradient with a dimension of two roles");
    if (!has_rule(instr))
        return hlo_gradient_refuse(g, instr, "has no gradient for this computation");
    hlo_instr *indices = hlo_gradient_operand(g, instr, n);
    HLO_ASSERT(instr->opcode == HLO_OP_SCATTER);
    for (uint32_t i = 0; i < n; i++) {
        scattered s = {.g = g,
                       .instr = instr,
                       .x = hlo_indexed_of_scatter(instr),
                       .number = i,
                       .updates = n + 1 + i,
                       .c = c ? c : hlo_gradient_cotangent(g, instr, i),
                       .indices = indices,
                       .is_unique = hlo_attr_int(instr, HLO_ATTR_UNIQUE_INDICES) != 0};
        s.x.operand = hlo_operand(instr, i)->shape;
        s.x.slices = hlo_operand(instr, s.updates)->shape;
        if (s.c) add_one(&s);
    }
    return true;
}
