/* Fails every allocation in turn inside each function of hlo.h: the call must report an error (or
 * give what it gives undisturbed), leak nothing, and succeed when it is made again.
 *
 *   faults --list               the functions
 *   faults [--verbose] [--most=N] [NAME]   a line for every row; only rows of functions with that
 *                                          name; only N of the allocations of each
 *
 * Each row runs in a separate process, so that a crash is the row's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/allocator.h"
#include "faults/faults.h"

static char folder[] = "/tmp/faults-XXXXXX";

/* Of the row that runs, for the parent process. */
static struct {
    long injections, errors, unharmed;
    long at; /* the allocation that fails now */
    bool has_failed;
} * progress;

void faults_digest(faults_case *c, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) c->digest = (c->digest ^ at[i]) * 0x100000001b3;
}

bool faults_digest_output(faults_case *c) {
    size_t count;
    if (hlo_output_commit(c->output, c->diags) != HLO_OK) return false;
    const char *bytes = hlo_output_bytes(c->output, &count);
    faults_digest(c, bytes, count);
    return true;
}

static bool is_verbose;
static long most; /* of the allocations of a row fail, as far from each other as they are; 0: all */

/* ---- a case ---- */

static hlo_module *read_module(const char *text, hlo_diags *diags) {
    hlo_module *module = NULL;
    hlo_source *source = hlo_source_from_text("m.hlo", text, strlen(text));
    if (hlo_parse(source, diags, &module) != HLO_OK || hlo_verify(module, diags) != HLO_OK) {
        hlo_diags_render(diags, stderr, false);
        exit(2);
    }
    hlo_source_free(source);
    return module;
}

static void prepare_run(faults_case *c, unsigned needs) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = needs & IS_THREADED ? 4 : 1;
    hlo_run_prepare(c->module, &options, c->diags, &c->run);
    if (needs & NEEDS_INPUTS) hlo_run_fill_inputs(c->run, HLO_FILL_HASH_POSITIVE, 1, c->diags);
    if (needs & NEEDS_RESULT) hlo_run_execute(c->run, c->diags);
}

static void prepare(faults_case *c, unsigned needs) {
    const char *text = needs & IS_THREADED ? faults_threaded_text : faults_text;
    *c = (faults_case){.folder = folder, .diags = hlo_diags_create(0), .digest = 1};
    if (needs & NEEDS_SOURCE) c->source = hlo_source_from_text("m.hlo", text, strlen(text));
    if (needs & NEEDS_MODULE) c->module = read_module(text, c->diags);
    if (needs & NEEDS_SECOND) c->second = read_module(faults_second_text, c->diags);
    if (needs & NEEDS_OUTPUT) c->output = hlo_output_to_memory();
    if (needs & NEEDS_PIPELINE)
        hlo_pipeline_parse("passes", "algsimp,constant_folding,fix(cse,dce),while_loop_unroller",
                           c->diags, &c->pipeline);
    if (needs & NEEDS_ERRORS) {
        hlo_source *bad =
            hlo_source_from_text("bad", faults_broken_text, strlen(faults_broken_text));
        hlo_parse(bad, c->diags, &c->made);
        hlo_source_free(bad);
    }
    if (needs & NEEDS_REPORT) c->report = hlo_report_begin(HLO_REPORT_JSON, c->output);
    if (needs & NEEDS_RUN) prepare_run(c, needs);
}

static void finish(faults_case *c) {
    hlo_report_end(c->report);
    hlo_run_free(c->run);
    hlo_pipeline_free(c->pipeline);
    hlo_pass_stats_free(c->stats);
    hlo_lint_free(c->lint);
    hlo_verify_options_free(c->options);
    hlo_module_free(c->module);
    hlo_module_free(c->second);
    hlo_module_free(c->made);
    hlo_source_free(c->source);
    hlo_source_free(c->made_source);
    hlo_source_parts_free(c->parts, c->part_count);
    hlo_paths_free(c->paths, c->path_count);
    hlo_output_free(c->output);
    hlo_diags_free(c->diags);
    hlo_diags_free(c->made_diags);
}

/* What the call made, apart from the digest that it computed itself. */
static void digest_modules(faults_case *c) {
    hlo_output *output = hlo_output_to_memory();
    size_t count;
    if (c->module) hlo_write_text(c->module, NULL, output, c->diags);
    if (c->made) hlo_write_text(c->made, NULL, output, c->diags);
    const char *bytes = hlo_output_bytes(output, &count);
    faults_digest(c, bytes, count);
    hlo_output_free(output);
}

/* ---- a row ---- */

static void fail(const faults_row *row, const char *what) {
    progress->has_failed = true;
    printf("%s (%s), allocation %ld: %s\n", row->function, row->variant, progress->at, what);
}

static bool call(const faults_row *row, faults_case *c) {
    bool good = row->call(c);
    if (good) digest_modules(c);
    return good;
}

/* The call that nothing disturbs: its digest, and how many allocations it has. */
static uint64_t undisturbed(const faults_row *row, long *count) {
    faults_case c;
    bool failed;
    prepare(&c, row->needs);
    faults_arm(-1);
    bool good = row->call(&c);
    *count = faults_disarm(&failed);
    if (good) digest_modules(&c);
    else {
        fail(row, "fails when nothing is disturbed");
        hlo_diags_render(c.diags, stdout, false);
    }
    uint64_t digest = c.digest;
    finish(&c);
    return digest;
}

static void call_again(const faults_row *row, faults_case *c, uint64_t wanted) {
    if (row->needs & SPOILS_MODULE) {
        if (row->call(c)) fail(row, "a module that was half changed is taken");
        return;
    }
    if (row->needs & SPENDS) {
        finish(c);
        prepare(c, row->needs);
    }
    c->digest = 1;
    if (!call(row, c)) {
        fail(row, "fails when it is made again");
        hlo_diags_render(c->diags, stdout, false);
    } else if (c->digest != wanted) {
        fail(row, "gives something else when it is made again");
    }
}

/* One allocation fails: an error, or nothing is lost. */
static void disturb(const faults_row *row, uint64_t wanted) {
    faults_case c;
    bool failed;
    long before = faults_live();
    prepare(&c, row->needs);
    uint32_t errors = hlo_diags_error_count(c.diags);
    faults_arm(progress->at);
    bool good = row->call(&c);
    faults_disarm(&failed);
    progress->injections += failed;
    if (good) {
        progress->unharmed += failed;
        digest_modules(&c);
        if (c.digest != wanted) fail(row, "succeeds and gives something else");
    } else {
        progress->errors++;
        if (!failed) fail(row, "fails though nothing was disturbed");
        if (c.diags && hlo_diags_error_count(c.diags) < errors) fail(row, "loses errors");
        call_again(row, &c, wanted);
    }
    finish(&c);
    long leaked = faults_live() - before;
    if (leaked > 0 && !(row->needs & IS_THREADED)) { /* threads keep separate memory */
        fail(row, "leaks");
        printf("  %ld blocks\n", leaked);
    }
}

static void run_row(const faults_row *row) {
    long count, warm;
    undisturbed(row, &warm); /* what libraries allocate once is there afterwards */
    uint64_t wanted = undisturbed(row, &count);
    long step = most && count > most ? (count + most - 1) / most : 1;
    for (long n = 1; n <= count && !progress->has_failed; n += step) {
        progress->at = n;
        disturb(row, wanted);
    }
    fflush(stdout);
}

/* False when the row failed. */
static bool run_apart(const faults_row *row) {
    memset(progress, 0, sizeof *progress);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        run_row(row);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status) fail(row, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ends the process");
    if (is_verbose)
        printf("%-40s %-12s %6ld injections, %ld errors, %ld unharmed\n", row->function,
               row->variant, progress->injections, progress->errors, progress->unharmed);
    return !progress->has_failed;
}

/* ---- the whole ---- */

static int list(void) {
    const faults_row *row;
    for (size_t i = 0; (row = faults_row_at(i)); i++) printf("%s\n", row->function);
    return 0;
}

int main(int argc, char **argv) {
    long injections = 0, errors = 0, unharmed = 0;
    int passed = 0, failed = 0;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) return list();
        if (strcmp(argv[i], "--verbose") == 0) is_verbose = true;
        else if (strncmp(argv[i], "--most=", 7) == 0) most = atol(argv[i] + 7);
        else only = argv[i];
    }
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(folder) || progress == MAP_FAILED) return 2;
    faults_write_files(folder);
    const faults_row *row;
    for (size_t i = 0; (row = faults_row_at(i)); i++) {
        if (only && !strstr(row->function, only)) continue;
        if (run_apart(row)) passed++;
        else failed++;
        injections += progress->injections;
        errors += progress->errors;
        unharmed += progress->unharmed;
    }
    char remove[64];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (system(remove) != 0) failed++;
    printf("%ld allocations failed: %ld errors, %ld calls that did without\n", injections, errors,
           unharmed);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
