/* Recognising reductions to an extreme element: see extreme_rule.h. A computation that only
 * compares values with values, positions with positions, and selects by that, is known by what it
 * selects in each of the few cases that there are. */
#include "eval/kernels/reduce/extreme_rule.h"

#include "analysis/match.h"
#include "eval/kernel/words.h"

/* Above so many looks at instructions a computation is not worth more. */
enum { MOST_VISITS = 1024 };

/* Parameters of the computation. */
enum { VALUE, POSITION, NEXT_VALUE, NEXT_POSITION, PARAMETERS };

typedef struct {
    hlo_relation values, positions;
    uint32_t visits;
} situation;

typedef struct {
    enum { UNKNOWN, TRUTH, PARAMETER } kind;
    int64_t is; /* true, or the parameter's number */
} finding;

static finding evaluate(situation *s, const hlo_instr *e);

/* How parameter a relates to parameter b, both values or both positions. */
static hlo_relation relate(const situation *s, int64_t a, int64_t b) {
    static const hlo_relation turned[] = {
        [HLO_LESS] = HLO_GREATER, [HLO_EQUAL] = HLO_EQUAL, [HLO_GREATER] = HLO_LESS};
    hlo_relation r = a % 2 == VALUE ? s->values : s->positions;
    if (a == b) {
        bool is_nan = r == HLO_NAN_BOTH || r == (a == VALUE ? HLO_NAN_FIRST : HLO_NAN_SECOND);
        return is_nan ? HLO_NAN_BOTH : HLO_EQUAL;
    }
    return r <= HLO_GREATER && a > b ? turned[r] : r;
}

/* Whether a comparison in some direction holds. */
static bool holds(const hlo_instr *compare, hlo_relation r) {
    HLO_ASSERT(compare->opcode == HLO_OP_COMPARE);
    static const struct {
        const char *direction;
        bool holds[3];
    } rows[] = {{"LT", {true, false, false}},
                {"LE", {true, true, false}},
                {"EQ", {false, true, false}},
                {"GE", {false, true, true}},
                {"GT", {false, false, true}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hlo_attr_is(compare, HLO_ATTR_DIRECTION, rows[i].direction))
            return r <= HLO_GREATER && rows[i].holds[r];
    return r != HLO_EQUAL; /* NE */
}

static finding evaluate_compare(const hlo_instr *e, const situation *s, finding a, finding b) {
    bool is_total = hlo_attr_is(e, HLO_ATTR_TYPE, "TOTALORDER") && hlo_is_real(hlo_operand(e, 0));
    if (a.kind != PARAMETER || b.kind != PARAMETER || a.is % 2 != b.is % 2 || is_total)
        return (finding){UNKNOWN, 0};
    return (finding){TRUTH, holds(e, relate(s, a.is, b.is))};
}

/* The lesser or greater of two positions. */
static finding evaluate_extreme(const hlo_instr *e, const situation *s, finding a, finding b) {
    if (a.kind != PARAMETER || b.kind != PARAMETER || a.is % 2 != POSITION || b.is % 2 != POSITION)
        return (finding){UNKNOWN, 0};
    hlo_relation better = e->opcode == HLO_OP_MINIMUM ? HLO_LESS : HLO_GREATER;
    return relate(s, a.is, b.is) == better ? a : b;
}

static finding evaluate_logic(const hlo_instr *e, finding a, finding b) {
    if (a.kind != TRUTH || b.kind != TRUTH) return (finding){UNKNOWN, 0};
    switch (e->opcode) {
    case HLO_OP_AND: return (finding){TRUTH, a.is && b.is};
    case HLO_OP_OR: return (finding){TRUTH, a.is || b.is};
    default: return (finding){TRUTH, a.is != b.is};
    }
}

static finding evaluate_binary(situation *s, const hlo_instr *e) {
    finding a = evaluate(s, hlo_operand(e, 0)), b = evaluate(s, hlo_operand(e, 1));
    switch (e->opcode) {
    case HLO_OP_COMPARE: return evaluate_compare(e, s, a, b);
    case HLO_OP_MINIMUM:
    case HLO_OP_MAXIMUM: return evaluate_extreme(e, s, a, b);
    default: return evaluate_logic(e, a, b);
    }
}

static finding evaluate(situation *s, const hlo_instr *e) {
    finding a;
    if (++s->visits > MOST_VISITS) return (finding){UNKNOWN, 0};
    switch (e->opcode) {
    case HLO_OP_PARAMETER: return (finding){PARAMETER, hlo_attr_int(e, HLO_ATTR_PARAMETER_NUMBER)};
    case HLO_OP_NOT:
        a = evaluate(s, hlo_operand(e, 0));
        return a.kind == TRUTH ? (finding){TRUTH, !a.is} : (finding){UNKNOWN, 0};
    case HLO_OP_SELECT:
        a = evaluate(s, hlo_operand(e, 0));
        if (a.kind != TRUTH) return (finding){UNKNOWN, 0};
        return evaluate(s, hlo_operand(e, a.is ? 1 : 2));
    case HLO_OP_COMPARE:
    case HLO_OP_MINIMUM:
    case HLO_OP_MAXIMUM:
    case HLO_OP_AND:
    case HLO_OP_OR:
    case HLO_OP_XOR: return evaluate_binary(s, e);
    default: return (finding){UNKNOWN, 0};
    }
}

/* ---- what is kept ---- */

/* Fills the table; false when the computation does something else. */
static bool find_taken(const hlo_computation *computation, hlo_extreme_rule *rule) {
    const hlo_instr *root = computation->root;
    if (root->opcode != HLO_OP_TUPLE || root->operand_count != 2) return false;
    for (int v = 0; v < HLO_RELATIONS; v++)
        for (int p = 0; p <= HLO_GREATER; p++) {
            situation s = {(hlo_relation)v, (hlo_relation)p, 0};
            finding value = evaluate(&s, hlo_operand(root, 0));
            finding position = evaluate(&s, hlo_operand(root, 1));
            if (value.kind != PARAMETER || value.is % 2 != VALUE || position.kind != PARAMETER ||
                position.is % 2 != POSITION)
                return false;
            rule->taken[v][p] = (hlo_taken){value.is == NEXT_VALUE, position.is == NEXT_POSITION};
        }
    return true;
}

/* Whether value and position of the element are taken, or neither is, wherever it lies. */
static bool takes_both(const hlo_extreme_rule *rule, hlo_relation values, bool takes) {
    for (int p = 0; p <= HLO_GREATER; p++)
        if (rule->taken[values][p].value != takes || rule->taken[values][p].position != takes)
            return false;
    return true;
}

/* Elements come in the order of their positions, but the accumulator's initial position may be any.
 * Value and position stay together when the value of each element is taken (of none is), as its
 * position is, or when both are always taken together; not, though, of the element at the initial
 * position alone, or of all but that. */
static bool splits_ties(const hlo_extreme_rule *rule) {
    const hlo_taken *tie = rule->taken[HLO_EQUAL];
    bool is_one_way = true;
    bool is_joint = tie[HLO_EQUAL].value == tie[HLO_LESS].value ||
                    tie[HLO_EQUAL].value == tie[HLO_GREATER].value;
    for (int p = 0; p <= HLO_GREATER; p++) {
        is_one_way &= tie[p].value == rule->last;
        is_joint &= tie[p].value == tie[p].position;
    }
    return !is_one_way && !is_joint;
}

static bool classify(hlo_extreme_rule *rule) {
    rule->greatest = takes_both(rule, HLO_LESS, true) && takes_both(rule, HLO_GREATER, false);
    rule->last = rule->taken[HLO_EQUAL][HLO_LESS].position;
    rule->splits_ties = splits_ties(rule);
    rule->takes_nan = takes_both(rule, HLO_NAN_FIRST, false) &&
                      takes_both(rule, HLO_NAN_SECOND, true) &&
                      takes_both(rule, HLO_NAN_BOTH, false) && !rule->last;
    return rule->greatest ||
           (takes_both(rule, HLO_LESS, false) && takes_both(rule, HLO_GREATER, true));
}

/* ---- the operands ---- */

/* Whether the elements are their positions along the dimension, which has `size` of them. */
static bool is_iota_along(const hlo_instr *positions, int64_t dimension, int64_t size) {
    const hlo_type_info *type = &hlo_types[positions->shape->type];
    unsigned bits = type->bits - (type->class == HLO_CLASS_SIGNED);
    if (!hlo_is_integral(positions) || (bits < 63 && size > INT64_C(1) << bits)) return false;
    if (positions->opcode == HLO_OP_BROADCAST) {
        const hlo_ints *places = hlo_attr_ints(positions, HLO_ATTR_DIMENSIONS);
        int64_t from = 0;
        while (from < places->n && places->v[from] != dimension) from++;
        if (from == places->n) return false;
        positions = hlo_operand(positions, 0);
        dimension = from;
    }
    return positions->opcode == HLO_OP_IOTA &&
           hlo_attr_int(positions, HLO_ATTR_IOTA_DIMENSION) == dimension;
}

/* Whether operands, computation and results have one type for values and one for positions. */
static bool has_types(const hlo_instr *reduce, const hlo_computation *computation) {
    if (computation->parameter_count != PARAMETERS || !hlo_shape_is_tuple(reduce->shape))
        return false;
    for (uint32_t i = 0; i < PARAMETERS; i++) {
        hlo_type type = (hlo_type)hlo_operand(reduce, i % 2)->shape->type;
        if (computation->parameters[i]->shape->type != type ||
            hlo_operand(reduce, i)->shape->type != type ||
            reduce->shape->elements[i % 2]->type != type)
            return false;
    }
    hlo_type type = (hlo_type)hlo_operand(reduce, 0)->shape->type;
    return type == HLO_PRED || hlo_type_is_integral(type) || hlo_type_is_float(type);
}

/* Places of elements are kept in 32 bits. */
bool hlo_find_extreme(const hlo_instr *reduce, hlo_extreme_rule *rule) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    const hlo_ints *dimensions = hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS);
    if (reduce->operand_count != PARAMETERS || dimensions->n != 1) return false;
    const hlo_computation *computation = hlo_called(reduce, 0);
    *rule = (hlo_extreme_rule){.dimension = (uint32_t)dimensions->v[0]};
    int64_t size = hlo_operand(reduce, 0)->shape->dims[rule->dimension];
    return size <= UINT32_MAX && has_types(reduce, computation) &&
           is_iota_along(hlo_operand(reduce, 1), dimensions->v[0], size) &&
           find_taken(computation, rule) && classify(rule);
}
