/* Verifying many files, on several threads, and showing what was found in order. */
#ifndef HLO_CMD_VERIFICATION_H
#define HLO_CMD_VERIFICATION_H

#include "modules.h"

typedef struct {
    const common_options *common;
    uint64_t jobs;
    bool verbose, quiet;
    const hlo_verify_options *strictness;
    const hlo_lint *lint; /* NULL: off */
    hlo_output *output;   /* of summaries, when there is no report */
    hlo_report *report;   /* NULL: text on standard error */
    const char *baseline; /* a file of known findings, or NULL */
    bool writes_baseline; /* writes it instead of reading it */
    bool leaves_out_copies;
} verification_options;

/* Verifies what the arguments stand for, standard input when there are none. Returns the worst
 * status of all files; `diags` receives errors of the baseline. */
hlo_status verify_all(const verification_options *options, hlo_diags *diags);

#endif
