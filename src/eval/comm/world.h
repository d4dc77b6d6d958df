/* A job of several processes that run one module together: which devices are whose, and how it is
 * entered and left. hlo.h has its public functions. */
#ifndef HLO_EVAL_COMM_WORLD_H
#define HLO_EVAL_COMM_WORLD_H

#include <hlo/world.h>

#include "diag/diag.h"
#include "eval/comm/transport.h"
#include "ir/shape.h"

struct hlo_world {
    hlo_transport *transport;
    void *library; /* that has the transport, as dlopen gave it */
    hlo_arena arena;
    hlo_shapes_table shapes; /* of values that came from others: made by one thread at a time */
};

/* Each process has a run of devices; those of rank r are from hlo_world_first_device(r) on, below
 * that of r + 1. */
uint32_t hlo_world_first_device(const hlo_world *world, uint32_t devices, uint32_t rank);
/* Without a job (NULL), all. */
uint32_t hlo_world_devices_here(const hlo_world *world, uint32_t devices);
/* Processes of the job on this machine, this one among them. */
uint32_t hlo_world_neighbours(const hlo_world *world);
uint32_t hlo_world_rank_of(const hlo_world *world, uint32_t devices, uint32_t device);

/* Ends the job, and reports what this process cannot get while others wait for it. */
void hlo_world_fail(hlo_world *world, const char *what);

#endif
