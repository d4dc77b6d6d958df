/* Reductions of several operands as reductions of one, which fusions have. */
#ifndef HLO_PASSES_SIMPLIFY_FUSION_SPLIT_H
#define HLO_PASSES_SIMPLIFY_FUSION_SPLIT_H

#include "passes/pipeline/rewrite.h"

/* Splits those whose computation combines each operand with nothing else, where an operand is
 * computed element by element: a fusion need not write it to memory. Others stay, since their
 * kernel reads what is the same for several operands once. Whether something changed. */
bool hlo_split_reductions(hlo_rewriter *r, hlo_computation *c, int64_t min_elements);

#endif
