/* Literals: typed dense data of constants, inputs and results. */
#ifndef HLO_IR_LITERAL_H
#define HLO_IR_LITERAL_H

#include "base/buf.h"
#include "diag/diag.h"
#include "ir/shape.h"

/* Array data is in logical row-major order whatever the layout, one element after the other:
 * pred one byte 0/1; integers in their width, s1..s4 and u1..u4 one byte each (sign or zero
 * extended); f16, bf16 two bytes; f8, f6 and f4 types one byte (bits in the low end); complex as
 * (re, im) pairs. Native byte order. */
typedef struct hlo_literal {
    const hlo_shape *shape;
    void *data; /* arrays; NULL for zero elements, tokens, tuples, and what is not made yet */
    struct hlo_literal *const *elements; /* tuples: shape->rank entries */
    const struct hlo_implied *implied;   /* NULL: `data` are the elements from the beginning */
    bool is_read;                        /* from a text or message; else something made it */
} hlo_literal;

/* Elements that a text does not list, so that a few bytes stand for any number of them: they are
 * made on first use. Either {...}, whose elements are invented as XLA does it
 * (counting words, then counting bytes for the remainder of the size), or one number, which is the
 * first element before zeros. */
typedef struct hlo_implied {
    hlo_arena *arena;
    bool is_elided;        /* {...} */
    uint32_t words, bytes; /* of {...}: where the counters stand */
    char first[16];        /* else: the first element */
} hlo_implied;

/* A literal of the shape in `arena`, zero filled. The shape must not be unbounded. */
hlo_literal *hlo_literal_new(hlo_arena *arena, const hlo_shape *shape);
/* The same with array data left uninitialised, for callers that write every element. */
hlo_literal *hlo_literal_new_raw(hlo_arena *arena, const hlo_shape *shape);

/* The elements of an array, made now if they are implied: read `data` only where they are known to
 * be made. Not for several threads at once. */
const void *hlo_literal_make(const hlo_literal *literal);
static inline const void *hlo_literal_data(const hlo_literal *literal) {
    return literal->data || !literal->implied ? literal->data : hlo_literal_make(literal);
}
/* The same for every array of a tree. */
void hlo_literal_make_all(const hlo_literal *literal);
/* Moves the counters past what {...} of the shape takes. */
void hlo_implied_count(const hlo_shape *shape, uint32_t *words, uint32_t *bytes);
/* So many elements are implied that they are not made just to compare them, or to look for a value
 * that they share. */
bool hlo_literal_is_huge(const hlo_literal *literal);
/* `h` and the elements of an array; a huge one has its own hash, even if another lists the same. */
uint64_t hlo_literal_hash(uint64_t h, const hlo_literal *literal);

/* Whether the text has {...} for the elements, or for those of some array in the tuple. */
bool hlo_literal_is_elided(const hlo_literal *literal);
/* An array with more is printed as {...} unless all elements are asked for. */
enum { HLO_SHOWN_ELEMENTS = 10 };

/* One element as a scalar literal prints it, by XLA's rules (docs/text-format.md, 6.3). */
void hlo_element_print(hlo_buf *to, hlo_type type, const void *element);
/* The whole literal on one line (6.3), without its shape. */
void hlo_literal_print(hlo_buf *to, const hlo_literal *literal);
/* The same with -0.0 for each negative zero, which reads back as one; -0 is the integer 0. */
void hlo_literal_print_exactly(hlo_buf *to, const hlo_literal *literal);

/* What of a literal's bits its text does not give back when it is read. */
typedef enum {
    HLO_LITERAL_WHOLE,
    HLO_LITERAL_LOSES_ZERO, /* the sign of a zero, which the exact text keeps */
    HLO_LITERAL_LOSES_NAN   /* a nan of a complex number, for which there is no text */
} hlo_literal_loss;
hlo_literal_loss hlo_literal_text_loss(const hlo_literal *literal);
/* Same structure, types, sizes and bits; layouts are not compared. */
bool hlo_literal_equal(const hlo_literal *a, const hlo_literal *b);

/* Brings n raw elements into the form above: pred to 0 or 1, and the upper bits of types below a
 * byte to the sign or zero. */
void hlo_elements_normalise(hlo_type type, void *data, int64_t n);

/* Physical order: the element at position `i` when the data is laid out by the shape's
 * minor_to_major has logical index hlo_literal_logical_index(shape, i). */
int64_t hlo_literal_logical_index(const hlo_shape *shape, int64_t physical);

#endif
