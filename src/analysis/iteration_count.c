/* Counting the iterations of loops: see iteration_count.h. */
#include "analysis/iteration_count.h"

#include "analysis/match.h"

/* ---- state ---- */

hlo_computation *hlo_loop_body(const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    return hlo_instr_attr(loop, HLO_ATTR_BODY)->u.computation;
}

hlo_computation *hlo_loop_condition(const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    return hlo_instr_attr(loop, HLO_ATTR_CONDITION)->u.computation;
}

static const hlo_instr *skip_copies(const hlo_instr *instr) {
    while (instr->opcode == HLO_OP_COPY) instr = hlo_operand(instr, 0);
    return instr;
}

int64_t hlo_state_element(const hlo_instr *instr) {
    instr = skip_copies(instr);
    if (instr->opcode == HLO_OP_PARAMETER) return HLO_WHOLE_STATE;
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT) return HLO_NOT_STATE;
    if (hlo_operand(instr, 0)->opcode != HLO_OP_PARAMETER) return HLO_NOT_STATE;
    return hlo_attr_int(instr, HLO_ATTR_INDEX);
}

static hlo_instr *part(hlo_instr *whole, int64_t element) {
    if (element == HLO_WHOLE_STATE) return whole;
    if (whole->opcode != HLO_OP_TUPLE || element < 0 || element >= whole->operand_count)
        return NULL;
    return hlo_operand(whole, (uint32_t)element);
}

hlo_instr *hlo_state_start(const hlo_instr *loop, int64_t element) {
    return part(hlo_operand(loop, 0), element);
}

hlo_instr *hlo_state_next(const hlo_instr *loop, int64_t element) {
    return part(hlo_loop_body(loop)->root, element);
}

bool hlo_state_is_invariant(const hlo_instr *loop, int64_t element) {
    const hlo_instr *next = hlo_state_next(loop, element);
    return next && hlo_state_element(next) == element;
}

static bool scalar_integer(const hlo_instr *instr, int64_t *value) {
    instr = skip_copies(instr);
    return hlo_shape_is_array(instr->shape) && instr->shape->rank == 0 &&
           hlo_type_is_integral((hlo_type)instr->shape->type) && hlo_integer_of(instr, value);
}

bool hlo_loop_integer(const hlo_instr *loop, const hlo_instr *instr, int64_t *value) {
    if (scalar_integer(instr, value)) return true;
    int64_t element = hlo_state_element(instr);
    if (element == HLO_NOT_STATE || !hlo_state_is_invariant(loop, element)) return false;
    const hlo_instr *start = hlo_state_start(loop, element);
    return start && scalar_integer(start, value);
}

/* ---- counting ---- */

__extension__ typedef __int128 wide; /* counters of 64 bits and a little beyond */

typedef enum { BELOW, NOT_ABOVE, ABOVE, NOT_BELOW, OTHER_THAN, SAME_AS } relation;

/* The loop goes on while `counter relation limit`. */
typedef struct {
    relation relation;
    int64_t limit;
} loop_test;

static bool relation_of(const hlo_instr *compare, relation *found) {
    HLO_ASSERT(compare->opcode == HLO_OP_COMPARE);
    static const struct {
        const char *word;
        relation relation;
    } rows[] = {{"LT", BELOW},     {"LE", NOT_ABOVE},  {"GT", ABOVE},
                {"GE", NOT_BELOW}, {"NE", OTHER_THAN}, {"EQ", SAME_AS}};
    const char *word =
        hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(compare, HLO_ATTR_DIRECTION));
    for (size_t i = 0; word && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(word, rows[i].word) == 0) {
            *found = rows[i].relation;
            return true;
        }
    return false;
}

/* `a relation b` with the sides swapped. */
static relation mirrored(relation r) {
    switch (r) {
    case BELOW: return ABOVE;
    case NOT_ABOVE: return NOT_BELOW;
    case ABOVE: return BELOW;
    case NOT_BELOW: return NOT_ABOVE;
    default: return r;
    }
}

/* Of the two sides of the comparison, the counter is the one that is state and changes. */
static bool find_goal(const hlo_instr *loop, hlo_iterations *iterations, loop_test *goal) {
    const hlo_instr *test = skip_copies(hlo_loop_condition(loop)->root);
    if (test->opcode != HLO_OP_COMPARE || !relation_of(test, &goal->relation)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_instr *counter = hlo_operand(test, i), *limit = hlo_operand(test, 1 - i);
        iterations->element = hlo_state_element(counter);
        if (iterations->element == HLO_NOT_STATE ||
            hlo_state_is_invariant(loop, iterations->element))
            continue;
        if (!hlo_loop_integer(loop, limit, &goal->limit)) continue;
        if (i) goal->relation = mirrored(goal->relation);
        return true;
    }
    return false;
}

/* counter + step or counter - step, or a chain of them, as unrolling leaves it. */
static bool find_step(const hlo_instr *loop, int64_t element, int64_t *step) {
    const hlo_instr *next = hlo_state_next(loop, element);
    *step = 0;
    while (next && hlo_state_element(next) != element) {
        int64_t by;
        next = skip_copies(next);
        bool subtracts = next->opcode == HLO_OP_SUBTRACT;
        if (!subtracts && next->opcode != HLO_OP_ADD) return false;
        const hlo_instr *a = hlo_operand(next, 0), *b = hlo_operand(next, 1);
        if (hlo_loop_integer(loop, b, &by)) next = a;
        else if (!subtracts && hlo_loop_integer(loop, a, &by)) next = b;
        else return false;
        if (subtracts ? __builtin_sub_overflow(*step, by, step)
                      : __builtin_add_overflow(*step, by, step))
            return false;
    }
    return next && *step != 0;
}

/* How often a counter moves by `step` before it is `limit` or more; -1: it moves away from there.
 */
static wide steps_to(wide start, wide limit, wide step) {
    if (start >= limit) return 0;
    return step > 0 ? (limit - start + step - 1) / step : -1;
}

/* -1: without end, or not before the counter wraps around. */
static wide iterations_until(const loop_test *goal, wide start, wide step) {
    wide limit = goal->limit;
    switch (goal->relation) {
    case SAME_AS: return start == limit;
    case OTHER_THAN: {
        wide way = limit - start;
        return way % step == 0 && way / step >= 0 ? way / step : -1;
    }
    case NOT_ABOVE: return steps_to(start, limit + 1, step);
    case BELOW: return steps_to(start, limit, step);
    case NOT_BELOW: return steps_to(-start, 1 - limit, -step);
    case ABOVE: return steps_to(-start, -limit, -step);
    }
    return -1;
}

static bool is_in_range(hlo_type type, wide value) {
    HLO_ASSERT(hlo_type_is_integral(type));
    unsigned bits = hlo_types[type].bits;
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    wide end = (wide)1 << (is_signed ? bits - 1 : bits);
    return value < end && value >= (is_signed ? -end : 0);
}

static bool has_canonical_form(const hlo_instr *loop) {
    const hlo_computation *body = hlo_loop_body(loop), *condition = hlo_loop_condition(loop);
    return body->root && condition->root && body->parameter_count == 1 &&
           condition->parameter_count == 1;
}

bool hlo_count_iterations(const hlo_instr *loop, hlo_iterations *iterations) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    loop_test goal;
    if (!has_canonical_form(loop) || !find_goal(loop, iterations, &goal)) return false;
    const hlo_instr *start = hlo_state_start(loop, iterations->element);
    if (!start || !scalar_integer(start, &iterations->init)) return false;
    if (!find_step(loop, iterations->element, &iterations->step)) return false;
    wide count = iterations_until(&goal, iterations->init, iterations->step);
    if (count < 0 || count > INT64_MAX) return false;
    wide end = iterations->init + count * iterations->step;
    if (!is_in_range((hlo_type)start->shape->type, end)) return false;
    iterations->count = (int64_t)count;
    return true;
}
