/* Custom calls of C functions: void NAME(void *out, const void **in) and the later conventions.
 * Called by custom_call.c only. */
#ifndef HLO_EVAL_REF_CUSTOM_CALL_FUNCTION_H
#define HLO_EVAL_REF_CUSTOM_CALL_FUNCTION_H

#include "eval/eval.h"

/* Why the instruction's convention cannot be used, as the end of a sentence about it; NULL: it can.
 */
const char *hlo_function_problem(const hlo_instr *instr);
/* As a kernel. */
hlo_value *hlo_call_function(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                             hlo_function *function);

#endif
