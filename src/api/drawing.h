/* What a drawing needs besides its module: a profile (drawing_profile.c), another module
 * (drawing_diff.c). Private to src/api. */
#ifndef HLO_API_DRAWING_H
#define HLO_API_DRAWING_H

#include "graph/dot/dot_text.h"

/* Places of a module's instructions: base[computation id] + place in source order, which it writes
 * to hlo_instr.index. To be freed. */
uint32_t *hlo_graph_number(hlo_module *module, uint32_t *total);

/* Seconds of instructions, from a file of hlo_run_write_profile. HLO_BAD_USE when it is none, or
 * none of its names is in the module; a warning when some are not. */
hlo_status hlo_graph_read_profile(hlo_dot_extras *extras, hlo_module *module, const char *path,
                                  hlo_diags *diags);
/* What `other`, the module before, has and has not. HLO_BAD_USE for dataflow graphs in parts. */
hlo_status hlo_graph_compare(hlo_dot_extras *extras, hlo_module *module, hlo_module *other,
                             hlo_diags *diags);

#endif
