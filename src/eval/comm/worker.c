/* The other ranks of a job: what their devices send to the coordinator, and what it sends them. See
 * wire.h. */
#include <string.h>

#include "eval/comm/instr_key.h"
#include "eval/comm/parcel.h"
#include "eval/comm/wire.h"

enum { COORDINATOR = 0 };

/* ---- what devices do ---- */

static size_t group_bytes(const hlo_device_group *group) {
    return group->count * sizeof *group->devices;
}

hlo_posted *hlo_worker_report_arrival(const hlo_comm *comm, const hlo_comm_topic *topic,
                                      uint32_t count) {
    if (comm->decides) return NULL;
    const hlo_frame frame = {.kind = HLO_FRAME_ARRIVE,
                             .device = topic->group->devices[topic->position],
                             .instr = hlo_instr_key(topic->instr),
                             .has_channel = topic->has_channel,
                             .key = topic->key,
                             .count = count};
    return hlo_posted_new(COORDINATOR, &frame, topic->group->devices, group_bytes(topic->group));
}

hlo_posted *hlo_worker_report_wait(const hlo_comm *comm, uint32_t device, const hlo_instr *instr,
                                   const hlo_meeting *meeting) {
    if (comm->decides) return NULL;
    hlo_frame frame = hlo_frame_of_meeting(HLO_FRAME_AWAIT, meeting);
    frame.device = device;
    frame.instr = hlo_instr_key(instr);
    return hlo_posted_new(COORDINATOR, &frame, meeting->group->devices,
                          group_bytes(meeting->group));
}

hlo_posted *hlo_worker_report_end(const hlo_comm *comm, uint32_t device, bool went_well) {
    if (comm->decides) return NULL;
    const hlo_frame frame = {
        .kind = HLO_FRAME_END, .device = device, .instr = -1, .number = went_well};
    return hlo_posted_new(COORDINATOR, &frame, NULL, 0);
}

static hlo_posted *message_frame(hlo_frame_kind kind, uint32_t device,
                                 const hlo_comm_address *address, const hlo_value *value) {
    hlo_buf text = HLO_BUF_INIT;
    const hlo_frame frame = {.kind = kind,
                             .device = device,
                             .instr = hlo_instr_key(address->instr),
                             .has_channel = address->has_channel,
                             .key = address->key,
                             .message_kind = address->kind,
                             .from = address->from,
                             .to = address->to};
    if (value) hlo_parcel_describe(&text, value);
    hlo_posted *posted = hlo_posted_new(COORDINATOR, &frame, text.data, text.len);
    hlo_buf_free(&text);
    return posted;
}

bool hlo_worker_send(hlo_comm *comm, const hlo_comm_address *address, hlo_value *value) {
    hlo_wire *wire = comm->wire;
    hlo_posted *posted = message_frame(HLO_FRAME_SEND, address->from, address, value);
    hlo_parcel *parcel = value ? hlo_calloc(1, sizeof *parcel) : NULL;
    pthread_mutex_lock(&comm->lock);
    if (parcel) {
        *parcel = (hlo_parcel){wire->parcels, ++wire->parcel_count, value};
        posted->frame.number = parcel->number;
        wire->parcels = parcel;
    }
    hlo_wire_post(wire, &posted);
    bool is_over = comm->is_over;
    pthread_mutex_unlock(&comm->lock);
    return !is_over;
}

static bool is_delivered(hlo_comm *comm, const void *device) {
    (void)comm;
    return ((const hlo_comm_device *)device)->is_delivered;
}

hlo_comm_outcome hlo_worker_receive(hlo_comm *comm, uint32_t device,
                                    const hlo_comm_address *address, hlo_value **value) {
    hlo_comm_device *own = &comm->devices[device];
    const hlo_comm_wait wait = {.instr = address->instr, .address = address};
    hlo_posted *posted = message_frame(HLO_FRAME_RECEIVE, device, address, NULL);
    pthread_mutex_lock(&comm->lock);
    hlo_wire_post(comm->wire, &posted);
    hlo_comm_outcome outcome = hlo_comm_sleep(comm, device, &wait, is_delivered, own);
    if (outcome == HLO_COMM_DONE) {
        *value = own->delivered;
        own->delivered = NULL;
        own->is_delivered = false;
    }
    pthread_mutex_unlock(&comm->lock);
    return outcome;
}

/* ---- frames from the coordinator ---- */

/* A meeting whose members here have all left, after an error, has no reader of the frame here; but
 * others may want their offers, and then it still exists. */
static void receive_complete(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    hlo_comm_topic topic = hlo_frame_topic(wire, frame, text);
    hlo_meeting *meeting = hlo_meeting_find(wire->comm, &topic, frame->number);
    if (!meeting) return;
    hlo_meeting_complete(wire->comm, meeting);
    if (meeting->here < meeting->group->count) hlo_wire_exchange(wire, meeting);
}

static void receive_delivery(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    if (!frame->number) hlo_wire_deliver(wire, frame->device, NULL);
    else if (frame->from == wire->transport->rank)
        hlo_wire_deliver(wire, frame->device, hlo_wire_take_parcel(wire, frame->number));
    else hlo_wire_pull(wire, frame->number, frame->from, text, frame->device);
}

static void receive_wait_report(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    hlo_comm_wait_report *report = &wire->comm->reports[frame->device];
    report->device = frame->device;
    report->instr = frame->instr < 0 ? NULL : hlo_instr_of_key(wire->module, frame->instr);
    report->first_peer = frame->from;
    memcpy(report->peers, text, sizeof report->peers);
}

static void receive_end(hlo_wire *wire) {
    wire->comm->is_over = true;
    hlo_comm_wake_all(wire->comm);
}

static void receive_stuck(hlo_wire *wire, const hlo_frame *frame) {
    wire->comm->is_stuck = true;
    wire->comm->reporter = frame->device;
}

static void receive_other(hlo_wire *wire, const hlo_frame *frame) {
    hlo_comm_device *device = &wire->comm->devices[frame->device];
    device->other = hlo_instr_of_key(wire->module, frame->instr);
    pthread_cond_signal(&device->changed);
}

void hlo_worker_dispatch(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    switch (frame->kind) {
    case HLO_FRAME_COMPLETE: receive_complete(wire, frame, text); break;
    case HLO_FRAME_PUSH:
        hlo_wire_push(wire, frame->number, hlo_wire_take_parcel(wire, frame->number), frame->to);
        break;
    case HLO_FRAME_DELIVER: receive_delivery(wire, frame, text); break;
    case HLO_FRAME_OTHER: receive_other(wire, frame); break;
    case HLO_FRAME_STORY: receive_wait_report(wire, frame, text); break;
    case HLO_FRAME_STUCK: receive_stuck(wire, frame); break;
    case HLO_FRAME_OVER: receive_end(wire); break;
    default: wire->is_finished = true; break;
    }
}
