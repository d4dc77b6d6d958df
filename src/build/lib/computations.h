/* Small computations that reductions and sorts of the library call. Private to src/build/lib. */
#ifndef HLO_BUILD_LIB_COMPUTATIONS_H
#define HLO_BUILD_LIB_COMPUTATIONS_H

#include "build/lib/scalars.h"

/* Opens a computation whose instructions carry nothing of the caller's scope, and closes it with
 * its root; NULL after an error. */
void hlo_lib_open(hlo_builder *b, const char *name);
const hlo_computation *hlo_lib_close(hlo_builder *b, hlo_term root);
/* Scalar parameter `number` of the open computation, of that name. */
hlo_term hlo_lib_scalar_parameter(hlo_builder *b, int64_t number, hlo_type type, const char *name);

/* hlo_lib_scalar_computation of an element type by its inner number. */
const hlo_computation *hlo_lib_reducer(hlo_builder *b, const char *operation, hlo_type type);
/* The operand reduced by it over the dimensions, from `initial` on. */
hlo_term hlo_lib_reduced(hlo_builder *b, hlo_term operand, double initial, const char *operation,
                         hlo_int_list dimensions);

#endif
