/* Which rewrite breaks something: hlo-opt --bisect. */
#ifndef HLO_CMD_BISECT_H
#define HLO_CMD_BISECT_H

#include "options.h"
#include "trials.h"

/* Runs the passes over the module of the command line (none and "-": standard input) with fewer and
 * fewer rewrites, and the command on what they leave (text with all constants, as hlo-reduce writes
 * it), until it is known with how many the command begins to fail. Writes a report with the
 * rewrite, what it changed, and two command lines that give the good and the bad module. The
 * command must succeed on the module as it was: HLO_BAD_MODULE otherwise. *caught: the signal that
 * ended the search, or 0. */
hlo_status bisect(const trials_options *command, const hlo_pipeline *pipeline,
                  const common_options *common, hlo_output *report, hlo_diags *diags, int *caught);

#endif
