/* Sorts that can be differentiated. Called by prepare.c. */
#ifndef HLO_PASSES_AUTODIFF_SORTED_H
#define HLO_PASSES_AUTODIFF_SORTED_H

#include "passes/emit.h"

/* A sort that carries along, as its last operand, the places that elements had, and keeps the order
 * of equals: what stands for the results of the one given. NULL: it does that already, or its sizes
 * are dynamic. */
hlo_instr *hlo_sort_with_places(hlo_rewriter *r, hlo_instr *sort);

#endif
