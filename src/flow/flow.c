/* Making and running graphs: see flow.h. */
#include "flow/flow.h"

#include "flow/executor.h"
#include "flow/remote.h"

struct hlo_flow {
    hlo_graph *graph;
    hlo_steps *steps;     /* by device */
    hlo_thread **threads; /* the same; workers borrow theirs from them */
    bool *is_heavy;       /* by step */
    hlo_pool *pool;
    hlo_world *world;
    uint32_t first, last; /* devices of this process: below last */
    uint64_t stack_peak;  /* of the last run */
};

/* Steps from so many nanoseconds on are computed without the lock: it takes some tens of them to
 * get it back, and microseconds to wake a thread for the rest. */
static const double HEAVY = 3000;

static void weigh(hlo_flow *flow) {
    flow->is_heavy = hlo_calloc(flow->graph->steps.n + 1u, sizeof *flow->is_heavy);
    for (uint32_t d = flow->first; d < flow->last; d++) {
        const hlo_steps *steps = &flow->steps[d];
        for (uint32_t i = 0; i < steps->count; i++)
            flow->is_heavy[steps->first + i] = steps->costs[i] >= HEAVY;
    }
}

static bool make_steps(hlo_flow *flow, const hlo_module *module, const hlo_flow_options *options,
                       hlo_diags *diags) {
    bool good = true;
    for (uint32_t d = 0; module; d++, module = module->next_device) {
        if (d < flow->first || d >= flow->last) continue;
        good &= hlo_steps_make(&flow->steps[d], flow->graph, module, d, options->optimise,
                               options->program, options->device, diags);
    }
    return good;
}

static void put_devices(hlo_flow *flow, hlo_world *world) {
    uint32_t devices = flow->graph->device_count, rank = hlo_world_rank(world);
    flow->world = world;
    flow->first = world ? hlo_world_first_device(world, devices, rank) : 0;
    flow->last = flow->first + hlo_world_devices_here(world, devices);
}

static void abandon(void *flow) {
    hlo_flow_abandon(flow);
}

hlo_flow *hlo_flow_new(hlo_module *module, const hlo_flow_options *options, hlo_diags *diags) {
    hlo_flow *flow = hlo_calloc(1, sizeof *flow);
    flow->pool = options->pool;
    flow->graph = hlo_graph_new(module, options->parallel_iterations);
    put_devices(flow, options->world);
    flow->steps = hlo_calloc(flow->graph->device_count, sizeof *flow->steps);
    flow->threads = hlo_calloc(flow->graph->device_count, sizeof *flow->threads);
    hlo_cleanup abandoning;
    hlo_cleanup_add(&abandoning, abandon, flow);
    if (!make_steps(flow, module, options, diags)) {
        hlo_cleanup_remove(&abandoning);
        hlo_flow_free(flow);
        return NULL;
    }
    weigh(flow);
    for (uint32_t d = flow->first; d < flow->last; d++)
        flow->threads[d] = hlo_thread_new(flow->steps[d].device, flow->pool, diags);
    hlo_cleanup_remove(&abandoning);
    return flow;
}

void hlo_flow_abandon(hlo_flow *flow) {
    for (uint32_t d = flow ? flow->first : 0; flow && d < flow->last; d++)
        hlo_steps_abandon(&flow->steps[d]);
}

uint64_t hlo_flow_max_bytes(const hlo_flow *flow) {
    return flow->first < flow->last ? hlo_program_max_bytes(flow->steps[flow->first].program)
                                    : UINT64_MAX;
}

hlo_program_memory hlo_flow_memory(const hlo_flow *flow) {
    hlo_program_memory most = {0};
    for (uint32_t d = flow->first; d < flow->last; d++) {
        hlo_program_memory memory = hlo_program_get_memory(flow->steps[d].program);
        if (memory.peak > most.peak) most = memory;
    }
    return most;
}

void hlo_flow_free(hlo_flow *flow) {
    if (!flow) return;
    for (uint32_t d = flow->first; d < flow->last; d++) {
        hlo_thread_free(flow->threads[d]);
        hlo_steps_free(&flow->steps[d]);
    }
    hlo_graph_free(flow->graph);
    hlo_free(flow->steps);
    hlo_free(flow->threads);
    hlo_free(flow->is_heavy);
    hlo_free(flow);
}

/* ---- running ---- */

static void drop_results(hlo_value **results, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) hlo_value_release(results[i]);
}

static void begin_run(hlo_steps *steps) {
    hlo_device_rewind(steps->device);
    hlo_program_forget_steady(steps->program);
}

hlo_value *hlo_flow_run(hlo_flow *flow, hlo_value *const *arguments, uint32_t count,
                        const hlo_shape *whole, const hlo_flow_trace *trace, hlo_diags *diags) {
    hlo_execution run = {.graph = flow->graph,
                         .steps = flow->steps,
                         .is_heavy = flow->is_heavy,
                         .owners = flow->threads,
                         .pool = flow->pool,
                         .first = flow->first,
                         .last = flow->last,
                         .world = flow->world,
                         .arguments = arguments,
                         .argument_count = count,
                         .trace = *trace,
                         .diags = diags};
    for (uint32_t d = flow->first; d < flow->last; d++) begin_run(&flow->steps[d]);
    run.results = hlo_calloc(flow->graph->result_count + 1u, sizeof *run.results);
    hlo_value *result = NULL;
    bool went_well = hlo_flow_execute(&run);
    flow->stack_peak = run.left.stack_peak;
    if (went_well && flow->world) hlo_remote_gather(flow->graph, flow->world, run.results);
    if (went_well && !hlo_world_rank(flow->world)) {
        result = flow->graph->has_tuple ? hlo_value_tuple(whole, run.results) : run.results[0];
        if (!result)
            hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0},
                      "cannot allocate memory for the result");
    } else drop_results(run.results, flow->graph->result_count);
    hlo_free(run.results);
    return result;
}

uint64_t hlo_flow_stack_peak(const hlo_flow *flow) {
    return flow->stack_peak;
}
