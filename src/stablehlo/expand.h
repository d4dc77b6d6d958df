/* Replacements in a StableHLO program before it is translated to HLO: operations of CHLO, and
 * functions of complex numbers, by formulas of simpler operations. */
#ifndef HLO_STABLEHLO_EXPAND_H
#define HLO_STABLEHLO_EXPAND_H

#include "mlir/mlir.h"

/* Before all else: whether operations have the operands, results and regions that the others rely
 * on. False after an error. */
bool hlo_stablehlo_check(hlo_mlir_module *module, hlo_diags *diags);

/* Expands all functions of the module, in XLA's order: custom calls and composites that stand for
 * operations of CHLO become these; private functions without references are removed; operations of
 * CHLO that HLO lacks become formulas, then functions of complex numbers. Equal constants of a
 * function are one, at its beginning; operations without uses and effects are removed.
 *
 * Of CHLO stay erf, mulhi, ragged_dot, scan and top_k. False after an error, which names the
 * operation that has no expansion, and its place. */
bool hlo_stablehlo_expand(hlo_mlir_module *module, hlo_diags *diags);

#endif
