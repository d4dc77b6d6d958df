/* hlo-stat: what a module consists of and costs, as tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communication.h"
#include "descriptions.h"
#include "ending.h"
#include "modules.h"
#include "process.h"
#include "statistics.h"
#include "value_words.h"

#define FORMS "text|json|csv|html"

typedef struct {
    hlo_stats_report_options report;
    hlo_stats_options counting;
    hlo_link_options links;
    link_texts link_texts;
    int form; /* place of a word in the row of the table */
    const char *peak_flops, *peak_bandwidth, *other, *top;
    option_texts show;
    uint64_t jobs;
    bool lists_tables, lists_modules;
} stat_options;

/* ---- options ---- */

static stat_options chosen = {
    .report = HLO_STATS_REPORT_OPTIONS_INIT, .counting = HLO_STATS_OPTIONS_INIT, .jobs = 1};

static const option_row table[] = {
    {"Output", "emit", 0, OPTION_CHOICE | OPTION_OFTEN, &chosen.form, FORMS,
     "text tables; one JSON object per module; one table as CSV; an HTML page", 0, 0},
    {"Output", "format", 0, OPTION_CHOICE, &chosen.form, FORMS, "the same as --emit", 0, 0},
    {"Output", "show", 0, OPTION_TEXTS | OPTION_OFTEN, &chosen.show, "TABLE",
     "only these tables (a,b, or all of each module); --list-tables names them. CSV has one; text "
     "and CSV of several files have modules, CSV of one has operations",
     0, 0},
    {"Output", "top", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.top, "N",
     "rows of each table (text: 10, html: 200, others: all; modules: all); all: every row", 0, 0},
    {"Output", "sort", 0, OPTION_TEXT, (void *)&chosen.report.sort, "COLUMN",
     "sort tables by this column of numbers, descending (time if present, else flops; modules: by "
     "file)",
     0, 0},
    {"Output", "exact", 0, OPTION_FLAG, &chosen.report.exact, NULL,
     "numbers without units, and names in full", 0, 0},
    {"Output", "list-tables", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.lists_tables, NULL,
     "list the tables and their columns and exit", 0, 0},
    {"Counting", "compare", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.other, "OTHER",
     "report the differences from MODULE to the module OTHER", 0, 0},
    {"Counting", "trip-counts", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.counting.trip_counts, NULL,
     "multiply the cost of a loop body by the trip count where it is known; XLA counts a body "
     "once. Times always do",
     0, 0},
    {"Counting", "jobs", 'j', OPTION_NUMBER, &chosen.jobs, "N",
     "count N files in parallel (1); 0: one per processor", 0, 4096},
    {"Roofline", "peak-flops", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.peak_flops, "N",
     "peak flops per second of a device: 989e12, 989T; adds times", 0, 0},
    {"Roofline", "peak-bandwidth", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.peak_bandwidth,
     "N", "peak bytes per second of a device: 3.35T; adds times", 0, 0},
    {"Roofline", "link-gbps", 0, OPTION_TEXT, (void *)&chosen.link_texts.gigabits, "N",
     "gigabits per second of each link, in each direction; adds times", 0, 0},
    {"Roofline", "link-us", 0, OPTION_TEXT, (void *)&chosen.link_texts.microseconds, "N",
     "latency of a link in microseconds (1)", 0, 0},
    {"Roofline", "topology", 0, OPTION_CHOICE, &chosen.link_texts.topology, TOPOLOGIES,
     "topology of the links between the devices of a group", 0, 0},
    {0},
};

static void offer_tables(completion *c) {
    hlo_table_row row;
    completion_member(c);
    completion_offer(c, "all", "every table");
    for (size_t t = 0; hlo_stats_table_row(t, &row); t++)
        completion_offer(c, row.name, row.description);
}

/* The first table, the summary, has a fixed order. */
enum { FIRST_SORTED = 1 };

static bool is_number(const hlo_table_row *column) {
    return strcmp(column->group, "text") != 0;
}

/* Whether a table before table `t` is sorted by a column of this name. */
static bool has_column_before(size_t t, const char *name) {
    hlo_table_row row;
    for (size_t i = FIRST_SORTED; i < t; i++)
        for (size_t k = 0; hlo_stats_column_row(i, k, &row); k++)
            if (is_number(&row) && strcmp(row.name, name) == 0) return true;
    return false;
}

static void offer_columns(completion *c) {
    hlo_table_row row;
    for (size_t t = FIRST_SORTED; hlo_stats_table_row(t, &row); t++)
        for (size_t k = 0; hlo_stats_column_row(t, k, &row); k++)
            if (is_number(&row) && !has_column_before(t, row.name))
                completion_offer(c, row.name, row.description);
}

static const value_words words[] = {{"TABLE", offer_tables}, {"COLUMN", offer_columns}, {0}};

static const program_info self = {
    .name = "hlo-stat",
    .usage = "[OPTION...] [MODULE...]",
    .purpose =
        "Reports statistics of HLO modules: operations, flops and bytes, memory, "
        "constants,\n"
        "collectives. MODULE is a file, a glob pattern, or a directory, of which every file that "
        "looks\n"
        "like a module is counted: a line for each, and their sum. Without MODULE, or for -, "
        "reads\n"
        "standard input.",
    .description = description_of_stat,
    .words = words,
    .options = table,
    .examples = "  hlo-stat dump.hlo\n"
                "  hlo-stat --emit=json dump.hlo | jq .summary.flops\n"
                "  hlo-stat --show=sources,scopes --top=20 dump.hlo\n"
                "  hlo-stat --peak-flops=989T --peak-bandwidth=3.35T --trip-counts dump.hlo\n"
                "  hlo-stat --compare=after.hlo before.hlo\n"
                "  hlo-stat --sort=peak_bytes dumps/\n"
                "  hlo-stat --emit=csv -o modules.csv dumps/\n"
                "  hlo-stat --emit=csv --show=instructions -o costs.csv dumps/\n"
                "  hlo-stat --emit=html -o dump.html dump.hlo\n",
};

/* A number with one of k, M, G, T, P, E after it, or none. */
static bool read_rate(const char *text, double *rate) {
    static const char prefixes[] = "kMGTPE";
    const char *end = hlo_read_number(text, rate);
    if (!end || !(*rate > 0 && *rate < 1e30)) return false;
    const char *prefix = *end ? strchr(prefixes, *end) : NULL;
    for (long n = prefix ? prefix - prefixes + 1 : 0; n > 0; n--) *rate *= 1000;
    return !end[prefix != NULL];
}

static bool read_top(const char *text, uint64_t *top) {
    bool fits;
    *top = UINT64_MAX;
    if (strcmp(text, "all") == 0) return true;
    const char *end = hlo_read_whole(text, top, &fits);
    return end && !*end && *top;
}

static int bad_rate(const char *name, const char *text) {
    return options_wrong_use(
        &self, "--%s takes a number above 0, optionally followed by k, M, G, T, P or E, not '%s'",
        name, text);
}

static int read_figures(stat_options *o) {
    if (o->peak_flops && !read_rate(o->peak_flops, &o->counting.peak_flops))
        return bad_rate("peak-flops", o->peak_flops);
    if (o->peak_bandwidth && !read_rate(o->peak_bandwidth, &o->counting.peak_bandwidth))
        return bad_rate("peak-bandwidth", o->peak_bandwidth);
    if (o->top && !read_top(o->top, &o->report.top))
        return options_wrong_use(&self, "--top takes a number above 0, or all, not '%s'", o->top);
    if (o->link_texts.gigabits || o->link_texts.microseconds) o->counting.links = &o->links;
    return links_check(&self, &o->link_texts, &o->links);
}

/* ---- tables ---- */

static bool is_of_report(const hlo_table_row *row) {
    return strcmp(row->name, "modules") == 0;
}

static bool add_table(stat_options *o, const char *name, size_t length) {
    hlo_table_row row;
    size_t t = 0;
    bool all = length == 3 && memcmp(name, "all", 3) == 0, found = all;
    for (; hlo_stats_table_row(t, &row); t++) {
        bool is_named = strlen(row.name) == length && memcmp(row.name, name, length) == 0;
        if (is_named && is_of_report(&row)) o->lists_modules = true;
        if (is_named || (all && !is_of_report(&row))) o->report.tables |= UINT64_C(1) << t;
        found |= is_named;
    }
    return found;
}

static int read_tables(stat_options *o) {
    for (size_t i = 0; i < o->show.count; i++)
        for (const char *at = o->show.v[i];; at++) {
            size_t n = strcspn(at, ",");
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), at);
            if (!add_table(o, at, n))
                return options_unknown_row(&self, "table", name, hlo_stats_table_row);
            at += n;
            if (!*at) break;
        }
    if (o->report.form == HLO_STATS_CSV && (o->report.tables & (o->report.tables - 1)))
        return options_wrong_use(&self, "--emit=csv has one table: --show=TABLE");
    if (o->other && o->lists_modules)
        return options_wrong_use(&self, "--compare has no table modules");
    return OPTIONS_GO_ON;
}

/* ---- the program ---- */

static int check(stat_options *o, const common_options *common) {
    int ended = read_figures(o);
    if (ended != OPTIONS_GO_ON) return ended;
    if (o->other && common->argument_count > 1)
        return options_wrong_use(&self, "--compare takes one module and OTHER");
    if (o->other && common->split_input)
        return options_wrong_use(&self, "--compare and --split-input-file are mutually exclusive");
    bool reads_input = !common->argument_count || strcmp(common->arguments[0], "-") == 0;
    if (o->other && reads_input && strcmp(o->other, "-") == 0)
        return options_wrong_use(&self, "only one of the modules can be standard input");
    if (!o->lists_tables) ending_note(self.name, common->output, "emit", FORMS, o->form);
    o->report.form = (hlo_stats_form)o->form;
    return read_tables(o);
}

static hlo_status work(const stat_options *o, const common_options *common, hlo_output *output,
                       hlo_diags *diags) {
    statistics_options how = {&o->counting, &o->report, o->other, o->jobs};
    listing list = listing_to(output, common);
    bool paints = list.colour && o->report.form == HLO_STATS_TEXT;
    if (!o->lists_tables)
        return (paints ? write_coloured_statistics : write_statistics)(&how, common, output, diags);
    list_statistics(&list);
    return hlo_output_commit(output, diags);
}

static int run(const stat_options *o, const common_options *common) {
    hlo_diags *diags = new_diags((uint32_t)common->max_errors);
    hlo_output *output;
    hlo_status status = hlo_output_open(common->output, diags, &output);
    if (status == HLO_OK) status = work(o, common, output, diags);
    hlo_output_free(output);
    return finish(diags, common, status);
}

int main(int argc, char **argv) {
    common_options common;
    process_begin();
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = check(&chosen, &common);
    if (ended == OPTIONS_GO_ON) ended = run(&chosen, &common);
    free(chosen.show.v);
    return ended;
}
