/* Calls of diagnostics and reports. */
#include <stdio.h>
#include <string.h>

#include "faults/rows.h"

CALL(diags_create) {
    c->made_diags = hlo_diags_create(7);
    return c->made_diags != NULL;
}

CALL(diags_free) {
    hlo_diags_free(c->diags);
    c->diags = NULL;
    return true;
}

CALL(diags_counts) {
    uint32_t counts[] = {hlo_diags_error_count(c->diags), hlo_diags_warning_count(c->diags)};
    faults_digest(c, counts, sizeof counts);
    return true;
}

CALL(diags_write) {
    if (hlo_diags_write(c->diags, false, c->output) != HLO_OK) return false;
    return faults_digest_output(c);
}

CALL(diag_describe) {
    hlo_diag_info info;
    for (const hlo_diag *d = hlo_diags_first(c->diags); d; d = hlo_diag_next(d)) {
        if (!hlo_diag_describe(d, &info)) return false;
        faults_digest(c, info.message, strlen(info.message));
        faults_digest(c, &info.line, sizeof info.line);
        if (hlo_diag_notes(d) && !hlo_diag_describe(hlo_diag_notes(d), &info)) return false;
    }
    return true;
}

CALL(diags_rule_count) {
    uint32_t found = 0;
    for (size_t i = 0; i < 400; i++) found += hlo_diags_rule_count(c->diags, i);
    faults_digest(c, &found, sizeof found);
    return true;
}

CALL(diags_set_file) {
    uint32_t errors = hlo_diags_error_count(c->diags);
    hlo_diags_set_file(c->diags, "a file");
    return hlo_diags_error_count(c->diags) == errors;
}

static const char *own_hint(void *context, const char *topic) {
    NOTHING(context);
    return topic;
}

CALL(diags_set_hints) {
    hlo_diags_set_hints(c->diags, own_hint, NULL);
    return true;
}

CALL(diags_set_program) {
    hlo_diags_set_program(c->diags, "program");
    return true;
}

CALL(escape) {
    char text[16];
    size_t length = hlo_escape("a\n\x1b", text, sizeof text);
    faults_digest(c, text, length);
    return true;
}

CALL(nearest_name) {
    static const char *const names[] = {"alpha", "beta"};
    const char *name = hlo_nearest_name("bata", names, 2);
    faults_digest(c, name, strlen(name));
    return true;
}

/* The stream is without a buffer: only the library allocates. */
CALL(diags_render) {
    static char text[1 << 14];
    memset(text, 0, sizeof text);
    FILE *to = fopen(faults_path(c, "rendered"), "w+");
    if (!to) return false;
    setvbuf(to, NULL, _IONBF, 0);
    hlo_diags_render(c->diags, to, false);
    rewind(to);
    size_t count = fread(text, 1, sizeof text - 1, to);
    fclose(to);
    faults_digest(c, text, count);
    return !strstr(text, "out of memory");
}

CALL(report_begin) {
    c->report = hlo_report_begin(HLO_REPORT_SARIF, c->output);
    return c->report && faults_digest_output(c);
}

CALL(report_add) {
    hlo_report_add(c->report, c->diags);
    return faults_digest_output(c);
}

CALL(report_end) {
    hlo_report_end(c->report);
    c->report = NULL;
    return faults_digest_output(c);
}

/* ---- baselines ---- */

CALL(baseline_create) {
    NOTHING(c);
    hlo_baseline *baseline = hlo_baseline_create();
    hlo_baseline_free(baseline);
    return baseline != NULL;
}

/* From the findings of the list to a text. */
CALL(baseline_write) {
    hlo_baseline *baseline = hlo_baseline_create();
    if (!baseline) return false;
    bool good = hlo_baseline_add(baseline, c->diags, c->diags) == HLO_OK;
    if (good) hlo_baseline_write(baseline, c->output);
    hlo_baseline_free(baseline);
    return good && faults_digest_output(c);
}

CALL(baseline_subtract) {
    hlo_baseline *baseline = hlo_baseline_create();
    hlo_diags *news = baseline ? hlo_diags_create(0) : NULL;
    size_t counts[2] = {0};
    if (news) {
        counts[0] = hlo_baseline_subtract(baseline, c->diags, news);
        counts[1] = hlo_baseline_left(baseline);
    }
    bool good = news && hlo_diags_error_count(news) == hlo_diags_error_count(c->diags);
    hlo_diags_free(news);
    hlo_baseline_free(baseline);
    faults_digest(c, counts, sizeof counts);
    return good;
}

CALL(baseline_read) {
    const char *path = faults_path(c, "known");
    FILE *file = fopen(path, "w");
    if (!file) return false;
    setvbuf(file, NULL, _IONBF, 0);
    fputs("0123456789abcdef 2 text\n0123456789abcdee 1\n", file);
    fclose(file);
    hlo_baseline *baseline = hlo_baseline_create();
    if (!baseline) return false;
    hlo_status status = hlo_baseline_read(baseline, path, c->diags);
    size_t left = hlo_baseline_left(baseline);
    hlo_baseline_free(baseline);
    faults_digest(c, &left, sizeof left);
    return status == HLO_OK;
}

const faults_row faults_diags_rows[] = {
    {"hlo_diags_create", "", 0, call_diags_create},
    {"hlo_diags_free", "", SPENDS, call_diags_free},
    {"hlo_diags_error_count hlo_diags_warning_count", "", 0, call_diags_counts},
    {"hlo_diags_rule_count", "", 0, call_diags_rule_count},
    {"hlo_diags_set_file", "", 0, call_diags_set_file},
    {"hlo_diags_set_hints", "", 0, call_diags_set_hints},
    {"hlo_escape", "", 0, call_escape},
    {"hlo_nearest_name", "", 0, call_nearest_name},
    {"hlo_diags_set_program", "", 0, call_diags_set_program},
    {"hlo_diags_render", "", NEEDS_ERRORS | SPENDS, call_diags_render},
    {"hlo_diags_write", "", NEEDS_OUTPUT | NEEDS_ERRORS | SPENDS, call_diags_write},
    {"hlo_diags_first hlo_diag_next hlo_diag_notes hlo_diag_describe", "", NEEDS_ERRORS,
     call_diag_describe},
    {"hlo_report_begin", "", NEEDS_OUTPUT | SPENDS, call_report_begin},
    {"hlo_report_add", "", NEEDS_OUTPUT | NEEDS_REPORT | NEEDS_ERRORS | SPENDS, call_report_add},
    {"hlo_report_end", "", NEEDS_OUTPUT | NEEDS_REPORT | SPENDS, call_report_end},
    {"hlo_baseline_create hlo_baseline_free", "", 0, call_baseline_create},
    {"hlo_baseline_add hlo_baseline_write", "", NEEDS_OUTPUT | NEEDS_ERRORS | SPENDS,
     call_baseline_write},
    {"hlo_baseline_subtract hlo_baseline_left", "", NEEDS_ERRORS, call_baseline_subtract},
    {"hlo_baseline_read", "", 0, call_baseline_read},
    {0},
};
