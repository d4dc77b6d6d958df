/* Custom calls of TopK: whether one has what the instruction topk has. */
#ifndef HLO_ANALYSIS_TOPK_CALL_H
#define HLO_ANALYSIS_TOPK_CALL_H

#include "ir/ir.h"

/* Whether the custom call's result is the values and the s32 positions of its one operand, with a
 * last dimension that is no longer: the verifier asks for none of that. */
bool hlo_calls_topk(const hlo_instr *call);

#endif
