/* Which rewrite breaks something: hlo-opt --bisect. Called by hlo-opt. */
#ifndef HLO_CMD_BISECT_H
#define HLO_CMD_BISECT_H

#include <hlo.h>

/* Runs the passes over the module at `path` (NULL and "-": standard input) with fewer and fewer
 * rewrites, and `COMMAND FILE` on what they leave, until it is known with how many the command
 * begins to fail. Writes a report with the rewrite and what it changed. The command must succeed on
 * the module as it was: HLO_BAD_MODULE otherwise. */
hlo_status bisect(const char *command, const hlo_pipeline *pipeline, const char *path,
                  hlo_output *report, hlo_diags *diags);

#endif
