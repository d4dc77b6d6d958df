/* Clusters: elementwise instructions and reductions of one fused computation, run together over
 * short tiles that stay in the first cache, so that a chain of them reads its inputs once and
 * writes its results once. */
#ifndef HLO_EVAL_KERNELS_CLUSTER_CLUSTER_H
#define HLO_EVAL_KERNELS_CLUSTER_CLUSTER_H

#include "eval/kernel/kernel.h"

typedef struct hlo_cluster hlo_cluster;

/* The cluster of the computation that the fusion calls; NULL when an instruction of it has no role
 * in one, or when what costs work would be computed again for each copy of its elements. Reserves
 * scratch memory, and sets which operands the result may be written over. */
const hlo_cluster *hlo_prepare_cluster(hlo_preparation *p);
/* Computes call->out, every leaf of it. */
bool hlo_run_cluster(const hlo_cluster *cluster, hlo_call *call);

#endif
