/* The files of hlo-run: where inputs come from, where results go, what they are compared with. */
#ifndef HLO_CMD_RUN_FILES_H
#define HLO_CMD_RUN_FILES_H

#include "literals.h"
#include "modules.h"

typedef struct {
    char **positional;  /* the inputs in order; NULL ends them */
    option_texts named; /* NAME=FILE */
    const char *input_dir;
    bool is_record; /* input_dir has the expected results, too */
    int fill;       /* hlo_input_fill; -1: none are made up */
    uint64_t seed, print_limit;
    const char *output, *output_dir; /* of -o and --output-dir */
    const char *plan;                /* of --print-plan: NULL, "" or "module" */
    option_texts infeed, recv, send;
    const char *outfeed;
    const char *expect, *rtol, *atol;
    hlo_compare_options tolerance;
    hlo_output *report, *largest; /* what a comparison writes; NULL: to the output, and nothing */
    int elided, literals;
} run_files;

/* The values of --elided, and what they mean. */
enum { ELIDED_REFUSE, ELIDED_FILL };
#define ELIDED_VALUE                                                                               \
    "refuse|fill", "constants whose elements a dump elides as {...}, in a run with given inputs: " \
                   "an error, or generated elements; with generated inputs, a warning"

/* All elements, but not too many of them on a terminal. */
#define PRINT_LIMIT_UNSET UINT64_MAX
#define RUN_FILES_INIT \
    { .fill = -1, .print_limit = PRINT_LIMIT_UNSET, .tolerance = HLO_COMPARE_OPTIONS_INIT }

/* What the texts of options mean; wrong use otherwise. */
int run_files_check(const program_info *self, run_files *files);
/* "hash|zeros|...": what --inputs takes, in the order of hlo_input_fill. */
const char *run_files_fills(char *buffer, size_t size);
/* Frees the lists of names. */
void run_files_forget(run_files *files);
void run_files_apply(const run_files *files, hlo_run_options *how);
hlo_status run_files_read(const run_files *files, hlo_run *run, hlo_diags *diags);
/* To the files that options name, else as a literal. */
hlo_status run_files_write(const run_files *files, const hlo_run *run, hlo_diags *diags);
/* The plan instead: to the output. */
hlo_status run_files_write_plan(const run_files *files, const hlo_run *run, hlo_diags *diags);
/* Whether they name one for the result. */
bool run_files_names_output(const run_files *files);
/* With what --expect names, else with what was recorded with the module. HLO_BAD_MODULE when
 * results differ. */
hlo_status run_files_compare(const run_files *files, const hlo_run *run, hlo_diags *diags);

#endif
