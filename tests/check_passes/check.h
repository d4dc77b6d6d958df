/* Every pass on many modules: what the parts of the program share. A case is a module, from a file
 * or from the generator; each pass works on a fresh copy of it. */
#ifndef CHECK_PASSES_CHECK_H
#define CHECK_PASSES_CHECK_H

#include <hlo.h>

#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/rewrite.h"

enum { PATH_BYTES = 4096 };

/* What was counted; one for each worker, in memory that all see. */
typedef struct {
    uint64_t passed, failed, skipped;
    uint64_t modules, runs, changed, evaluated, unknown; /* unknown: cannot be executed */
    uint64_t fences, ordered; /* modules with barriers or effects, times passes */
    uint64_t trips;           /* results that were written and read */
    uint64_t rewrites, fired[HLO_REWRITE_COUNT];
    size_t at;  /* the current case, reported when the worker crashes */
    bool works; /* on it */
} tally;

typedef struct {
    const char *name;
    hlo_source *source;
    hlo_module *original;
    char directory[PATH_BYTES]; /* of inputs; empty: they are made up */
    bool may_run;               /* on one device */
    bool is_generated;
    bool has_effects;       /* generated with infeed and outfeed */
    struct hlo_run *wanted; /* of the original, made when the first pass changed something */
    char *wanted_effects;   /* what came out of its outfeeds */
    size_t wanted_effect_bytes;
    bool cannot_run;
    double *tolerance; /* of each result, set by the generator; NULL: that of its type */
    uint32_t tolerance_count;
    tally *tally;
    hlo_pass_stats *stats;
} check_case;

/* cases.c: parses and verifies; NULL after errors. */
hlo_module *check_read(const check_case *c, hlo_diags *diags);
/* The same: counts a failure and prints it; `by` names the passes before it, or the setting. */
void check_fail(const check_case *c, const char *by, const char *what);

/* values.c: whether `module`, which the passes changed, computes what the original does. */
void check_values(check_case *c, hlo_module *module, const char *passes, hlo_pass_class class);
void check_forget_values(check_case *c);
/* Runs it on the case's inputs, and made-up ones in place of those that are missing; `how` has the
 * other options. The caller frees *effects, the data of outfeeds. NULL when it cannot be run. */
struct hlo_run *check_run(const check_case *c, hlo_module *module, hlo_run_options how,
                          char **effects, size_t *bytes);
/* Whether it is the results of the other run, within rounding unless the class is exact. */
bool check_same_results(const check_case *c, const hlo_run *got, const hlo_run *wanted,
                        hlo_pass_class class);

/* forms.c: whether text, JSON and protobuf of the module are read back equal. */
void check_forms(const check_case *c, const char *passes, hlo_module *module);

/* memory.c: whether values that have to be in one memory are live one after the other. */
void check_memory(const check_case *c, const char *passes, hlo_module *module);

/* fence.c: whether the passes do the same when each opt-barrier of the entry is opaque. */
void check_fences(check_case *c, const char *passes, const hlo_pipeline *pipeline);
bool check_has_fences(const hlo_module *module);

#endif
