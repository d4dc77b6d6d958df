/* Called computations that are to be partitioned: control flow requests them, spmd_partitioner.c
 * makes them. */
#ifndef HLO_PASSES_SPMD_JOBS_H
#define HLO_PASSES_SPMD_JOBS_H

#include "passes/spmd/partition.h"

/* A copy of a computation whose parameters and root have these tiles, by leaf. */
struct hlo_partition_job {
    hlo_partition_job *next;
    const hlo_computation *original; /* NULL: the entry, partitioned in place */
    hlo_computation *copy;
    const hlo_tiling ***parameters;
    const hlo_tiling **root;
};

#endif
