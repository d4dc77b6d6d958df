/* Attributes of operations that XLA does not have, as frontend attributes of messages: see
 * extension.c. Private to src/proto. */
#ifndef HLO_PROTO_EXTENSION_H
#define HLO_PROTO_EXTENSION_H

#include "proto/reader.h"

/* The frontend attributes of the message: the instruction's own (NULL: none) and those that stand
 * for attributes without a field. In `arena`. */
const hlo_frontend *hlo_extension_frontend(hlo_arena *arena, const hlo_instr *instr,
                                           const hlo_frontend *own);
/* Takes them out of the frontend attributes of an instruction of `opcode`, and adds the attributes
 * to those that were read. */
void hlo_take_extensions(hlo_reader *r, hlo_opcode opcode, hlo_frontend *frontend);
/* The computation has been read: merges get the back edges that were named. False after an error.
 */
bool hlo_connect_back_edges(hlo_reader *r, const hlo_node *node);

#endif
