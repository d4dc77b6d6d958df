/* Machine code of one step of a cluster: see cluster_coder.h. Each lane function that is known has
 * the same bits in code; which of two NaNs a sum or a product gives is, as in the functions, not
 * specified. */
#include <math.h>
#include <string.h>

#include "eval/codegen/cluster/cluster_coder.h"

/* ---- operands ---- */

/* An operand, and the number that all of its lanes are, if that is known: else NaN. */
typedef struct {
    hlo_vector_operand at;
    float number;
} value;

static float number_of(const hlo_coder *c, uint32_t r) {
    float number = NAN;
    if (!hlo_coder_is_one(c, r) || c->defined[r] == UINT32_MAX) return number;
    const hlo_cluster_step *step = hlo_coder_step(c, c->defined[r]);
    bool is_constant = step->work == HLO_CLUSTER_SPREAD && step->constant && step->view.count == 1;
    if (is_constant && c->cluster->registers[r].type == HLO_F32)
        memcpy(&number, step->constant, sizeof number);
    return number;
}

static value value_of(hlo_coder *c, uint32_t r, bool is_last) {
    return (value){is_last ? hlo_coder_operand(c, r) : hlo_of_vector(hlo_coder_vector(c, r)),
                   number_of(c, r)};
}

static void put_two(hlo_coder *c, hlo_vector_op op, uint8_t to, uint8_t first,
                    hlo_vector_operand second) {
    hlo_put_vector(&c->code,
                   &(hlo_vector_instr){.op = op, .to = to, .first = first, .second = second});
}

static void put_how(hlo_coder *c, hlo_vector_op op, uint8_t to, uint8_t first,
                    hlo_vector_operand second, uint8_t how) {
    hlo_put_vector(&c->code, &(hlo_vector_instr){.op = op,
                                                 .to = to,
                                                 .first = first,
                                                 .second = second,
                                                 .has_immediate = true,
                                                 .immediate = how});
}

/* Lanes of `then` where the mask is set. */
static void put_choice(hlo_coder *c, uint8_t to, uint8_t mask, hlo_vector_operand then,
                       uint8_t otherwise) {
    if (!c->code.set->has_masks)
        put_how(c, HLO_VECTOR_BLEND, to, otherwise, then, (uint8_t)(mask << 4));
    else
        hlo_put_vector(&c->code, &(hlo_vector_instr){.op = HLO_VECTOR_CHOOSE,
                                                     .to = to,
                                                     .first = otherwise,
                                                     .second = then,
                                                     .mask = mask});
}

/* ---- comparisons ---- */

/* By the direction's number in words.def: as C compares. */
enum { EQUAL = 0, UNORDERED = 3, NOT_EQUAL = 4 };
static const uint8_t float_orders[] = {EQUAL, NOT_EQUAL, 0x0d, 0x0e, 0x02, 0x01};

/* Where masks are vectors: integers are compared for equality alone, with the greater or the less
 * of the two first; then all bits may have to change. */
typedef struct {
    uint8_t order; /* where masks are registers */
    enum { OF_FIRST, OF_GREATER, OF_LESS } of;
    bool changes;
} integer_order;
static const integer_order integer_orders[] = {
    {0, OF_FIRST, false}, {4, OF_FIRST, true}, {5, OF_GREATER, false},
    {6, OF_LESS, true},   {2, OF_LESS, false}, {1, OF_GREATER, true},
};

static void put_integer_order(hlo_coder *c, const integer_order *order, hlo_type type, uint8_t to,
                              uint8_t first, hlo_vector_operand second) {
    static const hlo_vector_op of_two[][2] = {
        [OF_GREATER] = {HLO_VECTOR_MAX_U32, HLO_VECTOR_MAX_S32},
        [OF_LESS] = {HLO_VECTOR_MIN_U32, HLO_VECTOR_MIN_S32},
    };
    if (order->of == OF_FIRST) put_two(c, HLO_VECTOR_EQUAL_S32, to, first, second);
    else {
        put_two(c, of_two[order->of][type == HLO_S32], to, first, second);
        put_two(c, HLO_VECTOR_EQUAL_S32, to, to, hlo_of_vector(first));
    }
    if (order->changes) put_two(c, HLO_VECTOR_XOR, to, to, hlo_coder_kept(c, HLO_CODE_ALL));
}

static void put_compare(hlo_coder *c, const hlo_code_row *row, const hlo_cluster_step *step,
                        uint8_t to) {
    uint8_t first = hlo_coder_vector(c, step->in[0]);
    hlo_vector_operand second = hlo_coder_operand(c, step->in[1]);
    const integer_order *order = &integer_orders[step->lanes.direction];
    if (row->from == HLO_F32)
        put_how(c, row->op, to, first, second, float_orders[step->lanes.direction]);
    else if (c->code.set->has_masks) put_how(c, row->op, to, first, second, order->order);
    else put_integer_order(c, order, row->from, to, first, second);
}

/* ---- the greater and the less of floats ---- */

static void put_fix(hlo_coder *c, uint8_t to, value from) {
    if (!isnan(from.number)) return;
    put_how(c, HLO_VECTOR_FIX, to, from.at.number, hlo_coder_kept(c, HLO_CODE_NANS), 0);
}

/* RANGE distinguishes zeros; NaNs are inserted after it, the first operand's last. */
static void put_range(hlo_coder *c, hlo_vector_op op, uint8_t to, value a, value b) {
    enum { BY_SIGNS = 4 };
    uint8_t how = BY_SIGNS | (op == HLO_VECTOR_MAXIMUM);
    put_how(c, HLO_VECTOR_RANGE, to, a.at.number, b.at, how);
    put_fix(c, to, b);
    put_fix(c, to, a);
}

/* Equal numbers differ in the signs of zeros alone, of which the greater one has none. */
static void put_zeros(hlo_coder *c, hlo_vector_op op, uint8_t to, value a, value b, uint8_t spare) {
    bool is_greater = op == HLO_VECTOR_MAXIMUM;
    put_how(c, HLO_VECTOR_COMPARE, spare, a.at.number, b.at, is_greater ? NOT_EQUAL : EQUAL);
    put_two(c, is_greater ? HLO_VECTOR_OR : HLO_VECTOR_AND, spare, spare, a.at);
    put_two(c, is_greater ? HLO_VECTOR_AND : HLO_VECTOR_OR, to, to, hlo_of_vector(spare));
}

/* Of a number that is known the sign is the one that the instruction should give of two zeros. */
static void put_by_parts(hlo_coder *c, hlo_vector_op op, uint8_t to, value a, value b) {
    uint8_t spare = hlo_coder_take(c);
    if (!isnan(a.number)) {
        value known = a;
        a = b;
        b = known;
    }
    put_two(c, op, to, a.at.number, b.at);
    if (isnan(b.number)) put_zeros(c, op, to, a, b, spare);
    put_how(c, HLO_VECTOR_COMPARE, spare, a.at.number, a.at, UNORDERED);
    put_choice(c, to, spare, a.at, to);
    hlo_coder_give_back(c, spare);
}

/* Whether the instruction gives what it should of the number and then any other one: of zeros it
 * gives the other one. */
static bool is_right_first(hlo_vector_op op, float number) {
    return !isnan(number) && (number != 0 || (bool)signbit(number) == (op == HLO_VECTOR_MAXIMUM));
}

/* Of a NaN, or of zeros, the processor's maximum is its second operand. */
static void put_extreme(hlo_coder *c, hlo_vector_op op, uint8_t to, value a, value b) {
    if (is_right_first(op, a.number)) put_two(c, op, to, a.at.number, b.at);
    else if (is_right_first(op, b.number)) put_two(c, op, to, b.at.number, a.at);
    else if (c->code.set->has_masks) put_range(c, op, to, a, b);
    else put_by_parts(c, op, to, a, b);
}

static void put_clamp(hlo_coder *c, const hlo_cluster_step *step, uint8_t to) {
    uint8_t least = hlo_coder_take(c);
    value low = value_of(c, step->in[0], false), of = value_of(c, step->in[1], false);
    put_extreme(c, HLO_VECTOR_MAXIMUM, least, low, of);
    put_extreme(c, HLO_VECTOR_MINIMUM, to, (value){hlo_of_vector(least), NAN},
                value_of(c, step->in[2], false));
    hlo_coder_give_back(c, least);
}

/* ---- other operations ---- */

static void put_binary(hlo_coder *c, const hlo_code_row *row, uint8_t to, value a, value b) {
    if (row->manner == HLO_CODE_EXTREME) put_extreme(c, row->op, to, a, b);
    else put_two(c, row->op, to, a.at.number, b.at);
}

/* Whether the last operand may be memory. */
static bool takes_memory(const hlo_code_row *row) {
    return row->manner == HLO_CODE_TWO;
}

static void put_mask(hlo_coder *c, const hlo_code_row *row, const hlo_cluster_step *step,
                     uint8_t to) {
    uint8_t first = c->vector[step->in[0]];
    uint8_t second = step->arity == 2 ? c->vector[step->in[1]] : 0;
    if (!c->code.set->has_masks)
        put_two(c, row->op, to, first,
                step->arity == 2 ? hlo_of_vector(second) : hlo_coder_kept(c, row->bits));
    else if (row->manner == HLO_CODE_MASK_NOT) hlo_put_mask_not(&c->code, to, first);
    else if (row->manner == HLO_CODE_MASK_AND) hlo_put_mask_and(&c->code, to, first, second);
    else hlo_put_mask_or(&c->code, to, first, second);
}

static void put_select(hlo_coder *c, const hlo_cluster_step *step, uint8_t to) {
    uint8_t otherwise = hlo_coder_vector(c, step->in[2]);
    put_choice(c, to, c->vector[step->in[0]], hlo_coder_operand(c, step->in[1]), otherwise);
}

static void put_inverse(hlo_coder *c, const hlo_code_row *row, const hlo_cluster_step *step,
                        uint8_t to) {
    put_two(c, HLO_VECTOR_ROOT, to, 0, hlo_coder_operand(c, step->in[0]));
    put_two(c, row->op, to, hlo_coder_kept(c, row->bits).number, hlo_of_vector(to));
}

static void put_number(hlo_coder *c, const hlo_code_row *row, const hlo_cluster_step *step,
                       uint8_t to) {
    uint8_t mask = c->vector[step->in[0]];
    hlo_vector_operand one = hlo_coder_kept(c, row->bits);
    if (!c->code.set->has_masks) put_two(c, row->op, to, mask, one);
    else
        hlo_put_vector(
            &c->code,
            &(hlo_vector_instr){
                .op = HLO_VECTOR_MOVE, .to = to, .second = one, .mask = mask, .zeroes = true});
}

/* ---- steps ---- */

/* Two instructions that were joined. */
static void put_pair(hlo_coder *c, const hlo_code_row *first, const hlo_code_row *second,
                     const hlo_cluster_step *step, uint8_t to) {
    uint8_t between = hlo_coder_take(c);
    value a = value_of(c, step->in[0], false);
    put_binary(c, first, between, a, value_of(c, step->in[1], takes_memory(first)));
    value of = {hlo_of_vector(between), NAN};
    if (step->joined == HLO_LANES_SQUARE) put_binary(c, second, to, of, of);
    else if (step->joined == 0)
        put_binary(c, second, to, of, value_of(c, step->in[2], takes_memory(second)));
    else put_binary(c, second, to, value_of(c, step->in[2], false), of);
    hlo_coder_give_back(c, between);
}

static void put_single(hlo_coder *c, const hlo_code_row *row, const hlo_cluster_step *step,
                       uint8_t to) {
    value a;
    switch (row->manner) {
    case HLO_CODE_TWO:
    case HLO_CODE_EXTREME:
        a = value_of(c, step->in[0], false);
        put_binary(c, row, to, a, value_of(c, step->in[1], takes_memory(row)));
        break;
    case HLO_CODE_ONE: put_two(c, row->op, to, 0, hlo_coder_operand(c, step->in[0])); break;
    case HLO_CODE_BITS:
        put_two(c, row->op, to, hlo_coder_kept(c, row->bits).number,
                hlo_coder_operand(c, step->in[0]));
        break;
    case HLO_CODE_CLAMP: put_clamp(c, step, to); break;
    case HLO_CODE_INVERSE: put_inverse(c, row, step, to); break;
    case HLO_CODE_SAME:
        put_two(c, row->op, to, 0, hlo_of_vector(hlo_coder_vector(c, step->in[0])));
        break;
    case HLO_CODE_COMPARE: put_compare(c, row, step, to); break;
    case HLO_CODE_SELECT: put_select(c, step, to); break;
    case HLO_CODE_NUMBER: put_number(c, row, step, to); break;
    case HLO_CODE_MASK_AND:
    case HLO_CODE_MASK_OR:
    case HLO_CODE_MASK_NOT: put_mask(c, row, step, to); break;
    }
}

bool hlo_coder_supports(const hlo_cluster_step *step) {
    const hlo_code_row *second = step->parts[1] ? hlo_code_row_of(step->parts[1]) : NULL;
    if (!hlo_code_row_of(step->parts[0])) return false;
    return !step->parts[1] || (second && second->manner <= HLO_CODE_EXTREME);
}

void hlo_coder_put_step(hlo_coder *c, uint32_t s) {
    const hlo_cluster_step *step = hlo_coder_step(c, s);
    const hlo_code_row *row = hlo_code_row_of(step->parts[0]);
    c->at = s;
    uint8_t to = hlo_coder_is_mask(c, step->out) ? hlo_coder_take_mask(c) : hlo_coder_take(c);
    if (step->parts[1]) put_pair(c, row, hlo_code_row_of(step->parts[1]), step, to);
    else put_single(c, row, step, to);
    hlo_coder_end_step(c, to);
}
