/* The text of --help, and the manual page. */
#include "help.h"

#include <ctype.h>
#include <string.h>

enum { HELP_COLUMN = 32, WIDTH = 98 };

static const char beginnings[] =
    "The beginning of a long option is enough where no other begins so.";
static const char *const statuses[] = {"good", "the module is bad or a comparison failed",
                                       "wrong use", "the system failed"};

/* `text` from the cursor's column on, broken at blanks, later lines indented to HELP_COLUMN. */
static void put_wrapped(FILE *to, const char *text) {
    size_t column = HELP_COLUMN;
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column + n > WIDTH && column > HELP_COLUMN) {
            fprintf(to, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        fprintf(to, "%.*s", (int)n, word);
        column += n;
        word += n;
        if (*word) {
            fputc(' ', to);
            column++;
            word++;
        }
    }
    fputc('\n', to);
}

static void put_option(FILE *to, const option_row *o) {
    char left[96], text[512], variable[64];
    if (options_variable(o, variable, sizeof variable))
        snprintf(text, sizeof text, "%s [%s]", o->help, variable);
    else snprintf(text, sizeof text, "%s", o->help);
    bool may = o->kind == OPTION_MAYBE;
    int n = snprintf(left, sizeof left, "  %c%c%s --%s%s%s%s%s%s", o->letter ? '-' : ' ',
                     o->letter ? o->letter : ' ', o->letter ? "," : " ",
                     o->kind == OPTION_SWITCH ? "[no-]" : "", o->name, may ? "[" : "",
                     o->argument ? "=" : "", o->argument ? o->argument : "", may ? "]" : "");
    fputs(left, to);
    if (n >= HELP_COLUMN) fputc('\n', to);
    fprintf(to, "%*s", n >= HELP_COLUMN ? HELP_COLUMN : HELP_COLUMN - n, "");
    put_wrapped(to, text);
}

void help_print(const program_info *program, const option_row *const tables[2], FILE *to) {
    fprintf(to, "usage: %s %s\n\n%s\n", program->name, program->usage, program->purpose);
    const char *group = "";
    for (int t = 0; t < 2; t++) {
        for (const option_row *o = tables[t]; o->name; o++) {
            if (strcmp(group, o->group) != 0) fprintf(to, "\n%s:\n", group = o->group);
            put_option(to, o);
        }
    }
    fprintf(to, "\nExamples:\n%s\n", program->examples);
    fprintf(to, "%s A variable of the\nenvironment in [] holds the default of its option.\n",
            beginnings);
    fputs("Exit status:", to);
    for (int i = 0; i < 4; i++) fprintf(to, "%s %d %s", i ? ";" : "", i, statuses[i]);
    fputs(".\n", to);
}

/* ---- the manual page ---- */

/* Text as troff reads it: a dash of an option stays one, and no line begins a request. */
static void put_roff(FILE *to, const char *text, size_t n) {
    bool begins = true;
    for (size_t i = 0; i < n; i++) {
        if (begins && (text[i] == '.' || text[i] == '\'')) fputs("\\&", to);
        if (text[i] == '\\') fputs("\\e", to);
        else if (text[i] == '-') fputs("\\-", to);
        else fputc(text[i], to);
        begins = text[i] == '\n';
    }
}

static void put_line(FILE *to, const char *text) {
    put_roff(to, text, strlen(text));
    fputc('\n', to);
}

/* What the program does: the first sentence of its purpose. */
static void put_name(FILE *to, const program_info *program) {
    char first[256];
    size_t n = strcspn(program->purpose, ".");
    snprintf(first, sizeof first, "%.*s", (int)n, program->purpose);
    first[0] = (char)tolower((unsigned char)first[0]);
    fprintf(to, ".SH NAME\n");
    put_roff(to, program->name, strlen(program->name));
    fputs(" \\- ", to);
    put_line(to, first);
}

static void put_manual_option(FILE *to, const option_row *o) {
    bool may = o->kind == OPTION_MAYBE;
    fputs(".TP\n", to);
    if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fprintf(to, "\\fB\\-\\-%s", o->kind == OPTION_SWITCH ? "[no\\-]" : "");
    put_roff(to, o->name, strlen(o->name));
    fprintf(to, "\\fR%s%s", may ? "[" : "", o->argument ? "=\\fI" : "");
    if (o->argument) put_roff(to, o->argument, strlen(o->argument));
    fprintf(to, "%s%s\n", o->argument ? "\\fR" : "", may ? "]" : "");
    put_line(to, o->help);
}

static void put_variables(FILE *to, const option_row *const tables[2]) {
    char variable[64];
    fputs(".SH ENVIRONMENT\n", to);
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++) {
            if (!options_variable(o, variable, sizeof variable)) continue;
            fprintf(to, ".TP\n.B %s\nthe default of \\-\\-", variable);
            put_line(to, o->name);
        }
}

static void put_statuses(FILE *to) {
    fputs(".SH EXIT STATUS\n", to);
    for (int i = 0; i < 4; i++) fprintf(to, ".TP\n.B %d\n%s\n", i, statuses[i]);
}

void help_print_manual(const program_info *program, const option_row *const tables[2], FILE *to) {
    char title[64];
    snprintf(title, sizeof title, "%s", program->name);
    for (char *c = title; *c; c++) *c = (char)toupper((unsigned char)*c);
    fprintf(to, ".TH %s 1 \"\" \"libhlo %s\" \"User Commands\"\n", title, hlo_version());
    put_name(to, program);
    fprintf(to, ".SH SYNOPSIS\n.B %s\n", program->name);
    put_line(to, program->usage);
    fputs(".SH DESCRIPTION\n", to);
    put_line(to, program->purpose);
    fputs(".SH OPTIONS\n", to);
    put_line(to, beginnings);
    const char *group = "";
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++) {
            if (strcmp(group, o->group) != 0) fprintf(to, ".SS %s\n", group = o->group);
            put_manual_option(to, o);
        }
    fputs(".SH EXAMPLES\n.nf\n", to);
    put_line(to, program->examples);
    fputs(".fi\n", to);
    put_variables(to, tables);
    put_statuses(to);
}
