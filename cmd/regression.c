/* The loop over the modules of a folder: see regression.h. */
#include "regression.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "junit.h"
#include "process.h"
#include "progress.h"
#include "records.h"
#include "say.h"
#include "watch.h"

bool regression_is_asked(const common_options *common) {
    return common->argument_count && is_folder(common->arguments[0]);
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

static char *no_record(const record_places *places, const char *module) {
    char *text, *folder = record_folder(places, module);
    if (asprintf(&text,
                 "no recorded result: no NAME.npz, NAME.json, NAME/out0.npy or out0.npy in %s, and "
                 "none in the module",
                 folder) < 0)
        process_no_memory("a reason");
    free(folder);
    return text;
}

static char *end_by_signal(void) {
    const char *name = watch_signal() == SIGINT ? "SIGINT" : "SIGTERM";
    char *text;
    if (asprintf(&text, "%s ended the run", name) < 0) process_no_memory("a reason");
    return text;
}

static void settle(const record_places *places, regression_case *one, const one_run *run,
                   hlo_status status, const run_files *files, hlo_diags *diags) {
    if (run->is_skipped) {
        one->outcome = CASE_SKIPPED;
        one->reason = no_record(places, one->path);
    } else if (status != HLO_OK && watch_signal()) {
        one->outcome = CASE_FAILED;
        one->reason = end_by_signal();
        one->details = all_errors(diags); /* where it was */
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
    one->status = status;
    settle(places, one, &run, status, files, diags);
    hlo_output_free(files->report);
    hlo_output_free(files->largest);
    *files = before;
    free(record);
    progress_hold();
    finish(diags, how->common, status);
    progress_release();
}

/* ---- lines ---- */

/* Standard output gets each line at once, so that a run which is ended loses none; the file of -o
 * appears whole. */
static hlo_status put_line(hlo_output *file, const char *line, hlo_diags *diags) {
    hlo_output *output = file;
    hlo_status status = file ? HLO_OK : hlo_output_open(NULL, diags, &output);
    if (status != HLO_OK) return status;
    hlo_output_write(output, line, strlen(line));
    if (file) return HLO_OK;
    progress_hold();
    status = hlo_output_commit(output, diags);
    progress_release();
    hlo_output_free(output);
    return status;
}

static hlo_status put_case(hlo_output *file, const regression_case *one, hlo_diags *diags) {
    static const char *const words[CASE_OUTCOMES] = {"passed", "failed", "failed", "skipped"};
    char *path = process_made(escaped(one->path), "a path");
    char *reason = process_made(escaped(one->reason ? one->reason : ""), "a reason");
    char *line;
    if (asprintf(&line, "%s: %s%s%s\n", path, words[one->outcome], *reason ? ": " : "", reason) < 0)
        process_no_memory("a line");
    hlo_status status = put_line(file, line, diags);
    free(line);
    free(reason);
    free(path);
    return status;
}

static hlo_status put_sums(hlo_output *file, const size_t sums[CASE_OUTCOMES], hlo_diags *diags) {
    char line[128];
    snprintf(line, sizeof line, "%zu passed, %zu failed, %zu skipped\n", sums[CASE_PASSED],
             sums[CASE_DIFFERS] + sums[CASE_FAILED], sums[CASE_SKIPPED]);
    return put_line(file, line, diags);
}

/* ---- all modules ---- */

/* A folder of which nothing was compared is no success: its records have other names. */
static hlo_status check_skipped(const record_places *places, size_t skipped) {
    if (skipped < places->count) return HLO_OK;
    say(program_invocation_short_name,
        "error: no module of %s was compared: none has a recorded result", places->folder);
    return HLO_BAD_MODULE;
}

/* The status is that of the output. *worst: of the modules; *ran: how many have an outcome. A
 * signal ends the runs in the last of them. */
static hlo_status run_cases(const regression *how, const record_places *places,
                            regression_case *cases, hlo_output *file, hlo_diags *diags,
                            hlo_status *worst, size_t *ran) {
    size_t sums[CASE_OUTCOMES] = {0};
    hlo_status status = HLO_OK;
    progress_begin(NULL, NULL);
    for (*ran = 0; *ran < places->count && status == HLO_OK && !watch_signal();) {
        regression_case *one = &cases[*ran];
        one->path = places->modules[*ran];
        progress_show("%zu of %zu modules run: %s", *ran, places->count, one->path);
        run_case(how, places, one);
        status = put_case(file, one, diags);
        *worst = worse(*worst, one->status);
        sums[one->outcome]++;
        ++*ran;
    }
    progress_end();
    if (watch_signal()) return HLO_BAD_SYSTEM;
    if (status == HLO_OK) status = put_sums(file, sums, diags);
    *worst = worse(*worst, check_skipped(places, sums[CASE_SKIPPED]));
    return status;
}

/* The outcomes that are known are written after a signal, too. */
static hlo_status write_junit(hlo_output *junit, const record_places *places,
                              const regression_case *cases, size_t ran, hlo_diags *diags) {
    junit_write(junit, places->folder, cases, ran);
    return hlo_output_commit(junit, diags);
}

static bool names_file(const char *output) {
    return output && strcmp(output, "-") != 0;
}

/* The outputs are opened before the runs, so that one which cannot be written costs none. */
static hlo_status run_and_write(const regression *how, const record_places *places,
                                hlo_diags *diags) {
    hlo_output *output = NULL, *junit = NULL;
    const char *file = how->common->output;
    hlo_status worst = HLO_OK;
    size_t ran = 0;
    regression_case *cases =
        process_made(calloc(places->count, sizeof *cases), "the list of modules");
    hlo_status status = names_file(file) ? hlo_output_open(file, diags, &output) : HLO_OK;
    if (status == HLO_OK && how->junit) status = hlo_output_open(how->junit, diags, &junit);
    if (status == HLO_OK) {
        status = run_cases(how, places, cases, output, diags, &worst, &ran);
        if (watch_signal()) watch_settle();
        if (status == HLO_OK && output) status = hlo_output_commit(output, diags);
        if (junit && (status == HLO_OK || watch_signal()))
            status = worse(status, write_junit(junit, places, cases, ran, diags));
    }
    hlo_output_free(output);
    hlo_output_free(junit);
    for (size_t i = 0; i < ran; i++) {
        free(cases[i].reason);
        free(cases[i].details);
    }
    free(cases);
    return worse(status, worst);
}

/* Of an earlier run: outcomes that look like those of a run which had none would mislead. */
static void remove_earlier(const char *junit) {
    struct stat st;
    if (junit && lstat(junit, &st) == 0 && S_ISREG(st.st_mode)) unlink(junit);
}

static hlo_status check_records(const char *directory) {
    struct stat st;
    int bad = 0;
    if (!directory) return HLO_OK;
    if (stat(directory, &st) != 0) bad = errno;
    else if (!S_ISDIR(st.st_mode)) bad = ENOTDIR;
    if (!bad) return HLO_OK;
    say(program_invocation_short_name, "error: cannot read records in %s: %s", directory,
        strerror(bad));
    return HLO_BAD_SYSTEM;
}

hlo_status regression_run(const regression *how, hlo_diags *diags) {
    char **paths;
    size_t count;
    remove_earlier(how->junit);
    hlo_status status = check_records(how->files->expect);
    if (status != HLO_OK) return status;
    status = hlo_find_modules(how->common->arguments, 1, diags, &paths, &count);
    record_places places = {how->common->arguments[0], how->files->expect, paths, count};
    if (count) status = worse(status, run_and_write(how, &places, diags));
    hlo_paths_free(paths, count);
    return status;
}
