/* The wire's life and its thread, which sends and receives frames until all devices of the job have
 * ended: see wire.h. */
#include "eval/comm/wire.h"

#include <string.h>

#include "base/pool.h"
#include "eval/comm/instr_key.h"

/* ---- making ---- */

/* Where each device and each wire has a processor, threads do not sleep in short waits. */
static bool has_processors(const hlo_comm *comm, const hlo_transport *transport) {
    uint64_t threads = ((uint64_t)comm->count + transport->ranks) * transport->neighbours;
    return threads <= (uint64_t)hlo_processors() * transport->ranks;
}

void hlo_wire_new(hlo_comm *comm, hlo_world *world, const hlo_module *module) {
    hlo_wire *wire = hlo_calloc(1, sizeof *wire);
    wire->comm = comm;
    wire->world = world;
    wire->transport = world->transport;
    wire->module = module;
    wire->scope = hlo_unwind_current();
    uint32_t rank = world->transport->rank;
    comm->wire = wire;
    comm->first = hlo_world_first_device(world, comm->count, rank);
    comm->last = hlo_world_first_device(world, comm->count, rank + 1);
    comm->decides = rank == 0;
    comm->spins = has_processors(comm, world->transport);
    hlo_doorbell_init(&wire->bell, &comm->lock, comm->spins);
}

void hlo_wire_free(hlo_wire *wire) {
    if (!wire) return;
    for (hlo_posted *p = wire->posted, *next; p; p = next) {
        next = p->next;
        hlo_free(p);
    }
    for (hlo_parcel *p = wire->parcels, *next; p; p = next) {
        next = p->next;
        hlo_value_release(p->value);
        hlo_free(p);
    }
    for (hlo_known_group *g = wire->groups, *next; g; g = next) {
        next = g->next;
        hlo_free((void *)g->group.ascending);
        hlo_free(g);
    }
    hlo_doorbell_destroy(&wire->bell);
    hlo_free(wire);
}

uint32_t hlo_wire_rank_of(const hlo_wire *wire, uint32_t device) {
    HLO_ASSERT(device < wire->comm->count);
    return hlo_world_rank_of(wire->world, wire->comm->count, device);
}

/* ---- frames ---- */

hlo_posted *hlo_posted_new(uint32_t to, const hlo_frame *frame, const void *text, size_t bytes) {
    hlo_posted *posted = hlo_malloc(sizeof *posted + bytes);
    posted->next = NULL;
    posted->to = to;
    posted->frame = *frame;
    posted->frame.bytes = (uint32_t)bytes;
    if (bytes) memcpy(posted->text, text, bytes);
    return posted;
}

void hlo_wire_notify(hlo_wire *wire) {
    if (wire) hlo_doorbell_ring(&wire->bell);
}

void hlo_wire_post(hlo_wire *wire, hlo_posted **posted) {
    if (!*posted) return;
    hlo_posted **end = &wire->posted;
    while (*end) end = &(*end)->next;
    *end = *posted;
    *posted = NULL;
    hlo_wire_notify(wire);
}

void hlo_wire_send(hlo_wire *wire, uint32_t to, const hlo_frame *frame, const void *text,
                   size_t bytes) {
    hlo_posted *posted = hlo_posted_new(to, frame, text, bytes);
    wire->transport->send(wire->transport, to, &posted->frame, sizeof posted->frame + bytes);
    hlo_free(posted);
}

/* What comes after the last frame is for the next execution. */
static bool receive_frames(hlo_wire *wire) {
    size_t count;
    bool any = false;
    for (const char *bytes;
         !wire->is_finished && (bytes = wire->transport->poll(wire->transport, &count));
         any = true) {
        hlo_frame frame;
        memcpy(&frame, bytes, sizeof frame);
        pthread_mutex_lock(&wire->comm->lock);
        if (wire->comm->decides) hlo_coordinator_dispatch(wire, &frame, bytes + sizeof frame);
        else hlo_worker_dispatch(wire, &frame, bytes + sizeof frame);
        pthread_mutex_unlock(&wire->comm->lock);
    }
    return any;
}

/* ---- the thread ---- */

/* Frames that wait go first: they report earlier events. */
static bool handle_doorbell(hlo_wire *wire) {
    if (!hlo_doorbell_was_rung(&wire->bell)) return false;
    pthread_mutex_lock(&wire->comm->lock);
    while (wire->posted) {
        hlo_posted *first = wire->posted;
        wire->posted = first->next;
        hlo_wire_send(wire, first->to, &first->frame, first->text, first->frame.bytes);
        hlo_free(first);
    }
    if (wire->comm->decides) hlo_coordinator_look(wire);
    pthread_mutex_unlock(&wire->comm->lock);
    return true;
}

static void work(void *context) {
    hlo_wire *wire = context;
    for (uint32_t idle = 0; !wire->is_finished || wire->pending;) {
        bool any = handle_doorbell(wire);
        any |= receive_frames(wire);
        any |= hlo_wire_end_transfers(wire);
        idle = any ? 0 : idle + 1;
        if (!any) hlo_doorbell_rest(&wire->bell, idle);
    }
    wire->transport->flush(wire->transport);
}

static void *run(void *context) {
    hlo_wire *wire = context;
    if (hlo_unwind_work(wire->scope, work, wire))
        hlo_world_fail(wire->world, "memory for messages of other processes");
    return NULL;
}

void hlo_wire_start(hlo_wire *wire) {
    wire->has_thread = pthread_create(&wire->thread, NULL, run, wire) == 0;
    if (!wire->has_thread) hlo_world_fail(wire->world, "a thread for messages of other processes");
}

void hlo_wire_join(hlo_wire *wire) {
    if (wire->has_thread) pthread_join(wire->thread, NULL);
    wire->has_thread = false;
}

/* ---- topics and addresses ---- */

static const uint32_t *ascending(const uint32_t *devices, uint32_t count) {
    uint32_t *order = hlo_calloc(count, sizeof *order);
    hlo_device_order(order, devices, count);
    return order;
}

static const hlo_device_group *known_group(hlo_wire *wire, const char *text, uint32_t bytes) {
    uint32_t count = bytes / (uint32_t)sizeof(uint32_t);
    for (hlo_known_group *g = wire->groups; g; g = g->next)
        if (g->group.count == count && memcmp(g->devices, text, bytes) == 0) return &g->group;
    hlo_known_group *g = hlo_malloc(sizeof *g + bytes);
    memcpy(g->devices, text, bytes);
    g->group = (hlo_device_group){count, g->devices, ascending(g->devices, count)};
    g->next = wire->groups;
    wire->groups = g;
    return &g->group;
}

hlo_comm_topic hlo_frame_topic(hlo_wire *wire, const hlo_frame *frame, const char *text) {
    HLO_ASSERT(frame->device < wire->comm->count);
    const hlo_device_group *group = known_group(wire, text, frame->bytes);
    return (hlo_comm_topic){.instr = hlo_instr_of_key(wire->module, frame->instr),
                            .has_channel = frame->has_channel,
                            .key = frame->key,
                            .group = group,
                            .position = hlo_device_position(group, frame->device)};
}

hlo_frame hlo_frame_of_meeting(hlo_frame_kind kind, const hlo_meeting *meeting) {
    return (hlo_frame){.kind = kind,
                       .instr = -1,
                       .has_channel = meeting->has_channel,
                       .key = meeting->key,
                       .number = meeting->ordinal};
}

hlo_comm_address hlo_frame_address(const hlo_wire *wire, const hlo_frame *frame) {
    return (hlo_comm_address){.instr = hlo_instr_of_key(wire->module, frame->instr),
                              .kind = (hlo_message_kind)frame->message_kind,
                              .has_channel = frame->has_channel,
                              .key = frame->key,
                              .from = frame->from,
                              .to = frame->to};
}
