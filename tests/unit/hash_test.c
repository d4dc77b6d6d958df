/* Tables of numbers by hash: src/base/hash.h. */
#include "base/hash.h"

#include <stdio.h>

static int passed, failed;

static void check(const char *what, bool good) {
    if (good) passed++;
    else failed++;
    if (!good) fprintf(stderr, "hash_test: %s\n", what);
}

/* The numbers of a hash in the order in which they are met, as decimal digits. */
static uint64_t met(const hlo_hash *table, uint64_t hash) {
    uint64_t all = 0;
    hlo_hash_each (number, table, hash) all = all * 10 + number;
    return all;
}

static void test_empty(void) {
    hlo_hash table = {0};
    check("an empty table has nothing", met(&table, 0) == 0 && met(&table, 7) == 0);
    hlo_hash_prefetch(&table, 7);
    hlo_hash_clear(&table);
    hlo_hash_free(&table);
}

static void test_growing(bool is_kept) {
    hlo_hash table = {.is_kept = is_kept};
    bool all = true, others = false;
    for (uint32_t i = 1; i <= 100000; i++) hlo_hash_add(&table, hlo_hash_mix(0, i), i);
    for (uint32_t i = 1; i <= 100000; i++) {
        bool is_met = false;
        hlo_hash_each (number, &table, hlo_hash_mix(0, i)) is_met |= number == i;
        all &= is_met;
    }
    for (uint32_t i = 100001; i <= 200000; i++)
        hlo_hash_each (number, &table, hlo_hash_mix(0, i)) others |= number == i;
    check("numbers stay while the table grows", all && table.count == 100000);
    check("numbers that were not added are not met", !others);
    check("half of the slots is free", table.count * 2 <= table.capacity);
    hlo_hash_clear(&table);
    check("a cleared table is empty", met(&table, hlo_hash_mix(0, 1)) == 0 && table.count == 0);
    hlo_hash_add(&table, 5, 9);
    check("and can be filled again", met(&table, 5) == 9);
    hlo_hash_free(&table);
    check("a freed table is empty", !table.slots && met(&table, 5) == 0);
}

/* Of hashes that are equal, or begin at one slot, or at the last one. */
static void test_collisions(void) {
    hlo_hash table = {0};
    hlo_hash_add(&table, 63, 1);
    hlo_hash_add(&table, 63, 2);
    hlo_hash_add(&table, 127, 3);
    hlo_hash_add(&table, 0, 4);
    hlo_hash_add(&table, 63 | UINT64_C(1) << 32, 5);
    check("numbers of one hash come in their order", met(&table, 63) == 125);
    check("those of another hash are passed over", met(&table, 127) == 3 && met(&table, 0) == 4);
    hlo_hash_free(&table);
}

static void test_reserve(void) {
    hlo_hash table = {0};
    hlo_hash_reserve(&table, 1000);
    uint32_t capacity = table.capacity;
    for (uint32_t i = 1; i <= 1000; i++) hlo_hash_add(&table, i, i);
    check("a table with space does not grow", table.capacity == capacity);
    hlo_hash_reserve(&table, 10);
    check("nor does it shrink", table.capacity == capacity && met(&table, 7) == 7);
    hlo_hash_free(&table);
}

static void test_bytes(void) {
    char text[40] = "0123456789012345678901234567890123456789";
    bool differ = true;
    for (size_t n = 1; n <= sizeof text; n++)
        for (size_t i = 0; i < n; i++) {
            uint64_t before = hlo_hash_bytes(text, n);
            text[i] ^= 1;
            differ &= hlo_hash_bytes(text, n) != before;
            text[i] ^= 1;
        }
    check("each byte changes the hash", differ);
    check("so does the length", hlo_hash_bytes("\0", 1) != hlo_hash_bytes("", 0));
}

int main(void) {
    test_empty();
    test_growing(false);
    test_growing(true);
    test_collisions();
    test_reserve();
    test_bytes();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
