/* The dimension numbers of gather and scatter under one set of names: both pair windows of one
 * array ("operand") with windows of another ("slices": a gather's result, a scatter's updates) by
 * index vectors in a third ("indices"). */
#ifndef HLO_IR_INDEX_DIMS_H
#define HLO_IR_INDEX_DIMS_H

#include "ir/ir.h"

typedef struct {
    const hlo_ints *window; /* of the slices: those that go over a window */
    const hlo_ints
        *absent;         /* of the operand: those of size 1 in a window that slices do not have */
    const hlo_ints *map; /* of the operand: those that the components of a vector select in */
    const hlo_ints *operand_batching, *indices_batching; /* in pairs */
    int64_t vector_dim; /* of the indices; their rank: each of their elements is a vector */
} hlo_index_dims;

/* `instr` is a gather or a scatter; the lists are its attributes. */
hlo_index_dims hlo_index_dims_of(const hlo_instr *instr);

/* Of dimension d of the operand a window has one element, and slices have no such dimension. */
static inline bool hlo_index_drops(const hlo_index_dims *dims, int64_t d) {
    return hlo_ints_contain(dims->absent, d) || hlo_ints_contain(dims->operand_batching, d);
}

#endif
