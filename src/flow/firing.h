/* What a ready node does with its tokens, and where its results go: switches, merges, frames and
 * iterations, messages, steps. All of it with the run's lock. */
#ifndef HLO_FLOW_FIRING_H
#define HLO_FLOW_FIRING_H

#include "flow/executor.h"

/* A thread that works for the run, with what it needs to call the steps of each device. */
typedef struct {
    hlo_execution *run;
    hlo_thread **threads; /* by device */
    hlo_diags reports;
    uint32_t number;
    hlo_value **arguments; /* of a step */
} hlo_worker;

/* Puts a node, all of whose tokens are there, into the queue of the light or of the heavy ones. */
void hlo_flow_make_ready(hlo_execution *run, uint32_t node, hlo_iteration *iteration);
/* The first of a queue that is not empty. */
hlo_ready hlo_flow_pop(hlo_ready_queue *queue);
/* Fires it; the lock is given back while a heavy step computes. */
void hlo_flow_fire(hlo_worker *w, hlo_ready ready);
/* To the recv that waits, into the table, or to another process. Takes over the reference to
 * `value`; NULL: a dead token. */
void hlo_flow_publish_value(hlo_execution *run, uint32_t edge, hlo_tag tag, hlo_value *value,
                            uint32_t thread);

#endif
