/* What differs between the modules of two folders: a summary, then each pair that differs. */
#ifndef HLO_CMD_FOLDER_DIFF_H
#define HLO_CMD_FOLDER_DIFF_H

#include "modules.h"

typedef struct {
    hlo_diff_options options;
    const common_options *common; /* its arguments are the folders */
    const hlo_pipeline *pipeline; /* what both modules of a pair go through before; or NULL */
} folder_diff;

/* Runs the pipeline, or nothing for NULL, on a module that is to be compared. */
hlo_status diff_prepare(const hlo_pipeline *pipeline, hlo_module *module, hlo_diags *diags);

/* Writes to common->output. A module that cannot be read, and its partner, are reported as not
 * compared. *same: every module has a partner from which it does not differ. */
hlo_status folder_diff_write(const folder_diff *diff, hlo_diags *diags, bool *same);

#endif
