/* Messages from one device to another: see comm.h. */
#include "eval/comm/wire.h"

static bool is_device(uint32_t wanted, uint32_t device) {
    return wanted == HLO_NO_GROUP || device == HLO_NO_GROUP || wanted == device;
}

static bool is_for(const hlo_message *message, const hlo_comm_address *wanted) {
    const hlo_comm_address *sent = &message->address;
    return sent->kind == wanted->kind && sent->key == wanted->key &&
           sent->has_channel == wanted->has_channel && is_device(wanted->from, sent->from) &&
           is_device(wanted->to, sent->to);
}

static hlo_message **find_first(hlo_comm *comm, const hlo_comm_address *wanted) {
    hlo_message **at = &comm->messages;
    while (*at && !is_for(*at, wanted)) at = &(*at)->next;
    return at;
}

/* The link to the first message of the address; where any device may send it, one that the receiver
 * sent itself goes first. Points to NULL when there is none. */
static hlo_message **find_message(hlo_comm *comm, const hlo_comm_address *wanted) {
    hlo_comm_address own = *wanted;
    if (wanted->from != HLO_NO_GROUP) return find_first(comm, wanted);
    own.from = wanted->to;
    hlo_message **at = find_first(comm, &own);
    return *at ? at : find_first(comm, wanted);
}

static bool is_there(hlo_comm *comm, const void *address) {
    return *find_message(comm, address);
}

/* Those that wait for the message; where any may take it, all that wait for a message. */
static void wake_receivers(hlo_comm *comm, const hlo_message *message) {
    for (uint32_t i = 0; i < comm->count; i++) {
        const hlo_comm_device *device = &comm->devices[i];
        if (device->state == HLO_DEVICE_WAITS && device->wait.address &&
            is_for(message, device->wait.address))
            hlo_comm_wake(comm, i);
    }
}

void hlo_message_free(hlo_message *message) {
    if (!message) return;
    hlo_value_release(message->value);
    hlo_free(message->description);
    hlo_free(message);
}

void hlo_message_add(hlo_comm *comm, hlo_message *message) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(!message->next);
    hlo_message **end = &comm->messages;
    while (*end) end = &(*end)->next;
    *end = message;
    wake_receivers(comm, message);
}

hlo_message *hlo_message_take(hlo_comm *comm, const hlo_comm_address *wanted) {
    HLO_ASSERT_LOCKED(&comm->lock);
    hlo_message **at = find_message(comm, wanted), *message = *at;
    if (message) *at = message->next;
    return message;
}

bool hlo_comm_send(hlo_comm *comm, const hlo_comm_address *address, hlo_value *value) {
    if (!comm->decides) return hlo_worker_send(comm, address, value);
    hlo_message *message = hlo_calloc(1, sizeof *message);
    message->address = *address;
    message->value = value;
    pthread_mutex_lock(&comm->lock);
    bool is_over = comm->is_over;
    hlo_message_add(comm, message);
    pthread_mutex_unlock(&comm->lock);
    return !is_over;
}

/* What a device of another process has sent. */
static hlo_comm_outcome fetch(hlo_comm *comm, uint32_t device, hlo_message *message,
                              hlo_value **value) {
    HLO_ASSERT_LOCKED(&comm->lock);
    hlo_comm_device *own = &comm->devices[device];
    HLO_ASSERT(!own->is_delivered && !own->fetched);
    own->fetched = message;
    hlo_wire_notify(comm->wire);
    while (!own->is_delivered && !comm->is_over) hlo_comm_sleep_a_while(comm, device);
    if (!own->is_delivered) return HLO_COMM_OVER;
    *value = own->delivered;
    own->delivered = NULL;
    own->is_delivered = false;
    return HLO_COMM_DONE;
}

hlo_comm_outcome hlo_comm_receive(hlo_comm *comm, uint32_t device, const hlo_comm_address *address,
                                  hlo_value **value) {
    hlo_message *message = NULL;
    const hlo_comm_wait wait = {.instr = address->instr, .address = address};
    *value = NULL;
    if (!comm->decides) return hlo_worker_receive(comm, device, address, value);
    pthread_mutex_lock(&comm->lock);
    hlo_comm_outcome outcome = hlo_comm_sleep(comm, device, &wait, is_there, address);
    if (outcome == HLO_COMM_DONE) message = hlo_message_take(comm, address);
    if (message && message->parcel) {
        outcome = fetch(comm, device, message, value);
        message = NULL;
    }
    pthread_mutex_unlock(&comm->lock);
    if (message) {
        *value = message->value;
        message->value = NULL;
    }
    hlo_message_free(message);
    return outcome;
}
