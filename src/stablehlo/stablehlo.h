/* Reading StableHLO as a module. */
#ifndef HLO_STABLEHLO_STABLEHLO_H
#define HLO_STABLEHLO_STABLEHLO_H

#include "ir/ir.h"
#include "mlir/mlir.h"

/* Whether bytes begin like a file of jax.export. */
bool hlo_is_jax_export(const char *start, size_t n);
/* The bytecode in a file of jax.export; empty: the file is cut off, or holds none. */
hlo_str hlo_jax_export_module(const hlo_source *source);
/* Whether bytes begin like MLIR: text, bytecode, or a file of jax.export; whether a source is. */
bool hlo_starts_like_mlir(const char *start, size_t n);
bool hlo_is_mlir(const hlo_source *source);
/* Reads the text, or the bytecode, and makes a module of it. On success *out is the module, whose
 * instructions have their places in the source; else every error is in diags. */
hlo_status hlo_stablehlo_read(hlo_source *source, hlo_diags *diags, hlo_module **out);
/* The module as a tree of StableHLO, which the caller frees; printed by hlo_mlir_print. What has no
 * counterpart there is an error with its place. */
hlo_status hlo_stablehlo_tree(hlo_module *module, hlo_diags *diags, hlo_mlir_module **out);

#endif
