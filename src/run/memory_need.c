/* What a run needs at once, and whether its limit allows that. Called by run.c. */
#include "base/machine.h"
#include "run/run.h"

/* Bytes in the largest unit that keeps three digits. */
static void put_size(hlo_buf *to, uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes;
    uint32_t unit = 0;
    for (; size >= 1000 && unit < 6; unit++) size /= 1024;
    hlo_buf_printf(to, "%.*f %s", unit && size < 100 ? 1 : 0, size, units[unit]);
}

static void put_need(hlo_buf *to, const hlo_program_memory *needed, uint64_t limit) {
    if (needed->peak == UINT64_MAX) {
        hlo_buf_lit(to, "memory for an array of 64 PiB or more");
        return;
    }
    put_size(to, needed->peak);
    hlo_buf_lit(to, " at once, inputs among them (");
    put_size(to, needed->inputs);
    hlo_buf_lit(to, "), and the limit is ");
    put_size(to, limit);
}

/* How much tokens hold in a graph that is on its way, nothing tells beforehand. */
static void budget_graph(hlo_run *run) {
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < run->input_count; i++)
        inputs += (uint64_t)hlo_shape_bytes(run->inputs[i].shape);
    uint64_t limit = run->program_options.max_bytes;
    if (!limit) limit = hlo_available_memory("");
    run->stack_budget.limit = inputs < limit ? limit - inputs : 0;
    run->stack_budget.devices = hlo_run_graph_devices(run);
}

hlo_status hlo_run_check_memory(hlo_run *run, hlo_diags *diags) {
    if (run->graph) {
        budget_graph(run);
        return HLO_OK;
    }
    hlo_program_memory needed = hlo_program_get_memory(run->program);
    uint64_t limit = hlo_program_max_bytes(run->program);
    uint32_t devices = run->last - run->first;
    if (__builtin_mul_overflow(needed.peak, devices, &needed.peak)) needed.peak = UINT64_MAX;
    needed.inputs *= devices;
    run->memory = needed.peak;
    run->stack_budget.limit = needed.peak < limit ? limit - needed.peak : 0;
    run->stack_budget.devices = devices;
    if (needed.peak <= limit && needed.peak < UINT64_MAX) return HLO_OK;
    hlo_buf text = HLO_BUF_INIT;
    put_need(&text, &needed, limit);
    const hlo_instr *at = needed.at ? hlo_program_origin(run->program, needed.at) : NULL;
    hlo_error(diags, HLO_RULE_LIMIT, at ? run->module->source : NULL, at ? at->at : (hlo_span){0},
              "a run needs %.*s", (int)text.len, text.data);
    if (needed.peak < UINT64_MAX) hlo_advise(diags, HLO_ADVICE_MEMORY_LIMIT);
    hlo_buf_free(&text);
    return HLO_BAD_SYSTEM;
}
