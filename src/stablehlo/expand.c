/* The order of the steps. */
#include "stablehlo/expand.h"

#include "stablehlo/prepare.h"
#include "stablehlo/steps.h"

typedef bool expand_step(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags);

static bool recompose(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags) {
    (void)diags;
    hlo_expand_recompose(module, function);
    return true;
}

static bool keep(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags) {
    (void)diags;
    hlo_expand_keep(module, function);
    return true;
}

static bool for_functions(hlo_mlir_module *module, hlo_diags *diags, expand_step *step) {
    hlo_mlir_block *block = module->root->regions[0].first;
    for (hlo_mlir_op *op = block ? block->first : NULL; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && !step(module, op, diags)) return false;
    return true;
}

bool hlo_stablehlo_expand(hlo_mlir_module *module, hlo_diags *diags) {
    if (!for_functions(module, diags, recompose)) return false;
    hlo_stablehlo_drop_unused_functions(module);
    return for_functions(module, diags, keep) && for_functions(module, diags, hlo_expand_chlo) &&
           for_functions(module, diags, hlo_expand_complex);
}
