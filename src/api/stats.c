/* Reports of statistics: which tables, in which order, how many rows. */
#include <hlo.h>

#include "host/output.h"
#include "stat/stat.h"

struct hlo_stats_report {
    hlo_stats_report_options options;
    hlo_stat_writer writer;
    hlo_output *output;
    hlo_arena arena;        /* columns and texts of the following */
    hlo_stat_table modules; /* of those that were added, when the report has it */
    bool has_times;         /* some of them */
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

static bool is_shown(const hlo_stats_report_options *o, size_t table, bool compares) {
    if (o->tables) return o->tables >> table & 1;
    if (forms[o->form].has_one) return table == HLO_STAT_OPERATIONS;
    hlo_stat_default when = hlo_stat_table_default(table);
    return when == HLO_STAT_ALWAYS || (when == HLO_STAT_DETAIL && !compares);
}

typedef HLO_LIST(const char *) name_list;

static bool has_name(const name_list *names, const char *name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (strcmp(names->v[i], name) == 0) return true;
    return false;
}

/* Columns of numbers of the tables that are shown, once each. The summary has a fixed order. */
static name_list sortable_columns(const hlo_stats_report_options *o) {
    name_list names = {0};
    hlo_table_row row;
    for (size_t t = HLO_STAT_OPERATIONS; t < HLO_STAT_TABLES; t++)
        for (size_t k = 1; is_shown(o, t, false) && hlo_stats_column_row(t, k, &row); k++)
            if (strcmp(row.group, "text") != 0 && !has_name(&names, row.name))
                hlo_list_push(&names, row.name);
    return names;
}

static void refuse_column(const char *name, const name_list *names, hlo_diags *diags) {
    hlo_nearest search = hlo_nearest_to(name, strlen(name));
    hlo_buf list = HLO_BUF_INIT;
    for (uint32_t i = 0; i < names->n; i++) {
        hlo_nearest_try(&search, names->v[i], strlen(names->v[i]), false);
        hlo_buf_printf(&list, "%s%s", i ? ", " : "", names->v[i]);
    }
    hlo_misuse(diags, "no table that is shown has a column of numbers '%s'", name);
    if (search.name) hlo_hint_nearest(diags, &search);
    else if (list.len) hlo_hint(diags, "columns are %.*s", (int)list.len, list.data);
    hlo_buf_free(&list);
}

static hlo_status check_column(const hlo_stats_report_options *o, hlo_diags *diags) {
    name_list names = sortable_columns(o);
    bool is_there = has_name(&names, o->sort);
    if (!is_there) refuse_column(o->sort, &names, diags);
    hlo_list_free(&names);
    return is_there ? HLO_OK : HLO_BAD_USE;
}

static hlo_status check(const hlo_stats_report_options *o, hlo_diags *diags) {
    if (o->form > HLO_STATS_HTML) return hlo_misuse(diags, "unknown form %d", (int)o->form);
    if (o->tables >> HLO_STAT_TABLES) return hlo_misuse(diags, "there is no such table");
    if (forms[o->form].has_one && __builtin_popcountll(o->tables) > 1)
        return hlo_misuse(diags, "CSV has one table");
    return o->sort ? check_column(o, diags) : HLO_OK;
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
    /* Columns and space for rows: what later calls add grows these blocks, see unwind.h. */
    hlo_arena_init(&report->arena);
    report->modules = hlo_stat_table_of(&report->arena, HLO_STAT_MODULES);
    hlo_list_reserve(&report->modules.cells, report->modules.width);
    if (forms[how.form].begin) forms[how.form].begin(&report->writer);
    *out = report;
    return HLO_OK;
}

static void free_report(hlo_stats_report *report) {
    hlo_stat_free(&report->modules);
    hlo_arena_free(&report->arena);
    hlo_free(report);
}

/* ---- what is shown ---- */

/* A table of one module, or of two. */
static bool is_shown_of_each(const hlo_stats_report *report, size_t table, bool compares) {
    return is_shown(&report->options, table, compares) &&
           hlo_stat_table_default(table) != HLO_STAT_OF_REPORT;
}

static bool shows_modules_alone(const hlo_stats_report *report) {
    return report->options.tables == UINT64_C(1) << HLO_STAT_MODULES;
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

static hlo_str keep(hlo_stats_report *report, hlo_str text) {
    return (hlo_str){hlo_arena_copy(&report->arena, text.ptr, text.len), text.len, 0};
}

/* The row is added whole or not at all. */
static void note_module(hlo_stats_report *report, hlo_str file, const hlo_stats *stats) {
    hlo_stat_table *modules = &report->modules;
    hlo_stat_cell *cells = HLO_NEW_ARRAY(&report->arena, hlo_stat_cell, modules->width);
    memcpy(cells, hlo_stat_row(&stats->tables[HLO_STAT_MODULES], 0),
           modules->width * sizeof *cells);
    cells[0].text = file;
    for (uint32_t k = 0; k < modules->width; k++)
        if (cells[k].kind == HLO_STAT_TEXT) cells[k].text = keep(report, cells[k].text);
    hlo_list_reserve(&modules->cells, modules->cells.n + modules->width);
    for (uint32_t k = 0; k < modules->width; k++) hlo_list_push(&modules->cells, cells[k]);
    report->has_times |= stats->has_times;
}

static void add_sheet(hlo_stats_report *report, hlo_str file, const hlo_stats *stats) {
    hlo_stat_table tables[HLO_STAT_TABLES];
    hlo_stat_sheet sheet = {.file = file, .module = stats->module, .has_times = stats->has_times};
    for (size_t t = 0; t < HLO_STAT_TABLES; t++) {
        tables[t] = stats->tables[t]; /* the same cells */
        const char *by[HLO_STAT_RANKS] = {sorted_by(report, &tables[t])};
        if (*by) tables[t].order = hlo_stat_order(&tables[t], by);
        if (is_shown_of_each(report, t, false)) sheet.tables[t] = &tables[t];
    }
    write_sheet(report, &sheet);
    for (size_t t = 0; t < HLO_STAT_TABLES; t++)
        if (tables[t].order != stats->tables[t].order) hlo_free(tables[t].order);
}

void hlo_stats_report_add(hlo_stats_report *report, const char *file, const hlo_stats *stats) {
    if (!report || !file || !stats) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        return;
    }
    hlo_str name = hlo_str_from(file);
    if (is_shown(&report->options, HLO_STAT_MODULES, false)) note_module(report, name, stats);
    if (!shows_modules_alone(report)) add_sheet(report, name, stats);
}

static void compare(hlo_stats_report *report, hlo_stat_sheet *sheet, const hlo_stats *first,
                    const hlo_stats *second) {
    hlo_stat_table tables[HLO_STAT_TABLES];
    hlo_arena arena;
    hlo_arena_init(&arena);
    for (size_t t = 0; t < HLO_STAT_TABLES; t++) {
        if (!is_shown_of_each(report, t, true)) continue;
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

/* All rows, unless the caller limits them: there is one for each module, in their order. */
static void write_modules(hlo_stats_report *report) {
    hlo_stat_sheet sheet = {.has_times = report->has_times};
    sheet.tables[HLO_STAT_MODULES] = &report->modules;
    report->writer.top = report->options.top ? report->options.top : UINT64_MAX;
    const char *by[HLO_STAT_RANKS] = {sorted_by(report, &report->modules)};
    if (*by) hlo_stat_sort(&report->modules, by);
    write_sheet(report, &sheet);
}

void hlo_stats_report_end(hlo_stats_report *report) {
    if (!report) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        free_report(report);
        return;
    }
    if (is_shown(&report->options, HLO_STAT_MODULES, false)) write_modules(report);
    if (forms[report->options.form].end) forms[report->options.form].end(&report->writer);
    free_report(report);
}
