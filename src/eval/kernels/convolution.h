/* What the convolutions of both engines ask before they are prepared. */
#ifndef HLO_EVAL_KERNELS_CONVOLUTION_H
#define HLO_EVAL_KERNELS_CONVOLUTION_H

#include "eval/kernel.h"

/* Whether both operands hold all their elements; reports a sparse one. */
bool hlo_check_dense_operands(hlo_preparation *p);

#endif
