/* Pipelines: passes in the order in which they are typed, those that have a name, and running them.
 */
#ifndef HLO_PASSES_PIPELINE_PIPELINE_H
#define HLO_PASSES_PIPELINE_PIPELINE_H

#include <hlo/passes.h>

#include "passes/pipeline/pass.h"

typedef struct hlo_pipeline hlo_pipeline;

enum {
    HLO_MAX_FIX_DEPTH = 16,
    HLO_MAX_FIX_ITERATIONS = 100, /* a fix that still changes something then ends with a warning */
};

/* HLO_OK and *out (free with hlo_pipeline_free); HLO_BAD_USE and errors that point into the text.
 *
 *   pipeline = [ step { ',' step } ]
 *   step     = NAME [ '{' NAME '=' VALUE { ',' NAME '=' VALUE } '}' ] | 'fix' '(' pipeline ')'
 *
 * A text is a name (a % before it does not count), or anything in double quotes. `fix(...)` repeats
 * its steps until none of them changes anything. Blanks may stand between tokens. Besides its own
 * options a pass takes the names of its rewrites, and `rewrites` for all of them. */
hlo_status hlo_pipeline_parse(const char *name, const char *text, hlo_diags *diags,
                              hlo_pipeline **out);
void hlo_pipeline_free(hlo_pipeline *pipeline);
/* The pipeline as text that parses to the same; options with their default are left out. */
void hlo_pipeline_print(const hlo_pipeline *pipeline, hlo_buf *to);
/* Whether anything changed goes to *changed (may be NULL). HLO_BAD_MODULE when a pass failed, or
 * left what the verifier refuses. hlo.h describes the options, which may be NULL. */
hlo_status hlo_pipeline_execute(const hlo_pipeline *pipeline, hlo_module *module, hlo_diags *diags,
                                bool *changed);
hlo_status hlo_pipeline_execute_with(const hlo_pipeline *pipeline, hlo_module *module,
                                     const hlo_pipeline_options *options, hlo_diags *diags,
                                     bool *changed);

/* What the pipeline preserves: no more than the passes that do least. */
hlo_pass_class hlo_pipeline_class(const hlo_pipeline *pipeline);

/* Parse, execute, free. */
hlo_status hlo_pipeline_run(hlo_module *module, const char *text, hlo_diags *diags);

/* A row of pipelines.def, or NULL after the last one. */
typedef struct {
    const char *name, *passes, *about;
} hlo_named_pipeline;

typedef enum {
#define HLO_PIPELINE(id, ...) HLO_PIPELINE_##id,
#include "passes/pipeline/pipelines.def"
#undef HLO_PIPELINE
    HLO_PIPELINE_COUNT
} hlo_pipeline_id;

const hlo_named_pipeline *hlo_named_pipeline_at(size_t number);
/* The row of that name, or NULL. */
const hlo_named_pipeline *hlo_named_pipeline_find(hlo_str name);

#endif
