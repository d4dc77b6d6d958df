/* Running plans in their order: results for the kernels, operands that die, calls. schedule.c runs
 * independent steps at once. */
#include <stddef.h>

#include "base/blocks.h"
#include "base/fresh.h"
#include "eval/kernel/scalar.h"
#include "eval/program/pieces.h"
#include "eval/run/frame.h"
#include "eval/run/operand_cache_run.h"
#include "eval/run/profile.h"
#include "eval/value/value_memory.h"

/* ---- errors ---- */

static void report_missing_memory(hlo_thread *thread, const hlo_instr *instr) {
    const char *shape = hlo_shape_name(&thread->diags->arena, instr->shape);
    int64_t bytes = hlo_shape_bytes(instr->shape);
    if (bytes < 0)
        hlo_thread_rule_error(thread, HLO_RULE_LIMIT, instr,
                              "has a result without a representable size, %s", shape);
    else
        hlo_thread_rule_error(thread, HLO_RULE_SYSTEM, instr, "cannot allocate %lld bytes for %s",
                              (long long)bytes, shape);
}

/* What was computed when the pool was stopped is incomplete. `errors` were there before. */
static hlo_value *unless_stopped(hlo_thread *thread, const hlo_instr *instr, uint32_t errors,
                                 hlo_value *result) {
    if (!thread->pool || !hlo_pool_is_stopped()) return result;
    if (thread->diags->errors == errors)
        hlo_thread_rule_error(thread, HLO_RULE_SYSTEM, instr, "was interrupted");
    hlo_value_release(result);
    return NULL;
}

/* ---- results ---- */

/* Memory for a leaf of the result: as planned, or separate. */
static hlo_value *new_leaf(const hlo_frame *frame, const hlo_shape *shape, uint32_t b) {
    HLO_ASSERT(b < frame->plan->buffer_count);
    shape = hlo_shape_held(shape);
    const hlo_plan_buffer *buffer = &frame->plan->buffers[b];
    hlo_value *header = &frame->slots->headers[b];
    if (buffer->at == HLO_NOT_PLACED || header->refs) return hlo_value_new(shape);
    char *data = hlo_shape_is_array(shape) ? frame->memory + buffer->at : NULL;
    HLO_ASSERT(!data || (frame->memory && (uint64_t)hlo_shape_bytes(shape) <= buffer->bytes &&
                         buffer->at + buffer->bytes <= frame->plan->bytes));
    hlo_value *value = hlo_value_place(header, shape, data);
    if (hlo_fresh_fills() && data) hlo_fresh_fill(data, (size_t)hlo_shape_bytes(shape));
    return value;
}

static hlo_value *new_leaves(const hlo_frame *frame, const hlo_shape *shape, uint32_t *b) {
    if (!hlo_shape_is_tuple(shape)) return new_leaf(frame, shape, (*b)++);
    hlo_value *tuple = hlo_value_new(shape);
    for (uint32_t i = 0; tuple && i < shape->rank; i++) {
        tuple->elements[i] = new_leaves(frame, shape->elements[i], b);
        if (tuple->elements[i]) continue;
        hlo_value_release(tuple);
        return NULL;
    }
    return tuple;
}

static hlo_value *new_result(const hlo_frame *frame, const hlo_plan_step *step) {
    uint32_t first = step->buffers;
    if (!frame->has_memory || first == HLO_NO_BUFFER) return hlo_value_new_tree(step->instr->shape);
    return new_leaves(frame, step->instr->shape, &first);
}

/* An operand without later uses becomes the result's memory. One with run-time sizes does
 * not: the kernel reads them. */
static hlo_value *overwrite(const hlo_frame *frame, const hlo_plan_step *step,
                            hlo_value *const *operands) {
    uint32_t may = frame->has_memory ? step->takes : step->overwrites;
    HLO_ASSERT(step->instr->operand_count >= 32 || !((uint64_t)may >> step->instr->operand_count));
    for (uint32_t left = may; left; left &= left - 1) {
        hlo_value *operand = operands[__builtin_ctz(left)];
        if (!operand->sizes && hlo_value_is_dying(operand))
            return hlo_value_view(operand, step->instr->shape);
    }
    return new_result(frame, step);
}

static hlo_value *start_update(const hlo_frame *frame, const hlo_plan_step *step,
                               hlo_value *const *operands) {
    HLO_ASSERT(step->updates <= step->instr->operand_count && step->updates > 0);
    const hlo_shape *shape = step->instr->shape;
    if (frame->has_memory && !step->takes)
        return hlo_value_fill(new_result(frame, step), operands[0]);
    if (!hlo_shape_is_tuple(shape)) return hlo_value_reuse(operands[0], shape);
    hlo_value *tuple = hlo_value_new(shape);
    for (uint32_t i = 0; tuple && i < step->updates; i++) {
        tuple->elements[i] = hlo_value_reuse(operands[i], shape->elements[i]);
        if (tuple->elements[i]) continue;
        hlo_value_release(tuple);
        return NULL;
    }
    return tuple;
}

/* Makes what the kernel starts with; false when there is no memory for it. */
static bool start_result(const hlo_plan_step *step, hlo_call *call) {
    const hlo_frame *frame = call->thread->frame;
    switch ((hlo_op_result)step->result) {
    case HLO_RESULT_FRESH: call->out = new_result(frame, step); break;
    case HLO_RESULT_OVERWRITE: call->out = overwrite(frame, step, call->in); break;
    case HLO_RESULT_UPDATE: call->out = start_update(frame, step, call->in); break;
    case HLO_RESULT_VIEW:
    case HLO_RESULT_CALL: return true;
    }
    return call->out;
}

/* ---- one step ---- */

/* Scratch memory in the frame's, opened; NULL when it has none, or not enough. */
static char *scratch_place(const hlo_frame *frame, const hlo_plan_step *step, size_t bytes) {
    if (!frame->has_memory || step->scratch_buffer == HLO_NO_BUFFER) return NULL;
    const hlo_plan_buffer *buffer = &frame->plan->buffers[step->scratch_buffer];
    if (bytes > buffer->bytes - HLO_PLACE_GUARD) return NULL;
    HLO_ASSERT(buffer->use == HLO_BUFFER_SCRATCH &&
               buffer->at + buffer->bytes <= frame->plan->bytes);
    hlo_place_open(frame->memory + buffer->at, bytes);
    return frame->memory + buffer->at;
}

/* `frame`: whose memory there is for scratch memory; NULL: none. */
static bool run_with_scratch(const hlo_frame *frame, const hlo_plan_step *step, hlo_call *call) {
    hlo_thread *thread = call->thread;
    hlo_pieces pieces;
    size_t bytes =
        hlo_pieces_plan(&pieces, step->scratch_bytes, step->piece_bytes, hlo_pool_available());
    char *place = frame ? scratch_place(frame, step, bytes) : NULL;
    call->scratch = place ? place : hlo_thread_take_scratch(thread, bytes);
    if (!call->scratch) {
        hlo_thread_rule_error(thread, HLO_RULE_SYSTEM, step->instr,
                              "cannot allocate %zu bytes of scratch memory", bytes);
        return false;
    }
    HLO_ASSERT((uintptr_t)call->scratch % 64 == 0);
    hlo_fresh_fill(call->scratch, bytes);
    hlo_pieces_start(&pieces, call->scratch);
    call->pieces = &pieces;
    bool ok = step->kernel->run(call);
    if (place) hlo_place_close(place, bytes);
    else hlo_thread_leave_scratch(thread, call->scratch, bytes);
    return ok;
}

static bool call_kernel(const hlo_frame *frame, const hlo_plan_step *step, hlo_call *call) {
    static const max_align_t nothing; /* for kernels that add 0 to scratch memory of no bytes */
    call->scratch = (void *)&nothing;
    if (!(step->scratch_bytes | step->piece_bytes)) return step->kernel->run(call);
    return run_with_scratch(frame, step, call);
}

/* What every kernel promises: a value like the shape, whose run-time sizes are within its. */
static bool is_of_shape(const hlo_value *value, const hlo_shape *shape) {
    shape = hlo_shape_held(shape);
    if (value->shape->type != shape->type ||
        hlo_shape_bytes(value->shape) != hlo_shape_bytes(shape))
        return false;
    for (uint32_t d = 0; value->sizes && d < shape->rank; d++)
        if (value->sizes[d] < 0 || value->sizes[d] > shape->dims[d]) return false;
    return __atomic_load_n(&value->refs, __ATOMIC_RELAXED) > 0;
}

/* Runs the step's kernel on the operands of the current frame; NULL after an error, or without one
 * when memory is missing. */
static hlo_value *run_kernel(hlo_thread *thread, const hlo_plan_step *step) {
    const hlo_instr *instr = step->instr;
    hlo_call call = {.state = step->state,
                     .in = thread->frame->operands,
                     .count = instr->operand_count,
                     .shape = instr->shape,
                     .instr = instr,
                     .thread = thread};
    uint32_t errors = thread->diags->errors;
    bool ok = start_result(step, &call);
    const hlo_value *given = call.out;
    if (step->loop_cached) hlo_acquire_cached(thread, step);
    if (ok) ok = call_kernel(thread->frame, step, &call);
    if (step->loop_cached) hlo_release_cached(thread, step);
    HLO_ASSERT(!ok || !call.out || is_of_shape(call.out, instr->shape));
    if (!ok) {
        hlo_value_release(call.out);
        call.out = NULL;
    }
    /* A result that the plan does not know of could be the memory of an operand. */
    if (given && call.out != given && thread->frame->has_memory)
        call.out = hlo_value_copy(call.out);
    return unless_stopped(thread, instr, errors, call.out);
}

/* A kernel that fails without a message had no memory for its result. An observer that ends the run
 * is no failure. */
static void check_result(hlo_thread *thread, const hlo_plan_step *step, uint32_t errors,
                         bool has_result) {
    if (has_result || thread->diags->errors != errors || thread->device->is_over) return;
    thread->lacks_memory = step->fits;
    report_missing_memory(thread, step->instr);
}

static hlo_value *run_timed(hlo_thread *thread, const hlo_plan_step *step) {
    hlo_profile *profile = thread->device->options.profile;
    if (!profile) return run_kernel(thread, step);
    hlo_lap lap;
    hlo_profile_begin_step(profile, thread->frame->plan, step, &lap);
    hlo_value *result = run_kernel(thread, step);
    hlo_profile_end_step(profile, &lap);
    return result;
}

bool hlo_run_called_step(const hlo_plan *plan, const hlo_plan_step *step, hlo_call *call) {
    hlo_thread *thread = call->thread;
    hlo_profile *profile = thread->device->options.profile;
    uint32_t errors = thread->diags->errors;
    hlo_lap lap;
    if (profile) hlo_profile_begin_step(profile, plan, step, &lap);
    bool ok = call_kernel(NULL, step, call);
    if (profile) hlo_profile_end_step(profile, &lap);
    bool is_stopped = thread->pool && hlo_pool_is_stopped();
    if (!is_stopped) check_result(thread, step, errors, ok);
    return ok && !is_stopped;
}

/* Runs a kernel while the operands have a second reference: it changes none of them in place. */
static hlo_value *run_observed(hlo_thread *thread, const hlo_plan_step *step) {
    const hlo_device_options *options = &thread->device->options;
    const hlo_instr *instr = step->instr;
    uint32_t n = instr->operand_count, errors = thread->diags->errors;
    hlo_value **operands = hlo_malloc(sizeof *operands * ((size_t)n + 1));
    for (uint32_t i = 0; i < n; i++) operands[i] = hlo_value_retain(thread->frame->operands[i]);
    hlo_value *result = run_timed(thread, step);
    check_result(thread, step, errors, result);
    if (result && (!options->observe(options->observe_context, instr, operands, result) ||
                   !hlo_device_flush(thread->device))) {
        hlo_value_release(result);
        result = NULL;
    }
    for (uint32_t i = 0; i < n; i++) hlo_value_release(operands[i]);
    hlo_free(operands);
    return result;
}

static hlo_value *run_watched(hlo_thread *thread, const hlo_plan_step *step) {
    bool is_observed = thread->device->options.observe != NULL;
    return is_observed ? run_observed(thread, step) : run_timed(thread, step);
}

/* Runs a step on the operands of the current frame, each of which then loses one reference. */
static hlo_value *run_on_operands(hlo_thread *thread, const hlo_plan_step *step) {
    hlo_value **operands = thread->frame->operands, *result = NULL;
    HLO_ASSERT(!step->instr->operand_count || operands);
    thread->frame->instr = step->instr;
    thread->frame->step = step;
    thread->frame->iteration = -1;
    uint32_t errors = thread->diags->errors;
    if (step->fits)
        result = thread->is_watched ? run_watched(thread, step) : run_kernel(thread, step);
    check_result(thread, step, errors, result);
    for (uint32_t i = 0; i < step->instr->operand_count; i++) hlo_value_release(operands[i]);
    return result;
}

/* Readers may see the number of one step and the instruction of its neighbour, which does no harm.
 */
static void say_progress(hlo_progress *progress, const hlo_plan *plan, const hlo_plan_step *step) {
    unsigned done = (unsigned)(step - plan->steps);
    atomic_store_explicit(&progress->done, done, memory_order_relaxed);
    atomic_store_explicit(&progress->at, step->instr, memory_order_relaxed);
}

hlo_value *hlo_run_step(hlo_thread *thread, const hlo_plan_step *step) {
    hlo_frame *frame = thread->frame;
    const hlo_plan *plan = frame->plan;
    HLO_ASSERT(step >= plan->steps && step < plan->steps + plan->count);
    if (thread->depth == 1) say_progress(thread->device->progress, plan, step);
    for (uint32_t i = 0; i < step->instr->operand_count; i++) {
        HLO_ASSERT(plan->operand_steps[step->operands + i] < step - plan->steps);
        frame->operands[i] = frame->values[plan->operand_steps[step->operands + i]];
        HLO_ASSERT(frame->operands[i]);
    }
    return run_on_operands(thread, step);
}

/* ---- plans ---- */

/* A reference for each of the uses, so that no step has to ask whether it is the last: it gives its
 * reference up, and a value with one left may be overwritten. */
void hlo_put_value(hlo_frame *frame, uint32_t step, hlo_value *value) {
    HLO_ASSERT(step < frame->plan->count && value);
    uint32_t uses = frame->plan->steps[step].uses;
    frame->values[step] = value;
    if (frame->is_shared) hlo_value_share(value);
    if (uses) hlo_value_retain_more(value, uses - 1);
    else hlo_value_release(value);
}

void hlo_drop_operands(hlo_frame *frame, uint32_t step) {
    const hlo_plan *plan = frame->plan;
    HLO_ASSERT(step < plan->count);
    const hlo_plan_step *s = &plan->steps[step];
    for (uint32_t i = 0; i < s->instr->operand_count; i++)
        hlo_value_release(frame->values[plan->operand_steps[s->operands + i]]);
}

/* After a failure in step `failed`: the references that later steps would have released. */
static void release_pending(hlo_frame *frame, uint32_t failed) {
    const hlo_plan *plan = frame->plan;
    HLO_ASSERT(failed < plan->count);
    for (uint32_t k = failed; k < plan->count; k++) frame->values[k] = NULL;
    for (uint32_t k = failed + 1; k < plan->count; k++) hlo_drop_operands(frame, k);
    hlo_value_release(frame->values[plan->root]);
}

static hlo_value *take_element(const hlo_frame *frame, const hlo_plan_step *step) {
    hlo_value *tuple = frame->values[frame->plan->operand_steps[step->operands]];
    HLO_ASSERT(step->number < tuple->shape->rank);
    hlo_value *element = hlo_value_retain(tuple->elements[step->number]);
    hlo_value_release(tuple);
    return element;
}

/* NULL when there is none, which the kernel reports. */
static hlo_value *take_argument(const hlo_frame *frame, const hlo_plan_step *step) {
    if (step->number >= frame->argument_count) return NULL;
    hlo_value *argument = frame->arguments[step->number];
    if (!argument || !frame->moving) return argument ? hlo_value_retain(argument) : NULL;
    frame->arguments[step->number] = NULL;
    return argument;
}

static hlo_value *take_constant(const hlo_frame *frame, const hlo_plan_step *step) {
    HLO_ASSERT(step->number < frame->plan->constant_count);
    hlo_value *kept = frame->slots->constants[step->number];
    return kept ? hlo_value_retain(kept) : NULL;
}

/* A step's value where no kernel has to be asked for it; NULL: run the step. */
static hlo_value *take_shortcut(const hlo_frame *frame, const hlo_plan_step *step) {
    if (!frame->has_memory) return NULL;
    switch ((hlo_shortcut)step->shortcut) {
    case HLO_NO_SHORTCUT: return NULL;
    case HLO_TO_CONSTANT: return take_constant(frame, step);
    case HLO_TO_ELEMENT: return take_element(frame, step);
    case HLO_TO_ARGUMENT: return take_argument(frame, step);
    }
    HLO_UNREACHABLE();
    return NULL;
}

static hlo_value *run_in_order(hlo_thread *thread, hlo_frame *frame) {
    const hlo_plan *plan = frame->plan;
    for (uint32_t k = 0; k < plan->count; k++) {
        const hlo_plan_step *step = &plan->steps[k];
        hlo_value *value = take_shortcut(frame, step);
        if (!value) {
            value = hlo_run_step(thread, step);
            if (!value) {
                release_pending(frame, k);
                return NULL;
            }
            /* The first value of a constant stays for later frames of the plan. */
            if (frame->has_memory && step->shortcut == HLO_TO_CONSTANT)
                frame->slots->constants[step->number] = hlo_value_retain(value);
        }
        hlo_put_value(frame, k, value);
    }
    return frame->values[plan->root];
}

/* Verified modules have no such calls, but nothing obliges a program to be made from one. */
static bool is_running(const hlo_thread *thread, const hlo_plan *plan) {
    for (const hlo_frame *frame = thread->frame; frame; frame = frame->caller)
        if (frame->plan == plan) return true;
    return false;
}

/* Watched runs keep to the order, so that what is seen does. */
static bool runs_at_once(const hlo_thread *thread, const hlo_plan *plan) {
    return plan->followers && !thread->device->options.observe && thread->pool &&
           hlo_pool_threads(thread->pool) > 1;
}

/* Whether one more call is possible; reports why not. */
static bool can_call(hlo_thread *thread, const hlo_plan *plan) {
    if (is_running(thread, plan)) {
        hlo_thread_error(thread, plan->computation->root, "is in a recursive computation");
        return false;
    }
    if (thread->depth < HLO_EVAL_MAX_DEPTH) return true;
    hlo_thread_rule_error(thread, HLO_RULE_LIMIT, plan->computation->root,
                          "is in a computation called more than %d levels deep",
                          HLO_EVAL_MAX_DEPTH);
    return false;
}

/* A part of the memory that the caller has for the step that runs, or memory of the thread. Without
 * it results have separate memory. */
static void give_memory(hlo_thread *thread, hlo_frame *frame) {
    HLO_ASSERT(!frame->memory && !frame->owns_memory);
    const hlo_frame *caller = frame->caller;
    const hlo_plan *plan = frame->plan;
    if (!plan->bytes) return;
    if (caller && caller->has_memory && caller->step->called_buffer != HLO_NO_BUFFER) {
        const hlo_plan_buffer *buffer = &caller->plan->buffers[caller->step->called_buffer];
        HLO_ASSERT(buffer->use == HLO_BUFFER_CALLED && buffer->at % 64 == 0);
        if (buffer->bytes >= plan->bytes) frame->memory = caller->memory + buffer->at;
    }
    if (frame->memory) return;
    frame->memory = hlo_thread_take_memory(thread, plan);
    frame->owns_memory = frame->has_memory = frame->memory;
}

static hlo_value *run_frame(hlo_thread *thread, hlo_frame *frame, bool at_once) {
    return at_once ? hlo_run_at_once(thread, frame) : run_in_order(thread, frame);
}

static hlo_value *run_watched_frame(hlo_thread *thread, hlo_frame *frame, bool at_once) {
    hlo_profile *profile = thread->device->options.profile;
    if (!profile) return run_frame(thread, frame, at_once);
    hlo_lap lap;
    hlo_profile_begin_frame(frame, &lap);
    hlo_value *result = run_frame(thread, frame, at_once);
    hlo_profile_end_frame(profile, frame, &lap);
    return result;
}

/* The slots are the plan's until it ends: a computation that calls itself was refused, so no other
 * frame of this thread uses them. */
hlo_value *hlo_run_plan(hlo_thread *thread, const hlo_plan *plan, hlo_frame *frame) {
    if (!can_call(thread, plan)) return NULL;
    frame->caller = thread->frame;
    frame->plan = plan;
    bool at_once = runs_at_once(thread, plan);
    frame->slots = hlo_thread_take_slots(thread, plan);
    frame->values = frame->slots->values;
    frame->operands = frame->values + plan->count;
    frame->has_memory = plan->has_memory && !at_once && !thread->device->options.observe;
    if (frame->has_memory) give_memory(thread, frame);
    thread->frame = frame;
    thread->depth++;
    hlo_value *result = thread->is_watched ? run_watched_frame(thread, frame, at_once)
                                           : run_frame(thread, frame, at_once);
    HLO_ASSERT(thread->depth > 0);
    thread->depth--;
    HLO_ASSERT(thread->frame == frame);
    thread->frame = (hlo_frame *)frame->caller;
    hlo_thread_leave_slots(thread, frame->slots);
    if (frame->owns_memory) hlo_thread_leave_memory(thread, plan, frame->memory);
    return result;
}

/* ---- programs ---- */

/* One instruction alone, on the arguments. */
static hlo_value *run_instr(hlo_thread *thread, const hlo_plan *plan, hlo_value *const *arguments) {
    uint32_t count = plan->steps[0].instr->operand_count;
    hlo_slots *slots = hlo_thread_take_slots(thread, plan);
    hlo_value **operands = slots->values;
    for (uint32_t i = 0; i < count; i++) operands[i] = hlo_value_retain(arguments[i]);
    hlo_frame frame = {.plan = plan, .operands = operands, .slots = slots};
    thread->frame = &frame;
    hlo_value *result = run_on_operands(thread, &plan->steps[0]);
    thread->frame = NULL;
    hlo_thread_leave_slots(thread, slots);
    return result;
}

/* The frame is not moving, so that the caller's array is read only, whatever its type. */
static hlo_value *run_program(hlo_thread *thread, hlo_value *const *arguments, uint32_t count) {
    const hlo_plan *plan = thread->program->plans[0];
    if (!plan->computation) return run_instr(thread, plan, arguments);
    hlo_frame frame = {.arguments = (hlo_value **)arguments, .argument_count = count};
    hlo_keeping keeping;
    hlo_thread_start_keeping(thread, &keeping);
    hlo_value *result = hlo_run_plan(thread, plan, &frame);
    hlo_thread_end_keeping(&keeping);
    return result;
}

/* Moves look up their inner parts while they run. */
hlo_value *hlo_thread_run(hlo_thread *thread, hlo_value *const *arguments, uint32_t count) {
    hlo_cleanup leaving;
    hlo_fresh_next();
    hlo_isa before = hlo_isa_enter(thread->program->options.isa, NULL);
    hlo_cleanup_add(&leaving, hlo_isa_leave, &before);
    thread->lacks_memory = false;
    hlo_crew_start_cached(thread->crew);
    hlo_value *result = run_program(thread, arguments, count);
    hlo_cleanup_remove(&leaving);
    hlo_isa_leave(&before);
    return result;
}

/* ---- calls from outside ---- */

void hlo_thread_start_calls(hlo_thread *thread, hlo_calls *calls) {
    calls->before = hlo_isa_enter(thread->program->options.isa, NULL);
    hlo_cleanup_add(&calls->leaving, hlo_isa_leave, &calls->before);
    calls->kept_before = hlo_kept_values_enter(&thread->kept);
    hlo_cleanup_add(&calls->keeping, hlo_thread_stop_keeping, calls->kept_before);
}

void hlo_thread_end_calls(hlo_calls *calls) {
    hlo_cleanup_remove(&calls->keeping);
    hlo_kept_values_enter(calls->kept_before);
    hlo_cleanup_remove(&calls->leaving);
    hlo_isa_leave(&calls->before);
}

/* New values for the results, whose data is where the scalars go; false without memory. */
static hlo_value *new_results(const hlo_shape *shape, void **outputs) {
    hlo_value *result = hlo_value_new_tree(shape);
    for (uint32_t i = 0; result && i < hlo_shape_part_count(shape); i++)
        outputs[i] = result->elements ? result->elements[i]->data : result->data;
    return result;
}

enum { MOST_SCALARS = 64 };

static hlo_value *call_scalars(hlo_thread *thread, const hlo_plan *plan,
                               hlo_value *const *arguments, uint32_t count) {
    HLO_ASSERT(count <= MOST_SCALARS &&
               hlo_shape_part_count(plan->computation->root->shape) <= MOST_SCALARS);
    const void *inputs[MOST_SCALARS];
    void *outputs[MOST_SCALARS];
    hlo_call call = {.instr = plan->computation->root, .thread = thread};
    hlo_value *result = new_results(plan->computation->root->shape, outputs);
    for (uint32_t i = 0; i < count; i++) inputs[i] = arguments[i]->data;
    if (!result) report_missing_memory(thread, plan->computation->root);
    if (!result || hlo_scalar_run(plan->scalars, &call, inputs, NULL, outputs, 1)) return result;
    hlo_value_release(result);
    return NULL;
}

/* As many as there is space for. */
static bool calls_scalars(const hlo_thread *thread, const hlo_plan *plan, uint32_t count) {
    return plan->scalars && !thread->is_watched && count <= MOST_SCALARS &&
           hlo_scalar_output_count(plan->scalars) <= MOST_SCALARS;
}

hlo_value *hlo_thread_call(hlo_thread *thread, const hlo_plan *plan, hlo_value **arguments,
                           uint32_t count) {
    hlo_frame frame = {.arguments = arguments, .argument_count = count, .moving = true};
    hlo_value *result = calls_scalars(thread, plan, count)
                            ? call_scalars(thread, plan, arguments, count)
                            : hlo_run_plan(thread, plan, &frame);
    for (uint32_t i = 0; i < count; i++) {
        hlo_value_release(arguments[i]);
        arguments[i] = NULL;
    }
    return result;
}
