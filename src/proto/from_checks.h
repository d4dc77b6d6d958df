/* What the text parser guarantees about an instruction, checked for one that comes in a message.
 * Called by from_instr.c. */
#ifndef HLO_PROTO_FROM_CHECKS_H
#define HLO_PROTO_FROM_CHECKS_H

#include "proto/reader.h"

/* An instruction before it is made. */
typedef struct {
    const hlo_node *node, *at; /* its message, and its name there */
    const hlo_name *name;
    hlo_opcode opcode;
    const hlo_shape *shape;
    hlo_instr *const *operands;
    uint32_t operand_count;
    hlo_attr *attrs;
    uint32_t attr_count;
} hlo_instr_draft;

/* Counts, required attributes and relations between attributes and operands; some values are
 * completed as XLA does. */
bool hlo_check_draft(hlo_reader *r, hlo_instr_draft *draft);

#endif
