/* The inside of a scalar program. Called by scalar.c, which runs it, and scalar_compile.c, which
 * makes it. */
#ifndef HLO_EVAL_SCALAR_PROGRAM_H
#define HLO_EVAL_SCALAR_PROGRAM_H

#include "eval/context.h"
#include "eval/ref/lanes.h"

/* One elementwise instruction over registers. */
typedef struct {
    hlo_lanes lanes;
    uint32_t in[HLO_LANES_MAX_OPERANDS], out;
} hlo_scalar_step;

struct hlo_scalar_program {
    hlo_eval *eval;
    const hlo_instr *user; /* who asked first: the place of errors */
    hlo_computation *computation;
    uint32_t input_count, output_count;
    hlo_type *input_types, *output_types;
    hlo_value **arguments; /* of a call, when there are no steps */

    /* The register machine; steps is NULL when the body needs the runner. Registers are blocks of
     * lanes: first the inputs, then constants and results in the order they were met. */
    hlo_scalar_step *steps;
    uint32_t step_count, register_count;
    char **registers; /* where each register's lanes are now */
    char **storage;   /* memory of its own for each register */
    uint32_t *output_registers;
    bool writes_directly; /* the last step may write the only output in place of its register */
};

#endif
