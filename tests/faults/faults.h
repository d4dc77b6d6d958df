/* What a call of the public interface is given, and the rows of calls that faults.c goes through.
 */
#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

#include "hlo.h"

/* Objects of one case. NULL: not requested; all others are freed after the call.
 */
typedef struct {
    const char *folder; /* with the files that faults_write_files made; the results go there too */
    hlo_diags *diags, *made_diags;
    hlo_source *source, *made_source, **parts;
    hlo_module *module, *second, *made;
    hlo_output *output;
    hlo_run *run;
    hlo_pipeline *pipeline;
    hlo_pass_stats *stats;
    hlo_report *report;
    hlo_lint *lint;
    hlo_verify_options *options;
    size_t part_count, path_count;
    char **paths;
    char path[4096]; /* of faults_path */
    uint64_t
        digest; /* of what the call gave, for comparison with the call that nothing disturbed */
} faults_case;

/* Objects that a row needs. */
enum {
    NEEDS_SOURCE = 1,
    NEEDS_MODULE = 2,
    NEEDS_SECOND = 4, /* another one, a little different */
    NEEDS_OUTPUT = 8,
    NEEDS_RUN = 16,
    NEEDS_INPUTS = 32,
    NEEDS_RESULT = 64,
    NEEDS_PIPELINE = 128,
    NEEDS_ERRORS = 256, /* in diags */
    NEEDS_REPORT = 512,
    IS_THREADED = 1024,   /* the module and the run are for several threads */
    SPOILS_MODULE = 2048, /* after a failure the module can only be freed */
    SPENDS = 4096         /* the call uses something up, so that it is not made again */
};

typedef struct {
    const char *function, *variant;
    unsigned needs;
    bool (*call)(faults_case *c); /* false: it reported an error as in hlo.h */
} faults_row;

/* The rows in order; NULL after the last. */
const faults_row *faults_row_at(size_t number);

extern const char faults_text[], faults_second_text[], faults_threaded_text[], faults_broken_text[];

/* Files for the rows that read them. */
void faults_write_files(const char *folder);
/* `name` in the folder; valid until the next. */
const char *faults_path(faults_case *c, const char *name);
/* Adds bytes to the digest. */
void faults_digest(faults_case *c, const void *bytes, size_t count);
/* Commits the output and adds its bytes; false when that fails. */
bool faults_digest_output(faults_case *c);

#endif
