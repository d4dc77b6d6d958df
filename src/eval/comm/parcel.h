/* Values that travel between processes: what describes them, and where their bytes are. */
#ifndef HLO_EVAL_COMM_PARCEL_H
#define HLO_EVAL_COMM_PARCEL_H

#include "eval/comm/transport.h"
#include "eval/value/value.h"

/* Appends shape and run-time sizes. */
void hlo_parcel_describe(hlo_buf *to, const hlo_value *value);
/* A value as the bytes describe it, uninitialised, its shapes in the table. NULL without
 * memory. */
hlo_value *hlo_parcel_make(hlo_shapes_table *shapes, const char *bytes);

/* Adds where the elements of the value's arrays lie. */
void hlo_parcel_add_extents(hlo_extents *to, const hlo_value *value);

/* ---- results, when no other thread uses the transport ---- */

/* One that a process has posted. */
typedef struct {
    uint32_t number, from;
    const char *description; /* until the transport is asked for the next */
} hlo_posted_parcel;

/* Returns when the value has left. */
void hlo_parcel_post(hlo_transport *transport, uint32_t to, uint32_t number,
                     const hlo_value *value);
/* Waits for that of whichever process comes first; it must be taken. */
hlo_posted_parcel hlo_parcel_await(hlo_transport *transport);
hlo_value *hlo_parcel_take(hlo_transport *transport, const hlo_posted_parcel *posted,
                           hlo_shapes_table *shapes);

#endif
