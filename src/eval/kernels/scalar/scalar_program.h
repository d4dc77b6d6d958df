/* The inside of a scalar program. */
#ifndef HLO_EVAL_KERNELS_SCALAR_SCALAR_PROGRAM_H
#define HLO_EVAL_KERNELS_SCALAR_SCALAR_PROGRAM_H

#include "eval/kernel/lanes.h"
#include "eval/kernel/scalar.h"

/* One elementwise instruction over registers. */
typedef struct {
    hlo_lanes lanes;
    uint32_t in[HLO_LANES_MAX_OPERANDS], out;
} hlo_scalar_step;

struct hlo_scalar_program {
    const hlo_computation *computation;
    const hlo_plan *plan; /* of the computation, to be run once per lane */
    uint32_t input_count, output_count;
    hlo_type *input_types, *output_types;

    /* The register machine; steps is NULL when the body needs the runner. Registers are blocks of
     * lanes: first the inputs, then constants and results in the order they were met. */
    hlo_scalar_step *steps;
    uint32_t step_count, register_count;
    hlo_type *types;       /* of the registers */
    char **constants;      /* the lanes of registers that are constants; NULL for others */
    size_t register_bytes; /* of the registers that are not constants */
    uint32_t *output_registers;
    bool writes_directly; /* the last step may write the only output in place of its register */
};

#endif
