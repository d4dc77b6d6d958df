/* Functions of complex numbers, which are made of functions of their parts. */
#include "stablehlo/steps.h"

/* An operation that asks for an accuracy is left as it is. */
static bool has_default_accuracy(const hlo_mlir_op *op) {
    const hlo_mlir_attr *accuracy = hlo_mlir_attr_of(op, "result_accuracy");
    const hlo_mlir_attr *mode = accuracy ? hlo_mlir_member(accuracy, "mode") : NULL;
    if (!mode) return true;
    if (mode->kind == HLO_MLIR_STRUCT && mode->list.n == 1) mode = mode->list.v[0].value;
    return mode->kind == HLO_MLIR_WORD && hlo_str_is(hlo_mlir_text_of(mode), "DEFAULT");
}

static bool is_expanded(const hlo_mlir_op *op) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_EXPONENTIAL:
    case HLO_MLIR_OP_STABLEHLO_LOG:
    case HLO_MLIR_OP_STABLEHLO_LOG_PLUS_ONE:
    case HLO_MLIR_OP_STABLEHLO_SQRT: break;
    default: return false;
    }
    if (op->operand_count != 1) return false;
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    return type->kind == HLO_MLIR_TENSOR && !type->other && hlo_type_is_complex(type->element) &&
           has_default_accuracy(op);
}

/* In rounds, as in XLA, where constants are shared before operations are expanded. */
bool hlo_expand_complex(hlo_mlir_module *module, hlo_mlir_op *function, hlo_diags *diags) {
    hlo_mlir_op *next;
    hlo_expand_share_constants(function);
    for (hlo_mlir_op *op = hlo_expand_next(function, function); op; op = next) {
        next = hlo_expand_next(op, function);
        if (hlo_expand_is_dead(op) || !is_expanded(op)) continue;
        if (!hlo_expand_by_formula(module, op, false, NULL, diags)) return false;
    }
    if (!hlo_expand_chlo(module, function, diags)) return false; /* constants like bounded sizes */
    hlo_expand_drop_dead(function);
    hlo_expand_share_constants(function);
    return true;
}
