/* Kernels of the old form, which make their own results: hlo_eval_NAME for each HLO_OLD_KERNEL row
 * of kernels.def. To go when the last one has become a hlo_kernel. */
#ifndef HLO_EVAL_EVAL_H
#define HLO_EVAL_EVAL_H

#include "eval/frame.h"
#include "eval/scalar.h"
#include "eval/value_memory.h"

typedef hlo_thread hlo_eval;

/* Computes one instruction: `args` are its operands' values. Returns a new value (or a retained
 * argument), or NULL after reporting an error with hlo_eval_error. A kernel that got NULL from
 * hlo_value_new and its relatives just returns NULL: the runner then reports that the memory for
 * the result is missing. */
typedef hlo_value *hlo_old_kernel(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args);

#define HLO_KERNEL(name)
#define HLO_OLD_KERNEL(name) hlo_old_kernel hlo_eval_##name;
#include "eval/kernels.def"
#undef HLO_KERNEL
#undef HLO_OLD_KERNEL

bool hlo_prepare_old_kernel(hlo_preparation *p);
bool hlo_run_old_kernel(hlo_call *call, hlo_old_kernel *kernel);

#define hlo_eval_error hlo_thread_error
#define hlo_eval_rule_error hlo_thread_rule_error
hlo_module *hlo_eval_module(hlo_eval *eval);
/* While it is held, no other old kernel interns shapes of the module. */
void hlo_eval_lock_module(hlo_eval *eval);
void hlo_eval_unlock_module(hlo_eval *eval);
/* The scalar program that was made with the program; NULL after an error. */
const hlo_scalar_program *hlo_scalar_compile(hlo_eval *eval, const hlo_instr *user,
                                             hlo_computation *computation);

#endif
