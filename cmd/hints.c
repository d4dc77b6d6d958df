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
    {"custom-calls", "load its library with --custom-call-library, or replace its result by zeros "
                     "with --stub-custom-calls=zeros"},
    {"dialect", "--dialect=extended reads it"},
    {"elided", "XLA_FLAGS=--xla_dump_large_constants makes XLA dump all elements, and hlo-opt "
               "--large-constants prints them; --elided=fill generates elements"},
    {"exact-literals", "--literals=exact writes -0.0, which XLA too reads back to the same bits"},
    {"infeed", "--infeed names them"},
    {"inputs", "--inputs=hash generates the inputs that no file gives"},
    {"libraries", "load its library with --custom-call-library"},
    {"lint-rules", "hlo-verify --list-rules | grep lint"},
    {"max-errors", "--max-errors"},
    {"memory-limit", "--memory-limit sets the limit"},
    {"operations", "hlo-verify --list-operations names them"},
    {"outfeed", "--outfeed names them"},
    {"passes", "hlo-opt --list-passes names them"},
    {"pipeline", "this is the name of a pipeline: --pipeline runs it"},
    {"recv", "--recv names them"},
    {"rules", "hlo-verify --list-rules names them"},
    {"send", "--send names them"},
    {"stacks", "--memory-limit sets the limit; --swap-threshold swaps arrays of stacks to a file"},
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
