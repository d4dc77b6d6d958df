/* Runs that share the program of another, each for a separate thread. */
#include "host/run.h"

/* What an evaluator is made from. */
static void take_options(hlo_run *run, const hlo_run *original) {
    run->program_options = original->program_options;
    run->device_options = original->device_options;
    run->device_options.host_context = run;
    run->device_options.progress = &run->progress;
    run->stack_budget.limit = original->stack_budget.limit;
    run->stack_budget.devices = original->stack_budget.devices;
    run->device_options.stack_budget = &run->stack_budget;
    run->memory = original->memory;
    run->may_share = true;
}

static hlo_status check(const hlo_run *run, hlo_diags *diags) {
    if (!run->may_share)
        return hlo_misuse(
            diags,
            "a run with host files, watched or single instructions, or a profile cannot be shared");
    if (run->world) return hlo_misuse(diags, "a run of several processes cannot be shared");
    if (run->graph) return hlo_misuse(diags, "a run of a dataflow graph cannot be shared");
    if (!run->program) return hlo_misuse(diags, "the run has no plan: memory was exhausted");
    return HLO_OK;
}

hlo_status hlo_run_share(hlo_run *run, uint32_t threads, hlo_diags *diags, hlo_run **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, run);
    hlo_run *original = run->original ? run->original : run;
    hlo_status status = check(original, diags);
    if (status != HLO_OK) return status;
    uint32_t devices = original->device_count;
    hlo_run *share = hlo_run_new(run->module, hlo_run_threads(threads, NULL, devices));
    share->copy = original->copy;
    share->device_count = share->last = devices;
    take_options(share, original);
    share->original = original;
    share->elided = original->elided;
    share->exact_literals = original->exact_literals;
    if (devices > 1) hlo_run_make_others(share, NULL, diags);
    original->shares++;
    hlo_unwind_keep_all();
    hlo_run_make_evaluator(share, diags);
    if (devices > 1) hlo_run_prepare_others(share, diags);
    hlo_ring_retire(&share->memory_of_eval);
    *out = share;
    return HLO_OK;
}
