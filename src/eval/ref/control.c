/* Kernels of what a computation is made of: parameters, constants, tuples, tokens, ids, and the
 * instructions that hand a value on as it is. Called by the runner. */
#include "eval/context.h"

hlo_value *hlo_eval_parameter(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)args;
    return hlo_eval_argument(eval, instr, hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER));
}

hlo_value *hlo_eval_constant(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)args;
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    if (value && value->u.literal) return hlo_value_from_literal(value->u.literal);
    hlo_eval_error(eval, instr, "has no value: the text leaves it out");
    return NULL;
}

/* ---- tuples ---- */

hlo_value *hlo_eval_tuple(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    hlo_value *tuple = hlo_value_new(instr->shape);
    if (!tuple) return NULL;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        tuple->elements[i] = hlo_value_retain(args[i]);
    return tuple;
}

static hlo_value *element(hlo_eval *eval, const hlo_instr *instr, hlo_value *tuple, int64_t index) {
    if (tuple->elements && index >= 0 && index < tuple->shape->rank)
        return hlo_value_retain(tuple->elements[index]);
    hlo_eval_error(eval, instr, "has an operand without an element %lld", (long long)index);
    return NULL;
}

hlo_value *hlo_eval_get_tuple_element(hlo_eval *eval, const hlo_instr *instr,
                                      hlo_value *const *args) {
    return element(eval, instr, args[0], hlo_attr_int(instr, HLO_ATTR_INDEX));
}

/* ---- the value goes through ---- */

static hlo_value *pass_on(hlo_value *value, const hlo_shape *shape) {
    return hlo_shape_is_array(shape) ? hlo_value_view(value, shape) : hlo_value_retain(value);
}

/* A copy shares the data until somebody writes; layouts make no difference to values. */
hlo_value *hlo_eval_copy(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval;
    return pass_on(args[0], instr->shape);
}

/* (target, source, context) */
hlo_value *hlo_eval_copy_start(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    if (!hlo_shape_is_tuple(instr->shape) || instr->shape->rank < 3) {
        hlo_eval_error(eval, instr, "has a result that is not (target, source, context)");
        return NULL;
    }
    hlo_value *result = hlo_value_new(instr->shape);
    if (!result) return NULL;
    for (uint32_t i = 0; i < instr->shape->rank; i++) {
        const hlo_shape *shape = instr->shape->elements[i];
        result->elements[i] = i < 2 ? pass_on(args[0], shape) : hlo_value_zeros(shape);
        if (result->elements[i]) continue;
        hlo_value_release(result);
        return NULL;
    }
    return result;
}

hlo_value *hlo_eval_copy_done(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    return element(eval, instr, args[0], 0);
}

hlo_value *hlo_eval_opt_barrier(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval, (void)instr;
    return hlo_value_retain(args[0]);
}

hlo_value *hlo_eval_add_dependency(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval, (void)instr;
    return hlo_value_retain(args[0]);
}

hlo_value *hlo_eval_domain(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval, (void)instr;
    return hlo_value_retain(args[0]);
}

hlo_value *hlo_eval_after_all(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)eval, (void)args;
    return hlo_value_new(instr->shape);
}

/* ---- which device this is ---- */

static hlo_value *new_id(const hlo_instr *instr, uint32_t id) {
    hlo_value *value = hlo_value_zeros(instr->shape);
    if (value) memcpy(value->data, &id, sizeof id);
    return value;
}

hlo_value *hlo_eval_partition_id(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)args;
    return new_id(instr, eval->options.device % eval->options.partitions);
}

hlo_value *hlo_eval_replica_id(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    (void)args;
    return new_id(instr, eval->options.device / eval->options.partitions);
}
