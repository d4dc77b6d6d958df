/* How layouts place arrays in memory: bytes, and whether another shape finds each element where it
 * was. */
#ifndef HLO_SHAPE_STORAGE_H
#define HLO_SHAPE_STORAGE_H

#include "ir/shape.h"

enum { HLO_FAST_MEMORY = 1, HLO_HOST_MEMORY = 5 }; /* memory spaces with a meaning, S(n) */

static inline int64_t hlo_shape_memory_space(const hlo_shape *array) {
    HLO_ASSERT(array->layout);
    return array->layout->parts ? array->layout->parts->memory_space : 0;
}
/* Bytes of an array, elements as wide as in its layout; without what tiles add. -1 when its size
 * is unbounded or beyond INT64_MAX. */
int64_t hlo_shape_stored_bytes(const hlo_shape *array);
/* Bytes up to the last element of an array in tiles (of the first level). -1 as above. */
int64_t hlo_shape_tiled_bytes(const hlo_shape *array);
/* Every element of `from` in row-major order has the place of the same element of `to`. Both are
 * arrays with as many elements; tiles are not looked at. */
bool hlo_reshape_is_bitcast(const hlo_shape *from, const hlo_shape *to);

#endif
