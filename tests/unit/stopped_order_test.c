/* Sorts by digits of keys end early when their pool is stopped, and report themselves unfinished.
 * Without that, records are in the order of their keys, whatever their width. */
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "eval/kernels/sort/radix.h"

enum { MANY = 1 << 20 };

static int failed;

static void expect(bool holds, const char *what) {
    failed += !holds;
    if (!holds) printf("FAILED: %s\n", what);
}

/* n, n - 1 ... 1 in the upper half, where the key is; their places in the lower one. */
static void fill(uint64_t *records, int64_t n) {
    for (int64_t i = 0; i < n; i++) records[i] = (uint64_t)(n - i) << 32 | (uint64_t)i;
}

static bool is_sorted(const uint64_t *records, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (records[i] != ((uint64_t)(i + 1) << 32 | (uint64_t)(n - 1 - i))) return false;
    return true;
}

static void check(uint64_t *records, uint64_t *other, int64_t n, hlo_pool *pool) {
    void *scratch = malloc(hlo_radix_scratch(n));
    fill(records, n);
    const uint64_t *sorted = hlo_radix_sort(HLO_RECORD_64, records, other, n, 32, 32, scratch);
    expect(sorted && is_sorted(sorted, n), "records are in order");
    fill(records, n);
    hlo_pool_stop(pool);
    expect(!hlo_radix_sort(HLO_RECORD_64, records, other, n, 32, 32, scratch),
           "a stopped sort is unfinished");
    hlo_pool_resume(pool);
    free(scratch);
}

int main(void) {
    uint64_t *records = malloc(MANY * sizeof *records), *other = malloc(MANY * sizeof *other);
    hlo_pool *pool = hlo_pool_new(1), *before = hlo_pool_enter(pool);
    check(records, other, 1000, pool);
    check(records, other, MANY, pool);
    hlo_pool_enter(before);
    hlo_pool_free(pool);
    free(records);
    free(other);
    return failed != 0;
}
