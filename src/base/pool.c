/* A pool of threads: see pool.h. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"

enum { MOST_THREADS = 1024 };

/* How long a thread without work looks for some before it sleeps: a thread that looks finds work
 * within a microsecond, one that sleeps takes 5 to 50 to wake. */
enum { SPIN_NANOSECONDS = 50000, PAUSES = 4 };

struct hlo_pool {
    uint32_t threads, started, idle;
    uint32_t spinning; /* of the idle ones: those that look */
    bool spins;        /* there is a processor for each thread */
    atomic_uint news;  /* counts what may have made work, for who looks without the lock */
    pthread_t *workers;
    pthread_mutex_t lock; /* of everything here but `stopped` */
    pthread_cond_t work;  /* for idle threads */
    pthread_cond_t left;  /* signalled when a thread leaves a job */
    hlo_job *jobs;        /* newest first: the innermost work is what others wait for */
    bool ending;
    bool pins;
    cpu_set_t allowed;     /* of pins: the processors of the process */
    hlo_pool_watch *watch; /* or NULL */
    void *watch_context;
    atomic_bool stopped;
};

static _Thread_local hlo_pool *my_pool;
static _Thread_local const void *my_label;
static _Thread_local uint32_t my_variant;
static _Thread_local bool in_piece; /* nested ranges are the piece's own work */

/* ---- threads ---- */

uint32_t hlo_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

hlo_pool *hlo_pool_new(uint32_t threads) {
    hlo_pool *pool = hlo_calloc(1, sizeof *pool);
    pool->threads = threads ? threads : hlo_processors();
    if (pool->threads > MOST_THREADS) pool->threads = MOST_THREADS;
    pool->spins = pool->threads > 1 && pool->threads <= hlo_processors();
    pool->workers = hlo_calloc(pool->threads, sizeof *pool->workers);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->left, NULL);
    return pool;
}

/* The processor of a thread: 0 is the caller's. */
static cpu_set_t processor_of(const hlo_pool *pool, uint32_t thread) {
    HLO_ASSERT(thread < (uint32_t)CPU_COUNT(&pool->allowed));
    cpu_set_t one;
    int p = 0;
    for (uint32_t n = 0; p < CPU_SETSIZE; p++)
        if (CPU_ISSET(p, &pool->allowed) && n++ == thread) break;
    CPU_ZERO(&one);
    CPU_SET(p, &one);
    return one;
}

void hlo_pool_pin(hlo_pool *pool) {
    if (sched_getaffinity(0, sizeof pool->allowed, &pool->allowed) != 0) return;
    pool->pins = (uint32_t)CPU_COUNT(&pool->allowed) >= pool->threads;
}

static hlo_job *find_work(const hlo_pool *pool, bool only_short) {
    for (hlo_job *job = pool->jobs; job; job = job->next)
        if ((job->is_short || !only_short) && job->has_work(job)) return job;
    return NULL;
}

static void do_work(void *job) {
    ((hlo_job *)job)->work(job);
}

void hlo_pool_rest(void) {
    for (int i = 0; i < PAUSES; i++) {
#if defined __x86_64__ || defined __i386__
        __builtin_ia32_pause();
#elif defined __aarch64__
        __asm__ volatile("yield");
#endif
    }
}

/* do_work, for who watches the pool. */
static void do_watched_work(void *job_) {
    hlo_job *job = job_;
    uint64_t since = hlo_clock();
    do_work(job);
    if (job->label) my_pool->watch(my_pool->watch_context, job->label, since);
}

/* Memory that is missing here is missed by the job's owner. */
static void join_job(hlo_pool *pool, hlo_job *job) {
    HLO_ASSERT_LOCKED(&pool->lock);
    bool before = in_piece;
    uint32_t variant = hlo_pool_enter_variant(job->variant);
    job->inside++;
    pthread_mutex_unlock(&pool->lock);
    size_t wanted = hlo_unwind_work(job->scope, pool->watch ? do_watched_work : do_work, job);
    in_piece = before;
    my_variant = variant;
    pthread_mutex_lock(&pool->lock);
    if (wanted) job->wanted = wanted;
    HLO_ASSERT(job->inside > 0);
    if (atomic_fetch_sub(&job->inside, 1) == 1) pthread_cond_broadcast(&pool->left);
}

/* Called when there may be work, or something has changed that threads wait
 * for: `wanted` idle threads hear of it, those first that look. */
static void tell(hlo_pool *pool, uint32_t wanted) {
    HLO_ASSERT_LOCKED(&pool->lock);
    HLO_ASSERT(pool->spinning <= pool->idle);
    atomic_fetch_add_explicit(&pool->news, 1, memory_order_release);
    uint32_t asleep = pool->idle - pool->spinning;
    uint32_t woken = wanted > pool->spinning ? wanted - pool->spinning : 0;
    if (woken >= asleep && asleep) pthread_cond_broadcast(&pool->work);
    else
        for (uint32_t n = 0; n < woken && asleep; n++) pthread_cond_signal(&pool->work);
}

/* Looks until there is news, with the lock open meanwhile; false when there is none for long. */
static bool spin_for_news(hlo_pool *pool) {
    HLO_ASSERT_LOCKED(&pool->lock);
    if (!pool->spins) return false;
    uint32_t seen = atomic_load_explicit(&pool->news, memory_order_relaxed);
    pool->spinning++;
    pthread_mutex_unlock(&pool->lock);
    for (uint64_t end = hlo_clock() + SPIN_NANOSECONDS; hlo_clock() < end;) {
        if (atomic_load_explicit(&pool->news, memory_order_acquire) != seen) break;
        hlo_pool_rest();
    }
    pthread_mutex_lock(&pool->lock);
    HLO_ASSERT(pool->spinning > 0);
    pool->spinning--;
    return atomic_load_explicit(&pool->news, memory_order_relaxed) != seen;
}

static void wait_for_work(hlo_pool *pool) {
    HLO_ASSERT_LOCKED(&pool->lock);
    pool->idle++;
    if (!spin_for_news(pool)) pthread_cond_wait(&pool->work, &pool->lock);
    HLO_ASSERT(pool->idle > 0);
    pool->idle--;
}

static void *worker(void *argument) {
    hlo_pool *pool = argument;
    my_pool = pool;
    pthread_mutex_lock(&pool->lock);
    while (!pool->ending) {
        hlo_job *job = find_work(pool, false);
        if (job) join_job(pool, job);
        else wait_for_work(pool);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Signals are for the thread that was there before, except those that a thread's own instruction
 * raises: where these are blocked the kernel ends the process instead of asking its handler, such
 * as the programs' one for mapped files that shrink. */
static void block_signals(sigset_t *before) {
    static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static bool start_worker(hlo_pool *pool, uint32_t number) {
    HLO_ASSERT(number + 1 < pool->threads);
    if (pthread_create(&pool->workers[number], NULL, worker, pool) != 0) return false;
    if (pool->pins) {
        cpu_set_t one = processor_of(pool, number + 1);
        pthread_setaffinity_np(pool->workers[number], sizeof one, &one);
    }
    return true;
}

/* Starts workers so that `wanted` are idle, as far as the pool goes. A system that gives no more
 * threads gets the work done with fewer. */
static void start_workers(hlo_pool *pool, uint32_t wanted) {
    HLO_ASSERT_LOCKED(&pool->lock);
    if (pool->started + 1 >= pool->threads) return;
    sigset_t before;
    block_signals(&before);
    for (uint32_t n = pool->idle; n < wanted && pool->started + 1 < pool->threads; n++) {
        if (!start_worker(pool, pool->started)) {
            pool->threads = pool->started + 1;
            break;
        }
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void hlo_pool_free(hlo_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    tell(pool, pool->threads);
    pthread_mutex_unlock(&pool->lock);
    HLO_ASSERT(!pool->jobs);
    for (uint32_t i = 0; i < pool->started; i++) pthread_join(pool->workers[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->left);
    hlo_free(pool->workers);
    hlo_free(pool);
}

uint32_t hlo_pool_threads(const hlo_pool *pool) {
    return pool->threads;
}

hlo_pool *hlo_pool_enter(hlo_pool *pool) {
    hlo_pool *before = my_pool;
    my_pool = pool;
    if (pool == before) return before;
    if (before && before->pins) sched_setaffinity(0, sizeof before->allowed, &before->allowed);
    if (pool && pool->pins) {
        cpu_set_t first = processor_of(pool, 0);
        sched_setaffinity(0, sizeof first, &first);
    }
    return before;
}

void hlo_pool_leave(void *before) {
    hlo_pool_enter(before);
}

void hlo_pool_set_watch(hlo_pool *pool, hlo_pool_watch *watch, void *context) {
    HLO_ASSERT(!pool->jobs);
    pool->watch = watch;
    pool->watch_context = context;
}

const void *hlo_pool_label(const void *label) {
    const void *before = my_label;
    my_label = label;
    return before;
}

uint32_t hlo_pool_enter_variant(uint32_t variant) {
    uint32_t before = my_variant;
    my_variant = variant;
    return before;
}

uint32_t hlo_pool_variant(void) {
    return my_variant;
}

/* ---- stopping ---- */

void hlo_pool_stop(hlo_pool *pool) {
    atomic_store_explicit(&pool->stopped, true, memory_order_relaxed);
}

void hlo_pool_resume(hlo_pool *pool) {
    atomic_store_explicit(&pool->stopped, false, memory_order_relaxed);
}

bool hlo_pool_is_cancelled(hlo_pool *pool) {
    return atomic_load_explicit(&pool->stopped, memory_order_relaxed);
}

bool hlo_pool_is_stopped(void) {
    return my_pool && hlo_pool_is_cancelled(my_pool);
}

/* ---- jobs ---- */

void hlo_job_open(hlo_pool *pool, hlo_job *job, uint32_t wanted) {
    HLO_ASSERT(job->has_work && job->work);
    job->scope = hlo_unwind_current();
    hlo_unwind_share(job->scope);
    job->variant = my_variant;
    job->wanted = 0;
    pthread_mutex_lock(&pool->lock);
    job->inside = 0;
    job->next = pool->jobs;
    pool->jobs = job;
    start_workers(pool, wanted);
    tell(pool, wanted);
    pthread_mutex_unlock(&pool->lock);
}

void hlo_job_notify(hlo_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    tell(pool, pool->threads);
    pthread_mutex_unlock(&pool->lock);
}

void hlo_job_wait(hlo_pool *pool, hlo_job *job, bool (*is_done)(hlo_job *job)) {
    pthread_mutex_lock(&pool->lock);
    while (!is_done(job)) {
        hlo_job *other = find_work(pool, true);
        if (other) join_job(pool, other);
        else wait_for_work(pool);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Others may still be inside then. */
static void spin_until_left(hlo_pool *pool, hlo_job *job) {
    HLO_ASSERT_LOCKED(&pool->lock);
    pthread_mutex_unlock(&pool->lock);
    for (uint64_t end = hlo_clock() + SPIN_NANOSECONDS; hlo_clock() < end;) {
        if (!atomic_load_explicit(&job->inside, memory_order_relaxed)) break;
        hlo_pool_rest();
    }
    pthread_mutex_lock(&pool->lock);
}

void hlo_job_close(hlo_pool *pool, hlo_job *job) {
    pthread_mutex_lock(&pool->lock);
    hlo_job **link = &pool->jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    if (job->inside && pool->spins) spin_until_left(pool, job);
    while (job->inside) pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- ranges ---- */

typedef struct {
    hlo_job job;
    hlo_pool *pool;
    int64_t count, grain, pieces;
    _Atomic int64_t next; /* piece */
    hlo_range_body *body;
    void *context;
} range;

static bool range_has_work(hlo_job *job) {
    range *r = (range *)job;
    return atomic_load_explicit(&r->next, memory_order_relaxed) < r->pieces;
}

static void run_pieces(hlo_job *job) {
    range *r = (range *)job;
    bool before = in_piece;
    in_piece = true;
    for (;;) {
        int64_t piece = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed);
        if (piece >= r->pieces) break;
        if (hlo_pool_is_cancelled(r->pool)) continue;
        int64_t first = piece * r->grain, left = r->count - first;
        HLO_ASSERT(first >= 0 && left > 0);
        r->body(r->context, first, left < r->grain ? r->count : first + r->grain);
    }
    in_piece = before;
}

/* For an owner without memory: other threads may still be at work for the range. */
static void abandon_range(void *range_) {
    range *r = range_;
    in_piece = false;
    atomic_store_explicit(&r->next, r->pieces, memory_order_relaxed);
    if (r->pool->threads > 1) hlo_job_close(r->pool, &r->job);
}

uint32_t hlo_pool_available(void) {
    return my_pool && !in_piece ? my_pool->threads : 1;
}

void hlo_parallel(int64_t count, int64_t grain, hlo_range_body *body, void *context) {
    HLO_ASSERT(grain > 0);
    hlo_pool *pool = my_pool;
    if (!pool || count <= grain || in_piece) {
        if (count > 0) body(context, 0, count);
        return;
    }
    int64_t pieces = count / grain + (count % grain != 0);
    HLO_ASSERT(pieces > 1);
    range r = {.job = {.has_work = range_has_work,
                       .work = run_pieces,
                       .is_short = true,
                       .label = my_label},
               .pool = pool,
               .count = count,
               .grain = grain,
               .pieces = pieces,
               .body = body,
               .context = context};
    hlo_cleanup abandoning;
    hlo_cleanup_add(&abandoning, abandon_range, &r);
    if (pool->threads == 1) {
        run_pieces(&r.job);
    } else {
        int64_t others = pieces - 1, most = pool->threads - 1;
        hlo_job_open(pool, &r.job, (uint32_t)(others < most ? others : most));
        run_pieces(&r.job);
        hlo_job_close(pool, &r.job);
    }
    hlo_cleanup_remove(&abandoning);
    if (r.job.wanted) hlo_out_of_memory(r.job.wanted);
}
