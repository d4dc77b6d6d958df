/* Shapes of a source on the wire by their bytes, so that each is read once. */
#include "proto/reader.h"

/* Longer ones are tuples, whose elements are found. */
enum { LONGEST_SEEN = 512 };

static uint64_t hash_of(const hlo_reader *r, uint32_t at, uint32_t size) {
    return hlo_hash_bytes(r->source->text + at, size);
}

const hlo_shape *hlo_shape_lookup(const hlo_reader *r, uint32_t at, uint32_t end) {
    uint32_t size = end - at;
    if (!r->shapes.n || size > LONGEST_SEEN) return NULL;
    hlo_hash_each (number, &r->shapes_by_hash, hash_of(r, at, size)) {
        const hlo_seen_shape *seen = &r->shapes.v[number - 1];
        if (seen->size == size &&
            memcmp(r->source->text + seen->at, r->source->text + at, size) == 0)
            return seen->shape;
    }
    return NULL;
}

void hlo_shape_remember(hlo_reader *r, const hlo_node *node, const hlo_shape *shape) {
    uint32_t size = node->end - node->at;
    if (size > LONGEST_SEEN || hlo_shape_lookup(r, node->at, node->end)) return;
    hlo_list_push(&r->shapes, (hlo_seen_shape){node->at, size, shape});
    hlo_hash_add(&r->shapes_by_hash, hash_of(r, node->at, size), r->shapes.n);
}
