/* Windows of an array at places that other arrays hold: gather and scatter with the dimension
 * numbers of either. */
#ifndef HLO_PASSES_AUTODIFF_INDEXED_H
#define HLO_PASSES_AUTODIFF_INDEXED_H

#include "ir/index_dims.h"
#include "passes/autodiff/rule.h"

typedef struct {
    const hlo_shape *operand, *slices; /* where windows are, and the windows */
    hlo_index_dims numbers;
} hlo_indexed;

hlo_indexed hlo_indexed_of_gather(const hlo_instr *gather);
hlo_indexed hlo_indexed_of_scatter(const hlo_instr *scatter);
/* Single elements along one dimension of arrays of these shapes (they differ in that dimension
 * only), at places that an array like `slices` holds. */
hlo_indexed hlo_indexed_along(hlo_gradient *g, const hlo_shape *operand, const hlo_shape *slices,
                              int64_t dimension);

/* Indices that gather takes for these: such that windows lie in the operand. */
hlo_instr *hlo_indexed_clamped(hlo_gradient *g, const hlo_indexed *x, hlo_instr *indices);
/* pred, an element for each of the slices: the window lies in the operand, so that a scatter
 * writes it. */
hlo_instr *hlo_indexed_fitting(hlo_gradient *g, const hlo_indexed *x, hlo_instr *indices);

/* Out of an array like the operand. */
hlo_instr *hlo_indexed_gather(hlo_gradient *g, const hlo_indexed *x, hlo_instr *from,
                              hlo_instr *indices);
/* Into an array like the operand; `unique`: no element is written twice. */
hlo_instr *hlo_indexed_scatter(hlo_gradient *g, const hlo_indexed *x, hlo_instr *into,
                               hlo_instr *indices, hlo_instr *slices, hlo_computation *combiner,
                               bool unique);
/* The sum, element by element, of slices that meet there. */
hlo_instr *hlo_indexed_sum(hlo_gradient *g, const hlo_indexed *x, hlo_instr *indices,
                           hlo_instr *slices, bool unique);

#endif
