/* Kernels of what a computation is made of: parameters, constants, tuples, tokens, ids, and the
 * instructions that hand a value on as it is. */
#include "eval/kernel/kernel_device.h"

typedef struct {
    int64_t number;
} number_state;

static bool set_number(hlo_preparation *p, int64_t number) {
    number_state *state = HLO_NEW_STATE(p, number_state);
    state->number = number;
    p->state = state;
    return true;
}

static int64_t number_of(const hlo_call *call) {
    return ((const number_state *)call->state)->number;
}

/* ---- parameters and constants ---- */

static bool prepare_parameter(hlo_preparation *p) {
    return set_number(p, hlo_attr_int(p->instr, HLO_ATTR_PARAMETER_NUMBER));
}

static bool run_parameter(hlo_call *call) {
    HLO_ASSERT(!call->count);
    return hlo_call_give(call, hlo_call_argument(call, number_of(call)));
}

const hlo_kernel hlo_kernel_parameter = {prepare_parameter, run_parameter};

/* The state is the literal. */
static bool prepare_constant(hlo_preparation *p) {
    const hlo_attr *value = hlo_instr_attr(p->instr, HLO_ATTR_VALUE);
    if (!value || !value->u.literal)
        return hlo_prepare_error(p, HLO_RULE_RUN, "has no value: it is elided in the text");
    p->state = value->u.literal;
    return true;
}

static bool run_constant(hlo_call *call) {
    HLO_ASSERT(!call->count);
    return hlo_call_give(call, hlo_value_from_literal(call->state));
}

const hlo_kernel hlo_kernel_constant = {prepare_constant, run_constant};

/* ---- tuples ---- */

static bool run_tuple(hlo_call *call) {
    HLO_ASSERT(hlo_shape_is_tuple(call->shape) && call->count == call->shape->rank);
    call->out = hlo_value_tuple(call->shape, call->in);
    for (uint32_t i = 0; i < call->count; i++) hlo_call_take(call, i);
    return call->out;
}

const hlo_kernel hlo_kernel_tuple = {NULL, run_tuple};

static bool prepare_element(hlo_preparation *p, int64_t index) {
    const hlo_shape *tuple = hlo_operand(p->instr, 0)->shape;
    if (!hlo_shape_is_tuple(tuple) || index < 0 || index >= tuple->rank)
        return hlo_prepare_error(p, HLO_RULE_RUN, "has an operand without an element %lld",
                                 (long long)index);
    return set_number(p, index);
}

static bool prepare_get_tuple_element(hlo_preparation *p) {
    return prepare_element(p, hlo_attr_int(p->instr, HLO_ATTR_INDEX));
}

static bool run_element(hlo_call *call) {
    HLO_ASSERT(call->count == 1 && hlo_shape_is_tuple(call->in[0]->shape));
    return hlo_call_give(call, hlo_value_retain(call->in[0]->elements[number_of(call)]));
}

const hlo_kernel hlo_kernel_get_tuple_element = {prepare_get_tuple_element, run_element};

/* ---- the value goes through ---- */

static hlo_value *pass_on(hlo_value *value, const hlo_shape *shape) {
    return hlo_shape_is_array(shape) ? hlo_value_view(value, shape) : hlo_value_retain(value);
}

/* A copy shares the data until the first write; layouts make no difference to values. */
static bool run_copy(hlo_call *call) {
    return hlo_call_give(call, pass_on(call->in[0], call->shape));
}

const hlo_kernel hlo_kernel_copy = {NULL, run_copy};

static bool prepare_copy_start(hlo_preparation *p) {
    if (hlo_shape_is_tuple(p->instr->shape) && p->instr->shape->rank >= 3) return true;
    return hlo_prepare_error(p, HLO_RULE_RUN, "has a result that is not (target, source, context)");
}

/* (target, source, context) */
static bool run_copy_start(hlo_call *call) {
    const hlo_shape *const *shapes = call->shape->elements;
    hlo_value *parts[] = {pass_on(call->in[0], shapes[0]), pass_on(call->in[0], shapes[1]),
                          hlo_call_zeros(call, shapes[2])};
    return hlo_call_give(call, hlo_value_tuple(call->shape, parts));
}

const hlo_kernel hlo_kernel_copy_start = {prepare_copy_start, run_copy_start};

static bool prepare_copy_done(hlo_preparation *p) {
    return prepare_element(p, 0);
}

const hlo_kernel hlo_kernel_copy_done = {prepare_copy_done, run_element};

static bool run_identity(hlo_call *call) {
    return hlo_call_give(call, hlo_value_retain(call->in[0]));
}

const hlo_kernel hlo_kernel_opt_barrier = {NULL, run_identity};
const hlo_kernel hlo_kernel_add_dependency = {NULL, run_identity};
const hlo_kernel hlo_kernel_domain = {NULL, run_identity};

/* A token is all that the runner makes of it. */
static bool run_after_all(hlo_call *call) {
    return call->out;
}

const hlo_kernel hlo_kernel_after_all = {NULL, run_after_all};

/* ---- which device this is ---- */

static bool put_id(hlo_call *call, uint32_t id) {
    HLO_ASSERT(call->shape->type == HLO_U32);
    hlo_value_clear(call->out);
    memcpy(call->out->data, &id, sizeof id);
    return true;
}

static bool run_partition_id(hlo_call *call) {
    return put_id(call, hlo_call_partition(call));
}

static bool run_replica_id(hlo_call *call) {
    return put_id(call, hlo_call_replica(call));
}

const hlo_kernel hlo_kernel_partition_id = {NULL, run_partition_id};
const hlo_kernel hlo_kernel_replica_id = {NULL, run_replica_id};
