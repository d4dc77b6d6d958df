/* Instructions as messages. */
#ifndef HLO_PROTO_TO_INSTR_H
#define HLO_PROTO_TO_INSTR_H

#include "proto/attr_fields.h"
#include "proto/to_values.h"

static inline int64_t hlo_instr_proto_id(const hlo_instr *instr) {
    return (int64_t)((uint64_t)instr->parent->id << 32 | instr->index);
}

/* Instructions must be numbered (by their index), computations have their ids. */
void hlo_write_instr(hlo_writer *w, hlo_instr_fields_cache *cache, const hlo_instr *instr);

#endif
