/* Options as JSON, for tests, documentation and other programs. */
#include "help_json.h"

#include "help.h"
#include "json_lines.h"
#include "process.h"

static const char *kind_name(option_kind kind) {
    switch (kind) {
    case OPTION_FLAG: return "flag";
    case OPTION_SWITCH: return "switch";
    case OPTION_TEXT: return "text";
    case OPTION_TEXTS: return "texts";
    case OPTION_MAYBE: return "maybe";
    case OPTION_NUMBER: return "number";
    case OPTION_SIZE: return "size";
    case OPTION_CHOICE: return "choice";
    }
    return "";
}

static void put_option(json_lines *json, const option_row *o) {
    char letter[] = {o->letter, 0}, variable[64];
    json_open(json, NULL, '{');
    json_word(json, "name", o->name);
    if (o->letter) json_word(json, "letter", letter);
    json_word(json, "group", o->group);
    json_word(json, "kind", kind_name(option_kind_of(o)));
    if (o->argument) json_word(json, "argument", o->argument);
    json_word(json, "help", o->help);
    json_flag(json, "often", o->kind & OPTION_OFTEN);
    if (options_variable(o, variable, sizeof variable)) json_word(json, "variable", variable);
    json_close(json, '}');
}

static void put_terms(json_lines *json, const term_row *row) {
    for (; row && row->name; row++) {
        json_open(json, NULL, '{');
        json_word(json, "name", row->name);
        json_word(json, "help", row->help);
        json_close(json, '}');
    }
}

static void put_program(json_lines *json, const program_info *program,
                        const option_row *const tables[2]) {
    json_open(json, NULL, '{');
    json_word(json, "program", program->name);
    json_word(json, "version", hlo_version());
    json_word(json, "usage", program->usage);
    json_word(json, "purpose", program->purpose);
    json_word(json, "examples", program->examples);
    json_open(json, "options", '[');
    for (int t = 0; t < 2; t++)
        for (const option_row *o = tables[t]; o->name; o++) put_option(json, o);
    json_close(json, ']');
    json_open(json, "variables", '[');
    put_terms(json, program->variables);
    put_terms(json, help_variables);
    json_close(json, ']');
    json_open(json, "files", '[');
    put_terms(json, help_files);
    put_terms(json, program->files);
    json_close(json, ']');
    json_close(json, '}');
    json_end_line(json);
}

void help_print_json(const program_info *program, const option_row *const tables[2], FILE *to) {
    hlo_output *text = process_made(hlo_output_to_memory(), "the options");
    size_t n;
    put_program(&(json_lines){.to = text}, program, tables);
    const char *bytes = hlo_output_bytes(text, &n);
    if (bytes) fwrite(bytes, 1, n, to);
    hlo_output_free(text);
}
