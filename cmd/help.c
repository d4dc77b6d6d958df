/* The text of --help. */
#include "help.h"

#include <string.h>

enum { HELP_COLUMN = 32, WIDTH = 98 };

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
    fputs("The beginning of a long option is enough where no other begins so. A variable of the\n"
          "environment in [] holds the default of its option.\n",
          to);
    fputs("Exit status: 0 good; 1 the module is bad or a comparison failed; 2 wrong use; "
          "3 the system failed.\n",
          to);
}
