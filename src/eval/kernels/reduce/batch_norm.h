/* What the batch normalisations of both engines ask before they are prepared. */
#ifndef HLO_EVAL_KERNELS_REDUCE_BATCH_NORM_H
#define HLO_EVAL_KERNELS_REDUCE_BATCH_NORM_H

#include "eval/kernel/kernel.h"

/* Whether scale, mean and the like are vectors with an entry for each feature; reports one that is
 * not. XLA's verifier looks only at the first dimension of some of them. */
bool hlo_check_norm_vectors(hlo_preparation *p);

#endif
