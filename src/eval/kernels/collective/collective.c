/* Exchanges of operands in groups of devices, and those of a device with itself: see collective.h.
 * Also the kernels that need no more: of one device alone, and of what ends a start. */
#include "eval/kernels/collective/collective.h"

/* ---- preparing ---- */

static bool has_run_time_sizes(const hlo_instr *instr) {
    bool has = instr->shape->dynamic;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        has |= hlo_operand(instr, i)->shape->dynamic;
    return has;
}

/* Results are made of operands, or have separate memory. */
bool hlo_prepare_collective(hlo_preparation *p, hlo_collective *collective,
                            hlo_collective_body *body) {
    p->state = collective;
    p->result = HLO_RESULT_VIEW;
    collective->body = body;
    collective->offered = p->instr->operand_count;
    collective->is_alone = p->replicas * p->partitions == 1;
    if (collective->is_alone) return hlo_prepare_alone(p, p->instr);
    if (has_run_time_sizes(p->instr))
        return hlo_prepare_error(p, HLO_RULE_UNSUPPORTED,
                                 "exchanges arrays whose sizes are known only at run time");
    return hlo_prepare_exchange(p, p->instr, &collective->exchange);
}

/* ---- one device alone ---- */

/* An argument's value may have the shape of another module's table: operands have the program's. */
hlo_value *hlo_operands_as(hlo_call *call, const hlo_shape *shape) {
    uint32_t n = call->count;
    bool is_tuple = hlo_shape_is_tuple(shape);
    bool fits = is_tuple ? shape->rank == n : n == 1;
    for (uint32_t i = 0; i < n && fits; i++)
        fits = hlo_shape_compatible(is_tuple ? shape->elements[i] : shape,
                                    hlo_operand(call->instr, i)->shape);
    if (!fits) {
        hlo_call_error(call, "has a result that requires more than one device");
        return NULL;
    }
    if (!is_tuple) return hlo_value_retain(call->in[0]);
    for (uint32_t i = 0; i < n; i++) hlo_value_retain(call->in[i]);
    return hlo_value_tuple(shape, call->in);
}

/* ---- with others ---- */

/* Its error is that the device is in no group. */
static hlo_meeting *arrive(hlo_call *call, const hlo_collective *collective, bool are_kept) {
    if (hlo_call_group(call, &collective->exchange))
        return hlo_call_arrive(call, &collective->exchange, call->in, collective->offered,
                               are_kept);
    hlo_call_error(call, "has replica groups without device %u", hlo_call_device(call));
    return NULL;
}

static hlo_value *finish_collective(hlo_call *call, const hlo_collective *collective,
                                    hlo_meeting *meeting) {
    hlo_value *result = NULL;
    if (hlo_call_await(call, meeting))
        result = collective->body(call, collective, meeting, call->shape);
    hlo_call_leave(call, meeting);
    return result;
}

bool hlo_run_collective(hlo_call *call) {
    const hlo_collective *collective = call->state;
    call->count = collective->offered;
    if (collective->is_alone) return hlo_call_give(call, hlo_operands_as(call, call->shape));
    hlo_meeting *meeting = arrive(call, collective, collective->are_kept);
    return meeting && hlo_call_give(call, finish_collective(call, collective, meeting));
}

/* ---- start and done ---- */

bool hlo_prepare_start_parts(hlo_preparation *p) {
    return (hlo_shape_is_tuple(p->instr->shape) && p->instr->shape->rank >= 2) ||
           hlo_prepare_error(p, HLO_RULE_RUN,
                             "has a result that is not (operands, result, contexts ...)");
}

bool hlo_give_start(hlo_call *call, hlo_value *operands, hlo_value *result) {
    const hlo_shape *shape = call->shape;
    hlo_value **parts = hlo_malloc(shape->rank * sizeof *parts);
    parts[0] = operands;
    parts[1] = result;
    for (uint32_t i = 2; i < shape->rank; i++) parts[i] = hlo_call_zeros(call, shape->elements[i]);
    bool good = hlo_call_give(call, hlo_value_tuple(shape, parts));
    hlo_free(parts);
    return good;
}

/* What the start returns: for an all-reduce, of the shape of what it ends with. */
static bool give_started(hlo_call *call, bool is_alone) {
    if (call->instr->opcode == HLO_OP_ALL_REDUCE_START)
        return hlo_call_give(call, hlo_operands_as(call, call->shape));
    const hlo_shape *shape = call->shape->elements[1];
    hlo_value *result = is_alone ? hlo_operands_as(call, shape) : hlo_call_new(call, shape);
    hlo_value *operands = result ? hlo_operands_as(call, call->shape->elements[0]) : NULL;
    if (operands) return hlo_give_start(call, operands, result);
    hlo_value_release(result);
    return false;
}

bool hlo_run_collective_start(hlo_call *call) {
    const hlo_collective *collective = call->state;
    if (!collective->is_alone) {
        hlo_meeting *meeting = arrive(call, collective, true);
        if (!meeting) return false;
        hlo_call_start(call, collective, meeting);
    }
    return give_started(call, collective->is_alone);
}

/* The state is the start. */
bool hlo_prepare_done(hlo_preparation *p) {
    p->result = HLO_RESULT_VIEW;
    p->state = hlo_operand(p->instr, 0);
    return true;
}

/* What was started here and is over already: its result. */
static bool give_result_of_start(hlo_call *call) {
    hlo_value *started = call->in[0];
    if (call->instr->opcode == HLO_OP_ALL_REDUCE_DONE)
        return hlo_call_give(call, hlo_value_retain(started));
    if (started->elements && started->shape->rank >= 2)
        return hlo_call_give(call, hlo_value_retain(started->elements[1]));
    return hlo_call_error(call, "has an operand that is not (operands, result, contexts ...)");
}

bool hlo_run_done(hlo_call *call) {
    const void *state;
    hlo_meeting *meeting;
    if (!hlo_call_end(call, call->state, &state, &meeting)) return give_result_of_start(call);
    const hlo_collective *collective = state;
    if (meeting) return hlo_call_give(call, finish_collective(call, collective, meeting));
    return hlo_call_give(call, collective->body(call, collective, NULL, call->shape));
}

/* ---- slabs of arrays ---- */

hlo_rows hlo_rows_along(const hlo_shape *shape, uint32_t dimension) {
    HLO_ASSERT(dimension < shape->rank);
    hlo_rows rows = {1, hlo_types[shape->type].bytes};
    for (uint32_t d = 0; d < dimension; d++) rows.count *= shape->dims[d];
    for (uint32_t d = dimension + 1; d < shape->rank; d++) rows.bytes *= shape->dims[d];
    return rows;
}

void hlo_copy_slab(hlo_value *to, int64_t at, const hlo_value *from, int64_t from_at, int64_t size,
                   uint32_t dimension) {
    HLO_ASSERT(dimension < to->shape->rank);
    HLO_ASSERT(dimension < from->shape->rank);
    hlo_rows rows = hlo_rows_along(to->shape, dimension);
    int64_t to_row = rows.bytes * to->shape->dims[dimension];
    int64_t from_row = rows.bytes * from->shape->dims[dimension];
    for (int64_t i = 0; i < rows.count && size && rows.bytes; i++)
        memcpy((char *)to->data + i * to_row + at * rows.bytes,
               (const char *)from->data + i * from_row + from_at * rows.bytes,
               (size_t)(size * rows.bytes));
}
