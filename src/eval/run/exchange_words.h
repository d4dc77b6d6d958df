/* Exchanges between devices in the words of messages: which channel they have, and what differs
 * between two that do not meet. */
#ifndef HLO_EVAL_RUN_EXCHANGE_WORDS_H
#define HLO_EVAL_RUN_EXCHANGE_WORDS_H

#include "eval/comm/groups.h"

/* An instruction of the module in which a device waits. */
typedef struct {
    const hlo_instr *instr;
    uint32_t device;
} hlo_exchange_place;

/* The devices of the run. */
typedef struct {
    uint32_t count;
    hlo_device_assignment assignment;
} hlo_exchange_devices;

/* Its own channel, or that of the start that it ends; NULL: none. */
const hlo_attr *hlo_exchange_channel(const hlo_instr *instr);
/* Appends ` (all-reduce, channel 1)`, without the channel where there is none. */
void hlo_put_exchange(hlo_buf *to, const hlo_instr *instr);
/* Appends what differs: `operation: all-reduce and all-gather; channel: 1 and 2`. Nothing when they
 * are one instruction, or are equal in all that is compared. */
void hlo_put_differences(hlo_buf *to, const hlo_exchange_devices *devices,
                         const hlo_exchange_place *a, const hlo_exchange_place *b);
/* Whether the instruction is, or ends, a send or a recv between devices: the opcode of what it is
 * matched with, and the first such instruction of its channel in the module, or NULL. */
bool hlo_find_counterpart(const hlo_instr *transfer, hlo_opcode *opcode, const hlo_instr **found);

#endif
