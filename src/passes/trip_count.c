/* Trip counts by looking at the counter: see trip_count.h. */
#include "passes/trip_count.h"

#include "passes/match.h"

/* Copies do not change a counter. */
static const hlo_instr *plain(const hlo_instr *instr) {
    while (instr->opcode == HLO_OP_COPY) instr = hlo_operand(instr, 0);
    return instr;
}

/* Which element of the state the value is; -1: none. A state that is no tuple is element 0. */
static int64_t element_of_state(const hlo_instr *instr) {
    instr = plain(instr);
    if (instr->opcode == HLO_OP_PARAMETER) return hlo_shape_is_tuple(instr->shape) ? -1 : 0;
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT) return -1;
    if (hlo_operand(instr, 0)->opcode != HLO_OP_PARAMETER) return -1;
    return hlo_attr_int(instr, HLO_ATTR_INDEX);
}

/* What stands in the place of an element of a tuple, or NULL. */
static const hlo_instr *element(const hlo_instr *tuple, int64_t index) {
    if (!hlo_shape_is_tuple(tuple->shape)) return index == 0 ? plain(tuple) : NULL;
    if (tuple->opcode != HLO_OP_TUPLE || index >= tuple->operand_count) return NULL;
    return plain(hlo_operand(tuple, (uint32_t)index));
}

static bool scalar_integer(const hlo_instr *instr, int64_t *value) {
    instr = plain(instr);
    return instr->shape->rank == 0 && hlo_type_is_integral((hlo_type)instr->shape->type) &&
           hlo_integer_of(instr, value);
}

static bool find_step(const hlo_instr *next, int64_t counter, int64_t *step) {
    if (next->opcode != HLO_OP_ADD && next->opcode != HLO_OP_SUBTRACT) return false;
    const hlo_instr *a = hlo_operand(next, 0), *b = hlo_operand(next, 1);
    if (element_of_state(a) == counter && scalar_integer(b, step))
        return next->opcode == HLO_OP_ADD || !__builtin_sub_overflow((int64_t)0, *step, step);
    return next->opcode == HLO_OP_ADD && element_of_state(b) == counter && scalar_integer(a, step);
}

/* The direction with the counter on the left side. */
static const char *mirrored(const char *direction) {
    static const char *const pairs[][2] = {{"LT", "GT"}, {"GT", "LT"}, {"LE", "GE"}, {"GE", "LE"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(direction, pairs[i][0]) == 0) return pairs[i][1];
    return direction;
}

static bool fits_type(hlo_type type, int64_t value) {
    unsigned bits = hlo_types[type].bits;
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    if (bits == 64) return is_signed || value >= 0;
    int64_t most = ((int64_t)1 << (bits - is_signed)) - 1;
    return value <= most && value >= (is_signed ? -most - 1 : 0);
}

/* Smallest n >= 0 with init + n * step no longer on the near side of the limit (LT, GT). */
static bool steps_until(int64_t init, int64_t step, int64_t limit, int64_t *n) {
    int64_t distance, up;
    if (__builtin_sub_overflow(limit, init, &distance)) return false;
    if (distance == 0 || (distance > 0) != (step > 0)) {
        *n = 0;
        return true;
    }
    if (distance == INT64_MIN || step == INT64_MIN) return false;
    distance = distance < 0 ? -distance : distance;
    up = step < 0 ? -step : step;
    *n = distance / up + (distance % up != 0);
    return true;
}

/* `direction` with the counter on the left of `limit`. */
static bool count_trips(const char *direction, int64_t limit, hlo_trips *t) {
    bool less = strcmp(direction, "LT") == 0 || strcmp(direction, "LE") == 0;
    bool more = strcmp(direction, "GT") == 0 || strcmp(direction, "GE") == 0;
    bool holds = less ? t->init < limit : more ? t->init > limit : t->init != limit;
    holds |= direction[1] == 'E' && direction[0] != 'N' && t->init == limit;
    if (!less && !more && strcmp(direction, "NE") != 0) return false;
    t->count = 0;
    if (!holds) return true;
    if (t->step == 0 || (less && t->step < 0) || (more && t->step > 0)) return false;
    if (less || more) {
        bool with_limit = direction[1] == 'E';
        if (with_limit && __builtin_add_overflow(limit, less ? 1 : -1, &limit)) return false;
        return steps_until(t->init, t->step, limit, &t->count);
    }
    int64_t distance;
    if (__builtin_sub_overflow(limit, t->init, &distance) || distance % t->step) return false;
    t->count = distance / t->step;
    return t->count > 0;
}

bool hlo_find_trips(const hlo_instr *loop, hlo_trips *t) {
    const hlo_computation *body = hlo_called(loop, 0), *condition = hlo_called(loop, 1);
    if (loop->opcode != HLO_OP_WHILE || !body || !condition) return false;
    const hlo_instr *compare = condition->root;
    if (compare->opcode != HLO_OP_COMPARE) return false;
    const char *direction =
        hlo_word_text(HLO_WORDS_DIRECTION, hlo_attr_int(compare, HLO_ATTR_DIRECTION));
    int64_t limit, last;
    t->element = element_of_state(hlo_operand(compare, 0));
    const hlo_instr *bound = hlo_operand(compare, 1);
    if (t->element < 0) {
        t->element = element_of_state(hlo_operand(compare, 1));
        bound = hlo_operand(compare, 0);
        direction = mirrored(direction);
    }
    if (t->element < 0 || !scalar_integer(bound, &limit)) return false;
    const hlo_instr *start = element(hlo_operand(loop, 0), t->element);
    const hlo_instr *next = element(body->root, t->element);
    if (!start || !next || !scalar_integer(start, &t->init)) return false;
    if (!find_step(next, t->element, &t->step) || !count_trips(direction, limit, t)) return false;
    /* The counter must not wrap around on its way. */
    return !__builtin_mul_overflow(t->count, t->step, &last) &&
           !__builtin_add_overflow(last, t->init, &last) &&
           fits_type((hlo_type)start->shape->type, last);
}
