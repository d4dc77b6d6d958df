/* How two shapes compare: compatibility with parts ignored, common element types, parts of tuples.
 */
#ifndef HLO_SHAPE_COMPATIBLE_H
#define HLO_SHAPE_COMPATIBLE_H

#include "ir/attrs.h"
#include "ir/shape.h"

enum {                       /* what a comparison leaves out besides layouts and dynamic marks */
       HLO_IGNORE_TYPES = 1, /* element types of arrays */
       HLO_IGNORE_FP_PRECISION = 2, /* which of the floating-point types */
       HLO_IGNORE_BUFFERS = 4,      /* b(S) counts as S */
};

/* Same structure, element types and sizes; an unbounded dimension fits any size. */
bool hlo_shapes_compatible(const hlo_shape *a, const hlo_shape *b, unsigned ignoring);
typedef bool hlo_compare_shapes(const hlo_shape *a, const hlo_shape *b, unsigned ignoring);
/* `prefix` is the same as `shape`, or is a tuple whose elements are prefixes of its first ones. */
bool hlo_shape_is_prefix(const hlo_shape *prefix, const hlo_shape *shape, hlo_compare_shapes *same);
/* Arrays of the same rank and sizes whatever their element types. */
bool hlo_shapes_same_dimensions(const hlo_shape *a, const hlo_shape *b);

static inline bool hlo_sizes_compatible(int64_t a, int64_t b) {
    return a == b || a == HLO_UNBOUNDED || b == HLO_UNBOUNDED;
}
static inline bool hlo_types_agree(hlo_type a, hlo_type b) {
    return a == b || (hlo_type_is_float(a) && hlo_type_is_float(b));
}
static inline bool hlo_is_scalar_of(const hlo_shape *s, hlo_type type) {
    return s->rank == 0 && s->type == type;
}

/* ((operands...), result, contexts...): what an async-start and an async-update make. */
static inline bool hlo_is_async_shape(const hlo_shape *s) {
    return hlo_shape_is_tuple(s) && s->rank >= 2 && hlo_shape_is_tuple(s->elements[0]);
}

/* The type that an operation on both gives: complex before real, wider range, more digits, wider,
 * signed; the first where none is better. */
hlo_type hlo_higher_precision(hlo_type a, hlo_type b);

/* Some dimension, here or in an element, is unbounded. */
bool hlo_shape_has_unbounded(const hlo_shape *shape);

/* What an exact comparison ignores, besides HLO_IGNORE_BUFFERS. */
enum {
    HLO_IGNORE_TILES = 8,
    HLO_IGNORE_MEMORY_SPACE = 16,
    HLO_IGNORE_TAIL_PADDING = 32,
    HLO_IGNORE_SPLITS = 64,
    HLO_IGNORE_ELEMENT_BITS = 128,
    HLO_IGNORE_INDEX_TYPES = 256,
    HLO_MINOR_TO_MAJOR_ONLY = HLO_IGNORE_TILES | HLO_IGNORE_MEMORY_SPACE | HLO_IGNORE_TAIL_PADDING |
                              HLO_IGNORE_SPLITS | HLO_IGNORE_ELEMENT_BITS | HLO_IGNORE_INDEX_TYPES,
};

bool hlo_layouts_equal(const hlo_layout *a, const hlo_layout *b, unsigned ignoring);
/* The same in everything that is not ignored: layouts and dynamic marks too. */
bool hlo_shapes_equal(const hlo_shape *a, const hlo_shape *b, unsigned ignoring);

/* The part of a tuple tree at `index`, or NULL when there is none. */
const hlo_shape *hlo_shape_at(const hlo_shape *shape, const hlo_ints *index);

#endif
