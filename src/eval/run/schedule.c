/* Independent steps of a plan at once: threads take the first step whose operands are there. Values
 * do not depend on who runs what; neither does the error that is reported, which is that of the
 * first step in the plan's order that fails. */
#include "eval/run/frame.h"
#include "eval/value/value_memory.h"

/* Steps that may run while an earlier one has not: more would keep more values alive. */
enum { AHEAD = HLO_PLAN_AHEAD };

typedef enum { WAITING, RUNNING, DONE, FAILED } step_state;

typedef struct {
    hlo_job job;
    hlo_thread *owner;
    hlo_frame *frame;
    pthread_mutex_t lock; /* of what follows */
    uint8_t *states;      /* step_state, by step */
    uint32_t *waits_for;  /* edges from steps that are not done, by step */
    uint32_t prefix;      /* all steps before it are done */
    uint32_t running;
    uint32_t end;                   /* no step from here on starts: the first that failed */
    hlo_diags failure;              /* what that one reported */
    size_t wanted;                  /* bytes that a step could not allocate; 0: none */
    atomic_bool has_ready, is_over; /* for the pool, which reads it without the lock */
} schedule;

/* ---- choosing ---- */

/* An effect must not be seen before an earlier step has failed: such steps wait for the whole
 * prefix. */
static bool is_ready(const schedule *s, uint32_t k) {
    return s->states[k] == WAITING && s->waits_for[k] == 0 &&
           (!s->frame->plan->steps[k].has_effect || k == s->prefix);
}

/* The first ready step from `from` on, or s->end. */
static uint32_t next_ready(const schedule *s, uint32_t from) {
    uint32_t last = s->end - s->prefix > AHEAD ? s->prefix + AHEAD : s->end;
    for (uint32_t k = from; k < last; k++)
        if (is_ready(s, k)) return k;
    return s->end;
}

/* Takes the first ready step, or s->end; *others: whether threads should be woken for the rest:
 * heavy steps, or anything when the taken one is heavy. */
static uint32_t take_step(schedule *s, bool *others) {
    HLO_ASSERT_LOCKED(&s->lock);
    const hlo_plan_step *steps = s->frame->plan->steps;
    uint32_t taken = next_ready(s, s->prefix);
    *others = false;
    if (taken < s->end) {
        s->states[taken] = RUNNING;
        s->running++;
    }
    uint32_t left = taken < s->end ? next_ready(s, taken + 1) : s->end;
    atomic_store_explicit(&s->has_ready, left < s->end, memory_order_relaxed);
    for (uint32_t k = left; k < s->end && !*others; k = next_ready(s, k + 1))
        *others = steps[taken].is_heavy || steps[k].is_heavy;
    return taken;
}

/* ---- ending steps ---- */

/* Under the lock: who finds a follower ready has also got the value, which was put before. */
static void finish_step(schedule *s, uint32_t k, hlo_value *value) {
    HLO_ASSERT_LOCKED(&s->lock);
    HLO_ASSERT(s->states[k] == RUNNING);
    const hlo_plan *plan = s->frame->plan;
    hlo_put_value(s->frame, k, value);
    s->states[k] = DONE;
    for (uint32_t f = plan->steps[k].followers; f < plan->steps[k + 1].followers; f++) {
        HLO_ASSERT(s->waits_for[plan->followers[f]] > 0);
        s->waits_for[plan->followers[f]]--;
    }
    while (s->prefix < plan->count && s->states[s->prefix] == DONE) s->prefix++;
}

static void fail_step(schedule *s, uint32_t k) {
    HLO_ASSERT_LOCKED(&s->lock);
    HLO_ASSERT(s->states[k] == RUNNING);
    s->states[k] = FAILED;
    if (k < s->end) s->end = k;
}

static void keep_reports(schedule *s, uint32_t k, const hlo_diags *reports) {
    HLO_ASSERT_LOCKED(&s->lock);
    if (k >= s->end) return;
    hlo_diags_clear(&s->failure);
    hlo_diags_append(&s->failure, reports);
}

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

/* A step that a thread has taken. */
typedef struct {
    schedule *s;
    hlo_thread *thread;
    uint32_t k;
} taken_step;

/* Runs the step, whose turn it is, without the lock. Steps with effects run when nothing before
 * them can fail any more, and report directly. */
static void run_taken(void *context) {
    const taken_step *taken = context;
    schedule *s = taken->s;
    hlo_thread *thread = taken->thread;
    uint32_t k = taken->k;
    const hlo_plan_step *step = &s->frame->plan->steps[k];
    /* Operands and the running instruction are a step's own. The slots of values are shared: each
     * is written once, under the lock, before a reader can be ready. */
    hlo_frame frame = *s->frame;
    hlo_diags reports;
    hlo_diags_init(&reports);
    reports.hints = s->owner->diags->hints;
    reports.hints_context = s->owner->diags->hints_context;
    hlo_value *operands[8];
    bool few = step->instr->operand_count <= 8;
    frame.operands = few ? operands : hlo_malloc(step->instr->operand_count * sizeof *operands);
    thread->frame = &frame;
    thread->diags = step->has_effect ? s->owner->diags : &reports;
    hlo_keeping keeping;
    hlo_thread_start_keeping(thread, &keeping);
    hlo_value *value = hlo_run_step(thread, step);
    hlo_thread_end_keeping(&keeping);
    if (!few) hlo_free(frame.operands);
    /* Keeping the reports allocates: when that fails, the lock must not stay taken. */
    hlo_cleanup unlocking;
    pthread_mutex_lock(&s->lock);
    hlo_cleanup_add(&unlocking, unlock, &s->lock);
    if (!value) keep_reports(s, k, &reports);
    hlo_cleanup_remove(&unlocking);
    if (value) finish_step(s, k, value);
    else fail_step(s, k);
    HLO_ASSERT(s->running > 0);
    s->running--;
    pthread_mutex_unlock(&s->lock);
    hlo_diags_drop(&reports);
}

/* A step that runs out of memory fails; the owner is notified when the others have ended. */
static void run_or_give_up(schedule *s, hlo_thread *thread, uint32_t k) {
    taken_step taken = {s, thread, k};
    size_t wanted = hlo_unwind_work(hlo_unwind_current(), run_taken, &taken);
    if (!wanted) return;
    pthread_mutex_lock(&s->lock);
    s->wanted = wanted;
    fail_step(s, k);
    HLO_ASSERT(s->running > 0);
    s->running--;
    pthread_mutex_unlock(&s->lock);
}

/* ---- threads ---- */

/* Takes and runs one step; false when none is ready. */
static bool work_once(schedule *s, hlo_thread *thread) {
    bool others;
    pthread_mutex_lock(&s->lock);
    uint32_t k = take_step(s, &others);
    bool found = k < s->end;
    bool is_over = !found && !s->running;
    atomic_store_explicit(&s->is_over, is_over, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    if (others || is_over) hlo_job_notify(s->owner->pool);
    if (found) run_or_give_up(s, thread, k);
    return found;
}

static bool has_work(hlo_job *job) {
    return atomic_load_explicit(&((schedule *)job)->has_ready, memory_order_relaxed);
}

static bool should_look(hlo_job *job) {
    return has_work(job) || atomic_load_explicit(&((schedule *)job)->is_over, memory_order_relaxed);
}

/* A thread of the pool borrows what frames and kernels need of memory while there are steps. */
static void run_ready_steps(hlo_job *job) {
    schedule *s = (schedule *)job;
    hlo_thread *thread = hlo_thread_borrow(s->owner);
    while (work_once(s, thread)) continue;
    hlo_thread_return(thread);
}

/* ---- the whole ---- */

static void start(schedule *s, hlo_thread *owner, hlo_frame *frame) {
    const hlo_plan *plan = frame->plan;
    *s = (schedule){.owner = owner, .frame = frame, .end = plan->count};
    s->job = (hlo_job){.has_work = has_work, .work = run_ready_steps};
    pthread_mutex_init(&s->lock, NULL);
    hlo_diags_init(&s->failure);
    s->states = hlo_calloc(plan->count, sizeof *s->states);
    s->waits_for = hlo_malloc(plan->count * sizeof *s->waits_for);
    for (uint32_t k = 0; k < plan->count; k++) s->waits_for[k] = plan->steps[k].waits_for;
    /* Before another thread can see the frame: from here on the values that steps put, and the
     * arguments, are counted by atomic instructions. */
    frame->is_shared = true;
    for (uint32_t i = 0; i < frame->argument_count; i++)
        if (frame->arguments[i]) hlo_value_share(frame->arguments[i]);
}

/* Reports the failure and gives up the values that steps left: those that were done hold a
 * reference for each user, of which the waiting ones will never run. Steps that failed or ran have
 * released their own operands. */
static void give_up(schedule *s) {
    const hlo_plan *plan = s->frame->plan;
    hlo_diags_append(s->owner->diags, &s->failure);
    for (uint32_t k = 0; k < plan->count; k++)
        if (s->states[k] != DONE) s->frame->values[k] = NULL;
    for (uint32_t k = 0; k < plan->count; k++)
        if (s->states[k] == WAITING) hlo_drop_operands(s->frame, k);
    hlo_value_release(s->frame->values[plan->root]);
}

hlo_value *hlo_run_at_once(hlo_thread *owner, hlo_frame *frame) {
    hlo_pool *pool = owner->pool;
    schedule s;
    start(&s, owner, frame);
    hlo_thread *thread = hlo_thread_borrow(owner);
    hlo_job_open(pool, &s.job, 0);
    for (;;) {
        while (work_once(&s, thread)) continue;
        if (atomic_load_explicit(&s.is_over, memory_order_relaxed)) break;
        hlo_job_wait(pool, &s.job, should_look);
    }
    /* No thread may still use `s`, which is on this stack, when the call unwinds or returns. */
    hlo_job_close(pool, &s.job);
    if (s.wanted || s.job.wanted) hlo_out_of_memory(s.wanted ? s.wanted : s.job.wanted);
    hlo_thread_return(thread);
    HLO_ASSERT(!s.running);
    bool failed = s.end < frame->plan->count;
    HLO_ASSERT(failed || s.prefix == frame->plan->count);
    if (failed) give_up(&s);
    pthread_mutex_destroy(&s.lock);
    hlo_diags_drop(&s.failure);
    hlo_free(s.states);
    hlo_free(s.waits_for);
    return failed ? NULL : frame->values[frame->plan->root];
}
