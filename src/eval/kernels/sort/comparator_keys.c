/* Recognising comparators that order by keys: see comparator_keys.h. What frameworks write compares
 * one expression of both elements, a mirror image on each side (NaN and zeros made one of a kind,
 * bits of a float as an integer), and goes on to further keys where these are equal. */
#include "eval/kernels/sort/comparator_keys.h"

#include "analysis/equal.h"
#include "eval/kernel/words.h"

/* Above this many looks at instructions a comparator is not worth more. */
enum { MOST_VISITS = 4096 };

typedef struct {
    hlo_sort_keys *keys;
    const hlo_instr *values[HLO_MOST_KEYS]; /* of the first element */
    uint32_t visits;
} finder;

/* ---- sides ---- */

typedef enum { NEITHER = 0, FIRST = 1, SECOND = 2 } side;

/* Which parameters an expression reads. */
typedef struct {
    unsigned sides;
    bool is_one; /* they are of array `array` alone */
    int64_t array;
} reading;

static int64_t number_of(const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    return hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
}

static void read_expression(finder *f, const hlo_instr *e, reading *r) {
    if (++f->visits > MOST_VISITS) return;
    if (e->opcode == HLO_OP_PARAMETER) {
        int64_t number = number_of(e);
        r->is_one = r->sides == NEITHER || (r->is_one && r->array == number / 2);
        r->array = number / 2;
        r->sides |= number % 2 ? SECOND : FIRST;
    }
    for (uint32_t i = 0; i < e->operand_count; i++) read_expression(f, hlo_operand(e, i), r);
}

/* Whether two expressions are the same: as they are (`other` 0), or with each parameter's
 * counterpart of the other element in its place (1). */
static bool is_same(finder *f, const hlo_instr *a, const hlo_instr *b, int64_t other) {
    if (++f->visits > MOST_VISITS) return false;
    if (a == b && !other) return true;
    if (a->opcode == HLO_OP_PARAMETER && b->opcode == HLO_OP_PARAMETER)
        return number_of(a) == (number_of(b) ^ other);
    if (!hlo_shape_compatible(a->shape, b->shape) || a->operand_count != b->operand_count ||
        !hlo_same_operation(a, b))
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (!is_same(f, hlo_operand(a, i), hlo_operand(b, i), other)) return false;
    return true;
}

/* The same for the operands of two instructions, in this order or the other. */
static bool has_same_operands(finder *f, const hlo_instr *a, const hlo_instr *b) {
    return (is_same(f, hlo_operand(a, 0), hlo_operand(b, 0), 0) &&
            is_same(f, hlo_operand(a, 1), hlo_operand(b, 1), 0)) ||
           (is_same(f, hlo_operand(a, 0), hlo_operand(b, 1), 0) &&
            is_same(f, hlo_operand(a, 1), hlo_operand(b, 0), 0));
}

/* ---- orders ---- */

static bool compares_by(const hlo_instr *e, const char *direction) {
    return e->opcode == HLO_OP_COMPARE && hlo_attr_is(e, HLO_ATTR_DIRECTION, direction);
}

static bool is_total(const hlo_instr *compare) {
    HLO_ASSERT(compare->opcode == HLO_OP_COMPARE);
    return hlo_attr_is(compare, HLO_ATTR_TYPE, "TOTALORDER");
}

/* One comparison of a key with its mirror image. */
static bool find_key(finder *f, const hlo_instr *e) {
    bool greater = compares_by(e, "GT");
    hlo_sort_keys *keys = f->keys;
    if ((!greater && !compares_by(e, "LT")) || keys->count == HLO_MOST_KEYS) return false;
    const hlo_instr *a = hlo_operand(e, 0), *b = hlo_operand(e, 1);
    reading left = {.sides = NEITHER}, right = {.sides = NEITHER};
    read_expression(f, a, &left);
    read_expression(f, b, &right);
    bool swapped = left.sides == SECOND;
    if ((swapped ? right : left).sides != FIRST || (swapped ? left : right).sides != SECOND ||
        !hlo_has_keys((hlo_type)a->shape->type) || !is_same(f, a, b, 1))
        return false;
    const hlo_instr *value = swapped ? b : a;
    f->values[keys->count] = value;
    keys->key[keys->count++] =
        (hlo_sort_key){.by = {(hlo_type)value->shape->type, is_total(e), greater != swapped},
                       .is_element = value->opcode == HLO_OP_PARAMETER,
                       .has_array = left.is_one,
                       .array = (uint32_t)left.array};
    return true;
}

/* Whether `e` tests that an order puts neither element before the other (`direction` EQ) or one of
 * them (NE). */
static bool asks_for_tie(finder *f, const hlo_instr *e, const hlo_instr *order,
                         const char *direction) {
    if (!compares_by(e, direction)) return false;
    if (order->opcode == HLO_OP_COMPARE && is_total(e) == is_total(order) &&
        has_same_operands(f, e, order))
        return true;
    const hlo_instr *a = hlo_operand(e, 0), *b = hlo_operand(e, 1);
    return (is_same(f, a, order, 0) && is_same(f, b, order, 1)) ||
           (is_same(f, b, order, 0) && is_same(f, a, order, 1));
}

static bool find_order(finder *f, const hlo_instr *e);

static bool find_both(finder *f, const hlo_instr *first, const hlo_instr *then) {
    uint32_t count = f->keys->count;
    if (find_order(f, first) && find_order(f, then)) return true;
    f->keys->count = count;
    return false;
}

/* first or (tie and then), each of both in either order. */
static bool find_in_or(finder *f, const hlo_instr *first, const hlo_instr *rest) {
    if (rest->opcode != HLO_OP_AND) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (asks_for_tie(f, hlo_operand(rest, i), first, "EQ"))
            return find_both(f, first, hlo_operand(rest, 1 - i));
    return false;
}

/* tie ? then : first, or no tie ? first : then. */
static bool find_in_select(finder *f, const hlo_instr *e) {
    const hlo_instr *tie = hlo_operand(e, 0), *a = hlo_operand(e, 1), *b = hlo_operand(e, 2);
    if (asks_for_tie(f, tie, b, "EQ")) return find_both(f, b, a);
    return asks_for_tie(f, tie, a, "NE") && find_both(f, a, b);
}

static bool find_order(finder *f, const hlo_instr *e) {
    if (++f->visits > MOST_VISITS) return false;
    switch (e->opcode) {
    case HLO_OP_COMPARE: return find_key(f, e);
    case HLO_OP_OR:
        return find_in_or(f, hlo_operand(e, 0), hlo_operand(e, 1)) ||
               find_in_or(f, hlo_operand(e, 1), hlo_operand(e, 0));
    case HLO_OP_SELECT: return find_in_select(f, e);
    default: return false;
    }
}

/* ---- the program of the keys ---- */

static bool prepare_program(hlo_preparation *p, hlo_computation *comparator, const finder *f) {
    const hlo_instr *parts[HLO_MOST_KEYS];
    uint32_t count = 0;
    for (uint32_t k = 0; k < f->keys->count; k++) {
        if (f->keys->key[k].is_element) continue;
        f->keys->key[k].output = count;
        parts[count++] = f->values[k];
    }
    if (!count) return true;
    f->keys->program = hlo_prepare_scalar_parts(p, comparator, parts, count);
    return f->keys->program;
}

void hlo_find_sort_keys(hlo_preparation *p, hlo_computation *comparator, hlo_sort_keys *keys) {
    *keys = (hlo_sort_keys){0};
    finder f = {.keys = keys};
    if (!find_order(&f, comparator->root) || f.visits > MOST_VISITS ||
        !prepare_program(p, comparator, &f))
        keys->count = 0;
}
