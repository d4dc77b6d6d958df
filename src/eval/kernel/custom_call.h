/* Targets of custom calls, one kernel each: rows of custom_calls.def name them. */
#ifndef HLO_EVAL_KERNEL_CUSTOM_CALL_H
#define HLO_EVAL_KERNEL_CUSTOM_CALL_H

#include "eval/kernel/kernel.h"

typedef struct {
    /* As in hlo_kernel, but returns NULL or the end of a sentence with the reason why the call
     * cannot be executed: a run reports it at the call. */
    const char *(*prepare)(hlo_preparation *p);
    bool (*run)(hlo_call *call);
    bool takes_full; /* operands with run-time sizes below those of their shapes are refused */
} hlo_target;

extern const hlo_target hlo_target_csr_product;
extern const hlo_target hlo_target_pad_to_static, hlo_target_slice_to_dynamic;
extern const hlo_target hlo_target_tridiagonal_perturbed;
#define HLO_LAPACK(id, ...) extern const hlo_target hlo_target_##id;
#include "analysis/lapack.def"
#undef HLO_LAPACK
extern const hlo_target hlo_target_trsm;

#endif
