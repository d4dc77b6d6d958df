/* XLA's own flags on the command line of hlo-opt: see xla_flags.h. */
#include "xla_flags.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int xla_flags_drop(int argc, char **argv) {
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        bool xla = strncmp(argv[i], "--xla_", 6) == 0 && strncmp(argv[i], "--xla_dump_to", 13) != 0;
        bool hlo_stage = strcmp(argv[i], "--stage=hlo") == 0; /* there is no other */
        bool is_alone = strcmp(argv[i], "--platform") == 0;   /* its value is the next argument */
        if (i && (xla || hlo_stage || is_alone || strncmp(argv[i], "--platform=", 11) == 0)) {
            fprintf(stderr, "hlo-opt: note: %s is ignored\n", argv[i]);
            i += is_alone && i + 1 < argc;
            continue;
        }
        if (strcmp(argv[i], "--print-ir-before") == 0) argv[i] = "--print-ir-before=all";
        if (strcmp(argv[i], "--print-ir-after") == 0) argv[i] = "--print-ir-after=all";
        argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    return kept;
}
