/* Arrays in memory as hlo.h describes them. */
#ifndef HLO_HOST_ARRAYS_H
#define HLO_HOST_ARRAYS_H

#include "diag/diag.h"
#include "ir/shape.h"

/* The array at `data`, in logical row-major order, of an array shape. */
hlo_array hlo_array_of(const hlo_shape *shape, const void *data);

#endif
