/* What functions of matrices in the last two dimensions share. Private to src/build/lib. */
#ifndef HLO_BUILD_LIB_MATRICES_H
#define HLO_BUILD_LIB_MATRICES_H

#include "build/lib/computations.h"
#include "build/lib/formula.h"

#define HLO_NO_DIMS ((hlo_int_list){0, NULL})

/* The two last dimensions of an array that has them. */
static inline int64_t hlo_lib_rows(hlo_term x) {
    return hlo_lib_size(x, -2);
}
static inline int64_t hlo_lib_columns(hlo_term x) {
    return hlo_lib_size(x, -1);
}

static inline bool hlo_is_dynamic_dimension(hlo_term x, int64_t dimension) {
    return x->shape->is_dynamic && x->shape->is_dynamic[dimension];
}

/* 0, 1, 2 ... of s32 or another type. */
hlo_term hlo_lib_iota(hlo_builder *b, hlo_type type, int64_t size);
/* Padding of one dimension. */
hlo_term hlo_lib_pad_in_dim(hlo_builder *b, hlo_term x, hlo_term value, int64_t dimension,
                            int64_t low, int64_t high);
/* The part from start to limit of one dimension. */
hlo_term hlo_lib_slice_in_dim(hlo_builder *b, hlo_term x, int64_t start, int64_t limit,
                              int64_t dimension);

#endif
