/* XLA's own flags on the command line of hlo-opt and in its environment: see xla_flags.h. */
#include "xla_flags.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "option_names.h"
#include "process.h"
#include "say.h"

static const char *const honoured[] = {
    "--xla_disable_hlo_passes", "--xla_dump_hlo_as_proto", "--xla_dump_hlo_as_text",
    "--xla_dump_hlo_module_re", "--xla_dump_hlo_pass_re",  "--xla_dump_to",
};

static bool is_honoured(const char *flag) {
    for (size_t i = 0; i < sizeof honoured / sizeof *honoured; i++) {
        size_t n = strlen(honoured[i]);
        if (strncmp(flag, honoured[i], n) == 0 && (!flag[n] || flag[n] == '=')) return true;
    }
    return false;
}

static bool is_word(const char *text, size_t n, const char *word) {
    return n == strlen(word) && strncmp(text, word, n) == 0;
}

/* What XLA reads as a truth value; nothing is true. */
static bool is_true(const char *text, size_t n) {
    return n == 0 || is_word(text, n, "=true") || is_word(text, n, "=True") ||
           is_word(text, n, "=1");
}

/* --xla_dump_hlo_as_text=true is --xla_dump_hlo_as_text, and with =false it is not there. */
static bool keep_switch(char *argument) {
    if (strncmp(argument, "--xla_dump_hlo_as_", 18) != 0) return true;
    size_t n = strcspn(argument, "=");
    bool is_on = is_true(argument + n, strlen(argument + n));
    argument[n] = 0;
    return is_on;
}

/* Texts that were made for arguments, which stay for as long. */
typedef struct made_argument {
    struct made_argument *next;
    char text[];
} made_argument;

static made_argument *made_arguments;

/* --print-ir-after=PASSES of --print-after=PASSES. */
static char *with_passes(char *argument) {
    static const char *const starts[] = {"--print-", "--mlir-print-ir-"};
    static const char start[] = "--print-ir-";
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t n = strlen(starts[i]);
        const char *rest = argument + n;
        if (strncmp(argument, starts[i], n) != 0) continue;
        if (strncmp(rest, "before=", 7) != 0 && strncmp(rest, "after=", 6) != 0) continue;
        made_argument *made =
            process_made(malloc(sizeof *made + sizeof start + strlen(rest)), "an option");
        made->next = made_arguments;
        made_arguments = made;
        stpcpy(stpcpy(made->text, start), rest);
        return made->text;
    }
    return argument;
}

/* As LLVM's and MLIR's tools spell what this program spells with passes. */
static char *spelled_out(char *argument) {
    static const struct {
        const char *as;
        char *spelling;
    } table[] = {
        {"--print-ir-before", "--print-ir-before=all"},
        {"--print-ir-before-all", "--print-ir-before=all"},
        {"--print-before-all", "--print-ir-before=all"},
        {"--mlir-print-ir-before-all", "--print-ir-before=all"},
        {"--print-ir-after", "--print-ir-after=all"},
        {"--print-ir-after-all", "--print-ir-after=all"},
        {"--print-after-all", "--print-ir-after=all"},
        {"--mlir-print-ir-after-all", "--print-ir-after=all"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(argument, table[i].as) == 0) return table[i].spelling;
    return with_passes(argument);
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
        if (i && !keep_switch(argv[i])) continue;
        argv[kept++] = i ? spelled_out(argv[i]) : argv[i];
    }
    argv[kept] = NULL;
    return kept;
}

static void note_pass(const char *name, bool typed) {
    const char *nearest = options_nearest_row(name, hlo_pass_row);
    if (nearest)
        say("hlo-opt", "note: --xla_disable_hlo_passes: there is no pass '%s'; did you mean '%s'?",
            name, nearest);
    else if (typed)
        say("hlo-opt", "note: --xla_disable_hlo_passes: there is no pass '%s' here", name);
}

void xla_flags_note_passes(const char *disabled, bool typed) {
    for (const char *at = disabled; at && *at; at += *at == ',') {
        size_t n = strcspn(at, ",");
        char *name = process_made(strndup(at, n), "a name");
        if (n && !hlo_pass_name(at, n)) note_pass(name, typed);
        free(name);
        at += n;
    }
}

static const char blanks[] = " \t\r\n";

/* What follows --NAME in XLA_FLAGS: `=VALUE`, a blank or the end; NULL when it is not there. The
 * last one counts. */
static const char *find_flag(const char *name) {
    const char *at = getenv("XLA_FLAGS"), *found = NULL;
    size_t n = strlen(name);
    for (; at && *(at += strspn(at, blanks)); at += strcspn(at, blanks))
        if (strncmp(at, "--", 2) == 0 && strncmp(at + 2, name, n) == 0 &&
            (!at[n + 2] || strchr("= \t\r\n", at[n + 2])))
            found = at + n + 2;
    return found;
}

static void use_text(const char **to, const char *name) {
    const char *found = *to ? NULL : find_flag(name);
    if (found && *found == '=')
        *to = process_made(strndup(found + 1, strcspn(found + 1, blanks)), "XLA_FLAGS");
}

static bool has_switch(const char *name) {
    const char *found = find_flag(name);
    return found && is_true(found, strcspn(found, blanks));
}

void xla_flags_use(const char **disabled, pass_dump *dump) {
    bool has_form = dump->as_text || dump->as_proto;
    use_text(disabled, "xla_disable_hlo_passes");
    use_text(&dump->to, "xla_dump_to");
    use_text(&dump->passes, "xla_dump_hlo_pass_re");
    use_text(&dump->modules, "xla_dump_hlo_module_re");
    if (!has_form) dump->as_text = has_switch("xla_dump_hlo_as_text");
    if (!has_form) dump->as_proto = has_switch("xla_dump_hlo_as_proto");
    if (dump->to && strcmp(dump->to, "-") == 0) dump->to = NULL; /* standard output */
}
