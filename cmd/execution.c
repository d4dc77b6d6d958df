/* A prepared run: see execution.h. */
#include "execution.h"

#include "watch.h"

/* What is done with a result, by rank 0 of several processes: with --bench it is only written when
 * -o or --output-dir asks for it, with --expect when --output-dir does; a snapshot run on its own
 * arguments is compared with its own result. */
static hlo_status use_result(hlo_run *run, const execution_options *options, bool replays,
                             hlo_diags *diags) {
    const run_files *files = &options->files;
    hlo_status status = HLO_OK;
    bool compares = files->expect || (replays && !options->bench && !run_files_names_output(files));
    bool prints = !compares && (!options->bench || files->output);
    if (!world_is_first(&options->place)) return HLO_OK;
    status = profile_write(&options->profile, run, diags);
    if (status == HLO_OK && (files->output_dir || prints))
        status = run_files_write(files, run, diags);
    if (status == HLO_OK && compares) status = run_files_compare(files, run, diags);
    return status;
}

/* Rank 0 of several processes reports the times; the others run as often. */
static hlo_status measure(hlo_run *run, const execution_options *options, bench_before before,
                          hlo_diags *diags) {
    if (world_is_first(&options->place))
        return bench_run(run, options->bench, before, options->bench_json, diags);
    hlo_status status = HLO_OK;
    for (uint64_t i = 0; i <= options->bench && status == HLO_OK; i++)
        status = hlo_run_execute(run, diags);
    return status;
}

static hlo_status execute(hlo_run *run, execution_options *options, bench_before before,
                          hlo_diags *diags) {
    bool replays = false;
    hlo_status status = run_files_read(&options->files, run, diags);
    if (status == HLO_OK) status = hlo_run_use_recording(run, diags, &replays);
    status = world_agree(&options->place, status);
    if (status != HLO_OK) return status;
    status = options->bench ? measure(run, options, before, diags)
                            : hlo_run_repeat(run, options->repeat, diags);
    if (watch_signal()) return HLO_BAD_SYSTEM;
    return status == HLO_OK ? use_result(run, options, replays, diags) : status;
}

static hlo_status write_plan(hlo_run *run, execution_options *options, hlo_diags *diags) {
    hlo_status status = world_agree(&options->place, HLO_OK);
    if (status != HLO_OK || !world_is_first(&options->place)) return status;
    return run_files_write_plan(&options->files, run, diags);
}

hlo_status execution_do(execution_options *options, hlo_run *run, bench_before before,
                        hlo_diags *diags) {
    return options->files.plan ? write_plan(run, options, diags)
                               : execute(run, options, before, diags);
}
