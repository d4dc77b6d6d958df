/* Flat leaves: the arrays of parameters and results in order, tuples depth first, tokens left out.
 * Private to src/host. */
#ifndef HLO_HOST_LEAVES_H
#define HLO_HOST_LEAVES_H

#include "eval/value/value_memory.h"

uint32_t hlo_leaf_count(const hlo_shape *shape);
/* Writes one pointer per leaf and returns the position after the last one. */
hlo_value **hlo_leaf_values(hlo_value *value, hlo_value **to);
/* A value of `shape` whose leaves are retained one after the other from *next on; *next moves past
 * them. NULL when memory cannot be allocated. */
hlo_value *hlo_value_from_leaves(const hlo_shape *shape, hlo_value *const **next);
/* `value` with its run-time sizes as its shape, leaves packed; takes the reference and returns one.
 * NULL when the memory is not there. */
hlo_value *hlo_value_settle(hlo_shapes_table *shapes, hlo_value *value);

#endif
