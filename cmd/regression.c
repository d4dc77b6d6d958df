/* The loop over the modules of a folder: see regression.h. */
#include "regression.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "junit.h"
#include "listing.h"
#include "process.h"
#include "progress.h"
#include "records.h"
#include "say.h"
#include "watch.h"

bool regression_is_asked(const common_options *common) {
    struct stat st;
    return common->argument_count && stat(common->arguments[0], &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- one module ---- */

typedef struct {
    const regression *how;
    const char *record; /* NULL: what the module itself has */
    bool is_skipped;
} one_run;

static hlo_status run_one(hlo_module *module, void *context, hlo_diags *diags) {
    one_run *one = context;
    one->is_skipped = !one->record && !hlo_module_has_result(module);
    return one->is_skipped ? HLO_OK : one->how->work(module, one->how->context, diags);
}

/* The text that was written, without the last end of line. */
static char *text_of(const hlo_output *written) {
    size_t n;
    const char *bytes = hlo_output_bytes(written, &n);
    while (n && bytes[n - 1] == '\n') n--;
    return n ? process_made(strndup(bytes, n), "a report") : NULL;
}

/* The first error, with its line and column where it has a place. */
static char *first_error(const hlo_diags *diags) {
    hlo_diag_info info = {.message = "failed"};
    for (const hlo_diag *d = hlo_diags_first(diags); d; d = hlo_diag_next(d))
        if (hlo_diag_describe(d, &info) && info.severity == HLO_ERROR) break;
    char place[40] = "", *text;
    if (info.line) snprintf(place, sizeof place, "%u:%u: ", info.line, info.column);
    if (asprintf(&text, "%s%s", place, info.message) < 0) process_no_memory("a message");
    return text;
}

static char *all_errors(hlo_diags *diags) {
    hlo_output *text = process_made(hlo_output_to_memory(), "the messages");
    hlo_diags_write(diags, false, text);
    char *errors = text_of(text);
    hlo_output_free(text);
    return errors;
}

static const char no_record[] = "no recorded result: no NAME.npz, NAME.json, NAME/out0.npy or "
                                "out0.npy beside it, and none in the module";

static void settle(regression_case *one, const one_run *run, hlo_status status,
                   const run_files *files, hlo_diags *diags) {
    if (run->is_skipped) {
        one->outcome = CASE_SKIPPED;
        one->reason = process_made(strdup(no_record), "a reason");
    } else if (status != HLO_OK) {
        one->reason = text_of(files->largest);
        one->outcome = one->reason ? CASE_DIFFERS : CASE_FAILED;
        one->details = one->reason ? text_of(files->report) : all_errors(diags);
        if (!one->reason) one->reason = first_error(diags);
    }
}

/* The inputs of a recorded run are the module's own: none of them is generated. */
static void run_case(const regression *how, const record_places *places, regression_case *one) {
    run_files *files = how->files, before = *files;
    hlo_diags *diags = new_diags((uint32_t)how->common->max_errors);
    char *record = record_find(places, one->path);
    one_run run = {.how = how, .record = record};
    double start = bench_now();
    files->output = NULL;
    files->input_dir = files->expect = record;
    files->is_record = true;
    files->report = process_made(hlo_output_to_memory(), "a report");
    files->largest = process_made(hlo_output_to_memory(), "a report");
    if (!record) files->fill = -1;
    hlo_diags_set_file(diags, one->path);
    hlo_status status = modules_each(one->path, how->common, run_one, &run, diags);
    one->seconds = bench_now() - start;
    settle(one, &run, status, files, diags);
    hlo_output_free(files->report);
    hlo_output_free(files->largest);
    *files = before;
    free(record);
    progress_hold();
    finish(diags, how->common, status);
    progress_release();
}

/* ---- all modules ---- */

static void put_case(const listing *list, const regression_case *one) {
    static const char *const words[CASE_OUTCOMES] = {"passed", "failed", "failed", "skipped"};
    char *path = process_made(escaped(one->path), "a path");
    char *reason = process_made(escaped(one->reason ? one->reason : ""), "a reason");
    listing_put(list, "%s: %s%s%s\n", path, words[one->outcome], *reason ? ": " : "", reason);
    free(reason);
    free(path);
}

static hlo_status run_cases(const regression *how, const record_places *places,
                            regression_case *cases, hlo_output *output) {
    listing list = listing_to(output, how->common);
    size_t sums[CASE_OUTCOMES] = {0};
    progress_begin(NULL, NULL);
    for (size_t i = 0; i < places->count && !watch_signal(); i++) {
        progress_show("%zu of %zu modules run: %s", i, places->count, places->modules[i]);
        cases[i].path = places->modules[i];
        run_case(how, places, &cases[i]);
        put_case(&list, &cases[i]);
        sums[cases[i].outcome]++;
    }
    progress_end();
    size_t failed = sums[CASE_DIFFERS] + sums[CASE_FAILED];
    listing_put(&list, "%zu passed, %zu failed, %zu skipped\n", sums[CASE_PASSED], failed,
                sums[CASE_SKIPPED]);
    return failed ? HLO_BAD_MODULE : HLO_OK;
}

/* The outputs are opened before the runs, so that one which cannot be written costs none. */
static hlo_status run_and_write(const regression *how, const record_places *places,
                                hlo_diags *diags) {
    hlo_output *output = NULL, *junit = NULL;
    regression_case *cases =
        process_made(calloc(places->count, sizeof *cases), "the list of modules");
    hlo_status status = hlo_output_open(how->common->output, diags, &output);
    if (status == HLO_OK && how->junit) status = hlo_output_open(how->junit, diags, &junit);
    if (status == HLO_OK) {
        status = run_cases(how, places, cases, output);
        if (watch_signal()) status = HLO_BAD_SYSTEM;
        if (status <= HLO_BAD_MODULE) status = worse(status, hlo_output_commit(output, diags));
        if (status <= HLO_BAD_MODULE && junit) {
            junit_write(junit, places->folder, cases, places->count);
            status = worse(status, hlo_output_commit(junit, diags));
        }
    }
    hlo_output_free(output);
    hlo_output_free(junit);
    for (size_t i = 0; i < places->count; i++) {
        free(cases[i].reason);
        free(cases[i].details);
    }
    free(cases);
    return status;
}

hlo_status regression_run(const regression *how, hlo_diags *diags) {
    char **paths;
    size_t count;
    hlo_status status = hlo_find_modules(how->common->arguments, 1, diags, &paths, &count);
    record_places places = {how->common->arguments[0], how->files->expect, paths, count};
    if (count) status = worse(status, run_and_write(how, &places, diags));
    hlo_paths_free(paths, count);
    return status;
}
