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

void hlo_crew_make_lent(hlo_crew *crew, const hlo_program *program) {
    if (!program->lent_bytes) return;
    crew->lent_memory = hlo_block_new(program->lent_bytes);
    if (!crew->lent_memory) return;
    crew->lent_count = program->lent_count;
    crew->lent = hlo_calloc(crew->lent_count, sizeof *crew->lent);
}

void hlo_crew_free_lent(hlo_crew *crew) {
    hlo_free(crew->lent);
    hlo_block_free(crew->lent_memory);
}

/* A run that was left for lack of memory ended no loop. */
void hlo_crew_start_lent(hlo_crew *crew) {
    for (uint32_t i = 0; i < crew->lent_count; i++) atomic_store(&crew->lent[i].holder, NULL);
}

/* A loop that has been entered twice at once is two loops: the memory is for one of them. */
void hlo_lend_kept(hlo_thread *thread, const hlo_plan_step *loop) {
    hlo_lent *lent = thread->crew->lent;
    for (const hlo_cached *cached = loop->lends; lent && cached; cached = cached->next_of_loop) {
        const hlo_frame *nobody = NULL;
        if (cached->bytes && atomic_compare_exchange_strong(&lent[cached->number].holder, &nobody,
                                                          (const hlo_frame *)thread->frame))
            lent[cached->number].is_made = false;
    }
}

void hlo_return_kept(hlo_thread *thread, const hlo_plan_step *loop) {
    hlo_lent *lent = thread->crew->lent;
    for (const hlo_cached *cached = loop->lends; lent && cached; cached = cached->next_of_loop)
        if (atomic_load(&lent[cached->number].holder) == thread->frame)
            atomic_store(&lent[cached->number].holder, NULL);
}

static hlo_cached_memory cached_of_loop(const hlo_thread *thread, const hlo_cached *cached) {
    HLO_ASSERT(!thread->crew->lent || cached->number < thread->crew->lent_count);
    if (!thread->crew->lent) return (hlo_cached_memory){0};
    const hlo_lent *lent = &thread->crew->lent[cached->number];
    const hlo_frame *holder = atomic_load(&lent->holder), *frame = thread->frame;
    while (frame && frame != holder) frame = frame->caller;
    if (!frame) return (hlo_cached_memory){0};
    return (hlo_cached_memory){thread->crew->lent_memory + cached->at, lent->is_made};
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
    if (cached->loop) call->thread->crew->lent[cached->number].is_made = is_made;
    else
        atomic_store_explicit(&cached->state, is_made ? HLO_CACHED_READY : HLO_CACHED_EMPTY,
                              memory_order_release);
}
