/* From a module to its run: see run_module.h. */
#include "run_module.h"

#include "strictness.h"
#include "watch.h"

static hlo_run_options options_of(const run_options *options, hlo_module *module) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    run_files_apply(&options->run.files, &how);
    how.watch.trace = options->trace_values ? stderr : NULL;
    how.watch.break_on_nan = options->break_on_nan;
    how.watch.break_on_inf = options->break_on_inf;
    how.watch.patterns = options->watched.v;
    how.watch.pattern_count = options->watched.count;
    how.threads = (uint32_t)options->threads;
    how.memory.limit = options->memory_bytes;
    how.watch.dump = options->dump;
    how.watch.only = options->only;
    how.engine = options->engine ? HLO_ENGINE_REFERENCE : HLO_ENGINE_FAST;
    how.as_written = options->as_written;
    how.no_jit = options->jit;
    how.isa = options->isa;
    how.pin = options->pin;
    how.devices.handshake = options->transfers;
    how.devices.world = options->run.place.world;
    assignment_give(&options->assignment, &how);
    how.devices.whole = whole_of(&options->whole, module);
    profile_apply(&options->run.profile, &how);
    how.custom_calls.libraries = options->libraries.v;
    how.custom_calls.library_count = options->libraries.count;
    how.custom_calls.stub = options->stub >= 0;
    dataflow_apply(&options->flow, &how);
    return how;
}

const char *run_options_of_one(const run_options *options) {
    const run_files *files = &options->run.files;
    const struct {
        const char *name;
        bool is_given;
    } all[] = {
        {"input", files->named.count},
        {"input-dir", files->input_dir},
        {"input-sharded", options->whole.path && *options->whole.path},
        {"output-dir", files->output_dir},
        {"infeed", files->infeed.count},
        {"outfeed", files->outfeed},
        {"recv", files->recv.count},
        {"send", files->send.count},
        {"dump-values", options->dump},
        {"only", options->only},
        {"print-plan", files->plan},
        {"trace", options->flow.events},
        {"bench", options->run.bench},
        {"bench-json", options->run.bench_json},
        {"profile", options->run.profile.report},
        {"chrome-trace", options->run.profile.trace},
        {"roofline", options->run.profile.roofline},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given) return all[i].name;
    return NULL;
}

hlo_status run_module(hlo_module *module, void *context, hlo_diags *diags) {
    run_options *options = context;
    double parsed = bench_now();
    hlo_status status = assignment_apply(&options->assignment, module, options->replicas,
                                         options->partitions, diags);
    if (status == HLO_OK) status = hlo_verify_with(module, strictness(), diags);
    if (status != HLO_OK) return status;
    const hlo_run_options how = options_of(options, module);
    hlo_run *run;
    status = hlo_run_prepare(module, &how, diags, &run);
    options->is_refused |= status == HLO_BAD_USE;
    if (status != HLO_OK) return status;
    bench_before before = {parsed - options->start, bench_now() - parsed};
    watch_begin(run, !options->trace_values && !options->is_one_of_many &&
                         world_is_first(&options->run.place));
    status = dataflow_fits(&options->flow, run) ? execution_do(&options->run, run, before, diags)
                                                : HLO_BAD_USE;
    if (world_is_first(&options->run.place)) dataflow_report(&options->flow, run);
    watch_end();
    hlo_run_free(run);
    return status;
}
