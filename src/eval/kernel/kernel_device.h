/* What kernels may ask of the device that they run on: its number, its generators, its channels and
 * its host; and what its user has for custom calls. Implemented by device.c and program.c. */
#ifndef HLO_EVAL_KERNEL_KERNEL_DEVICE_H
#define HLO_EVAL_KERNEL_KERNEL_DEVICE_H

#include "eval/comm/comm.h"
#include "eval/kernel/kernel.h"

/* ---- preparing ---- */

/* A function of the program's user, as in program.h. */
typedef void hlo_function(void);
/* The one for a custom-call target; NULL: none. */
hlo_function *hlo_prepare_function(hlo_preparation *p, const hlo_str *target);
/* Whether unknown custom-call targets give zeros. */
bool hlo_prepare_stubs(hlo_preparation *p);
/* What the user can do about an error that was reported. */
void hlo_prepare_advise(hlo_preparation *p, hlo_advice advice);

/* ---- running ---- */

uint32_t hlo_call_replica(const hlo_call *call);
uint32_t hlo_call_partition(const hlo_call *call);

/* Where the device counts the arrays on its stacks. */
struct hlo_stack_memory *hlo_call_stack_memory(const hlo_call *call);
/* A hint about the error that was reported last. */
void hlo_call_advise(const hlo_call *call, hlo_advice advice);

/* The state of rng-get-and-update-state, to be changed: low word, high word. */
uint64_t *hlo_call_rng_state(const hlo_call *call);
/* Where rng draws from: another stream with every call. */
typedef struct {
    uint64_t key, stream;
} hlo_rng_stream;
hlo_rng_stream hlo_call_rng_stream(const hlo_call *call);

/* ---- exchanging data with other devices ---- */

typedef struct hlo_meeting hlo_meeting;

/* Which exchange it is: made by prepare. */
typedef struct {
    const hlo_device_groups *groups; /* NULL: none */
    const hlo_device_pairs *pairs;   /* NULL: none */
    bool has_channel;
    int64_t key; /* as in hlo_comm_topic */
} hlo_device_exchange;

/* The exchange of an instruction with replica_groups or source_target_pairs, or with none of both;
 * false after an error. */
bool hlo_prepare_exchange(hlo_preparation *p, const hlo_instr *instr,
                          hlo_device_exchange *exchange);
/* For a run of one device: false after reporting that the groups name more. */
bool hlo_prepare_alone(hlo_preparation *p, const hlo_instr *instr);

uint32_t hlo_call_device(const hlo_call *call);
/* The group that the device is in; NULL: it is in none. */
const hlo_device_group *hlo_call_group(const hlo_call *call, const hlo_device_exchange *exchange);

/* Offers `count` values to the others of the group (hlo_comm_arrive). are_kept: results are made of
 * them, or the instruction is a start; the values are then copies. NULL after an error. */
hlo_meeting *hlo_call_arrive(hlo_call *call, const hlo_device_exchange *exchange,
                             hlo_value *const *offers, uint32_t count, bool are_kept);
/* Until all have arrived; false after an error. The caller leaves also then. */
bool hlo_call_await(hlo_call *call, hlo_meeting *meeting);
const hlo_value *hlo_meeting_offer(const hlo_meeting *meeting, uint32_t member, uint32_t i);
/* hlo_meeting_common and hlo_meeting_together. */
hlo_value *hlo_call_common(hlo_call *call, hlo_meeting *meeting, const hlo_shape *shape);
bool hlo_call_together(hlo_call *call, hlo_meeting *meeting, uint32_t pieces,
                       bool (*piece)(void *context, uint32_t number), void *context);
void hlo_call_leave(hlo_call *call, hlo_meeting *meeting);

/* A start leaves its meeting for the instruction that ends it, which takes the oldest one of that
 * start: false when there is none. */
void hlo_call_start(hlo_call *call, const void *state, hlo_meeting *meeting);
bool hlo_call_end(hlo_call *call, const hlo_instr *start, const void **state,
                  hlo_meeting **meeting);

/* Whether send and recv both block until the other is there. */
bool hlo_call_blocks(const hlo_call *call);
/* Messages to one device, HLO_NO_GROUP: to whichever receives it. Sending copies the value (NULL:
 * there is none to be sent) and never waits. False, or NULL, after an error. */
bool hlo_call_send_to(hlo_call *call, const hlo_device_exchange *exchange, hlo_message_kind kind,
                      uint32_t device, hlo_value *value);
bool hlo_call_receive_from(hlo_call *call, const hlo_device_exchange *exchange,
                           hlo_message_kind kind, uint32_t device, hlo_value **value);

/* ---- one device ---- */

/* Channels inside the module: what was sent and not yet received, in order. Sending retains the
 * value; receiving gives its reference, or NULL when nothing was sent before. */
void hlo_call_send(const hlo_call *call, int64_t channel, hlo_value *value);
hlo_value *hlo_call_receive(const hlo_call *call, int64_t channel);

/* Whether the instruction moves data from or to the host. */
bool hlo_needs_host(const hlo_instr *instr);
/* From and to the host. NULL or false after an error. The program has made sure that there is a
 * host for the instruction. */
hlo_value *hlo_call_take_from_host(const hlo_call *call, const hlo_shape *shape);
bool hlo_call_give_to_host(const hlo_call *call, hlo_value *value);

#endif
