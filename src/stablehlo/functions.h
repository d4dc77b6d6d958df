/* Expansions that are more than one formula. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_FUNCTIONS_H
#define HLO_STABLEHLO_FUNCTIONS_H

#include "stablehlo/emit.h"

typedef hlo_mlir_value *hlo_expansion_function(hlo_mlir_emitter *, hlo_mlir_value *const *operands);

#define HLO_FORMULA_BY(operation, elements, name) \
    hlo_mlir_value *hlo_expand_##name(hlo_mlir_emitter *e, hlo_mlir_value *const *operands);
#include "stablehlo/formulas.def"

#endif
