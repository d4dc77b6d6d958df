/* Literals: making and comparing them, and the position of an element in a layout.
 * Called by every layer above base. */
#include "ir/literal.h"

static void *new_data(hlo_arena *arena, const hlo_shape *shape) {
    int64_t bytes = hlo_shape_bytes(shape);
    if (bytes < 0) hlo_out_of_memory(SIZE_MAX);
    return bytes ? hlo_arena_aligned(arena, (size_t)bytes, 64) : NULL;
}

hlo_literal *hlo_literal_new_raw(hlo_arena *arena, const hlo_shape *shape) {
    hlo_literal *literal = HLO_NEW(arena, hlo_literal);
    literal->shape = shape;
    if (hlo_shape_is_tuple(shape)) {
        hlo_literal **elements = HLO_NEW_ARRAY(arena, hlo_literal *, shape->rank);
        for (uint32_t i = 0; i < shape->rank; i++)
            elements[i] = hlo_literal_new_raw(arena, shape->elements[i]);
        literal->elements = elements;
    } else if (hlo_shape_is_array(shape)) {
        literal->data = new_data(arena, shape);
    }
    return literal;
}

static void clear(hlo_literal *literal) {
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        clear(literal->elements[i]);
    if (literal->data) memset(literal->data, 0, (size_t)hlo_shape_bytes(literal->shape));
}

hlo_literal *hlo_literal_new(hlo_arena *arena, const hlo_shape *shape) {
    hlo_literal *literal = hlo_literal_new_raw(arena, shape);
    clear(literal);
    return literal;
}

bool hlo_literal_equal(const hlo_literal *a, const hlo_literal *b) {
    const hlo_shape *s = a->shape, *t = b->shape;
    if (s->type != t->type || s->rank != t->rank) return false;
    if (a->elements || b->elements) {
        if (!a->elements || !b->elements) return false;
        for (uint32_t i = 0; i < s->rank; i++)
            if (!hlo_literal_equal(a->elements[i], b->elements[i])) return false;
        return true;
    }
    if (!hlo_shape_is_array(s)) return true;
    if (s->rank && memcmp(s->dims, t->dims, s->rank * sizeof *s->dims) != 0) return false;
    if (!a->data || !b->data) return a->data == b->data;
    return memcmp(a->data, b->data, (size_t)hlo_shape_bytes(s)) == 0;
}

void hlo_elements_normalise(hlo_type type, void *data, int64_t n) {
    uint8_t *bytes = data;
    unsigned bits = hlo_types[type].bits;
    if (type == HLO_PRED) {
        for (int64_t i = 0; i < n; i++) bytes[i] = bytes[i] != 0;
    } else if (bits < 8) {
        uint8_t mask = (uint8_t)((1u << bits) - 1);
        bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
        uint8_t sign = (uint8_t)((unsigned)is_signed << (bits - 1));
        for (int64_t i = 0; i < n; i++) bytes[i] = (uint8_t)(((bytes[i] & mask) ^ sign) - sign);
    }
}

int64_t hlo_literal_logical_index(const hlo_shape *shape, int64_t physical) {
    if (shape->plain_layout) return physical;
    int64_t index = 0;
    for (uint32_t i = 0; i < shape->layout->n; i++) {
        int64_t dimension = shape->layout->minor_to_major[i], stride = 1;
        if (dimension < 0 || dimension >= shape->rank || shape->dims[dimension] <= 0) continue;
        for (uint32_t d = (uint32_t)dimension + 1; d < shape->rank; d++) stride *= shape->dims[d];
        index += physical % shape->dims[dimension] * stride;
        physical /= shape->dims[dimension];
    }
    return index;
}
