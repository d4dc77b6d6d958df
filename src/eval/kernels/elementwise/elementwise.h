/* What elementwise kernels of both engines are prepared by. */
#ifndef HLO_EVAL_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define HLO_EVAL_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include "eval/kernel/kernel.h"
#include "eval/kernel/lanes.h"

/* Makes the instruction's lane function the state, a hlo_lanes. False after reporting that there is
 * none or that operands have neither the result's size nor are scalars. */
bool hlo_prepare_elementwise(hlo_preparation *p);

#endif
