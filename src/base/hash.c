/* Tables of numbers by hash: see hash.h. */
#include "base/hash.h"

#include "base/arena.h"

enum { LEAST_CAPACITY = 64, MOST_RESERVED = 1 << 24 };

static void put(hlo_hash *table, struct hlo_hash_slot slot) {
    uint32_t at = slot.hash & (table->capacity - 1);
    while (table->slots[at].number) at = (at + 1) & (table->capacity - 1);
    table->slots[at] = slot;
}

static void free_slots(const hlo_hash *table) {
    if (table->is_kept) hlo_table_free(table->slots);
    else hlo_free(table->slots);
}

static void resize(hlo_hash *table, uint32_t capacity) {
    HLO_ASSERT(!(capacity & (capacity - 1)) && capacity > table->count);
    hlo_hash old = *table;
    table->slots = old.is_kept ? hlo_table_new(capacity, sizeof *old.slots)
                               : hlo_calloc(capacity, sizeof *old.slots);
    table->capacity = capacity;
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].number) put(table, old.slots[i]);
    free_slots(&old);
}

void hlo_hash_add(hlo_hash *table, uint64_t hash, uint32_t number) {
    if ((table->count + 1) * (uint64_t)4 > table->capacity * (uint64_t)3)
        resize(table, table->capacity ? table->capacity * 2 : LEAST_CAPACITY);
    HLO_ASSERT(number && table->count < table->capacity); /* 0 is a free slot; probes end */
    put(table, (struct hlo_hash_slot){(uint32_t)hash, number});
    table->count++;
}

void hlo_hash_reserve(hlo_hash *table, size_t count) {
    uint32_t capacity = LEAST_CAPACITY;
    while (capacity / 4 * 3 < count && capacity < MOST_RESERVED) capacity *= 2;
    if (capacity > table->capacity) resize(table, capacity);
}

void hlo_hash_clear(hlo_hash *table) {
    if (table->count) memset(table->slots, 0, table->capacity * sizeof *table->slots);
    table->count = 0;
}

void hlo_hash_free(hlo_hash *table) {
    free_slots(table);
    *table = (hlo_hash){.is_kept = table->is_kept};
}
