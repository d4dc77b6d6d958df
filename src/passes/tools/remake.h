/* How the pass `rebuild` makes one instruction anew by the public functions of hlo_builder.h.
 * Private to rebuild.c and remake.c. */
#ifndef HLO_PASSES_REMAKE_H
#define HLO_PASSES_REMAKE_H

#include "../include/hlo_builder.h"
#include "base/list.h"
#include "ir/ir.h"

typedef struct {
    hlo_builder *b;
    hlo_arena *scratch;                   /* for lists of one instruction */
    const hlo_computation **computations; /* what was built, by id of the old one */
    const hlo_instr **instrs;             /* by hlo_instr.index in the old computation */
    HLO_LIST(const hlo_instr *) operands; /* of the instruction, as built */
} hlo_remaking;

typedef const hlo_instr *hlo_remaker(hlo_remaking *r, const hlo_instr *old);

typedef struct {
    hlo_remaker *make;
    const uint16_t *says; /* the attributes that are arguments of the function; HLO_ATTR_COUNT ends
                             them */
} hlo_remaker_info;

/* By opcode: remakers.def. */
extern const hlo_remaker_info hlo_remakers[HLO_OP_COUNT];

/* Sets an attribute of the next instruction as text. */
void hlo_remake_in_words(hlo_remaking *r, const hlo_attr *attr);

#endif
