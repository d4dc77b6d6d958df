/* algsimp: what follows from the range that integers lie in. Patterns. */
#include "analysis/match.h"
#include "analysis/range.h"
#include "passes/pipeline/emit.h"

static bool both_ranges(const hlo_instr *instr, hlo_range *a, hlo_range *b) {
    return hlo_range_of(hlo_operand(instr, 0), a) && hlo_range_of(hlo_operand(instr, 1), b);
}

typedef enum { NEVER, ALWAYS, SOMETIMES } verdict;

static verdict is_less(hlo_range a, hlo_range b) {
    return a.most < b.least ? ALWAYS : a.least >= b.most ? NEVER : SOMETIMES;
}

static verdict is_equal(hlo_range a, hlo_range b) {
    if (a.most < b.least || b.most < a.least) return NEVER;
    return a.least == a.most && b.least == b.most ? ALWAYS : SOMETIMES;
}

static verdict negation(verdict v) {
    return v == SOMETIMES ? v : v == ALWAYS ? NEVER : ALWAYS;
}

static verdict compared(const char *direction, hlo_range a, hlo_range b) {
    if (strcmp(direction, "LT") == 0) return is_less(a, b);
    if (strcmp(direction, "GE") == 0) return negation(is_less(a, b));
    if (strcmp(direction, "GT") == 0) return is_less(b, a);
    if (strcmp(direction, "LE") == 0) return negation(is_less(b, a));
    return strcmp(direction, "EQ") == 0 ? is_equal(a, b) : negation(is_equal(a, b));
}

hlo_instr *hlo_rewrite_compare_by_range(hlo_rewriter *r, hlo_instr *compare) {
    hlo_range a, b;
    if (!both_ranges(compare, &a, &b)) return NULL;
    const char *direction =
        hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(compare, HLO_ATTR_DIRECTION));
    verdict found = compared(direction, a, b);
    return found == SOMETIMES ? NULL : hlo_emit_filled(r, compare->shape, found == ALWAYS);
}

/* All of `a` is at most as great as all of `b`. */
static bool lies_below(const hlo_instr *a, const hlo_instr *b) {
    hlo_range x, y;
    return hlo_range_of(a, &x) && hlo_range_of(b, &y) && x.most <= y.least;
}

/* The operand that is never the greater (for maximum: the lesser) of the two; their shapes are
 * equal. */
hlo_instr *hlo_rewrite_extreme_by_range(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    hlo_instr *a = hlo_operand(instr, 0), *b = hlo_operand(instr, 1);
    bool is_minimum = instr->opcode == HLO_OP_MINIMUM;
    if (lies_below(a, b)) return is_minimum ? a : b;
    return lies_below(b, a) ? (is_minimum ? b : a) : NULL;
}

hlo_instr *hlo_rewrite_clamp_by_range(hlo_rewriter *r, hlo_instr *clamp) {
    (void)r;
    hlo_instr *a = hlo_operand(clamp, 1);
    bool fits = lies_below(hlo_operand(clamp, 0), a) && lies_below(a, hlo_operand(clamp, 2));
    return fits ? a : NULL;
}

/* 0 <= a < b in all elements. */
static bool is_below_divisor(const hlo_instr *instr) {
    hlo_range a, b;
    return both_ranges(instr, &a, &b) && a.least >= 0 && a.most < b.least;
}

hlo_instr *hlo_rewrite_remainder_by_range(hlo_rewriter *r, hlo_instr *remainder) {
    (void)r;
    return is_below_divisor(remainder) ? hlo_operand(remainder, 0) : NULL;
}

hlo_instr *hlo_rewrite_divide_by_range(hlo_rewriter *r, hlo_instr *divide) {
    return is_below_divisor(divide) ? hlo_emit_filled(r, divide->shape, 0) : NULL;
}

hlo_instr *hlo_rewrite_abs_by_range(hlo_rewriter *r, hlo_instr *abs) {
    (void)r;
    hlo_range a;
    hlo_instr *operand = hlo_operand(abs, 0);
    return hlo_range_of(operand, &a) && a.least >= 0 ? operand : NULL;
}

/* A mask of low bits that keeps every bit there is. */
hlo_instr *hlo_rewrite_and_by_range(hlo_rewriter *r, hlo_instr *instr) {
    (void)r;
    for (uint32_t i = 0; i < 2; i++) {
        int64_t mask;
        hlo_range a;
        hlo_instr *operand = hlo_operand(instr, i);
        bool fits = hlo_is_integral(instr) && hlo_integer_of(hlo_operand(instr, 1 - i), &mask) &&
                    mask > 0 && ((mask + 1) & mask) == 0 && hlo_range_of(operand, &a);
        if (fits && a.least >= 0 && a.most <= mask) return operand;
    }
    return NULL;
}

/* (a + n) % n, where a + n cannot overflow. */
hlo_instr *hlo_rewrite_remainder_of_sum(hlo_rewriter *r, hlo_instr *remainder) {
    const hlo_instr *sum = hlo_operand(remainder, 0);
    int64_t divisor, addend, most;
    hlo_range a, type;
    if (!hlo_is_integral(remainder) || sum->opcode != HLO_OP_ADD) return NULL;
    if (!hlo_integer_of(hlo_operand(remainder, 1), &divisor) || divisor <= 0) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        hlo_instr *rest = hlo_operand(sum, 1 - i);
        bool fits = hlo_integer_of(hlo_operand(sum, i), &addend) && addend > 0 &&
                    addend % divisor == 0 && hlo_range_of(rest, &a) && a.least >= 0 &&
                    !__builtin_add_overflow(a.most, addend, &most) &&
                    hlo_range_of_type((hlo_type)sum->shape->type, &type) && most <= type.most;
        if (fits)
            return hlo_emit_binary(r, HLO_OP_REMAINDER, remainder->shape, rest,
                                   hlo_operand(remainder, 1));
    }
    return NULL;
}

/* ---- shifts by constants ---- */

static bool shift_of(const hlo_instr *shift, int64_t *by) {
    return hlo_integer_of(hlo_operand(shift, 1), by) && *by >= 0;
}

static int64_t bits_of(const hlo_instr *instr) {
    return hlo_types[instr->shape->type].bits;
}

/* No bit is left. */
hlo_instr *hlo_rewrite_shifted_out(hlo_rewriter *r, hlo_instr *shift) {
    int64_t by;
    bool fits = shift_of(shift, &by) && by >= bits_of(shift);
    return fits ? hlo_emit_filled(r, shift->shape, 0) : NULL;
}

/* (a << c1) << c2; the sum is less than the number of bits. */
hlo_instr *hlo_rewrite_shifts_together(hlo_rewriter *r, hlo_instr *shift) {
    const hlo_instr *inner = hlo_operand(shift, 0);
    int64_t outer_by, inner_by;
    if (inner->opcode != shift->opcode || !shift_of(shift, &outer_by)) return NULL;
    if (!shift_of(inner, &inner_by) || outer_by >= bits_of(shift)) return NULL;
    if (inner_by >= bits_of(shift) - outer_by) return NULL;
    hlo_instr *by = hlo_emit_filled(r, shift->shape, outer_by + inner_by);
    return hlo_emit_binary(r, (hlo_opcode)shift->opcode, shift->shape, hlo_operand(inner, 0), by);
}

/* ---- remainders ---- */

hlo_instr *hlo_rewrite_remainder_of_remainder(hlo_rewriter *r, hlo_instr *remainder) {
    (void)r;
    hlo_instr *inner = hlo_operand(remainder, 0);
    bool fits =
        inner->opcode == HLO_OP_REMAINDER && hlo_operand(inner, 1) == hlo_operand(remainder, 1);
    return fits ? inner : NULL;
}

hlo_instr *hlo_rewrite_remainder_one(hlo_rewriter *r, hlo_instr *remainder) {
    hlo_instr *b = hlo_operand(remainder, 1);
    bool fits = hlo_is_integral(remainder) && (hlo_is_all(b, 1) || hlo_is_all(b, -1));
    return fits ? hlo_emit_filled(r, remainder->shape, 0) : NULL;
}
