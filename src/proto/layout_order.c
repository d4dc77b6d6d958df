/* Elements in the order of a layout: see layout_order.h. */
#include "proto/layout_order.h"

/* Which element of the row-major array is next in the order of the layout. */
typedef struct {
    const hlo_shape *shape;
    int64_t *strides, *at; /* by dimension: elements between neighbours; the current index */
    int64_t element;
} layout_walk;

static layout_walk start(const hlo_shape *shape) {
    size_t rank = shape->rank;
    layout_walk w = {.shape = shape, .strides = hlo_calloc(2 * rank + 1, sizeof *w.strides)};
    w.at = w.strides + rank;
    int64_t stride = 1;
    for (uint32_t d = shape->rank; d-- > 0; stride *= shape->dims[d]) w.strides[d] = stride;
    return w;
}

static void advance(layout_walk *w) {
    for (uint32_t k = 0; k < w->shape->rank; k++) {
        int64_t d = w->shape->layout->minor_to_major[k];
        w->element += w->strides[d];
        if (++w->at[d] < w->shape->dims[d]) return;
        w->element -= w->at[d] * w->strides[d];
        w->at[d] = 0;
    }
}

void hlo_to_layout_order(const hlo_shape *shape, const char *from, char *to, size_t size,
                         int64_t n) {
    layout_walk w = start(shape);
    for (int64_t i = 0; i < n; i++, advance(&w))
        memcpy(to + (size_t)i * size, from + (size_t)w.element * size, size);
    hlo_free(w.strides);
}

void hlo_from_layout_order(const hlo_shape *shape, const char *from, char *to, size_t size,
                           int64_t n) {
    layout_walk w = start(shape);
    for (int64_t i = 0; i < n; i++, advance(&w))
        memcpy(to + (size_t)w.element * size, from + (size_t)i * size, size);
    hlo_free(w.strides);
}
