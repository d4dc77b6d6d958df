/* Which leaves of an instruction's result are made in the memory of which leaves of its operands.
 */
#ifndef HLO_PASSES_MEMORY_IN_PLACE_H
#define HLO_PASSES_MEMORY_IN_PLACE_H

#include "base/list.h"
#include "ir/ir.h"

typedef struct {
    uint32_t operand, from; /* a leaf of the operand */
    uint32_t to;            /* a leaf of the result */
} hlo_in_place;

typedef HLO_LIST(hlo_in_place) hlo_in_place_list;

/* Adds the pairs of the instruction: what it updates, those of an attribute, what a fusion updates
 * at its root and reads nowhere else, what a transfer writes to. Free with hlo_list_free. */
void hlo_list_in_place(const hlo_instr *instr, hlo_in_place_list *list);

#endif
