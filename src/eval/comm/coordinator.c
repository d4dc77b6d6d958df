/* Rank 0 of a job: what it receives about the devices of other processes, and what it sends them.
 * See wire.h. */
#include <string.h>

#include "eval/comm/instr_key.h"
#include "eval/comm/parcel.h"
#include "eval/comm/wire.h"

/* ---- hearing ---- */

static void receive_arrival(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    hlo_comm_topic topic = hlo_frame_topic(wire, frame, text);
    const hlo_instr *other;
    hlo_meeting_come(wire->comm, &topic, frame->count, &other);
    wire->comm->devices[frame->device].other = other;
    if (!other) return;
    hlo_frame answer = {.kind = HLO_FRAME_OTHER, .device = frame->device};
    answer.instr = hlo_instr_key(other);
    hlo_wire_send(wire, hlo_wire_rank_of(wire, frame->device), &answer, NULL, 0);
}

/* The device is notified of a meeting that is complete, and of one that it does not fit. */
static void receive_wait(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    hlo_comm_topic topic = hlo_frame_topic(wire, frame, text);
    hlo_meeting *meeting = hlo_meeting_find(wire->comm, &topic, frame->number);
    bool fits = !wire->comm->devices[frame->device].other;
    if (!meeting || meeting->is_complete || !fits || wire->comm->is_over) return;
    const hlo_comm_wait wait = {.instr = topic.instr, .meeting = meeting};
    hlo_comm_begin_wait(wire->comm, frame->device, &wait);
}

static void receive_message(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    hlo_message *message = hlo_calloc(1, sizeof *message);
    message->address = hlo_frame_address(wire, frame);
    message->parcel = frame->number;
    message->description_bytes = frame->bytes;
    message->description = memcpy(hlo_malloc(frame->bytes + 1u), text, frame->bytes);
    hlo_message_add(wire->comm, message);
}

static void receive_request(hlo_wire *wire, const hlo_frame *frame) {
    hlo_comm_device *device = &wire->comm->devices[frame->device];
    device->wants = true;
    device->wanted = hlo_frame_address(wire, frame);
    hlo_wire_notify(wire);
}

void hlo_coordinator_dispatch(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    switch (frame->kind) {
    case HLO_FRAME_ARRIVE: receive_arrival(wire, frame, text); break;
    case HLO_FRAME_AWAIT: receive_wait(wire, frame, text); break;
    case HLO_FRAME_SEND: receive_message(wire, frame, text); break;
    case HLO_FRAME_RECEIVE: receive_request(wire, frame); break;
    default: hlo_comm_end_locked(wire->comm, frame->device, frame->number); break;
    }
}

/* ---- meetings ---- */

static void tell_complete(hlo_wire *wire, hlo_meeting *m) {
    hlo_frame frame = hlo_frame_of_meeting(HLO_FRAME_COMPLETE, m);
    uint32_t last = 0;
    for (uint32_t i = 0; i < m->group->count; i++) {
        uint32_t rank = hlo_wire_rank_of(wire, m->group->devices[m->group->ascending[i]]);
        if (rank > last)
            hlo_wire_send(wire, rank, &frame, m->group->devices,
                          m->group->count * sizeof *m->group->devices);
        last = rank;
    }
    m->is_told = true;
}

/* All processes begin their exchanges in the order in which they are notified of meetings. */
static void look_at_meetings(hlo_wire *wire) {
    for (hlo_meeting *m = wire->comm->meetings, *next; m; m = next) {
        next = m->next;
        if (!m->is_complete || m->is_told || m->here == m->group->count) continue;
        tell_complete(wire, m);
        if (m->here) hlo_wire_exchange(wire, m);
        else hlo_meeting_drop(wire->comm, m);
    }
}

/* ---- messages ---- */

/* The message goes to a device of another process. */
static void hand_on(hlo_wire *wire, uint32_t device, hlo_message *message) {
    uint32_t to = hlo_wire_rank_of(wire, device), from = 0;
    hlo_frame frame = {.kind = HLO_FRAME_DELIVER, .device = device, .number = message->parcel};
    hlo_buf text = HLO_BUF_INIT;
    if (message->parcel) {
        from = hlo_wire_rank_of(wire, message->address.from);
        hlo_frame push = {.kind = HLO_FRAME_PUSH, .number = message->parcel, .to = to};
        if (from != to) hlo_wire_send(wire, from, &push, NULL, 0);
        hlo_buf_bytes(&text, message->description, message->description_bytes);
    } else if (message->value) {
        frame.number = ++wire->parcel_count;
        hlo_parcel_describe(&text, message->value);
        hlo_wire_push(wire, frame.number, message->value, to);
        message->value = NULL;
    }
    frame.from = from;
    hlo_wire_send(wire, to, &frame, text.data, text.len);
    hlo_buf_free(&text);
    hlo_message_free(message);
}

/* A device that was woken for a message which another one has taken waits on. */
static void look_for_message(hlo_wire *wire, uint32_t number) {
    hlo_comm_device *device = &wire->comm->devices[number];
    if (!device->wants || device->state != HLO_DEVICE_RUNS || wire->comm->is_over) return;
    hlo_message *message = hlo_message_take(wire->comm, &device->wanted);
    const hlo_comm_wait wait = {.instr = device->wanted.instr, .address = &device->wanted};
    if (message) device->wants = false;
    if (message) hand_on(wire, number, message);
    else hlo_comm_begin_wait(wire->comm, number, &wait);
}

/* What a device of this process takes from another one. */
static void fetch(hlo_wire *wire, uint32_t number) {
    hlo_comm_device *device = &wire->comm->devices[number];
    hlo_message *message = device->fetched;
    if (!message) return;
    device->fetched = NULL;
    uint32_t from = hlo_wire_rank_of(wire, message->address.from);
    hlo_frame push = {.kind = HLO_FRAME_PUSH, .number = message->parcel};
    hlo_wire_send(wire, from, &push, NULL, 0);
    hlo_wire_pull(wire, message->parcel, from, message->description, number);
    hlo_message_free(message);
}

static void look_at_devices(hlo_wire *wire) {
    for (uint32_t i = 0; i < wire->comm->count; i++) {
        if (hlo_comm_is_here(wire->comm, i)) fetch(wire, i);
        else look_for_message(wire, i);
    }
}

/* ---- the end ---- */

static void tell_all(hlo_wire *wire, hlo_frame_kind kind) {
    const hlo_frame frame = {.kind = kind};
    for (uint32_t rank = 1; rank < wire->transport->ranks; rank++)
        hlo_wire_send(wire, rank, &frame, NULL, 0);
}

/* To the process whose device reports the deadlock. */
static void send_wait_reports(hlo_wire *wire) {
    hlo_comm *comm = wire->comm;
    uint32_t to = hlo_wire_rank_of(wire, comm->reporter);
    const hlo_frame end = {.kind = HLO_FRAME_STUCK, .device = comm->reporter};
    for (uint32_t i = 0; i < comm->count && to; i++) {
        const hlo_comm_wait_report *report = &comm->reports[i];
        hlo_frame frame = {.kind = HLO_FRAME_STORY, .device = i, .from = report->first_peer};
        frame.instr = report->instr ? hlo_instr_key(report->instr) : -1;
        hlo_wire_send(wire, to, &frame, report->peers, sizeof report->peers);
    }
    if (to) hlo_wire_send(wire, to, &end, NULL, 0);
}

static bool have_all_ended(const hlo_comm *comm) {
    uint32_t i = 0;
    while (i < comm->count && comm->devices[i].state == HLO_DEVICE_ENDED) i++;
    return i == comm->count;
}

void hlo_coordinator_look(hlo_wire *wire) {
    hlo_comm *comm = wire->comm;
    if (wire->is_finished) return;
    look_at_meetings(wire);
    look_at_devices(wire);
    if (comm->is_over && !wire->has_told_over) {
        if (comm->is_stuck) send_wait_reports(wire);
        tell_all(wire, HLO_FRAME_OVER);
        wire->has_told_over = true;
    }
    if (have_all_ended(comm)) {
        tell_all(wire, HLO_FRAME_FINISHED);
        wire->is_finished = true;
    }
}
