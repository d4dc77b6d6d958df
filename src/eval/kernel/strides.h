/* Strided walks: several arrays visited together, dimension by dimension, with contiguous
 * dimensions collapsed so that the caller's inner loop is a long row. */
#ifndef HLO_EVAL_KERNEL_STRIDES_H
#define HLO_EVAL_KERNEL_STRIDES_H

#include "eval/value/value.h"

/* Dimensions of one element are dropped, so an array that fits memory has fewer than 63 left. */
enum { HLO_WALK_RANK = 63, HLO_WALK_ARRAYS = 4 };

/* Strides and offsets count bytes. Add dimensions from the outermost to the innermost with
 * hlo_walk_dim, then visit: for (bool more = hlo_walk_start(&w); more; more = hlo_walk_next(&w)),
 * where at[k] is the offset of the current row in array k, `row` its length and row_stride[k] the
 * distance of its elements. Nothing is visited when some dimension is zero. */
typedef struct {
    uint32_t arrays, rank;
    bool empty;
    int64_t row, row_stride[HLO_WALK_ARRAYS];
    int64_t at[HLO_WALK_ARRAYS]; /* before the start: where the walk begins */
    uint32_t outer;              /* dimensions outside the row */
    int64_t size[HLO_WALK_RANK], index[HLO_WALK_RANK];
    int64_t stride[HLO_WALK_RANK][HLO_WALK_ARRAYS];
} hlo_walk;

void hlo_walk_init(hlo_walk *walk, uint32_t arrays);
void hlo_walk_dim(hlo_walk *walk, int64_t size, const int64_t *strides);
/* hlo_walk_dim for walks of one, two or three arrays. */
void hlo_walk_dim1(hlo_walk *walk, int64_t size, int64_t a);
void hlo_walk_dim2(hlo_walk *walk, int64_t size, int64_t a, int64_t b);
void hlo_walk_dim3(hlo_walk *walk, int64_t size, int64_t a, int64_t b, int64_t c);
bool hlo_walk_start(hlo_walk *walk);
bool hlo_walk_next(hlo_walk *walk);

/* How many elements the walk visits; INT64_MAX when that is too many to count. */
int64_t hlo_walk_elements(const hlo_walk *walk);
/* The longest dimension along which array `moving` moves, or walk->rank when there is none. */
uint32_t hlo_walk_longest(const hlo_walk *walk, uint32_t moving);
/* The part of a walk that lies between two places of one dimension (walk->rank: all of it). */
void hlo_walk_part(hlo_walk *part, const hlo_walk *walk, uint32_t d, int64_t first, int64_t last);

/* Bytes of one element of an array shape, as stored in a value. */
static inline uint32_t hlo_element_bytes(const hlo_shape *shape) {
    HLO_ASSERT(hlo_shape_is_array(shape));
    return hlo_types[shape->type].bytes;
}
/* The distance of neighbours along each dimension of a value of this shape, times `unit`; 0 where
 * the shape has no elements. */
void hlo_row_major(const hlo_shape *shape, int64_t unit, int64_t *strides);
/* An array of one number per dimension, to be freed with hlo_free; never NULL. */
int64_t *hlo_new_strides(const hlo_shape *shape, int64_t unit);

/* Copies the elements of a walk of two arrays, 0 the target and 1 the source, `bytes` an element
 * (1, 2, 4, 8 or 16). Source and target must not overlap. The walk may be used again, with other
 * `at`. */
void hlo_copy_walk(hlo_walk *walk, void *to, const void *from, uint32_t bytes);
/* The same for n elements at fixed distances. */
void hlo_copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                  uint32_t bytes, int64_t n);
/* Sets `count` elements to the one at `element`. */
void hlo_fill_elements(void *to, const void *element, uint32_t bytes, int64_t count);

/* An element of an integer array as a number, of any integral type: an index operand. Unsigned
 * values beyond INT64_MAX become INT64_MAX. */
int64_t hlo_index_at(const hlo_value *value, int64_t element);

static inline int64_t hlo_clamp_index(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

#endif
