/* Threads that share work: ranges of independent items, and jobs of other kinds such as the steps
 * of a plan. A thread works for one pool at a time; hlo_parallel uses that pool. */
#ifndef HLO_BASE_POOL_H
#define HLO_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/unwind.h"

typedef struct hlo_pool hlo_pool;

/* How many the process may use. */
uint32_t hlo_processors(void);
/* `threads` counts the caller; 0 means the processors that this process may use. Workers are
 * started when there is work for them; one thread starts none. */
hlo_pool *hlo_pool_new(uint32_t threads);
/* Before there is work: pins each worker to a separate processor, and a thread while it works for
 * the pool by hlo_pool_enter, if there are as many processors as threads. */
void hlo_pool_pin(hlo_pool *pool);
/* Joins the workers. No job may be open. NULL is fine. */
void hlo_pool_free(hlo_pool *pool);
uint32_t hlo_pool_threads(const hlo_pool *pool);

/* Makes `pool` (NULL: none) the one the calling thread works for; returns the one before. */
hlo_pool *hlo_pool_enter(hlo_pool *pool);
/* The same, for hlo_cleanup_add. */
void hlo_pool_leave(void *before);

/* Asks every thread of the pool to drop its work at the next piece: safe in a signal handler. What
 * was being computed is then incomplete. Stays until hlo_pool_resume. */
void hlo_pool_stop(hlo_pool *pool);
void hlo_pool_resume(hlo_pool *pool);
bool hlo_pool_is_cancelled(hlo_pool *pool);
/* The same of the pool of the calling thread. */
bool hlo_pool_is_stopped(void);

/* Called by a worker that has done pieces of a range: with the label of the thread that opened it,
 * and when the worker joined (hlo_clock). */
typedef void hlo_pool_watch(void *context, const void *label, uint64_t since);
/* NULL: none. No job may be open. */
void hlo_pool_set_watch(hlo_pool *pool, hlo_pool_watch *watch, void *context);
/* What the calling thread's ranges are for, from now on; returns what they were for before. */
const void *hlo_pool_label(const void *label);

/* Which of several ways to do the same the calling thread's work is done in, a number that means
 * nothing here: workers take over that of the thread that opened the job. Gives the one before. */
uint32_t hlo_pool_enter_variant(uint32_t variant);
uint32_t hlo_pool_variant(void);

/* Some tens of nanoseconds, between two looks at what other threads write. */
void hlo_pool_rest(void);

/* ---- ranges ---- */

/* Computes the items from `first` on below `last`. */
typedef void hlo_range_body(void *context, int64_t first, int64_t last);

/* What a piece should cost at least, in nanoseconds or so: waking a thread takes 5 to 50 us. */
enum { HLO_PIECE_COST = 1 << 15 };

/* Runs the body over 0 .. count - 1 in pieces of `grain` items (the last may be shorter), on as
 * many threads as have nothing better to do; returns when all are done. Pieces do not depend on the
 * number of threads, and run in no order. Within a piece, and without a pool, everything is done by
 * the calling thread. */
void hlo_parallel(int64_t count, int64_t grain, hlo_range_body *body, void *context);

/* How many threads hlo_parallel may use here: one without a pool, and within a piece. */
uint32_t hlo_pool_available(void);

/* A grain for items of this cost. */
static inline int64_t hlo_grain(int64_t cost) {
    HLO_ASSERT(cost >= 0);
    return cost >= HLO_PIECE_COST ? 1 : HLO_PIECE_COST / (cost > 0 ? cost : 1);
}

/* ---- other jobs ---- */

/* Work that other threads may join while it is open. Their owner embeds it. */
typedef struct hlo_job {
    bool (*has_work)(struct hlo_job *job); /* called with the pool locked */
    void (*work)(struct hlo_job *job); /* on any thread: does some, returns when there is none */
    bool is_short; /* its work never waits for other jobs: a waiting thread may take it */
    _Atomic uint32_t
        inside; /* threads in `work`, but for the owner; written with the pool locked */
    /* Of hlo_job_open: what the job is part of, and in which variant; and, when it is closed, the
     * bytes that a thread in `work` could not allocate, or 0. The owner then calls
     * hlo_out_of_memory. */
    hlo_unwind_scope *scope;
    uint32_t variant;
    size_t wanted;
    const void *label; /* of a range: see hlo_pool_watch */
    struct hlo_job *next;
} hlo_job;

/* From now on the pool's threads look for work in the job; `wanted` of them are woken. */
void hlo_job_open(hlo_pool *pool, hlo_job *job, uint32_t wanted);
/* Says that the job has more work, or that its state has changed. */
void hlo_job_notify(hlo_pool *pool);
/* Waits for a notification or a change in any job, and takes short work meanwhile. `is_done` is
 * called with the pool locked; returns when it returns true. */
void hlo_job_wait(hlo_pool *pool, hlo_job *job, bool (*is_done)(hlo_job *job));
/* No thread enters the job any more; returns when those inside have left. */
void hlo_job_close(hlo_pool *pool, hlo_job *job);

#endif
