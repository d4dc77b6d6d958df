/* The order of the steps. */
#include "stablehlo/expand.h"

#include "mlir/forms.h"
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

/* Whether all operations and types are such that nothing is to be expanded. */
static bool is_plain(const hlo_mlir_module *module) {
    static const char *const dialects[] = {"stablehlo.", "func.", "arith.", "tensor.", "builtin."};
    if (module->made[HLO_MLIR_OP_COUNT] || module->made[HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL] ||
        module->made[HLO_MLIR_OP_STABLEHLO_COMPOSITE])
        return false;
    for (int i = 0; i < HLO_MLIR_OP_COUNT; i++) {
        bool is_known = !module->made[i];
        for (size_t k = 0; k < sizeof dialects / sizeof *dialects && !is_known; k++)
            is_known = strncmp(hlo_mlir_ops[i].name, dialects[k], strlen(dialects[k])) == 0;
        if (!is_known) return false;
    }
    for (uint32_t i = 0; i < module->types.n; i++) {
        hlo_type element = module->types.v[i]->element;
        if (element != HLO_TYPE_COUNT && hlo_type_is_complex(element)) return false;
    }
    return true;
}

static bool share(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags) {
    (void)module;
    (void)diags;
    hlo_expand_share_constants(function);
    hlo_expand_drop_dead(function);
    return true;
}

/* Of plain programs constants are shared and dead operations go. Uses without regions between them
 * are in the order of their operations already. */
bool hlo_stablehlo_expand(hlo_mlir_module *module, hlo_diags *diags) {
    bool plain = is_plain(module);
    if (!plain && !for_functions(module, diags, recompose)) return false;
    hlo_stablehlo_drop_unused_functions(module);
    if (plain && !module->with_regions) return for_functions(module, diags, share);
    if (!for_functions(module, diags, keep)) return false;
    if (plain) return for_functions(module, diags, share);
    return for_functions(module, diags, hlo_expand_chlo) &&
           for_functions(module, diags, hlo_expand_complex);
}
