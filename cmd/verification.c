/* The loop over files of hlo-verify. */
#include "verification.h"

#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "dump_modules.h"
#include "findings.h"
#include "jobs.h"
#include "process.h"
#include "progress.h"
#include "say.h"
#include "skipped.h"
#include "totals.h"

/* Where a module has a float that is written -0; line 0: nowhere. */
typedef struct {
    uint32_t line, column;
} minus_zero;

/* One file: what its thread finds and the main thread shows. Each has its own diagnostics, so that
 * --max-errors counts per file. */
typedef struct {
    const hlo_found_file *found; /* may be skipped by its content: no module */
    dump_modules modules;        /* that the file has, in their stages */
    bool is_known;               /* bad in ways that the baseline has */
    hlo_status status;
    size_t known;         /* findings that the baseline has */
    module_hashes hashes; /* of modules that were read, when copies are left out */
    verify_totals totals;
    minus_zero minus_zero;
    hlo_diags *diags;
} verified_file;

typedef struct {
    const verification_options *options;
    verified_file *files;
    size_t count;
    verify_totals totals;
    findings findings;
    copies copies;
    skipped_files skipped;
    dump_modules modules;
    hlo_status status;
} verification;

typedef struct {
    const verification_options *options;
    verified_file *file;
} module_context;

/* ---- verifying ---- */

static hlo_status note_hash(hlo_module *module, module_hashes *hashes, hlo_diags *diags) {
    char hash[HLO_HASH_SIZE];
    if (!hashes) return HLO_OK;
    hlo_status status = hlo_module_hash(module, hash, diags);
    if (status == HLO_OK) module_hashes_add(hashes, hash);
    return status;
}

static hlo_status verify_module(hlo_module *module, void *context, hlo_diags *diags) {
    const verification_options *options = ((module_context *)context)->options;
    verified_file *file = ((module_context *)context)->file;
    hlo_status status = note_hash(module, options->leaves_out_copies ? &file->hashes : NULL, diags);
    if (status == HLO_OK) status = hlo_verify_with(module, options->strictness, diags);
    if (!file->minus_zero.line)
        hlo_module_minus_zero(module, &file->minus_zero.line, &file->minus_zero.column);
    if (status == HLO_OK && options->lint) status = hlo_lint_module(options->lint, module, diags);
    if (status != HLO_OK) return status;
    hlo_module_facts facts = hlo_module_describe(module);
    dump_modules_add(&file->modules, facts.name, facts.name_len,
                     dump_stage_of(file->found, hlo_module_has_recording(module)));
    file->totals.modules++;
    file->totals.computations += facts.computations;
    file->totals.instructions += facts.instructions;
    return HLO_OK;
}

static void verify_file(size_t job, void *context) {
    verification *all = context;
    verified_file *file = &all->files[job];
    if (file->found->is_skipped) return;
    module_context to = {all->options, file};
    file->diags = findings_of_file(&all->findings, file->found->path);
    file->status =
        modules_each(file->found->path, all->options->common, verify_module, &to, file->diags);
}

/* ---- showing ---- */

/* Summaries go to another stream than the report. */
static void summary_line(void *verification_of_all, const char *text) {
    verification *all = verification_of_all;
    if (all->options->report) print_escaped_bytes(text, strlen(text));
    else hlo_output_write(all->options->output, text, strlen(text));
}

/* A path stays in its line, whatever it holds. */
static void summary_path(verification *all, const char *path) {
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    char *shown = process_made(escaped(name), "a path");
    summary_line(all, shown);
    free(shown);
}

static void say_skipped(verification *all, const verified_file *file) {
    const char *why = skipped_add(&all->skipped, file->found->kind);
    all->totals.skipped++;
    if (!all->options->verbose) return;
    summary_path(all, file->found->path);
    summary_line(all, ": skipped: ");
    summary_line(all, why);
    summary_line(all, "\n");
}

/* A part that is no module has no hash, so that bad files of several parts are no copies. */
static bool is_copy(verification *all, verified_file *file) {
    bool is_whole = file->status == HLO_OK ||
                    (file->status == HLO_BAD_MODULE && !all->options->common->split_input);
    const char *first =
        is_whole ? copies_find(&all->copies, file->found->path, &file->hashes) : NULL;
    free(file->hashes.v);
    if (!first) return false;
    dump_modules_free(&file->modules);
    if (all->options->verbose) {
        summary_path(all, file->found->path);
        summary_line(all, ": a copy of ");
        summary_path(all, first);
        summary_line(all, "\n");
    }
    all->totals.copies++;
    hlo_diags_free(file->diags);
    return true;
}

static const char *verdict_of(const verified_file *file) {
    if (file->is_known) return ": bad as in the baseline";
    if (file->status == HLO_OK) return ": good: ";
    return file->status == HLO_BAD_MODULE ? ": bad" : ": not read";
}

static void note_minus_zero(verification *all, const verified_file *file) {
    char text[160];
    snprintf(text, sizeof text,
             ":%u:%u: note: -0 is the integer 0, so that this float is +0, as in XLA; -0.0 is "
             "negative\n",
             file->minus_zero.line, file->minus_zero.column);
    summary_path(all, file->found->path);
    summary_line(all, text);
}

static void summarise_file(verification *all, const verified_file *file) {
    char counts[160] = "", known[60] = "";
    if (file->status == HLO_OK && !file->is_known)
        totals_counts(&file->totals, counts, sizeof counts);
    if (file->known) snprintf(known, sizeof known, ", %zu known", file->known);
    const char *parts[] = {verdict_of(file), counts, known, "\n"};
    summary_path(all, file->found->path);
    for (int i = 0; i < 4; i++) summary_line(all, parts[i]);
    if (file->minus_zero.line) note_minus_zero(all, file);
}

static void add_totals(verification *all, verified_file *file) {
    verify_totals *t = &all->totals;
    t->files++;
    if (file->is_known) t->known++;
    else if (file->status == HLO_OK) t->good++;
    else if (file->status == HLO_BAD_MODULE) t->bad++;
    else t->unread++;
    dump_modules_take(&all->modules, &file->modules);
    t->modules += file->totals.modules;
    t->computations += file->totals.computations;
    t->instructions += file->totals.instructions;
    t->warnings += file->totals.warnings;
    all->status = worse(all->status, file->status);
}

static void show_finished(size_t job, void *context) {
    verification *all = context;
    verified_file *file = &all->files[job];
    if (file->found->is_skipped) {
        say_skipped(all, file);
        return;
    }
    if (all->options->leaves_out_copies && is_copy(all, file)) return;
    hlo_status before = file->status;
    file->status = findings_settle(&all->findings, &file->diags, before, &file->known);
    file->is_known = before == HLO_BAD_MODULE && file->status == HLO_OK;
    file->totals.warnings = hlo_diags_warning_count(file->diags);
    add_totals(all, file);
    if (all->options->verbose) summarise_file(all, file);
    all->status = worse(all->status, findings_show(&all->findings, file->diags));
}

static void show_file(size_t job, void *context) {
    const verification *all = context;
    progress_hold();
    show_finished(job, context);
    progress_release();
    progress_show("%zu of %zu files verified: %s", job + 1, all->count,
                  all->files[job].found->path);
}

/* ---- all files ---- */

static void verify_files(verification *all, const hlo_found_file *found, size_t count) {
    all->files = process_made(calloc(count ? count : 1, sizeof *all->files), "the list of files");
    for (size_t i = 0; i < count; i++) all->files[i].found = &found[i];
    const job_kind kind = {verify_file, show_file, all};
    all->count = count;
    progress_begin(NULL, NULL);
    jobs_run(count, all->options->jobs, &kind);
    progress_end();
    free(all->files);
}

static void summarise(verification *all, size_t files) {
    char text[440];
    if (files > 1) {
        totals_line(&all->totals, text, sizeof text);
        summary_line(all, text);
        dump_modules_by_stage(&all->modules, summary_line, all);
    }
    skipped_by_kind(&all->skipped, summary_line, all);
    findings_by_rule(&all->findings, summary_line, all);
    findings_of_baseline(&all->findings, summary_line, all);
}

static hlo_status find_and_verify(verification *all) {
    static char *standard_input[] = {"-"};
    const verification_options *options = all->options;
    bool any = options->common->argument_count > 0;
    char *const *arguments = any ? options->common->arguments : standard_input;
    size_t count = any ? (size_t)options->common->argument_count : 1, found_count;
    hlo_diags *diags = new_diags(0);
    hlo_found_file *found;
    all->status = hlo_find_files(arguments, count, diags, &found, &found_count);
    all->status = worse(all->status, findings_show(&all->findings, diags));
    verify_files(all, found, found_count);
    copies_free(&all->copies); /* it names files of `found` */
    hlo_found_files_free(found, found_count);
    if (options->verbose) summarise(all, found_count);
    dump_modules_free(&all->modules);
    return all->status;
}

hlo_status verify_all(const verification_options *options, hlo_diags *diags) {
    verification all = {.options = options,
                        .findings = {.common = options->common,
                                     .quiet = options->quiet,
                                     .report = options->report,
                                     .writes_baseline = options->writes_baseline}};
    hlo_status status = HLO_OK;
    if (options->baseline)
        all.findings.baseline = process_made(hlo_baseline_create(), "the baseline");
    if (options->baseline && !options->writes_baseline)
        status = hlo_baseline_read(all.findings.baseline, options->baseline, diags);
    findings_begin(&all.findings);
    if (status == HLO_OK) status = find_and_verify(&all);
    if (options->writes_baseline && status <= HLO_BAD_MODULE)
        status = worse(status, findings_write_baseline(&all.findings, options->baseline, diags));
    findings_end(&all.findings);
    hlo_baseline_free(all.findings.baseline);
    return status;
}
