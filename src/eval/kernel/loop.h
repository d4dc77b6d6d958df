/* Loops as machine code: a while whose state, condition and body are scalars and small arrays, or
 * elements of larger ones, is one piece of code over a frame of words (src/eval/codegen). It calls
 * the kernels of what it has no code for. */
#ifndef HLO_EVAL_KERNEL_LOOP_H
#define HLO_EVAL_KERNEL_LOOP_H

#include "eval/kernel/kernel.h"

/* Whether the instruction has code that may run on these operands: there is no observer, and they
 * have all their elements. */
bool hlo_loop_suits(const hlo_call *call);
/* Runs it on operand 0 and sets the result; false when it was stopped, memory is missing, or after
 * an error of a kernel that it calls. */
bool hlo_run_loop(hlo_call *call);

#endif
