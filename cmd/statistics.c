/* Statistics of many modules, or of two that are compared: see statistics.h. */
#include "statistics.h"

#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "process.h"
#include "progress.h"

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

/* ---- two modules ---- */

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

/* ---- any number of modules ---- */

/* One file: what its thread counts and the main thread reports. Each has its own diagnostics, so
 * that --max-errors counts per file. */
typedef struct {
    const char *path;
    hlo_status status;
    hlo_stats **modules;
    size_t count;
    hlo_diags *diags;
} counted_file;

typedef struct {
    const statistics_options *options;
    const common_options *common;
    stat_work *work;
    counted_file *files;
    size_t count;
    hlo_status status;
} counting;

typedef struct {
    const statistics_options *options;
    counted_file *file;
} module_context;

static hlo_status count_module(hlo_module *module, void *context, hlo_diags *diags) {
    const module_context *of = context;
    counted_file *file = of->file;
    hlo_stats *stats = NULL;
    hlo_status status = count(module, of->options, diags, &stats);
    if (status != HLO_OK) return status;
    file->modules = process_made(realloc(file->modules, (file->count + 1) * sizeof *file->modules),
                                 "the statistics");
    file->modules[file->count++] = stats;
    return HLO_OK;
}

static void count_file(size_t job, void *context) {
    counting *all = context;
    counted_file *file = &all->files[job];
    module_context of = {all->options, file};
    file->diags = new_diags((uint32_t)all->common->max_errors);
    file->status = modules_each(file->path, all->common, count_module, &of, file->diags);
}

static void report_file(size_t job, void *context) {
    counting *all = context;
    counted_file *file = &all->files[job];
    for (size_t i = 0; i < file->count; i++) {
        hlo_stats_report_add(all->work->report, shown_path(file->path), file->modules[i]);
        hlo_stats_free(file->modules[i]);
    }
    all->work->reported += file->count;
    free(file->modules);
    progress_hold();
    all->status = worse(all->status, (hlo_status)finish(file->diags, all->common, file->status));
    progress_release();
    progress_show("%zu of %zu files counted: %s", job + 1, all->count, file->path);
}

static hlo_status add_all(stat_work *work, const common_options *common, char *const *paths,
                          size_t count) {
    counting all = {.options = work->options, .common = common, .work = work, .count = count};
    const job_kind kind = {count_file, report_file, &all};
    all.files = process_made(calloc(count ? count : 1, sizeof *all.files), "the list of files");
    for (size_t i = 0; i < count; i++) all.files[i].path = paths[i];
    bool shows = count > 1 && progress_begin(NULL, NULL);
    jobs_run(count, work->options->jobs, &kind);
    if (shows) progress_end();
    free(all.files);
    return all.status;
}

/* ---- all ---- */

/* One module that the command line names has a page of tables, others a line each. */
static bool is_list(const common_options *common, char *const *paths, size_t count) {
    return count > 1 ||
           (count && common->argument_count && strcmp(paths[0], common->arguments[0]) != 0);
}

static uint64_t table_of_modules(void) {
    hlo_table_row row;
    size_t t = 0;
    while (hlo_stats_table_row(t, &row) && strcmp(row.name, "modules") != 0) t++;
    return UINT64_C(1) << t;
}

static hlo_status begin_report(stat_work *work, bool is_list_of_modules, hlo_output *output,
                               hlo_diags *diags) {
    hlo_stats_report_options how = *work->options->report;
    bool has_lines = how.form == HLO_STATS_TEXT || how.form == HLO_STATS_CSV;
    if (is_list_of_modules && has_lines && !how.tables) how.tables = table_of_modules();
    return hlo_stats_report_begin(&how, output, diags, &work->report);
}

/* What could be read is written, although there is an error; nothing is not. */
static hlo_status end_report(stat_work *work, hlo_status status, hlo_output *output,
                             hlo_diags *diags) {
    hlo_stats_report_end(work->report);
    if (status != HLO_OK && !work->reported) return status;
    return worse(status, hlo_output_commit(output, diags));
}

static hlo_status write_difference(const statistics_options *options, const common_options *common,
                                   hlo_output *output, hlo_diags *diags) {
    stat_work work = {.options = options};
    hlo_status status = begin_report(&work, false, output, diags);
    if (status != HLO_OK) return status;
    return end_report(&work, compare(&work, common, diags), output, diags);
}

static hlo_status write_each(const statistics_options *options, const common_options *common,
                             hlo_output *output, hlo_diags *diags) {
    static char *standard_input[] = {"-"};
    stat_work work = {.options = options};
    bool any = common->argument_count > 0;
    char **paths;
    size_t count;
    hlo_status found =
        hlo_find_modules(any ? common->arguments : standard_input,
                         any ? (size_t)common->argument_count : 1, diags, &paths, &count);
    hlo_status status = begin_report(&work, is_list(common, paths, count), output, diags);
    if (status == HLO_OK) {
        status = worse(found, add_all(&work, common, paths, count));
        status = end_report(&work, status, output, diags);
    }
    hlo_paths_free(paths, count);
    return status;
}

hlo_status write_statistics(const statistics_options *options, const common_options *common,
                            hlo_output *output, hlo_diags *diags) {
    return (options->other ? write_difference : write_each)(options, common, output, diags);
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
