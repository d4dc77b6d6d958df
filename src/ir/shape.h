/* Shapes and layouts, interned: within one module equal shapes (layouts and all) are one pointer.
 */
#ifndef HLO_IR_SHAPE_H
#define HLO_IR_SHAPE_H

#include <hlo/module.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/list.h"
#include "ir/types.h"

struct hlo_shape;

/* An unbounded dimension ('?') and a tile's '*'. */
#define HLO_UNBOUNDED INT64_MIN
#define HLO_COMBINE INT64_MIN

typedef struct {
    uint32_t n;
    const int64_t *v; /* HLO_COMBINE: '*' */
} hlo_tile;

typedef struct {
    int64_t dimension;
    uint32_t n;
    const int64_t *indices;
} hlo_split;

/* The parts of a layout after the colon; most layouts have none. */
typedef struct {
    uint32_t tile_count, split_count;
    const hlo_tile *tiles;
    const hlo_split *splits;
    int64_t tail_padding_alignment; /* in elements; 1: none */
    int64_t element_bits;           /* 0: not given */
    int64_t memory_space;
    int64_t metadata_prefix_bytes;
    hlo_type index_type, pointer_type; /* HLO_TYPE_COUNT: not given */
} hlo_layout_parts;

typedef struct {
    uint32_t n;
    const int64_t *minor_to_major;
    const hlo_layout_parts *parts; /* NULL: none */
} hlo_layout;

typedef struct hlo_shape {
    uint8_t type;    /* hlo_type */
    uint8_t dynamic; /* some dimension is bounded (<=) or unbounded (?), here or in an element */
    uint8_t plain_layout; /* an array with the default layout and no parts */
    uint32_t rank;        /* dimensions of an array; elements of a tuple; 1 for a buffer */
    uint32_t hash;
    uint32_t depth;            /* nesting: 0 for arrays */
    const int64_t *dims;       /* arrays: sizes; a bounded dimension's bound; HLO_UNBOUNDED */
    const uint8_t *is_dynamic; /* arrays: one byte per dimension, or NULL when none is */
    const hlo_layout *layout;  /* arrays only, never NULL for them */
    const struct hlo_shape *const *elements; /* tuple elements; a buffer's contents */
    const struct hlo_shape
        *bare;    /* the same with default layouts and no dynamic marks (maybe itself) */
    hlo_str text; /* as printed with layout, made on first use; ptr NULL before */
} hlo_shape;

typedef struct hlo_shapes_table {
    hlo_arena *arena;
    HLO_LIST(const hlo_shape *) shapes;
    hlo_hash by_hash; /* numbers of them, from 1 */
} hlo_shapes_table;

void hlo_shapes_init(hlo_shapes_table *table, hlo_arena *arena);
void hlo_shapes_free(hlo_shapes_table *table);

/* Each returns the interned shape. Arguments are copied where needed. */
/* is_dynamic may be NULL; minor_to_major NULL means the default (n-1 ... 0); parts may be NULL. */
const hlo_shape *hlo_shape_array(hlo_shapes_table *, hlo_type, const int64_t *dims, uint32_t rank,
                                 const uint8_t *is_dynamic, const int64_t *minor_to_major,
                                 const hlo_layout_parts *parts);
const hlo_shape *hlo_shape_tuple(hlo_shapes_table *, const hlo_shape *const *elements, uint32_t n);
const hlo_shape *hlo_shape_buffer(hlo_shapes_table *, const hlo_shape *contents);
const hlo_shape *hlo_shape_scalar(hlo_shapes_table *, hlo_type);
const hlo_shape *hlo_shape_token(hlo_shapes_table *);
const hlo_shape *hlo_shape_opaque(hlo_shapes_table *);
/* The same array with another element type (layout and dynamic marks kept). */
const hlo_shape *hlo_shape_with_type(hlo_shapes_table *, const hlo_shape *, hlo_type);
/* A shape of another module's table as a shape of this one. */
const hlo_shape *hlo_shape_import(hlo_shapes_table *, const hlo_shape *);

static inline bool hlo_shape_is_array(const hlo_shape *s) {
    return hlo_type_is_array((hlo_type)s->type);
}
static inline bool hlo_shape_is_tuple(const hlo_shape *s) {
    return s->type == HLO_TUPLE;
}
/* The elements of a tuple; any other shape is its own only part. */
static inline uint32_t hlo_shape_part_count(const hlo_shape *s) {
    return hlo_shape_is_tuple(s) ? s->rank : 1;
}
static inline const hlo_shape *hlo_shape_part(const hlo_shape *s, uint32_t i) {
    HLO_ASSERT(i < hlo_shape_part_count(s));
    return hlo_shape_is_tuple(s) ? s->elements[i] : s;
}
/* What a value of the shape holds: a buffer's contents, any other shape itself. */
static inline const hlo_shape *hlo_shape_held(const hlo_shape *s) {
    HLO_ASSERT(s->type != HLO_BUFFER || s->rank == 1);
    return s->type == HLO_BUFFER ? s->elements[0] : s;
}
static inline bool hlo_shape_is_scalar(const hlo_shape *s) {
    return hlo_shape_is_array(s) && s->rank == 0;
}
/* Same structure, element types and sizes; layouts and dynamic marks ignored. */
static inline bool hlo_shape_compatible(const hlo_shape *a, const hlo_shape *b) {
    HLO_ASSERT(a->bare && b->bare);
    return a == b || a->bare == b->bare;
}
/* Arrays of one type and of the same sizes, which may be shapes of different tables. */
static inline bool hlo_shape_same_array(const hlo_shape *a, const hlo_shape *b) {
    return a->type == b->type && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}
/* The same dimensions are dynamic, in all elements; false for other structures or ranks. */
bool hlo_shape_same_marks(const hlo_shape *a, const hlo_shape *b);
/* Elements of an array (1 for a scalar, bounds counted in full); -1 when unbounded, not an array,
 * or beyond INT64_MAX. */
int64_t hlo_shape_elements(const hlo_shape *s);
/* Bytes that all arrays of the shape take as literals; -1 as above. Tokens take none. */
int64_t hlo_shape_bytes(const hlo_shape *s);
uint32_t hlo_shape_leaf_count(const hlo_shape *s); /* arrays, tokens and opaques in a tuple tree */
/* The number of the first leaf of an element. */
uint32_t hlo_shape_leaves_before(const hlo_shape *tuple, int64_t element);
/* Of an array, whose layout is the default one but for tiles and the like. */
bool hlo_shape_is_row_major(const hlo_shape *array);
const hlo_shape *hlo_shape_leaf(const hlo_shape *s, uint32_t leaf); /* leaf < their count */

/* As XLA prints it; with_layout: {1,0} after array dimensions. */
void hlo_shape_print(hlo_buf *to, const hlo_shape *s, bool with_layout);
/* The text with layout, made once per shape. */
hlo_str hlo_shape_text(hlo_shapes_table *, const hlo_shape *s);
/* NUL-terminated text in `arena`, for messages: without and with layout. */
const char *hlo_shape_name(hlo_arena *arena, const hlo_shape *s);
const char *hlo_shape_layout_name(hlo_arena *arena, const hlo_shape *s);
/* The same of two shapes that must be equal and are not: with layouts where only these differ. */
typedef struct {
    const char *first, *second;
} hlo_shape_texts;
hlo_shape_texts hlo_shape_names(hlo_arena *arena, const hlo_shape *a, const hlo_shape *b);

#endif
