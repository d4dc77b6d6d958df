/* Orders of elements: by keys where they have a simple order (keys.h), else of lines, by a
 * comparator computation, as permutations. Stable. */
#ifndef HLO_EVAL_KERNELS_SORT_ORDER_H
#define HLO_EVAL_KERNELS_SORT_ORDER_H

#include "eval/kernel/scalar.h"

/* How elements of one array are ordered: as compare with direction LT (GT when descending) does. */
typedef struct {
    hlo_type type;
    bool total; /* floats in total order; else zeros are equal and nan has no place */
    bool descending;
} hlo_key_order;

/* Whether elements of the type have keys. */
bool hlo_has_keys(hlo_type type);

/* The end of the range of elements that begins with `first`, between which kernels ask whether the
 * run goes on: some milliseconds of work. */
static inline int64_t hlo_range_end(int64_t first, int64_t n) {
    enum { ASKED_EVERY = 1 << 18 };
    return n - first < ASKED_EVERY ? n : first + ASKED_EVERY;
}

/* Arrays of lines, one after the other, of which the first `n` elements are ordered. */
typedef struct {
    hlo_call *call;
    const hlo_scalar_program *before; /* whether its first element comes before its second; takes
                                       * two elements of each array, in turn */
    uint32_t arrays;
    const char **data;
    const uint32_t *bytes; /* of an element, by array */
    int64_t length, n;     /* of a line; of its elements, those that are ordered */
} hlo_lines;

/* Bytes of scratch memory that hlo_order_by_comparator needs for so many elements in all. */
size_t hlo_comparator_scratch(uint32_t arrays, int64_t elements);

/* Writes to order[0 .. count * n) the positions, within its line, of each line's elements in order.
 * `first` is the first line. `scratch` is aligned to 64. False after an error, which has been
 * reported, and when the pool was stopped. */
bool hlo_order_by_comparator(const hlo_lines *lines, int64_t first, int64_t count, int64_t *order,
                             void *scratch);

#endif
