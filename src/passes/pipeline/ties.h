/* A set of instructions: those that control dependencies tie, at either end. A mark in the
 * instruction would be overwritten by the next analysis. */
#ifndef HLO_PASSES_PIPELINE_TIES_H
#define HLO_PASSES_PIPELINE_TIES_H

#include "ir/ir.h"

/* Zero bytes are an empty set. */
typedef struct {
    HLO_LIST(const hlo_instr *) instrs;
    hlo_hash by_hash; /* numbers of those, from 1 */
} hlo_ties;

void hlo_ties_add(hlo_ties *ties, const hlo_instr *instr);
/* The instruction and its control predecessors, if it has any; and those of a whole computation. */
void hlo_ties_add_ends(hlo_ties *ties, const hlo_instr *instr);
void hlo_ties_add_all(hlo_ties *ties, const hlo_computation *computation);
bool hlo_ties_has(const hlo_ties *ties, const hlo_instr *instr);
void hlo_ties_free(hlo_ties *ties);

#endif
