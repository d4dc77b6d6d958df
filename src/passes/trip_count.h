/* How often loops run, where that can be seen: a counter that starts at a constant, moves by a
 * constant, and is compared with one. Called by passes about loops. */
#ifndef HLO_PASSES_TRIP_COUNT_H
#define HLO_PASSES_TRIP_COUNT_H

#include "ir/ir.h"

typedef struct {
    int64_t count;               /* how often the body runs */
    int64_t element, init, step; /* the counter: its place in the state, how it starts and moves */
} hlo_trips;

/* False when it is not known. */
bool hlo_find_trips(const hlo_instr *loop, hlo_trips *trips);

#endif
