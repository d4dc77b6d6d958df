/* Passes, which change a module, in pipelines. Part of hlo.h. */
#ifndef HLO_PUBLIC_PASSES_H
#define HLO_PUBLIC_PASSES_H

#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Passes in the order in which they run: `dce`, `dce{option=value},other`, `fix(dce,other)`; in
 * names `-` and `_` mean the same; an empty text does nothing. */
typedef struct hlo_pipeline hlo_pipeline;

/* `name` is what diagnostics call the text. HLO_BAD_USE with errors that point into it when it
 * names no such pass or option. */
HLO_API hlo_status hlo_pipeline_parse(const char *name, const char *text, hlo_diags *diags,
                                      hlo_pipeline **out);
HLO_API void hlo_pipeline_free(hlo_pipeline *pipeline);
/* Takes the passes that the list A,B names out of the pipeline, wherever they stand in it. */
HLO_API void hlo_pipeline_disable(hlo_pipeline *pipeline, const char *passes);
/* The pipeline as text that parses to the same, without a newline. */
HLO_API void hlo_pipeline_write(const hlo_pipeline *pipeline, hlo_output *output);
/* Whether anything changed goes to *changed, which may be NULL. HLO_BAD_MODULE when a pass failed;
 * the module is then still well formed. */
HLO_API hlo_status hlo_pipeline_execute(const hlo_pipeline *pipeline, hlo_module *module,
                                        hlo_diags *diags, bool *changed);

/* What is seen of a pass before and after it ran. */
typedef struct {
    const char *pass; /* its name */
    const char *text; /* the same with its options, as typed in a pipeline */
    size_t number;    /* 1, 2, 3... in the order of running */
    bool done;        /* false: about to run */
    bool changed;
    double seconds;
} hlo_pass_event;

/* Must not change the module; HLO_OK, or what ends the run. */
typedef hlo_status hlo_pass_watcher(void *context, hlo_module *module, const hlo_pass_event *event);

/* Counts of any number of runs. */
typedef struct hlo_pass_stats hlo_pass_stats;

typedef struct {
    size_t size;
    hlo_switch verify_each; /* after every pass that changed something; HLO_BY_STYLE: in debug
                               builds */
    uint64_t max_rewrites;  /* passes stop after so many; UINT64_MAX: never */
    hlo_pass_watcher *watch;
    void *watch_context;
    hlo_pass_stats *stats;                /* added to */
    const hlo_verify_options *strictness; /* of verify_each; NULL: the plain verifier */
} hlo_pipeline_options;

#define HLO_PIPELINE_OPTIONS_INIT \
    { sizeof(hlo_pipeline_options), HLO_BY_STYLE, UINT64_MAX, NULL, NULL, NULL, NULL }

HLO_API hlo_status hlo_pipeline_execute_with(const hlo_pipeline *pipeline, hlo_module *module,
                                             const hlo_pipeline_options *options, hlo_diags *diags,
                                             bool *changed);

HLO_API hlo_pass_stats *hlo_pass_stats_create(void);
HLO_API void hlo_pass_stats_free(hlo_pass_stats *stats);
/* How often the rewrite of that number (hlo_rewrite_row) fired; the sum of all. */
HLO_API uint64_t hlo_pass_stats_fired(const hlo_pass_stats *stats, size_t rewrite);
HLO_API uint64_t hlo_pass_stats_total(const hlo_pass_stats *stats);
/* The number of the rewrite that fired last and the name of what it changed; NULL: none did. */
HLO_API const char *hlo_pass_stats_last(const hlo_pass_stats *stats, size_t *rewrite);
/* How often the pass of that number (hlo_pass_row) ran and changed something, and the time it
 * took; false when it did not run. */
HLO_API bool hlo_pass_stats_pass(const hlo_pass_stats *stats, size_t pass, uint64_t *runs,
                                 uint64_t *changes, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
