/* The steps of an expansion, each over all operations of a function. Private to src/stablehlo. */
#ifndef HLO_STABLEHLO_STEPS_H
#define HLO_STABLEHLO_STEPS_H

#include "mlir/mlir.h"

/* Custom calls and composites that stand for operations of CHLO become these. */
void hlo_expand_recompose(hlo_mlir_module *module, hlo_mlir_op *function);
/* Operations of CHLO that HLO has are made again, as in XLA: as the newest users of their
 * operands. */
void hlo_expand_keep(hlo_mlir_module *module, hlo_mlir_op *function);
/* Operations of CHLO that HLO lacks become formulas. */
bool hlo_expand_chlo(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags);
/* Functions of complex numbers become formulas; constants are shared, dead operations removed. */
bool hlo_expand_complex(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags);

/* ---- replacements at the end ---- */

/* As in MLIR's conversions: what is replaced stays until all are, and `made` of its results is what
 * replaces them, so that new operations have the new values as operands, and other users get them
 * at the end, in the order of the replacements. */
typedef HLO_LIST(hlo_mlir_op *) hlo_replaced_ops;

static inline hlo_mlir_value *hlo_expand_value(hlo_mlir_value *value) {
    while (value->made) value = value->made;
    return value;
}
static inline hlo_mlir_value *hlo_expand_operand(const hlo_mlir_op *op, uint32_t i) {
    return hlo_expand_value(hlo_mlir_operand(op, i));
}
static inline bool hlo_expand_is_replaced(const hlo_mlir_op *op) {
    return op->result_count && op->results[0].made;
}
/* By a value for each result; `replaced` NULL: at once. */
void hlo_expand_replace(hlo_replaced_ops *replaced, hlo_mlir_op *op, hlo_mlir_value *values);
/* Also where an error ended the conversion. */
void hlo_expand_finish(hlo_replaced_ops *replaced);

/* MLIR's conversions set the operands of each operation again that is neither legal nor illegal:
 * they become the newest uses. */
void hlo_expand_touch(hlo_mlir_op *op);

/* ---- functions that the steps share ---- */

/* The next operation of the function in the order of the text: the first one inside, else the one
 * after. NULL at the end. */
hlo_mlir_op *hlo_expand_next(const hlo_mlir_op *op, const hlo_mlir_op *function);
/* The same without operations inside. */
hlo_mlir_op *hlo_expand_after(const hlo_mlir_op *op, const hlo_mlir_op *function);
/* Removes an operation with its regions; nothing uses its results. */
void hlo_expand_erase(hlo_mlir_op *op);
/* Moves the regions of one operation to another, which has as many. */
void hlo_expand_take_regions(hlo_mlir_op *from, hlo_mlir_op *to);
/* Nothing uses it, and it has no effect. */
bool hlo_expand_is_dead(const hlo_mlir_op *op);
/* Constants of equal value become one, at the beginning of the function. */
void hlo_expand_share_constants(hlo_mlir_op *function);
/* Removes dead operations; true if there was one. */
bool hlo_expand_drop_dead(hlo_mlir_op *function);
/* Whether the name begins so. */
static inline bool hlo_expand_is_of(const hlo_mlir_op *op, const char *prefix) {
    size_t n = strlen(prefix);
    return op->name.len > n && *op->name.ptr == *prefix && memcmp(op->name.ptr, prefix, n) == 0;
}
/* Of CHLO, and of HLO. */
bool hlo_expand_is_kept(const hlo_mlir_op *op);
/* Replaces the one result of an operation by the row of formulas.def for it and for its element
 * type. False is an error: no row fits, or its formula has a fault. */
bool hlo_expand_by_formula(hlo_mlir_module *module, hlo_mlir_op *op, bool of_chlo,
                           hlo_replaced_ops *replaced, hlo_diags *diags);
bool hlo_expand_error(hlo_mlir_module *module, hlo_diags *diags, const hlo_mlir_op *op,
                      const char *why);

#endif
