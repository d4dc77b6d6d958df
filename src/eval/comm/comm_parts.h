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

typedef struct {
    pthread_cond_t changed;
    hlo_device_state state;
    hlo_comm_wait wait;
} hlo_comm_device;

typedef struct hlo_message {
    struct hlo_message *next;
    hlo_comm_address address;
    hlo_value *value;
} hlo_message;

struct hlo_comm {
    pthread_mutex_t lock;
    uint32_t count, idle; /* devices, and those that wait or have ended */
    bool is_over;
    bool is_stuck;     /* nobody can go on */
    uint32_t reporter; /* who says so */
    bool spins;        /* there are as many processors as devices */
    hlo_comm_device *devices;
    hlo_comm_story *stories;
    hlo_meeting *meetings; /* oldest first */
    hlo_message *messages; /* oldest first */
};

struct hlo_meeting {
    hlo_meeting *next;
    bool has_channel;
    int64_t key;
    const hlo_device_group *group;
    const hlo_instr *instr; /* of the device that came first */
    uint32_t count, arrived, gone;
    bool are_kept;
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

void hlo_meeting_free(hlo_meeting *meeting);

#endif
