/* Jobs of several processes. Part of hlo.h. */
#ifndef HLO_PUBLIC_WORLD_H
#define HLO_PUBLIC_WORLD_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes that mpirun started together, numbered from 0 (ranks). With
 * hlo_run_options.devices.world they share the devices of a run, rank by rank, and each executes
 * its own: then all of them prepare the same module with the same options, and call hlo_run_execute
 * and hlo_run_repeat equally often. Files of a device are read and written by the process that has
 * it; inputs may be set in every process. After a successful run rank 0 has the results of all
 * devices, and each other rank its own. Errors are reported in the process that meets them; in the
 * others, the call returns the same status. A process that ends while others compute is MPI's to
 * notice. */
typedef struct hlo_world hlo_world;

/* *out: the job that this process is part of; NULL when mpirun has not started it, or HLO_MPI is 0
 * in the environment. Loads libhlo-mpi.so, and initialises MPI: once in a process. HLO_BAD_SYSTEM
 * when there is no such library. */
HLO_API hlo_status hlo_world_open(hlo_diags *diags, hlo_world **out);
/* Ends MPI, when all processes have called it. NULL is fine. */
HLO_API void hlo_world_close(hlo_world *world);
HLO_API uint32_t hlo_world_rank(const hlo_world *world); /* NULL: 0 */
HLO_API uint32_t hlo_world_size(const hlo_world *world); /* NULL: 1 */
/* All processes call it: the worst of their statuses. *rank (NULL: not wanted): the first that has
 * it. Without a job, it is `own`. */
HLO_API hlo_status hlo_world_agree(hlo_world *world, hlo_status own, uint32_t *rank);
/* Ends all processes at once, this one with the status; returns only without a job. */
HLO_API void hlo_world_stop(hlo_world *world, int status);

#ifdef __cplusplus
}
#endif
#endif
