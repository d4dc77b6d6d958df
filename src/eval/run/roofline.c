/* Measuring the machine: see roofline.h. Bandwidth is that of the faster of two loops, one that
 * reads and one that copies (both directions count), over a share of memory for each thread. */
#include "eval/run/roofline.h"

#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/clock.h"
#include "base/pool.h"
#include "eval/kernels/gemm/gemm_kernels.h"

/* Of one thread in a core's own cache; of all in the last cache; of all in memory: more where many
 * threads have as many separate caches. */
enum { CORE_BYTES = 1 << 19, CACHE_BYTES = 8 << 20, MEMORY_BYTES = 128 << 20 };
enum { TURNS = 4, TOUCHED = 16 << 20, ROUNDS = 1 << 16 };

typedef struct {
    char *memory;
    int64_t share;   /* bytes of a thread */
    int64_t repeats; /* of what it does */
    const hlo_gemm_set *set;
} trial;

static double seconds_now(void) {
    return (double)hlo_clock() * 1e-9;
}

/* ---- what is timed: thread `first` does its share ---- */

static void read_share(void *trial_, int64_t first, int64_t last) {
    const trial *t = trial_;
    for (int64_t k = first; k < last; k++)
        for (int64_t n = 0; n < t->repeats; n++) {
            const uint64_t *words = (const uint64_t *)(t->memory + k * t->share);
            uint64_t sum = 0;
            for (int64_t i = 0; i < t->share / 8; i++) sum += words[i];
            __asm__ volatile("" : : "r"(sum) : "memory");
        }
}

static void copy_share(void *trial_, int64_t first, int64_t last) {
    const trial *t = trial_;
    for (int64_t k = first; k < last; k++)
        for (int64_t n = 0; n < t->repeats; n++) {
            char *to = t->memory + k * t->share;
            memcpy(to, to + t->share / 2, (size_t)t->share / 2);
            __asm__ volatile("" : : "r"(to) : "memory");
        }
}

static void compute_share(void *trial_, int64_t first, int64_t last) {
    const trial *t = trial_;
    for (int64_t k = first; k < last; k++) t->set->multiply_adds(t->repeats);
}

/* The least time of some turns, on all threads. */
static double least_seconds(trial *t, uint32_t threads, hlo_range_body *body) {
    double least = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = seconds_now();
        hlo_parallel(threads, 1, body, t);
        double took = seconds_now() - start;
        if (turn == 0 || took < least) least = took;
    }
    return least;
}

/* ---- the figures ---- */

static double bandwidth(char *memory, int64_t bytes, uint32_t threads) {
    int64_t share = bytes / threads / 128 * 128;
    trial t = {.memory = memory, .share = share, .repeats = 1};
    if (share < TOUCHED / (int64_t)threads) t.repeats = TOUCHED / threads / share;
    double reading = least_seconds(&t, threads, read_share);
    double copying = least_seconds(&t, threads, copy_share);
    double least = copying < reading ? copying : reading;
    return (double)(t.share * threads * t.repeats) / least;
}

static double peak(const hlo_gemm_set *set, uint32_t threads) {
    trial t = {.repeats = ROUNDS, .set = set};
    double seconds = least_seconds(&t, threads, compute_share);
    return set->multiply_adds(1) * ROUNDS * threads / seconds;
}

/* No more threads than processors run at once. */
static uint32_t threads_at_once(const hlo_pool *pool) {
    uint32_t threads = hlo_pool_threads(pool), processors = hlo_processors();
    return threads < processors ? threads : processors;
}

hlo_roofline hlo_roofline_measure(hlo_pool *pool, hlo_isa isa) {
    double start = seconds_now();
    uint32_t threads = threads_at_once(pool);
    hlo_roofline roof = {.threads = hlo_pool_threads(pool),
                         .memory = {{"core's cache", (double)CORE_BYTES * threads, 0},
                                    {"last cache", CACHE_BYTES, 0},
                                    {"memory", MEMORY_BYTES, 0}}};
    for (int i = 1; i < HLO_BANDWIDTHS; i++)
        roof.memory[i].bytes = fmax(roof.memory[i].bytes, 2 * roof.memory[i - 1].bytes);
    hlo_pool *before = hlo_pool_enter(pool);
    size_t most = (size_t)roof.memory[HLO_BANDWIDTHS - 1].bytes;
    char *memory = hlo_block_new(most);
    if (memory) memset(memory, 1, most);
    for (int i = 0; i < HLO_BANDWIDTHS && memory; i++)
        roof.memory[i].per_second = bandwidth(memory, (int64_t)roof.memory[i].bytes, threads);
    hlo_block_free(memory);
    hlo_isa isa_before = hlo_isa_enter(isa, &roof.isa);
    roof.flops = peak(hlo_gemm_chosen(), threads);
    hlo_isa_enter(isa_before, NULL);
    hlo_pool_leave(before);
    roof.seconds = seconds_now() - start;
    return roof;
}

/* ---- questions ---- */

const hlo_bandwidth *hlo_roofline_bandwidth(const hlo_roofline *roof, double bytes) {
    int i = 0;
    while (i < HLO_BANDWIDTHS - 1 && roof->memory[i].bytes < bytes) i++;
    return &roof->memory[i];
}

double hlo_roofline_seconds(const hlo_roofline *roof, double bytes, double flops) {
    double per_second = hlo_roofline_bandwidth(roof, bytes)->per_second;
    double moving = per_second > 0 ? bytes / per_second : 0, computing = flops / roof->flops;
    return moving > computing ? moving : computing;
}
