/* Where profiles of hlo-run go. */
#ifndef HLO_CMD_PROFILE_H
#define HLO_CMD_PROFILE_H

#include <hlo.h>

typedef struct {
    const char *report; /* "": the table, "json": both to standard error; a file; NULL: none */
    const char *trace, *roofline; /* files, or NULL */
} profile_options;

void profile_apply(const profile_options *options, hlo_run_options *how);
/* After the run. */
hlo_status profile_write(const profile_options *options, hlo_run *run, hlo_diags *diags);

#endif
