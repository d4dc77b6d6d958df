/* Seconds of a profile, summed up over calls. */
#ifndef HLO_GRAPH_MODEL_SECONDS_H
#define HLO_GRAPH_MODEL_SECONDS_H

#include "ir/ir.h"

typedef struct {
    double *instrs;       /* by number in source order: with what only this instruction calls */
    double *computations; /* by id: the sums of these */
} hlo_dot_seconds;

/* `own` are the seconds of instructions themselves. The time of what several instructions call
 * cannot be attributed. -1, here and there: nothing of it was measured. To be freed. */
void hlo_dot_seconds_init(hlo_dot_seconds *seconds, hlo_module *module, const double *own);
void hlo_dot_seconds_free(hlo_dot_seconds *seconds);

#endif
