/* Parts of expansions that dynamic_padder and autodiff need too. In the former, some elements do
 * not count. */
#ifndef HLO_PASSES_EXPAND_PARTS_H
#define HLO_PASSES_EXPAND_PARTS_H

#include "passes/pipeline/expression.h"

/* Operands of a select-and-scatter, and preds of their sizes that state which elements count; NULL:
 * all. */
typedef struct {
    hlo_instr *operand, *source, *operand_live, *source_live;
} hlo_scattered;

/* s64: for each window of a select-and-scatter that has windows, the number of the operand's
 * element that it selects, or -1. Of the source only the sizes matter. */
hlo_instr *hlo_selected_places(hlo_rewriter *r, const hlo_instr *instr, const hlo_scattered *s);

/* select-and-scatter as a reduce-window that finds places and a scatter, with the operand's shape;
 * NULL, and nothing made, when there is no window or an array is empty. */
hlo_instr *hlo_expand_scattered(hlo_rewriter *r, const hlo_instr *instr, const hlo_scattered *s);

/* compare(first value, second value) in total order, for sorts with positions in s32: the order in
 * which topk takes elements. */
hlo_computation *hlo_topk_comparator(hlo_rewriter *r, hlo_type type, bool descending);

#endif
