/* State and functions of the first changes to a program of Shardy. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_SHARDY_PROGRAM_H
#define HLO_STABLEHLO_SHARDY_PROGRAM_H

#include "stablehlo/shardy.h"

typedef struct hlo_shardy_duplicates hlo_shardy_duplicates;

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_block *top;
    hlo_diags *diags;
    hlo_shardy_duplicates *duplicates; /* of shardy_meshes.c, while it joins meshes */
    bool changed, failed;
} hlo_shardy_program;

/* ---- shardy_program.c ---- */

/* An error at the operation; only the first is reported. */
void hlo_sdy_refuse(hlo_shardy_program *c, const hlo_mlir_op *op, const char *why);
/* A copy of the attribute with these entries. */
hlo_mlir_attr *hlo_shardy_with_list(hlo_shardy_program *c, const hlo_mlir_attr *like, uint32_t n,
                                    const hlo_mlir_named *v);
const hlo_mlir_attr *hlo_shardy_symbol(hlo_shardy_program *c, hlo_str name);
/* The axes of a mesh, as keys with sizes; none: `mesh` is NULL, or of one device. */
hlo_mlir_list hlo_shardy_axes_of(const hlo_mlir_op *mesh);
const hlo_mlir_named *hlo_shardy_axis_named(hlo_mlir_list axes, hlo_str name); /* or NULL */
/* The mesh of the shardings of a manual computation, or NULL. */
hlo_mlir_op *hlo_shardy_mesh_of_manual(hlo_shardy_program *c, const hlo_mlir_op *op);

/* Replaces every sharding of the program by the result of `change`. */
typedef const hlo_mlir_attr *hlo_shardy_change(hlo_shardy_program *c, const hlo_mlir_op *op,
                                               const hlo_mlir_attr *sharding);
void hlo_shardy_change_all(hlo_shardy_program *c, hlo_shardy_change *change);

/* ---- shardy_meshes.c ---- */

/* Meshes inside shardings get names, and an operation in the module. */
void hlo_shardy_name_meshes(hlo_shardy_program *c);
/* Of meshes with the same devices one stays, by whose axes all shardings are written. */
void hlo_shardy_join_meshes(hlo_shardy_program *c);

#endif
