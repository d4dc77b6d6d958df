/* The wire between the devices of this process and those of the other processes of its job. Rank 0
 * is the coordinator: its comm knows what every device waits for, decides when a meeting is
 * complete and which device gets a message, and detects deadlock, as it does where all devices are
 * in one process. The others are workers: their devices report to it, and follow its frames. Data
 * does not pass through it. In each process one thread, the wire's, uses the transport.
 *
 * Private to src/eval/comm: wire.c has the thread, wire_data.c moves values, coordinator.c and
 * worker.c handle frames. */
#ifndef HLO_EVAL_COMM_WIRE_H
#define HLO_EVAL_COMM_WIRE_H

#include "eval/comm/comm_parts.h"
#include "eval/comm/doorbell.h"
#include "eval/comm/world.h"

/* Frames between processes. Some end with text: the devices of a topic's group, the description of
 * a value, the devices that a device waits for. */
typedef enum {
    /* To the coordinator. */
    HLO_FRAME_ARRIVE,
    HLO_FRAME_AWAIT, /* the meeting of that number */
    HLO_FRAME_SEND,
    HLO_FRAME_RECEIVE,
    HLO_FRAME_END, /* of the device; number 1: it went well */
    /* From it. */
    HLO_FRAME_COMPLETE, /* the meeting of that number: offers are exchanged now */
    HLO_FRAME_PUSH,     /* the value of that number goes to process `to` */
    HLO_FRAME_DELIVER,  /* the value of that number comes from process `from`; 0: there is none */
    HLO_FRAME_OTHER,    /* the device does not fit the instruction */
    HLO_FRAME_STORY,    /* of the device: in which instruction it waits, first for `from` */
    HLO_FRAME_STUCK,    /* the device reports it */
    HLO_FRAME_OVER,
    HLO_FRAME_FINISHED /* all devices have ended: no frame comes after this one */
} hlo_frame_kind;

typedef struct {
    uint32_t kind;
    uint32_t device;
    int64_t instr; /* hlo_instr_key; -1: none */
    int64_t key;   /* of a topic or an address */
    uint64_t number;
    uint32_t has_channel, message_kind, from, to;
    uint32_t count; /* of offers */
    uint32_t bytes; /* of text */
} hlo_frame;

/* A frame that waits to be sent, with its text. */
typedef struct hlo_posted {
    struct hlo_posted *next;
    uint32_t to;
    hlo_frame frame;
    char text[];
} hlo_posted;

/* A value that a device of this process has sent, until it is known who takes it. */
typedef struct hlo_parcel {
    struct hlo_parcel *next;
    uint64_t number;
    hlo_value *value;
} hlo_parcel;

/* Data under way, and what is done when it has arrived or left. */
typedef struct hlo_pending {
    struct hlo_pending *next;
    hlo_request *transfer;
    hlo_extents *extents;
    uint32_t extents_count;
    void (*finish)(struct hlo_wire *wire, struct hlo_pending *pending);
    hlo_meeting *meeting;
    hlo_value *value;
    uint32_t device;
} hlo_pending;

/* A group that another process has announced. */
typedef struct hlo_known_group {
    struct hlo_known_group *next;
    hlo_device_group group;
    uint32_t devices[];
} hlo_known_group;

/* Under the lock of the comm; but what the thread alone uses. */
struct hlo_wire {
    hlo_comm *comm;
    hlo_world *world;
    hlo_transport *transport;
    const hlo_module *module;
    hlo_unwind_scope *scope; /* of the call that executes all */
    pthread_t thread;
    hlo_doorbell bell;
    bool has_thread;
    hlo_posted *posted; /* oldest first */
    hlo_parcel *parcels;
    uint64_t parcel_count; /* of all that were ever made */
    /* The thread's. */
    bool is_finished, has_told_over, has_told_stuck;
    hlo_pending *pending;
    hlo_known_group *groups;
};

void hlo_wire_new(hlo_comm *comm, hlo_world *world, const hlo_module *module);
void hlo_wire_free(hlo_wire *wire); /* NULL is fine */
/* Ends the job when there is no thread to be had: others would wait for this process. */
void hlo_wire_start(hlo_wire *wire);
void hlo_wire_join(hlo_wire *wire);

/* ---- with the lock held ---- */

/* The thread has something to look at (NULL: there is none). */
void hlo_wire_notify(hlo_wire *wire);
/* Takes *posted over, unless it is NULL. */
void hlo_wire_post(hlo_wire *wire, hlo_posted **posted);
hlo_posted *hlo_posted_new(uint32_t to, const hlo_frame *frame, const void *text, size_t bytes);

/* ---- by the thread, with the lock held ---- */

void hlo_wire_send(hlo_wire *wire, uint32_t to, const hlo_frame *frame, const void *text,
                   size_t bytes);
uint32_t hlo_wire_rank_of(const hlo_wire *wire, uint32_t device);
/* Offers go to all processes with members of the meeting, and come from them. */
void hlo_wire_exchange(hlo_wire *wire, hlo_meeting *meeting);
/* The value, whose reference is taken over, goes to a process. */
void hlo_wire_push(hlo_wire *wire, uint64_t number, hlo_value *value, uint32_t to);
/* The value of that number and description comes from a process, for a device of this one. */
void hlo_wire_pull(hlo_wire *wire, uint64_t number, uint32_t from, const char *description,
                   uint32_t device);
/* The device has it; the reference is taken over. */
void hlo_wire_deliver(hlo_wire *wire, uint32_t device, hlo_value *value);
/* The value of a parcel, which is gone then. */
hlo_value *hlo_wire_take_parcel(hlo_wire *wire, uint64_t number);
/* Without the lock: looks at what is under way; whether something has come to its end. */
bool hlo_wire_end_transfers(hlo_wire *wire);

/* ---- what frames mean ---- */

/* The topic that the frame and its text are about; its group stays with the wire. */
hlo_comm_topic hlo_frame_topic(hlo_wire *wire, const hlo_frame *frame, const char *text);
hlo_frame hlo_frame_of_meeting(hlo_frame_kind kind, const hlo_meeting *meeting);
hlo_comm_address hlo_frame_address(const hlo_wire *wire, const hlo_frame *frame);

void hlo_coordinator_dispatch(hlo_wire *wire, const hlo_frame *frame, const char *text);
/* Reports to the others what has changed. */
void hlo_coordinator_look(hlo_wire *wire);
void hlo_worker_dispatch(hlo_wire *wire, const hlo_frame *frame, const char *text);

/* ---- what the devices of a worker do; NULL in a coordinator and without a wire ---- */

hlo_posted *hlo_worker_report_arrival(const hlo_comm *comm, const hlo_comm_topic *topic,
                                      uint32_t count);
hlo_posted *hlo_worker_report_wait(const hlo_comm *comm, uint32_t device, const hlo_instr *instr,
                                   const hlo_meeting *meeting);
hlo_posted *hlo_worker_report_end(const hlo_comm *comm, uint32_t device, bool went_well);
/* hlo_comm_send and hlo_comm_receive of a worker. */
bool hlo_worker_send(hlo_comm *comm, const hlo_comm_address *address, hlo_value *value);
hlo_comm_outcome hlo_worker_receive(hlo_comm *comm, uint32_t device,
                                    const hlo_comm_address *address, hlo_value **value);

#endif
