/* Errors, attributes and custom calls that all parts of the export of Shardy make. Private to
 * src/stablehlo. */
#ifndef HLO_STABLEHLO_SHARDY_EXPORT_H
#define HLO_STABLEHLO_SHARDY_EXPORT_H

#include "ir/shardy_text.h"
#include "stablehlo/shardy.h"

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_block *top;
    hlo_diags *diags;
    hlo_shardy_meshes meshes;
    uint32_t bodies; /* functions of manual computations */
    bool failed, has_shardy;
} hlo_shardy_exporter;

/* ---- shardy_export.c ---- */

/* An error at the operation; only the first is reported. */
void hlo_shardy_export_error(hlo_shardy_exporter *e, const hlo_mlir_op *op, const char *what,
                             const char *why);
const hlo_mlir_attr *hlo_shardy_text_attr(hlo_shardy_exporter *e, hlo_str text);
const hlo_mlir_attr *hlo_shardy_taken(hlo_shardy_exporter *e, hlo_buf *text); /* frees the buffer */
/* #sdy.sharding_per_value<[...]>, #sdy.sharding<...> as a text. */
const hlo_mlir_attr *hlo_shardy_per_value_text(hlo_shardy_exporter *e,
                                               const hlo_mlir_list *shardings);
const hlo_mlir_attr *hlo_shardy_sharding_text(hlo_shardy_exporter *e,
                                              const hlo_mlir_attr *sharding);
/* The dictionary, or a new one where it is NULL, with this entry. */
const hlo_mlir_attr *hlo_shardy_with_entry(hlo_shardy_exporter *e, const hlo_mlir_attr *dict,
                                           const char *key, const hlo_mlir_attr *value);
/* An entry of mhlo.frontend_attributes. */
void hlo_shardy_set_frontend(hlo_shardy_exporter *e, hlo_mlir_op *op, const char *key,
                             const hlo_mlir_attr *value);
/* A custom call before `before`; the caller sets operands and the types of results. */
hlo_mlir_op *hlo_shardy_custom_call(hlo_shardy_exporter *e, hlo_mlir_op *before, const char *target,
                                    bool has_side_effect, uint32_t operands, uint32_t results);
/* Users of the results get those of `by`, which has as many; the operation is removed. */
void hlo_sdy_replace(hlo_mlir_op *op, hlo_mlir_op *by);

/* ---- shardy_operations.c, shardy_manual.c: visitors, whose context is the exporter ---- */

/* A constraint, a group or a barrier becomes a custom call. */
void hlo_shardy_export_op(hlo_mlir_op *op, void *context);
/* A manual computation becomes a function, and a call of it between changes of shapes. */
void hlo_shardy_export_manual(hlo_mlir_op *op, void *context);

#endif
