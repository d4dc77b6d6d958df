/* Running computations: kernels on their operands, plans in their order, calls. schedule.c runs
 * independent steps at once. Called by hlo-run, passes and the kernels of control flow. */
#include "eval/context.h"

hlo_value *hlo_eval_argument(hlo_eval *eval, const hlo_instr *instr, int64_t number) {
    hlo_frame *frame = eval->frame;
    if (number < 0 || number >= frame->argument_count || !frame->arguments[number]) {
        hlo_eval_error(eval, instr, "has no argument: the call passes %u", frame->argument_count);
        return NULL;
    }
    hlo_value *argument = frame->arguments[number];
    if (!frame->moving) return hlo_value_retain(argument);
    frame->arguments[number] = NULL;
    return argument;
}

hlo_value *hlo_eval_take_operand(hlo_eval *eval, uint32_t i) {
    hlo_value *operand = eval->frame->operands[i];
    eval->frame->operands[i] = NULL;
    return operand;
}

static void report_missing_memory(hlo_eval *eval, const hlo_instr *instr) {
    const char *shape = hlo_shape_name(&eval->diags->arena, instr->shape);
    int64_t bytes = hlo_shape_bytes(instr->shape);
    if (bytes < 0)
        hlo_eval_rule_error(eval, HLO_RULE_LIMIT, instr,
                            "has a result without a representable size, %s", shape);
    else
        hlo_eval_rule_error(eval, HLO_RULE_LIMIT, instr,
                            "needs %lld bytes for %s, which are not there", (long long)bytes,
                            shape);
}

/* What was computed when the pool was stopped is incomplete. `errors` were there before. */
static hlo_value *unless_stopped(hlo_eval *eval, const hlo_instr *instr, uint32_t errors,
                                 hlo_value *result) {
    if (!eval->options.pool || !hlo_pool_is_stopped()) return result;
    if (eval->diags->errors == errors)
        hlo_eval_rule_error(eval, HLO_RULE_SYSTEM, instr, "was interrupted");
    hlo_value_release(result);
    return NULL;
}

/* Runs a kernel while the operands have a second reference: it changes none of them in place. */
static hlo_value *run_observed(hlo_eval *eval, const hlo_instr *instr, hlo_kernel *kernel) {
    uint32_t n = instr->operand_count, errors = eval->diags->errors;
    hlo_value **operands = hlo_malloc(sizeof *operands * ((size_t)n + 1));
    for (uint32_t i = 0; i < n; i++) operands[i] = hlo_value_retain(eval->frame->operands[i]);
    hlo_value *result =
        unless_stopped(eval, instr, errors, kernel(eval, instr, eval->frame->operands));
    if (!result && eval->diags->errors == errors && !eval->shared->is_over)
        report_missing_memory(eval, instr);
    if (result && !eval->options.observe(eval->options.observe_context, instr, operands, result)) {
        hlo_value_release(result);
        result = NULL;
    }
    for (uint32_t i = 0; i < n; i++) hlo_value_release(operands[i]);
    hlo_free(operands);
    return result;
}

static _Thread_local hlo_eval *current;

hlo_eval *hlo_eval_enter(hlo_eval *eval) {
    hlo_eval *before = current;
    current = eval;
    return before;
}

hlo_eval *hlo_eval_current(void) {
    return current;
}

/* ---- where it is ---- */

void hlo_eval_put_path(const hlo_eval *eval, hlo_buf *to) {
    const hlo_frame *frames[HLO_EVAL_MAX_DEPTH];
    uint32_t count = 0;
    for (const hlo_frame *f = eval->frame ? eval->frame->caller : NULL;
         f && f->plan && count < HLO_EVAL_MAX_DEPTH; f = f->caller)
        frames[count++] = f;
    while (count--) {
        const hlo_frame *f = frames[count];
        hlo_buf_printf(to, "%.*s/", (int)f->instr->name->len, f->instr->name->ptr);
        if (f->trip >= 0) hlo_buf_printf(to, "%lld/", (long long)f->trip);
    }
}

bool hlo_eval_is_called_by(const hlo_eval *eval, const hlo_eval_caller *callers, uint32_t count) {
    const hlo_frame *f = eval->frame->caller;
    for (; count && f && f->plan; f = f->caller) {
        const hlo_eval_caller *wanted = &callers[--count];
        if (f->instr != wanted->instr || (wanted->trip >= 0 && f->trip != wanted->trip))
            return false;
    }
    return !count && !(f && f->plan);
}

void hlo_eval_end(hlo_eval *eval) {
    eval->shared->is_over = true;
}

void hlo_eval_set_trip(hlo_eval *eval, int64_t trip) {
    eval->frame->trip = trip;
}

hlo_eval_progress hlo_eval_get_progress(const hlo_eval *eval) {
    const hlo_plan *plan = eval->shared->plans[eval->module->entry->id];
    const hlo_plan_step *at = atomic_load_explicit(&eval->shared->at, memory_order_relaxed);
    if (!plan || !at) return (hlo_eval_progress){0};
    return (hlo_eval_progress){(uint32_t)(at - plan->steps), plan->count, at->instr};
}

void hlo_eval_rewind(hlo_eval *eval) {
    hlo_eval_shared *shared = eval->shared;
    hlo_channels_clear(eval);
    shared->is_over = false;
    shared->rng_state[0] = eval->options.seed;
    shared->rng_state[1] = 0;
    shared->rng_calls = 0;
}

/* Runs a kernel on the operands of the current frame, each of which then loses one reference. */
static hlo_value *run_kernel(hlo_eval *eval, const hlo_instr *instr, hlo_kernel *kernel,
                             bool has_room) {
    hlo_value **operands = eval->frame->operands, *result = NULL;
    eval->frame->instr = instr;
    eval->frame->trip = -1;
    uint32_t errors = eval->diags->errors;
    if (!kernel)
        hlo_eval_rule_error(eval, HLO_RULE_UNSUPPORTED, instr,
                            "cannot be executed by this program");
    else if (has_room && eval->options.observe) result = run_observed(eval, instr, kernel);
    else if (has_room) result = unless_stopped(eval, instr, errors, kernel(eval, instr, operands));
    if (!result && eval->diags->errors == errors && !eval->shared->is_over)
        report_missing_memory(eval, instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) hlo_value_release(operands[i]);
    return result;
}

hlo_value *hlo_run_step(hlo_eval *eval, const hlo_plan_step *step) {
    hlo_frame *frame = eval->frame;
    const hlo_plan *plan = frame->plan;
    if (eval->depth == 1) atomic_store_explicit(&eval->shared->at, step, memory_order_relaxed);
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        frame->operands[i] = frame->values[plan->operand_steps[step->operands + i]];
    return run_kernel(eval, step->instr, step->kernel, step->has_room);
}

void hlo_put_value(hlo_frame *frame, uint32_t step, hlo_value *value) {
    uint32_t uses = frame->plan->steps[step].uses;
    frame->values[step] = value;
    if (uses) hlo_value_retain_more(value, uses - 1);
    else hlo_value_release(value);
}

void hlo_drop_operands(hlo_frame *frame, uint32_t step) {
    const hlo_plan *plan = frame->plan;
    const hlo_plan_step *s = &plan->steps[step];
    for (uint32_t i = 0; i < s->instr->operand_count; i++)
        hlo_value_release(frame->values[plan->operand_steps[s->operands + i]]);
}

/* After a failure in step `failed`: the references that later steps would have released. */
static void release_pending(hlo_frame *frame, uint32_t failed) {
    const hlo_plan *plan = frame->plan;
    for (uint32_t k = failed; k < plan->count; k++) frame->values[k] = NULL;
    for (uint32_t k = failed + 1; k < plan->count; k++) hlo_drop_operands(frame, k);
    hlo_value_release(frame->values[plan->root]);
}

hlo_value *hlo_run_in_order(hlo_eval *eval, hlo_frame *frame) {
    const hlo_plan *plan = frame->plan;
    for (uint32_t k = 0; k < plan->count; k++) {
        hlo_value *value = hlo_run_step(eval, &plan->steps[k]);
        if (!value) {
            release_pending(frame, k);
            return NULL;
        }
        hlo_put_value(frame, k, value);
    }
    return frame->values[plan->root];
}

static bool is_running(const hlo_eval *eval, const hlo_plan *plan) {
    for (const hlo_frame *frame = eval->frame; frame; frame = frame->caller)
        if (frame->plan == plan) return true;
    return false;
}

/* Watched runs keep to the order, so that what is seen does. */
static bool runs_at_once(const hlo_eval *eval, const hlo_plan *plan) {
    return plan->followers && !eval->options.observe && eval->options.pool &&
           hlo_pool_threads(eval->options.pool) > 1;
}

static hlo_value *call(hlo_eval *eval, hlo_computation *computation, hlo_frame *frame) {
    hlo_plan *plan = hlo_plan_of(eval, computation);
    const hlo_instr *root = computation->root;
    if (is_running(eval, plan)) {
        hlo_eval_error(eval, root, "is in a computation that calls itself");
        return NULL;
    }
    if (eval->depth >= HLO_EVAL_MAX_DEPTH) {
        hlo_eval_rule_error(eval, HLO_RULE_LIMIT, root,
                            "is in a computation called more than %d levels deep",
                            HLO_EVAL_MAX_DEPTH);
        return NULL;
    }
    hlo_frame *caller = eval->frame;
    hlo_eval *before = caller ? NULL : hlo_eval_enter(eval);
    frame->caller = caller;
    frame->plan = plan;
    frame->values = hlo_plan_room(plan);
    frame->operands = frame->values + plan->count;
    eval->frame = frame;
    eval->depth++;
    hlo_value *result =
        runs_at_once(eval, plan) ? hlo_run_at_once(eval, frame) : hlo_run_in_order(eval, frame);
    eval->depth--;
    eval->frame = caller;
    if (!caller) hlo_eval_enter(before);
    hlo_plan_leave_room(plan, frame->values);
    return result;
}

hlo_value *hlo_eval_call(hlo_eval *eval, hlo_computation *computation, hlo_value *const *args,
                         uint32_t count) {
    hlo_frame frame = {.arguments = (hlo_value **)args, .argument_count = count};
    return call(eval, computation, &frame);
}

hlo_value *hlo_eval_call_moving(hlo_eval *eval, hlo_computation *computation, hlo_value **args,
                                uint32_t count) {
    hlo_frame frame = {.arguments = args, .argument_count = count, .moving = true};
    hlo_value *result = call(eval, computation, &frame);
    for (uint32_t i = 0; i < count; i++) {
        hlo_value_release(args[i]);
        args[i] = NULL;
    }
    return result;
}

hlo_value *hlo_eval_call_on_operands(hlo_eval *eval, hlo_computation *computation, uint32_t first,
                                     uint32_t count) {
    return hlo_eval_call_moving(eval, computation, eval->frame->operands + first, count);
}

hlo_value *hlo_eval_instruction(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    uint32_t count = instr->operand_count;
    hlo_rule rule;
    const char *undefined = hlo_eval_problem(instr, &rule, &eval->diags->arena);
    if (undefined) {
        hlo_eval_rule_error(eval, rule, instr, "%s", undefined);
        return NULL;
    }
    hlo_frame *caller = eval->frame;
    hlo_frame frame = {.caller = caller,
                       .operands = hlo_malloc(sizeof *frame.operands * (count + 1))};
    for (uint32_t i = 0; i < count; i++) frame.operands[i] = hlo_value_retain(args[i]);
    eval->frame = &frame;
    hlo_eval *before = hlo_eval_enter(eval);
    hlo_value *result = run_kernel(eval, instr, hlo_kernel_of((hlo_opcode)instr->opcode),
                                   hlo_eval_has_room(eval, instr->shape));
    hlo_eval_enter(before);
    eval->frame = caller;
    hlo_free(frame.operands);
    return result;
}
