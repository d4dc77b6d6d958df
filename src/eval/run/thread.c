/* Threads of a run: their making, their cached memory, their errors and where they are. runner.c
 * and schedule.c run steps. */
#include "eval/run/thread.h"

#include <stdarg.h>

#include "base/blocks.h"
#include "eval/run/frame.h"
#include "eval/run/operand_cache_run.h"
#include "ir/call_metadata.h"

/* More than SCRATCH, and what is not free, comes from blocks. One of up to LARGE is kept: fresh
 * pages take longer than most kernels that use them. */
enum { SCRATCH = 1 << 16, LARGE = 1 << 28 };

/* ---- making ---- */

static char *new_memory(uint64_t bytes) {
    char *memory = hlo_block_new(bytes);
    if (memory) hlo_place_close(memory, bytes);
    return memory;
}

static void free_memory(char *memory, uint64_t bytes) {
    if (memory) hlo_place_open(memory, bytes);
    hlo_block_free(memory);
}

static hlo_thread *new_thread(hlo_device *device, hlo_pool *pool, hlo_crew *crew) {
    hlo_thread *thread = hlo_calloc(1, sizeof *thread);
    thread->program = device->program;
    thread->device = device;
    thread->is_watched = device->options.observe || device->options.profile;
    thread->pool = pool;
    thread->crew = crew;
    thread->slots = hlo_calloc(device->program->plan_count, sizeof *thread->slots);
    return thread;
}

/* For runs of more than an instruction, scratch memory is there from the beginning: blocks are kept
 * as long as one is in use, and between runs that may be the only one. */
hlo_thread *hlo_thread_new(hlo_device *device, hlo_pool *pool, hlo_diags *diags) {
    hlo_crew *crew = hlo_calloc(1, sizeof *crew);
    pthread_mutex_init(&crew->lock, NULL);
    hlo_crew_make_cached(crew, device->program);
    hlo_thread *thread = new_thread(device, pool, crew);
    thread->diags = diags;
    if (device->program->plans[0]->computation) thread->scratch = hlo_block_new(SCRATCH);
    return thread;
}

static void free_slots(hlo_slots *slots) {
    for (uint32_t i = 0; slots && i < slots->plan->constant_count; i++)
        hlo_value_release(slots->constants[i]);
    hlo_free(slots);
}

static void free_thread(hlo_thread *thread) {
    for (uint32_t n = 0; n < thread->program->plan_count; n++) free_slots(thread->slots[n]);
    hlo_free(thread->slots);
    free_memory(thread->memory, thread->memory_bytes);
    hlo_kept_values_free(&thread->kept);
    hlo_block_free(thread->scratch);
    hlo_block_free(thread->large);
    hlo_free(thread);
}

void hlo_thread_free(hlo_thread *thread) {
    if (!thread) return;
    hlo_crew *crew = thread->crew;
    while (crew->idle) {
        hlo_thread *idle = crew->idle;
        crew->idle = idle->next;
        free_thread(idle);
    }
    pthread_mutex_destroy(&crew->lock);
    hlo_crew_free_cached(crew);
    hlo_free(crew);
    free_thread(thread);
}

void hlo_thread_report_to(hlo_thread *thread, hlo_diags *diags) {
    thread->diags = diags;
}

/* An idle thread keeps the slots and the scratch of its last step: the next step that it is lent
 * for likely needs the same. */
hlo_thread *hlo_thread_borrow(const hlo_thread *owner) {
    hlo_crew *crew = owner->crew;
    pthread_mutex_lock(&crew->lock);
    hlo_thread *thread = crew->idle;
    if (thread) crew->idle = thread->next;
    pthread_mutex_unlock(&crew->lock);
    if (!thread) thread = new_thread(owner->device, owner->pool, crew);
    thread->depth = owner->depth;
    thread->frame = NULL; /* that of its last step is gone */
    return thread;
}

void hlo_thread_return(hlo_thread *thread) {
    hlo_crew *crew = thread->crew;
    pthread_mutex_lock(&crew->lock);
    HLO_ASSERT(thread->next != thread && thread != crew->idle);
    thread->next = crew->idle;
    crew->idle = thread;
    pthread_mutex_unlock(&crew->lock);
}

/* ---- memory ---- */

hlo_slots *hlo_thread_take_slots(hlo_thread *thread, const hlo_plan *plan) {
    HLO_ASSERT(plan->number < thread->program->plan_count);
    hlo_slots *slots = thread->slots[plan->number];
    thread->slots[plan->number] = NULL;
    if (slots) return slots;
    size_t values = (size_t)plan->count + plan->most_operands;
    size_t pointers = values + plan->constant_count;
    slots = hlo_calloc(1, sizeof *slots + pointers * sizeof *slots->values +
                              plan->buffer_count * sizeof *slots->headers);
    slots->plan = plan;
    slots->constants = slots->values + values;
    slots->headers = (hlo_value *)(slots->values + pointers);
    return slots;
}

void hlo_thread_leave_slots(hlo_thread *thread, hlo_slots *slots) {
    HLO_ASSERT(!thread->slots[slots->plan->number]);
    thread->slots[slots->plan->number] = slots; /* no plan is run within itself */
}

void hlo_thread_stop_keeping(void *before) {
    hlo_kept_values_enter(before);
}

void hlo_thread_start_keeping(hlo_thread *thread, hlo_keeping *keeping) {
    keeping->before = hlo_kept_values_enter(&thread->kept);
    hlo_cleanup_add(&keeping->cleanup, hlo_thread_stop_keeping, keeping->before);
}

void hlo_thread_end_keeping(hlo_keeping *keeping) {
    hlo_cleanup_remove(&keeping->cleanup);
    hlo_kept_values_enter(keeping->before);
}

/* Frames inside of those that have memory get a part of it, so that here is seldom a second one. */
char *hlo_thread_take_memory(hlo_thread *thread, const hlo_plan *plan) {
    if (thread->memory_is_taken) return new_memory(plan->bytes);
    if (plan->bytes > thread->memory_bytes) {
        free_memory(thread->memory, thread->memory_bytes);
        thread->memory = new_memory(plan->bytes);
        thread->memory_bytes = thread->memory ? plan->bytes : 0;
    }
    thread->memory_is_taken = thread->memory != NULL;
    return thread->memory;
}

/* That of the entry computation stays for the next run. */
void hlo_thread_leave_memory(hlo_thread *thread, const hlo_plan *plan, char *memory) {
    HLO_ASSERT(memory != thread->memory || thread->memory_is_taken);
    if (memory != thread->memory) {
        free_memory(memory, plan->bytes);
        return;
    }
    thread->memory_is_taken = false;
    if (thread->depth == 0 || thread->memory_bytes <= LARGE) return;
    free_memory(thread->memory, thread->memory_bytes);
    thread->memory = NULL;
    thread->memory_bytes = 0;
}

/* NULL when the memory is not there. One block at a time: a kernel that calls a computation may
 * hold it while a kernel inside needs another, which is then mapped for that kernel alone. */
static void *take_large(hlo_thread *thread, size_t size) {
    if (thread->large_is_taken || size > LARGE) return hlo_block_new(size);
    if (size > thread->large_bytes) {
        hlo_block_free(thread->large);
        thread->large = hlo_block_new(size);
        thread->large_bytes = thread->large ? size : 0;
    }
    thread->large_is_taken = thread->large != NULL;
    return thread->large;
}

void *hlo_thread_take_scratch(hlo_thread *thread, size_t bytes) {
    HLO_ASSERT(thread->scratch_used <= SCRATCH && thread->scratch_used % 64 == 0);
    size_t size = (bytes + 63) / 64 * 64;
    if (size < bytes) return NULL;
    if (size > SCRATCH - thread->scratch_used) return take_large(thread, size);
    if (!thread->scratch) thread->scratch = hlo_block_new(SCRATCH);
    if (!thread->scratch) return NULL;
    thread->scratch_used += size;
    return thread->scratch + (thread->scratch_used - size);
}

/* The address identifies where the memory came from. Kernels nest, so that the small stack is left
 * in the opposite order. */
void hlo_thread_leave_scratch(hlo_thread *thread, void *scratch, size_t bytes) {
    char *at = scratch;
    if (thread->scratch && at >= thread->scratch && at < thread->scratch + SCRATCH) {
        thread->scratch_used -= (bytes + 63) / 64 * 64;
        HLO_ASSERT(at == thread->scratch + thread->scratch_used);
    } else if (at == thread->large) {
        thread->large_is_taken = false;
    } else {
        hlo_block_free(scratch);
    }
}

bool hlo_thread_lacks_memory(const hlo_thread *thread) {
    return thread->lacks_memory;
}

/* ---- errors ---- */

void hlo_thread_error(hlo_thread *thread, const hlo_instr *instr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hlo_report_instr(thread->diags, HLO_RULE_RUN, thread->program, instr, format, args);
    va_end(args);
}

void hlo_thread_rule_error(hlo_thread *thread, hlo_rule rule, const hlo_instr *instr,
                           const char *format, ...) {
    va_list args;
    va_start(args, format);
    hlo_report_instr(thread->diags, rule, thread->program, instr, format, args);
    va_end(args);
}

/* ---- where it is ---- */

/* The innermost first. */
static uint32_t list_callers(const hlo_thread *thread,
                             const hlo_frame *frames[HLO_EVAL_MAX_DEPTH]) {
    uint32_t count = 0;
    for (const hlo_frame *f = thread->frame ? thread->frame->caller : NULL;
         f && count < HLO_EVAL_MAX_DEPTH; f = f->caller)
        frames[count++] = f;
    return count;
}

hlo_str hlo_thread_op_name(const hlo_thread *thread, hlo_arena *arena, const hlo_instr *instr) {
    const hlo_frame *frames[HLO_EVAL_MAX_DEPTH];
    uint32_t count = list_callers(thread, frames);
    hlo_str scope = HLO_STR("");
    while (count--)
        if (frames[count]->instr->opcode == HLO_OP_CALL)
            scope = hlo_op_name_within(arena, scope, hlo_op_name_of(frames[count]->instr));
    return hlo_op_name_within(arena, scope, hlo_op_name_of(instr));
}

void hlo_thread_put_path(const hlo_thread *thread, hlo_buf *to) {
    const hlo_frame *frames[HLO_EVAL_MAX_DEPTH];
    uint32_t count = list_callers(thread, frames);
    while (count--) {
        const hlo_frame *f = frames[count];
        hlo_buf_printf(to, "%.*s/", (int)f->instr->name->len, f->instr->name->ptr);
        if (f->iteration >= 0) hlo_buf_printf(to, "%lld/", (long long)f->iteration);
    }
}

bool hlo_thread_is_called_by(const hlo_thread *thread, const hlo_caller *callers, uint32_t count) {
    const hlo_frame *f = thread->frame->caller;
    for (; count && f; f = f->caller) {
        const hlo_caller *wanted = &callers[--count];
        if (f->instr != wanted->instr ||
            (wanted->iteration >= 0 && f->iteration != wanted->iteration))
            return false;
    }
    return !count && !f;
}
