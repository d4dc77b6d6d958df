/* algsimp: select, compare and clamp. Patterns, called by patterns.c. */
#include "passes/emit.h"
#include "passes/match.h"

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

/* ---- compare ---- */

static const char *direction_of(const hlo_instr *compare) {
    return hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(compare, HLO_ATTR_DIRECTION));
}

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static bool has_order(const hlo_instr *instr) {
    hlo_type type = (hlo_type)instr->shape->type;
    return hlo_type_is_integral(type) || type == HLO_PRED;
}

hlo_instr *hlo_rewrite_compare_self(hlo_rewriter *r, hlo_instr *compare) {
    static const char *const reflexive[] = {"EQ", "GE", "LE", NULL};
    hlo_instr *a = hlo_operand(compare, 0);
    if (a != hlo_operand(compare, 1) || !has_order(a)) return NULL; /* nan differs from itself */
    return hlo_emit_filled(r, compare->shape, is_one_of(direction_of(compare), reflexive));
}

hlo_instr *hlo_rewrite_compare_unsigned_zero(hlo_rewriter *r, hlo_instr *compare) {
    hlo_instr *a = hlo_operand(compare, 0), *b = hlo_operand(compare, 1);
    const char *direction = direction_of(compare);
    bool is_unsigned = hlo_types[a->shape->type].class == HLO_CLASS_UNSIGNED;
    if (!is_unsigned || !hlo_is_all(b, 0)) return NULL;
    if (strcmp(direction, "LT") == 0) return hlo_emit_filled(r, compare->shape, 0);
    return strcmp(direction, "GE") == 0 ? hlo_emit_filled(r, compare->shape, 1) : NULL;
}

/* a == true and a != false are a; the other two are its negation. */
hlo_instr *hlo_rewrite_compare_with_word(hlo_rewriter *r, hlo_instr *compare) {
    hlo_instr *a = hlo_operand(compare, 0), *b = hlo_operand(compare, 1);
    bool equal = strcmp(direction_of(compare), "EQ") == 0;
    bool unequal = strcmp(direction_of(compare), "NE") == 0;
    if (a->shape->type != HLO_PRED || !(equal || unequal)) return NULL;
    bool is_true = hlo_is_all(b, 1);
    if (!is_true && !hlo_is_all(b, 0)) return NULL;
    return is_true == equal ? a : hlo_emit_unary(r, HLO_OP_NOT, compare->shape, a);
}

static const char *opposite(const char *direction) {
    static const char *const pairs[][2] = {{"EQ", "NE"}, {"NE", "EQ"}, {"LT", "GE"},
                                           {"GE", "LT"}, {"GT", "LE"}, {"LE", "GT"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(direction, pairs[i][0]) == 0) return pairs[i][1];
    return NULL;
}

/* Of floats only equality has an opposite: nan is neither less nor greater. */
hlo_instr *hlo_rewrite_not_compare(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *compare = hlo_operand(instr, 0);
    if (compare->opcode != HLO_OP_COMPARE || !hlo_has_one_user(compare)) return NULL;
    static const char *const equality[] = {"EQ", "NE", NULL};
    const char *direction = direction_of(compare);
    if (!has_order(hlo_operand(compare, 0)) && !is_one_of(direction, equality)) return NULL;
    const char *other = opposite(direction);
    hlo_instr *copy =
        hlo_emit_like(r, compare, instr->shape,
                      (hlo_instr *[]){hlo_operand(compare, 0), hlo_operand(compare, 1)}, 2);
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_DIRECTION, hlo_str_from(other));
    hlo_instr_set_attr(copy, hlo_attr_of_int(HLO_ATTR_DIRECTION, word->number));
    return copy;
}

/* ---- clamp ---- */

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

/* max(A, B) > A says B > A, and the like: of integers, since nan is neither. */
static hlo_instr *beside_in(const hlo_instr *extreme, hlo_opcode opcode, const hlo_instr *a) {
    if (extreme->opcode != opcode) return NULL;
    if (hlo_operand(extreme, 0) == a) return hlo_operand(extreme, 1);
    return hlo_operand(extreme, 1) == a ? hlo_operand(extreme, 0) : NULL;
}

hlo_instr *hlo_rewrite_compare_of_maximum(hlo_rewriter *r, hlo_instr *compare) {
    hlo_instr *extreme = hlo_operand(compare, 0), *a = hlo_operand(compare, 1);
    hlo_instr *b = beside_in(extreme, HLO_OP_MAXIMUM, a);
    if (!b || !has_order(a) || strcmp(direction_of(compare), "GT") != 0) return NULL;
    return hlo_emit_like(r, compare, compare->shape, (hlo_instr *[]){b, a}, 2);
}

hlo_instr *hlo_rewrite_compare_of_minimum(hlo_rewriter *r, hlo_instr *compare) {
    hlo_instr *extreme = hlo_operand(compare, 0), *a = hlo_operand(compare, 1);
    hlo_instr *b = beside_in(extreme, HLO_OP_MINIMUM, a);
    if (!b || !has_order(a) || strcmp(direction_of(compare), "LT") != 0) return NULL;
    return hlo_emit_like(r, compare, compare->shape, (hlo_instr *[]){b, a}, 2);
}
