/* Generators of random bits, see random_kernels.h: loops over counters, of which the compiler makes
 * vectors of words. Compiled for each instruction set. */
#include "eval/kernels/random/random_kernels.h"

#include "eval/kernel/vectors.h"

/* ---- counters ---- */

/* A counter's words, of n counters from `low` on: words 0 and 1 of `words`. */
static void count(hlo_random_words words, uint64_t low, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint64_t counter = low + (uint64_t)i;
        words[0][i] = (uint32_t)counter;
        words[1][i] = (uint32_t)(counter >> 32);
    }
}

/* ---- Threefry 2x32 with 20 rounds ---- */

INLINE uint32_t rotate_left(uint32_t x, int distance) {
    return x << distance | x >> (32 - distance);
}

INLINE void threefry_at(uint32_t *first, uint32_t *second, const uint32_t keys[3]) {
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t x = *first + keys[0], y = *second + keys[1];
    UNROLL for (uint32_t group = 0; group < 5; group++) {
        UNROLL for (int r = 0; r < 4; r++) {
            x += y;
            y = rotate_left(y, rotations[group % 2][r]) ^ x;
        }
        x += keys[(group + 1) % 3];
        y += keys[(group + 2) % 3] + group + 1;
    }
    *first = x;
    *second = y;
}

static void threefry(hlo_random_words words, uint64_t key, uint64_t counter, int64_t n) {
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    const uint32_t keys[3] = {low, high, 0x1BD11BDA ^ low ^ high};
    uint32_t *x = words[0], *y = words[1];
    count(words, counter, n);
    for (int64_t i = 0; i < n; i++) threefry_at(&x[i], &y[i], keys);
}

/* ---- Philox 4x32 with 10 rounds ---- */

/* One round of all counters: a loop each, so that the two products have all registers. */
INLINE void philox_round(hlo_random_words words, uint32_t key, uint32_t other, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint64_t a = (uint64_t)words[0][i] * 0xD2511F53, b = (uint64_t)words[2][i] * 0xCD9E8D57;
        words[0][i] = (uint32_t)(b >> 32) ^ words[1][i] ^ key;
        words[1][i] = (uint32_t)b;
        words[2][i] = (uint32_t)(a >> 32) ^ words[3][i] ^ other;
        words[3][i] = (uint32_t)a;
    }
}

static void philox(hlo_random_words words, uint64_t key, uint64_t low, uint64_t high, int64_t n) {
    uint32_t first = (uint32_t)key, second = (uint32_t)(key >> 32);
    count(words, low, n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t carried = high + (low + (uint64_t)i < low);
        words[2][i] = (uint32_t)carried;
        words[3][i] = (uint32_t)(carried >> 32);
    }
    for (int round = 0; round < 10; round++) {
        philox_round(words, first, second, n);
        first += 0x9E3779B9;
        second += 0xBB67AE85;
    }
}

const hlo_random_set HLO_LANES_PART(random) = {threefry, philox};
