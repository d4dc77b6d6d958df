/* algsimp: matrix products. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"
#include "passes/simplify/dot_sides.h"

static const hlo_ints *list(const hlo_instr *dot, hlo_attr_id id) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    return hlo_attr_ints(dot, id);
}

/* Sums of no products. */
hlo_instr *hlo_rewrite_sums_of_nothing(hlo_rewriter *r, hlo_instr *dot) {
    bool empty = hlo_shape_elements(hlo_operand(dot, 0)->shape) == 0 ||
                 hlo_shape_elements(hlo_operand(dot, 1)->shape) == 0;
    return empty ? hlo_emit_filled(r, dot->shape, 0) : NULL;
}

/* The operand in the result's dimensions: batch first, then what is free of the left and of the
 * right side. `free_at` is where this side's free dimensions begin. */
static hlo_instr *spread_side(hlo_rewriter *r, const hlo_instr *dot, int side, uint32_t free_at) {
    hlo_instr *a = hlo_operand(dot, (uint32_t)side);
    const hlo_ints *batch = list(dot, side ? HLO_ATTR_RHS_BATCH_DIMS : HLO_ATTR_LHS_BATCH_DIMS);
    hlo_ints *dims = hlo_ints_new(&r->module->arena, a->shape->rank);
    for (uint32_t i = 0; i < batch->n; i++) dims->v[batch->v[i]] = i;
    for (uint32_t d = 0; d < a->shape->rank; d++)
        if (hlo_dot_leaves_free(dot, side, d)) dims->v[d] = free_at++;
    if (a->shape == dot->shape && hlo_is_identity_order(dims)) return a;
    return hlo_emit_broadcast(r, dot->shape, a, dims->v, dims->n);
}

/* Of floats, a sum of one product begins at 0, and is no -0; and the sign of a sum of zeros does
 * not follow those of the terms. */
static bool may_leave_sum(const hlo_rewriter *r, const hlo_instr *dot) {
    return hlo_is_integral(dot) || hlo_is_fast_math(r);
}

hlo_instr *hlo_rewrite_dot_without_contraction(hlo_rewriter *r, hlo_instr *dot) {
    uint32_t batch = list(dot, HLO_ATTR_LHS_BATCH_DIMS)->n;
    const hlo_shape *left = hlo_operand(dot, 0)->shape, *right = hlo_operand(dot, 1)->shape;
    if (list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n || !may_leave_sum(r, dot)) return NULL;
    if (left->type != dot->shape->type || right->type != dot->shape->type) return NULL;
    hlo_instr *a = spread_side(r, dot, 0, batch), *b = spread_side(r, dot, 1, left->rank);
    return hlo_emit_binary(r, HLO_OP_MULTIPLY, dot->shape, a, b);
}

/* ---- transposes ---- */

/* transpose(dot(a, b)) of matrices is dot(b, a). */
hlo_instr *hlo_rewrite_transpose_of_dot(hlo_rewriter *r, hlo_instr *transpose) {
    hlo_instr *dot = hlo_operand(transpose, 0);
    if (dot->opcode != HLO_OP_DOT || !hlo_has_one_user(dot) || dot->shape->rank != 2) return NULL;
    if (list(dot, HLO_ATTR_LHS_BATCH_DIMS)->n || hlo_instr_attr(dot, HLO_ATTR_OPERAND_PRECISION) ||
        hlo_instr_attr(dot, HLO_ATTR_ALGORITHM))
        return NULL;
    bool one_each =
        hlo_operand(dot, 0)->shape->rank == list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n + 1;
    if (!one_each || hlo_is_identity_order(hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS)))
        return NULL;
    hlo_attr attrs[] = {
        {.id = HLO_ATTR_LHS_CONTRACTING_DIMS, .u.ints = list(dot, HLO_ATTR_RHS_CONTRACTING_DIMS)},
        {.id = HLO_ATTR_RHS_CONTRACTING_DIMS, .u.ints = list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)}};
    hlo_instr *operands[] = {hlo_operand(dot, 1), hlo_operand(dot, 0)};
    return hlo_emit(r, HLO_OP_DOT, transpose->shape, operands, 2, attrs, 2);
}

/* batch, rows, columns become batch, columns, rows: the operands change places. */
static bool swaps_sides(const hlo_ints *order, uint32_t batch, uint32_t left, uint32_t right) {
    for (uint32_t i = 0; i < batch; i++)
        if (order->v[i] != i) return false;
    for (uint32_t i = 0; i < right; i++)
        if (order->v[batch + i] != batch + left + i) return false;
    for (uint32_t i = 0; i < left; i++)
        if (order->v[batch + right + i] != batch + i) return false;
    return true;
}

hlo_instr *hlo_rewrite_transpose_of_batch_dot(hlo_rewriter *r, hlo_instr *transpose) {
    const hlo_instr *dot = hlo_operand(transpose, 0);
    if (dot->opcode != HLO_OP_DOT || !hlo_has_one_user(dot) || dot->operand_count != 2) return NULL;
    if (hlo_instr_attr(dot, HLO_ATTR_OPERAND_PRECISION) || hlo_instr_attr(dot, HLO_ATTR_ALGORITHM))
        return NULL;
    uint32_t batch = list(dot, HLO_ATTR_LHS_BATCH_DIMS)->n;
    uint32_t contracted = list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n;
    uint32_t left = hlo_operand(dot, 0)->shape->rank - batch - contracted;
    uint32_t right = hlo_operand(dot, 1)->shape->rank - batch - contracted;
    const hlo_ints *order = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    if (hlo_is_identity_order(order) || !swaps_sides(order, batch, left, right)) return NULL;
    hlo_attr attrs[] = {
        {.id = HLO_ATTR_LHS_BATCH_DIMS, .u.ints = list(dot, HLO_ATTR_RHS_BATCH_DIMS)},
        {.id = HLO_ATTR_LHS_CONTRACTING_DIMS, .u.ints = list(dot, HLO_ATTR_RHS_CONTRACTING_DIMS)},
        {.id = HLO_ATTR_RHS_BATCH_DIMS, .u.ints = list(dot, HLO_ATTR_LHS_BATCH_DIMS)},
        {.id = HLO_ATTR_RHS_CONTRACTING_DIMS, .u.ints = list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)}};
    hlo_instr *operands[] = {hlo_operand(dot, 1), hlo_operand(dot, 0)};
    return hlo_emit(r, HLO_OP_DOT, transpose->shape, operands, 2, attrs, 4);
}

/* ---- factors and signs ---- */

static hlo_instr *with_operands(hlo_rewriter *r, const hlo_instr *dot, hlo_instr *a, hlo_instr *b) {
    return hlo_emit_like(r, dot, dot->shape, (hlo_instr *[]){a, b}, 2);
}

hlo_instr *hlo_rewrite_dot_with_zero(hlo_rewriter *r, hlo_instr *dot) {
    bool fits = hlo_is_integral(dot) &&
                (hlo_is_all(hlo_operand(dot, 0), 0) || hlo_is_all(hlo_operand(dot, 1), 0));
    return fits ? hlo_emit_filled(r, dot->shape, 0) : NULL;
}

/* Signs of products cancel out. */
hlo_instr *hlo_rewrite_dot_of_negates(hlo_rewriter *r, hlo_instr *dot) {
    const hlo_instr *a = hlo_operand(dot, 0), *b = hlo_operand(dot, 1);
    if (!hlo_negated(a) || !hlo_negated(b)) return NULL;
    return with_operands(r, dot, hlo_operand(a, 0), hlo_operand(b, 0));
}

static bool is_larger(const hlo_instr *a, const hlo_instr *b) {
    return hlo_shape_elements(a->shape) > hlo_shape_elements(b->shape);
}

/* Fewer signs are changed after. */
hlo_instr *hlo_rewrite_dot_of_negate(hlo_rewriter *r, hlo_instr *dot) {
    for (uint32_t i = 0; i < 2 && may_leave_sum(r, dot); i++) {
        const hlo_instr *negate = hlo_operand(dot, i);
        bool fits = hlo_negated(negate) && hlo_has_one_user(negate) && is_larger(negate, dot) &&
                    negate->shape->type == dot->shape->type;
        if (!fits) continue;
        hlo_instr *product = hlo_emit_with_operand(r, dot, i, hlo_operand(negate, 0));
        return hlo_emit_unary(r, HLO_OP_NEGATE, dot->shape, product);
    }
    return NULL;
}

hlo_instr *hlo_rewrite_dot_of_scaled(hlo_rewriter *r, hlo_instr *dot) {
    for (uint32_t i = 0; i < 2 && may_leave_sum(r, dot); i++) {
        const hlo_instr *scaled = hlo_operand(dot, i);
        bool fits = scaled->opcode == HLO_OP_MULTIPLY && hlo_has_one_user(scaled) &&
                    is_larger(scaled, dot) && scaled->shape->type == dot->shape->type &&
                    hlo_is_exact_factor(hlo_operand(scaled, 1));
        if (!fits) continue;
        hlo_instr *product = hlo_emit_with_operand(r, dot, i, hlo_operand(scaled, 0));
        const void *factor = hlo_splat_of(hlo_operand(scaled, 1));
        hlo_instr *everywhere = hlo_emit_filled_with(r, dot->shape, factor);
        return hlo_emit_binary(r, HLO_OP_MULTIPLY, dot->shape, product, everywhere);
    }
    return NULL;
}

/* ---- order of the sum ---- */

/* Which of the contracted dimensions are reversed, as places in the list; false when others are. */
static bool reversed_places(const hlo_instr *dot, int side, bool *is_reversed) {
    const hlo_instr *reverse = hlo_operand(dot, (uint32_t)side);
    const hlo_ints *contracted =
        list(dot, side ? HLO_ATTR_RHS_CONTRACTING_DIMS : HLO_ATTR_LHS_CONTRACTING_DIMS);
    if (reverse->opcode != HLO_OP_REVERSE) return false;
    const hlo_ints *dims = hlo_attr_ints(reverse, HLO_ATTR_DIMENSIONS);
    uint32_t found = 0;
    for (uint32_t i = 0; i < contracted->n; i++)
        found += is_reversed[i] = hlo_ints_contain(dims, contracted->v[i]);
    return found == dims->n;
}

/* Both sides are summed in the opposite order. */
hlo_instr *hlo_rewrite_dot_of_reverses(hlo_rewriter *r, hlo_instr *dot) {
    uint32_t n = list(dot, HLO_ATTR_LHS_CONTRACTING_DIMS)->n;
    bool *left = hlo_calloc(2u * n + 1, sizeof *left), *right = left + n;
    bool fits = reversed_places(dot, 0, left) && reversed_places(dot, 1, right) &&
                memcmp(left, right, n * sizeof *left) == 0;
    hlo_free(left);
    if (!fits) return NULL;
    return with_operands(r, dot, hlo_operand(hlo_operand(dot, 0), 0),
                         hlo_operand(hlo_operand(dot, 1), 0));
}
