/* Types of results that follow from operands, where sizes may be unknown. Private to src/stablehlo.
 */
#ifndef HLO_STABLEHLO_INFER_TYPE_H
#define HLO_STABLEHLO_INFER_TYPE_H

#include "mlir/mlir.h"

/* A type for each result, which has the sizes that follow from operands, attributes, and constants
 * that are operands: '?' where one does not. False: nothing follows for such an operation, or its
 * operands do not fit; an operand with bounds is such a case. */
bool hlo_infer_types(hlo_mlir_module *module, const hlo_mlir_op *op, const hlo_mlir_type **types);

/* The type with every size that either has; NULL: they differ in one, in rank or in kind. Elements
 * are those of `type`. */
const hlo_mlir_type *hlo_infer_most_specific(hlo_mlir_module *module, const hlo_mlir_type *type,
                                             const hlo_mlir_type *other);
/* Whole numbers of a constant that defines the value. False: none does. */
bool hlo_infer_numbers(hlo_mlir_module *module, const hlo_mlir_value *value, uint32_t *n,
                       const int64_t **v);

#endif
