/* Kernels of all-reduce, its start and end, and reduce-scatter. Values are combined element by
 * element in the order of the devices' numbers, whichever device combines them, so that every
 * member gets the same bits. */
#include "eval/kernel/combine.h"
#include "eval/kernel/scalar.h"
#include "eval/kernels/collective/collective.h"

/* Elements that one device reduces at a time, and a part of them that the cache holds. */
enum { PIECE = 1 << 16, BLOCK = 1 << 12 };

typedef struct {
    hlo_collective collective;
    uint32_t count;
    hlo_combiner *combiners; /* by operand */
    uint32_t dimension;      /* reduce-scatter: that is scattered */
} reduce_state;

/* ---- preparing ---- */

/* Whether the computation's type holds each value of the operand's: then it is defined for it. */
static bool is_promotable(hlo_type type, hlo_type to) {
    return hlo_types[type].class == hlo_types[to].class &&
           hlo_types[type].bits <= hlo_types[to].bits;
}

/* A computation of a wider type combines operands where it is one operation. */
static bool prepare_combiner(hlo_preparation *p, hlo_computation *computation, uint32_t i,
                             hlo_combiner *combiner) {
    hlo_type type = (hlo_type)hlo_operand(p->instr, i)->shape->type;
    hlo_type own = (hlo_type)computation->root->shape->type;
    if (type == own && hlo_combiner_of_one(combiner, computation, type, hlo_prepare_plain(p)))
        return true;
    if (type == own) return hlo_combiner_prepare(combiner, p, computation, 1);
    hlo_opcode opcode = is_promotable(type, own) ? hlo_scalar_binary_op(computation) : HLO_OP_COUNT;
    *combiner = (hlo_combiner){.operands = 1, .opcode = opcode, .bytes = hlo_types[type].bytes};
    if (opcode != HLO_OP_COUNT && !hlo_type_is_small_float(type))
        combiner->lanes = hlo_binary_lanes(opcode, type);
    return combiner->lanes.run ||
           hlo_prepare_error(p, HLO_RULE_RUN, "has a computation of %s for an operand of %s",
                             hlo_types[own].text, hlo_types[type].text);
}

static bool prepare_state(hlo_preparation *p, reduce_state *state, hlo_collective_body *body) {
    if (!hlo_prepare_collective(p, &state->collective, body)) return false;
    if (state->collective.is_alone) return true;
    hlo_computation *computation = hlo_called(p->instr, 0);
    state->count = p->instr->operand_count;
    state->combiners = HLO_NEW_ARRAY(p->arena, hlo_combiner, state->count);
    for (uint32_t i = 0; i < state->count; i++)
        if (!prepare_combiner(p, computation, i, &state->combiners[i])) return false;
    return true;
}

/* ---- all-reduce ---- */

typedef struct {
    hlo_call *call;
    const reduce_state *state;
    hlo_meeting *meeting;
    const hlo_device_group *group;
    hlo_value *result;
} reduction;

/* Elements [first, last) of operand i, for `to`; `from` is where they begin in the offers. */
static bool reduce_run(const reduction *r, uint32_t i, char *to, int64_t from, int64_t n) {
    HLO_ASSERT(from >= 0 && n >= 0);
    const hlo_combiner *combiner = &r->state->combiners[i];
    size_t bytes = combiner->bytes;
    for (int64_t k = 0; k < n; k += BLOCK) {
        size_t block = (size_t)(n - k < BLOCK ? n - k : BLOCK);
        void *out = to + (size_t)k * bytes;
        for (uint32_t m = 0; m < r->group->count; m++) {
            const hlo_value *offer = hlo_meeting_offer(r->meeting, r->group->ascending[m], i);
            const void *in = (const char *)offer->data + (size_t)(from + k) * bytes;
            if (m == 0) memcpy(out, in, block * bytes);
            else if (!hlo_combine(combiner, r->call, &out, &in, block)) return false;
        }
    }
    return true;
}

static uint32_t piece_count(const hlo_shape *shape) {
    return (uint32_t)((hlo_shape_elements(shape) + PIECE - 1) / PIECE);
}

static bool reduce_piece(void *context, uint32_t number) {
    const reduction *r = context;
    uint32_t i = 0;
    for (uint32_t n; number >= (n = piece_count(hlo_part_of(r->result, i)->shape)); i++)
        number -= n;
    hlo_value *to = hlo_part_of(r->result, i);
    int64_t first = (int64_t)number * PIECE, left = hlo_shape_elements(to->shape) - first;
    char *at = (char *)to->data + first * r->state->combiners[i].bytes;
    return reduce_run(r, i, at, first, left < PIECE ? left : PIECE);
}

/* Each member reduces some pieces of the result, which all have in common. */
static hlo_value *all_reduced(hlo_call *call, const void *state_, hlo_meeting *meeting,
                              const hlo_shape *shape) {
    const reduce_state *state = state_;
    reduction r = {call, state, meeting, hlo_call_group(call, &state->collective.exchange),
                   hlo_call_common(call, meeting, shape)};
    uint32_t pieces = 0;
    if (!r.result) return NULL;
    for (uint32_t i = 0; i < state->count; i++)
        pieces += piece_count(hlo_part_of(r.result, i)->shape);
    return hlo_call_together(call, meeting, pieces, reduce_piece, &r) ? hlo_value_retain(r.result)
                                                                      : NULL;
}

static bool prepare_all_reduce(hlo_preparation *p) {
    reduce_state *state = HLO_NEW_STATE(p, reduce_state);
    return prepare_state(p, state, all_reduced);
}

const hlo_kernel hlo_kernel_all_reduce = {prepare_all_reduce, hlo_run_collective};
const hlo_kernel hlo_kernel_all_reduce_start = {prepare_all_reduce, hlo_run_collective_start};
const hlo_kernel hlo_kernel_all_reduce_done = {hlo_prepare_done, hlo_run_done};

/* ---- reduce-scatter ---- */

/* The part of operand i that the device keeps: one run of elements for each row. */
static bool scatter_operand(const reduction *r, uint32_t i, uint32_t position) {
    hlo_value *to = hlo_part_of(r->result, i);
    uint32_t dimension = r->state->dimension;
    const hlo_shape *whole = hlo_meeting_offer(r->meeting, position, i)->shape;
    hlo_rows rows = hlo_rows_along(to->shape, dimension);
    int64_t inner = rows.bytes / r->state->combiners[i].bytes;
    int64_t run = inner * to->shape->dims[dimension], row = inner * whole->dims[dimension];
    char *at = to->data;
    for (int64_t k = 0; k < rows.count && run; k++)
        if (!reduce_run(r, i, at + k * run * r->state->combiners[i].bytes, k * row + position * run,
                        run))
            return false;
    return true;
}

static hlo_value *reduce_scattered(hlo_call *call, const void *state_, hlo_meeting *meeting,
                                   const hlo_shape *shape) {
    const reduce_state *state = state_;
    const hlo_device_exchange *exchange = &state->collective.exchange;
    reduction r = {call, state, meeting, hlo_call_group(call, exchange), hlo_call_new(call, shape)};
    bool good = r.result;
    for (uint32_t i = 0; i < state->count && good; i++)
        good = scatter_operand(&r, i, exchange->groups->position[hlo_call_device(call)]);
    if (good) return r.result;
    hlo_value_release(r.result);
    return NULL;
}

static bool prepare_reduce_scatter(hlo_preparation *p) {
    reduce_state *state = HLO_NEW_STATE(p, reduce_state);
    const hlo_attr *dimensions = hlo_instr_attr(p->instr, HLO_ATTR_DIMENSIONS);
    state->dimension = dimensions && dimensions->u.ints->n ? (uint32_t)dimensions->u.ints->v[0] : 0;
    return prepare_state(p, state, reduce_scattered);
}

const hlo_kernel hlo_kernel_reduce_scatter = {prepare_reduce_scatter, hlo_run_collective};
