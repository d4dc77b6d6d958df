/* What scan's attributes and computation specify, for the kernels of both engines. */
#ifndef HLO_EVAL_KERNELS_REDUCE_SCAN_H
#define HLO_EVAL_KERNELS_REDUCE_SCAN_H

#include "eval/kernel/kernel.h"

/* Operands are inputs, then initial carried values; results are outputs, then final ones. */
typedef struct {
    const hlo_plan *plan; /* of the computation */
    uint32_t input_count, output_count, carry_count, dimension;
    int64_t steps; /* elements of the scanned dimension */
    bool is_reverse;
} hlo_scan_form;

/* The form of p->instr. Sets the result's kind: carried values are the computation's. False after
 * an error. */
bool hlo_prepare_scan_form(hlo_preparation *p, hlo_scan_form *form);

#endif
