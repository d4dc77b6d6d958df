/* Lowers the peak of one computation by computing results again where they are used next, so that
 * they need not be in memory in between. */
#ifndef HLO_PASSES_MEMORY_RECOMPUTE_H
#define HLO_PASSES_MEMORY_RECOMPUTE_H

#include "analysis/liveness.h"
#include "passes/pipeline/rewrite.h"

typedef struct {
    hlo_rewriter *rewriter;
    const hlo_call_graph *graph;
    const double *peaks; /* of computations by id */
    double limit;        /* in bytes, of this computation and what it calls */
    double least;        /* smaller arrays are not worth it */
} hlo_recomputing;

/* Goes on as long as there is an instruction at which more bytes than the limit are needed and a
 * result whose recomputation helps. Returns whether anything changed. */
bool hlo_recompute(const hlo_recomputing *how, hlo_computation *c);

#endif
