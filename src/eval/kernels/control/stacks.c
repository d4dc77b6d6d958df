/* Kernels of stacks, and the one of primitives of dataflow, which only the dataflow executor runs.
 * A handle is used once, so that a push changes the stack that its operand refers to. */
#include <stdatomic.h>
#include <string.h>

#include "eval/kernel/kernel_device.h"
#include "eval/value/stack.h"

static bool run_create(hlo_call *call) {
    return hlo_call_give(call,
                         hlo_stack_new(call->instr, call->shape, hlo_call_stack_memory(call)));
}

const hlo_kernel hlo_kernel_stack_create = {NULL, run_create};

static bool report_limit(const hlo_call *call, const hlo_stack_budget *budget) {
    hlo_call_rule_error(
        call, HLO_RULE_SYSTEM, "stacks need %llu bytes; the memory limit leaves %llu",
        (unsigned long long)atomic_load(&budget->held), (unsigned long long)budget->limit);
    hlo_call_advise(call, HLO_ADVICE_STACKS);
    return false;
}

/* Without an error of the swap file it is memory that is missing. */
static bool report_swap(const hlo_call *call) {
    const char *directory;
    int error = hlo_stack_error(call->in[0], &directory);
    if (error)
        hlo_call_rule_error(call, HLO_RULE_SYSTEM, "cannot swap arrays to a file in %s: %s",
                            directory, strerror(error));
    const hlo_stack_memory *memory = hlo_call_stack_memory(call);
    if (!error && hlo_stack_exceeds(memory)) return report_limit(call, memory->budget);
    return false;
}

static bool run_push(hlo_call *call) {
    HLO_ASSERT(call->count == 2);
    if (!hlo_stack_push(call->in[0], call->in[1])) return report_swap(call);
    return hlo_call_give(call, hlo_value_retain(call->in[0]));
}

const hlo_kernel hlo_kernel_stack_push = {NULL, run_push};

static bool run_pop(hlo_call *call) {
    HLO_ASSERT(call->count == 1);
    bool is_empty = !hlo_stack_depth(call->in[0]);
    if (is_empty) return hlo_call_error(call, "pops from an empty stack");
    hlo_value *array = hlo_stack_pop(call->in[0]);
    if (!array) return report_swap(call);
    if (!hlo_shape_same_array(array->shape, call->shape->elements[1])) {
        hlo_value_release(array);
        return hlo_call_error(call, "pops an array whose shape differs from the written one");
    }
    hlo_value *parts[] = {hlo_value_retain(call->in[0]), array};
    return hlo_call_give(call, hlo_value_tuple(call->shape, parts));
}

const hlo_kernel hlo_kernel_stack_pop = {NULL, run_pop};

static bool refuse(hlo_preparation *p) {
    return hlo_prepare_error(p, HLO_RULE_RUN,
                             "is part of a dataflow graph and requires the dataflow executor");
}

static bool run_nothing(hlo_call *call) {
    return call->out != NULL;
}

const hlo_kernel hlo_kernel_dataflow = {refuse, run_nothing};
