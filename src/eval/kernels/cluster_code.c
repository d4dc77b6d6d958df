/* Code of a cluster's steps: see cluster_code.h. Each lane function that is known here has the same
 * bits in code; which of two NaNs a sum or a product gives is, as in the functions, not specified.
 */
#include "eval/kernels/cluster_code.h"

#include <math.h>
#include <string.h>

#include "eval/jit/vectors.h"

/* ---- lane functions ---- */

typedef enum {
    OF_TWO,     /* one instruction with two operands */
    OF_ONE,     /* with one */
    OF_BITS,    /* with one, and bits that are the same for all */
    OF_EXTREME, /* maximum and minimum */
    OF_CLAMP,   /* these */
    OF_INVERSE, /* one divided by the root */
    OF_SAME,    /* the same bits */
    OF_COMPARE, /* gives a mask, which others read: */
    OF_SELECT,
    OF_NUMBER, /* 0 or 1 */
    OF_MASK_AND,
    OF_MASK_OR,
    OF_MASK_NOT
} manner;

/* Bits in all lanes of a vector that the code keeps for them. */
enum { SIGN, MAGNITUDE, ONE, ONE_S32, NANS, KEPT, FIRST_KEPT = HLO_VECTORS - KEPT };
static const uint32_t kept_bits[KEPT] = {
    [SIGN] = 0x80000000, [MAGNITUDE] = 0x7fffffff, [ONE] = 0x3f800000, [ONE_S32] = 1,
    [NANS] = 0x11, /* FIX: NaNs are replaced, all else stays */
};

typedef struct {
    hlo_opcode opcode;
    hlo_type type;
    manner manner;
    hlo_vector_op op;
    uint32_t kept; /* OF_BITS */
} known;

static const known of_floats[] = {
    {HLO_OP_ADD, HLO_F32, OF_TWO, HLO_VECTOR_ADD, 0},
    {HLO_OP_SUBTRACT, HLO_F32, OF_TWO, HLO_VECTOR_SUBTRACT, 0},
    {HLO_OP_MULTIPLY, HLO_F32, OF_TWO, HLO_VECTOR_MULTIPLY, 0},
    {HLO_OP_DIVIDE, HLO_F32, OF_TWO, HLO_VECTOR_DIVIDE, 0},
    {HLO_OP_MAXIMUM, HLO_F32, OF_EXTREME, HLO_VECTOR_MAXIMUM, 0},
    {HLO_OP_MINIMUM, HLO_F32, OF_EXTREME, HLO_VECTOR_MINIMUM, 0},
    {HLO_OP_SQRT, HLO_F32, OF_ONE, HLO_VECTOR_ROOT, 0},
    {HLO_OP_ABS, HLO_F32, OF_BITS, HLO_VECTOR_AND, MAGNITUDE},
    {HLO_OP_NEGATE, HLO_F32, OF_BITS, HLO_VECTOR_XOR, SIGN},
    {HLO_OP_RSQRT, HLO_F32, OF_INVERSE, HLO_VECTOR_DIVIDE, 0},
    {HLO_OP_CLAMP, HLO_F32, OF_CLAMP, HLO_VECTOR_MAXIMUM, 0},
};

#define OF_INTEGERS(opcode, op)                               \
    {HLO_OP_##opcode, HLO_S32, OF_TWO, HLO_VECTOR_##op, 0}, { \
        HLO_OP_##opcode, HLO_U32, OF_TWO, HLO_VECTOR_##op, 0  \
    }
static const known of_integers[] = {
    OF_INTEGERS(ADD, ADD_S32),
    OF_INTEGERS(SUBTRACT, SUB_S32),
    OF_INTEGERS(MULTIPLY, MUL_S32),
    OF_INTEGERS(AND, AND),
    OF_INTEGERS(OR, OR),
    OF_INTEGERS(XOR, XOR),
    OF_INTEGERS(SHIFT_LEFT, SHIFT_LEFT),
    OF_INTEGERS(SHIFT_RIGHT_LOGICAL, SHIFT_RIGHT),
    OF_INTEGERS(SHIFT_RIGHT_ARITHMETIC, SHIFT_RIGHT_SIGNED),
    {HLO_OP_MAXIMUM, HLO_S32, OF_TWO, HLO_VECTOR_MAX_S32, 0},
    {HLO_OP_MINIMUM, HLO_S32, OF_TWO, HLO_VECTOR_MIN_S32, 0},
    {HLO_OP_MAXIMUM, HLO_U32, OF_TWO, HLO_VECTOR_MAX_U32, 0},
    {HLO_OP_MINIMUM, HLO_U32, OF_TWO, HLO_VECTOR_MIN_U32, 0},
    {HLO_OP_AND, HLO_PRED, OF_MASK_AND, HLO_VECTOR_AND, 0},
    {HLO_OP_OR, HLO_PRED, OF_MASK_OR, HLO_VECTOR_OR, 0},
    {HLO_OP_NOT, HLO_PRED, OF_MASK_NOT, HLO_VECTOR_XOR, 0},
};
#undef OF_INTEGERS

static const known of_order[] = {
    {HLO_OP_COMPARE, HLO_F32, OF_COMPARE, HLO_VECTOR_COMPARE, 0},
    {HLO_OP_COMPARE, HLO_S32, OF_COMPARE, HLO_VECTOR_CMP_S32, 0},
    {HLO_OP_COMPARE, HLO_U32, OF_COMPARE, HLO_VECTOR_CMP_U32, 0},
};
static const known a_choice = {HLO_OP_SELECT, HLO_F32, OF_SELECT, HLO_VECTOR_BLEND, 0};
static const known a_number = {HLO_OP_CONVERT, HLO_S32, OF_NUMBER, HLO_VECTOR_MOVE, 0};
static const known a_float = {HLO_OP_CONVERT, HLO_F32, OF_ONE, HLO_VECTOR_FLOAT_OF_S32, 0};
static const known the_same = {HLO_OP_BITCAST_CONVERT, HLO_F32, OF_SAME, HLO_VECTOR_LOAD, 0};

/* Predicates by the direction's number in words.def: as C compares. */
static const uint8_t of_float_order[] = {0x00, 0x04, 0x0d, 0x0e, 0x02, 0x01};
static const uint8_t of_integer_order[] = {0, 4, 5, 6, 2, 1};
enum { DIRECTIONS = sizeof of_float_order };

static const known *find_order(hlo_lanes_fn *run, int64_t *direction) {
    for (size_t i = 0; i < sizeof of_order / sizeof *of_order; i++)
        for (*direction = 0; *direction < DIRECTIONS; ++*direction)
            if (run == hlo_lanes_compare(*direction, false, of_order[i].type)) return &of_order[i];
    return NULL;
}

static const known *find_known(hlo_lanes_fn *run) {
    for (size_t i = 0; i < sizeof of_floats / sizeof *of_floats; i++)
        if (run == hlo_lanes_float(of_floats[i].opcode, of_floats[i].type)) return &of_floats[i];
    for (size_t i = 0; i < sizeof of_integers / sizeof *of_integers; i++)
        if (run == hlo_lanes_integer(of_integers[i].opcode, of_integers[i].type))
            return &of_integers[i];
    if (run == hlo_lanes_select(HLO_F32)) return &a_choice;
    if (run == hlo_lanes_convert(HLO_PRED, HLO_S32)) return &a_number;
    if (run == hlo_lanes_convert(HLO_S32, HLO_F32)) return &a_float;
    if (run == hlo_lanes_bitcast_convert(HLO_F32, HLO_S32)) return &the_same;
    int64_t direction;
    return find_order(run, &direction);
}

/* ---- steps ---- */

enum { NOWHERE = UINT8_MAX, FEWEST_STEPS = 3 };
enum { FIRST_POINTER = R8, POINTERS = 4 };
static const uint32_t all_vectors = (1u << FIRST_KEPT) - 1;
static const uint32_t all_masks = ((1u << HLO_VECTOR_MASKS) - 1) & ~1u;

/* Of each register: the vector or mask that has it; the last of the steps that reads it; whether
 * others read it. What is the same for all lanes may be `held` in a vector through all iterations.
 */
typedef struct {
    hlo_cluster *cluster;
    hlo_assembler *a;
    uint32_t *defined, *last;
    bool *is_wanted, *is_held;
    uint8_t *vector, *pointer;
    uint32_t first, end;
    uint32_t free, masks, fewest_free;
    uint32_t kept;          /* which bits the code needs */
    uint32_t pointer_count; /* in registers */
    uint8_t tail;           /* mask of memory */
    bool is_full;           /* there were too few vectors */
} coder;

static const hlo_cluster_step *step_at(const coder *c, uint32_t s) {
    return &c->cluster->steps[s];
}

static bool is_mask(const coder *c, uint32_t r) {
    return c->cluster->registers[r].type == HLO_PRED;
}

static bool is_one(const coder *c, uint32_t r) {
    const hlo_cluster_register *reg = &c->cluster->registers[r];
    return reg->grain == HLO_OF_ONE || reg->place == HLO_IN_ROWS;
}

/* ---- which steps ---- */

static bool has_known_parts(const hlo_cluster_step *step) {
    const known *second = step->parts[1] ? find_known(step->parts[1]) : NULL;
    if (!find_known(step->parts[0])) return false;
    return !step->parts[1] || (second && second->manner <= OF_EXTREME);
}

/* Elements in memory are of 32 bits; predicates are masks, which the same code has made. */
static bool is_codable(const coder *c, uint32_t s) {
    const hlo_cluster_step *step = step_at(c, s);
    if (step->work != HLO_CLUSTER_LANES || step->grain != HLO_OF_TILE || !has_known_parts(step))
        return false;
    for (uint32_t i = 0; i <= step->arity; i++) {
        uint32_t r = i < step->arity ? step->in[i] : step->out;
        bool is_made = i == step->arity || (c->defined[r] >= c->first && c->defined[r] < s);
        if (is_mask(c, r) ? !is_made : hlo_types[c->cluster->registers[r].type].bytes != 4)
            return false;
    }
    return true;
}

static void note_reads(coder *c) {
    const hlo_cluster *cluster = c->cluster;
    for (uint32_t r = 0; r < cluster->register_count; r++) {
        c->last[r] = 0;
        c->is_wanted[r] = false;
    }
    for (uint32_t s = 0; s < cluster->step_count; s++)
        for (uint32_t i = 0; i < cluster->steps[s].arity; i++) {
            if (s >= c->first && s < c->end) c->last[cluster->steps[s].in[i]] = s;
            else c->is_wanted[cluster->steps[s].in[i]] = true;
        }
    for (uint32_t i = 0; i < cluster->result_count; i++)
        c->is_wanted[cluster->results[i].reg] = true;
}

/* The first step whose predicate others than the steps read, or their end. */
static uint32_t find_escape(const coder *c) {
    for (uint32_t s = c->first; s < c->end; s++) {
        uint32_t out = step_at(c, s)->out;
        if (is_mask(c, out) && c->is_wanted[out]) return s;
    }
    return c->end;
}

static void find_run(coder *c, uint32_t first, uint32_t limit) {
    c->first = first;
    for (c->end = first; c->end < limit && is_codable(c, c->end);) c->end++;
    for (uint32_t end = UINT32_MAX; end != c->end;) {
        note_reads(c);
        end = c->end;
        c->end = find_escape(c);
    }
}

/* ---- registers ---- */

static uint8_t take(coder *c) {
    if (!c->free) {
        c->is_full = true;
        return 0;
    }
    uint8_t vector = (uint8_t)__builtin_ctz(c->free);
    c->free &= c->free - 1;
    uint32_t left = (uint32_t)__builtin_popcount(c->free);
    if (left < c->fewest_free) c->fewest_free = left;
    return vector;
}

static uint8_t take_mask(coder *c) {
    if (!c->masks) {
        c->is_full = true;
        return 1;
    }
    uint8_t mask = (uint8_t)__builtin_ctz(c->masks);
    c->masks &= c->masks - 1;
    return mask;
}

static void give_back(coder *c, uint8_t vector) {
    c->free |= 1u << vector;
}

static hlo_vector_operand of_vector(uint8_t number) {
    return (hlo_vector_operand){.number = number};
}

static hlo_vector_operand of_kept(coder *c, uint32_t which) {
    c->kept |= 1u << which;
    return of_vector((uint8_t)(FIRST_KEPT + which));
}

/* Memory of the piece begins with the pointers to the registers' lanes, which rdi has. */
static hlo_vector_operand memory_of(coder *c, uint32_t r) {
    const hlo_cluster_register *reg = &c->cluster->registers[r];
    hlo_vector_operand memory = {.is_memory = true, .is_one = is_one(c, r), .number = RDI};
    if (reg->place == HLO_IN_MEMORY && !reg->is_long) {
        memory.at = (uint32_t)reg->at;
        return memory;
    }
    if (c->pointer[r] == NOWHERE && c->pointer_count < POINTERS)
        c->pointer[r] = (uint8_t)(FIRST_POINTER + c->pointer_count++);
    memory.number = c->pointer[r] == NOWHERE ? RAX : c->pointer[r];
    if (memory.number == RAX) hlo_put_pointer(c->a, RAX, r * (uint32_t)sizeof(char *));
    return memory;
}

static void load(coder *c, uint8_t to, uint32_t r) {
    hlo_vector_instr instr = {.op = HLO_VECTOR_LOAD, .to = to, .second = memory_of(c, r)};
    if (instr.second.is_one) instr.op = HLO_VECTOR_BROADCAST;
    else if (c->tail) instr.mask = c->tail, instr.zeroes = true;
    hlo_put_vector(c->a, &instr);
}

static uint8_t vector_of(coder *c, uint32_t r) {
    if (c->vector[r] == NOWHERE) {
        c->vector[r] = take(c);
        load(c, c->vector[r], r);
    }
    return c->vector[r];
}

/* As a last operand: of what all lanes have in common memory will do. */
static hlo_vector_operand operand_of(coder *c, uint32_t r) {
    if (c->vector[r] == NOWHERE && is_one(c, r)) return memory_of(c, r);
    return of_vector(vector_of(c, r));
}

/* What no later step reads, and numbers for all lanes unless they are held. */
static void drop_operands(coder *c, uint32_t s) {
    const hlo_cluster_step *step = step_at(c, s);
    for (uint32_t i = 0; i < step->arity; i++) {
        uint32_t r = step->in[i];
        if (c->vector[r] == NOWHERE || c->is_held[r] || (c->last[r] > s && !is_one(c, r))) continue;
        if (is_mask(c, r)) c->masks |= 1u << c->vector[r];
        else give_back(c, c->vector[r]);
        c->vector[r] = NOWHERE;
    }
}

/* ---- operations ---- */

/* An operand, and the number that all of its lanes are, if that is known: else NaN. */
typedef struct {
    hlo_vector_operand at;
    float number;
} value;

static float number_of(const coder *c, uint32_t r) {
    float number = NAN;
    if (!is_one(c, r) || c->defined[r] == UINT32_MAX) return number;
    const hlo_cluster_step *step = step_at(c, c->defined[r]);
    bool is_constant = step->work == HLO_CLUSTER_SPREAD && step->constant && step->view.count == 1;
    if (is_constant && c->cluster->registers[r].type == HLO_F32)
        memcpy(&number, step->constant, sizeof number);
    return number;
}

static value value_of(coder *c, uint32_t r, bool is_last) {
    return (value){is_last ? operand_of(c, r) : of_vector(vector_of(c, r)), number_of(c, r)};
}

static void put_two(coder *c, hlo_vector_op op, uint8_t to, uint8_t first,
                    hlo_vector_operand second) {
    hlo_put_vector(c->a, &(hlo_vector_instr){.op = op, .to = to, .first = first, .second = second});
}

static void put_fix(coder *c, uint8_t to, value from) {
    if (!isnan(from.number)) return;
    hlo_put_vector(c->a, &(hlo_vector_instr){.op = HLO_VECTOR_FIX,
                                             .to = to,
                                             .first = from.at.number,
                                             .second = of_kept(c, NANS),
                                             .has_immediate = true});
}

/* Of a NaN, or of zeros, the processor's maximum is its second operand. Where one of the two is a
 * number that is not zero that is right; else RANGE tells zeros apart, and NaNs are put in after
 * it, the first operand's last. */
static void put_extreme(coder *c, hlo_vector_op op, uint8_t to, value a, value b) {
    enum { BY_SIGNS = 4 };
    if (!isnan(a.number) && a.number != 0) put_two(c, op, to, a.at.number, b.at);
    else if (!isnan(b.number) && b.number != 0) put_two(c, op, to, b.at.number, a.at);
    else {
        uint8_t how = BY_SIGNS | (op == HLO_VECTOR_MAXIMUM);
        hlo_put_vector(c->a, &(hlo_vector_instr){.op = HLO_VECTOR_RANGE,
                                                 .to = to,
                                                 .first = a.at.number,
                                                 .second = b.at,
                                                 .has_immediate = true,
                                                 .immediate = how});
        put_fix(c, to, b);
        put_fix(c, to, a);
    }
}

static void put_binary(coder *c, const known *of, uint8_t to, value a, value b) {
    if (of->manner == OF_EXTREME) put_extreme(c, of->op, to, a, b);
    else put_two(c, of->op, to, a.at.number, b.at);
}

/* Whether the last operand may be memory. */
static bool takes_memory(const known *of) {
    return of->manner == OF_TWO;
}

static void put_compare(coder *c, const hlo_cluster_step *step) {
    int64_t direction;
    const known *of = find_order(step->parts[0], &direction);
    const uint8_t *predicates = of->type == HLO_F32 ? of_float_order : of_integer_order;
    uint8_t first = vector_of(c, step->in[0]);
    hlo_vector_operand second = operand_of(c, step->in[1]);
    c->vector[step->out] = take_mask(c);
    hlo_put_vector(c->a, &(hlo_vector_instr){.op = of->op,
                                             .to = c->vector[step->out],
                                             .first = first,
                                             .second = second,
                                             .has_immediate = true,
                                             .immediate = predicates[direction]});
}

static void put_mask(coder *c, const known *of, const hlo_cluster_step *step) {
    uint8_t first = c->vector[step->in[0]], to = take_mask(c);
    c->vector[step->out] = to;
    if (of->manner == OF_MASK_NOT) hlo_put_mask_not(c->a, to, first);
    else if (of->manner == OF_MASK_AND) hlo_put_mask_and(c->a, to, first, c->vector[step->in[1]]);
    else hlo_put_mask_or(c->a, to, first, c->vector[step->in[1]]);
}

static void put_select(coder *c, const hlo_cluster_step *step, uint8_t to) {
    uint8_t otherwise = vector_of(c, step->in[2]);
    hlo_put_vector(c->a, &(hlo_vector_instr){.op = HLO_VECTOR_BLEND,
                                             .to = to,
                                             .first = otherwise,
                                             .second = operand_of(c, step->in[1]),
                                             .mask = c->vector[step->in[0]]});
}

static void put_clamp(coder *c, const hlo_cluster_step *step, uint8_t to) {
    uint8_t least = take(c);
    value low = value_of(c, step->in[0], false), of = value_of(c, step->in[1], false);
    put_extreme(c, HLO_VECTOR_MAXIMUM, least, low, of);
    put_extreme(c, HLO_VECTOR_MINIMUM, to, (value){of_vector(least), NAN},
                value_of(c, step->in[2], false));
    give_back(c, least);
}

static void put_inverse(coder *c, const hlo_cluster_step *step, uint8_t to) {
    put_two(c, HLO_VECTOR_ROOT, to, 0, operand_of(c, step->in[0]));
    put_two(c, HLO_VECTOR_DIVIDE, to, of_kept(c, ONE).number, of_vector(to));
}

static void put_number(coder *c, const hlo_cluster_step *step, uint8_t to) {
    hlo_put_vector(c->a, &(hlo_vector_instr){.op = HLO_VECTOR_MOVE,
                                             .to = to,
                                             .second = of_kept(c, ONE_S32),
                                             .mask = c->vector[step->in[0]],
                                             .zeroes = true});
}

/* Two instructions that were joined. */
static void put_pair(coder *c, const known *first, const known *second,
                     const hlo_cluster_step *step, uint8_t to) {
    uint8_t between = take(c);
    value a = value_of(c, step->in[0], false);
    put_binary(c, first, between, a, value_of(c, step->in[1], takes_memory(first)));
    value of = {of_vector(between), NAN};
    if (step->joined == HLO_LANES_SQUARE) put_binary(c, second, to, of, of);
    else if (step->joined == 0)
        put_binary(c, second, to, of, value_of(c, step->in[2], takes_memory(second)));
    else put_binary(c, second, to, value_of(c, step->in[2], false), of);
    give_back(c, between);
}

static void put_single(coder *c, const known *of, const hlo_cluster_step *step, uint8_t to) {
    value a;
    switch (of->manner) {
    case OF_TWO:
    case OF_EXTREME:
        a = value_of(c, step->in[0], false);
        put_binary(c, of, to, a, value_of(c, step->in[1], takes_memory(of)));
        break;
    case OF_ONE: put_two(c, of->op, to, 0, operand_of(c, step->in[0])); break;
    case OF_BITS:
        put_two(c, of->op, to, of_kept(c, of->kept).number, operand_of(c, step->in[0]));
        break;
    case OF_CLAMP: put_clamp(c, step, to); break;
    case OF_INVERSE: put_inverse(c, step, to); break;
    case OF_SAME: put_two(c, of->op, to, 0, of_vector(vector_of(c, step->in[0]))); break;
    case OF_SELECT: put_select(c, step, to); break;
    default: put_number(c, step, to); break;
    }
}

static void store(coder *c, uint32_t r) {
    hlo_put_vector(c->a, &(hlo_vector_instr){.op = HLO_VECTOR_STORE,
                                             .to = c->vector[r],
                                             .second = memory_of(c, r),
                                             .mask = c->tail});
}

static void put_step(coder *c, uint32_t s) {
    const hlo_cluster_step *step = step_at(c, s);
    const known *of = find_known(step->parts[0]);
    if (of->manner == OF_COMPARE) put_compare(c, step);
    else if (of->manner >= OF_MASK_AND) put_mask(c, of, step);
    else {
        uint8_t to = take(c);
        if (step->parts[1]) put_pair(c, of, find_known(step->parts[1]), step, to);
        else put_single(c, of, step, to);
        c->vector[step->out] = to;
        if (c->is_wanted[step->out]) store(c, step->out);
    }
    drop_operands(c, s);
    bool is_read = c->last[step->out] > s;
    if (is_read || c->vector[step->out] == NOWHERE) return;
    if (is_mask(c, step->out)) c->masks |= 1u << c->vector[step->out];
    else give_back(c, c->vector[step->out]);
    c->vector[step->out] = NOWHERE;
}

/* ---- the code ---- */

/* Only what is held is in a vector when an iteration begins. */
static void put_body(coder *c) {
    for (uint32_t r = 0; r < c->cluster->register_count; r++)
        if (!c->is_held[r]) c->vector[r] = NOWHERE;
    c->masks = all_masks;
    for (uint32_t s = c->first; s < c->end && !c->is_full; s++) {
        put_step(c, s);
        if (c->is_full) c->end = s;
    }
}

/* Finds how many vectors the steps need, or that they are too many; leaves no code. */
static void try_body(coder *c) {
    uint32_t start = c->a->code.n;
    c->free = all_vectors;
    c->fewest_free = HLO_VECTORS;
    c->kept = c->pointer_count = 0;
    c->is_full = false;
    memset(c->is_held, 0, c->cluster->register_count * sizeof *c->is_held);
    memset(c->pointer, NOWHERE, c->cluster->register_count);
    put_body(c);
    c->a->code.n = start;
}

/* Numbers for all lanes go into vectors that nothing else needs, as they come. */
static void hold(coder *c) {
    uint32_t most = c->fewest_free;
    for (uint32_t s = c->first; s < c->end; s++)
        for (uint32_t i = 0; i < step_at(c, s)->arity; i++) {
            uint32_t r = step_at(c, s)->in[i];
            if (!is_one(c, r) || c->is_held[r] || !most) continue;
            most--;
            c->is_held[r] = true;
            c->vector[r] = NOWHERE;
            vector_of(c, r);
        }
}

static void put_start(coder *c) {
    for (uint32_t r = 0; r < c->cluster->register_count; r++)
        if (c->pointer[r] != NOWHERE)
            hlo_put_pointer(c->a, c->pointer[r], r * (uint32_t)sizeof(char *));
    for (uint32_t k = 0; k < KEPT; k++)
        if (c->kept >> k & 1) hlo_put_lanes(c->a, (uint8_t)(FIRST_KEPT + k), kept_bits[k]);
    memset(c->vector, NOWHERE, c->cluster->register_count);
    hold(c);
}

static uint32_t put_code(coder *c) {
    hlo_vector_loop loop;
    uint32_t start = hlo_begin_vectors(c->a);
    put_start(c);
    hlo_put_vector_loop(c->a, &loop);
    c->tail = 0;
    put_body(c);
    hlo_put_vector_tail(c->a, &loop);
    c->tail = HLO_VECTOR_TAIL;
    put_body(c);
    c->tail = 0;
    hlo_end_vectors(c->a, &loop);
    return start;
}

/* Code for steps from c->first on, as many as the vectors are enough for. Returns where it ends. */
static uint32_t code_run(coder *c, uint32_t first, uint32_t limit) {
    do {
        find_run(c, first, limit);
        if (c->end < first + FEWEST_STEPS) return first + 1;
        try_body(c);
        limit = c->end;
    } while (c->is_full);
    hlo_cluster_step *step = &c->cluster->steps[first];
    step->code = put_code(c);
    step->code_end = c->end;
    return c->end;
}

static void code_level(coder *c, const hlo_cluster_level *level) {
    for (uint32_t s = level->first_of_tile; s < level->end;) s = code_run(c, s, level->end);
}

void hlo_code_cluster(hlo_preparation *p, hlo_cluster *cluster) {
    size_t n = cluster->register_count;
    coder c = {.cluster = cluster, .a = hlo_prepare_code(p)};
    if (!c.a || !n) return;
    c.defined = hlo_malloc(2 * n * sizeof *c.defined);
    c.last = c.defined + n;
    c.is_wanted = hlo_malloc(2 * n * sizeof *c.is_wanted);
    c.is_held = c.is_wanted + n;
    c.vector = hlo_malloc(2 * n);
    c.pointer = c.vector + n;
    for (size_t r = 0; r < n; r++) c.defined[r] = UINT32_MAX;
    for (uint32_t s = 0; s < cluster->step_count; s++) c.defined[cluster->steps[s].out] = s;
    for (uint32_t l = 0; l < cluster->level_count; l++) code_level(&c, &cluster->levels[l]);
    for (uint32_t s = 0; s < cluster->step_count; s++)
        p->has_code |= cluster->steps[s].code_end > 0;
    hlo_free(c.vector);
    hlo_free(c.is_wanted);
    hlo_free(c.defined);
}
