/* What is kept of operands while a program runs: who makes it, who finds it. */
#include "eval/run/kept_run.h"
#include "base/blocks.h"
#include "eval/run/frame.h"

/* ---- of constants ---- */

static hlo_kept_memory kept_of_constant(const hlo_program *program, hlo_kept *kept) {
    if (!program->kept_memory) return (hlo_kept_memory){0};
    hlo_kept_memory memory = {.data = program->kept_memory + kept->at};
    uint8_t state = atomic_load_explicit(&kept->state, memory_order_acquire);
    memory.is_made = state == HLO_KEPT_MADE;
    if (memory.is_made) return memory;
    state = HLO_KEPT_EMPTY;
    if (atomic_compare_exchange_strong(&kept->state, &state, HLO_KEPT_BEING_MADE)) return memory;
    memory.is_made = state == HLO_KEPT_MADE;
    return memory.is_made ? memory : (hlo_kept_memory){0};
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
    for (const hlo_kept *kept = loop->lends; lent && kept; kept = kept->next_of_loop) {
        const hlo_frame *nobody = NULL;
        if (kept->bytes && atomic_compare_exchange_strong(&lent[kept->number].holder, &nobody,
                                                          (const hlo_frame *)thread->frame))
            lent[kept->number].is_made = false;
    }
}

void hlo_return_kept(hlo_thread *thread, const hlo_plan_step *loop) {
    hlo_lent *lent = thread->crew->lent;
    for (const hlo_kept *kept = loop->lends; lent && kept; kept = kept->next_of_loop)
        if (atomic_load(&lent[kept->number].holder) == thread->frame)
            atomic_store(&lent[kept->number].holder, NULL);
}

static hlo_kept_memory kept_of_loop(const hlo_thread *thread, const hlo_kept *kept) {
    HLO_ASSERT(!thread->crew->lent || kept->number < thread->crew->lent_count);
    if (!thread->crew->lent) return (hlo_kept_memory){0};
    const hlo_lent *lent = &thread->crew->lent[kept->number];
    const hlo_frame *holder = atomic_load(&lent->holder), *frame = thread->frame;
    while (frame && frame != holder) frame = frame->caller;
    if (!frame) return (hlo_kept_memory){0};
    return (hlo_kept_memory){thread->crew->lent_memory + kept->at, lent->is_made};
}

/* ---- both ---- */

hlo_kept_memory hlo_call_kept(const hlo_call *call, hlo_kept *kept) {
    if (!kept || !kept->bytes) return (hlo_kept_memory){0};
    return kept->loop ? kept_of_loop(call->thread, kept)
                      : kept_of_constant(call->thread->program, kept);
}

/* What was made when the run was stopped is incomplete. */
void hlo_call_set_kept(const hlo_call *call, hlo_kept *kept) {
    HLO_ASSERT(kept->loop || atomic_load(&kept->state) == HLO_KEPT_BEING_MADE);
    bool is_made = !hlo_pool_is_stopped();
    if (kept->loop) call->thread->crew->lent[kept->number].is_made = is_made;
    else
        atomic_store_explicit(&kept->state, is_made ? HLO_KEPT_MADE : HLO_KEPT_EMPTY,
                              memory_order_release);
}
