/* The order of a literal's elements: by its layout in messages, row-major in memory. */
#ifndef HLO_PROTO_LAYOUT_ORDER_H
#define HLO_PROTO_LAYOUT_ORDER_H

#include "ir/ir.h"

/* The shape has a layout, and `n` elements of `size` bytes, at least one. The buffers do not
 * overlap. */
void hlo_to_layout_order(const hlo_shape *shape, const char *from, char *to, size_t size,
                         int64_t n);
void hlo_from_layout_order(const hlo_shape *shape, const char *from, char *to, size_t size,
                           int64_t n);

#endif
