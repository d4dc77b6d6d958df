/* Kernels of infeed, outfeed, send and recv: values from and to the host, through the functions of
 * the device, and along channels inside the module. Called through the kernel table. */
#include "eval/eval.h"
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

/* A tuple of the n parts, whose references it takes; NULL, and they are released, when one is. */
static hlo_value *tuple_of(const hlo_shape *shape, hlo_value **parts, uint32_t n) {
    bool complete = true;
    for (uint32_t i = 0; i < n; i++) complete &= parts[i] != NULL;
    hlo_value *tuple = complete ? hlo_value_new(shape) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (tuple) tuple->elements[i] = parts[i];
        else hlo_value_release(parts[i]);
    }
    return tuple;
}

/* Whether the result is a tuple of so many parts; the verifier has seen to it. */
static bool has_parts(hlo_eval *eval, const hlo_instr *instr, uint32_t count) {
    if (hlo_shape_is_tuple(instr->shape) && instr->shape->rank == count) return true;
    hlo_eval_error(eval, instr, "does not have a result of %u parts", count);
    return false;
}

/* ---- infeed and outfeed ---- */

/* (data, token) from the host. */
static hlo_value *take_from_host(hlo_eval *eval, const hlo_instr *instr, hlo_value *token) {
    hlo_value *parts[] = {hlo_call_take_from_host(eval->call, instr->shape->elements[0]),
                          hlo_value_retain(token)};
    return tuple_of(instr->shape, parts, sizeof parts / sizeof *parts);
}

hlo_value *hlo_eval_infeed(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!has_parts(eval, instr, 2)) return NULL;
    return take_from_host(eval, instr, args[0]);
}

hlo_value *hlo_eval_outfeed(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)instr;
    return hlo_call_give_to_host(eval->call, args[0]) ? hlo_value_retain(args[1]) : NULL;
}

/* ---- channels inside the module ---- */

static int64_t channel_of(const hlo_instr *instr) {
    const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    return channel ? channel->u.i : 0;
}

/* ---- send and recv ---- */

/* (data, context, token): the data leaves here. */
hlo_value *hlo_eval_send(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!has_parts(eval, instr, 3)) return NULL;
    if (!is_host_transfer(instr)) hlo_call_send(eval->call, channel_of(instr), args[0]);
    else if (!hlo_call_give_to_host(eval->call, args[0])) return NULL;
    hlo_value *parts[] = {hlo_value_retain(args[0]), hlo_value_zeros(instr->shape->elements[1]),
                          hlo_value_retain(args[1])};
    return tuple_of(instr->shape, parts, sizeof parts / sizeof *parts);
}

hlo_value *hlo_eval_send_done(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (args[0]->elements && args[0]->shape->rank == 3)
        return hlo_value_retain(args[0]->elements[2]);
    hlo_eval_error(eval, instr, "does not end a send");
    return NULL;
}

/* (room for the data, context, token): nothing has arrived yet. */
hlo_value *hlo_eval_recv(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!has_parts(eval, instr, 3)) return NULL;
    hlo_value *parts[] = {hlo_value_zeros(instr->shape->elements[0]),
                          hlo_value_zeros(instr->shape->elements[1]), hlo_value_retain(args[0])};
    return tuple_of(instr->shape, parts, sizeof parts / sizeof *parts);
}

/* (data, token): the data arrives here. */
hlo_value *hlo_eval_recv_done(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!has_parts(eval, instr, 2)) return NULL;
    if (!args[0]->elements || args[0]->shape->rank != 3) {
        hlo_eval_error(eval, instr, "does not end a recv");
        return NULL;
    }
    hlo_value *token = args[0]->elements[2];
    if (is_host_transfer(instr)) return take_from_host(eval, instr, token);
    hlo_value *data = hlo_call_receive(eval->call, channel_of(instr));
    if (data && hlo_shape_compatible(data->shape, instr->shape->elements[0])) {
        hlo_value *parts[] = {data, hlo_value_retain(token)};
        return tuple_of(instr->shape, parts, sizeof parts / sizeof *parts);
    }
    if (data)
        hlo_eval_error(eval, instr, "receives %s from channel %lld",
                       hlo_shape_name(&eval->diags->arena, data->shape),
                       (long long)channel_of(instr));
    else
        hlo_eval_error(eval, instr, "deadlocks: no earlier send on channel %lld",
                       (long long)channel_of(instr));
    hlo_value_release(data);
    return NULL;
}
