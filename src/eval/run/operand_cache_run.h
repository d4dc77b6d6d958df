/* What is kept of operands while a run lasts: memory for what loops pass on, which a run lends to
 * one entry of a loop at a time. */
#ifndef HLO_EVAL_RUN_OPERAND_CACHE_RUN_H
#define HLO_EVAL_RUN_OPERAND_CACHE_RUN_H

#include "eval/program/operand_cache.h"
#include "eval/run/frame.h"

/* In a run: which frame's loop has the memory of one for a loop; only that one's thread, and those
 * that its iterations run on, one after the other, check whether it is made. */
typedef struct hlo_loop_cached {
    _Atomic(const hlo_frame *) holder; /* NULL: none */
    bool is_made;
} hlo_loop_cached;

/* Of all threads of a run: a run has memory for what is kept for loops (without it nothing is),
 * begins when no loop is running, and ends. */
void hlo_crew_make_cached(hlo_crew *crew, const hlo_program *program);
void hlo_crew_start_cached(hlo_crew *crew);
void hlo_crew_free_cached(hlo_crew *crew);
/* The step, a loop, begins and ends in the thread's frame. */
void hlo_acquire_cached(hlo_thread *thread, const hlo_plan_step *loop);
void hlo_release_cached(hlo_thread *thread, const hlo_plan_step *loop);

#endif
