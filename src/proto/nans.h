/* What JSON's one "NaN" loses: sign and payload. They travel in a frontend attribute of the
 * constant. */
#ifndef HLO_PROTO_NANS_H
#define HLO_PROTO_NANS_H

#include "ir/ir.h"
#include "proto/proto.h"

#define HLO_NANS_KEY HLO_HEADER_PREFIX "nans"

/* Appends `LEAF:INDEX=BITS`, `LEAF:INDEX+MORE=BITS` for a row of equal ones, with commas between
 * them: arrays of f32, f64 and their complex types depth first, elements (their parts, if complex)
 * in logical order, bits in hexadecimal. Nothing when all nans are the plain one. Rows are in
 * order, which reading relies on. */
void hlo_nans_write(const hlo_literal *literal, hlo_buf *to);
/* Restores the bits of the literal's NaNs. Elements that are no longer NaN, because the literal was
 * edited, are left alone. False when the text has another form. */
bool hlo_nans_read(hlo_str text, const hlo_literal *literal);

#endif
