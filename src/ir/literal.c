/* Literals: making and comparing them, and the position of an element in a layout. */
#include "ir/literal.h"

#include "ir/float_types.h"

/* Bitcasts, messages and packed elements take bytes in memory as little-endian machines have them.
 */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "big-endian machines are not supported (docs/packaging.md)"
#endif

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

/* ---- implied elements ---- */

/* XLA writes the counting bytes, the remainder of the size, near the start. */
static void count_through(const hlo_implied *implied, hlo_type type, char *data, size_t bytes) {
    uint32_t mask = type == HLO_PRED ? 0x01010101 : 0xffffffff, next = implied->words;
    size_t words = bytes / 4;
    for (size_t i = 0; i < words; i++) hlo_set_element_bits(data + 4 * i, 4, next++ & mask);
    memset(data + 4 * words, 0, bytes - 4 * words);
    for (size_t i = 0; i < bytes % 4; i++)
        data[words + i] = (char)(uint8_t)((implied->bytes + i) & mask);
}

const void *hlo_literal_make(const hlo_literal *literal) {
    const hlo_implied *implied = literal->implied;
    HLO_ASSERT(implied && !literal->data && hlo_shape_is_array(literal->shape));
    const hlo_shape *shape = literal->shape;
    hlo_type type = (hlo_type)shape->type;
    size_t bytes = (size_t)hlo_shape_bytes(shape);
    char *data = hlo_arena_aligned(implied->arena, bytes, 64);
    if (implied->is_elided) {
        count_through(implied, type, data, bytes);
        hlo_elements_normalise(type, data, hlo_shape_elements(shape));
    } else {
        memset(data, 0, bytes);
        HLO_ASSERT(hlo_types[type].bytes <= sizeof implied->first &&
                   hlo_types[type].bytes <= bytes);
        memcpy(data, implied->first, hlo_types[type].bytes);
    }
    ((hlo_literal *)literal)->data = data;
    return data;
}

void hlo_literal_make_all(const hlo_literal *literal) {
    hlo_literal_data(literal);
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        hlo_literal_make_all(literal->elements[i]);
}

void hlo_implied_count(const hlo_shape *shape, uint32_t *words, uint32_t *bytes) {
    size_t size = (size_t)hlo_shape_bytes(shape);
    *words += (uint32_t)(size / 4);
    *bytes += (uint32_t)(size % 4);
}

bool hlo_literal_is_huge(const hlo_literal *literal) {
    enum { SMALL_BYTES = 1 << 16 };
    return literal->implied && hlo_shape_bytes(literal->shape) > SMALL_BYTES;
}

uint64_t hlo_literal_hash(uint64_t h, const hlo_literal *literal) {
    const hlo_implied *implied = literal->implied;
    if (hlo_literal_is_huge(literal))
        return hlo_hash_mix(h, implied->is_elided
                                   ? implied->words
                                   : hlo_hash_bytes(implied->first, sizeof implied->first));
    const void *data = hlo_literal_data(literal);
    int64_t bytes = data ? hlo_shape_bytes(literal->shape) : 0;
    return bytes > 0 ? hlo_hash_mix(h, hlo_hash_bytes(data, (size_t)bytes)) : h;
}

bool hlo_literal_is_elided(const hlo_literal *literal) {
    for (uint32_t i = 0; literal->elements && i < literal->shape->rank; i++)
        if (hlo_literal_is_elided(literal->elements[i])) return true;
    return literal->implied && literal->implied->is_elided;
}

/* ---- comparing ---- */

/* The counters move on from one {...} of a module to the next. */
static bool same_implied(const hlo_implied *a, const hlo_implied *b) {
    if (a->is_elided != b->is_elided) return false;
    return a->is_elided ? a->words == b->words && a->bytes == b->bytes
                        : memcmp(a->first, b->first, sizeof a->first) == 0;
}

static bool same_elements(const hlo_literal *a, const hlo_literal *b) {
    if (hlo_literal_is_huge(a) && hlo_literal_is_huge(b))
        return same_implied(a->implied, b->implied);
    HLO_ASSERT(hlo_shape_bytes(a->shape) == hlo_shape_bytes(b->shape));
    const void *x = hlo_literal_data(a), *y = hlo_literal_data(b);
    if (!x || !y) return x == y;
    return memcmp(x, y, (size_t)hlo_shape_bytes(a->shape)) == 0;
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
    return same_elements(a, b);
}

void hlo_elements_normalise(hlo_type type, void *data, int64_t n) {
    HLO_ASSERT(type < HLO_TYPE_COUNT && n >= 0);
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
    HLO_ASSERT(physical >= 0 && shape->layout);
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
