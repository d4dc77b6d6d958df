/* What stands behind hlo_run. Private to src/api. */
#ifndef HLO_API_RUN_H
#define HLO_API_RUN_H

#include "api/leaves.h"
#include "base/pool.h"
#include "ir/npy.h"

/* One input. Data that came from a file belongs to `file`, and `value` borrows it. */
typedef struct {
    const hlo_shape *shape;
    hlo_value *value; /* NULL: not set */
    hlo_array_file file;
    bool from_file;
} hlo_run_leaf;

struct hlo_run {
    hlo_module *module;
    hlo_eval *eval;
    hlo_pool *pool; /* the threads of the run */
    uint32_t input_count;
    hlo_run_leaf *inputs;
    const char *const *infeed; /* files, or one folder */
    size_t infeed_count, infeeds_taken;
    const char *outfeed; /* a folder; NULL: none */
    size_t outfeeds_given;
    FILE *trace; /* a line for every instruction; NULL: none */
    bool break_on_nan;
    hlo_diags *diags;  /* of the run in progress */
    hlo_value *result; /* NULL before the first run */
    uint32_t output_count;
    hlo_value **outputs; /* the result's leaves, without references of their own */
};

/* What the evaluator calls after every instruction; the context is the run. */
hlo_observer hlo_run_observe;

/* The host of infeed and outfeed; the context is the run. */
hlo_value *hlo_run_infeed(void *context, const hlo_instr *instr, const hlo_shape *shape);
bool hlo_run_outfeed(void *context, const hlo_instr *instr, const hlo_value *value);
/* Both start with their first file. */
hlo_status hlo_run_begin_feeds(hlo_run *run, hlo_diags *diags);

/* Makes `value` the input (takes over the reference); `file`, if any, is moved into the leaf. */
void hlo_run_put_input(hlo_run_leaf *leaf, hlo_value *value, const hlo_array_file *file);
void hlo_run_forget_input(hlo_run_leaf *leaf);

/* Reports that memory for `what` is missing; returns HLO_BAD_SYSTEM. */
hlo_status hlo_run_no_memory(hlo_diags *diags, const char *what);

#endif
