/* Properties of single operations that simplifications rely on. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_CHECK_H
#define HLO_STABLEHLO_CHECK_H

#include "mlir/mlir.h"

/* Its numbers of operands and results are right. False after an error. */
bool hlo_stablehlo_check_numbers(hlo_mlir_module *module, const hlo_mlir_op *op, hlo_diags *diags);

#endif
