/* Machine code of clusters: consecutive steps of elements of 32 bits whose values stay in vector
 * registers from one to the next. The steps themselves stay: they run where code cannot. */
#ifndef HLO_EVAL_KERNELS_CLUSTER_CLUSTER_CODE_H
#define HLO_EVAL_KERNELS_CLUSTER_CLUSTER_CODE_H

#include "eval/kernels/cluster/cluster_program.h"

void hlo_code_cluster(hlo_preparation *p, hlo_cluster *cluster);

/* What the code of steps is called with: the lanes of each register, and a tile's elements. */
typedef void hlo_cluster_code(char **lanes, size_t n);

#endif
