/* Kernels of collectives that move data without computing: all-gather with its start and end,
 * all-to-all, ragged-all-to-all and collective-broadcast. */
#include "eval/kernel/strides.h"
#include "eval/kernels/collective/collective.h"

typedef struct {
    hlo_collective collective;
    uint32_t dimension;
    bool has_root; /* the last operand identifies the sender */
} move_state;

static move_state *new_state(hlo_preparation *p) {
    move_state *state = HLO_NEW_STATE(p, move_state);
    const hlo_attr *dimensions = hlo_instr_attr(p->instr, HLO_ATTR_DIMENSIONS);
    state->dimension = dimensions && dimensions->u.ints->n ? (uint32_t)dimensions->u.ints->v[0] : 0;
    return state;
}

/* What bodies work on. */
typedef struct {
    const move_state *state;
    hlo_meeting *meeting;
    const hlo_device_group *group;
    uint32_t position; /* of the device in the group */
    hlo_value *result;
} movement;

static movement movement_of(const hlo_call *call, const void *state_, hlo_meeting *meeting) {
    const move_state *state = state_;
    const hlo_device_exchange *exchange = &state->collective.exchange;
    return (movement){.state = state,
                      .meeting = meeting,
                      .group = hlo_call_group(call, exchange),
                      .position = exchange->groups->position[hlo_call_device(call)]};
}

/* ---- all-gather ---- */

/* Piece k: what member k offers. */
static bool gather_piece(void *context, uint32_t member) {
    const movement *m = context;
    uint32_t dimension = m->state->dimension;
    for (uint32_t i = 0; i < m->state->collective.offered; i++) {
        const hlo_value *from = hlo_meeting_offer(m->meeting, member, i);
        int64_t size = from->shape->dims[dimension];
        hlo_copy_slab(hlo_part_of(m->result, i), member * size, from, 0, size, dimension);
    }
    return true;
}

static hlo_value *gathered(hlo_call *call, const void *state, hlo_meeting *meeting,
                           const hlo_shape *shape) {
    movement m = movement_of(call, state, meeting);
    m.result = hlo_call_common(call, meeting, shape);
    if (m.result && hlo_call_together(call, meeting, m.group->count, gather_piece, &m))
        return hlo_value_retain(m.result);
    return NULL;
}

static bool prepare_all_gather(hlo_preparation *p) {
    return hlo_prepare_collective(p, &new_state(p)->collective, gathered);
}

static bool prepare_all_gather_start(hlo_preparation *p) {
    return hlo_prepare_start_parts(p) && prepare_all_gather(p);
}

const hlo_kernel hlo_kernel_all_gather = {prepare_all_gather, hlo_run_collective};
const hlo_kernel hlo_kernel_all_gather_start = {prepare_all_gather_start, hlo_run_collective_start};
const hlo_kernel hlo_kernel_all_gather_done = {hlo_prepare_done, hlo_run_done};

/* ---- all-to-all ---- */

/* An operand for each member: element k of the result is what member k has for this device. */
static hlo_value *exchanged_operands(const movement *m, const hlo_shape *shape) {
    uint32_t n = m->group->count;
    hlo_value **parts = hlo_malloc(n * sizeof *parts);
    for (uint32_t k = 0; k < n; k++)
        parts[k] = hlo_value_retain((hlo_value *)hlo_meeting_offer(m->meeting, k, m->position));
    hlo_value *result = hlo_value_tuple(shape, parts);
    hlo_free(parts);
    return result;
}

/* One operand, cut along the dimension into a slab for each member. */
static hlo_value *exchanged_slabs(hlo_call *call, const movement *m, const hlo_shape *shape) {
    uint32_t dimension = m->state->dimension, n = m->group->count;
    hlo_value *result = hlo_call_new(call, shape);
    int64_t size = result ? result->shape->dims[dimension] / n : 0;
    for (uint32_t k = 0; k < n && result; k++)
        hlo_copy_slab(result, k * size, hlo_meeting_offer(m->meeting, k, 0), m->position * size,
                      size, dimension);
    return result;
}

static hlo_value *exchanged(hlo_call *call, const void *state, hlo_meeting *meeting,
                            const hlo_shape *shape) {
    movement m = movement_of(call, state, meeting);
    return hlo_shape_is_tuple(shape) ? exchanged_operands(&m, shape)
                                     : exchanged_slabs(call, &m, shape);
}

/* Whether every group has as many members as the tuple has elements. */
static bool check_members(hlo_preparation *p, const hlo_device_groups *groups, uint32_t wanted) {
    for (uint32_t g = 0; groups && g < groups->group_count; g++)
        if (groups->groups[g].count != wanted)
            return hlo_prepare_error(p, HLO_RULE_RUN, "has %u operands for a group of %u devices",
                                     wanted, groups->groups[g].count);
    return true;
}

static bool prepare_all_to_all(hlo_preparation *p) {
    move_state *state = new_state(p);
    bool is_tuple = hlo_shape_is_tuple(p->instr->shape);
    state->collective.are_kept = is_tuple;
    if (!hlo_prepare_collective(p, &state->collective, exchanged)) return false;
    return !is_tuple ||
           check_members(p, state->collective.exchange.groups, p->instr->operand_count);
}

const hlo_kernel hlo_kernel_all_to_all = {prepare_all_to_all, hlo_run_collective};

/* ---- collective-broadcast ---- */

/* What the first of the group has, or the one that its last operand names. */
static hlo_value *sent_by_root(hlo_call *call, const void *state_, hlo_meeting *meeting,
                               const hlo_shape *shape) {
    movement m = movement_of(call, state_, meeting);
    uint32_t offered = m.state->collective.offered;
    int64_t root = m.state->has_root ? hlo_index_at(call->in[call->count], 0) : 0;
    if (root < 0 || root >= m.group->count) {
        hlo_call_error(call, "has member %lld as sender in groups of %u", (long long)root,
                       m.group->count);
        return NULL;
    }
    hlo_value **parts = hlo_malloc((offered + 1u) * sizeof *parts);
    for (uint32_t i = 0; i < offered; i++)
        parts[i] = hlo_value_retain((hlo_value *)hlo_meeting_offer(meeting, (uint32_t)root, i));
    hlo_value *result = hlo_shape_is_tuple(shape) ? hlo_value_tuple(shape, parts) : parts[0];
    hlo_free(parts);
    return result;
}

static bool prepare_broadcast(hlo_preparation *p) {
    move_state *state = new_state(p);
    state->has_root = hlo_attr_int(p->instr, HLO_ATTR_HAS_DYNAMIC_ROOT) != 0;
    state->collective.are_kept = true;
    if (!hlo_prepare_collective(p, &state->collective, sent_by_root)) return false;
    state->collective.offered -= state->has_root;
    return true;
}

/* A device in no group gets zeros. */
static bool run_broadcast(hlo_call *call) {
    const move_state *state = call->state;
    const hlo_collective *collective = &state->collective;
    if (collective->is_alone || hlo_call_group(call, &collective->exchange))
        return hlo_run_collective(call);
    return hlo_call_give(call, hlo_call_zeros(call, call->shape));
}

const hlo_kernel hlo_kernel_collective_broadcast = {prepare_broadcast, run_broadcast};

/* ---- ragged-all-to-all ---- */

/* Operands: data, target, input offsets, send sizes, output offsets, receive sizes; the offsets and
 * sizes of what goes to member k are a k-th part of theirs. Rows of the data go to rows of the
 * targets of others, at the offsets that the sender gives. */
typedef enum { DATA, TARGET, INPUT_OFFSETS, SEND_SIZES, OUTPUT_OFFSETS } ragged_operand;

/* Rows are what lies along all dimensions but the first. */
static bool have_same_rows(const hlo_shape *a, const hlo_shape *b) {
    bool same = a->type == b->type && a->rank == b->rank && a->rank;
    for (uint32_t d = 1; same && d < a->rank; d++) same = a->dims[d] == b->dims[d];
    return same;
}

/* Reads one update of what `in` sends; false when rows are not there. */
static bool take_rows(const hlo_value *const *in, hlo_value *out, int64_t update) {
    int64_t source = hlo_index_at(in[INPUT_OFFSETS], update);
    int64_t n = hlo_index_at(in[SEND_SIZES], update);
    int64_t target = hlo_index_at(in[OUTPUT_OFFSETS], update);
    const hlo_shape *from = in[DATA]->shape, *to = out->shape;
    if (n < 0 || source < 0 || target < 0 || source > from->dims[0] - n || target > to->dims[0] - n)
        return false;
    hlo_copy_slab(out, target, in[DATA], source, n, 0);
    return true;
}

/* All that `in` sends to member `position` of `members`. */
static bool take_updates(hlo_call *call, const hlo_value *const *in, uint32_t position,
                         uint32_t members) {
    int64_t updates = hlo_shape_elements(in[INPUT_OFFSETS]->shape) / members;
    for (int64_t k = 0; k < updates; k++)
        if (!take_rows(in, call->out, position * updates + k))
            return hlo_call_error(call, "sends or receives rows that its operands do not have");
    return true;
}

static bool take_from_all(hlo_call *call, const movement *m) {
    for (uint32_t k = 0; k < m->group->count; k++) {
        const hlo_value *in[OUTPUT_OFFSETS + 1];
        for (uint32_t i = 0; i <= OUTPUT_OFFSETS; i++) in[i] = hlo_meeting_offer(m->meeting, k, i);
        if (!take_updates(call, in, m->position, m->group->count)) return false;
    }
    return true;
}

/* The result is call->out, which the runner has made. */
static hlo_value *ragged(hlo_call *call, const void *state, hlo_meeting *meeting,
                         const hlo_shape *shape) {
    (void)shape;
    movement m = movement_of(call, state, meeting);
    return take_from_all(call, &m) ? call->out : NULL;
}

/* The result has separate memory. XLA's verifier compares neither rows nor types. */
static bool prepare_ragged(hlo_preparation *p) {
    move_state *state = new_state(p);
    const hlo_shape *data = hlo_operand(p->instr, DATA)->shape;
    const hlo_shape *to = hlo_operand(p->instr, TARGET)->shape;
    const hlo_shape *offsets = hlo_operand(p->instr, INPUT_OFFSETS)->shape;
    if (!hlo_prepare_collective(p, &state->collective, ragged)) return false;
    p->result = HLO_RESULT_FRESH;
    if (!have_same_rows(data, to))
        return hlo_prepare_error(p, HLO_RULE_RUN, "sends rows of %s to %s, which has other rows",
                                 hlo_shape_name(p->arena, data), hlo_shape_name(p->arena, to));
    return hlo_type_is_integral((hlo_type)offsets->type) ||
           hlo_prepare_error(p, HLO_RULE_RAGGED_OFFSETS,
                             "has %s as offsets, which must be integers",
                             hlo_shape_name(p->arena, offsets));
}

static bool run_ragged_all_to_all(hlo_call *call) {
    const move_state *state = call->state;
    hlo_value *out = call->out, *const *in = call->in;
    if (out->data) memcpy(out->data, in[TARGET]->data, (size_t)hlo_shape_bytes(out->shape));
    if (!hlo_shape_elements(out->shape)) return true;
    if (state->collective.is_alone) return take_updates(call, (const hlo_value *const *)in, 0, 1);
    bool good = hlo_run_collective(call);
    call->out = out;
    return good;
}

const hlo_kernel hlo_kernel_ragged_all_to_all = {prepare_ragged, run_ragged_all_to_all};
