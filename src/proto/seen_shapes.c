/* Shapes of a source on the wire by their bytes, so that each is read once. */
#include "proto/reader.h"

/* Longer ones are tuples, whose elements are found. */
enum { LONGEST_SEEN = 512 };

static uint32_t hash_of(const hlo_reader *r, uint32_t at, uint32_t size) {
    return (uint32_t)hlo_hash_bytes(r->source->text + at, size);
}

/* Where the bytes are, or where they would go. */
static uint32_t slot_of(const hlo_reader *r, uint32_t at, uint32_t size, uint32_t hash) {
    uint32_t mask = r->shapes.capacity - 1, slot = hash & mask;
    for (;; slot = (slot + 1) & mask) {
        const hlo_seen_shape *seen = &r->shapes.v[slot];
        if (!seen->shape) return slot;
        if (seen->hash == hash && seen->size == size &&
            memcmp(r->source->text + seen->at, r->source->text + at, size) == 0)
            return slot;
    }
}

static void grow(hlo_reader *r) {
    uint32_t old_capacity = r->shapes.capacity;
    hlo_seen_shape *old = r->shapes.v;
    r->shapes.capacity = old_capacity ? old_capacity * 2 : 256;
    r->shapes.v = hlo_calloc(r->shapes.capacity, sizeof *r->shapes.v);
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].shape) r->shapes.v[slot_of(r, old[i].at, old[i].size, old[i].hash)] = old[i];
    hlo_free(old);
}

const hlo_shape *hlo_shape_seen(const hlo_reader *r, uint32_t at, uint32_t end) {
    uint32_t size = end - at;
    if (!r->shapes.capacity || size > LONGEST_SEEN) return NULL;
    return r->shapes.v[slot_of(r, at, size, hash_of(r, at, size))].shape;
}

void hlo_shape_remember(hlo_reader *r, const hlo_node *node, const hlo_shape *shape) {
    uint32_t size = node->end - node->at;
    if (size > LONGEST_SEEN) return;
    if (r->shapes.count * 2 >= r->shapes.capacity) grow(r);
    uint32_t hash = hash_of(r, node->at, size), slot = slot_of(r, node->at, size, hash);
    if (!r->shapes.v[slot].shape) r->shapes.count++;
    r->shapes.v[slot] = (hlo_seen_shape){node->at, size, hash, shape};
}
