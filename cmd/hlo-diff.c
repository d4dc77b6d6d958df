/* hlo-diff: what differs between two modules, or between the modules of two folders. */
#include <string.h>
#include <sys/stat.h>

#include "descriptions.h"
#include "ending.h"
#include "folder_diff.h"
#include "json_lines.h"
#include "listing.h"
#include "modules.h"
#include "option_names.h"
#include "process.h"
#include "progress.h"

typedef struct {
    hlo_diff_options options;
    const common_options *common;
    hlo_pipeline *pipeline; /* that both go through before, or NULL */
    hlo_module *first;
    bool same;
} diff_work;

/* Readable lines in colours, by way of memory. */
static hlo_status write_coloured(hlo_module *second, diff_work *work, hlo_output *output,
                                 hlo_diags *diags) {
    size_t n;
    hlo_output *text = process_made(hlo_output_to_memory(), "the differences");
    hlo_status status =
        hlo_write_diff(work->first, second, &work->options, text, diags, &work->same);
    if (status == HLO_OK) status = hlo_output_commit(text, diags);
    const char *bytes = hlo_output_bytes(text, &n);
    listing_paint(output, bytes, n, listing_of_changes);
    hlo_output_free(text);
    return status;
}

static hlo_status write_difference(hlo_module *second, diff_work *work, hlo_output *output,
                                   hlo_diags *diags) {
    if (work->common->colours_output && !work->options.json)
        return write_coloured(second, work, output, diags);
    return hlo_write_diff(work->first, second, &work->options, output, diags, &work->same);
}

static size_t count_of(const hlo_module *module) {
    return hlo_module_describe(module).instructions;
}

static hlo_status compare(hlo_module *second, void *context, hlo_diags *diags) {
    diff_work *work = context;
    hlo_output *output;
    hlo_status status = diff_prepare(work->pipeline, second, diags);
    if (status == HLO_OK) status = hlo_output_open(work->common->output, diags, &output);
    if (status != HLO_OK) return status;
    bool shows = progress_begin_stage("comparing %zu with %zu instructions", count_of(work->first),
                                      count_of(second));
    status = write_difference(second, work, output, diags);
    progress_end_stage(shows);
    if (status == HLO_OK) status = modules_commit(output, work->common->output, diags);
    hlo_output_free(output);
    return status;
}

static hlo_status read_second(hlo_module *first, void *context, hlo_diags *diags) {
    diff_work *work = context;
    work->first = first;
    hlo_status status = diff_prepare(work->pipeline, first, diags);
    if (status != HLO_OK) return status;
    return modules_each(work->common->arguments[1], work->common, compare, work, diags);
}

static diff_work work = {.options = HLO_DIFF_OPTIONS_INIT};
static int format = REPORT_TEXT;
static const char *pipeline;

static const option_row table[] = {
    {"Output", "format", 0, OPTION_CHOICE | OPTION_OFTEN, &format, REPORT_FORMS,
     "readable lines, or one JSON object", 0, 0},
    {"Output", "emit", 0, OPTION_CHOICE, &format, REPORT_FORMS, "the same as --format", 0, 0},
    {"Output", "brief", 'q', OPTION_FLAG | OPTION_OFTEN, &work.options.brief, NULL,
     "only count the differences", 0, 0},
    {"Comparison", "metadata", 0, OPTION_FLAG | OPTION_OFTEN, &work.options.metadata, NULL,
     "also compare metadata, stack frames, origins and statistics", 0, 0},
    {"Comparison", "layouts", 0, OPTION_SWITCH, &work.options.layouts, NULL,
     "compare layouts, too (default)", 0, 0},
    {"Comparison", "schedule", 0, OPTION_FLAG | OPTION_OFTEN, &work.options.schedule, NULL,
     "also compare the order of instructions where both modules are scheduled", 0, 0},
    {"Comparison", "pipeline", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&pipeline, "PIPELINE",
     "run a pipeline of hlo-opt on both modules first, for example canonical", 0, 0},
    {0},
};

static const program_info self = {
    .name = "hlo-diff",
    .usage = "[OPTION...] MODULE MODULE",
    .takes_whole_files = true,
    .purpose =
        "Compares two modules: what was added, removed and changed, regardless of names and\n"
        "order; of two directories, each module with its counterpart. Exit status 0: no\n"
        "difference; 1: differences, or a module that cannot be read.",
    .description = description_of_diff,
    .options = table,
    .examples = "  hlo-diff before.hlo after.hlo\n"
                "  hlo-opt --passes=cse --literals=exact dump.hlo | hlo-diff dump.hlo -\n"
                "  hlo-diff --format=json before.hlo after.hlo | jq .computations\n"
                "  hlo-diff --pipeline=canonical --brief old-dumps new-dumps\n",
};

static bool is_standard_input(const char *path) {
    return strcmp(path, "-") == 0;
}

static hlo_status read_pipeline(hlo_diags *diags) {
    if (!pipeline) return HLO_OK;
    return hlo_pipeline_parse("--pipeline", hlo_pipeline_passes(pipeline), diags, &work.pipeline);
}

/* Two modules, or the modules of two folders. */
static hlo_status compare_all(const common_options *common, hlo_diags *diags) {
    hlo_status status = read_pipeline(diags);
    if (status != HLO_OK) return status;
    folder_diff folders = {work.options, common, work.pipeline};
    if (is_folder(common->arguments[0])) status = folder_diff_write(&folders, diags, &work.same);
    else status = modules_each(common->arguments[0], common, read_second, &work, diags);
    hlo_pipeline_free(work.pipeline);
    return status == HLO_OK && !work.same ? HLO_BAD_MODULE : status;
}

/* A directory and something else; a file that is missing is what it is for every program. */
static int refuse_one_folder(const common_options *common) {
    const char *a = common->arguments[0], *b = common->arguments[1], *other = is_folder(a) ? b : a;
    struct stat unused;
    if (is_standard_input(other) || stat(other, &unused) == 0)
        return options_wrong_use(
            &self, "one of '%s' and '%s' is a directory: expected both, or none", a, b);
    hlo_source *source = NULL;
    hlo_diags *diags = new_diags((uint32_t)common->max_errors);
    hlo_status status = modules_read_source(other, common, diags, &source);
    hlo_source_free(source);
    return finish(diags, common, status);
}

int main(int argc, char **argv) {
    common_options common;
    process_begin();
    int ended = options_read(&self, argc, argv, &common);
    if (ended != OPTIONS_GO_ON) return ended;
    if (common.argument_count != 2)
        return options_wrong_use(&self, "expected two modules, got %d", common.argument_count);
    if (is_standard_input(common.arguments[0]) && is_standard_input(common.arguments[1]))
        return options_wrong_use(&self, "only one of the modules can be standard input");
    if (is_folder(common.arguments[0]) != is_folder(common.arguments[1]))
        return refuse_one_folder(&common);
    if (pipeline && !hlo_pipeline_passes(pipeline))
        return options_unknown_row(&self, "pipeline", pipeline, hlo_pipeline_row);
    ending_note(self.name, common.output, "format", REPORT_FORMS, format);
    work.options.json = format == REPORT_JSON;
    work.common = &common;
    hlo_diags *diags = new_diags((uint32_t)common.max_errors);
    return finish(diags, &common, compare_all(&common, diags));
}
