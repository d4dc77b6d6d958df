/* algsimp: comparisons. Patterns. nan is neither less nor greater than
 * anything: what would not hold for it is for integers only. */
#include "analysis/match.h"
#include "passes/pipeline/emit.h"

static const char *direction_of(const hlo_instr *compare) {
    HLO_ASSERT(compare->opcode == HLO_OP_COMPARE);
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

static bool is_equality(const hlo_instr *compare) {
    static const char *const equality[] = {"EQ", "NE", NULL};
    return is_one_of(direction_of(compare), equality);
}

/* ---- other directions ---- */

typedef const char *direction_pair[2];

/* The other member of the pair that contains the direction; NULL: none. */
static const char *counterpart(const direction_pair *pairs, size_t n, const char *direction) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(direction, pairs[i][0]) == 0) return pairs[i][1];
        if (strcmp(direction, pairs[i][1]) == 0) return pairs[i][0];
    }
    return NULL;
}

static const char *opposite(const char *direction) {
    static const direction_pair pairs[] = {{"EQ", "NE"}, {"LT", "GE"}, {"GT", "LE"}};
    return counterpart(pairs, sizeof pairs / sizeof *pairs, direction);
}

static const char *mirrored(const char *direction) {
    static const direction_pair pairs[] = {{"LT", "GT"}, {"LE", "GE"}};
    const char *other = counterpart(pairs, sizeof pairs / sizeof *pairs, direction);
    return other ? other : direction; /* equality is its own */
}

/* `compare` of other operands in another direction, for `shape`; its type attribute stays. */
static hlo_instr *compared_as(hlo_rewriter *r, const hlo_instr *compare, const hlo_shape *shape,
                              hlo_instr *a, hlo_instr *b, const char *direction) {
    hlo_instr *by = hlo_emit_like(r, compare, shape, (hlo_instr *[]){a, b}, 2);
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_DIRECTION, hlo_str_from(direction));
    hlo_instr_set_attr(by, hlo_attr_of_int(HLO_ATTR_DIRECTION, word->number));
    return by;
}

static hlo_instr *compared(hlo_rewriter *r, const hlo_instr *compare, hlo_instr *a, hlo_instr *b,
                           const char *direction) {
    return compared_as(r, compare, compare->shape, a, b, direction);
}

/* Of floats only equality has an opposite: nan is neither less nor greater. */
hlo_instr *hlo_rewrite_not_compare(hlo_rewriter *r, hlo_instr *instr) {
    hlo_instr *compare = hlo_operand(instr, 0);
    if (compare->opcode != HLO_OP_COMPARE || !hlo_has_one_user(compare)) return NULL;
    if (!has_order(hlo_operand(compare, 0)) && !is_equality(compare)) return NULL;
    return compared_as(r, compare, instr->shape, hlo_operand(compare, 0), hlo_operand(compare, 1),
                       opposite(direction_of(compare)));
}

/* max(A, B) > A means B > A, and the like: of integers, since nan is neither. */
static hlo_instr *other_operand(const hlo_instr *extreme, hlo_opcode opcode, const hlo_instr *a) {
    if (extreme->opcode != opcode) return NULL;
    if (hlo_operand(extreme, 0) == a) return hlo_operand(extreme, 1);
    return hlo_operand(extreme, 1) == a ? hlo_operand(extreme, 0) : NULL;
}

static hlo_instr *compare_of_extreme(hlo_rewriter *r, const hlo_instr *compare, hlo_opcode opcode,
                                     const char *direction) {
    hlo_instr *a = hlo_operand(compare, 1);
    hlo_instr *b = other_operand(hlo_operand(compare, 0), opcode, a);
    if (!b || !has_order(a) || strcmp(direction_of(compare), direction) != 0) return NULL;
    return hlo_emit_like(r, compare, compare->shape, (hlo_instr *[]){b, a}, 2);
}

hlo_instr *hlo_rewrite_compare_of_maximum(hlo_rewriter *r, hlo_instr *compare) {
    return compare_of_extreme(r, compare, HLO_OP_MAXIMUM, "GT");
}

hlo_instr *hlo_rewrite_compare_of_minimum(hlo_rewriter *r, hlo_instr *compare) {
    return compare_of_extreme(r, compare, HLO_OP_MINIMUM, "LT");
}

/* ---- one form ---- */

hlo_instr *hlo_rewrite_compare_constant_first(hlo_rewriter *r, hlo_instr *compare) {
    hlo_instr *a = hlo_operand(compare, 0), *b = hlo_operand(compare, 1);
    if (!hlo_splat_of(a) || hlo_splat_of(b) || hlo_constant_of(b)) return NULL;
    return compared(r, compare, b, a, mirrored(direction_of(compare)));
}

/* A + C1 == C2: sums wrap around, so that the difference is exact. */
hlo_instr *hlo_rewrite_compare_sum_with_constant(hlo_rewriter *r, hlo_instr *compare) {
    const hlo_instr *sum = hlo_operand(compare, 0);
    hlo_instr *c2 = hlo_operand(compare, 1);
    if (sum->opcode != HLO_OP_ADD || !hlo_is_integral(sum) || !is_equality(compare)) return NULL;
    hlo_instr *a = hlo_operand(sum, 0), *c1 = hlo_operand(sum, 1);
    if (!hlo_splat_of(c1) || !hlo_splat_of(c2) || hlo_splat_of(a)) return NULL;
    hlo_instr *rest = hlo_emit_binary(r, HLO_OP_SUBTRACT, c2->shape, c2, c1);
    return compared(r, compare, a, rest, direction_of(compare));
}

hlo_instr *hlo_rewrite_compare_difference_with_zero(hlo_rewriter *r, hlo_instr *compare) {
    const hlo_instr *difference = hlo_operand(compare, 0);
    bool fits = difference->opcode == HLO_OP_SUBTRACT && hlo_is_integral(difference) &&
                is_equality(compare) && hlo_is_all(hlo_operand(compare, 1), 0);
    if (!fits) return NULL;
    return compared(r, compare, hlo_operand(difference, 0), hlo_operand(difference, 1),
                    direction_of(compare));
}

hlo_instr *hlo_rewrite_compare_negates(hlo_rewriter *r, hlo_instr *compare) {
    const hlo_instr *a = hlo_operand(compare, 0), *b = hlo_operand(compare, 1);
    bool fits = a->opcode == HLO_OP_NEGATE && b->opcode == HLO_OP_NEGATE && hlo_is_integral(a) &&
                is_equality(compare);
    if (!fits) return NULL;
    return compared(r, compare, hlo_operand(a, 0), hlo_operand(b, 0), direction_of(compare));
}

/* ---- pred values converted to numbers ---- */

/* The pred value that is compared as 1 or 0, or NULL: convert(P), or select(P, 1, 0). */
static hlo_instr *converted_pred(const hlo_instr *number) {
    hlo_instr *p = number->operand_count ? hlo_operand(number, 0) : NULL;
    if (!p || p->shape->type != HLO_PRED || p->shape->rank != number->shape->rank) return NULL;
    if (number->opcode == HLO_OP_CONVERT) return p;
    bool fits = number->opcode == HLO_OP_SELECT && hlo_is_all(hlo_operand(number, 1), 1) &&
                hlo_is_all(hlo_operand(number, 2), 0);
    return fits ? p : NULL;
}

/* != 0 and == 1 mean P, == 0 and != 1 its negation. */
hlo_instr *hlo_rewrite_compare_flag(hlo_rewriter *r, hlo_instr *compare) {
    hlo_instr *p = converted_pred(hlo_operand(compare, 0)), *c = hlo_operand(compare, 1);
    if (!p || !is_equality(compare) || hlo_operand(compare, 0)->shape->type == HLO_PRED)
        return NULL;
    bool is_one = hlo_is_all(c, 1);
    if (!is_one && !hlo_is_all(c, 0)) return NULL;
    bool is_equal = strcmp(direction_of(compare), "EQ") == 0;
    return is_one == is_equal ? p : hlo_emit_unary(r, HLO_OP_NOT, compare->shape, p);
}

/* ---- two bounds of one array ---- */

/* A < C of integers: A, or NULL. */
static hlo_instr *bounded(const hlo_instr *compare, const char *direction) {
    bool fits = compare->opcode == HLO_OP_COMPARE && hlo_is_integral(hlo_operand(compare, 0)) &&
                strcmp(direction_of(compare), direction) == 0 &&
                hlo_splat_of(hlo_operand(compare, 1));
    return fits ? hlo_operand(compare, 0) : NULL;
}

/* Both at once hold for what is beyond the nearer bound (with `or`: the farther one). */
hlo_instr *hlo_rewrite_bounds_together(hlo_rewriter *r, hlo_instr *instr) {
    static const char *const directions[] = {"LT", "LE", "GT", "GE"};
    const hlo_instr *x = hlo_operand(instr, 0), *y = hlo_operand(instr, 1);
    if (instr->shape->type != HLO_PRED || x == y) return NULL;
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        hlo_instr *a = bounded(x, directions[i]);
        if (!a || a != bounded(y, directions[i])) continue;
        bool nearer = (directions[i][0] == 'L') == (instr->opcode == HLO_OP_AND);
        hlo_instr *c1 = hlo_operand(x, 1), *c2 = hlo_operand(y, 1);
        hlo_instr *bound =
            hlo_emit_binary(r, nearer ? HLO_OP_MINIMUM : HLO_OP_MAXIMUM, c1->shape, c1, c2);
        return compared(r, x, a, bound, directions[i]);
    }
    return NULL;
}
