/* Dumps around passes: see pass_dump.h. */
#include "pass_dump.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "process.h"

/* ---- what is chosen ---- */

static bool compile(const char *pattern, regex_t *to) {
    int error = regcomp(to, pattern, REG_EXTENDED | REG_NOSUB);
    if (error == REG_ESPACE) process_no_memory("a regular expression");
    return error == 0;
}

static bool is_pattern(const char *pattern) {
    regex_t compiled;
    if (!pattern) return true;
    bool is_good = compile(pattern, &compiled);
    if (is_good) regfree(&compiled);
    return is_good;
}

/* As XLA does: an expression that fits a part of the name. It was good before. */
static bool fits(const char *pattern, const char *name) {
    regex_t compiled;
    if (!pattern || !compile(pattern, &compiled)) return true;
    bool found = regexec(&compiled, name, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

const char *pass_dump_bad_pattern(const pass_dump *dump) {
    if (!is_pattern(dump->passes)) return dump->passes;
    return is_pattern(dump->modules) ? NULL : dump->modules;
}

/* ---- files ---- */

enum { LONGEST_NAME = 128 };

/* The module's name as part of a file's name: no slashes. */
static void file_name_part(char *to, const hlo_module_facts *facts) {
    size_t n = facts->name_len < LONGEST_NAME - 1 ? facts->name_len : LONGEST_NAME - 1;
    memcpy(to, facts->name, n);
    for (size_t i = 0; i < n; i++)
        if (strchr("/\\ ", to[i])) to[i] = '_';
    to[n] = 0;
}

static hlo_status write_file(hlo_module *module, const char *path, bool as_proto,
                             hlo_diags *diags) {
    hlo_output *file;
    hlo_status status = hlo_output_open(path, diags, &file);
    if (status != HLO_OK) return status;
    status = as_proto ? hlo_write_proto(module, HLO_AS_HLO_PROTO, file, diags)
                      : hlo_write_text(module, NULL, file, diags);
    if (status == HLO_OK) status = hlo_output_commit(file, diags);
    hlo_output_free(file);
    return status;
}

/* DIRECTORY/module_0000.NAME.WHAT.txt and .hlo.pb, as XLA calls them. */
static hlo_status write_module(const pass_dump *dump, hlo_module *module, size_t number,
                               const char *what, hlo_diags *diags) {
    char name[LONGEST_NAME], path[4096];
    hlo_module_facts facts = hlo_module_describe(module);
    file_name_part(name, &facts);
    if (!fits(dump->modules, name)) return HLO_OK;
    hlo_status status = HLO_OK;
    for (int as_proto = 0; as_proto < 2 && status == HLO_OK; as_proto++) {
        if (as_proto ? !dump->as_proto : dump->as_proto && !dump->as_text) continue;
        snprintf(path, sizeof path, "%s/module_%04zu.%s.%s.%s", dump->to, number, name, what,
                 as_proto ? "hlo.pb" : "txt");
        status = write_file(module, path, as_proto, diags);
    }
    return status;
}

hlo_status pass_dump_begin(const pass_dump *dump, hlo_module *module, size_t number,
                           hlo_diags *diags) {
    if (!dump->to) return HLO_OK;
    mkdir(dump->to, 0777); /* failure is reported on writing */
    return write_module(dump, module, number, "before_optimizations", diags);
}

hlo_status pass_dump_end(const pass_dump *dump, hlo_module *module, size_t number,
                         hlo_diags *diags) {
    return dump->to ? write_module(dump, module, number, "after_optimizations", diags) : HLO_OK;
}

hlo_status pass_dump_after(const pass_dump *dump, hlo_module *module, size_t number,
                           const hlo_pass_event *event, hlo_diags *diags) {
    char what[LONGEST_NAME];
    if (!dump->to || !fits(dump->passes, event->pass)) return HLO_OK;
    snprintf(what, sizeof what, "%04zu.after_%s", event->number, event->pass);
    return write_module(dump, module, number, what, diags);
}
