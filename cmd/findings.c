/* Findings between verification and the user: see findings.h. */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "process.h"

static size_t rule_count(void) {
    hlo_table_row row;
    size_t n = 0;
    while (hlo_rule_row(n, &row)) n++;
    return n;
}

void findings_begin(findings *all) {
    all->rules = process_made(calloc(rule_count(), sizeof *all->rules), "the counts of findings");
}

void findings_end(findings *all) {
    free(all->rules);
}

/* How many findings of a file are shown: all of them in a report, unless a number is given. */
static uint32_t most_shown(const findings *all) {
    if (all->report && !all->common->limits_errors) return UINT32_MAX;
    return (uint32_t)all->common->max_errors;
}

/* A baseline compares all findings: --max-errors only limits what is shown. */
hlo_diags *findings_of_file(const findings *all, const char *path) {
    hlo_diags *diags = new_diags(all->baseline ? UINT32_MAX : most_shown(all));
    hlo_diags_set_file(diags, path && strcmp(path, "-") != 0 ? path : "<stdin>");
    if (hlo_diags_error_count(diags)) process_no_memory("messages");
    return diags;
}

/* What is wrong with a module can be known; that it cannot be read cannot. */
static hlo_status note_all(findings *all, hlo_diags **diags, hlo_status status, size_t *known) {
    if (status > HLO_BAD_MODULE) return status;
    *known = hlo_diags_error_count(*diags) + hlo_diags_warning_count(*diags);
    hlo_diags *news = new_diags(most_shown(all));
    status = hlo_baseline_add(all->baseline, *diags, news);
    hlo_diags_free(*diags);
    *diags = news;
    return status;
}

static hlo_status leave_out(findings *all, hlo_diags **diags, hlo_status status, size_t *known) {
    hlo_diags *news = new_diags(most_shown(all));
    *known = hlo_baseline_subtract(all->baseline, *diags, news);
    bool is_known = status == HLO_BAD_MODULE && *known && !hlo_diags_error_count(news);
    hlo_diags_free(*diags);
    *diags = news;
    return is_known ? HLO_OK : status;
}

hlo_status findings_settle(findings *all, hlo_diags **diags, hlo_status status, size_t *known) {
    *known = 0;
    if (!all->baseline) return status;
    status = all->writes_baseline ? note_all(all, diags, status, known)
                                  : leave_out(all, diags, status, known);
    all->known += *known;
    return status;
}

hlo_status findings_show(findings *all, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++) {
        uint32_t found = hlo_diags_rule_count(diags, i);
        all->rules[i].findings += found;
        all->rules[i].files += found > 0;
    }
    if (all->report) hlo_report_add(all->report, diags);
    else if (!all->quiet) status = show_diags(diags, all->common);
    hlo_diags_free(diags);
    return status;
}

void findings_by_rule(const findings *all, void (*line)(void *context, const char *text),
                      void *context) {
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++) {
        char text[160];
        size_t found = all->rules[i].findings, files = all->rules[i].files;
        if (!found) continue;
        snprintf(text, sizeof text, "  %-24s %zu finding%s in %zu file%s\n", row.name, found,
                 found == 1 ? "" : "s", files, files == 1 ? "" : "s");
        line(context, text);
    }
}

void findings_of_baseline(const findings *all, void (*line)(void *context, const char *text),
                          void *context) {
    char text[160];
    if (!all->baseline) return;
    if (all->writes_baseline)
        snprintf(text, sizeof text, "baseline: %zu finding%s\n", all->known,
                 all->known == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "baseline: %zu finding%s known, %zu not met\n", all->known,
                 all->known == 1 ? "" : "s", hlo_baseline_left(all->baseline));
    line(context, text);
}

hlo_status findings_write_baseline(const findings *f, const char *path, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(path, diags, &output);
    if (status != HLO_OK) return status;
    hlo_baseline_write(f->baseline, output);
    status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}
