/* Statistics of many modules, or of two that are compared: see statistics.h. */
#include "statistics.h"

#include <string.h>

#include "process.h"

typedef struct {
    const statistics_options *options;
    hlo_stats_report *report;
    const char *path;
    hlo_stats *first; /* of a comparison, or NULL */
    size_t reported;
} stat_work;

static const char *shown_path(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static hlo_status count(hlo_module *module, const statistics_options *options, hlo_diags *diags,
                        hlo_stats **stats) {
    hlo_status status = hlo_verify(module, diags);
    return status == HLO_OK ? hlo_stats_create(module, options->counting, diags, stats) : status;
}

static hlo_status add(hlo_module *module, void *context, hlo_diags *diags) {
    stat_work *work = context;
    hlo_stats *stats = NULL;
    hlo_status status = count(module, work->options, diags, &stats);
    if (status == HLO_OK) hlo_stats_report_add(work->report, shown_path(work->path), stats);
    work->reported += status == HLO_OK;
    hlo_stats_free(stats);
    return status;
}

static hlo_status keep_first(hlo_module *module, void *context, hlo_diags *diags) {
    stat_work *work = context;
    return count(module, work->options, diags, &work->first);
}

static hlo_status add_difference(hlo_module *module, void *context, hlo_diags *diags) {
    stat_work *work = context;
    hlo_stats *second = NULL;
    hlo_status status = count(module, work->options, diags, &second);
    if (status == HLO_OK)
        hlo_stats_report_compare(work->report, shown_path(work->path), work->first,
                                 shown_path(work->options->other), second);
    work->reported += status == HLO_OK;
    hlo_stats_free(second);
    return status;
}

static hlo_status compare(stat_work *work, const common_options *common, hlo_diags *diags) {
    work->path = common->argument_count ? common->arguments[0] : "-";
    hlo_status status = modules_each(work->path, common, keep_first, work, diags);
    if (status == HLO_OK)
        status = modules_each(work->options->other, common, add_difference, work, diags);
    hlo_stats_free(work->first);
    return status;
}

/* Each file has its own diagnostics, so that --max-errors counts per file. */
static hlo_status add_file(stat_work *work, const char *path, const common_options *common) {
    hlo_diags *diags = new_diags((uint32_t)common->max_errors);
    work->path = path;
    hlo_status status = modules_each(path, common, add, work, diags);
    return (hlo_status)finish(diags, common, status);
}

static hlo_status add_all(stat_work *work, const common_options *common, hlo_diags *diags) {
    static char *standard_input[] = {"-"};
    bool any = common->argument_count > 0;
    hlo_found_file *found;
    size_t files;
    hlo_status status =
        hlo_find_files(any ? common->arguments : standard_input,
                       any ? (size_t)common->argument_count : 1, diags, &found, &files);
    for (size_t i = 0; i < files; i++)
        if (!found[i].is_skipped) status = worse(status, add_file(work, found[i].path, common));
    hlo_found_files_free(found, files);
    return status;
}

/* What could be read is written, although there is an error; nothing is not. */
hlo_status write_statistics(const statistics_options *options, const common_options *common,
                            hlo_output *output, hlo_diags *diags) {
    stat_work work = {.options = options};
    hlo_status status = hlo_stats_report_begin(options->report, output, diags, &work.report);
    if (status != HLO_OK) return status;
    status = options->other ? compare(&work, common, diags) : add_all(&work, common, diags);
    hlo_stats_report_end(work.report);
    if (status == HLO_OK || work.reported) status = worse(status, hlo_output_commit(output, diags));
    return status;
}

/* Text with bold headings, by way of memory. */
hlo_status write_coloured_statistics(const statistics_options *options,
                                     const common_options *common, hlo_output *output,
                                     hlo_diags *diags) {
    size_t n;
    hlo_output *text = process_made(hlo_output_to_memory(), "the tables");
    hlo_status status = write_statistics(options, common, text, diags);
    const char *bytes = hlo_output_bytes(text, &n);
    listing_paint(output, bytes, n, listing_of_headings);
    if (status == HLO_OK || n) status = worse(status, hlo_output_commit(output, diags));
    hlo_output_free(text);
    return status;
}

/* ---- lists ---- */

static void put_line(const listing *list, const char *indent, const hlo_table_row *row) {
    enum { NAMES = 18, LEFT = NAMES + 10 };
    listing_put(list, "%s%-*s %-8s ", indent, (int)(NAMES - strlen(indent)), row->name,
                row->group ? row->group : "");
    listing_wrapped(list, LEFT, LEFT, row->description);
}

void list_statistics(const listing *list) {
    hlo_table_row row;
    listing_columns(list, "%-18s %-8s meaning", "table, columns", "unit");
    for (size_t t = 0; hlo_stats_table_row(t, &row); t++) {
        put_line(list, "", &row);
        for (size_t k = 0; hlo_stats_column_row(t, k, &row); k++) put_line(list, "  ", &row);
    }
}
