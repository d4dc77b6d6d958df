/* Flat leaves of parameters and results. */
#include "host/leaves.h"

uint32_t hlo_leaf_count(const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return 1;
    uint32_t count = 0;
    if (hlo_shape_is_tuple(shape))
        for (uint32_t i = 0; i < shape->rank; i++) count += hlo_leaf_count(shape->elements[i]);
    return count;
}

hlo_value **hlo_leaf_values(hlo_value *value, hlo_value **to) {
    if (hlo_shape_is_array(value->shape)) *to++ = value;
    else if (value->elements)
        for (uint32_t i = 0; i < value->shape->rank; i++)
            to = hlo_leaf_values(value->elements[i], to);
    return to;
}

hlo_value *hlo_value_from_leaves(const hlo_shape *shape, hlo_value *const **next) {
    if (hlo_shape_is_array(shape)) return hlo_value_retain(*(*next)++);
    hlo_value *value = hlo_value_new(shape); /* a token has no data */
    if (!value || !hlo_shape_is_tuple(shape)) return value;
    for (uint32_t i = 0; i < shape->rank; i++) {
        value->elements[i] = hlo_value_from_leaves(shape->elements[i], next);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

/* Copies the elements below the sizes `to` has, dimension by dimension; both are row-major. */
static void pack(char *to, const char *from, const hlo_shape *bound, const int64_t *sizes,
                 size_t bytes) {
    int64_t rows = 1, inner = bound->rank ? sizes[bound->rank - 1] : 1;
    for (uint32_t d = 0; d + 1 < bound->rank; d++) rows *= sizes[d];
    for (int64_t row = 0; row < rows; row++) {
        int64_t left = row, at = 0, stride = bound->rank ? bound->dims[bound->rank - 1] : 1;
        for (uint32_t d = bound->rank - 1; d-- > 0;) {
            at += left % sizes[d] * stride;
            left /= sizes[d];
            stride *= bound->dims[d];
        }
        memcpy(to + (size_t)(row * inner) * bytes, from + (size_t)at * bytes,
               (size_t)inner * bytes);
    }
}

static hlo_value *settle_array(hlo_shapes_table *shapes, hlo_value *value) {
    if (!value->sizes) return value;
    const hlo_shape *bound = value->shape;
    hlo_value *packed = hlo_value_new(hlo_shape_array(shapes, (hlo_type)bound->type, value->sizes,
                                                      bound->rank, NULL, NULL, NULL));
    if (packed && packed->data && hlo_shape_elements(packed->shape) > 0)
        pack(packed->data, value->data, bound, value->sizes, hlo_types[bound->type].bytes);
    hlo_value_release(value);
    return packed;
}

hlo_value *hlo_value_settle(hlo_shapes_table *shapes, hlo_value *value) {
    if (!value->shape->dynamic) return value;
    if (!value->elements) return settle_array(shapes, value);
    uint32_t n = value->shape->rank;
    const hlo_shape **elements = hlo_calloc(n, sizeof *elements);
    hlo_value **settled = hlo_calloc(n, sizeof *settled);
    bool complete = true;
    for (uint32_t i = 0; i < n; i++) {
        settled[i] = hlo_value_settle(shapes, hlo_value_retain(value->elements[i]));
        if (settled[i]) elements[i] = settled[i]->shape;
        else complete = false;
    }
    hlo_value *tuple = complete ? hlo_value_new(hlo_shape_tuple(shapes, elements, n)) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (tuple) tuple->elements[i] = settled[i];
        else hlo_value_release(settled[i]);
    }
    hlo_free(settled);
    hlo_free(elements);
    hlo_value_release(value);
    return tuple;
}
