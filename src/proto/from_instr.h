/* Instructions from nodes. */
#ifndef HLO_PROTO_FROM_INSTR_H
#define HLO_PROTO_FROM_INSTR_H

#include "proto/from_values.h"

/* Appends the instruction to r->computation and remembers its id. Operands, predecessors and called
 * computations must have been read before it. */
bool hlo_from_instr(hlo_reader *r, const hlo_node *node);
/* Ids of instructions count by their low 32 bits; the others number the computation. */
static inline int64_t hlo_local_id(int64_t id) {
    return (int64_t)((uint64_t)id & UINT32_MAX);
}
/* A name that text can spell: what XLA makes of a proto's (docs/text-format.md, 8.2). */
hlo_name *hlo_from_name(hlo_reader *r, hlo_str text);

#endif
