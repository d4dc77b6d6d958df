/* The steps of refinement in XLA's order. */
#include "stablehlo/refine.h"

#include "stablehlo/edit.h"
#include "stablehlo/prepare.h"
#include "stablehlo/steps.h"

/* ---- which programs ---- */

/* The first argument of unknown size, or NULL. */
static const hlo_mlir_value *unknown_argument(const hlo_mlir_op *function) {
    const hlo_mlir_block *block = function->regions[0].first;
    for (uint32_t i = 0; i < block->argument_count; i++)
        if (hlo_refine_is_unknown(block->arguments[i].type)) return &block->arguments[i];
    return NULL;
}

/* By the mark of jax.export; a program that calls an exported one lacks it, but for the arguments
 * of functions. */
static bool is_polymorphic(const hlo_mlir_module *module, const hlo_mlir_op *main) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(module->root, "jax.uses_shape_polymorphism");
    if (attr && attr->kind == HLO_MLIR_BOOL && attr->u.i) return true;
    for (const hlo_mlir_op *op = module->root->regions[0].first->first; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC && op != main && op->region_count &&
            op->regions[0].first && unknown_argument(op))
            return true;
    return false;
}

static hlo_status refuse_unknown(hlo_mlir_module *module, const hlo_mlir_value *argument,
                                 hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_UNBOUNDED, module->source,
              (hlo_span){argument->at, argument->at ? argument->at + 1 : 0},
              "argument %u is %.*s, whose sizes are not known", argument->index,
              (int)argument->type->text.len, argument->type->text.ptr);
    hlo_advise(diags, HLO_ADVICE_INPUT_SHAPES);
    return HLO_BAD_MODULE;
}

/* ---- after sizes are inferred ---- */

static void touch(hlo_mlir_op *op, void *context) {
    (void)context;
    hlo_expand_touch(op);
}

/* The type of the function has the types of its arguments and of what it returns. */
static void update_type(hlo_mlir_module *module, hlo_mlir_op *function) {
    const hlo_mlir_block *block = function->regions[0].first;
    const hlo_mlir_op *end = block->last;
    uint32_t inputs = block->argument_count, n = inputs + end->operand_count;
    const hlo_mlir_type **parts = HLO_NEW_ARRAY(&module->arena, const hlo_mlir_type *, n + 1);
    for (uint32_t i = 0; i < inputs; i++) parts[i] = block->arguments[i].type;
    for (uint32_t i = inputs; i < n; i++) parts[i] = hlo_mlir_operand(end, i - inputs)->type;
    hlo_mlir_type type = {.kind = HLO_MLIR_FUNCTION,
                          .element = HLO_TYPE_COUNT,
                          .part_count = n,
                          .inputs = inputs,
                          .parts = parts};
    hlo_mlir_attr *attr = HLO_NEW(&module->arena, hlo_mlir_attr);
    attr->kind = HLO_MLIR_TYPE;
    attr->type = hlo_mlir_type_of(module, &type);
    hlo_mlir_set_attr(module, function, "function_type", attr);
}

static hlo_status refine(hlo_mlir_module *module, hlo_mlir_op *main, hlo_diags *diags) {
    hlo_stablehlo_normalise(module);
    if (!hlo_refine_calls(module, diags)) return HLO_BAD_MODULE;
    hlo_stablehlo_drop_unused_functions(module);
    hlo_mlir_block *top = module->root->regions[0].first;
    for (hlo_mlir_op *op = top->first; op; op = op->next) {
        if (op->id != HLO_MLIR_OP_FUNC_FUNC || !op->region_count || !op->regions[0].first) continue;
        hlo_refine_share(module, op);
        hlo_expand_recompose(module, op);
    }
    hlo_refine_types(module, main);
    for (hlo_mlir_op *op = top->first; op; op = op->next)
        if (op->id == HLO_MLIR_OP_FUNC_FUNC) hlo_refine_to_static(module, op);
    hlo_stablehlo_drop_unused_functions(module);
    if (!hlo_refine_check(module, main, diags)) return HLO_BAD_MODULE;
    update_type(module, main);
    hlo_mlir_walk_functions(module, touch, NULL); /* lists of uses are those of a text again */
    return HLO_OK;
}

hlo_status hlo_stablehlo_refine(hlo_mlir_module *module, const char *shapes, bool is_guess,
                                hlo_diags *diags) {
    hlo_mlir_op *main = hlo_mlir_function_named(module, HLO_STR("main"));
    if (!main) return HLO_OK;
    bool polymorphic = is_polymorphic(module, main);
    const hlo_mlir_value *unknown = unknown_argument(main);
    if (is_guess && !unknown) shapes = NULL;
    if (!shapes && !polymorphic) return HLO_OK;
    if (unknown && !shapes) return refuse_unknown(module, unknown, diags);
    if (shapes) {
        hlo_status status = hlo_refine_arguments(module, main, shapes, diags);
        if (status != HLO_OK) return status;
    }
    return unknown || polymorphic ? refine(module, main, diags) : HLO_OK;
}
