/* Frontend attributes with the plan of an instruction's run: written by the evaluator, drawn by
 * hlo-dot, kept by every other tool. */
#ifndef HLO_IR_PLAN_KEYS_H
#define HLO_IR_PLAN_KEYS_H

#define HLO_PLAN_KERNEL "plan_kernel" /* what computes it: a kernel's name, "cluster", "code" */
#define HLO_PLAN_MEMORY "plan_memory" /* where the result is: "buffer 3", "argument" */
#define HLO_PLAN_OVER "plan_over"     /* the operand whose memory the result takes */
#define HLO_PLAN_STEP "plan_step"     /* its number in the plan of its computation */

#endif
