/* Values between processes: the offers of a meeting, in one exchange, and messages: see wire.h. */
#include "eval/comm/parcel.h"
#include "eval/comm/wire.h"
#include "eval/value/value_memory.h"

/* ---- transfers ---- */

static hlo_pending *new_pending(hlo_wire *wire, uint32_t extents) {
    hlo_pending *pending = hlo_calloc(1, sizeof *pending);
    pending->extents = hlo_calloc(extents, sizeof *pending->extents);
    pending->extents_count = extents;
    pending->next = wire->pending;
    wire->pending = pending;
    return pending;
}

static void free_pending(hlo_pending *pending) {
    for (uint32_t i = 0; i < pending->extents_count; i++) hlo_free(pending->extents[i].v);
    hlo_free(pending->extents);
    hlo_free(pending);
}

bool hlo_wire_end_transfers(hlo_wire *wire) {
    bool any = false;
    for (hlo_pending **at = &wire->pending; *at;) {
        hlo_pending *pending = *at;
        if (!wire->transport->is_done(wire->transport, pending->transfer)) {
            at = &pending->next;
            continue;
        }
        *at = pending->next;
        pthread_mutex_lock(&wire->comm->lock);
        pending->finish(wire, pending);
        pthread_mutex_unlock(&wire->comm->lock);
        free_pending(pending);
        any = true;
    }
    return any;
}

/* ---- meetings ---- */

/* The processes that have members, ascending. */
static uint32_t list_ranks(const hlo_wire *wire, const hlo_device_group *group, uint32_t *ranks) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t rank = hlo_wire_rank_of(wire, group->devices[group->ascending[i]]);
        if (!n || ranks[n - 1] != rank) ranks[n++] = rank;
    }
    return n;
}

/* Memory for what a member of another process offers. */
static void make_offers(hlo_meeting *m, uint32_t member) {
    for (uint32_t i = 0; i < m->count; i++) {
        hlo_value *value = hlo_value_new_tree(hlo_operand(m->instr, i)->shape);
        if (!value) hlo_out_of_memory_for("operands of remote devices");
        hlo_value_share(value);
        m->offers[(size_t)member * m->count + i] = value;
    }
}

static void add_offers(hlo_extents *to, const hlo_meeting *m, uint32_t member) {
    for (uint32_t i = 0; i < m->count; i++)
        hlo_parcel_add_extents(to, m->offers[(size_t)member * m->count + i]);
}

/* To each of the others all that members here offer, and from it what its members do. */
static void list_offers(hlo_wire *wire, hlo_meeting *m, const uint32_t *ranks, uint32_t count,
                        hlo_extents *extents) {
    for (uint32_t i = 0; i < m->group->count; i++) {
        uint32_t member = m->group->ascending[i];
        uint32_t rank = hlo_wire_rank_of(wire, m->group->devices[member]);
        bool is_here = rank == wire->transport->rank;
        if (!is_here) make_offers(m, member);
        for (uint32_t k = 0; k < count; k++) {
            if (is_here && ranks[k] != rank) add_offers(&extents[k], m, member);
            if (!is_here && ranks[k] == rank) add_offers(&extents[count + k], m, member);
        }
    }
}

static void fill_meeting(hlo_wire *wire, hlo_pending *pending) {
    pending->meeting->is_filled = true;
    hlo_meeting_signal(wire->comm, pending->meeting);
}

void hlo_wire_exchange(hlo_wire *wire, hlo_meeting *meeting) {
    HLO_ASSERT(meeting->is_complete);
    uint32_t *ranks = hlo_calloc(meeting->group->count, sizeof *ranks);
    uint32_t count = list_ranks(wire, meeting->group, ranks);
    hlo_pending *pending = new_pending(wire, 2 * count);
    pending->finish = fill_meeting;
    pending->meeting = meeting;
    meeting->is_started = true;
    list_offers(wire, meeting, ranks, count, pending->extents);
    pending->transfer = wire->transport->begin_exchange(wire->transport, ranks, count,
                                                        pending->extents, pending->extents + count);
    hlo_free(ranks);
}

/* ---- messages ---- */

hlo_value *hlo_wire_take_parcel(hlo_wire *wire, uint64_t number) {
    hlo_parcel **at = &wire->parcels, *parcel;
    while ((*at)->number != number) at = &(*at)->next;
    parcel = *at;
    *at = parcel->next;
    hlo_value *value = parcel->value;
    hlo_free(parcel);
    return value;
}

static void let_go(hlo_wire *wire, hlo_pending *pending) {
    (void)wire;
    hlo_value_release(pending->value);
}

void hlo_wire_push(hlo_wire *wire, uint64_t number, hlo_value *value, uint32_t to) {
    hlo_pending *pending = new_pending(wire, 1);
    pending->finish = let_go;
    pending->value = value;
    hlo_parcel_add_extents(pending->extents, value);
    pending->transfer =
        wire->transport->begin_send(wire->transport, to, (uint32_t)number, pending->extents);
}

void hlo_wire_deliver(hlo_wire *wire, uint32_t device, hlo_value *value) {
    HLO_ASSERT(device < wire->comm->count);
    hlo_comm_device *own = &wire->comm->devices[device];
    own->delivered = value;
    own->is_delivered = true;
    pthread_cond_signal(&own->changed);
}

static void hand_over(hlo_wire *wire, hlo_pending *pending) {
    hlo_wire_deliver(wire, pending->device, pending->value);
}

void hlo_wire_pull(hlo_wire *wire, uint64_t number, uint32_t from, const char *description,
                   uint32_t device) {
    hlo_pending *pending = new_pending(wire, 1);
    pending->finish = hand_over;
    pending->device = device;
    pending->value = hlo_parcel_make(&wire->world->shapes, description);
    if (!pending->value) hlo_out_of_memory_for("a message of another process");
    hlo_value_share(pending->value);
    hlo_parcel_add_extents(pending->extents, pending->value);
    pending->transfer =
        wire->transport->begin_receive(wire->transport, from, (uint32_t)number, pending->extents);
}
