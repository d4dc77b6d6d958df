/* Values of a run: arrays and tuples with reference counts, and what can be done to them without
 * memory for elements. */
#ifndef HLO_EVAL_VALUE_VALUE_H
#define HLO_EVAL_VALUE_VALUE_H

#include "ir/ir.h"

/* A value during a run, reference counted; that of a buffer is what it holds. Arrays hold their
 * elements like hlo_literal does (logical row-major order, sub-byte types one byte each, every
 * dimension at its bound); tuples hold values. Tokens have neither. */
typedef struct hlo_value {
    const hlo_shape *shape;
    int refs;
    bool borrowed;   /* data belongs to another owner (a constant's literal, a mapped input) */
    bool is_shared;  /* several threads may hold references: counting is atomic. hlo_value_share */
    bool is_placed;  /* an array or token in memory of a frame, which stays the frame's */
    uint8_t kept_as; /* which list of hlo_kept_values takes it when it is released; or none */
    void *data;
    struct hlo_value **elements; /* tuples: shape->rank values, each with a reference */
    int64_t *sizes;              /* run-time sizes of the dimensions, or NULL: as in the shape */
    struct hlo_value *base;      /* a view: the value that owns the data, with a reference */
} hlo_value;

hlo_value *hlo_value_retain(hlo_value *value);
void hlo_value_retain_more(hlo_value *value, uint32_t references);
void hlo_value_release(hlo_value *value); /* NULL is fine */

/* These return a value with a reference for the caller, or NULL when there is no memory for its
 * header. */

hlo_value *hlo_value_from_literal(const hlo_literal *literal); /* borrows the data */
/* The same data under another shape of equal size in bytes (reshape, layout); the value itself,
 * retained, when it has that very shape. Run-time sizes stay when the dimensions do. */
hlo_value *hlo_value_view(hlo_value *value, const hlo_shape *shape);
/* The same, but always a separate value, without run-time sizes. */
hlo_value *hlo_value_alias(hlo_value *value, const hlo_shape *shape);
/* The tuple of the shape's elements, whose references it takes over; NULL, and they are released,
 * when one of them is NULL. */
hlo_value *hlo_value_tuple(const hlo_shape *shape, hlo_value *const *elements);

/* The run-time size of a dimension. */
static inline int64_t hlo_value_size(const hlo_value *value, uint32_t dimension) {
    HLO_ASSERT(dimension < value->shape->rank && hlo_shape_is_array(value->shape));
    return value->sizes ? value->sizes[dimension] : value->shape->dims[dimension];
}
/* The run-time sizes of a result, to be changed: at first those of its shape. */
int64_t *hlo_result_sizes(hlo_value *value);
/* Gives `to` the run-time sizes of `from` (none when it has none): for results of from's rank. */
void hlo_value_copy_sizes(hlo_value *to, const hlo_value *from);
/* Makes all elements zero, a tuple's too. */
void hlo_value_clear(hlo_value *value);

void hlo_value_print(hlo_buf *to, const hlo_value *value); /* an HLO literal with its shape */

#endif
