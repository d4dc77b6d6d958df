/* The library's tables as lists, for people or, with `json`, an object per line. Called by
 * hlo-verify and hlo-opt. */
#ifndef HLO_CMD_TABLES_H
#define HLO_CMD_TABLES_H

#include <hlo.h>

/* Each writes a list to `output`. */
void list_operations(hlo_output *output, bool json);
void list_passes(hlo_output *output, bool json);
void list_pipelines(hlo_output *output, bool json);
void list_rules(hlo_output *output, bool json);

/* The passes of a pipeline with a name, or NULL. */
const char *named_passes(const char *name);

#endif
