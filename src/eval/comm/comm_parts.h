/* The inside of a hlo_comm, of which everything is under one lock: it is held for moments only.
 * Private to src/eval/comm. */
#ifndef HLO_EVAL_COMM_COMM_PARTS_H
#define HLO_EVAL_COMM_COMM_PARTS_H

#include <pthread.h>

#include "base/list.h"
#include "eval/comm/comm.h"

typedef enum { HLO_DEVICE_RUNS, HLO_DEVICE_WAITS, HLO_DEVICE_ENDED } hlo_device_state;

/* What a device waits for, as others that look on see it. */
typedef struct {
    const hlo_instr *instr;
    const hlo_meeting *meeting; /* until all have arrived; or NULL */
    const hlo_comm_address *address;
} hlo_comm_wait;

typedef struct hlo_message {
    struct hlo_message *next;
    hlo_comm_address address;
    hlo_value *value;
    /* In the coordinator, of a device of another process: which of the values it has sent, and what
     * describes it. 0: it is here, or there is none. */
    uint64_t parcel;
    char *description;
    size_t description_bytes;
} hlo_message;

typedef struct {
    pthread_cond_t changed;
    hlo_device_state state;
    hlo_comm_wait wait;
    const hlo_instr *other; /* see hlo_comm_other */
    /* What a device of this process receives from another: set by the wire's thread. */
    bool is_delivered;
    hlo_value *delivered;
    hlo_message *fetched; /* in the coordinator: that the wire's thread is to get */
    /* In the coordinator, a device of another process that wants a message: of this address. */
    bool wants;
    hlo_comm_address wanted;
} hlo_comm_device;

typedef struct hlo_wire hlo_wire;

/* A meeting is identified, in every process the same way, by its topic and the number of earlier
 * meetings of that topic. */
typedef struct hlo_topic_count {
    struct hlo_topic_count *next;
    bool has_channel;
    int64_t key;
    const hlo_device_group *group;
    uint64_t meetings;
} hlo_topic_count;

struct hlo_comm {
    pthread_mutex_t lock;
    uint32_t count, idle; /* devices, and those that wait or have ended */
    bool is_over;
    bool is_stuck;     /* deadlock */
    uint32_t reporter; /* the device that reports it */
    bool spins;        /* there are as many processors as devices */
    hlo_comm_device *devices;
    hlo_comm_wait_report *reports;
    hlo_meeting *meetings; /* oldest first */
    hlo_message *messages; /* oldest first */
    /* Of a job; without one, all devices are here. */
    hlo_wire *wire;
    bool decides;         /* for all devices: the only process, or the coordinator */
    uint32_t first, last; /* devices of this process: below last */
    hlo_topic_count *topics;
};

struct hlo_meeting {
    hlo_meeting *next;
    bool has_channel;
    int64_t key;
    const hlo_device_group *group;
    const hlo_instr *instr; /* of the device that came first */
    uint64_t ordinal;       /* see hlo_topic_count */
    uint32_t count, arrived, gone;
    uint32_t here;    /* members of this process */
    uint32_t left;    /* of those, how many read no more */
    bool is_complete; /* all have arrived */
    bool are_kept;
    /* Of members elsewhere: */
    bool is_told;             /* by the coordinator, that it is complete */
    bool is_started;          /* offers are under way, */
    bool is_filled;           /* and are here */
    bool *is_here, *has_left; /* by member */
    hlo_value **offers;       /* by member, `count` of each */
    hlo_value *common;        /* see hlo_meeting_common */
    uint32_t next_piece;      /* see hlo_meeting_together */
    uint32_t pieces_done;
    bool has_failed;
};

/* Waits, with the lock held, until is_there(comm, what): others call hlo_comm_wake when that may
 * have come about. */
hlo_comm_outcome hlo_comm_sleep(hlo_comm *comm, uint32_t device, const hlo_comm_wait *wait,
                                bool (*is_there)(hlo_comm *comm, const void *what),
                                const void *what);
/* With the lock held: until the device's `changed` is signalled, or a moment is over. */
void hlo_comm_sleep_a_while(hlo_comm *comm, uint32_t device);
/* With the lock held: what the device waits for has come about, as far as the caller knows. */
void hlo_comm_wake(hlo_comm *comm, uint32_t device);
void hlo_comm_wake_group(hlo_comm *comm, const hlo_device_group *group);

static inline bool hlo_comm_is_here(const hlo_comm *comm, uint32_t device) {
    return device >= comm->first && device < comm->last;
}

/* With the lock held: in a deadlock, chooses one device that reports it. */
void hlo_comm_look_for_deadlock(hlo_comm *comm);
/* With the lock held: the device waits, as far as others can see. */
void hlo_comm_begin_wait(hlo_comm *comm, uint32_t device, const hlo_comm_wait *wait);
/* With the lock held: all devices of this process check the state of the run. */
void hlo_comm_wake_all(hlo_comm *comm);
/* With the lock held: the device has ended. */
void hlo_comm_end_locked(hlo_comm *comm, uint32_t device, bool went_well);

/* ---- for the coordinator and its workers, with the lock held ---- */

/* A device of another process arrives, without offers. *other as in hlo_comm_arrive. */
void hlo_meeting_come(hlo_comm *comm, const hlo_comm_topic *topic, uint32_t count,
                      const hlo_instr **other);
/* The meeting of the topic with so many before it; NULL: it is over, or has not begun. */
hlo_meeting *hlo_meeting_find(hlo_comm *comm, const hlo_comm_topic *topic, uint64_t ordinal);
void hlo_meeting_complete(hlo_comm *comm, hlo_meeting *meeting);
/* Of one that no member of this process has. */
void hlo_meeting_drop(hlo_comm *comm, hlo_meeting *meeting);
/* Those who wait for what happens in the meeting look at it. */
void hlo_meeting_signal(hlo_comm *comm, const hlo_meeting *meeting);

/* Takes the message over. */
void hlo_message_add(hlo_comm *comm, hlo_message *message);
/* Takes out the first message of the address; NULL: there is none. */
hlo_message *hlo_message_take(hlo_comm *comm, const hlo_comm_address *wanted);
void hlo_message_free(hlo_message *message); /* NULL is fine */

void hlo_meeting_free(hlo_meeting *meeting);

#endif
