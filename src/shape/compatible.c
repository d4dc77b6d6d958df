/* Comparing shapes. Interning makes the fast path one comparison of pointers; the walk below is for
 * comparisons that ignore something. */
#include "shape/compatible.h"

static bool same_elements(const hlo_shape *a, const hlo_shape *b, unsigned ignoring) {
    if (!a->elements || !b->elements || a->type != b->type || a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!hlo_shapes_compatible(a->elements[i], b->elements[i], ignoring)) return false;
    return true;
}

bool hlo_shapes_compatible(const hlo_shape *a, const hlo_shape *b, unsigned ignoring) {
    if (hlo_shape_compatible(a, b)) return true;
    if (!ignoring && !a->dynamic && !b->dynamic) return false;
    if (ignoring & HLO_IGNORE_BUFFERS) {
        if (a->type == HLO_BUFFER) a = a->elements[0];
        if (b->type == HLO_BUFFER) b = b->elements[0];
    }
    if (a->elements || b->elements) return same_elements(a, b, ignoring);
    if (!hlo_shape_is_array(a) || !hlo_shape_is_array(b)) return a->type == b->type;
    if (a->type != b->type && !(ignoring & HLO_IGNORE_TYPES) &&
        !((ignoring & HLO_IGNORE_FP_PRECISION) && hlo_types_agree(a->type, b->type)))
        return false;
    return hlo_shapes_same_dimensions(a, b);
}

bool hlo_shape_is_prefix(const hlo_shape *prefix, const hlo_shape *shape,
                         hlo_compare_shapes *same) {
    if (same(prefix, shape, 0)) return true;
    if (!hlo_shape_is_tuple(prefix)) return false;
    if (prefix->rank == 0) return true;
    if (!hlo_shape_is_tuple(shape) || prefix->rank > shape->rank) return false;
    for (uint32_t i = 0; i < prefix->rank; i++)
        if (!hlo_shape_is_prefix(prefix->elements[i], shape->elements[i], same)) return false;
    return true;
}

bool hlo_shapes_same_dimensions(const hlo_shape *a, const hlo_shape *b) {
    if (!hlo_shape_is_array(a) || !hlo_shape_is_array(b) || a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!hlo_sizes_compatible(a->dims[i], b->dims[i])) return false;
    return true;
}

/* The least exponent whose power of two is beyond the largest finite value. */
static const int16_t overflow_exponent[HLO_TYPE_COUNT] = {
    [HLO_F16] = 16,     [HLO_BF16] = 128,     [HLO_F32] = 128,       [HLO_F64] = 1024,
    [HLO_F8E5M2] = 16,  [HLO_F8E4M3] = 8,     [HLO_F8E4M3FN] = 9,    [HLO_F8E4M3B11FNUZ] = 5,
    [HLO_F8E3M4] = 4,   [HLO_F8E4M3FNUZ] = 8, [HLO_F8E5M2FNUZ] = 16, [HLO_F8E8M0FNU] = 128,
    [HLO_F4E2M1FN] = 3, [HLO_F6E2M3FN] = 3,   [HLO_F6E3M2FN] = 5,
};

enum { PRECISION_KEYS = 5 };

static void precision_keys(hlo_type type, int keys[PRECISION_KEYS]) {
    hlo_type part = hlo_type_part(type);
    bool is_float = hlo_type_is_float(part);
    keys[0] = hlo_type_is_complex(type);
    keys[1] = is_float ? overflow_exponent[part] : -1;
    keys[2] = is_float ? hlo_types[part].mantissa_bits : -1;
    keys[3] = part == HLO_PRED ? 1 : hlo_types[part].bits;
    keys[4] = hlo_types[part].class == HLO_CLASS_SIGNED;
}

hlo_type hlo_higher_precision(hlo_type a, hlo_type b) {
    HLO_ASSERT(a < HLO_TYPE_COUNT && b < HLO_TYPE_COUNT);
    if (a == b) return a;
    int of_a[PRECISION_KEYS], of_b[PRECISION_KEYS];
    precision_keys(a, of_a);
    precision_keys(b, of_b);
    for (int i = 0; i < PRECISION_KEYS; i++)
        if (of_a[i] != of_b[i]) return of_a[i] > of_b[i] ? a : b;
    return a;
}

bool hlo_shape_has_unbounded(const hlo_shape *shape) {
    if (shape->elements) {
        for (uint32_t i = 0; i < shape->rank; i++)
            if (hlo_shape_has_unbounded(shape->elements[i])) return true;
        return false;
    }
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] == HLO_UNBOUNDED) return true;
    return false;
}

/* ---- exact comparison ---- */

static bool same_numbers(const int64_t *a, const int64_t *b, uint32_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_tiles(const hlo_layout_parts *a, const hlo_layout_parts *b) {
    if (a->tile_count != b->tile_count) return false;
    for (uint32_t i = 0; i < a->tile_count; i++)
        if (a->tiles[i].n != b->tiles[i].n ||
            !same_numbers(a->tiles[i].v, b->tiles[i].v, a->tiles[i].n))
            return false;
    return true;
}

static bool same_splits(const hlo_layout_parts *a, const hlo_layout_parts *b) {
    if (a->split_count != b->split_count) return false;
    for (uint32_t i = 0; i < a->split_count; i++)
        if (a->splits[i].dimension != b->splits[i].dimension || a->splits[i].n != b->splits[i].n ||
            !same_numbers(a->splits[i].indices, b->splits[i].indices, a->splits[i].n))
            return false;
    return true;
}

bool hlo_layouts_equal(const hlo_layout *a, const hlo_layout *b, unsigned ignoring) {
    static const hlo_layout_parts none = {
        .tail_padding_alignment = 1, .index_type = HLO_TYPE_COUNT, .pointer_type = HLO_TYPE_COUNT};
    const hlo_layout_parts *x = a->parts ? a->parts : &none, *y = b->parts ? b->parts : &none;
    if (a->n != b->n || !same_numbers(a->minor_to_major, b->minor_to_major, a->n)) return false;
    if (x == y) return true;
    return ((ignoring & HLO_IGNORE_TILES) || same_tiles(x, y)) &&
           ((ignoring & HLO_IGNORE_SPLITS) || same_splits(x, y)) &&
           ((ignoring & HLO_IGNORE_TAIL_PADDING) ||
            x->tail_padding_alignment == y->tail_padding_alignment) &&
           ((ignoring & HLO_IGNORE_ELEMENT_BITS) || x->element_bits == y->element_bits) &&
           ((ignoring & HLO_IGNORE_MEMORY_SPACE) || x->memory_space == y->memory_space) &&
           ((ignoring & HLO_IGNORE_INDEX_TYPES) ||
            (x->index_type == y->index_type && x->pointer_type == y->pointer_type));
}

bool hlo_shapes_equal(const hlo_shape *a, const hlo_shape *b, unsigned ignoring) {
    if (a == b) return true;
    if (ignoring & HLO_IGNORE_BUFFERS) {
        if (a->type == HLO_BUFFER) a = a->elements[0];
        if (b->type == HLO_BUFFER) b = b->elements[0];
    }
    if (a->type != b->type || a->rank != b->rank) return false;
    if (hlo_shape_is_array(a))
        return same_numbers(a->dims, b->dims, a->rank) && hlo_shape_same_marks(a, b) &&
               hlo_layouts_equal(a->layout, b->layout, ignoring);
    for (uint32_t i = 0; a->elements && i < a->rank; i++)
        if (!hlo_shapes_equal(a->elements[i], b->elements[i], ignoring)) return false;
    return true;
}

const hlo_shape *hlo_shape_at(const hlo_shape *shape, const hlo_ints *index) {
    for (uint32_t i = 0; index && i < index->n; i++) {
        if (!hlo_shape_is_tuple(shape) || index->v[i] < 0 || index->v[i] >= shape->rank)
            return NULL;
        shape = shape->elements[index->v[i]];
    }
    return shape;
}
