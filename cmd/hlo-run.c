/* hlo-run: executes a module on the CPU. */
#include <stdlib.h>

#include "bench.h"
#include "modules.h"

typedef struct {
    const char *input_dir, *output_dir, *bench_json;
    const char *outfeed;
    option_texts infeed;
    const char *expect, *rtol, *atol;
    hlo_compare_options tolerance;
    int inputs; /* hlo_input_fill; -1: none are made up */
    int engine, executor, stub;
    bool trace_values, break_on_nan;
    uint64_t seed, print_limit, repeat, bench, threads, replicas, partitions;
    char **files; /* the inputs in order; NULL ends them */
    const common_options *common;
    double start;
} run_options;

/* "hash|zeros|...": what --inputs takes, in the order of hlo_input_fill. */
static const char *fill_choices(char *room, size_t size) {
    hlo_table_row row;
    room[0] = '\0';
    for (size_t i = 0, n = 0; hlo_fill_row(i, &row) && n < size; i++)
        n += (size_t)snprintf(room + n, size - n, "%s%s", i ? "|" : "", row.name);
    return room;
}

static hlo_status set_inputs(hlo_run *run, const run_options *options, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    bool filled = options->inputs >= 0;
    for (uint32_t leaf = 0; options->files[leaf] && status == HLO_OK; leaf++)
        status = hlo_run_read_input(run, leaf, options->files[leaf], diags);
    if (status == HLO_OK && options->input_dir)
        status = hlo_run_read_inputs(run, options->input_dir, filled, diags);
    if (status == HLO_OK && filled)
        status = hlo_run_fill_inputs(run, (hlo_input_fill)options->inputs, options->seed, diags);
    return status;
}

static hlo_status show_result(const hlo_run *run, const run_options *options, hlo_diags *diags) {
    if (options->output_dir) return hlo_run_write_outputs(run, options->output_dir, diags);
    hlo_output *output;
    hlo_status status = hlo_output_open(options->common->output, diags, &output);
    if (status != HLO_OK) return status;
    hlo_run_write_literal(run, (size_t)options->print_limit, output);
    status = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status;
}

/* HLO_BAD_MODULE when results differ from the expected ones. */
static hlo_status compare_result(const hlo_run *run, const run_options *options, hlo_diags *diags) {
    hlo_output *output;
    hlo_status status = hlo_output_open(options->common->output, diags, &output);
    if (status != HLO_OK) return status;
    status = hlo_run_compare(run, options->expect, &options->tolerance, output, diags);
    hlo_status written = hlo_output_commit(output, diags);
    hlo_output_free(output);
    return status == HLO_OK ? written : status;
}

/* With --bench or --expect the result is only written when --output-dir asks for it. */
static hlo_status execute(hlo_run *run, const run_options *options, bench_before before,
                          hlo_diags *diags) {
    hlo_status status = set_inputs(run, options, diags);
    if (status != HLO_OK) return status;
    if (options->bench) status = bench_run(run, options->bench, before, options->bench_json, diags);
    else status = hlo_run_repeat(run, options->repeat, diags);
    if (status == HLO_OK && (options->output_dir || !(options->bench || options->expect)))
        status = show_result(run, options, diags);
    if (status == HLO_OK && options->expect) status = compare_result(run, options, diags);
    return status;
}

static hlo_status run_module(hlo_module *module, void *context, hlo_diags *diags) {
    const run_options *options = context;
    double parsed = bench_now();
    hlo_status status = hlo_verify(module, diags);
    if (status != HLO_OK) return status;
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    how.seed = options->seed;
    how.trace = options->trace_values ? stderr : NULL;
    how.break_on_nan = options->break_on_nan;
    how.infeed = options->infeed.v;
    how.infeed_count = options->infeed.count;
    how.outfeed = options->outfeed;
    how.threads = (uint32_t)options->threads;
    how.stub_custom_calls = options->stub >= 0;
    hlo_run *run;
    status = hlo_run_prepare(module, &how, diags, &run);
    if (status != HLO_OK) return status;
    bench_before before = {parsed - options->start, bench_now() - parsed};
    status = execute(run, options, before, diags);
    hlo_run_free(run);
    return status;
}

/* What the command line reserves for later releases. */
static int check_later(const program_info *self, const run_options *options) {
    if (options->replicas * options->partitions > 1)
        return options_wrong_use(self, "more than one device (--replicas, --partitions) comes with "
                                       "a later release");
    return OPTIONS_GO_ON;
}

/* The number in an option's text, which may be missing. */
static bool read_tolerance(const char *text, double *number) {
    char *end;
    if (!text) return true;
    *number = strtod(text, &end);
    return end != text && !*end && *number >= 0;
}

static int run(const program_info *self, run_options *options, common_options *common) {
    int ended = check_later(self, options);
    if (ended != OPTIONS_GO_ON) return ended;
    if (!read_tolerance(options->rtol, &options->tolerance.rtol) ||
        !read_tolerance(options->atol, &options->tolerance.atol))
        return options_wrong_use(self, "--rtol and --atol take numbers from 0 on");
    options->files = common->arguments + (common->argument_count > 0);
    options->common = common;
    options->start = bench_now();
    hlo_diags *diags = hlo_diags_create((uint32_t)common->max_errors);
    hlo_status status = modules_each(common->arguments[0], common, run_module, options, diags);
    return finish(diags, common, status);
}

int main(int argc, char **argv) {
    run_options o = {.inputs = -1,
                     .stub = -1,
                     .repeat = 1,
                     .tolerance = HLO_COMPARE_OPTIONS_INIT,
                     .replicas = 1,
                     .partitions = 1};
    char fills[128];
    const option_row table[] = {
        {"Inputs", "input-dir", 0, OPTION_TEXT, (void *)&o.input_dir, "DIR", NULL,
         "read in0.npy, in1.npy, ... from DIR, a folder or a .npz archive", 0, 0},
        {"Inputs", "inputs", 0, OPTION_CHOICE, &o.inputs, fill_choices(fills, sizeof fills), NULL,
         "make up the inputs that no file gives", 0, 0},
        {"Inputs", "seed", 0, OPTION_NUMBER, &o.seed, "N", NULL,
         "of made-up inputs and of the operation rng (0)", 0, 0},
        {"Inputs", "infeed", 0, OPTION_TEXTS, &o.infeed, "FILE", NULL,
         "the next array that an infeed takes, a .npy file; or a folder with infeed0.npy, "
         "infeed1.npy, ...",
         0, 0},
        {"Results", "outfeed", 0, OPTION_TEXT, (void *)&o.outfeed, "DIR", NULL,
         "write what outfeeds give to outfeed0.npy, outfeed1.npy, ... in DIR", 0, 0},
        {"Results", "output-dir", 0, OPTION_TEXT, (void *)&o.output_dir, "DIR", NULL,
         "write out0.npy, out1.npy, ... to DIR, a folder or a .npz archive, instead of printing", 0,
         0},
        {"Results", "print-limit", 0, OPTION_NUMBER, &o.print_limit, "N", NULL,
         "print arrays of more than N elements as {...} (0: no limit)", 0, 0},
        {"Comparing", "expect", 0, OPTION_TEXT, (void *)&o.expect, "DIR", NULL,
         "compare with out0.npy, out1.npy, ... of DIR, a folder or a .npz archive, and report "
         "instead of printing; exit status 1 when they differ",
         0, 0},
        {"Comparing", "rtol", 0, OPTION_TEXT, (void *)&o.rtol, "X", NULL,
         "allowed error relative to the expected value (0)", 0, 0},
        {"Comparing", "atol", 0, OPTION_TEXT, (void *)&o.atol, "X", NULL, "allowed error (0)", 0,
         0},
        {"Comparing", "max-ulp", 0, OPTION_NUMBER, &o.tolerance.max_ulp, "N", NULL,
         "allowed distance in representable values (0)", 0, 0},
        {"Comparing", "repeat", 0, OPTION_NUMBER, &o.repeat, "N", NULL,
         "run N times; every run must give the same bits", 1, 1000000000},
        {"Comparing", "trace-values", 0, OPTION_FLAG, &o.trace_values, NULL, NULL,
         "report every instruction's least and greatest number, mean and count of NaN", 0, 0},
        {"Comparing", "break-on-nan", 0, OPTION_FLAG, &o.break_on_nan, NULL, NULL,
         "stop at the first instruction that makes a NaN, and show its operands", 0, 0},
        {"Running", "engine", 0, OPTION_CHOICE, &o.engine, "reference", "fast", "what executes", 0,
         0},
        {"Running", "executor", 0, OPTION_CHOICE, &o.executor, "structured", "dataflow",
         "how control flow is executed", 0, 0},
        {"Running", "stub-custom-calls", 0, OPTION_CHOICE, &o.stub, "zeros", NULL,
         "what calls of unknown targets give", 0, 0},
        {"Running", "threads", 0, OPTION_NUMBER, &o.threads, "N", NULL,
         "compute on N threads (default: one per processor); results are the same bits", 1, 1024},
        {"Running", "replicas", 0, OPTION_NUMBER, &o.replicas, "N", NULL, "replicas (1)", 1, 4096},
        {"Running", "partitions", 0, OPTION_NUMBER, &o.partitions, "N", NULL, "partitions (1)", 1,
         4096},
        {"Measuring", "bench", 0, OPTION_NUMBER, &o.bench, "N", NULL,
         "after a first run, run N times; report seconds and bytes as JSON on standard error", 1,
         1000000000},
        {"Measuring", "bench-json", 0, OPTION_TEXT, (void *)&o.bench_json, "FILE", NULL,
         "write the report to FILE", 0, 0},
        {0},
    };
    const program_info self = {
        "hlo-run",
        "[OPTION...] [MODULE [INPUT.npy...]]",
        "Executes an HLO module. Inputs are the arrays of the parameters in order, tuples depth "
        "first.\n"
        "Without MODULE, or for -, reads standard input. The result is printed as an HLO literal.",
        table,
        "  hlo-run dump.hlo x.npy y.npy\n"
        "  hlo-run --inputs=hash --seed=1 --output-dir results dump.hlo\n"
        "  hlo-opt --passes=dce dump.hlo | hlo-run - x.npy y.npy\n"
        "  hlo-run --inputs=hash --bench=10 dump.hlo\n",
    };
    common_options common;
    int ended = options_read(&self, argc, argv, &common);
    return ended == OPTIONS_GO_ON ? run(&self, &o, &common) : ended;
}
