/* Values of options that every program can complete: see value_words.h. */
#include "value_words.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "modules.h"

enum { MOST_MODULE_BYTES = 4 << 20, NAME_BYTES = 256 };

static void offer_files(completion *c) {
    c->kind = "files";
}

static void offer_directories(completion *c) {
    c->kind = "directories";
}

/* What --explain knows: rules and operations. */
static void offer_explained(completion *c) {
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++) completion_offer(c, row.name, row.description);
    for (size_t i = 0; hlo_operation_row(i, &row); i++) completion_offer(c, row.name, row.group);
}

static void offer_lint_rules(completion *c) {
    hlo_table_row row;
    completion_member(c);
    completion_offer(c, "recommended", "lint rules that find little in what JAX writes");
    completion_offer(c, "all", "every lint rule");
    for (size_t i = 0; hlo_rule_row(i, &row); i++)
        if (strcmp(row.group, "lint") == 0) completion_offer(c, row.name, row.description);
}

static void offer_operations(completion *c) {
    hlo_table_row row;
    completion_member(c);
    completion_offer(c, "all", "every operation");
    for (size_t i = 0; hlo_operation_row(i, &row); i++) completion_offer(c, row.name, row.group);
}

/* ---- names in the module of the command line ---- */

static bool is_small_file(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= MOST_MODULE_BYTES;
}

/* A name with a zero after it; false for what shells and terminals would not show as it is. */
static bool plain_name(hlo_text name, char out[NAME_BYTES]) {
    if (name.len >= NAME_BYTES) return false;
    for (size_t i = 0; i < name.len; i++)
        if (name.text[i] <= ' ' || name.text[i] == 0x7f) return false;
    memcpy(out, name.text, name.len);
    out[name.len] = 0;
    return true;
}

static void offer_names(completion *c, hlo_module *module, bool of_computations) {
    char name[NAME_BYTES];
    for (const hlo_computation *k = hlo_module_first(module); k; k = hlo_computation_next(k)) {
        if (of_computations && plain_name(hlo_computation_name(k), name))
            completion_offer(c, name, "computation");
        const hlo_instr *i = of_computations ? NULL : hlo_computation_first(k);
        for (; i; i = hlo_instr_next(i))
            if (plain_name(hlo_instr_name(i), name)) completion_offer(c, name, hlo_instr_opcode(i));
    }
}

/* Whatever is wrong with the module: then it has no names. */
static void offer_from_module(completion *c, bool of_computations) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = NULL;
    hlo_module *module = NULL;
    for (int i = 0; diags && !source && i < c->argument_count; i++)
        if (c->arguments[i][0] != '-' && is_small_file(c->arguments[i]))
            hlo_read_source(c->arguments[i], diags, &source);
    if (source) {
        hlo_source_read_as(source, HLO_DIALECT_EXTENDED);
        hlo_read_module(source, diags, &module);
    }
    if (module) offer_names(c, module, of_computations);
    hlo_module_free(module);
    hlo_source_free(source);
    hlo_diags_free(diags);
}

static void offer_instructions(completion *c) {
    offer_from_module(c, false);
}

static void offer_computations(completion *c) {
    offer_from_module(c, true);
}

const value_words shared_value_words[] = {
    {"FILE", offer_files},
    {"OTHER", offer_files},
    {"DIR", offer_directories},
    {"RULE", offer_explained},
    {"RULES", offer_lint_rules},
    {"OPERATIONS", offer_operations},
    {"INSTRUCTION", offer_instructions},
    {"COMPUTATION", offer_computations},
    {0},
};
