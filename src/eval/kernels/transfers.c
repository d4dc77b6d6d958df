/* Kernels of infeed, outfeed, send and recv: values from and to the host, through the functions of
 * the device, and along channels inside the module. Called through the kernel table. */
#include "eval/kernel_device.h"

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
    bool has_host;
    int64_t channel;
    const hlo_shape *context; /* of send and recv */
} transfer_state;

/* Results are made of what arrives and of tokens. */
static bool prepare_transfer(hlo_preparation *p, uint32_t parts) {
    const hlo_attr *channel = hlo_instr_attr(p->instr, HLO_ATTR_CHANNEL_ID);
    const hlo_shape *shape = p->instr->shape;
    transfer_state *state = HLO_NEW_STATE(p, transfer_state);
    p->state = state;
    p->result = HLO_RESULT_VIEW;
    state->has_host = hlo_needs_host(p->instr);
    state->channel = channel ? channel->u.i : 0;
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

/* ---- send and recv ---- */

/* (data, context, token): the data leaves here. */
static bool run_send(hlo_call *call) {
    const transfer_state *state = call->state;
    hlo_value *data = call->in[0];
    if (!state->has_host) hlo_call_send(call, state->channel, data);
    else if (!hlo_call_give_to_host(call, data)) return false;
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

/* (data, token): the data arrives here. */
static bool run_recv_done(hlo_call *call) {
    const transfer_state *state = call->state;
    const hlo_value *begun = call->in[0];
    if (!begun->elements || begun->shape->rank != 3)
        return hlo_call_error(call, "does not end a recv");
    hlo_value *token = begun->elements[2];
    if (state->has_host) return take_from_host(call, token);
    hlo_value *data = hlo_call_receive(call, state->channel);
    if (!data)
        return hlo_call_error(call, "deadlocks: no earlier send on channel %lld",
                              (long long)state->channel);
    if (hlo_shape_compatible(data->shape, call->shape->elements[0]))
        return give_parts(call, (hlo_value *[]){data, hlo_value_retain(token)});
    report_unfit_data(call, data, state->channel);
    hlo_value_release(data);
    return false;
}

const hlo_kernel hlo_kernel_recv_done = {prepare_pair, run_recv_done};
