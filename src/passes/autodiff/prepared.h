/* Operations as others that have rules. Each returns what stands for the instruction, made before
 * the rewriter's target, or NULL: it is good as it is, or has a form that no rule is known for. */
#ifndef HLO_PASSES_AUTODIFF_PREPARED_H
#define HLO_PASSES_AUTODIFF_PREPARED_H

#include "passes/pipeline/emit.h"

/* A sort that carries along, as its last operand, the places that elements had, and keeps the order
 * of equals. */
hlo_instr *hlo_sort_with_places(hlo_rewriter *r, hlo_instr *sort);
/* An all-reduce by multiply as a product of what an all-gather collects. */
hlo_instr *hlo_product_by_all_gather(hlo_rewriter *r, hlo_instr *all_reduce);
/* A scatter as a loop over its updates, where the rule does not know what it combines by. */
hlo_instr *hlo_scatter_as_loop(hlo_rewriter *r, hlo_instr *scatter);
/* A reduce, and a reduce-window, by a computation that no rule is known for: the computation on
 * whole arrays, of neighbours first. */
hlo_instr *hlo_reduce_as_tree(hlo_rewriter *r, hlo_instr *reduce);
hlo_instr *hlo_windows_as_tree(hlo_rewriter *r, hlo_instr *windows);
/* A scan as a loop over the scanned dimension. */
hlo_instr *hlo_scan_as_loop(hlo_rewriter *r, hlo_instr *scan);
/* A scaled-dot as a dot of operands that are scaled before. */
hlo_instr *hlo_scaled_dot_as_dot(hlo_rewriter *r, hlo_instr *scaled_dot);
/* A ragged-dot as a dot over all groups, with zeros for what is not in a group. */
hlo_instr *hlo_ragged_dot_as_dot(hlo_rewriter *r, hlo_instr *ragged_dot);

#endif
