/* XLA's own flags on the command line of hlo-opt and in its environment: see xla_flags.h. */
#include "xla_flags.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

static const char *const honoured[] = {"--xla_dump_to", "--xla_disable_hlo_passes"};

static bool is_honoured(const char *flag) {
    for (size_t i = 0; i < sizeof honoured / sizeof *honoured; i++) {
        size_t n = strlen(honoured[i]);
        if (strncmp(flag, honoured[i], n) == 0 && (!flag[n] || flag[n] == '=')) return true;
    }
    return false;
}

int xla_flags_drop(int argc, char **argv) {
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        bool xla = strncmp(argv[i], "--xla_", 6) == 0 && !is_honoured(argv[i]);
        bool hlo_stage = strcmp(argv[i], "--stage=hlo") == 0; /* there is no other */
        bool is_alone = strcmp(argv[i], "--platform") == 0;   /* its value is the next argument */
        if (i && (xla || hlo_stage || is_alone || strncmp(argv[i], "--platform=", 11) == 0)) {
            say("hlo-opt", "note: %s is ignored", argv[i]);
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

/* The value of --NAME=VALUE in XLA_FLAGS, or NULL. */
static const char *value_of(const char *name) {
    static const char blanks[] = " \t\r\n";
    const char *at = getenv("XLA_FLAGS"), *found = NULL;
    size_t n = strlen(name);
    for (; at && *(at += strspn(at, blanks)); at += strcspn(at, blanks))
        if (strncmp(at, "--", 2) == 0 && strncmp(at + 2, name, n) == 0 && at[n + 2] == '=')
            found = at + n + 3; /* the last one counts */
    return found ? strndup(found, strcspn(found, blanks)) : NULL;
}

void xla_flags_use(const char **disabled, const char **dump_to) {
    if (!*disabled) *disabled = value_of("xla_disable_hlo_passes");
    if (!*dump_to) *dump_to = value_of("xla_dump_to");
    if (*dump_to && strcmp(*dump_to, "-") == 0) *dump_to = NULL; /* standard output */
}
