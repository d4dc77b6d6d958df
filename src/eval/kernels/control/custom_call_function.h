/* Custom calls of C functions: void NAME(void *out, const void **in) and the later conventions. */
#ifndef HLO_EVAL_KERNELS_CONTROL_CUSTOM_CALL_FUNCTION_H
#define HLO_EVAL_KERNELS_CONTROL_CUSTOM_CALL_FUNCTION_H

#include "eval/kernel/custom_call.h"

/* Why the instruction's convention cannot be used, as the end of a sentence about it; NULL: it can.
 */
const char *hlo_function_problem(const hlo_instr *instr);
/* Calls the function that hlo_prepare_function has for the instruction's target. */
extern const hlo_target hlo_target_function;

#endif
