/* Operations with errors, among others without: what stands for them, so that the errors of the
 * others are found, and the order of all errors. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_REFUSED_H
#define HLO_STABLEHLO_REFUSED_H

#include "stablehlo/convert.h"

/* The operation becomes a custom call with the same operands and results; what is inside is gone.
 */
void hlo_refused_leave(hlo_mlir_module *module, hlo_mlir_op *op);

/* After an error while the operation was converted: its results become custom calls, where HLO has
 * shapes for them; the conversion goes on. False: it cannot. */
bool hlo_refused_go_on(hlo_stablehlo *s, const hlo_mlir_op *op);

/* An empty list, whose findings become those of another; hlo_refused_merge frees it. */
void hlo_refused_begin(hlo_diags *list, const hlo_diags *of);
/* Adds errors of later steps to those of earlier ones, in the order of their places. One at a place
 * that has an earlier error is left out: it follows from that. Both lists are freed. */
void hlo_refused_merge(hlo_diags *diags, hlo_diags *earlier, hlo_diags *later);

#endif
