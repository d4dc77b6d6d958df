/* Calls that count what modules cost and report it. */
#include <stdint.h>
#include <string.h>

#include "faults/rows.h"

CALL(stats_create) {
    hlo_stats *stats = NULL;
    hlo_stats_value value;
    hlo_stats_options options = HLO_STATS_OPTIONS_INIT;
    options.trip_counts = true;
    options.peak_flops = 1e12;
    if (hlo_stats_create(c->module, &options, c->diags, &stats) != HLO_OK) return false;
    for (size_t t = 0; hlo_stats_rows(stats, t); t++)
        for (size_t k = 0; hlo_stats_cell(stats, t, 0, k, &value); k++)
            faults_digest(c, value.text ? value.text : (const char *)&value.number,
                          value.text ? value.text_len : sizeof value.number);
    hlo_stats_free(stats);
    return true;
}

CALL(stats_tables) {
    hlo_table_row row;
    for (size_t t = 0; hlo_stats_table_row(t, &row); t++)
        for (size_t k = 0; hlo_stats_column_row(t, k, &row); k++) faults_digest(c, row.name, 1);
    return true;
}

static uint64_t table_of_modules(void) {
    hlo_table_row row;
    size_t t = 0;
    while (hlo_stats_table_row(t, &row) && strcmp(row.name, "modules") != 0) t++;
    return UINT64_C(1) << t;
}

static bool report(faults_case *c, hlo_stats_form form, uint64_t tables) {
    hlo_stats *stats = NULL;
    hlo_stats_report *report = NULL;
    hlo_stats_report_options options = HLO_STATS_REPORT_OPTIONS_INIT;
    options.form = form;
    options.tables = tables;
    hlo_status status = hlo_stats_create(c->module, NULL, c->diags, &stats);
    if (status == HLO_OK) status = hlo_stats_report_begin(&options, c->output, c->diags, &report);
    for (int i = 0; i < 3; i++) hlo_stats_report_add(report, "file", stats);
    hlo_stats_report_compare(report, "file", stats, "file", stats);
    hlo_stats_report_end(report);
    hlo_stats_free(stats);
    return status == HLO_OK && faults_digest_output(c);
}

CALL(report_text) {
    return report(c, HLO_STATS_TEXT, 0);
}
CALL(report_json) {
    return report(c, HLO_STATS_JSON, 0);
}
CALL(report_csv) {
    return report(c, HLO_STATS_CSV, 0);
}
CALL(report_html) {
    return report(c, HLO_STATS_HTML, 0);
}
CALL(report_modules) {
    return report(c, HLO_STATS_CSV, table_of_modules());
}

#define REPORT                                                              \
    "hlo_stats_report_begin hlo_stats_report_add hlo_stats_report_compare " \
    "hlo_stats_report_end"

const faults_row faults_stats_rows[] = {
    {"hlo_stats_create hlo_stats_free hlo_stats_rows hlo_stats_cell", "", NEEDS_MODULE,
     call_stats_create},
    {"hlo_stats_table_row hlo_stats_column_row", "", 0, call_stats_tables},
    {REPORT, "text", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_report_text},
    {REPORT, "JSON", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_report_json},
    {REPORT, "CSV", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_report_csv},
    {REPORT, "HTML", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_report_html},
    {REPORT, "modules", NEEDS_MODULE | NEEDS_OUTPUT | SPENDS, call_report_modules},
    {0},
};
