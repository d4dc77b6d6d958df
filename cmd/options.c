/* Reading command lines by the tables of options.h. */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "completion.h"
#include "help.h"
#include "help_json.h"
#include "manual.h"
#include "option_names.h"
#include "process.h"
#include "progress.h"
#include "say.h"
#include "terminal.h"

static const char help_forms[] = "man|json";

/* Values of the shared options that the programs do not see. */
typedef struct {
    const char *help; /* "": the text; or a form of help_forms; NULL: not asked for */
    bool help_all, version, complete, no_progress;
    int color, dialect, shell;
} hidden_options;

enum { COMMON_COUNT = 13 };

/* The shared rows; `rows` has space for COMMON_COUNT + 1 of them. The first is not for programs
 * that take whole files. */
static void common_rows(common_options *common, hidden_options *hidden, option_row *rows) {
    const option_row table[COMMON_COUNT + 1] = {
        {"Reading", "split-input-file", 0, OPTION_FLAG, &common->split_input, NULL,
         "split the input into modules at lines that start with `// -----`", 0, 0},
        {"Reading", "dialect", 0, OPTION_CHOICE, &hidden->dialect,
         "xla|extended|2018|2019|2024|2025",
         "accepted dialect of the text; xla: as XLA; extended: old forms too, with a warning; a "
         "year: the forms and semantics of that edition of XLA Operation Semantics",
         0, 0},
        {"Reading", "input-shapes", 0, OPTION_TEXT, (void *)&common->input_shapes, "SHAPES",
         "shapes of a StableHLO program's arguments, where it has unknown sizes: f32[4,8],s32[]", 0,
         0},
        {"Reading", "unpack-limit", 0, OPTION_SIZE, &common->unpack_bytes, "SIZE",
         "read gzip and zstd files of up to SIZE (default: 64M, or 100 times the file)", 1,
         UINT32_MAX},
        {"Output and messages", "output", 'o', OPTION_TEXT | OPTION_OFTEN, (void *)&common->output,
         "FILE", "write to FILE, atomically, instead of standard output", 0, 0},
        {"Output and messages", "max-errors", 0, OPTION_NUMBER, &common->max_errors, "N",
         "show at most N errors, and N findings per lint rule (20)", 1, UINT32_MAX},
        {"Output and messages", "color", 0, OPTION_CHOICE, &hidden->color, COLOR_CHOICES,
         "colours in messages and reports; auto: on a terminal unless NO_COLOR is set", 0, 0},
        {"Output and messages", "no-progress", 0, OPTION_FLAG, &hidden->no_progress, NULL,
         "do not show progress on a terminal", 0, 0},
        {"About", "help", 'h', OPTION_MAYBE, (void *)&hidden->help, help_forms,
         "show the most used options; man: the manual page; json: all options as JSON", 0, 0},
        {"About", "help-all", 0, OPTION_FLAG, &hidden->help_all, NULL, "show every option", 0, 0},
        {"About", "completion", 0, OPTION_CHOICE, &hidden->shell, COMPLETION_SHELLS,
         "print the completion script of a shell", 0, 0},
        {"About", "complete", 0, OPTION_FLAG, &hidden->complete, NULL,
         "as the first argument: print completions of the last argument", 0, 0},
        {"About", "version", 0, OPTION_FLAG, &hidden->version, NULL, "show the version", 0, 0},
        {0},
    };
    memcpy(rows, table, sizeof table);
}

int options_wrong_use(const program_info *program, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    say(program->name, "%s", message);
    print_lines("usage: %s %s\ntry '%s --help'\n", program->name, program->usage, program->name);
    return HLO_BAD_USE;
}

/* ---- values ---- */

static int set_number(const program_info *program, const option_row *o, const char *text) {
    uint64_t value;
    bool fits, is_size = option_kind_of(o) == OPTION_SIZE;
    const char *end = (is_size ? hlo_read_size : hlo_read_whole)(text, &value, &fits);
    const char *wanted = is_size ? "takes a size such as 500M or 16G" : "requires an integer";
    if (!end || *end) return options_wrong_use(program, "--%s %s, not '%s'", o->name, wanted, text);
    if (!fits || value < o->least || (o->most && value > o->most))
        return options_wrong_use(program, "--%s=%s is out of range: %" PRIu64 " to %" PRIu64,
                                 o->name, text, o->least, o->most ? o->most : UINT64_MAX);
    *(uint64_t *)o->value = value;
    return OPTIONS_GO_ON;
}

static int set_choice(const program_info *program, const option_row *o, const char *text) {
    if (option_choice(o->argument, text, o->value)) return OPTIONS_GO_ON;
    return options_unknown_choice(program, o->name, o->argument, text);
}

static void add_text(option_texts *texts, const char *text) {
    const char **more = process_made(realloc(texts->v, (texts->count + 1) * sizeof *more),
                                     "the values of an option");
    more[texts->count++] = text;
    texts->v = more;
}

static int set_value(const program_info *program, const option_row *o, const char *text) {
    switch (option_kind_of(o)) {
    case OPTION_TEXT:
    case OPTION_MAYBE: *(const char **)o->value = text; return OPTIONS_GO_ON;
    case OPTION_TEXTS: add_text(o->value, text); return OPTIONS_GO_ON;
    case OPTION_NUMBER:
    case OPTION_SIZE: return set_number(program, o, text);
    case OPTION_CHOICE: return set_choice(program, o, text);
    case OPTION_FLAG:
    case OPTION_SWITCH: break;
    }
    return options_wrong_use(program, "--%s takes no value", o->name);
}

/* ---- the command line ---- */

/* Sets a flag or a switch, or takes the value that is given or stands next. */
static int apply(const program_info *program, const option_row *o, bool negated, const char *text,
                 const char *value, const char *next, int *at) {
    if (option_takes_value(o)) {
        if (!value && !next)
            return options_wrong_use(program, "%s requires a value: %s", text, o->argument);
        if (!value) ++*at;
        return set_value(program, o, value ? value : next);
    }
    if (option_kind_of(o) == OPTION_MAYBE) return set_value(program, o, value ? value : "");
    if (value) return options_wrong_use(program, "%s takes no value", text);
    if (option_kind_of(o) == OPTION_FLAG) *(bool *)o->value = true;
    else *(hlo_switch *)o->value = negated ? HLO_OFF : HLO_ON;
    return OPTIONS_GO_ON;
}

/* --name, --name=value, --name value; *at is the place of the argument. */
static int read_long(const program_info *program, const option_row *const tables[2], char **argv,
                     int *at) {
    const char *text = argv[*at];
    size_t n = strcspn(text, "=");
    option_found found;
    if (!option_find(program, tables, text, n, &found)) return HLO_BAD_USE;
    return apply(program, found.row, found.negated, text, text[n] ? text + n + 1 : NULL,
                 argv[*at + 1], at);
}

/* -n, -n value, -nvalue, and several flags as one: -qv. */
static int read_short(const program_info *program, const option_row *const tables[2], char **argv,
                      int *at) {
    const char *text = argv[*at];
    for (const char *letter = text + 1; *letter; letter++) {
        const option_row *o = option_of_letter(tables, *letter);
        if (!o && letter == text + 1)
            return options_wrong_use(program, "unknown option '%s'", text);
        if (!o) return options_wrong_use(program, "unknown option '-%c' in '%s'", *letter, text);
        bool last = option_takes_value(o);
        const char *value = last && letter[1] ? letter + 1 : NULL;
        char name[] = {'-', *letter, 0};
        int status = apply(program, o, false, name, value, argv[*at + 1], at);
        if (last || status != OPTIONS_GO_ON) return status;
    }
    return OPTIONS_GO_ON;
}

static void note_variable(const program_info *program, const char *variable) {
    say(program->name, "note: the option is from the environment variable %s", variable);
}

void options_note_variable(const program_info *program, const char *name, const char *value) {
    const option_row o = {.name = name};
    char variable[64];
    if (value && options_variable(&o, variable, sizeof variable) && value == getenv(variable))
        note_variable(program, variable);
}

/* Defaults that variables give; the command line comes later. */
static int read_environment(const program_info *program, const option_row *const tables[2]) {
    for (int t = 0; t < 2; t++) {
        for (const option_row *o = tables[t]; o->name; o++) {
            char name[64];
            const char *value = options_variable(o, name, sizeof name) ? getenv(name) : NULL;
            if (!value || !*value) continue;
            int status = set_value(program, o, value);
            if (status == HLO_BAD_USE) note_variable(program, name);
            if (status != OPTIONS_GO_ON) return status;
        }
    }
    return OPTIONS_GO_ON;
}

/* Standard output may be a full disk: --help and --version fail then like everything else. */
static int written(const program_info *program) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return HLO_OK;
    say(program->name, "error: cannot write standard output: %s", strerror(errno));
    return HLO_BAD_SYSTEM;
}

static int show_help(const program_info *program, const option_row *const tables[2],
                     const char *as) {
    int form = -1;
    if (*as && !option_choice(help_forms, as, &form))
        return options_unknown_choice(program, "help", help_forms, as);
    if (form < 0) help_print(program, tables, stdout);
    else if (form == 0) manual_print(program, tables, stdout);
    else help_print_json(program, tables, stdout);
    return written(program);
}

/* What is shown instead of any work. */
static int show(const program_info *program, const option_row *const tables[2],
                const hidden_options *hidden) {
    if (hidden->complete)
        return options_wrong_use(program, "--complete must be the first argument");
    if (hidden->help) return show_help(program, tables, hidden->help);
    if (hidden->help_all) help_print_all(program, tables, stdout);
    else if (hidden->shell >= 0) completion_script(program, hidden->shell, stdout);
    else if (hidden->version)
        printf("%s %s\n%s", program->name, hlo_version(), program->build ? program->build : "");
    else return OPTIONS_GO_ON;
    return written(program);
}

static int read_arguments(const program_info *program, const option_row *const tables[2], int argc,
                          char **argv, common_options *common) {
    bool only_arguments = false;
    for (int at = 1; at < argc; at++) {
        if (only_arguments || argv[at][0] != '-' || !argv[at][1]) {
            common->arguments[common->argument_count++] = argv[at];
        } else if (strcmp(argv[at], "--") == 0) {
            only_arguments = true;
        } else {
            bool is_long = argv[at][1] == '-';
            int status = is_long ? read_long(program, tables, argv, &at)
                                 : read_short(program, tables, argv, &at);
            if (status != OPTIONS_GO_ON) return status;
        }
    }
    common->arguments[common->argument_count] = NULL;
    return OPTIONS_GO_ON;
}

bool options_completes(char *const *argv) {
    return argv[0] && argv[1] && strcmp(argv[1], "--complete") == 0;
}

int options_read(const program_info *program, int argc, char **argv, common_options *common) {
    hidden_options hidden = {.shell = -1};
    option_row shared[COMMON_COUNT + 1];
    *common = (common_options){.max_errors = UINT64_MAX, .arguments = argv + 1};
    common_rows(common, &hidden, shared);
    const option_row *const tables[2] = {program->options, shared + program->takes_whole_files};
    if (options_completes(argv)) {
        completion_answer(program, tables, argv + 2, argc - 2);
        return written(program);
    }
    int ended = read_environment(program, tables);
    if (ended == OPTIONS_GO_ON) ended = read_arguments(program, tables, argc, argv, common);
    if (ended != OPTIONS_GO_ON) return ended;
    common->limits_errors = common->max_errors <= UINT32_MAX;
    if (!common->limits_errors) common->max_errors = 20;
    if (hidden.no_progress) progress_forbid();
    common->dialect = (hlo_dialect)hidden.dialect;
    terminal_colours(hidden.color, common->output, &common->colour, &common->colours_output);
    return show(program, tables, &hidden);
}
