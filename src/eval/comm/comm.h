/* Communication between the devices of a run, each of which is a thread of this process or of
 * another one of its job: meetings of groups, messages from one device to another, and detection of
 * deadlock. */
#ifndef HLO_EVAL_COMM_COMM_H
#define HLO_EVAL_COMM_COMM_H

#include <hlo/world.h>

#include "eval/comm/groups.h"
#include "eval/value/value.h"

typedef struct hlo_comm hlo_comm;

/* For one execution of all devices: made before they start, freed when all have ended. With a job,
 * each of its processes makes one, for the same devices and a module that is equal in all; only
 * those of this process (world.h) call the functions below. */
hlo_comm *hlo_comm_new(uint32_t devices, hlo_world *world, const hlo_module *module);
void hlo_comm_free(hlo_comm *comm); /* NULL is fine */
/* Around the time in which devices run: until it has stopped, all devices of the job have ended. */
void hlo_comm_start(hlo_comm *comm);
void hlo_comm_stop(hlo_comm *comm);

/* The device has ended. Unless it went well, nothing that others wait for will come: they end too,
 * without a separate error. Called once for each device, however it ended. */
void hlo_comm_end(hlo_comm *comm, uint32_t device, bool went_well);

/* How a wait ended. */
typedef enum {
    HLO_COMM_DONE,
    HLO_COMM_OVER,  /* another device ended the run, or it was interrupted */
    HLO_COMM_STUCK, /* no device can go on: the caller is the one that reports it */
    HLO_COMM_OTHER  /* the device does not fit the others, whose operation is hlo_comm_other */
} hlo_comm_outcome;

/* What a device is doing in a deadlock. */
typedef struct {
    uint32_t device;
    const hlo_instr *instr; /* in which it waits; NULL: it has ended */
    char peers[96];         /* "device 1", "devices 1 and 2", "devices 1, 2 and 5 more" */
    uint32_t first_peer;    /* the first of these; HLO_NO_GROUP: any device */
} hlo_comm_wait_report;
/* After HLO_COMM_STUCK: one of each device, in order; as many as there are devices. */
const hlo_comm_wait_report *hlo_comm_wait_reports(const hlo_comm *comm, uint32_t *count);
/* After HLO_COMM_OTHER: the instruction of another device that came with the same key. */
const hlo_instr *hlo_comm_other(const hlo_comm *comm, uint32_t device);

/* ---- meetings ---- */

/* What the devices of a group meet for. Those meet that come with the same key and group, each for
 * the n-th time. */
typedef struct {
    const hlo_instr *instr; /* for messages, and for what must be the same in all devices */
    bool has_channel;
    int64_t key; /* of the channel, else of the instruction in its module */
    const hlo_device_group *group;
    uint32_t position; /* of the device in the group */
} hlo_comm_topic;

typedef struct hlo_meeting hlo_meeting;

/* Offers `count` values to the others, without waiting for them. `are_kept`: results are made of
 * the values, or the device goes on meanwhile; they must be shared then. All are retained. NULL
 * when the run is over, or when *other is set: the instruction of another device with the same key,
 * but another operation, other shapes, or another reduction. */
hlo_meeting *hlo_comm_arrive(hlo_comm *comm, const hlo_comm_topic *topic, hlo_value *const *offers,
                             uint32_t count, bool are_kept, const hlo_instr **other);
/* Until all have arrived; `instr` is where the device waits. */
hlo_comm_outcome hlo_comm_await(hlo_comm *comm, uint32_t device, const hlo_instr *instr,
                                hlo_meeting *meeting);
/* What a member, by its position, offers: after HLO_COMM_DONE, until the caller leaves. */
const hlo_value *hlo_meeting_offer(const hlo_meeting *meeting, uint32_t member, uint32_t i);
/* A value that all members have in common: made by the first caller, uninitialised and shared. The
 * meeting's, until the caller leaves; NULL without memory. */
hlo_value *hlo_meeting_common(hlo_comm *comm, hlo_meeting *meeting, const hlo_shape *shape);
/* Every member calls it with the same count: each of the pieces is done by one of them. Returns
 * when all are done; false when the run is over, or `piece` returned false in some member. */
bool hlo_meeting_together(hlo_comm *comm, uint32_t device, hlo_meeting *meeting, uint32_t pieces,
                          bool (*piece)(void *context, uint32_t number), void *context);
/* Waits, unless the offers are kept, until the others have read them. */
void hlo_comm_leave(hlo_comm *comm, uint32_t device, hlo_meeting *meeting);

/* ---- messages ---- */

/* Messages of one kind, key, sender and receiver arrive in the order in which they were sent. */
typedef enum {
    HLO_MESSAGE_DATA,
    HLO_MESSAGE_READY,  /* the receiver is there */
    HLO_MESSAGE_SENDING /* the sender is there */
} hlo_message_kind;

typedef struct {
    const hlo_instr *instr; /* for messages about waits */
    hlo_message_kind kind;
    bool has_channel;
    int64_t key;
    uint32_t from, to; /* HLO_NO_GROUP: any device */
} hlo_comm_address;

/* Takes over the reference to the value, which is shared; NULL for a message without data. Never
 * waits. False: the run is over. */
bool hlo_comm_send(hlo_comm *comm, const hlo_comm_address *address, hlo_value *value);
/* The device waits for the first message of the address. The reference is the caller's. */
hlo_comm_outcome hlo_comm_receive(hlo_comm *comm, uint32_t device, const hlo_comm_address *address,
                                  hlo_value **value);

#endif
