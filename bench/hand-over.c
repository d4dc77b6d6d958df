/* How long it takes to hand work to another thread of a pool: two pieces of some microseconds each,
 * at once on two threads, and how long it takes until the other thread begins. Medians of many. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/pool.h"

enum { TURNS = 4001 };

typedef struct {
    double start, work; /* seconds: when the pieces were handed out, what each takes */
    double began[2];
} task;

static double now(void) {
    return (double)hlo_clock() * 1e-9;
}

static void work(void *task_, int64_t first, int64_t last) {
    task *t = task_;
    for (int64_t k = first; k < last; k++) {
        double begin = now();
        t->began[k] = begin - t->start;
        while (now() - begin < t->work) continue;
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(double seconds) {
    static double took[TURNS], later[TURNS];
    for (int n = 0; n < TURNS; n++) {
        task t = {.start = now(), .work = seconds};
        hlo_parallel(2, 1, work, &t);
        took[n] = now() - t.start;
        later[n] = t.began[0] > t.began[1] ? t.began[0] : t.began[1];
    }
    qsort(took, TURNS, sizeof *took, by_value);
    qsort(later, TURNS, sizeof *later, by_value);
    printf("| %g | %.2f | %.2f | %.2f |\n", seconds * 1e6, took[TURNS / 2] * 1e6,
           later[TURNS / 2] * 1e6, later[TURNS / 10] * 1e6);
}

int main(void) {
    static const double microseconds[] = {1, 5, 20, 100};
    hlo_pool *pool = hlo_pool_new(2), *before = hlo_pool_enter(pool);
    puts("| us of each of two pieces | both done, us | the second begins, us | a tenth sooner than "
         "|\n"
         "| ---: | ---: | ---: | ---: |");
    for (size_t i = 0; i < sizeof microseconds / sizeof *microseconds; i++)
        measure(microseconds[i] * 1e-6);
    hlo_pool_enter(before);
    hlo_pool_free(pool);
    return 0;
}
