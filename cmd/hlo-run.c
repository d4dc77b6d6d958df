/* hlo-run: executes a module on the CPU. */
#include <stdlib.h>
#include <string.h>

#include "descriptions.h"
#include "foreign.h"
#include "process.h"
#include "regression.h"
#include "run_module.h"
#include "strictness.h"
#include "watch.h"

static const char *junit; /* the file of --junit */

static int check_folder(const program_info *self, const run_options *options,
                        const common_options *common) {
    const char *option = run_options_of_one(options);
    if (common->argument_count > 1)
        return options_wrong_use(self, "a directory of modules takes no inputs but those beside "
                                       "its modules, and --inputs");
    if (common->split_input) option = "split-input-file";
    if (!option) return OPTIONS_GO_ON;
    return options_wrong_use(self, "--%s is for one module, and %s is a directory", option,
                             common->arguments[0]);
}

static hlo_status run_all(run_options *options, const common_options *common, bool is_folder,
                          hlo_diags *diags) {
    const regression folder = {.common = common,
                               .files = &options->run.files,
                               .work = run_module,
                               .context = options,
                               .junit = junit};
    options->is_one_of_many = is_folder;
    return is_folder ? regression_run(&folder, diags)
                     : whole_each(&options->whole, common, run_module, options, diags);
}

static int run(const program_info *self, run_options *options, common_options *common) {
    int ended = dataflow_check(self, &options->flow);
    if (ended == OPTIONS_GO_ON) ended = run_files_check(self, &options->run.files);
    if (ended == OPTIONS_GO_ON)
        ended = assignment_read(self, options->devices, options->replicas, options->partitions,
                                &options->assignment);
    bool is_folder = regression_is_asked(common);
    if (ended == OPTIONS_GO_ON && is_folder) ended = check_folder(self, options, common);
    if (ended == OPTIONS_GO_ON && junit && !is_folder)
        ended = options_wrong_use(self, "--junit requires a directory of modules");
    if (ended == OPTIONS_GO_ON && options->run.bench_json && !options->run.bench)
        ended = options_wrong_use(self, "--bench-json requires --bench");
    if (ended != OPTIONS_GO_ON) return ended;
    options->run.files.positional = common->arguments + (common->argument_count > 0);
    common->shape_files = options->run.files.positional;
    options->run.files.output = common->output;
    options->start = bench_now();
    if (options->libraries.count) foreign_watch();
    if (!options->run.bench && !options->run.files.output_dir && !process_can_write(common->output))
        return HLO_BAD_SYSTEM;
    hlo_diags *diags = new_diags((uint32_t)common->max_errors);
    const char *alone = is_folder             ? "a directory of modules"
                        : common->split_input ? "--split-input-file"
                                              : NULL;
    ended = world_enter(&options->run.place, self, common, alone, diags);
    if (ended != OPTIONS_GO_ON) return ended;
    hlo_status status = strictness_read(diags);
    if (status == HLO_OK) status = run_all(options, common, is_folder, diags);
    ended = watch_ended(world_finish(&options->run.place, diags, common, status));
    if (options->is_refused) options_note_variable(self, "isa", options->isa);
    return ended;
}

static run_options chosen = RUN_OPTIONS_INIT;
static char fills[128]; /* of --inputs */

static const option_row own[] = {
    {"Inputs", "input", 0, OPTION_TEXTS | OPTION_OFTEN, &chosen.run.files.named, "NAME=FILE",
     "the parameter NAME, by its name or op_name, or NAME{1}, an element of it: a .npy, .npz or "
     ".json file, or a file with a literal",
     0, 0},
    {"Inputs", "input-dir", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.run.files.input_dir,
     "DIR", "read in0.npy, in1.npy, ... or NAME.npy from DIR, a directory or a .npz or .json file",
     0, 0},
    {"Inputs", "input-sharded", 0, OPTION_MAYBE, (void *)&chosen.whole.path, "WHOLE",
     "cut inputs and compared results into the tiles of each device, by sharding= of the "
     "parameters or of WHOLE, the module before it was partitioned",
     0, 0},
    {"Inputs", "inputs", 0, OPTION_CHOICE | OPTION_OFTEN, &chosen.run.files.fill, fills,
     "generate the inputs that no file provides", 0, 0},
    {"Inputs", "seed", 0, OPTION_NUMBER, &chosen.run.files.seed, "N",
     "seed of generated inputs and of the operation rng (0)", 0, 0},
    {"Results", "output-dir", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.run.files.output_dir,
     "DIR", "write out0.npy, ... to DIR, a directory or a .npz or .json file; -o does so for these",
     0, 0},
    {"Results", "literals", 0, OPTION_CHOICE, &chosen.run.files.literals, LITERALS_VALUE, 0, 0},
    {"Results", "print-limit", 0, OPTION_NUMBER, &chosen.run.files.print_limit, "N",
     "print arrays of more than N elements as {...} (0: no limit; on a terminal: 1000)", 0, 0},
    {"Host", "infeed", 0, OPTION_TEXTS, &chosen.run.files.infeed, "FILE",
     "data of infeeds: concatenated .npy arrays in a file or a pipe; or a directory with "
     "infeed0.npy, infeed1.npy, ...",
     0, 0},
    {"Host", "outfeed", 0, OPTION_TEXT, (void *)&chosen.run.files.outfeed, "DIR",
     "write data of outfeeds to outfeed0.npy, ... in DIR, or to one .npy file or pipe", 0, 0},
    {"Host", "recv", 0, OPTION_TEXTS, &chosen.run.files.recv, "CHANNEL=FILE",
     "data of recvs from the host on a channel (its number, or the name of its rendezvous), "
     "like --infeed; recv0.npy, ... in a directory",
     0, 0},
    {"Host", "send", 0, OPTION_TEXTS, &chosen.run.files.send, "CHANNEL=DIR",
     "write data of sends to the host, like --outfeed; send0.npy, ... in a directory", 0, 0},
    {"Comparing", "expect", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.run.files.expect, "DIR",
     "compare with out0.npy, out1.npy, ... of DIR, a directory or a .npz, .json or .npy file, "
     "and print a report instead of results; exit status 1 when they differ. Of a directory of "
     "modules: with records in DIR",
     0, 0},
    {"Comparing", "junit", 0, OPTION_TEXT, (void *)&junit, "FILE",
     "of a directory of modules: write the outcomes to FILE, as XML of JUnit", 0, 0},
    {"Comparing", "rtol", 0, OPTION_TEXT | OPTION_OFTEN, (void *)&chosen.run.files.rtol, "X",
     "relative tolerance (0); auto: by element type, f32: 7.6e-6, of the element and the mean "
     "of the array",
     0, 0},
    {"Comparing", "atol", 0, OPTION_TEXT, (void *)&chosen.run.files.atol, "X",
     "absolute tolerance (0)", 0, 0},
    {"Comparing", "max-ulp", 0, OPTION_NUMBER, &chosen.run.files.tolerance.max_ulp, "N",
     "tolerance in units in the last place (0)", 0, 0},
    {"Comparing", "repeat", 0, OPTION_NUMBER, &chosen.run.repeat, "N",
     "run N times; results must be bitwise equal", 1, 1000000000},
    {"Comparing", "trace-values", 0, OPTION_FLAG, &chosen.trace_values, NULL,
     "report minimum, maximum, mean and NaN count of computed values, or as --watch selects", 0, 0},
    {"Comparing", "break-on-nan", 0, OPTION_FLAG | OPTION_OFTEN, &chosen.break_on_nan, NULL,
     "stop at the first instruction that produces a NaN, and print its operands", 0, 0},
    {"Comparing", "break-on-inf", 0, OPTION_FLAG, &chosen.break_on_inf, NULL,
     "the same for an infinity", 0, 0},
    {"Comparing", "dump-values", 0, OPTION_TEXT, (void *)&chosen.dump, "DIR",
     "write the value of every instruction to NAME.npy in DIR, NAME{1}.npy for a tuple "
     "element; those of called computations to subdirectories by caller and iteration",
     0, 0},
    {"Comparing", "watch", 0, OPTION_TEXTS, &chosen.watched, "PATTERN",
     "only instructions of that name (dot.*), path (while.3/0/*) or op_name (*/log) in "
     "--trace-values and --dump-values; any number of times",
     0, 0},
    {"Running", "only", 0, OPTION_TEXT, (void *)&chosen.only, "INSTRUCTION",
     "run only this instruction and its dependencies: NAME, CALLER/NAME or LOOP/ITERATION/NAME, as "
     "in --trace-values",
     0, 0},
    {"Running", "print-plan", 0, OPTION_MAYBE, (void *)&chosen.run.files.plan, "module",
     "print the execution plan: steps, kernels, buffers and their sharing; or the module with the "
     "plan in frontend attributes, for hlo-dot --color-by=plan; does not read inputs and does not "
     "run",
     0, 0},
    {"Running", "memory-limit", 0, OPTION_SIZE, &chosen.memory_bytes, "SIZE",
     "refuse runs that need more memory, such as 500M or 16G (default: the available memory)", 1,
     INT64_MAX},
    {"Running", "engine", 0, OPTION_CHOICE, &chosen.engine, "fast|reference",
     "kernels: tuned ones, or reference ones that follow the semantics element by element", 0, 0},
    {"Running", "as-written", 0, OPTION_FLAG, &chosen.as_written, NULL,
     "skip the passes of hlo-opt --pipeline=run; same bits", 0, 0},
    {"Running", "jit", 0, OPTION_CHOICE, &chosen.jit, "1|0",
     "compile scalar loops and clusters to machine code (copy-and-patch); same bits", 0, 0},
    {"Running", "isa", 0, OPTION_TEXT, (void *)&chosen.isa, "sse2|avx2|avx512|avx512_bf16",
     "instruction set of kernels (default: the widest of the machine); affects only the rounding "
     "of dots and convolutions",
     0, 0},
    {"Running", "executor", 0, OPTION_CHOICE, &chosen.flow.executor, "structured|dataflow",
     "run structured control flow, or lower it to a dataflow graph", 0, 0},
    {"Running", "elided", 0, OPTION_CHOICE, &chosen.run.files.elided, ELIDED_VALUE, 0, 0},
    {"Running", "custom-call-library", 0, OPTION_TEXTS, &chosen.libraries, "FILE",
     "shared library with custom call targets", 0, 0},
    {"Running", "stub-custom-calls", 0, OPTION_CHOICE, &chosen.stub, "zeros",
     "result of custom calls with unknown targets", 0, 0},
    {"Running", "threads", 0, OPTION_NUMBER | OPTION_OFTEN, &chosen.threads, "N",
     "compute on N threads (default: one per processor); results do not depend on N", 1, 1024},
    {"Running", "pin", 0, OPTION_FLAG, &chosen.pin, NULL, "pin each thread to one processor", 0, 0},
    {"Devices", "replicas", 0, OPTION_NUMBER, &chosen.replicas, "N",
     "replicas, each with all partitions (default: the module's replica_count)", 1, 4096},
    {"Devices", "partitions", 0, OPTION_NUMBER, &chosen.partitions, "N",
     "partitions of each replica (default: the module's num_partitions)", 1, 4096},
    {"Devices", "device-assignment", 0, OPTION_TEXT, (void *)&chosen.devices, "{{0,1},...}",
     "numbers of devices in files and messages, by replica and partition (default: 0, 1, ...)", 0,
     0},
    {"Devices", "transfers", 0, OPTION_CHOICE, &chosen.transfers, "recv-first|handshake",
     "send blocks until its recv; handshake: recv also blocks until its send", 0, 0},
    {"Dataflow", "parallel-iterations", 0, OPTION_NUMBER, &chosen.flow.parallel_iterations, "N",
     "parallel iterations of a frame (default: parallel_iterations= of its enters, 10)", 1,
     1000000000},
    {"Dataflow", "devices", 0, OPTION_NUMBER, &chosen.flow.devices, "K",
     "partition the graph over K devices by the shardings of its instructions", 1, 4096},
    {"Dataflow", "lower-scalar-loops", 0, OPTION_FLAG, &chosen.flow.lower_scalar_loops, NULL,
     "lower loops over scalars to tokens too, instead of one compiled step", 0, 0},
    {"Dataflow", "trace", 0, OPTION_TEXT, (void *)&chosen.flow.events, "FILE", "write events", 0,
     0},
    {"Dataflow", "trace-form", 0, OPTION_CHOICE, &chosen.flow.event_form, "lines|chrome",
     "events: a JSON object a line, or for chrome://tracing", 0, 0},
    {"Dataflow", "swap-threshold", 0, OPTION_SIZE, &chosen.flow.swap_bytes, "SIZE",
     "bytes of stack arrays in memory, such as 64M; older ones are swapped to a file", 1,
     INT64_MAX},
    {"Dataflow", "swap-dir", 0, OPTION_TEXT, (void *)&chosen.flow.swap_directory, "DIR",
     "directory of the swap file (default: $TMPDIR or /tmp); the file is private", 0, 0},
    {"Measuring", "bench", 0, OPTION_NUMBER, &chosen.run.bench, "N",
     "run N times after a warm-up run; report times and bytes as JSON on standard error", 1,
     1000000000},
    {"Measuring", "bench-json", 0, OPTION_TEXT, (void *)&chosen.run.bench_json, "FILE",
     "write the report to FILE", 0, 0},
    {"Measuring", "profile", 0, OPTION_MAYBE | OPTION_OFTEN, (void *)&chosen.run.profile.report,
     "json|FILE",
     "print the time of each instruction and its fraction of the machine's peak throughput to "
     "standard error: a table, JSON, or either in FILE (JSON: .json); with --bench, all runs but "
     "the first",
     0, 0},
    {"Measuring", "chrome-trace", 0, OPTION_TEXT, (void *)&chosen.run.profile.trace, "FILE",
     "write a timeline of instructions and threads, for chrome://tracing or ui.perfetto.dev", 0, 0},
    {"Measuring", "roofline", 0, OPTION_TEXT, (void *)&chosen.run.profile.roofline, "FILE.svg",
     "draw a roofline plot with the measured peak throughput of this machine", 0, 0},
    {0},
};

static program_info self = {
    .name = "hlo-run",
    .usage = "[OPTION...] [MODULE [INPUT.npy...]]",
    .purpose = "Executes an HLO module. Inputs are the arrays of the parameters in order, tuples "
               "depth first.\nWithout MODULE, or for -, reads standard input. Prints the result as "
               "an HLO literal. Modules of a directory are compared with recorded runs.",
    .description = description_of_run,
    .files = files_of_run,
    .options = own,
    .variables = dataflow_variables,
    .examples = "  hlo-run dump.hlo x.npy y.npy\n"
                "  hlo-run --inputs=hash --seed=1 --output-dir results dump.hlo\n"
                "  hlo-opt --large-constants --literals=exact dump.hlo | hlo-run - x.npy y.npy\n"
                "  hlo-run --inputs=hash --executor=dataflow --trace=events.jsonl dump.hlo\n"
                "  hlo-run --rtol=1e-5 snapshot.pb           replay an HloSnapshot and compare\n"
                "  hlo-run --rtol=auto --junit=runs.xml dumps/\n",
    .build = HLO_STENCILS ? NULL : "all loops are interpreted: built without stencils\n",
};

int main(int argc, char **argv) {
    common_options common;
    run_files_fills(fills, sizeof fills);
    self.options = strictness_with(own);
    process_begin();
    int ended = options_read(&self, argc, argv, &common);
    if (ended == OPTIONS_GO_ON) ended = run(&self, &chosen, &common);
    run_files_forget(&chosen.run.files);
    strictness_forget();
    free(chosen.libraries.v);
    free(chosen.watched.v);
    free(chosen.assignment.devices);
    return ended;
}
