/* Multi-indices of arrays, visited in row-major order: the loops of the plain kernels. */
#ifndef HLO_EVAL_REF_INDEX_H
#define HLO_EVAL_REF_INDEX_H

#include "eval/kernel/kernel.h"

/* Scratch memory for some indices of one rank. */
typedef struct {
    uint32_t rank;
    size_t at;
} hlo_indices;

hlo_indices hlo_prepare_indices(hlo_preparation *p, uint32_t count, uint32_t rank);
/* Index number i, uninitialised. */
int64_t *hlo_index(const hlo_call *call, hlo_indices indices, uint32_t i);

/* for (bool more = hlo_first_index(rank, sizes, index); more;
 *      more = hlo_next_index(rank, sizes, index)) visits all indices of an array of these sizes, in
 * row-major order; none when a size is zero. */
bool hlo_first_index(uint32_t rank, const int64_t *sizes, int64_t *index);
bool hlo_next_index(uint32_t rank, const int64_t *sizes, int64_t *index);
/* Whether each index lies within the sizes. */
bool hlo_is_inside(uint32_t rank, const int64_t *sizes, const int64_t *index);

/* The number of the element at the index, in a row-major array of these sizes. */
int64_t hlo_offset_of(uint32_t rank, const int64_t *sizes, const int64_t *index);
/* The same in a value, whose dimensions are stored at their bounds. */
static inline int64_t hlo_offset_in(const hlo_value *value, const int64_t *index) {
    return hlo_offset_of(value->shape->rank, value->shape->dims, index);
}
/* The run-time sizes of a value's dimensions, or those of its shape. */
static inline const int64_t *hlo_live_sizes(const hlo_value *value) {
    return value->sizes ? value->sizes : value->shape->dims;
}

#endif
