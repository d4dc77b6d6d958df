/* Scatters whose windows are single elements, of one operand and by one instruction.
 * select_and_scatter.c combines single elements, too. */
#ifndef HLO_EVAL_KERNELS_MOVES_SCATTER_ELEMENTS_H
#define HLO_EVAL_KERNELS_MOVES_SCATTER_ELEMENTS_H

#include "eval/kernel/combine.h"
#include "eval/kernels/moves/indexed_windows.h"

typedef struct {
    const hlo_combiner *combiner;
    const hlo_indexed_windows *windows; /* counted in elements */
    const hlo_value *indices, *updates;
    hlo_value *out;
} hlo_element_scatter;

/* Whether that is what the windows and the combiner are. */
bool hlo_scatters_elements(const hlo_indexed_windows *windows, const hlo_combiner *combiner);
/* Combines all updates, each element's in the order of the index vectors. */
void hlo_scatter_elements(const hlo_element_scatter *scatter);

/* Combines from[i] into to[places[i]] for i < n, in that order, where the combiner has no program.
 */
void hlo_combine_at(const hlo_combiner *combiner, void *to, const void *from, const int64_t *places,
                    int64_t n);

#endif
