/* hlo_run_prepare: what runs is a copy of the module that went through the pipeline `run`, where
 * that is worth its time. */
#include <hlo.h>

#include "analysis/cost.h"
#include "analysis/iteration_count.h"
#include "host/run.h"
#include "passes/pipeline/pipeline.h"
#include "shape/verify.h"

/* ---- the copy ---- */

/* Gives the instructions of the copy numbers, and the list the originals by number. */
static const hlo_instr **number_origins(const hlo_module *module, hlo_module *copy) {
    uint32_t count = 0;
    for (const hlo_computation *c = module->first; c; c = c->next) count += c->instr_count;
    const hlo_instr **origins = hlo_malloc((count + 1u) * sizeof *origins);
    const hlo_computation *of = module->first;
    count = 0;
    for (hlo_computation *c = copy->first; c; c = c->next, of = of->next) {
        const hlo_instr *origin = of->first;
        for (hlo_instr *i = c->first; i; i = i->next, origin = origin->next) {
            i->at = (hlo_span){count, count + 1};
            origins[count++] = origin;
        }
    }
    return origins;
}

static bool optimise(hlo_module *copy) {
    const hlo_named_pipeline *row = hlo_named_pipeline_at(HLO_PIPELINE_RUN);
    hlo_diags unheard;
    hlo_diags_init(&unheard);
    bool good = hlo_pipeline_run(copy, row->passes, &unheard) == HLO_OK;
    hlo_diags_drop(&unheard);
    return good;
}

static hlo_run_copy copy_to_run(hlo_module *module) {
    hlo_run_copy copy = {.module = hlo_module_clone_to_run(module)};
    copy.origins = number_origins(module, copy.module);
    if (optimise(copy.module)) return copy;
    hlo_module_free(copy.module);
    hlo_free(copy.origins);
    return (hlo_run_copy){0};
}

/* ---- whether it is worth its time ---- */

/* Calls that are too deep for a run are refused, whether or not they could be inlined. */
static bool is_too_deep(const hlo_call_graph *graph) {
    uint32_t *depth = hlo_calloc(graph->ids, sizeof *depth), deepest = 0;
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *c = graph->order[n], *called;
        if (depth[c->id] > deepest) deepest = depth[c->id];
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0; (called = hlo_called(i, k)); k++)
                if (depth[called->id] <= depth[c->id]) depth[called->id] = depth[c->id] + 1;
    }
    hlo_free(depth);
    return deepest >= HLO_EVAL_MAX_DEPTH;
}

/* Passes move and merge what operands allow: not among effects that operands do not put in order.
 */
static bool keeps_effects(const hlo_call_graph *graph) {
    for (uint32_t n = 0; n < graph->count; n++)
        if (!hlo_call_graph_orders_effects(graph, graph->order[n])) return false;
    return true;
}

static double nanoseconds(const hlo_instr *instr, const double *computations) {
    const hlo_computation *called;
    double sum = 0;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) sum += computations[called->id];
    hlo_iterations iterations;
    if (instr->opcode == HLO_OP_WHILE && hlo_count_iterations(instr, &iterations))
        return sum * (double)iterations.count;
    return hlo_instr_nanoseconds(instr, sum);
}

/* The passes take about as long for an instruction, whatever it does: a run that takes no longer
 * has nothing to gain. */
static bool runs_long_enough(const hlo_call_graph *graph) {
    static const double PIPELINE = 50000, PER_INSTRUCTION = 2500, TIMES = 4;
    double *costs = hlo_calloc(graph->ids, sizeof *costs), passes = PIPELINE;
    for (uint32_t n = graph->count; n-- > 0;) {
        const hlo_computation *c = graph->order[n];
        for (const hlo_instr *i = c->first; i; i = i->next) costs[c->id] += nanoseconds(i, costs);
        passes += PER_INSTRUCTION * c->instr_count;
    }
    bool is_long = costs[graph->order[0]->module->entry->id] > TIMES * passes;
    hlo_free(costs);
    return is_long;
}

static bool is_worth_copying(hlo_module *module) {
    hlo_call_graph graph;
    hlo_call_graph_init(&graph, module);
    bool is_worth = runs_long_enough(&graph) && !is_too_deep(&graph) && keeps_effects(&graph);
    hlo_call_graph_free(&graph);
    return is_worth;
}

static hlo_run_copy copy_if_worth(hlo_module *module) {
    return is_worth_copying(module) ? copy_to_run(module) : (hlo_run_copy){0};
}

/* ---- dataflow graphs ---- */

static bool pass(hlo_module *module, const char *passes, hlo_diags *diags) {
    return hlo_pipeline_run(module, passes, diags) == HLO_OK;
}

/* Iterations of loops over scalars are compiled, unless their tokens are to be traced, or they may
 * be cut. */
static bool keeps_scalar_loops(const hlo_run_options *options) {
    return !options->graph.lower_scalar_loops && !options->graph.events &&
           options->graph.devices < 2 && options->engine == HLO_ENGINE_FAST;
}

/* Nodes that no result depends on would run, loops of any length among them; a trace shows them. */
static bool drops_unused(const hlo_run_options *options) {
    return options->engine == HLO_ENGINE_FAST && !options->as_written && !options->graph.events;
}

static bool lower(hlo_module *graph, const hlo_run_options *options, hlo_diags *diags) {
    if (hlo_module_flag(graph, HLO_ATTR_IS_DATAFLOW)) return true;
    if (drops_unused(options) && !pass(graph, "dce", diags)) return false;
    return pass(graph,
                keeps_scalar_loops(options) ? "lower-control-flow{keep_scalar_loops}"
                                            : "lower-control-flow",
                diags);
}

static bool cut(hlo_module *graph, uint32_t devices, hlo_diags *diags) {
    char passes[64];
    if (devices < 2 || graph->next_device) return true;
    snprintf(passes, sizeof passes, "partition{devices=%u}", devices);
    return pass(graph, passes, diags);
}

static hlo_module *make_graph(const hlo_module *module, const hlo_run_options *options,
                              hlo_diags *diags) {
    hlo_module *graph = hlo_module_clone(module);
    if (lower(graph, options, diags) && cut(graph, options->graph.devices, diags)) return graph;
    hlo_module_free(graph);
    return NULL;
}

/* ---- what no kernel takes ---- */

static hlo_status run_on_mixed(hlo_module *module, const char *passes, hlo_diags *diags) {
    hlo_pipeline *pipeline;
    hlo_verify_options lenient = hlo_verify_plain;
    lenient.allow_mixed_precision = true;
    hlo_pipeline_options how = HLO_PIPELINE_OPTIONS_INIT;
    how.strictness = &lenient;
    hlo_status status = hlo_pipeline_parse("pipeline", passes, diags, &pipeline);
    if (status != HLO_OK) return status;
    status = hlo_pipeline_execute_with(pipeline, module, &how, diags, NULL);
    hlo_pipeline_free(pipeline);
    return status;
}

/* Mixed floating-point types become one; everything else that the plain verifier refuses in shapes
 * is an error. */
static hlo_status make_plain(hlo_module *module, hlo_diags *diags) {
    for (hlo_module *part = module; part; part = part->next_device) {
        if (!part->is_lenient) continue;
        hlo_status status = run_on_mixed(part, "float-normalization{mixed=true}", diags);
        if (status != HLO_OK) return status;
        if (!hlo_verify_shapes(part, diags)) return HLO_BAD_MODULE;
        part->is_lenient = false;
    }
    return HLO_OK;
}

static const hlo_run_passes passes = {copy_if_worth, make_graph, optimise};

hlo_status hlo_run_prepare(hlo_module *module, const hlo_run_options *options, hlo_diags *diags,
                           hlo_run **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_status status = make_plain(module, diags);
    if (status != HLO_OK) return status;
    return hlo_run_prepare_by(&passes, module, options, diags, out);
}
