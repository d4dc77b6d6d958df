/* Modules that hlo-opt writes to a directory around passes, as XLA's dump flags ask for them. */
#ifndef HLO_CMD_PASS_DUMP_H
#define HLO_CMD_PASS_DUMP_H

#include <hlo.h>

typedef struct {
    const char *to;               /* a directory, or NULL: nothing is written */
    const char *passes, *modules; /* regular expressions for their names, or NULL: all */
    bool as_text, as_proto;       /* neither: text */
} pass_dump;

/* NULL, or the expression that is none. Before anything is written. */
const char *pass_dump_bad_pattern(const pass_dump *dump);

/* The module before the first pass, after the last, and after one that changed it. `number` is the
 * module's, from 0. */
hlo_status pass_dump_begin(const pass_dump *dump, hlo_module *module, size_t number,
                           hlo_diags *diags);
hlo_status pass_dump_end(const pass_dump *dump, hlo_module *module, size_t number,
                         hlo_diags *diags);
hlo_status pass_dump_after(const pass_dump *dump, hlo_module *module, size_t number,
                           const hlo_pass_event *event, hlo_diags *diags);

#endif
