/* Types of results, and whole numbers, follow from operands: a size that is read becomes a
 * constant, shapes that are computed of it fold, and operations whose sizes are operands get their
 * types by these. The order of patterns is XLA's. */
#include "stablehlo/refine.h"

#include "stablehlo/infer_type.h"
#include "stablehlo/simplify.h"

/* ---- types ---- */

/* A call of a function that was not inlined, or an operation of another dialect, wants the type
 * that it was written for. */
static bool may_change(const hlo_mlir_value *value) {
    for (const hlo_mlir_use *use = value->first_use; use; use = use->next) {
        const hlo_mlir_op *user = use->user;
        if (!hlo_mlir_is_of_dialect(user, "stablehlo") && !hlo_mlir_is_of_dialect(user, "chlo") &&
            !hlo_mlir_is_of_dialect(user, "sdy") && user->id != HLO_MLIR_OP_FUNC_RETURN &&
            user->id != HLO_MLIR_OP_FUNC_CALL)
            return false;
    }
    return true;
}

/* True: at least one of the values has a size more by these types. Values are changed up to the
 * first whose users do not allow it. */
static bool refine_values(hlo_mlir_module *module, hlo_mlir_value *values, uint32_t n,
                          const hlo_mlir_type *const *types) {
    const hlo_mlir_type **refined = HLO_NEW_ARRAY(&module->arena, const hlo_mlir_type *, n + 1);
    bool has_more = false;
    for (uint32_t i = 0; i < n; i++) {
        refined[i] = hlo_infer_most_specific(module, values[i].type, types[i]);
        if (!refined[i]) return false;
        has_more |= refined[i] != values[i].type;
    }
    if (!has_more) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (refined[i] == values[i].type) continue;
        if (!may_change(&values[i])) return false;
        values[i].type = refined[i];
    }
    return true;
}

static bool refine_results(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!op->result_count) return false;
    const hlo_mlir_type **types =
        HLO_NEW_ARRAY(&s->module->arena, const hlo_mlir_type *, op->result_count);
    return hlo_infer_types(s->module, op, types) &&
           refine_values(s->module, op->results, op->result_count, types);
}

/* ---- regions ---- */

/* The loop is visited again for its results. */
static bool refine_loop(hlo_simplifier *s, hlo_mlir_op *op) {
    uint32_t n = op->operand_count;
    const hlo_mlir_type **types = HLO_NEW_ARRAY(&s->module->arena, const hlo_mlir_type *, n + 1);
    bool has_changed = false;
    for (uint32_t i = 0; i < n; i++) types[i] = hlo_mlir_operand(op, i)->type;
    for (uint32_t k = 0; k < op->region_count; k++) {
        hlo_mlir_block *block = op->regions[k].first;
        if (block && block->argument_count == n)
            has_changed |= refine_values(s->module, block->arguments, n, types);
    }
    if (has_changed) hlo_simplify_notify(s, op);
    return has_changed;
}

/* What a branch returns may have more sizes than the results: the conditional is visited again. */
static bool refine_branch(hlo_simplifier *s, hlo_mlir_op *end) {
    hlo_mlir_op *op = end->block->region->op;
    if ((op->id != HLO_MLIR_OP_STABLEHLO_CASE && op->id != HLO_MLIR_OP_STABLEHLO_IF) ||
        end->operand_count != op->result_count)
        return false;
    for (uint32_t i = 0; i < end->operand_count; i++) {
        const hlo_mlir_type *type = op->results[i].type;
        const hlo_mlir_type *more =
            hlo_infer_most_specific(s->module, type, hlo_mlir_operand(end, i)->type);
        if (!more || more == type) continue;
        hlo_simplify_notify(s, op);
        return true;
    }
    return false;
}

/* ---- custom calls ---- */

/* indices_of_shape_operands lists an operand for each result, whose numbers are its sizes. */
static bool given_types(hlo_simplifier *s, const hlo_mlir_op *op, const hlo_mlir_type **types) {
    hlo_mlir_numbers indices;
    if (!hlo_mlir_numbers_of(s->module, op, "indices_of_shape_operands", &indices) ||
        indices.n != op->result_count)
        return false;
    for (uint32_t i = 0; i < indices.n; i++) {
        hlo_mlir_numbers sizes;
        const hlo_mlir_type *type = op->results[i].type;
        if (indices.v[i] < 0 || indices.v[i] >= op->operand_count ||
            type->kind != HLO_MLIR_TENSOR ||
            !hlo_infer_numbers(s->module, hlo_mlir_operand(op, (uint32_t)indices.v[i]), &sizes.n,
                               &sizes.v) ||
            sizes.n != type->rank)
            return false;
        for (uint32_t k = 0; k < sizes.n; k++)
            if (sizes.v[k] < 0) return false;
        types[i] = hlo_mlir_tensor(s->module, type, sizes.n, sizes.v);
    }
    return true;
}

/* The state keeps its type, the numbers have the sizes that are an operand. */
static bool generator_types(hlo_simplifier *s, const hlo_mlir_op *op, const hlo_mlir_type **types) {
    hlo_mlir_numbers sizes;
    if (!hlo_refine_is_target(op, "stablehlo.dynamic_rng_bit_generator") ||
        op->operand_count != 2 || op->result_count != 2 ||
        !hlo_infer_numbers(s->module, hlo_mlir_operand(op, 1), &sizes.n, &sizes.v))
        return false;
    for (uint32_t k = 0; k < sizes.n; k++)
        if (sizes.v[k] < 0) return false;
    types[0] = hlo_mlir_operand(op, 0)->type;
    types[1] = hlo_mlir_tensor(s->module, op->results[1].type, sizes.n, sizes.v);
    return true;
}

static bool refine_custom_call(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!op->result_count) return false;
    const hlo_mlir_type **types =
        HLO_NEW_ARRAY(&s->module->arena, const hlo_mlir_type *, op->result_count);
    if (!given_types(s, op, types))
        return (generator_types(s, op, types) || hlo_infer_types(s->module, op, types)) &&
               refine_values(s->module, op->results, op->result_count, types);
    if (!refine_values(s->module, op->results, op->result_count, types)) return false;
    if (!hlo_refine_is_target(op, hlo_refine_wrapper)) return true;
    /* unnoticed by the list, as in XLA: what uses it is visited after it */
    hlo_mlir_value *argument = hlo_mlir_operand(op, 0);
    if (argument->type == op->results[0].type) hlo_mlir_replace_uses(&op->results[0], argument);
    if (!hlo_mlir_is_used(op)) hlo_simplify_erase(s, op);
    return true;
}

/* ---- folding ---- */

static bool is_whole(const hlo_mlir_type *type) {
    return type->kind == HLO_MLIR_TENSOR && !type->other && hlo_is_whole(type->element);
}

/* Folding that shapes need, of whole numbers only. */
static bool fold_whole(hlo_simplifier *s, hlo_mlir_op *op) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_ADD:
    case HLO_MLIR_OP_STABLEHLO_AND:
    case HLO_MLIR_OP_STABLEHLO_DIVIDE:
    case HLO_MLIR_OP_STABLEHLO_MAXIMUM:
    case HLO_MLIR_OP_STABLEHLO_MINIMUM:
    case HLO_MLIR_OP_STABLEHLO_MULTIPLY:
    case HLO_MLIR_OP_STABLEHLO_OR:
    case HLO_MLIR_OP_STABLEHLO_REMAINDER:
    case HLO_MLIR_OP_STABLEHLO_SUBTRACT: return hlo_simplify_fold_binary(s, op);
    case HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM: return hlo_simplify_fold_broadcast(s, op);
    case HLO_MLIR_OP_STABLEHLO_CLAMP: return hlo_simplify_fold_clamp(s, op);
    case HLO_MLIR_OP_STABLEHLO_COMPARE: return hlo_simplify_fold_compare(s, op);
    case HLO_MLIR_OP_STABLEHLO_CONCATENATE: return hlo_simplify_fold_concatenate(s, op);
    case HLO_MLIR_OP_STABLEHLO_CONVERT:
        return is_whole(hlo_mlir_operand(op, 0)->type) && hlo_simplify_fold_convert(s, op);
    case HLO_MLIR_OP_STABLEHLO_GET_DIMENSION_SIZE: return hlo_simplify_fold_dimension_size(s, op);
    case HLO_MLIR_OP_STABLEHLO_RESHAPE: return hlo_simplify_fold_reshape(s, op);
    case HLO_MLIR_OP_STABLEHLO_SELECT: return hlo_simplify_fold_select(s, op);
    case HLO_MLIR_OP_STABLEHLO_SIGN: return hlo_simplify_fold_unary(s, op);
    case HLO_MLIR_OP_STABLEHLO_SLICE: return hlo_simplify_fold_slice(s, op);
    default: return false;
    }
}

static bool fold(hlo_simplifier *s, hlo_mlir_op *op) {
    if (op->result_count != 1) return false;
    if (is_whole(op->results[0].type) && fold_whole(s, op)) return true;
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_CONCATENATE: return hlo_simplify_join_splats(s, op);
    case HLO_MLIR_OP_STABLEHLO_DYNAMIC_SLICE: return hlo_simplify_fold_dynamic_slice(s, op);
    case HLO_MLIR_OP_STABLEHLO_SET_DIMENSION_SIZE:
        return hlo_mlir_is_used(op) && hlo_simplify_set_size_of_all(s, op);
    default: return false;
    }
}

/* ---- all ---- */

static bool apply(hlo_simplifier *s, hlo_mlir_op *op) {
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_WHILE: return refine_loop(s, op) || refine_results(s, op);
    case HLO_MLIR_OP_STABLEHLO_RETURN: return refine_branch(s, op);
    case HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL: return refine_custom_call(s, op);
    case HLO_MLIR_OP_STABLEHLO_CONVERT: return refine_results(s, op) || fold(s, op);
    default: return fold(s, op) || refine_results(s, op);
    }
}

void hlo_refine_types(hlo_mlir_module *module, hlo_mlir_op *function) {
    static const hlo_simplify_plan plan = {apply, true, 2};
    hlo_simplify_function(module, function, &plan);
}
