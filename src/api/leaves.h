/* Flat leaves: the arrays of parameters and results in order, tuples depth first, tokens left out.
 * Private to src/api. */
#ifndef HLO_API_LEAVES_H
#define HLO_API_LEAVES_H

#include "eval/eval.h"

uint32_t hlo_leaf_count(const hlo_shape *shape);
/* Write one pointer per leaf and return the place behind the last one. */
const hlo_shape **hlo_leaf_shapes(const hlo_shape *shape, const hlo_shape **to);
hlo_value **hlo_leaf_values(hlo_value *value, hlo_value **to);
/* A value of `shape` whose leaves are taken (retained) from *next on; *next moves behind them. NULL when
 * the memory is not there. */
hlo_value *hlo_value_from_leaves(const hlo_shape *shape, hlo_value ***next);
/* `value` with its run-time sizes as its shape, leaves packed; takes the reference and returns one. NULL
 * when the memory is not there. */
hlo_value *hlo_value_settle(hlo_shapes_table *shapes, hlo_value *value);

#endif
