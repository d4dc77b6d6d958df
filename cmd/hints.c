/* What the programs' users do about an error. See hints.h. */
#include "hints.h"

#include <errno.h>
#include <string.h>

#include "process.h"

/* By the topics of hlo_advice_row. */
static const struct {
    const char *topic, *text;
} hints[] = {
    {"callers",
     "names are those that hlo-opt prints; CALLER/NAME and LOOP/ITERATION/NAME are those "
     "of --trace-values"},
    {"custom-calls", "--custom-call-library names a library that has it; with "
                     "--stub-custom-calls=zeros its result is zeros"},
    {"dialect", "--dialect=extended reads it"},
    {"elided", "XLA_FLAGS=--xla_dump_large_constants makes XLA dump all elements, and hlo-opt "
               "--large-constants prints them; --elided=fill runs with made-up ones"},
    {"exact-literals",
     "--literals=exact writes -0.0, which reads back to the same bits, in XLA too"},
    {"infeed", "--infeed names them"},
    {"inputs", "--inputs=hash makes up what no file gives"},
    {"libraries", "--custom-call-library names a library that has it"},
    {"lint-rules", "hlo-verify --list-rules | grep lint"},
    {"max-errors", "--max-errors"},
    {"memory-limit", "--memory-limit sets another limit"},
    {"operations", "hlo-verify --list-operations names them"},
    {"outfeed", "--outfeed names them"},
    {"passes", "hlo-opt --list-passes names them"},
    {"pipeline", "a pipeline has this name: --pipeline runs it"},
    {"recv", "--recv names them"},
    {"rules", "hlo-verify --list-rules names them"},
    {"send", "--send names them"},
    {"stacks",
     "--memory-limit sets another limit; with --swap-threshold arrays of stacks go to a file"},
    {"split", "--split-input-file reads several modules, separated by lines `// -----`"},
};

static const char *hint_of(void *unused, const char *topic) {
    (void)unused;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].topic, topic) == 0) return hints[i].text;
    return NULL;
}

hlo_diags *new_diags(uint32_t max_errors) {
    hlo_diags *diags = process_made(hlo_diags_create(max_errors), "messages");
    hlo_diags_set_hints(diags, hint_of, NULL);
    hlo_diags_set_program(diags, program_invocation_short_name);
    return diags;
}
