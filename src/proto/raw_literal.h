/* Literals as XLA serialises them outside of messages. */
#ifndef HLO_PROTO_RAW_LITERAL_H
#define HLO_PROTO_RAW_LITERAL_H

#include "proto/reader.h"

/* The literal that the bytes [at, end) of the source are; `place` is where errors are. In the
 * module's arena; NULL after an error. */
const hlo_literal *hlo_raw_literal(hlo_reader *r, const hlo_node *place, uint32_t at, uint32_t end);

#endif
