/* Steps from some tiles of an array to others: found here once, for counting what they send and for
 * making them. */
#ifndef HLO_PASSES_SPMD_PARTITION_STEPS_H
#define HLO_PASSES_SPMD_PARTITION_STEPS_H

#include "passes/spmd/partition.h"

typedef enum {
    HLO_STEP_NONE,
    HLO_STEP_IMPOSSIBLE, /* separate values of devices do not go together */
    HLO_STEP_SPREAD,     /* the only device that has the value gives it to all */
    HLO_STEP_FORGET,     /* all have it, one has to */
    HLO_STEP_ADOPT,      /* what all have is each one's own */
    HLO_STEP_SHARE,      /* what is each one's own counts as what all have */
    HLO_STEP_PERMUTE,    /* tiles go to other devices */
    HLO_STEP_EXCHANGE,   /* tiles of one dimension become tiles of another */
    HLO_STEP_SLICE,      /* tiles are cut into smaller ones */
    HLO_STEP_GATHER      /* tiles are joined */
} hlo_reshard_step_kind;

typedef struct {
    hlo_reshard_step_kind kind;
    uint32_t dimension, other; /* other: EXCHANGE, the one that gets tiles */
    const hlo_tiling *tiles;   /* afterwards */
} hlo_reshard_step;

/* The next step for an array of that shape. */
hlo_reshard_step hlo_next_reshard_step(hlo_arena *arena, const hlo_shape *shape,
                                       const hlo_tiling *from, const hlo_tiling *to);

#endif
