/* The custom-call kernel: which target (custom_calls.def) or function of the program's user
 * computes it is found when it is prepared. */
#include "eval/kernel/custom_call.h"

#include "analysis/topk_call.h"
#include "eval/kernel/dynamic.h"
#include "eval/kernel/kernel_device.h"
#include "eval/kernels/control/custom_call_function.h"
#include "eval/kernels/sort/topk.h"

/* ---- markers ---- */

static const char *prepare_identity(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_shape *shape = instr->shape;
    bool is_marker = hlo_shape_is_tuple(shape) && shape->rank == 0;
    p->result = HLO_RESULT_VIEW;
    if (instr->operand_count == 1 && hlo_shape_compatible(shape, hlo_operand(instr, 0)->shape))
        return NULL;
    if (is_marker) p->result = HLO_RESULT_FRESH; /* a tuple without elements */
    if (is_marker) return NULL;
    return instr->operand_count == 1
               ? "changes the shape of its operand: the module is not partitioned"
               : "takes one operand";
}

/* Between arrays of the whole module and parts of them: where both have one shape, a module that
 * was not partitioned runs too. */
static const char *prepare_edge(hlo_preparation *p) {
    const char *problem = prepare_identity(p);
    return problem ? "is between a whole array and its parts: the module is not partitioned" : NULL;
}

static bool run_identity(hlo_call *call) {
    if (call->out) return true;
    return hlo_call_give(call, hlo_shape_is_array(call->shape)
                                   ? hlo_value_view(call->in[0], call->shape)
                                   : hlo_value_retain(call->in[0]));
}

static const hlo_target identity = {prepare_identity, run_identity, false};
static const hlo_target partition_edge = {prepare_edge, run_identity, false};

/* ---- buffers ---- */

static const char *prepare_new_buffer(hlo_preparation *p) {
    (void)p;
    return NULL;
}

/* A buffer without contents; zeros, so that runs are reproducible. */
static bool run_new_buffer(hlo_call *call) {
    hlo_value_clear(call->out);
    return true;
}

static const hlo_target new_buffer = {prepare_new_buffer, run_new_buffer, false};

static const char *prepare_pin(hlo_preparation *p) {
    p->result = HLO_RESULT_VIEW;
    return p->instr->operand_count == 1 ? NULL : "takes one operand";
}

/* A buffer holds what was put into it. */
static bool run_pin(hlo_call *call) {
    return hlo_call_give(call, hlo_value_retain(call->in[0]));
}

static const hlo_target pin = {prepare_pin, run_pin, false};

/* ---- TopK ---- */

/* The instruction topk, whose k is written in the result's shape. */
static const char *prepare_top_k(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    if (!hlo_calls_topk(instr)) return "does not have the result of TopK: values and s32 positions";
    const hlo_shape *values = instr->shape->elements[0];
    hlo_prepare_topk(p, values->dims[values->rank - 1], true);
    return NULL;
}

static bool run_top_k(hlo_call *call) {
    return hlo_kernel_topk.run(call);
}

static const hlo_target top_k = {prepare_top_k, run_top_k, false};

/* ---- unknown targets ---- */

static const char *prepare_stub(hlo_preparation *p) {
    (void)p;
    return NULL;
}

static bool run_stub(hlo_call *call) {
    hlo_value_clear(call->out);
    return true;
}

static const hlo_target stub = {prepare_stub, run_stub, false};

/* ---- the kernel ---- */

typedef struct {
    const hlo_target *target;
    const char *problem; /* NULL: none */
    const void *state;   /* the target's */
} custom_call_state;

static const struct {
    const char *name;
    const hlo_target *target;
} targets[] = {
#define HLO_CUSTOM_CALL(name, target) {name, &target},
#include "eval/kernel/custom_calls.def"
#undef HLO_CUSTOM_CALL
};

static const hlo_str *name_of(const hlo_instr *instr) {
    static const hlo_str none;
    const hlo_attr *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    return target ? target->u.string : &none;
}

/* A function of the program's user comes before a target of that name; NULL after an error. */
static const hlo_target *find_target(hlo_preparation *p) {
    const hlo_str *name = name_of(p->instr);
    if (hlo_prepare_function(p, name)) return &hlo_target_function;
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        if (hlo_str_is(*name, targets[k].name)) return targets[k].target;
    if (hlo_prepare_stubs(p)) return &stub;
    hlo_prepare_error(p, HLO_RULE_UNSUPPORTED, "calls the unknown target \"%.*s\"", (int)name->len,
                      name->ptr);
    return NULL;
}

static bool prepare_custom_call(hlo_preparation *p) {
    HLO_ASSERT(p->instr->opcode == HLO_OP_CUSTOM_CALL);
    const hlo_target *target = find_target(p);
    const char *misfit = target == &hlo_target_function ? hlo_function_problem(p->instr) : NULL;
    if (misfit) hlo_prepare_error(p, HLO_RULE_UNSUPPORTED, "%s", misfit);
    if (!target || misfit) {
        hlo_prepare_advise(p, target ? HLO_ADVICE_LIBRARIES : HLO_ADVICE_CUSTOM_CALLS);
        return false;
    }
    custom_call_state *state = HLO_NEW_STATE(p, custom_call_state);
    state->target = target;
    state->problem = target->prepare(p);
    if (state->problem && target == &partition_edge) {
        hlo_prepare_error(p, HLO_RULE_UNSUPPORTED, "%s", state->problem);
        hlo_prepare_advise(p, HLO_ADVICE_PARTITION);
        return false;
    }
    state->state = p->state;
    p->state = state;
    if (state->problem) p->result = HLO_RESULT_CALL; /* which will not be made */
    return true;
}

static bool run_custom_call(hlo_call *call) {
    const custom_call_state *state = call->state;
    if (state->target->takes_full && !hlo_operands_are_full(call)) return false;
    if (state->problem) return hlo_call_error(call, "%s", state->problem);
    call->state = state->state;
    return state->target->run(call);
}

const hlo_kernel hlo_kernel_custom_call = {prepare_custom_call, run_custom_call};
