/* Loops as machine code: a while whose state, condition and body are scalars and small arrays, or
 * elements of larger ones, is one piece of code over a frame of words (src/eval/jit). Called by the
 * kernel of while. */
#ifndef HLO_EVAL_LOOP_H
#define HLO_EVAL_LOOP_H

#include "eval/kernel.h"

typedef struct hlo_loop hlo_loop;

/* The loop of a while instruction, which wants scratch memory then; NULL when it has to be
 * interpreted: no code is generated, or something in it is more than the above. */
const hlo_loop *hlo_prepare_loop(hlo_preparation *p);

/* Whether the code may run on these operands: nobody watches, and they have all their elements. */
bool hlo_loop_suits(const hlo_loop *loop, const hlo_call *call);
/* Runs it on operand 0 and sets the result; false when it was stopped or memory is missing. */
bool hlo_run_loop(const hlo_loop *loop, hlo_call *call);

#endif
