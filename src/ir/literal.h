/* Literals: typed dense data of constants, inputs and results. Called by every layer above base. */
#ifndef HLO_IR_LITERAL_H
#define HLO_IR_LITERAL_H

#include "base/buf.h"
#include "diag/diag.h"
#include "ir/shape.h"

/* Array data is in logical row-major order whatever the layout says, one element after the other:
 * pred one byte 0/1; integers in their width, s1..s4 and u1..u4 one byte each (sign or zero
 * extended); f16, bf16 two bytes; f8, f6 and f4 types one byte (bits in the low end); complex as
 * (re, im) pairs. Native byte order. */
typedef struct hlo_literal {
    const hlo_shape *shape;
    void *data;                          /* arrays; NULL for zero elements, tokens and tuples */
    struct hlo_literal *const *elements; /* tuples: shape->rank entries */
} hlo_literal;

/* A literal of the shape in `arena`, zero filled. The shape must not be unbounded. */
hlo_literal *hlo_literal_new(hlo_arena *arena, const hlo_shape *shape);
/* The same with array data left uninitialised, for callers that write every element. */
hlo_literal *hlo_literal_new_raw(hlo_arena *arena, const hlo_shape *shape);

/* One element as a scalar literal prints it, by XLA's rules (docs/text-format.md, 6.3). */
void hlo_element_print(hlo_buf *to, hlo_type type, const void *element);
/* The whole literal on one line (6.3), without its shape. */
void hlo_literal_print(hlo_buf *to, const hlo_literal *literal);
/* Same structure, types, sizes and bits; layouts are not compared. */
bool hlo_literal_equal(const hlo_literal *a, const hlo_literal *b);

/* Brings n raw elements into the form above: pred to 0 or 1, and the upper bits of types below a
 * byte to the sign or zero. */
void hlo_elements_normalise(hlo_type type, void *data, int64_t n);

/* Physical order: the element at position `i` when the data is laid out by the shape's
 * minor_to_major has logical index hlo_literal_logical_index(shape, i). */
int64_t hlo_literal_logical_index(const hlo_shape *shape, int64_t physical);

#endif
