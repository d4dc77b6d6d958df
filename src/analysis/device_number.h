/* Integers that programs compute of replica-id and partition-id: which number it is on which
 * device. */
#ifndef HLO_ANALYSIS_DEVICE_NUMBER_H
#define HLO_ANALYSIS_DEVICE_NUMBER_H

#include "base/list.h"
#include "ir/ir.h"

/* The instructions that lead to it, operands first, and what they are on the last device. */
typedef struct {
    HLO_LIST(const hlo_instr *) steps;
    HLO_LIST(int64_t) values;
} hlo_device_number;

/* False when `instr` is not one integer that comes from ids, constants and tables of constants by
 * arithmetic, in a few steps. Free with hlo_device_number_free in either case. Overwrites indices
 * of instructions. */
bool hlo_device_number_init(hlo_device_number *number, hlo_instr *instr);
void hlo_device_number_free(hlo_device_number *number);
/* False when the number leaves the range of a type on the way, or nothing is known of it. */
bool hlo_device_number_at(hlo_device_number *number, int64_t replica, int64_t partition,
                          int64_t *value);

#endif
