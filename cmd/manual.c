/* Manual pages: see manual.h. */
#include "manual.h"

#include <ctype.h>
#include <string.h>

#include "help.h"

enum { WIDTH = 76 }; /* of lines of the source, where text is broken */

/* ---- text ---- */

/* As troff shows it: nothing is taken for a request or a typographer's mark. */
static void put_letter(FILE *to, char c) {
    switch (c) {
    case '\\': fputs("\\e", to); break;
    case '-': fputs("\\-", to); break;
    case '\'': fputs("\\(aq", to); break;
    case '`': fputs("\\(ga", to); break;
    case '^': fputs("\\(ha", to); break;
    case '~': fputs("\\(ti", to); break;
    case '|': fputs("|\\:", to); break; /* a line may break after it */
    default: fputc(c, to);
    }
}

static void put_letters(FILE *to, const char *text, size_t n) {
    if (n && text[0] == '.') fputs("\\&", to);
    for (size_t i = 0; i < n; i++) put_letter(to, text[i]);
}

static void put_string(FILE *to, const char *text) {
    put_letters(to, text, strlen(text));
}

/* The length of an option's name at the beginning of a word, with its dashes; 0: it is none. */
static size_t option_length(const char *word, size_t n) {
    if (n < 3 || strncmp(word, "--", 2) != 0) return 0;
    size_t end = 2;
    while (end < n && (isalnum((unsigned char)word[end]) || strchr("-_", word[end]))) end++;
    return end;
}

static void put_word(FILE *to, const char *word, size_t n) {
    size_t bold = option_length(word, n);
    if (bold) fputs("\\fB", to);
    put_letters(to, word, bold);
    if (bold) fputs("\\fR", to);
    put_letters(to, word + bold, n - bold);
}

/* How long a word is in the source, about. */
static size_t length_in_source(const char *word, size_t n) {
    size_t length = n + (option_length(word, n) ? 6 : 0);
    for (size_t i = 0; i < n; i++)
        length += strchr("-\\", word[i]) ? 1 : strchr("'`^~", word[i]) ? 3 : 0;
    return length;
}

/* A paragraph: lines of the source end where sentences do, and when they are long. */
static void put_text(FILE *to, const char *text, size_t length) {
    size_t column = 0;
    bool sentence_ends = false;
    for (const char *end = text + length; text < end;) {
        size_t n = strcspn(text, " \n");
        if (n > (size_t)(end - text)) n = (size_t)(end - text);
        size_t wide = length_in_source(text, n);
        bool breaks = sentence_ends || column + 1 + wide > WIDTH;
        if (column) fputc(breaks ? '\n' : ' ', to);
        column = (breaks ? 0 : column + 1) + wide;
        put_word(to, text, n);
        sentence_ends = n > 1 && strchr(".;:", text[n - 1]);
        text += n + 1;
    }
    fputc('\n', to);
}

static void put_paragraphs(FILE *to, const char *text) {
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        fputs(".PP\n", to);
        put_text(to, text, n);
        text += n;
        text += strspn(text, "\n");
    }
}

/* What stands for something else is in italics: words in capitals. */
static void put_placeholders(FILE *to, const char *text) {
    while (*text) {
        size_t n = 0;
        while (isupper((unsigned char)text[n])) n++;
        if (n) fputs("\\fI", to);
        put_letters(to, text, n);
        if (n) fputs("\\fR", to);
        text += n;
        n = strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        put_letters(to, text, n);
        text += n;
    }
}

/* ---- sections ---- */

/* What the program does: the first sentence of its purpose. */
static void put_name(FILE *to, const program_info *program) {
    size_t n = strcspn(program->purpose, ".:");
    fprintf(to, ".SH NAME\n");
    put_string(to, program->name);
    fputs(" \\- ", to);
    fputc(tolower((unsigned char)program->purpose[0]), to);
    put_letters(to, program->purpose + 1, n - 1);
    fputc('\n', to);
}

static void put_synopsis(FILE *to, const program_info *program) {
    fputs(".SH SYNOPSIS\n.B ", to);
    put_string(to, program->name);
    fputc('\n', to);
    put_placeholders(to, program->usage);
    fputc('\n', to);
}

static void put_option(FILE *to, const option_row *o) {
    bool may = option_kind_of(o) == OPTION_MAYBE;
    fputs(".TP\n", to);
    if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fprintf(to, "\\fB\\-\\-%s", option_kind_of(o) == OPTION_SWITCH ? "[no\\-]" : "");
    put_string(to, o->name);
    fprintf(to, "\\fR%s%s", may ? "[" : "", o->argument ? "=" : "");
    if (o->argument) put_placeholders(to, o->argument);
    fprintf(to, "%s\n", may ? "]" : "");
    put_text(to, o->help, strlen(o->help));
}

static void put_options(FILE *to, const option_row *const tables[2]) {
    const char *group = "";
    fputs(".SH OPTIONS\n", to);
    put_text(to, help_beginnings, strlen(help_beginnings));
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++) {
            if (strcmp(group, o->group) != 0) fprintf(to, ".SS \"%s\"\n", group = o->group);
            put_option(to, o);
        }
}

static void put_statuses(FILE *to) {
    fputs(".SH EXIT STATUS\n", to);
    for (int i = 0; i < 4; i++) fprintf(to, ".TP\n.B %d\n%s\n", i, help_statuses[i]);
}

static void put_terms(FILE *to, const term_row *row) {
    for (; row && row->name; row++) {
        fputs(".TP\n.B ", to);
        put_string(to, row->name);
        fputc('\n', to);
        put_text(to, row->help, strlen(row->help));
    }
}

static void put_environment(FILE *to, const program_info *program,
                            const option_row *const tables[2]) {
    char variable[64];
    fputs(".SH ENVIRONMENT\n", to);
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++) {
            if (!options_variable(o, variable, sizeof variable)) continue;
            fprintf(to, ".TP\n.B %s\nthe default of \\fB\\-\\-", variable);
            put_string(to, o->name);
            fputs("\\fR\n", to);
        }
    put_terms(to, program->variables);
    put_terms(to, help_variables);
}

static void put_files(FILE *to, const program_info *program) {
    fputs(".SH FILES\n", to);
    put_terms(to, help_files);
    put_terms(to, program->files);
}

static void put_examples(FILE *to, const char *lines) {
    fputs(".SH EXAMPLES\n.nf\n", to);
    while (*lines) {
        lines += strspn(lines, " ");
        size_t n = strcspn(lines, "\n");
        put_letters(to, lines, n);
        fputc('\n', to);
        lines += n + (lines[n] != 0);
    }
    fputs(".fi\n", to);
}

void manual_print(const program_info *program, const option_row *const tables[2], FILE *to) {
    fputs(".TH ", to);
    for (const char *c = program->name; *c; c++) fputc(toupper((unsigned char)*c), to);
    fprintf(to, " 1 \"\" \"libhlo %s\" \"User Commands\"\n.nh\n.ad l\n", hlo_version());
    put_name(to, program);
    put_synopsis(to, program);
    fputs(".SH DESCRIPTION\n", to);
    put_text(to, program->purpose, strlen(program->purpose));
    put_paragraphs(to, program->description);
    put_options(to, tables);
    put_statuses(to);
    put_environment(to, program, tables);
    put_files(to, program);
    put_examples(to, program->examples);
    fputs(".SH SEE ALSO\n.BR hlo (7)\n", to);
}
