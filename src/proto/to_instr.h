/* Instructions as messages. Called by to_module.c. */
#ifndef HLO_PROTO_TO_INSTR_H
#define HLO_PROTO_TO_INSTR_H

#include "proto/attr_fields.h"
#include "proto/to_values.h"

/* The fields of each opcode that was met, made once for a whole module. */
typedef struct {
    hlo_writer *w;
    struct {
        uint32_t n; /* 0: not met yet */
        const hlo_attr_field **v;
    } fields[HLO_OP_COUNT];
} hlo_instr_writer;

static inline int64_t hlo_instr_proto_id(const hlo_instr *instr) {
    return (int64_t)((uint64_t)instr->parent->id << 32 | instr->index);
}

/* Instructions must be numbered (hlo_number_instructions), computations have their ids. */
void hlo_write_instr(hlo_instr_writer *iw, const hlo_instr *instr);
void hlo_instr_writer_free(hlo_instr_writer *iw);
/* The type by which the operands of a compare are compared when none is given. */
int hlo_implied_compare_type(const hlo_instr *instr);

#endif
