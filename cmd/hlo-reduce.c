/* hlo-reduce: the smallest module for which a command still succeeds. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "descriptions.h"
#include "modules.h"
#include "process.h"
#include "progress.h"
#include "say.h"
#include "trials.h"

typedef struct {
    const char *test;
    uint64_t timeout, jobs, max_tests;
    bool verbose, quiet;
    int literals;
} reduce_options;

/* The values of --literals: what a test sees is exact unless it is asked to be XLA's. */
#define REDUCE_LITERALS "exact|xla"
enum { REDUCE_EXACT, REDUCE_XLA };

typedef struct {
    const reduce_options *options;
    const char *output; /* NULL: standard output, at the end */
    trials *trials;
    hlo_diags *diags;
    hlo_status status;
    char *best; /* the last text that was accepted */
    size_t best_len, instructions;
    uint64_t tests; /* that were run */
    bool shows_line;
} reduce_work;

/* ---- the best so far ---- */

static hlo_status write_best(const reduce_work *work) {
    hlo_output *output;
    hlo_status status = hlo_output_open(work->output, work->diags, &output);
    if (status != HLO_OK) return status;
    hlo_output_write(output, work->best, work->best_len);
    status = hlo_output_commit(output, work->diags);
    hlo_output_free(output);
    return status;
}

/* A file has the best module at any time, so that work goes on from there another day. */
static hlo_status keep(reduce_work *work, const hlo_candidate *candidate) {
    char *text = process_made(realloc(work->best, candidate->len + 1), "the module");
    memcpy(text, candidate->text, candidate->len);
    work->best = text;
    work->best_len = candidate->len;
    work->instructions = candidate->instructions;
    return work->output ? write_best(work) : HLO_OK;
}

static void show_line(const reduce_work *work) {
    if (!work->shows_line) return;
    print_over("%llu tests, %zu instructions", (unsigned long long)work->tests, work->instructions);
}

static int test(void *context, const hlo_candidate *candidates, int count) {
    reduce_work *work = context;
    int chosen = trials_first_good(work->trials, candidates, count, work->diags);
    if (chosen == HLO_REDUCE_STOP && !trials_signal(work->trials)) work->status = HLO_BAD_SYSTEM;
    work->tests += (uint64_t)count;
    if (chosen >= 0) work->status = keep(work, &candidates[chosen]);
    show_line(work);
    return work->status == HLO_OK ? chosen : HLO_REDUCE_STOP;
}

/* ---- the run ---- */

static void sum_up(const reduce_work *work, const hlo_reduction *r, double seconds) {
    if (work->shows_line) print_over("%s", "");
    bool is_cut_off = !r->tests && work->status != HLO_OK; /* nothing to report */
    if (work->options->quiet || !work->best || is_cut_off) return;
    say("hlo-reduce", "%zu of %zu instructions left after %llu tests in %.1f s%s",
        work->instructions, r->instructions_before, (unsigned long long)r->tests, seconds,
        r->is_done ? "" : "; stopped early, it may be reducible further");
}

static hlo_status reduce(hlo_module *module, void *context, hlo_diags *diags) {
    reduce_work *work = context;
    hlo_reduce_options how = HLO_REDUCE_OPTIONS_INIT;
    hlo_reduction reduction;
    how.test = test;
    how.context = work;
    how.batch = (uint32_t)work->options->jobs;
    how.max_tests = work->options->max_tests;
    how.xla_literals = work->options->literals == REDUCE_XLA;
    double start = bench_now();
    hlo_module_forget_extras(module, diags);
    hlo_status status = hlo_reduce(module, &how, diags, &reduction);
    sum_up(work, &reduction, bench_now() - start);
    if (status == HLO_BAD_MODULE) trials_note_first(work->trials);
    status = worse(status, work->status);
    if (status == HLO_OK && work->best && !work->output) status = write_best(work);
    return status;
}

static int run(reduce_options *options, const common_options *common) {
    long processors = options->jobs ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 0) options->jobs = (uint64_t)processors;
    if (!options->jobs) options->jobs = 1;
    reduce_work work = {.options = options, .output = common->output};
    work.shows_line = !options->quiet && progress_is_possible();
    if (!process_can_write(common->output)) return HLO_BAD_SYSTEM;
    const trials_options how = {"hlo-reduce", options->test, (int)options->jobs, options->timeout,
                                options->verbose};
    work.trials = trials_open(&how);
    if (!work.trials) return HLO_BAD_SYSTEM;
    work.diags = new_diags((uint32_t)common->max_errors);
    hlo_status status = modules_each(common->arguments[0], common, reduce, &work, work.diags);
    int caught = trials_signal(work.trials);
    trials_close(work.trials);
    free(work.best);
    status = (hlo_status)finish(work.diags, common, status);
    trials_pass_on(caught);
    return (int)status;
}

static int check_options(const program_info *self, const reduce_options *o,
                         const common_options *common) {
    if (!o->test || !*o->test) return options_wrong_use(self, "--test is required");
    return at_most_one_module(self, common);
}

static reduce_options chosen = {.timeout = 60, .jobs = 1};

static const option_row table[] = {
    {"Reducing", "test", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.test, "COMMAND",
     "shell command that exits with 0 for interesting modules: run as COMMAND FILE, or with "
     "FILE for each {}; the module is also on its standard input",
     0, 0},
    {"Reducing", "timeout", 0, OPTION_NUMBER | OPTION_OFTEN, &chosen.timeout, "SECONDS",
     "time limit of the command, which fails when it is exceeded (60); 0: no limit", 0, 1000000000},
    {"Reducing", "jobs", 'j', OPTION_NUMBER | OPTION_OFTEN, &chosen.jobs, "N",
     "run N commands in parallel (1); 0: one per processor; the result does not depend on N", 0,
     256},
    {"Reducing", "max-tests", 0, OPTION_NUMBER, &chosen.max_tests, "N", "stop after N tests", 1, 0},
    {"Reducing", "literals", 0, OPTION_CHOICE, &chosen.literals, REDUCE_LITERALS,
     "negative zeros: -0.0, which reads back to the same bits; or -0 as in XLA", 0, 0},
    {"Reducing", "verbose", 'v', OPTION_FLAG, &chosen.verbose, NULL,
     "show the output of the commands", 0, 0},
    {"Reducing", "quiet", 'q', OPTION_FLAG | OPTION_OFTEN, &chosen.quiet, NULL,
     "no progress and no summary", 0, 0},
    {0},
};

static const term_row variables[] = {
    {"TMPDIR", "directory of the files of the commands (/tmp)"},
    {0},
};

static const program_info self = {
    .name = "hlo-reduce",
    .usage = "--test COMMAND [OPTION...] [MODULE]",
    .takes_whole_files = true,
    .purpose =
        "Shrinks an HLO module while COMMAND succeeds on it. Without MODULE, or for -, reads\n"
        "standard input. The file of -o always holds the smallest module so far; a run can\n"
        "continue from it.",
    .description = description_of_reduce,
    .files = files_of_reduce,
    .options = table,
    .variables = variables,
    .examples =
        "  hlo-reduce --test 'grep -q convolution' -o small.hlo dump.hlo\n"
        "  hlo-reduce --test '! hlo-run --inputs=hash --break-on-nan' -o small.hlo dump.hlo\n"
        "  hlo-reduce --test './crashes.sh {} 2>&1 | grep -q \"Check failed\"' -j0 -o small.hlo "
        "dump.hlo\n"
        "  hlo-reduce --test ./fails.sh --timeout=10 -o small.hlo small.hlo     continue "
        "result\n",
};

int main(int argc, char **argv) {
    common_options common;
    process_begin();
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = check_options(&self, &chosen, &common);
    return ended == OPTIONS_GO_ON ? run(&chosen, &common) : ended;
}
