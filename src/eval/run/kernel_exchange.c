/* Exchanges of a device with others of its run, for the kernels of collectives and transfers: see
 * kernel_device.h. What cannot go on is reported here. */
#include "analysis/participants.h"
#include "eval/comm/comm.h"
#include "eval/comm/instr_key.h"
#include "eval/kernel/kernel_device.h"
#include "eval/run/exchange_words.h"
#include "eval/run/frame.h"
#include "eval/value/value_memory.h"

/* ---- preparing ---- */

static bool prepare_groups(hlo_preparation *p, const hlo_instr *instr,
                           hlo_device_exchange *exchange) {
    exchange->groups =
        hlo_device_groups_of(p->arena, instr, p->replicas * p->partitions, &p->assignment);
    if (!exchange->groups)
        return hlo_prepare_error(p, HLO_RULE_RUN,
                                 "has replica groups with devices beyond the %u replicas and %u "
                                 "partitions of the run",
                                 p->replicas, p->partitions);
    return !exchange->groups->is_twice ||
           hlo_prepare_error(p, HLO_RULE_RUN, "has replica groups that name a device twice");
}

static bool prepare_pairs(hlo_preparation *p, const hlo_int_lists *pairs, bool of_partitions,
                          hlo_device_exchange *exchange) {
    exchange->pairs = hlo_device_pairs_of(p->arena, pairs, of_partitions, p->replicas,
                                          p->partitions, &p->assignment);
    return exchange->pairs ||
           hlo_prepare_error(p, HLO_RULE_RUN, "has pairs with devices beyond the %u %s of the run",
                             of_partitions ? p->partitions : p->replicas,
                             of_partitions ? "partitions" : "replicas");
}

/* One more than the greatest number in the groups; 0 without any. */
static int64_t devices_of_groups(hlo_arena *arena, const hlo_instr *instr) {
    const hlo_int_lists *lists = hlo_groups_of(instr) ? hlo_listed_groups(arena, instr) : NULL;
    int64_t most = 0;
    for (uint32_t i = 0; lists && i < lists->n; i++)
        for (uint32_t k = 0; k < lists->v[i]->n; k++)
            if (lists->v[i]->v[k] >= most) most = lists->v[i]->v[k] + 1;
    return most;
}

bool hlo_prepare_alone(hlo_preparation *p, const hlo_instr *instr) {
    if (hlo_op_attr((hlo_opcode)instr->opcode, HLO_ATTR_REPLICA_GROUPS) == HLO_ATTR_COUNT)
        return true;
    int64_t devices = devices_of_groups(p->arena, instr);
    bool has_channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) != NULL;
    return devices <= 1 ||
           hlo_prepare_error(p, HLO_RULE_RUN,
                             "has replica groups of %lld devices, and the run has one: --%s=%lld "
                             "runs it on as many",
                             (long long)devices, has_channel ? "partitions" : "replicas",
                             (long long)devices);
}

bool hlo_prepare_exchange(hlo_preparation *p, const hlo_instr *instr,
                          hlo_device_exchange *exchange) {
    const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    const hlo_attr *pairs = hlo_instr_attr(instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    *exchange = (hlo_device_exchange){.has_channel = channel,
                                      .key = channel ? channel->u.i : hlo_instr_key(instr)};
    if (pairs) return prepare_pairs(p, pairs->u.int_lists, channel != NULL, exchange);
    bool has_groups =
        hlo_op_attr((hlo_opcode)instr->opcode, HLO_ATTR_REPLICA_GROUPS) != HLO_ATTR_COUNT;
    return !has_groups || prepare_groups(p, instr, exchange);
}

/* ---- who ---- */

uint32_t hlo_call_device(const hlo_call *call) {
    return call->thread->device->options.number;
}

const hlo_device_group *hlo_call_group(const hlo_call *call, const hlo_device_exchange *exchange) {
    uint32_t group = exchange->groups->group_of[hlo_call_device(call)];
    return group == HLO_NO_GROUP ? NULL : &exchange->groups->groups[group];
}

static hlo_comm *comm_of(const hlo_call *call) {
    return call->thread->device->comm;
}

/* ---- errors ---- */

static void note_wait_report(const hlo_call *call, const hlo_comm_wait_report *report) {
    hlo_thread *thread = call->thread;
    if (!report->instr) {
        hlo_note(thread->diags, NULL, (hlo_span){0}, "device %u has ended", report->device);
        return;
    }
    const hlo_instr *at = hlo_program_origin(thread->program, report->instr);
    hlo_buf what = HLO_BUF_INIT;
    hlo_put_exchange(&what, at);
    hlo_note(thread->diags, at->parent->module->source, at->at,
             "device %u waits in '%.*s'%.*s for %s", report->device, (int)at->name->len,
             at->name->ptr, (int)what.len, what.data, report->peers);
    hlo_buf_free(&what);
}

static hlo_exchange_devices devices_of(const hlo_call *call) {
    const hlo_program_options *options = &call->thread->program->options;
    uint32_t replicas = options->replicas ? options->replicas : 1;
    uint32_t partitions = options->partitions ? options->partitions : 1;
    return (hlo_exchange_devices){replicas * partitions, options->assignment};
}

static hlo_exchange_place place_of(const hlo_call *call, const hlo_instr *instr, uint32_t device) {
    return (hlo_exchange_place){hlo_program_origin(call->thread->program, instr), device};
}

/* Of a send without its recv, and the reverse. False: it is neither. */
static bool note_counterpart(const hlo_call *call, const hlo_comm_wait_report *report) {
    hlo_opcode opcode;
    const hlo_instr *found, *at = hlo_program_origin(call->thread->program, report->instr);
    if (!hlo_find_counterpart(at, &opcode, &found)) return false;
    if (!found)
        hlo_note(call->thread->diags, at->parent->module->source, at->at,
                 "no %s of the module is on the channel of '%.*s' of device %u",
                 hlo_ops[opcode].text, (int)at->name->len, at->name->ptr, report->device);
    else
        hlo_note(call->thread->diags, found->parent->module->source, found->at,
                 "'%.*s' of device %u needs '%.*s' (%s), which %s has not run", (int)at->name->len,
                 at->name->ptr, report->device, (int)found->name->len, found->name->ptr,
                 hlo_info(found)->text, report->peers);
    return true;
}

/* Why a device and the first that it waits for, which waits elsewhere, do not meet. */
static void note_differences(const hlo_call *call, const hlo_comm_wait_report *report,
                             const hlo_comm_wait_report *peer) {
    hlo_exchange_devices devices = devices_of(call);
    hlo_exchange_place a = place_of(call, report->instr, report->device);
    hlo_exchange_place b = place_of(call, peer->instr, peer->device);
    hlo_buf text = HLO_BUF_INIT;
    hlo_put_differences(&text, &devices, &a, &b);
    const hlo_name *one = a.instr->name, *other = b.instr->name;
    bool have_channels = hlo_exchange_channel(a.instr) || hlo_exchange_channel(b.instr);
    if (a.instr != b.instr && !have_channels)
        hlo_note(
            call->thread->diags, b.instr->parent->module->source, b.instr->at,
            "'%.*s' and '%.*s' have no channel: devices meet only where both are in the same one",
            (int)one->len, one->ptr, (int)other->len, other->ptr);
    if (text.len)
        hlo_note(call->thread->diags, b.instr->parent->module->source, b.instr->at,
                 "'%.*s' of device %u and '%.*s' of device %u differ in %.*s", (int)one->len,
                 one->ptr, a.device, (int)other->len, other->ptr, b.device, (int)text.len,
                 text.data);
    hlo_buf_free(&text);
}

/* Those of a device that waits: once for two devices that wait for each other. */
static void explain_wait(const hlo_call *call, const hlo_comm_wait_report *reports,
                         uint32_t device) {
    const hlo_comm_wait_report *report = &reports[device];
    if (!report->instr || note_counterpart(call, report) || report->first_peer == HLO_NO_GROUP)
        return;
    const hlo_comm_wait_report *peer = &reports[report->first_peer];
    bool is_explained = peer->device < device && peer->first_peer == device;
    if (peer->instr && !is_explained) note_differences(call, report, peer);
}

static void report_deadlock(const hlo_call *call) {
    enum { MOST_NOTES = 16, MOST_EXPLAINED = 4 };
    uint32_t count;
    const hlo_comm_wait_report *reports = hlo_comm_wait_reports(comm_of(call), &count);
    hlo_call_rule_error(call, HLO_RULE_DEADLOCK, "deadlocks: no device can continue");
    for (uint32_t i = 0; i < count && i < MOST_NOTES; i++) note_wait_report(call, &reports[i]);
    if (count > MOST_NOTES)
        hlo_note(call->thread->diags, NULL, (hlo_span){0}, "and %u more devices",
                 count - MOST_NOTES);
    for (uint32_t i = 0; i < count && i < MOST_EXPLAINED; i++) explain_wait(call, reports, i);
}

static void report_other(const hlo_call *call, const hlo_instr *other) {
    uint32_t device = hlo_call_device(call);
    hlo_exchange_devices devices = devices_of(call);
    hlo_exchange_place own = place_of(call, call->instr, device),
                       its = place_of(call, other, device);
    const hlo_instr *at = its.instr;
    hlo_buf text = HLO_BUF_INIT;
    hlo_put_differences(&text, &devices, &own, &its);
    hlo_call_rule_error(call, HLO_RULE_EXCHANGE,
                        "is matched with '%.*s' (%s) of another device and differs in %.*s",
                        (int)at->name->len, at->name->ptr, hlo_info(at)->text, (int)text.len,
                        text.data);
    hlo_buf_free(&text);
    hlo_note(call->thread->diags, at->parent->module->source, at->at, "the other instruction");
}

/* The device ends, too, where another has reported why. */
static bool went_well(const hlo_call *call, hlo_comm_outcome outcome) {
    switch (outcome) {
    case HLO_COMM_DONE: return true;
    case HLO_COMM_STUCK: report_deadlock(call); break;
    case HLO_COMM_OTHER:
        report_other(call, hlo_comm_other(comm_of(call), hlo_call_device(call)));
        break;
    default: hlo_device_end(call->thread->device); break;
    }
    return false;
}

/* ---- meetings ---- */

/* Values that other devices may keep. NULL, and nothing is left, without memory. */
static hlo_value **copies_of(hlo_value *const *values, uint32_t count) {
    hlo_value **copies = hlo_calloc(count, sizeof *copies);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        copies[i] = hlo_value_copy(hlo_value_retain(values[i]));
        good = copies[i];
        if (good) hlo_value_share(copies[i]);
    }
    if (good) return copies;
    for (uint32_t i = 0; i < count; i++) hlo_value_release(copies[i]);
    hlo_free(copies);
    return NULL;
}

static hlo_meeting *arrive(hlo_call *call, const hlo_device_exchange *exchange,
                           hlo_value *const *offers, uint32_t count, bool are_kept) {
    const hlo_instr *other;
    uint32_t device = hlo_call_device(call);
    hlo_comm_topic topic = {.instr = call->instr,
                            .has_channel = exchange->has_channel,
                            .key = exchange->key,
                            .group = hlo_call_group(call, exchange),
                            .position = exchange->groups->position[device]};
    hlo_meeting *meeting = hlo_comm_arrive(comm_of(call), &topic, offers, count, are_kept, &other);
    if (!meeting && other) report_other(call, other);
    else if (!meeting) hlo_device_end(call->thread->device);
    return meeting;
}

hlo_meeting *hlo_call_arrive(hlo_call *call, const hlo_device_exchange *exchange,
                             hlo_value *const *offers, uint32_t count, bool are_kept) {
    if (!are_kept) return arrive(call, exchange, offers, count, false);
    hlo_value **copies = copies_of(offers, count);
    if (!copies) return NULL;
    hlo_meeting *meeting = arrive(call, exchange, copies, count, true);
    for (uint32_t i = 0; i < count; i++) hlo_value_release(copies[i]);
    hlo_free(copies);
    return meeting;
}

bool hlo_call_await(hlo_call *call, hlo_meeting *meeting) {
    return went_well(call,
                     hlo_comm_await(comm_of(call), hlo_call_device(call), call->instr, meeting));
}

hlo_value *hlo_call_common(hlo_call *call, hlo_meeting *meeting, const hlo_shape *shape) {
    return hlo_meeting_common(comm_of(call), meeting, shape);
}

bool hlo_call_together(hlo_call *call, hlo_meeting *meeting, uint32_t pieces,
                       bool (*piece)(void *context, uint32_t number), void *context) {
    uint32_t errors = call->thread->diags->errors;
    if (hlo_meeting_together(comm_of(call), hlo_call_device(call), meeting, pieces, piece, context))
        return true;
    if (call->thread->diags->errors == errors) hlo_device_end(call->thread->device);
    return false;
}

void hlo_call_leave(hlo_call *call, hlo_meeting *meeting) {
    hlo_comm_leave(comm_of(call), hlo_call_device(call), meeting);
}

/* ---- starts ---- */

void hlo_call_start(hlo_call *call, const void *state, hlo_meeting *meeting) {
    hlo_started started = {call->instr, state, meeting};
    hlo_list_push(&call->thread->device->started, started);
}

bool hlo_call_end(hlo_call *call, const hlo_instr *start, const void **state,
                  hlo_meeting **meeting) {
    hlo_device *device = call->thread->device;
    uint32_t i = 0;
    while (i < device->started.n && device->started.v[i].start != start) i++;
    if (i == device->started.n) return false;
    *state = device->started.v[i].state;
    *meeting = device->started.v[i].meeting;
    device->started.n--;
    memmove(device->started.v + i, device->started.v + i + 1,
            (device->started.n - i) * sizeof *device->started.v);
    return true;
}

/* ---- messages ---- */

bool hlo_call_blocks(const hlo_call *call) {
    return call->thread->program->options.handshake;
}

static hlo_comm_address address_of(const hlo_call *call, const hlo_device_exchange *exchange,
                                   hlo_message_kind kind) {
    return (hlo_comm_address){.instr = call->instr,
                              .kind = kind,
                              .has_channel = exchange->has_channel,
                              .key = exchange->key};
}

static bool flush(const hlo_call *call) {
    if (hlo_device_flush(call->thread->device)) return true;
    hlo_device_end(call->thread->device);
    return false;
}

bool hlo_call_send_to(hlo_call *call, const hlo_device_exchange *exchange, hlo_message_kind kind,
                      uint32_t device, hlo_value *value) {
    hlo_comm_address address = address_of(call, exchange, kind);
    address.from = hlo_call_device(call);
    address.to = device;
    hlo_value *copy = value ? hlo_value_copy(hlo_value_retain(value)) : NULL;
    if (value && !copy) return false;
    if (copy) hlo_value_share(copy);
    hlo_device *own = call->thread->device;
    hlo_list_push(&own->outgoing, ((hlo_outgoing){address, copy}));
    return own->options.observe || flush(call);
}

bool hlo_call_receive_from(hlo_call *call, const hlo_device_exchange *exchange,
                           hlo_message_kind kind, uint32_t device, hlo_value **value) {
    hlo_comm_address address = address_of(call, exchange, kind);
    address.from = device;
    address.to = hlo_call_device(call);
    return flush(call) &&
           went_well(call, hlo_comm_receive(comm_of(call), hlo_call_device(call), &address, value));
}
