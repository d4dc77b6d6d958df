/* Values that travel between processes: what describes them, and where their bytes are. Called by
 * wire.c and src/run. */
#ifndef HLO_EVAL_COMM_PARCEL_H
#define HLO_EVAL_COMM_PARCEL_H

#include "eval/comm/transport.h"
#include "eval/value.h"

/* Appends shape and run-time sizes. */
void hlo_parcel_describe(hlo_buf *to, const hlo_value *value);
/* A value as the bytes describe it, uninitialised, its shapes in the table. NULL without
 * memory. */
hlo_value *hlo_parcel_make(hlo_shapes_table *shapes, const char *bytes);

/* Adds where the elements of the value's arrays lie. */
void hlo_parcel_add_extents(hlo_extents *to, const hlo_value *value);

#endif
