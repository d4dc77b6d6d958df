/* Hashes, and tables that find rows by them: open addressing with linear probing.
 *
 * A table has a number, from 1, for each row that was added, next to 32 bits of the row's hash. The
 * rows are the caller's, in a list most often, and the caller compares them:
 *
 *     hlo_hash_each (number, &table, hash)
 *         if (list.v[number - 1] is the row) return number;
 *     hlo_list_push(&list, row);
 *     hlo_hash_add(&table, hash, list.n);
 *
 * Rows of one hash that differ are all met. A table of zero bytes is empty; it needs a call of
 * hlo_hash_free. Rows are not removed. */
#ifndef HLO_BASE_HASH_H
#define HLO_BASE_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- hashes ---- */

__extension__ typedef unsigned __int128 hlo_uint128;

/* Folds both words of the product, so that every bit of the input reaches the low bits that tables
 * use.
 */
static inline uint64_t hlo_hash_mix(uint64_t h, uint64_t v) {
    hlo_uint128 product =
        (hlo_uint128)(h ^ v ^ UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes a step; short tails are read byte by byte, so nothing past `n` is touched. */
static inline uint64_t hlo_hash_bytes(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t h = n * UINT64_C(0xff51afd7ed558ccd), word;
    while (n >= 8) {
        memcpy(&word, p, 8);
        h = hlo_hash_mix(h, word);
        p += 8;
        n -= 8;
    }
    word = 0;
    if (n >= 4) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        word = low | (uint64_t)high << 32;
    } else if (n) {
        word = p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16;
    }
    return hlo_hash_mix(h, word);
}

/* Of an address and a number that goes with it. */
static inline uint64_t hlo_hash_pointer(const void *pointer, uint64_t number) {
    return hlo_hash_mix((uintptr_t)pointer, number);
}

/* ---- tables ---- */

typedef struct {
    struct hlo_hash_slot {
        uint32_t hash;
        uint32_t number; /* 0: free */
    } * slots;
    uint32_t count, capacity; /* slots: a power of two, or 0 */
    bool is_kept;             /* of an object that outlives the call which fills it: see unwind.h */
} hlo_hash;

/* A walk over the slots where numbers of a hash may be. */
typedef struct {
    const struct hlo_hash_slot *slots;
    uint32_t mask, hash, at;
} hlo_hash_walk;

/* Without slots when the table is empty: hlo_hash_each ends there. */
static inline hlo_hash_walk hlo_hash_from(const hlo_hash *table, uint64_t hash) {
    return (hlo_hash_walk){table->slots, table->capacity - 1, (uint32_t)hash, (uint32_t)hash};
}

/* The next number of the hash, 0 when there is none. */
static inline uint32_t hlo_hash_next(hlo_hash_walk *walk) {
    for (;;) {
        const struct hlo_hash_slot *slot = &walk->slots[walk->at++ & walk->mask];
        if (!slot->number) return 0;
        if (slot->hash == walk->hash) return slot->number;
    }
}

/* The statement is run for each number that was added with the low bits of the hash. Both arguments
 * are evaluated once. */
#define hlo_hash_each(number, table, hash)                                                  \
    for (hlo_hash_walk walk_##number = hlo_hash_from((table), (hash)); walk_##number.slots; \
         walk_##number.slots = NULL)                                                        \
        for (uint32_t number; (number = hlo_hash_next(&walk_##number));)

/* Adds a number. The table grows when three quarters of it are taken: with half, probes are fewer
 * and pages twice as many, which costs more than it saves in a parse. */
void hlo_hash_add(hlo_hash *table, uint64_t hash, uint32_t number);
/* Makes an empty table so large that `count` numbers can be added before it grows. */
void hlo_hash_reserve(hlo_hash *table, size_t count);
/* Forgets the numbers and keeps the memory. */
void hlo_hash_clear(hlo_hash *table);
void hlo_hash_free(hlo_hash *table);

static inline void hlo_hash_prefetch(const hlo_hash *table, uint32_t hash) {
    if (table->capacity) __builtin_prefetch(&table->slots[hash & (table->capacity - 1)]);
}

#endif
