/* How layouts place arrays in memory. */
#include "shape/storage.h"

static int64_t bytes_of(const hlo_shape *array, int64_t elements) {
    const hlo_layout_parts *parts = array->layout->parts;
    int64_t bits = parts ? parts->element_bits : 0, bytes;
    if (bits == 0) bits = ((int64_t)hlo_types[array->type].bits + 7) / 8 * 8;
    if (elements < 0 || __builtin_mul_overflow(elements, bits, &bytes) ||
        __builtin_add_overflow(bytes, 7, &bytes))
        return -1;
    return bytes / 8;
}

int64_t hlo_shape_stored_bytes(const hlo_shape *array) {
    HLO_ASSERT(hlo_shape_is_array(array));
    return bytes_of(array, hlo_shape_elements(array));
}

/* ---- tiles ---- */

/* *sum += a * b; false when that is too large. */
static bool add_product(int64_t *sum, int64_t a, int64_t b) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

int64_t hlo_shape_tiled_bytes(const hlo_shape *array) {
    HLO_ASSERT(array->layout && array->layout->parts);
    static const hlo_tile none;
    const hlo_layout_parts *parts = array->layout->parts;
    const hlo_tile *tile = parts && parts->tile_count ? &parts->tiles[0] : &none;
    int64_t outer = 1, inner = 1, last = 0;
    if (hlo_shape_elements(array) < 0) return -1;
    for (uint32_t i = 0; i < tile->n; i++)
        if (tile->v[i] <= 0 || __builtin_mul_overflow(outer, tile->v[i], &outer)) return -1;
    if (array->rank == 1) return bytes_of(array, array->dims[0]);
    for (uint32_t i = 0; i < array->rank; i++) {
        int64_t size = array->dims[array->layout->minor_to_major[i]];
        int64_t side = i < tile->n ? tile->v[tile->n - 1 - i] : 1;
        if (size == 0) return 0;
        int64_t across = (size + side - 1) / side;
        if (!add_product(&last, outer, (size - 1) / side) ||
            (side > 1 && !add_product(&last, inner, (size - 1) % side)) ||
            __builtin_mul_overflow(outer, across, &outer) ||
            __builtin_mul_overflow(inner, side, &inner))
            return -1;
    }
    return bytes_of(array, last + 1);
}

/* ---- reshapes ---- */

/* The place, counted in elements, of the element with that number in row-major order. Numbers and
 * places are below the count of elements, which fits. */
static int64_t place_of(const hlo_shape *array, int64_t number) {
    HLO_ASSERT(number >= 0 && array->layout->n == array->rank);
    int64_t place = 0, step = 1;
    for (uint32_t i = 0; i < array->rank; i++) {
        int64_t d = array->layout->minor_to_major[i], below = 1;
        for (uint32_t k = (uint32_t)d + 1; k < array->rank; k++) below *= array->dims[k];
        place += number / below % array->dims[d] * step;
        step *= array->dims[d];
    }
    return place;
}

/* It is enough to look at the elements with one index of 1 and all others 0: between them, places
 * grow evenly on both sides. */
static bool units_agree(const hlo_shape *a, const hlo_shape *b) {
    int64_t number = 1;
    for (uint32_t i = a->rank; i-- > 0;) {
        if (a->dims[i] > 1 && place_of(a, number) != place_of(b, number)) return false;
        number *= a->dims[i];
    }
    return true;
}

bool hlo_reshape_is_bitcast(const hlo_shape *from, const hlo_shape *to) {
    int64_t elements = hlo_shape_elements(from);
    if (elements < 0 || elements != hlo_shape_elements(to)) return false;
    return elements == 0 || (units_agree(from, to) && units_agree(to, from));
}
