/* Random numbers of a module: a stream that its seed decides. */
#include "generator/generator.h"

/* splitmix64 */
static uint64_t next(generator *g) {
    uint64_t x = g->dice += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t roll(generator *g, uint64_t sides) {
    return sides < 2 ? 0 : next(g) % sides;
}

void shuffle(generator *g, int64_t *v, uint32_t n) {
    for (uint32_t i = n; i > 1; i--) {
        uint64_t other = roll(g, i);
        int64_t moved = v[i - 1];
        v[i - 1] = v[other];
        v[other] = moved;
    }
}

void choose_some(generator *g, int64_t *out, uint32_t n, uint32_t limit) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < limit && taken < n; i++)
        if (roll(g, limit - i) < n - taken) out[taken++] = i;
}
