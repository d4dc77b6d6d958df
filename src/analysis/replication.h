/* Which values are the same on all replicas, partition by partition: constants, parameters marked
 * so (parameter_replication), results of collectives over all replicas, and what is computed of
 * these alone.
 *
 * Holds while hlo_instr.index stays as hlo_replication_init gives it, of what was there then. */
#ifndef HLO_ANALYSIS_REPLICATION_H
#define HLO_ANALYSIS_REPLICATION_H

#include "analysis/call_graph.h"

/* By array: the leaves of each value, depth first, value by value. What may differ is found by
 * assuming that nothing does, and following what contradicts. */
typedef struct {
    uint32_t count, *first; /* by index: where leaves begin; one entry more than there are values */
    bool *differs;          /* by leaf */
    bool *is_divergent;     /* by computation id: which replicas run it, or how often, differs */
    bool changed;
} hlo_replication;

/* Free with hlo_replication_free. */
void hlo_replication_init(hlo_replication *replication, hlo_module *module,
                          const hlo_call_graph *graph);
void hlo_replication_free(hlo_replication *replication);

/* All arrays of the value are. */
bool hlo_is_replicated(const hlo_replication *replication, const hlo_instr *value);

#endif
