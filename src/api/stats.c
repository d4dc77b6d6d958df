/* Reports of statistics: which tables, in which order, how many rows. */
#include <hlo.h>

#include "host/output.h"
#include "stat/stat.h"

struct hlo_stats_report {
    hlo_stats_report_options options;
    hlo_stat_writer writer;
    hlo_output *output;
};

enum { TEXT_ROWS = 10, PAGE_ROWS = 200 };

typedef struct {
    void (*begin)(hlo_stat_writer *w); /* NULL: nothing */
    void (*write)(hlo_stat_writer *w, const hlo_stat_sheet *sheet);
    void (*end)(hlo_stat_writer *w);
    uint64_t top; /* unless the caller gives one */
    bool has_one; /* one table only */
} form;

static const form forms[] = {
    [HLO_STATS_TEXT] = {NULL, hlo_stat_write_text, NULL, TEXT_ROWS, false},
    [HLO_STATS_JSON] = {NULL, hlo_stat_write_json, NULL, UINT64_MAX, false},
    [HLO_STATS_CSV] = {NULL, hlo_stat_write_csv, NULL, UINT64_MAX, true},
    [HLO_STATS_HTML] = {hlo_stat_begin_html, hlo_stat_write_html, hlo_stat_end_html, PAGE_ROWS,
                        false},
};

/* ---- options ---- */

static bool is_column(const char *name) {
    hlo_table_row row;
    for (size_t t = HLO_STAT_OPERATIONS; t < HLO_STAT_TABLES; t++)
        for (size_t k = 1; hlo_stats_column_row(t, k, &row); k++)
            if (strcmp(row.name, name) == 0 && strcmp(row.group, "text") != 0) return true;
    return false;
}

static hlo_status refuse_column(const char *name, hlo_diags *diags) {
    hlo_table_row row;
    hlo_nearest search = hlo_nearest_to(name, strlen(name));
    for (size_t t = HLO_STAT_OPERATIONS; t < HLO_STAT_TABLES; t++)
        for (size_t k = 1; hlo_stats_column_row(t, k, &row); k++)
            if (strcmp(row.group, "text") != 0)
                hlo_nearest_try(&search, row.name, strlen(row.name), false);
    hlo_misuse(diags, "no table has a column of numbers '%s'", name);
    hlo_hint_nearest(diags, &search);
    return HLO_BAD_USE;
}

static hlo_status check(const hlo_stats_report_options *o, hlo_diags *diags) {
    if (o->form > HLO_STATS_HTML) return hlo_misuse(diags, "unknown form %d", (int)o->form);
    if (o->tables >> HLO_STAT_TABLES) return hlo_misuse(diags, "there is no such table");
    if (forms[o->form].has_one && __builtin_popcountll(o->tables) > 1)
        return hlo_misuse(diags, "CSV has one table");
    return o->sort && !is_column(o->sort) ? refuse_column(o->sort, diags) : HLO_OK;
}

hlo_status hlo_stats_report_begin(const hlo_stats_report_options *options, hlo_output *output,
                                  hlo_diags *diags, hlo_stats_report **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, output);
    hlo_stats_report_options how = HLO_STATS_REPORT_OPTIONS_INIT;
    if (hlo_take_options(options, &how, sizeof how, diags) != HLO_OK) return HLO_BAD_USE;
    if (check(&how, diags) != HLO_OK) return HLO_BAD_USE;
    hlo_stats_report *report = hlo_calloc(1, sizeof *report);
    report->options = how;
    report->output = output;
    report->writer = (hlo_stat_writer){
        .to = &output->buf, .top = how.top ? how.top : forms[how.form].top, .exact = how.exact};
    if (forms[how.form].begin) forms[how.form].begin(&report->writer);
    *out = report;
    return HLO_OK;
}

/* ---- what is shown ---- */

static bool is_shown(const hlo_stats_report *report, size_t table, bool compares) {
    if (report->options.tables) return report->options.tables >> table & 1;
    if (forms[report->options.form].has_one) return table == HLO_STAT_OPERATIONS;
    hlo_stat_default when = hlo_stat_table_default(table);
    return when == HLO_STAT_ALWAYS || (when == HLO_STAT_DETAIL && !compares);
}

/* The column that the caller orders by: in a comparison its change. NULL: the table has none, or a
 * fixed order. */
static const char *sorted_by(const hlo_stats_report *report, const hlo_stat_table *table) {
    const char *by = report->options.sort, *found = NULL;
    for (uint32_t k = 1; by && !hlo_stat_is_summary(table) && k < table->width; k++) {
        const char *name = table->columns[k].name;
        size_t n = strlen(by);
        if (strncmp(name, by, n) == 0 && (!name[n] || strcmp(name + n, "_change") == 0))
            found = name;
    }
    return found;
}

static void write_sheet(hlo_stats_report *report, const hlo_stat_sheet *sheet) {
    forms[report->options.form].write(&report->writer, sheet);
    report->writer.sheets++;
}

void hlo_stats_report_add(hlo_stats_report *report, const char *file, const hlo_stats *stats) {
    if (!report || !file || !stats) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        return;
    }
    hlo_stat_table tables[HLO_STAT_TABLES];
    hlo_stat_sheet sheet = {
        .file = hlo_str_from(file), .module = stats->module, .has_times = stats->has_times};
    for (size_t t = 0; t < HLO_STAT_TABLES; t++) {
        tables[t] = stats->tables[t]; /* the same cells */
        const char *by[HLO_STAT_RANKS] = {sorted_by(report, &tables[t])};
        if (*by) tables[t].order = hlo_stat_order(&tables[t], by);
        if (is_shown(report, t, false)) sheet.tables[t] = &tables[t];
    }
    write_sheet(report, &sheet);
    for (size_t t = 0; t < HLO_STAT_TABLES; t++)
        if (tables[t].order != stats->tables[t].order) hlo_free(tables[t].order);
}

static void compare(hlo_stats_report *report, hlo_stat_sheet *sheet, const hlo_stats *first,
                    const hlo_stats *second) {
    hlo_stat_table tables[HLO_STAT_TABLES];
    hlo_arena arena;
    hlo_arena_init(&arena);
    for (size_t t = 0; t < HLO_STAT_TABLES; t++) {
        if (!is_shown(report, t, true)) continue;
        tables[t] =
            hlo_stat_compare(&arena, &first->tables[t], &second->tables[t], t == HLO_STAT_SUMMARY);
        const char *by[HLO_STAT_RANKS] = {sorted_by(report, &tables[t])};
        if (*by) hlo_stat_sort(&tables[t], by);
        sheet->tables[t] = &tables[t];
    }
    write_sheet(report, sheet);
    for (size_t t = 0; t < HLO_STAT_TABLES; t++)
        if (sheet->tables[t]) hlo_stat_free(&tables[t]);
    hlo_arena_free(&arena);
}

void hlo_stats_report_compare(hlo_stats_report *report, const char *first_file,
                              const hlo_stats *first, const char *second_file,
                              const hlo_stats *second) {
    if (!report || !first_file || !first || !second_file || !second) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        return;
    }
    hlo_stat_sheet sheet = {.file = hlo_str_from(first_file),
                            .module = first->module,
                            .other_file = hlo_str_from(second_file),
                            .other_module = second->module,
                            .has_times = first->has_times && second->has_times};
    compare(report, &sheet, first, second);
}

void hlo_stats_report_end(hlo_stats_report *report) {
    if (!report) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        hlo_free(report);
        return;
    }
    if (forms[report->options.form].end) forms[report->options.form].end(&report->writer);
    hlo_free(report);
}
