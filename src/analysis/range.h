/* Between which numbers the elements of an integer array lie, as far as opcodes and constants show:
 * iotas, remainders, bounds, conversions, and what is made of them. */
#ifndef HLO_ANALYSIS_RANGE_H
#define HLO_ANALYSIS_RANGE_H

#include "ir/ir.h"

typedef struct {
    int64_t least, most;
} hlo_range;

/* What the type can hold; false for types other than integers and pred, and for u64, whose numbers
 * int64_t cannot hold. */
bool hlo_range_of_type(hlo_type type, hlo_range *range);
/* The least range that is known; false when there is none. Every element of every run lies in it.
 * Looks a few operands deep. */
bool hlo_range_of(const hlo_instr *instr, hlo_range *range);

#endif
