/* What stands behind hlo_run. Private to src/api. */
#ifndef HLO_API_RUN_H
#define HLO_API_RUN_H

#include "api/leaves.h"

struct hlo_run {
    hlo_module *module;
    hlo_eval *eval;
    uint32_t input_count;
    const hlo_shape **input_shapes;
    hlo_value **inputs; /* by leaf; NULL: not set */
    hlo_value *result;  /* NULL before the first run */
    uint32_t output_count;
    hlo_value **outputs; /* the result's leaves, without references of their own */
};

/* Reports that memory for `what` is missing; returns HLO_BAD_SYSTEM. */
hlo_status hlo_run_no_memory(hlo_diags *diags, const char *what);

#endif
