/* What a kernel may ask of its call: errors, memory, operands, other computations. */
#include <stdarg.h>

#include "eval/program/pieces.h"
#include "eval/run/frame.h"
#include "eval/value/value_memory.h"

static bool report(const hlo_call *call, hlo_rule rule, const char *format, va_list args) {
    hlo_report_instr(call->thread->diags, rule, call->thread->program, call->instr, format, args);
    return false;
}

bool hlo_call_error(const hlo_call *call, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(call, HLO_RULE_RUN, format, args);
    va_end(args);
    return false;
}

bool hlo_call_rule_error(const hlo_call *call, hlo_rule rule, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(call, rule, format, args);
    va_end(args);
    return false;
}

/* ---- memory ---- */

hlo_value *hlo_call_new(const hlo_call *call, const hlo_shape *shape) {
    (void)call;
    return hlo_value_new_tree(shape);
}

hlo_value *hlo_call_zeros(const hlo_call *call, const hlo_shape *shape) {
    (void)call;
    return hlo_value_zeros(shape);
}

/* There are as many parts as threads, and each thread has at most one. */
void *hlo_piece_take(const hlo_call *call) {
    hlo_pieces *pieces = call->pieces;
    HLO_ASSERT(pieces->count > 0);
    for (uint32_t i = 0;; i = (i + 1) % pieces->count)
        if (!atomic_flag_test_and_set_explicit(&pieces->taken[i], memory_order_acquire))
            return pieces->first + i * pieces->piece_bytes;
}

void hlo_piece_leave(const hlo_call *call, void *memory) {
    hlo_pieces *pieces = call->pieces;
    size_t i = (size_t)((char *)memory - pieces->first) / pieces->piece_bytes;
    HLO_ASSERT(i < pieces->count &&
               (size_t)((char *)memory - pieces->first) % pieces->piece_bytes == 0);
    atomic_flag_clear_explicit(&pieces->taken[i], memory_order_release);
}

const char *hlo_call_code(const hlo_call *call) {
    const hlo_code *code = call->thread->program->options.code;
    return code ? code->memory : NULL;
}

/* ---- operands and arguments ---- */

hlo_value *hlo_call_take(hlo_call *call, uint32_t i) {
    hlo_value **operands = call->thread->frame->operands;
    HLO_ASSERT(i < call->count && operands[i]);
    hlo_value *operand = operands[i];
    operands[i] = NULL;
    return operand;
}

hlo_value *hlo_call_argument(hlo_call *call, int64_t number) {
    hlo_frame *frame = call->thread->frame;
    if (number < 0 || number >= frame->argument_count || !frame->arguments[number]) {
        hlo_call_error(call, "has no argument: the call passes %u", frame->argument_count);
        return NULL;
    }
    hlo_value *argument = frame->arguments[number];
    if (!frame->moving) return hlo_value_retain(argument);
    frame->arguments[number] = NULL;
    return argument;
}

/* ---- computations ---- */

/* The arguments are cast: a frame that is not moving does not change the array. */
hlo_value *hlo_call_plan(hlo_call *call, const hlo_plan *plan, hlo_value *const *arguments,
                         uint32_t count) {
    hlo_frame frame = {.arguments = (hlo_value **)arguments, .argument_count = count};
    return hlo_run_plan(call->thread, plan, &frame);
}

/* Parameters that the body does not have a step for leave their arguments in the array. */
hlo_value *hlo_call_plan_moving(hlo_call *call, const hlo_plan *plan, hlo_value **arguments,
                                uint32_t count) {
    hlo_frame frame = {.arguments = arguments, .argument_count = count, .moving = true};
    hlo_value *result = hlo_run_plan(call->thread, plan, &frame);
    for (uint32_t i = 0; i < count; i++) {
        hlo_value_release(arguments[i]);
        arguments[i] = NULL;
    }
    return result;
}

bool hlo_call_plan_on_operands(hlo_call *call, const hlo_plan *plan, uint32_t first,
                               uint32_t count) {
    HLO_ASSERT(first <= call->count && count <= call->count - first);
    hlo_value **operands = call->thread->frame->operands + first;
    return hlo_call_give(call, hlo_call_plan_moving(call, plan, operands, count));
}

void hlo_call_set_iteration(hlo_call *call, int64_t iteration) {
    call->thread->frame->iteration = iteration;
}

void hlo_call_next_iteration(hlo_call *call) {
    call->thread->frame->iteration++;
}
