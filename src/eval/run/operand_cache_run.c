/* What is kept of operands while a program runs: who makes it, who finds it. */
#include "eval/run/operand_cache_run.h"
#include "base/blocks.h"
#include "eval/run/frame.h"

/* ---- of constants ---- */

static hlo_cached_memory cached_of_constant(const hlo_program *program, hlo_cached *cached) {
    if (!program->cached_memory) return (hlo_cached_memory){0};
    hlo_cached_memory memory = {.data = program->cached_memory + cached->at};
    uint8_t state = atomic_load_explicit(&cached->state, memory_order_acquire);
    memory.is_made = state == HLO_CACHED_READY;
    if (memory.is_made) return memory;
    state = HLO_CACHED_EMPTY;
    if (atomic_compare_exchange_strong(&cached->state, &state, HLO_CACHED_PENDING)) return memory;
    memory.is_made = state == HLO_CACHED_READY;
    return memory.is_made ? memory : (hlo_cached_memory){0};
}

/* ---- of what a loop passes on ---- */

void hlo_crew_make_cached(hlo_crew *crew, const hlo_program *program) {
    if (!program->loop_cached_bytes) return;
    crew->loop_cached_memory = hlo_block_new(program->loop_cached_bytes);
    if (!crew->loop_cached_memory) return;
    crew->loop_cached_count = program->loop_cached_count;
    crew->loop_cached = hlo_calloc(crew->loop_cached_count, sizeof *crew->loop_cached);
}

void hlo_crew_free_cached(hlo_crew *crew) {
    hlo_free(crew->loop_cached);
    hlo_block_free(crew->loop_cached_memory);
}

/* A run that was left for lack of memory ended no loop. */
void hlo_crew_start_cached(hlo_crew *crew) {
    for (uint32_t i = 0; i < crew->loop_cached_count; i++)
        atomic_store(&crew->loop_cached[i].holder, NULL);
}

/* A loop that has been entered twice at once is two loops: the memory is for one of them. */
void hlo_acquire_cached(hlo_thread *thread, const hlo_plan_step *loop) {
    hlo_loop_cached *loop_cached = thread->crew->loop_cached;
    for (const hlo_cached *cached = loop->loop_cached; loop_cached && cached;
         cached = cached->next_of_loop) {
        const hlo_frame *none = NULL;
        if (cached->bytes &&
            atomic_compare_exchange_strong(&loop_cached[cached->number].holder, &none,
                                           (const hlo_frame *)thread->frame))
            loop_cached[cached->number].is_made = false;
    }
}

void hlo_release_cached(hlo_thread *thread, const hlo_plan_step *loop) {
    hlo_loop_cached *loop_cached = thread->crew->loop_cached;
    for (const hlo_cached *cached = loop->loop_cached; loop_cached && cached;
         cached = cached->next_of_loop)
        if (atomic_load(&loop_cached[cached->number].holder) == thread->frame)
            atomic_store(&loop_cached[cached->number].holder, NULL);
}

static hlo_cached_memory cached_of_loop(const hlo_thread *thread, const hlo_cached *cached) {
    HLO_ASSERT(!thread->crew->loop_cached || cached->number < thread->crew->loop_cached_count);
    if (!thread->crew->loop_cached) return (hlo_cached_memory){0};
    const hlo_loop_cached *loop_cached = &thread->crew->loop_cached[cached->number];
    const hlo_frame *holder = atomic_load(&loop_cached->holder), *frame = thread->frame;
    while (frame && frame != holder) frame = frame->caller;
    if (!frame) return (hlo_cached_memory){0};
    return (hlo_cached_memory){thread->crew->loop_cached_memory + cached->at, loop_cached->is_made};
}

/* ---- both ---- */

hlo_cached_memory hlo_call_cached(const hlo_call *call, hlo_cached *cached) {
    if (!cached || !cached->bytes) return (hlo_cached_memory){0};
    return cached->loop ? cached_of_loop(call->thread, cached)
                        : cached_of_constant(call->thread->program, cached);
}

/* What was made when the run was stopped is incomplete. */
void hlo_call_set_cached(const hlo_call *call, hlo_cached *cached) {
    HLO_ASSERT(cached->loop || atomic_load(&cached->state) == HLO_CACHED_PENDING);
    bool is_made = !hlo_pool_is_stopped();
    if (cached->loop) call->thread->crew->loop_cached[cached->number].is_made = is_made;
    else
        atomic_store_explicit(&cached->state, is_made ? HLO_CACHED_READY : HLO_CACHED_EMPTY,
                              memory_order_release);
}
