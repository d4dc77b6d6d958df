/* What a pipeline is made of. Private to pipeline.c, which reads and prints it, and manager.c,
 * which runs it. */
#ifndef HLO_PASSES_PIPELINE_STEPS_H
#define HLO_PASSES_PIPELINE_STEPS_H

#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/rewrite.h"

typedef struct hlo_step {
    struct hlo_step *next;
    const hlo_pass_info *pass; /* NULL: fix */
    int64_t *values;           /* one per option of the pass */
    const char **texts;        /* the same; empty unless given */
    bool *enabled;             /* by hlo_rewrite_id: what the pass may do */
    struct hlo_step *inner;    /* steps of a fix */
} hlo_step;

struct hlo_pipeline {
    hlo_arena arena;
    hlo_step *first;
};

/* The pass with the options that differ from their defaults, as one types it. */
void hlo_step_print(const hlo_step *step, hlo_buf *to);

#endif
