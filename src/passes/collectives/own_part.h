/* The part of an array that belongs to a device: of as many equal parts as a group of a collective
 * has members, the one with the place of the device in its group. */
#ifndef HLO_PASSES_COLLECTIVES_OWN_PART_H
#define HLO_PASSES_COLLECTIVES_OWN_PART_H

#include "passes/collectives/collective.h"

typedef struct {
    hlo_instr *whole;   /* the collective whose result is sliced */
    hlo_instr *reshape; /* between the two, with that user alone; NULL: none */
    hlo_instr *slice;
    int64_t dimension; /* of the sliced array, the only one that is cut */
    int64_t size;      /* of a part along it */
    int64_t members;
} hlo_own_part;

/* The collective has one operand, an array as result that is used by the slice alone, and uniform
 * groups of several members; false when the slice takes something else on some device, or that is
 * unknown. Elements after the last part are in no part. */
bool hlo_is_own_part(const hlo_rewriter *r, hlo_instr *collective, hlo_own_part *part);

#endif
