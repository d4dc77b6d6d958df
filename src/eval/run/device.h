/* Devices: what a run of a program changes besides its values, such as generators and channels. Any
 * number of devices run one program at once. The members are for src/eval. */
#ifndef HLO_EVAL_RUN_DEVICE_H
#define HLO_EVAL_RUN_DEVICE_H

#include <stdatomic.h>

#include "base/list.h"
#include "eval/comm/comm.h"
#include "eval/program/program.h"
#include "eval/value/stack.h"
#include "eval/value/value.h"

/* `operands` are as they were before the instruction. False ends the run: after an error was
 * reported, or hlo_device_end was called. */
typedef bool hlo_observer(void *context, const hlo_instr *instr, hlo_value *const *operands,
                          const hlo_value *result);

/* How far the run of the entry computation is: written by the thread that runs, read by any other.
 */
typedef struct {
    _Atomic(const hlo_instr *) at; /* began last; NULL: none has */
    atomic_uint done, count;       /* instructions before it, and all */
} hlo_progress;

typedef struct {
    uint32_t number; /* replica * partitions + partition, or what is assigned to them */
    uint64_t seed;   /* of rng and rng-get-and-update-state */
    /* Called after every instruction, which then runs in the plan's order. */
    hlo_observer *observe;
    void *observe_context;
    /* Stacks with more bytes in memory than that put arrays into a file in the directory; NULL: all
     * stays in memory. hlo_device_open_swap. */
    uint64_t swap_threshold;
    const char *swap_directory;
    hlo_stack_budget *stack_budget; /* stays the caller's; NULL: stacks hold what they like */
    struct hlo_profile *profile;    /* counts the times of steps; NULL: none does */
    /* The host: what comes from it (NULL after an error) and what goes to it (false after one).
     * Only for instructions for which the program's has_host returned true. */
    hlo_value *(*take)(void *context, const hlo_instr *instr, const hlo_shape *shape);
    bool (*give)(void *context, const hlo_instr *instr, hlo_value *value);
    void *host_context;
    /* Stays the caller's, who may read it at any time: a device is freed together with the memory
     * of a run that had too little. NULL: not wanted. */
    hlo_progress *progress;
} hlo_device_options;

/* A message to another device that is not on its way yet. */
typedef struct {
    hlo_comm_address address;
    hlo_value *value;
} hlo_outgoing;

/* A collective that the device has started and not ended. */
typedef struct {
    const hlo_instr *start;
    const void *state; /* of the kernel that started it */
    struct hlo_meeting *meeting;
} hlo_started;

/* What was sent inside the module and not yet received. */
typedef struct {
    int64_t channel;
    hlo_value *value;
} hlo_sent;

typedef struct {
    const hlo_program *program;
    hlo_device_options options;
    hlo_progress *progress; /* of the options, or own_progress */
    hlo_progress own_progress;
    bool is_over;                  /* hlo_device_end was called */
    uint64_t rng_state[2];         /* of rng-get-and-update-state: low word, high word */
    uint64_t rng_calls;            /* of rng, which draws a new stream with every call */
    HLO_LIST(hlo_sent) sent;       /* in order */
    hlo_stack_memory stacks;       /* their arrays */
    hlo_comm *comm;                /* with the other devices of the run; NULL: there are none */
    HLO_LIST(hlo_started) started; /* in order */
    /* Of the instruction that runs: an observer sees it before others can see what it sends. */
    HLO_LIST(hlo_outgoing) outgoing;
} hlo_device;

hlo_device *hlo_device_new(const hlo_program *program, const hlo_device_options *options);
void hlo_device_free(hlo_device *device); /* NULL is fine */
/* Opens the file for arrays of stacks, if the options ask for it; false after an error. */
bool hlo_device_open_swap(hlo_device *device, hlo_diags *diags);
/* Gives back what is no memory, of a device whose memory is about to be freed. */
void hlo_device_abandon(hlo_device *device);
/* Back to how it was before the first run: generators start with the seed again. */
void hlo_device_rewind(hlo_device *device);
/* Sends what is outgoing; false when the run is over. */
bool hlo_device_flush(hlo_device *device);
/* The run goes on between the devices that `comm` connects (NULL: it is the only one), until it is
 * set again. */
void hlo_device_connect(hlo_device *device, hlo_comm *comm);
/* From an observer that then returns false: the run ends without a result, and without an error. */
void hlo_device_end(hlo_device *device);

#endif
