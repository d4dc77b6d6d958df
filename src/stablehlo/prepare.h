/* XLA's passes over a StableHLO program before it is translated to HLO. */
#ifndef HLO_STABLEHLO_PREPARE_H
#define HLO_STABLEHLO_PREPARE_H

#include "mlir/mlir.h"

/* All of the following, in XLA's order. */
void hlo_stablehlo_prepare(hlo_mlir_module *module);

/* Constants of equal elements as splats, ranges of slices as three attributes. The first step. */
void hlo_stablehlo_normalise(hlo_mlir_module *module);
/* Removes private functions that nothing refers to (unused_functions.c). */
void hlo_stablehlo_drop_unused_functions(hlo_mlir_module *module);
/* Constants that regions use become theirs. */
void hlo_stablehlo_sink_constants(hlo_mlir_module *module);
/* Folds and simplifies each function by the patterns of simplify.def until none applies. */
void hlo_stablehlo_simplify(hlo_mlir_module *module);
/* Drops attributes that are no properties and that XLA does not know. */
void hlo_stablehlo_drop_attributes(hlo_mlir_module *module);
/* Large splats become broadcasts, broadcasts of unsorted dimensions get a transpose, and reducers
 * and the like have their own copies of constants. */
void hlo_stablehlo_prepare_export(hlo_mlir_module *module);

#endif
