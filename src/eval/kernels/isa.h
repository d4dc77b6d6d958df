/* The instruction sets that kernels are compiled for. Included by src/run. */
#ifndef HLO_EVAL_KERNELS_ISA_H
#define HLO_EVAL_KERNELS_ISA_H

#include <stdbool.h>
#include <stdint.h>

/* Those of this machine, from the plainest to the widest; NULL after the last one. */
const char *hlo_isa_name(uint32_t i);
/* From now on programs are made of kernels for it, in the whole process, instead of the widest.
 * Only sums of products are rounded differently. False when there is none of the name. */
bool hlo_isa_choose(const char *name);

#endif
