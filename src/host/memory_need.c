/* What a run needs at once, and whether its limit allows that. */
#include "base/figure.h"
#include "eval/program/plan_leaves.h"
#include "host/run.h"

static void put_need(hlo_buf *to, const hlo_program_memory *needed, uint64_t limit) {
    if (needed->peak == UINT64_MAX) {
        hlo_buf_lit(to, "memory for an array of 64 PiB or more");
        return;
    }
    hlo_put_bytes(to, (double)needed->peak);
    hlo_buf_lit(to, " at once, inputs among them (");
    hlo_put_bytes(to, (double)needed->inputs);
    hlo_buf_lit(to, "), and the limit is ");
    hlo_put_bytes(to, (double)limit);
}

/* Of a graph at the least: the caller's inputs and the greatest step. */
static hlo_program_memory need_of_graph(const hlo_run *run) {
    const hlo_computation *entry = run->module->entry;
    hlo_program_memory needed = hlo_flow_memory(run->flow);
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        needed.inputs += hlo_tree_bytes(entry->parameters[i]->shape);
    if (__builtin_add_overflow(needed.peak, needed.inputs, &needed.peak)) needed.peak = UINT64_MAX;
    return needed;
}

static const hlo_instr *place_of(const hlo_run *run, const hlo_instr *at) {
    return at && !run->graph ? hlo_program_origin(run->program, at) : at;
}

hlo_status hlo_run_check_memory(hlo_run *run, hlo_diags *diags) {
    hlo_program_memory needed =
        run->graph ? need_of_graph(run) : hlo_program_get_memory(run->program);
    uint64_t limit =
        run->graph ? hlo_flow_max_bytes(run->flow) : hlo_program_max_bytes(run->program);
    uint32_t devices = run->graph ? 1 : run->last - run->first;
    if (__builtin_mul_overflow(needed.peak, devices, &needed.peak)) needed.peak = UINT64_MAX;
    needed.inputs *= devices;
    run->memory = needed.peak;
    run->stack_budget.limit = needed.peak < limit ? limit - needed.peak : 0;
    run->stack_budget.devices = run->graph ? hlo_run_graph_devices(run) : devices;
    if (needed.peak <= limit && needed.peak < UINT64_MAX) return HLO_OK;
    hlo_buf text = HLO_BUF_INIT;
    put_need(&text, &needed, limit);
    const hlo_instr *at = place_of(run, needed.at);
    hlo_error(diags, HLO_RULE_LIMIT, at ? run->module->source : NULL, at ? at->at : (hlo_span){0},
              "a run needs %.*s", (int)text.len, text.data);
    if (needed.peak < UINT64_MAX) hlo_advise(diags, HLO_ADVICE_MEMORY_LIMIT);
    hlo_buf_free(&text);
    return HLO_BAD_SYSTEM;
}
