/* The texts of --help and --help-all. */
#include "help.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "terminal.h"

/* LEFT: of the column of texts. A wider terminal is not used up: long lines are hard to read. */
enum { LEFT = 32, LEFT_SHORT = 27, NARROWEST = 50, WIDTH = 80, WIDEST = 100, SCREEN = 24 };

const char help_beginnings[] = "Long options can be abbreviated to an unambiguous prefix.";
const char *const help_statuses[4] = {"good", "the module is bad or a comparison failed",
                                      "wrong use", "the system failed"};
const term_row help_variables[] = {
    {"NO_COLOR", "if set, --color=auto disables colours"},
    {"CLICOLOR_FORCE", "if set to other than 0, --color=auto enables colours"},
    {"TERM", "dumb: a terminal without colours and progress"},
    {0},
};

const term_row help_files[] = {
    {"MODULE", "HLO text, or HloModuleProto, HloProto or HloSnapshot as a binary or JSON message, "
               "optionally compressed with gzip or zstd; the format is detected from the content, "
               "not from the name"},
    {0},
};

/* ---- lines ---- */

typedef struct {
    FILE *to;
    size_t left, width; /* of texts: the column where they begin, and the line's end */
} page;

/* `text` from the left column on, where the cursor is, broken at blanks. */
static void put_wrapped(const page *p, const char *text, size_t length) {
    size_t column = p->left;
    const char *end = text + length;
    while (text < end) {
        size_t n = strcspn(text, " \n");
        if (n > (size_t)(end - text)) n = (size_t)(end - text);
        bool fits = column == p->left || column + 1 + n <= p->width;
        if (!fits) fprintf(p->to, "\n%*s", (int)p->left, "");
        else if (column > p->left) fputc(' ', p->to);
        column = fits && column > p->left ? column + 1 + n : (fits ? column : p->left) + n;
        fprintf(p->to, "%.*s", (int)n, text);
        text += n + 1;
    }
    fputc('\n', p->to);
}

static void put_option(const page *p, const option_row *o, const char *text, size_t length) {
    char left[96];
    bool may = option_kind_of(o) == OPTION_MAYBE;
    size_t n =
        (size_t)snprintf(left, sizeof left, "  %c%c%s --%s%s%s%s%s%s", o->letter ? '-' : ' ',
                         o->letter ? o->letter : ' ', o->letter ? "," : " ",
                         option_kind_of(o) == OPTION_SWITCH ? "[no-]" : "", o->name, may ? "[" : "",
                         o->argument ? "=" : "", o->argument ? o->argument : "", may ? "]" : "");
    fputs(left, p->to);
    if (n + 1 > p->left) fputc('\n', p->to);
    fprintf(p->to, "%*s", (int)(n + 1 > p->left ? p->left : p->left - n), "");
    put_wrapped(p, text, length);
}

static void put_usage(const page *p, const program_info *program) {
    page whole = {p->to, 0, p->width};
    fprintf(p->to, "usage: %s %s\n\n", program->name, program->usage);
    put_wrapped(&whole, program->purpose, strlen(program->purpose));
}

static page new_page(FILE *to, size_t left) {
    int width = terminal_width(fileno(to), WIDTH);
    width = width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
    return (page){to, left, (size_t)width};
}

/* ---- everything ---- */

static void put_whole_option(const page *p, const option_row *o) {
    char text[512], variable[64];
    bool has_variable = options_variable(o, variable, sizeof variable);
    snprintf(text, sizeof text, "%s%s%s%s", o->help, has_variable ? " [" : "",
             has_variable ? variable : "", has_variable ? "]" : "");
    put_option(p, o, text, strlen(text));
}

static void put_variables(const page *p, const term_row *row) {
    for (; row && row->name; row++) {
        fprintf(p->to, "  %-*s", LEFT - 2, row->name);
        put_wrapped(p, row->help, strlen(row->help));
    }
}

void help_print_all(const program_info *program, const option_row *const tables[2], FILE *to) {
    page p = new_page(to, LEFT), whole = {to, 0, p.width};
    put_usage(&p, program);
    const char *group = "";
    for (int t = 0; t < 2; t++) {
        for (const option_row *o = tables[t]; o->name; o++) {
            if (strcmp(group, o->group) != 0) fprintf(to, "\n%s:\n", group = o->group);
            put_whole_option(&p, o);
        }
    }
    fprintf(to, "\nExamples:\n%s\nEnvironment:\n", program->examples);
    put_variables(&p, program->variables);
    put_variables(&p, help_variables);
    char text[256];
    snprintf(text, sizeof text,
             "\n%s [VARIABLE]: the environment variable sets the default of the option.",
             help_beginnings);
    put_wrapped(&whole, text, strlen(text));
    fputs("Exit status:", to);
    for (int i = 0; i < 4; i++) fprintf(to, "%s %d %s", i ? ";" : "", i, help_statuses[i]);
    fputs(".\n", to);
}

/* ---- a screen ---- */

static size_t up_to_mark(const char *text, size_t n, const char *const *marks) {
    for (; *marks; marks++) {
        const char *mark = strstr(text, *marks);
        if (mark && (size_t)(mark - text) < n) n = (size_t)(mark - text);
    }
    return n;
}

/* The length of the start of a text that states the option's purpose; one line if possible. */
static size_t gist(const char *text) {
    static const char *const ends[] = {"; ", ": ", " (", NULL};
    static const char *const asides[] = {", a ", ", and ", ", by ", ", those ", ", such ", NULL};
    size_t n = up_to_mark(text, strlen(text), ends);
    return n <= WIDTH - LEFT_SHORT ? n : up_to_mark(text, n, asides);
}

/* The argument of an option, of many choices the first. */
static const char *short_argument(const option_row *o, char *buffer, size_t bytes) {
    const char *bar = o->argument ? strchr(o->argument, '|') : NULL;
    if (!bar || strlen(o->argument) + strlen(o->name) + 10 <= LEFT_SHORT) return o->argument;
    snprintf(buffer, bytes, "%.*s|...", (int)(bar - o->argument), o->argument);
    return buffer;
}

static void put_gist(const page *p, const option_row *o) {
    char argument[64];
    option_row shorter = *o;
    shorter.argument = short_argument(o, argument, sizeof argument);
    put_option(p, &shorter, o->help, gist(o->help));
}

static size_t lines_of(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* Those that have space: at least one, and none that is too wide. */
static void put_examples(FILE *to, const char *examples, size_t lines) {
    bool shown = false;
    fputs("\nExamples:\n", to);
    for (size_t n; *examples; examples += n) {
        n = strcspn(examples, "\n") + 1;
        if (n > WIDTH + 1 || (shown && !lines)) continue;
        fprintf(to, "%.*s", (int)n, examples);
        lines -= lines > 0;
        shown = true;
    }
}

void help_print(const program_info *program, const option_row *const tables[2], FILE *to) {
    enum { OTHER_LINES = 4 }; /* around the examples */
    char *text = NULL;
    size_t bytes;
    page p = {process_made(open_memstream(&text, &bytes), "the help"), LEFT_SHORT, WIDTH};
    put_usage(&p, program);
    fputs("\nMost used options:\n", p.to);
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++)
            if (o->kind & OPTION_OFTEN) put_gist(&p, o);
    if (fclose(p.to) != 0 || !text) process_no_memory("the help");
    size_t used = lines_of(text) + OTHER_LINES;
    fputs(text, to);
    put_examples(to, program->examples, used < SCREEN ? SCREEN - used : 0);
    fprintf(to, "\n%s --help-all and man %s show every option.\n", program->name, program->name);
    free(text);
}
