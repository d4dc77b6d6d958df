/* The bytes of a value, for unit tests that compare what runs leave. */
#ifndef HLO_TESTS_VALUE_BYTES_H
#define HLO_TESTS_VALUE_BYTES_H

#include "base/buf.h"
#include "eval/value/value.h"

static inline void put_value_bytes(hlo_buf *to, const hlo_value *value) {
    const hlo_shape *shape = value->shape;
    for (uint32_t i = 0; value->elements && i < shape->rank; i++)
        put_value_bytes(to, value->elements[i]);
    if (!hlo_shape_is_array(shape)) return;
    size_t count = (size_t)hlo_shape_elements(shape);
    hlo_buf_bytes(to, value->data, count * hlo_types[shape->type].bytes);
}

#endif
