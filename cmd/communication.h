/* What the collectives of a module exchange, as a table or a JSON object per line. */
#ifndef HLO_CMD_COMMUNICATION_H
#define HLO_CMD_COMMUNICATION_H

#include "options.h"

/* As --link-gbps and --link-us give them; NULL: the library's default. */
typedef struct {
    const char *gigabits, *microseconds;
    int topology;
} link_texts;

#define TOPOLOGIES "ring|mesh|torus"

/* OPTIONS_GO_ON, or the exit status after a message about one of them. */
int links_check(const program_info *program, const link_texts *given, hlo_link_options *links);

/* The collectives one by one, then each kind and all of them. */
hlo_status write_communication(hlo_module *module, const hlo_link_options *links, bool json,
                               hlo_output *output, hlo_diags *diags);

#endif
