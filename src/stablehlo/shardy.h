/* The export of programs of Shardy: operations and attributes in the form that XLA has for HLO. */
#ifndef HLO_STABLEHLO_SHARDY_H
#define HLO_STABLEHLO_SHARDY_H

#include "mlir/mlir.h"

/* Meshes become frontend attributes of the module, shardings those of arguments and operations,
 * with the equivalent sharding of HLO; constraints, groups and barriers become custom
 * calls, manual computations calls of functions. Nothing changes where the program has no Shardy.
 * False after an error. Operations of Shardy that HLO has no form for stay. */
bool hlo_stablehlo_export_shardy(hlo_mlir_module *module, hlo_diags *diags);

/* ---- shardy_print.c: attributes of Shardy as MLIR prints them ---- */

void hlo_shardy_print_mesh(hlo_buf *to, const hlo_mlir_attr *mesh);         /* #sdy.mesh<...> */
void hlo_shardy_print_sharding(hlo_buf *to, const hlo_mlir_attr *sharding); /* <@mesh, ...> */
/* #sdy.sharding_per_value<[<@mesh, ...>, ...]> */
void hlo_shardy_print_per_value(hlo_buf *to, const hlo_mlir_list *shardings);
void hlo_shardy_print_manual_axes(hlo_buf *to, const hlo_mlir_attr *axes);
void hlo_shardy_print_rule(hlo_buf *to, const hlo_mlir_attr *rule);

/* ---- shardy_canonical.c ---- */

/* Manual computations lose arguments that they do not use; those of one device are inlined. */
bool hlo_shardy_simplify(hlo_mlir_module *module, hlo_diags *diags);

/* ---- shardy_program.c ---- */

/* The parts of an attribute, without `#sdy.sharding_per_value<...>` or a similar name. */
hlo_mlir_list hlo_shardy_list(const hlo_mlir_attr *attr);
/* The operation sdy.mesh of that name, or NULL. */
hlo_mlir_op *hlo_shardy_mesh_named(const hlo_mlir_module *module, hlo_str name);
/* The mesh of a sharding as an operation, or NULL. */
hlo_mlir_op *hlo_shardy_mesh_of(const hlo_mlir_module *module, const hlo_mlir_attr *sharding);

#endif
