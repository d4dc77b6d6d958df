/* Which integers that a module takes are positions in an array, and where that array ends. */
#ifndef HLO_ANALYSIS_INDEX_BOUNDS_H
#define HLO_ANALYSIS_INDEX_BOUNDS_H

#include "ir/ir.h"

/* Writes one number for each array of the entry computation's parameters, tuples depth first: when
 * its elements are from 0 to this number, no gather, scatter, dynamic-slice, dynamic-update-slice
 * or conditional that gets them as they are, through operations that move elements, through
 * selects, tuples, loops and calls, asks for anything outside. -1: it is no index. What is computed
 * with elements is not looked at. Touches no scratch of the module. */
void hlo_index_bounds(const hlo_module *module, int64_t *most);

#endif
