/* Collectives that are differentiated as others. Called by prepare.c. */
#ifndef HLO_PASSES_AUTODIFF_COLLECTIVES_H
#define HLO_PASSES_AUTODIFF_COLLECTIVES_H

#include "passes/emit.h"

/* An all-reduce by multiply as a product of what an all-gather collects. NULL: it is none, or the
 * sizes of groups differ. */
hlo_instr *hlo_product_by_all_gather(hlo_rewriter *r, hlo_instr *instr);

#endif
