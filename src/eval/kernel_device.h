/* What kernels may ask of the device that they run on: its number, its generators, its channels and
 * its host; and what its user has for custom calls. Included by the kernels of random numbers,
 * transfers, collectives and custom calls; implemented by device.c and program.c. */
#ifndef HLO_EVAL_KERNEL_DEVICE_H
#define HLO_EVAL_KERNEL_DEVICE_H

#include "eval/kernel.h"

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

/* The state of rng-get-and-update-state, to be changed: low word, high word. */
uint64_t *hlo_call_rng_state(const hlo_call *call);
/* Where rng draws from: another stream with every call. */
typedef struct {
    uint64_t key, stream;
} hlo_rng_stream;
hlo_rng_stream hlo_call_rng_stream(const hlo_call *call);

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
