/* Orders by keys end early when their pool is stopped, and say that they are unfinished. */
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "eval/kernels/order.h"

enum { MANY = 1 << 20 };

static int failed;

static void expect(bool holds, const char *what) {
    failed += !holds;
    if (!holds) printf("FAILED: %s\n", what);
}

static bool order_is(const int64_t *order, int64_t n, int64_t first, int64_t step) {
    for (int64_t i = 0; i < n; i++)
        if (order[i] != first + i * step) return false;
    return true;
}

int main(void) {
    hlo_key_order by = {HLO_S32, true, false};
    int32_t *elements = malloc(MANY * sizeof *elements);
    int64_t *order = malloc(MANY * sizeof *order);
    uint64_t *scratch = malloc(MANY * HLO_KEYS_SCRATCH * sizeof *scratch);
    for (int32_t i = 0; i < MANY; i++) elements[i] = MANY - i;
    hlo_pool *pool = hlo_pool_new(1), *before = hlo_pool_enter(pool);
    for (int64_t n = 10; n <= MANY; n = n == 10 ? MANY : n + 1) {
        expect(hlo_order_by_keys(&by, elements, n, order, scratch), "an order is finished");
        expect(order_is(order, n, n - 1, -1), "it is right");
        hlo_pool_stop(pool);
        order[n - 1] = -1;
        expect(!hlo_order_by_keys(&by, elements, n, order, scratch), "a stopped one is unfinished");
        expect(order[n - 1] == -1, "and leaves the rest alone");
        hlo_pool_resume(pool);
    }
    hlo_pool_enter(before);
    hlo_pool_free(pool);
    free(elements);
    free(order);
    free(scratch);
    return failed != 0;
}
