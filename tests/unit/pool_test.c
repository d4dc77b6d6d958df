/* The pool: every item once, whatever the number of threads; nesting; stopping; jobs;
 * what workers take over from whom they help. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/blocks.h"
#include "base/pool.h"

static int failures;

static void check(bool good, const char *what, uint32_t threads) {
    if (good) return;
    failures++;
    printf("%s fails with %u threads\n", what, threads);
}

static void count_items(void *context, int64_t first, int64_t last) {
    atomic_uchar *seen = context;
    for (int64_t i = first; i < last; i++) atomic_fetch_add(&seen[i], 1);
}

static void nested(void *context, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++)
        hlo_parallel(100, 7, count_items, (atomic_uchar *)context + i * 100);
}

static bool all_are(const atomic_uchar *seen, size_t n, unsigned wanted) {
    for (size_t i = 0; i < n; i++)
        if (seen[i] != wanted) return false;
    return true;
}

static void stop_it(void *context, int64_t first, int64_t last) {
    (void)last;
    count_items(context, first, first + 1);
    if (first == 0) hlo_pool_stop(*(hlo_pool **)((char *)context + 1000));
}

static void test_ranges(uint32_t threads) {
    enum { N = 10000 };
    static atomic_uchar seen[N];
    hlo_pool *pool = hlo_pool_new(threads), *before = hlo_pool_enter(pool);
    for (int grain = 1; grain < 20000; grain = grain * 3 + 1) {
        memset(seen, 0, sizeof seen);
        hlo_parallel(N, grain, count_items, seen);
        check(all_are(seen, N, 1), "a range", threads);
    }
    memset(seen, 0, sizeof seen);
    hlo_parallel(100, 1, nested, seen);
    check(all_are(seen, N, 1), "a range in a range", threads);
    memset(seen, 0, sizeof seen);
    hlo_parallel(0, 1, count_items, seen);
    check(all_are(seen, N, 0), "no range", threads);
    static _Alignas(16) char storage[1016];
    memcpy(storage + 1000, &pool, sizeof pool);
    hlo_parallel(1000, 1, stop_it, storage);
    check(hlo_pool_is_stopped(), "stopping", threads);
    hlo_pool_resume(pool);
    check(!hlo_pool_is_stopped(), "going on", threads);
    hlo_pool_enter(before);
    hlo_pool_free(pool);
}

static void use_blocks(void *context, int64_t first, int64_t last) {
    (void)context;
    for (int64_t i = first; i < last; i++) {
        size_t bytes = (size_t)(i * 7919 % 900 + 1) << 10;
        unsigned char *block = hlo_scratch_zeros(bytes);
        check(block[0] == 0 && block[bytes - 1] == 0 && (size_t)block % 64 == 0, "a block", 0);
        memset(block, 255, bytes);
        hlo_block_free(block);
    }
}

static void test_blocks(uint32_t threads) {
    hlo_pool *pool = hlo_pool_new(threads), *before = hlo_pool_enter(pool);
    void *held = hlo_block_new(1 << 22);
    hlo_parallel(1000, 1, use_blocks, NULL);
    hlo_block_free(held);
    check(hlo_block_new((size_t)-1) == NULL && hlo_block_new((size_t)1 << 60) == NULL, "too much",
          threads);
    hlo_pool_enter(before);
    hlo_pool_free(pool);
}

/* A piece waits for the other, so that a worker has one of them. */
typedef struct {
    pthread_t caller;
    pthread_barrier_t both;
    bool faults_arrive, others_arrive; /* at the worker */
} signal_masks;

static void look_at_mask(void *context, int64_t first, int64_t last) {
    signal_masks *masks = context;
    sigset_t blocked;
    (void)first, (void)last;
    pthread_barrier_wait(&masks->both);
    if (pthread_equal(pthread_self(), masks->caller)) return;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    masks->faults_arrive = !sigismember(&blocked, SIGBUS) && !sigismember(&blocked, SIGSEGV);
    masks->others_arrive = !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGALRM);
}

static void test_signals(void) {
    signal_masks masks = {.caller = pthread_self()};
    hlo_pool *pool = hlo_pool_new(2), *before = hlo_pool_enter(pool);
    pthread_barrier_init(&masks.both, NULL, 2);
    hlo_parallel(2, 1, look_at_mask, &masks);
    check(masks.faults_arrive, "a worker's own faults reach the handler", 2);
    check(!masks.others_arrive, "other signals are for the caller", 2);
    pthread_barrier_destroy(&masks.both);
    hlo_pool_enter(before);
    hlo_pool_free(pool);
}

/* ---- variants ---- */

typedef struct {
    pthread_barrier_t both;
    atomic_int in_seven; /* threads whose work is done in variant 7 */
} variants;

static void look_at_variant(void *context, int64_t first, int64_t last) {
    variants *v = context;
    (void)first, (void)last;
    pthread_barrier_wait(&v->both);
    if (hlo_pool_variant() == 7) atomic_fetch_add(&v->in_seven, 1);
}

/* A worker has the variant of the thread that it helps, for as long as it does. */
static void test_variants(void) {
    variants v = {.in_seven = 0};
    pthread_barrier_init(&v.both, NULL, 2);
    hlo_pool *pool = hlo_pool_new(2), *before = hlo_pool_enter(pool);
    check(hlo_pool_enter_variant(7) == 0, "no variant before", 2);
    hlo_parallel(2, 1, look_at_variant, &v);
    check(atomic_load(&v.in_seven) == 2, "the variant of a range", 2);
    check(hlo_pool_enter_variant(0) == 7, "the caller's variant stays", 2);
    hlo_parallel(2, 1, look_at_variant, &v);
    check(atomic_load(&v.in_seven) == 2, "the next range has none", 2);
    hlo_pool_leave(before);
    hlo_pool_free(pool);
    pthread_barrier_destroy(&v.both);
}

/* ---- processors ---- */

typedef struct {
    pthread_barrier_t both;
    atomic_int on_one; /* threads that may use one processor only */
} pinning;

static int processors_of_thread(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static void look_at_processors(void *context, int64_t first, int64_t last) {
    pinning *p = context;
    (void)first, (void)last;
    pthread_barrier_wait(&p->both);
    if (processors_of_thread() == 1) atomic_fetch_add(&p->on_one, 1);
}

/* Only while they work for the pool, and only where there are processors for all. */
static void test_pinning(void) {
    int all = processors_of_thread();
    pinning p = {.on_one = 0};
    pthread_barrier_init(&p.both, NULL, 2);
    hlo_pool *pool = hlo_pool_new(2);
    hlo_pool_pin(pool);
    hlo_pool *before = hlo_pool_enter(pool);
    hlo_parallel(2, 1, look_at_processors, &p);
    hlo_pool_leave(before);
    check(atomic_load(&p.on_one) == 2, "a processor for each thread", 2);
    check(processors_of_thread() == all, "the caller has its processors again", 2);
    hlo_pool_free(pool);
    hlo_pool *large = hlo_pool_new((uint32_t)all + 1);
    hlo_pool_pin(large);
    before = hlo_pool_enter(large);
    check(processors_of_thread() == all, "too few processors", (uint32_t)all + 1);
    hlo_pool_leave(before);
    hlo_pool_free(large);
    pthread_barrier_destroy(&p.both);
}

/* Threads without work look for some for a moment, and sleep then: a tenth of a second of nothing
 * takes almost no processor time. */
static void test_idling(uint32_t threads) {
    static atomic_uchar seen[64];
    hlo_pool *pool = hlo_pool_new(threads), *before = hlo_pool_enter(pool);
    for (int n = 0; n < 10; n++) hlo_parallel(64, 1, count_items, seen);
    clock_t start = clock();
    usleep(100000);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check(seconds < 0.05, "sleeping without work", threads);
    hlo_pool_enter(before);
    hlo_pool_free(pool);
}

int main(void) {
    static const uint32_t threads[] = {1, 2, 3, 8, 0};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        test_ranges(threads[i]);
        test_blocks(threads[i]);
    }
    test_signals();
    test_variants();
    bool can_pin = processors_of_thread() > 1;
    if (can_pin) test_pinning();
    else puts("skipped: pinning, which needs two processors");
    test_idling(2);
    test_idling(8);
    printf("%d passed, %d failed, %d skipped\n", failures ? 0 : 5 + can_pin, failures, !can_pin);
    return failures != 0;
}
