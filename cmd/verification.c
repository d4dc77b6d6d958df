/* The loop over files of hlo-verify. */
#include "verification.h"

#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "jobs.h"

typedef struct {
    size_t files, good, bad, unread, skipped, known; /* known: bad, and the baseline has it all */
    size_t modules, computations, instructions, warnings;
} verify_totals;

/* One file: what its thread finds and the main thread shows. Each has its own diagnostics, so that
 * --max-errors counts per file. */
typedef struct {
    const char *path;
    bool is_skipped; /* by its content: no module */
    bool is_known;   /* bad in ways that the baseline has */
    hlo_status status;
    size_t known; /* findings that the baseline has */
    verify_totals totals;
    hlo_diags *diags;
} verified_file;

typedef struct {
    const verification_options *options;
    verified_file *files;
    verify_totals totals;
    findings findings;
    hlo_status status;
} verification;

typedef struct {
    verify_totals *totals;
    const hlo_verify_options *strictness;
    const hlo_lint *lint;
} module_context;

/* ---- verifying ---- */

static hlo_status verify_module(hlo_module *module, void *context, hlo_diags *diags) {
    module_context *to = context;
    hlo_status status = hlo_verify_with(module, to->strictness, diags);
    if (status == HLO_OK && to->lint) status = hlo_lint_module(to->lint, module, diags);
    if (status != HLO_OK) return status;
    hlo_module_facts facts = hlo_module_describe(module);
    to->totals->modules++;
    to->totals->computations += facts.computations;
    to->totals->instructions += facts.instructions;
    return HLO_OK;
}

static void verify_file(size_t job, void *context) {
    verification *all = context;
    verified_file *file = &all->files[job];
    if (file->is_skipped) return;
    module_context to = {&file->totals, all->options->strictness, all->options->lint};
    file->diags = findings_of_file(&all->findings, file->path);
    file->status = modules_each(file->path, all->options->common, verify_module, &to, file->diags);
}

/* ---- showing ---- */

/* Summaries go to another stream than the report. */
static void summary_line(void *verification_of_all, const char *text) {
    verification *all = verification_of_all;
    if (all->options->report) fputs(text, stderr);
    else hlo_output_write(all->options->output, text, strlen(text));
}

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

static void say_counts(const verify_totals *t, char *text, size_t capacity) {
    int n = snprintf(text, capacity, "%zu module%s, %zu computation%s, %zu instruction%s",
                     t->modules, plural(t->modules), t->computations, plural(t->computations),
                     t->instructions, plural(t->instructions));
    if (t->warnings && n > 0 && (size_t)n < capacity)
        snprintf(text + n, capacity - (size_t)n, ", %zu warning%s", t->warnings,
                 plural(t->warnings));
}

static void say_skipped(verification *all, const verified_file *file) {
    all->totals.skipped++;
    if (!all->options->verbose) return;
    summary_line(all, file->path);
    summary_line(all, ": skipped: does not start like a module\n");
}

static const char *verdict_of(const verified_file *file) {
    if (file->is_known) return ": bad as in the baseline";
    if (file->status == HLO_OK) return ": good: ";
    return file->status == HLO_BAD_MODULE ? ": bad" : ": not read";
}

static void summarise_file(verification *all, const verified_file *file) {
    char counts[160] = "", known[60] = "";
    if (file->status == HLO_OK && !file->is_known) say_counts(&file->totals, counts, sizeof counts);
    if (file->known) snprintf(known, sizeof known, ", %zu known", file->known);
    const char *parts[] = {file->path, verdict_of(file), counts, known, "\n"};
    for (int i = 0; i < 5; i++) summary_line(all, parts[i]);
}

static void summarise_all(verification *all) {
    const verify_totals *t = &all->totals;
    char counts[160], known[60] = "", skipped[40] = "", text[400];
    say_counts(t, counts, sizeof counts);
    if (t->known) snprintf(known, sizeof known, ", %zu bad as in the baseline", t->known);
    if (t->skipped) snprintf(skipped, sizeof skipped, ", %zu skipped", t->skipped);
    snprintf(text, sizeof text, "%zu file%s: %zu good, %zu bad, %zu not read%s%s: %s\n", t->files,
             plural(t->files), t->good, t->bad, t->unread, known, skipped, counts);
    summary_line(all, text);
}

/* What was known, and what is not there any more: the baseline can be written again. */
static void summarise_baseline(verification *all) {
    const findings *f = &all->findings;
    char text[160];
    size_t left = f->writes_baseline ? 0 : hlo_baseline_left(f->baseline);
    if (f->writes_baseline)
        snprintf(text, sizeof text, "baseline: %zu finding%s\n", f->known, plural(f->known));
    else
        snprintf(text, sizeof text, "baseline: %zu finding%s known, %zu not met\n", f->known,
                 plural(f->known), left);
    if (f->baseline) summary_line(all, text);
}

static void add_totals(verification *all, const verified_file *file) {
    verify_totals *t = &all->totals;
    t->files++;
    if (file->is_known) t->known++;
    else if (file->status == HLO_OK) t->good++;
    else if (file->status == HLO_BAD_MODULE) t->bad++;
    else t->unread++;
    t->modules += file->totals.modules;
    t->computations += file->totals.computations;
    t->instructions += file->totals.instructions;
    t->warnings += file->totals.warnings;
    all->status = worse(all->status, file->status);
}

static void show_file(size_t job, void *context) {
    verification *all = context;
    verified_file *file = &all->files[job];
    if (file->is_skipped) {
        say_skipped(all, file);
        return;
    }
    hlo_status before = file->status;
    file->status = findings_settle(&all->findings, &file->diags, before, &file->known);
    file->is_known = before == HLO_BAD_MODULE && file->status == HLO_OK;
    file->totals.warnings = hlo_diags_warning_count(file->diags);
    add_totals(all, file);
    if (all->options->verbose) summarise_file(all, file);
    findings_show(&all->findings, file->diags);
}

/* ---- all files ---- */

static void verify_files(verification *all, const hlo_found_file *found, size_t count) {
    all->files = calloc(count ? count : 1, sizeof *all->files);
    if (!all->files) {
        fprintf(stderr, "hlo-verify: error: out of memory\n");
        exit(HLO_BAD_SYSTEM);
    }
    for (size_t i = 0; i < count; i++) {
        all->files[i].path = found[i].path;
        all->files[i].is_skipped = found[i].is_skipped;
    }
    const job_kind kind = {verify_file, show_file, all};
    jobs_run(count, all->options->jobs, &kind);
    free(all->files);
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
    findings_show(&all->findings, diags);
    verify_files(all, found, found_count);
    hlo_found_files_free(found, found_count);
    if (!options->verbose) return all->status;
    if (found_count > 1) summarise_all(all);
    findings_by_rule(&all->findings, summary_line, all);
    summarise_baseline(all);
    return all->status;
}

/* Whole or not at all, and only when every file could be read. */
static hlo_status write_baseline(const hlo_baseline *baseline, const char *path, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(path, diags, &output);
    if (status != HLO_OK) return status;
    hlo_baseline_write(baseline, output);
    status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

hlo_status verify_all(const verification_options *options, hlo_diags *diags) {
    verification all = {.options = options,
                        .findings = {.common = options->common,
                                     .quiet = options->quiet,
                                     .report = options->report,
                                     .writes_baseline = options->writes_baseline}};
    hlo_status status = HLO_OK;
    if (options->baseline) all.findings.baseline = hlo_baseline_create();
    if (options->baseline && !options->writes_baseline)
        status = hlo_baseline_read(all.findings.baseline, options->baseline, diags);
    findings_begin(&all.findings);
    if (status == HLO_OK) status = find_and_verify(&all);
    if (options->writes_baseline && status <= HLO_BAD_MODULE)
        status = worse(status, write_baseline(all.findings.baseline, options->baseline, diags));
    findings_end(&all.findings);
    hlo_baseline_free(all.findings.baseline);
    return status;
}
