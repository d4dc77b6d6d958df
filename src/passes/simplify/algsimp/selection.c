/* algsimp: select and clamp. Patterns. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

/* ---- select ---- */

hlo_instr *hlo_rewrite_select_same(hlo_rewriter *r, hlo_instr *select) {
    (void)r;
    return hlo_operand(select, 1) == hlo_operand(select, 2) ? hlo_operand(select, 1) : NULL;
}

hlo_instr *hlo_rewrite_select_true(hlo_rewriter *r, hlo_instr *select) {
    (void)r;
    return hlo_is_all(hlo_operand(select, 0), 1) ? hlo_operand(select, 1) : NULL;
}

hlo_instr *hlo_rewrite_select_false(hlo_rewriter *r, hlo_instr *select) {
    (void)r;
    return hlo_is_all(hlo_operand(select, 0), 0) ? hlo_operand(select, 2) : NULL;
}

hlo_instr *hlo_rewrite_select_not(hlo_rewriter *r, hlo_instr *select) {
    hlo_instr *negation = hlo_operand(select, 0);
    if (negation->opcode != HLO_OP_NOT) return NULL;
    hlo_instr *operands[] = {hlo_operand(negation, 0), hlo_operand(select, 2),
                             hlo_operand(select, 1)};
    return hlo_emit(r, HLO_OP_SELECT, select->shape, operands, 3, NULL, 0);
}

/* A scalar condition would have to be broadcast first. */
static bool selects_words(const hlo_instr *select, double on, double off) {
    return select->shape->type == HLO_PRED && hlo_operand(select, 0)->shape == select->shape &&
           hlo_is_all(hlo_operand(select, 1), on) && hlo_is_all(hlo_operand(select, 2), off);
}

hlo_instr *hlo_rewrite_select_true_false(hlo_rewriter *r, hlo_instr *select) {
    (void)r;
    return selects_words(select, 1, 0) ? hlo_operand(select, 0) : NULL;
}

hlo_instr *hlo_rewrite_select_false_true(hlo_rewriter *r, hlo_instr *select) {
    if (!selects_words(select, 0, 1)) return NULL;
    return hlo_emit_unary(r, HLO_OP_NOT, select->shape, hlo_operand(select, 0));
}

/* select(p, a, select(p, b, c)) and select(p, select(p, a, b), c). */
hlo_instr *hlo_rewrite_select_of_select(hlo_rewriter *r, hlo_instr *select) {
    hlo_instr *p = hlo_operand(select, 0);
    for (uint32_t i = 1; i < 3; i++) {
        hlo_instr *inner = hlo_operand(select, i);
        if (inner->opcode == HLO_OP_SELECT && hlo_operand(inner, 0) == p)
            return hlo_emit_with_operand(r, select, i, hlo_operand(inner, i));
    }
    return NULL;
}

/* Of words, one of which is known. */
hlo_instr *hlo_rewrite_select_to_or(hlo_rewriter *r, hlo_instr *select) {
    hlo_instr *p = hlo_operand(select, 0), *b = hlo_operand(select, 2);
    bool fits = select->shape->type == HLO_PRED && p->shape == select->shape &&
                hlo_is_all(hlo_operand(select, 1), 1);
    return fits ? hlo_emit_binary(r, HLO_OP_OR, select->shape, p, b) : NULL;
}

hlo_instr *hlo_rewrite_select_to_and(hlo_rewriter *r, hlo_instr *select) {
    hlo_instr *p = hlo_operand(select, 0), *a = hlo_operand(select, 1);
    bool fits = select->shape->type == HLO_PRED && p->shape == select->shape &&
                hlo_is_all(hlo_operand(select, 2), 0);
    return fits ? hlo_emit_binary(r, HLO_OP_AND, select->shape, p, a) : NULL;
}

/* select(A ? B, A, B) of integers or words: the direction of the comparison, mirrored when it is
 * select(A ? B, B, A); NULL when it is none of them. */
static const char *order_of_choice(const hlo_instr *select) {
    const hlo_instr *compare = hlo_operand(select, 0);
    if (compare->opcode != HLO_OP_COMPARE) return NULL;
    if (!hlo_is_integral(select) && select->shape->type != HLO_PRED) return NULL;
    const hlo_instr *a = hlo_operand(select, 1), *b = hlo_operand(select, 2);
    const hlo_instr *x = hlo_operand(compare, 0), *y = hlo_operand(compare, 1);
    const char *direction =
        hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(compare, HLO_ATTR_DIRECTION));
    if (x == a && y == b) return direction;
    if (x != b || y != a) return NULL;
    switch (direction[0]) {
    case 'L': return direction[1] == 'T' ? "GT" : "GE";
    case 'G': return direction[1] == 'T' ? "LT" : "LE";
    default: return direction;
    }
}

/* Where they differ the second, where they are equal either. */
hlo_instr *hlo_rewrite_select_equal(hlo_rewriter *r, hlo_instr *select) {
    (void)r;
    const char *order = order_of_choice(select);
    if (!order) return NULL;
    if (strcmp(order, "EQ") == 0) return hlo_operand(select, 2);
    return strcmp(order, "NE") == 0 ? hlo_operand(select, 1) : NULL;
}

static hlo_instr *chosen_extreme(hlo_rewriter *r, hlo_instr *select, char first, hlo_opcode opcode,
                                 hlo_opcode of_words) {
    const char *order = order_of_choice(select);
    if (!order || order[0] != first) return NULL;
    if (select->shape->type == HLO_PRED) opcode = of_words;
    return hlo_emit_binary(r, opcode, select->shape, hlo_operand(select, 1),
                           hlo_operand(select, 2));
}

hlo_instr *hlo_rewrite_select_greater(hlo_rewriter *r, hlo_instr *select) {
    return chosen_extreme(r, select, 'G', HLO_OP_MAXIMUM, HLO_OP_OR);
}

hlo_instr *hlo_rewrite_select_less(hlo_rewriter *r, hlo_instr *select) {
    return chosen_extreme(r, select, 'L', HLO_OP_MINIMUM, HLO_OP_AND);
}

/* Of a whole array or the same with one part replaced, it is the part that is chosen. */
hlo_instr *hlo_rewrite_select_of_update(hlo_rewriter *r, hlo_instr *select) {
    hlo_instr *p = hlo_operand(select, 0);
    if (p->shape->rank) return NULL;
    for (uint32_t i = 1; i < 3; i++) {
        hlo_instr *update = hlo_operand(select, i), *whole = hlo_operand(select, 3 - i);
        bool fits = update->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && hlo_has_one_user(update) &&
                    hlo_operand(update, 0) == whole && whole->shape == select->shape &&
                    update->operand_count == 2u + whole->shape->rank;
        if (!fits) continue;
        hlo_instr *part = hlo_operand(update, 1);
        hlo_instr *old = hlo_emit_part_before(r, update);
        hlo_instr *operands[] = {p, i == 1 ? part : old, i == 1 ? old : part};
        hlo_instr *chosen = hlo_emit(r, HLO_OP_SELECT, part->shape, operands, 3, NULL, 0);
        return hlo_emit_with_operand(r, update, 1, chosen);
    }
    return NULL;
}

/* ---- clamp ---- */

/* Both bounds are the same: of integers, since nan stays nan. */
hlo_instr *hlo_rewrite_clamp_to_bound(hlo_rewriter *r, hlo_instr *clamp) {
    hlo_instr *low = hlo_operand(clamp, 0);
    bool fits = low == hlo_operand(clamp, 2) && hlo_is_integral(clamp);
    if (!fits) return NULL;
    if (low->shape == clamp->shape) return low;
    return low->shape->rank ? NULL : hlo_emit_broadcast(r, clamp->shape, low, NULL, 0);
}

hlo_instr *hlo_rewrite_clamp_of_clamp(hlo_rewriter *r, hlo_instr *clamp) {
    (void)r;
    hlo_instr *inner = hlo_operand(clamp, 1);
    bool fits = inner->opcode == HLO_OP_CLAMP && hlo_operand(inner, 0) == hlo_operand(clamp, 0) &&
                hlo_operand(inner, 2) == hlo_operand(clamp, 2) && inner->shape == clamp->shape;
    return fits ? inner : NULL;
}

/* Bounds of clamp are arrays of its shape, or scalars. */
static hlo_instr *clamped(hlo_rewriter *r, hlo_instr *outer, hlo_instr *inner, hlo_instr *low,
                          hlo_instr *high) {
    hlo_instr *x = hlo_operand(inner, 0);
    double least, most;
    if (!hlo_number_of(low, &least) || !hlo_number_of(high, &most) || least > most) return NULL;
    return hlo_emit(r, HLO_OP_CLAMP, outer->shape, (hlo_instr *[]){low, x, high}, 3, NULL, 0);
}

hlo_instr *hlo_rewrite_minimum_of_maximum(hlo_rewriter *r, hlo_instr *minimum) {
    hlo_instr *inner = hlo_operand(minimum, 0);
    if (inner->opcode != HLO_OP_MAXIMUM || !hlo_has_one_user(inner)) return NULL;
    return clamped(r, minimum, inner, hlo_operand(inner, 1), hlo_operand(minimum, 1));
}

hlo_instr *hlo_rewrite_maximum_of_minimum(hlo_rewriter *r, hlo_instr *maximum) {
    hlo_instr *inner = hlo_operand(maximum, 0);
    if (inner->opcode != HLO_OP_MINIMUM || !hlo_has_one_user(inner)) return NULL;
    return clamped(r, maximum, inner, hlo_operand(maximum, 1), hlo_operand(inner, 1));
}
