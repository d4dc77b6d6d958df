/* The passes over StableHLO in XLA's order, and the first of them: constants and slices in one
 * form. */
#include "stablehlo/prepare.h"

#include "stablehlo/dense.h"
#include "stablehlo/edit.h"

/* ---- one form ---- */

/* [start:limit:stride, ...] as three attributes. */
static void split_ranges(hlo_mlir_module *module, hlo_mlir_op *op) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    const hlo_mlir_attr *ranges = hlo_mlir_attr_of(op, "ranges");
    if (!ranges || ranges->kind != HLO_MLIR_LIST) return;
    int64_t *v = HLO_NEW_ARRAY(&module->arena, int64_t, ranges->list.n);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < ranges->list.n; i++) {
            const hlo_mlir_attr *range = ranges->list.v[i].value;
            if (range->kind != HLO_MLIR_INTS || range->u.ints.n != 3) return;
            v[i] = range->u.ints.v[k];
        }
        hlo_mlir_set_attr(module, op, names[k], hlo_mlir_ints_new(module, ranges->list.n, v));
    }
    hlo_mlir_drop_attr(op, "ranges");
}

static void normalise(hlo_mlir_op *op, void *context) {
    hlo_mlir_module *module = context;
    if (op->id == HLO_MLIR_OP_STABLEHLO_SLICE) split_ranges(module, op);
    if (!hlo_mlir_is_constant(op)) return;
    for (uint32_t i = 0; i < op->attr_count; i++)
        op->attrs[i].value = hlo_dense_normal(module, op->attrs[i].value);
}

void hlo_stablehlo_normalise(hlo_mlir_module *module) {
    hlo_mlir_walk_functions(module, normalise, module);
}

/* ---- all ---- */

void hlo_stablehlo_prepare(hlo_mlir_module *module) {
    hlo_stablehlo_normalise(module);
    hlo_stablehlo_drop_unused_functions(module);
    hlo_stablehlo_sink_constants(module);
    hlo_stablehlo_drop_unused_functions(module);
    hlo_stablehlo_simplify(module);
    hlo_stablehlo_drop_attributes(module);
    hlo_stablehlo_sink_constants(module);
    hlo_stablehlo_prepare_export(module);
}
