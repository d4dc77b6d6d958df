/* Parts of a graph in other processes of a job: messages of edges whose ends are in two of them,
 * and finding out that nothing can fire any more in any. What arrives is published in the
 * rendezvous of this process, as if it had been sent here (Implementation of Control Flow in
 * TensorFlow, 2017, section 4). A separate thread uses the transport. */
#ifndef HLO_FLOW_REMOTE_H
#define HLO_FLOW_REMOTE_H

#include "eval/comm/world.h"
#include "flow/executor.h"

typedef struct hlo_remote hlo_remote;

/* All processes of the job do the same for the same graph. */
hlo_remote *hlo_remote_start(hlo_execution *run, hlo_world *world);
/* When the run has ended in all of them; frees it. */
void hlo_remote_join(hlo_remote *remote);

/* ---- with the lock of the run ---- */

/* Takes over the reference to the value; NULL: a dead one. */
void hlo_remote_send(hlo_remote *remote, uint32_t edge, hlo_tag tag, hlo_value *value);
/* Nothing can fire here until a message comes. */
void hlo_remote_rest(hlo_remote *remote);
/* Gives the lock to the thread, if it waits for it. */
void hlo_remote_make_way(hlo_remote *remote);

/* ---- after the run ---- */

/* Process 0 gets the results of the others by their positions. */
void hlo_remote_gather(const hlo_graph *graph, hlo_world *world, hlo_value **results);

#endif
