/* Kernels of infeed, outfeed, send and recv: values from and to the host, through the functions of
 * the device, and along channels inside the module. */
#include "eval/kernel/kernel_device.h"
#include "shape/compatible.h"
#include "shape/transfer_pairs.h"

static bool is_host_transfer(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_IS_HOST_TRANSFER);
    return attr && attr->u.i;
}

bool hlo_needs_host(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_INFEED:
    case HLO_OP_OUTFEED: return true;
    case HLO_OP_SEND:
    case HLO_OP_SEND_DONE:
    case HLO_OP_RECV:
    case HLO_OP_RECV_DONE: return is_host_transfer(instr);
    default: return false;
    }
}

/* What an instruction is prepared to: where its data comes from or goes to. */
typedef struct {
    bool has_host, is_alone; /* is_alone: there is no other device */
    int64_t channel;
    const hlo_shape *context; /* of send and recv */
    hlo_device_exchange exchange;
} transfer_state;

/* Between which devices: without pairs, any that send and receive on the channel. */
static bool prepare_devices(hlo_preparation *p, transfer_state *state) {
    const hlo_str *text = hlo_transfer_pairs_text(p->instr);
    if (!text) text = hlo_transfer_pairs_text(hlo_operand(p->instr, 0)); /* what this ends */
    if (!hlo_prepare_exchange(p, p->instr, &state->exchange)) return false;
    if (!text) return true;
    const hlo_int_lists *pairs = hlo_transfer_pairs(p->arena, text);
    bool of_partitions = p->partitions > 1;
    if (pairs)
        state->exchange.pairs = hlo_device_pairs_of(p->arena, pairs, of_partitions, p->replicas,
                                                    p->partitions, &p->assignment);
    return state->exchange.pairs ||
           hlo_prepare_error(p, HLO_RULE_RUN,
                             "has _xla_send_recv_source_target_pairs=%.*s, which are not pairs of "
                             "the run's %u %s",
                             (int)text->len, text->ptr, of_partitions ? p->partitions : p->replicas,
                             of_partitions ? "partitions" : "replicas");
}

/* Results are made of what arrives and of tokens. */
static bool prepare_transfer(hlo_preparation *p, uint32_t parts) {
    const hlo_attr *channel = hlo_instr_attr(p->instr, HLO_ATTR_CHANNEL_ID);
    const hlo_shape *shape = p->instr->shape;
    transfer_state *state = HLO_NEW_STATE(p, transfer_state);
    p->state = state;
    p->result = HLO_RESULT_VIEW;
    state->has_host = hlo_needs_host(p->instr);
    state->channel = channel ? channel->u.i : 0;
    state->is_alone = p->replicas * p->partitions == 1;
    if (!state->is_alone && !state->has_host && !prepare_devices(p, state)) return false;
    if (!parts || (hlo_shape_is_tuple(shape) && shape->rank == parts)) {
        if (parts > 1) state->context = shape->elements[1];
        return true;
    }
    return hlo_prepare_error(p, HLO_RULE_RUN, "does not have a result of %u parts", parts);
}

static bool prepare_pair(hlo_preparation *p) {
    return prepare_transfer(p, 2);
}

static bool prepare_triple(hlo_preparation *p) {
    return prepare_transfer(p, 3);
}

static bool give_parts(hlo_call *call, hlo_value *const *parts) {
    return hlo_call_give(call, hlo_value_tuple(call->shape, parts));
}

/* ---- infeed and outfeed ---- */

/* (data, token) from the host. */
static bool take_from_host(hlo_call *call, hlo_value *token) {
    hlo_value *data = hlo_call_take_from_host(call, call->shape->elements[0]);
    return data && give_parts(call, (hlo_value *[]){data, hlo_value_retain(token)});
}

static bool run_infeed(hlo_call *call) {
    return take_from_host(call, call->in[0]);
}

const hlo_kernel hlo_kernel_infeed = {prepare_pair, run_infeed};

static bool run_outfeed(hlo_call *call) {
    return hlo_call_give_to_host(call, call->in[0]) &&
           hlo_call_give(call, hlo_value_retain(call->in[1]));
}

const hlo_kernel hlo_kernel_outfeed = {NULL, run_outfeed};

/* ---- other devices ---- */

/* The device to send to, or to receive from; false: there is none. */
typedef uint32_t partner_of(const hlo_device_pairs *pairs, uint32_t i, uint32_t device);

static bool find_partner(const hlo_call *call, partner_of *partner, uint32_t *device) {
    const hlo_device_pairs *pairs = ((const transfer_state *)call->state)->exchange.pairs;
    *device = HLO_NO_GROUP;
    for (uint32_t i = 0; pairs && i < pairs->count && *device == HLO_NO_GROUP; i++)
        *device = partner(pairs, i, hlo_call_device(call));
    return !pairs || *device != HLO_NO_GROUP;
}

/* A send begins when the receiver is ready, which its recv signals. Where both block until the
 * other is ready, a recv signals it and waits. */
static bool send_to_device(hlo_call *call) {
    const hlo_device_exchange *exchange = &((const transfer_state *)call->state)->exchange;
    hlo_value *nothing;
    uint32_t to;
    if (!find_partner(call, hlo_pair_target, &to)) return true;
    return hlo_call_receive_from(call, exchange, HLO_MESSAGE_READY, to, &nothing) &&
           (!hlo_call_blocks(call) ||
            hlo_call_send_to(call, exchange, HLO_MESSAGE_SENDING, to, NULL)) &&
           hlo_call_send_to(call, exchange, HLO_MESSAGE_DATA, to, call->in[0]);
}

static bool await_sender(hlo_call *call) {
    const hlo_device_exchange *exchange = &((const transfer_state *)call->state)->exchange;
    hlo_value *nothing;
    uint32_t from;
    if (!find_partner(call, hlo_pair_source, &from)) return true;
    return hlo_call_send_to(call, exchange, HLO_MESSAGE_READY, from, NULL) &&
           (!hlo_call_blocks(call) ||
            hlo_call_receive_from(call, exchange, HLO_MESSAGE_SENDING, from, &nothing));
}

/* Zeros for a device that none sends to. NULL after an error. */
static hlo_value *receive_from_device(hlo_call *call) {
    const hlo_device_exchange *exchange = &((const transfer_state *)call->state)->exchange;
    hlo_value *data;
    uint32_t from;
    if (!find_partner(call, hlo_pair_source, &from))
        return hlo_call_zeros(call, call->shape->elements[0]);
    return hlo_call_receive_from(call, exchange, HLO_MESSAGE_DATA, from, &data) ? data : NULL;
}

/* ---- send and recv ---- */

static bool send_data(hlo_call *call) {
    const transfer_state *state = call->state;
    hlo_value *data = call->in[0];
    if (state->has_host) return hlo_call_give_to_host(call, data);
    if (!state->is_alone) return send_to_device(call);
    hlo_call_send(call, state->channel, data);
    return true;
}

/* (data, context, token): the data leaves here. */
static bool run_send(hlo_call *call) {
    const transfer_state *state = call->state;
    hlo_value *data = call->in[0];
    if (!send_data(call)) return false;
    return give_parts(call,
                      (hlo_value *[]){hlo_value_retain(data), hlo_call_zeros(call, state->context),
                                      hlo_value_retain(call->in[1])});
}

const hlo_kernel hlo_kernel_send = {prepare_triple, run_send};

static bool run_send_done(hlo_call *call) {
    const hlo_value *sent = call->in[0];
    if (sent->elements && sent->shape->rank == 3)
        return hlo_call_give(call, hlo_value_retain(sent->elements[2]));
    return hlo_call_error(call, "does not end a send");
}

const hlo_kernel hlo_kernel_send_done = {NULL, run_send_done};

/* (space for the data, context, token): nothing has arrived yet. */
static bool run_recv(hlo_call *call) {
    const transfer_state *state = call->state;
    if (!state->has_host && !state->is_alone && !await_sender(call)) return false;
    return give_parts(call, (hlo_value *[]){hlo_call_zeros(call, call->shape->elements[0]),
                                            hlo_call_zeros(call, state->context),
                                            hlo_value_retain(call->in[0])});
}

const hlo_kernel hlo_kernel_recv = {prepare_triple, run_recv};

static bool report_unfit_data(const hlo_call *call, const hlo_value *data, int64_t channel) {
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_call_error(call, "receives %s from channel %lld", hlo_shape_name(&arena, data->shape),
                   (long long)channel);
    hlo_arena_free(&arena);
    return false;
}

/* Shapes of arguments may be of another module's table, and then differ in their address. */
static bool are_alike(const hlo_shape *a, const hlo_shape *b) {
    bool alike = a->type == b->type && a->rank == b->rank;
    if (!alike || hlo_shape_is_array(a)) return alike && hlo_shapes_same_dimensions(a, b);
    for (uint32_t i = 0; i < a->rank && alike; i++)
        alike = are_alike(a->elements[i], b->elements[i]);
    return alike;
}

/* (data, token): the data arrives here. */
static bool run_recv_done(hlo_call *call) {
    const transfer_state *state = call->state;
    const hlo_value *begun = call->in[0];
    if (!begun->elements || begun->shape->rank != 3)
        return hlo_call_error(call, "does not end a recv");
    hlo_value *token = begun->elements[2];
    if (state->has_host) return take_from_host(call, token);
    hlo_value *data =
        state->is_alone ? hlo_call_receive(call, state->channel) : receive_from_device(call);
    if (!data && !state->is_alone) return false;
    if (!data)
        return hlo_call_error(call, "deadlocks: there is no earlier send on channel %lld",
                              (long long)state->channel);
    if (are_alike(data->shape, call->shape->elements[0]))
        return give_parts(call, (hlo_value *[]){data, hlo_value_retain(token)});
    report_unfit_data(call, data, state->channel);
    hlo_value_release(data);
    return false;
}

const hlo_kernel hlo_kernel_recv_done = {prepare_pair, run_recv_done};
