/* Runs of dataflow graphs: the graph in the place of the module, and the parameters and the result
 * of one in parts. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "host/run.h"

bool hlo_run_needs_graph(const hlo_module *module, const hlo_run_options *options) {
    return options->graph.executor == HLO_EXECUTOR_DATAFLOW ||
           hlo_module_flag(module, HLO_ATTR_IS_DATAFLOW);
}

/* ---- what cannot be done with a graph ---- */

static bool looks_at_instructions(const hlo_run_options *options) {
    return options->watch.only || options->watch.profile || options->watch.trace ||
           options->watch.dump || options->watch.break_on_nan || options->watch.break_on_inf;
}

static hlo_status check(const hlo_run *run, const hlo_run_options *options, hlo_diags *diags) {
    if (looks_at_instructions(options))
        return hlo_misuse(diags, "the dataflow executor runs several instructions at a time: "
                                 "single instructions cannot be selected, traced or profiled");
    if (run->device_count > 1)
        return hlo_misuse(diags, "the dataflow executor runs a module for one replica and one "
                                 "partition");
    return HLO_OK;
}

/* ---- parameters and result of parts ---- */

static uint32_t parameter_count_of(const hlo_module *parts) {
    int64_t count = 0;
    for (; parts; parts = parts->next_device)
        for (uint32_t i = 0; i < parts->entry->parameter_count; i++) {
            int64_t number = hlo_attr_int(parts->entry->parameters[i], HLO_ATTR_PARAMETER_NUMBER);
            if (number >= count) count = number + 1;
        }
    return (uint32_t)count;
}

static const hlo_instr *find_parameter(const hlo_module *parts, uint32_t number) {
    for (; parts; parts = parts->next_device)
        for (uint32_t i = 0; i < parts->entry->parameter_count; i++)
            if (hlo_attr_int(parts->entry->parameters[i], HLO_ATTR_PARAMETER_NUMBER) == number)
                return parts->entry->parameters[i];
    return NULL;
}

static bool add_parameter(hlo_module *to, const hlo_module *parts, uint32_t number,
                          hlo_diags *diags) {
    const hlo_instr *parameter = find_parameter(parts, number);
    hlo_attr attr = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = number};
    if (!parameter) {
        hlo_error(diags, HLO_RULE_PARAMETER_NUMBERS, parts->source, parts->entry->at,
                  "no part of the graph has parameter %u", number);
        return false;
    }
    hlo_name *name =
        hlo_module_intern_copy(to, (hlo_str){parameter->name->ptr, parameter->name->len, 0});
    hlo_instr_new(to->entry, HLO_OP_PARAMETER, hlo_shape_import(&to->shapes, parameter->shape),
                  name, NULL, 0, &attr, 1);
    return true;
}

/* The shapes of the parts' results at their positions in the whole; how many there are. */
static uint32_t place_results(hlo_module *to, const hlo_module *part, const hlo_shape **shapes,
                              uint32_t count) {
    const hlo_instr *root = part->entry->root;
    const hlo_str *list = hlo_frontend_value(root, "results");
    hlo_cursor positions = hlo_cursor_of(list ? *list : HLO_STR(""));
    uint32_t most = 0;
    for (uint32_t i = 0; hlo_shape_is_tuple(root->shape) && i < root->shape->rank; i++) {
        uint64_t position = i;
        if (list && hlo_take_number(&positions, UINT32_MAX - 1, &position))
            hlo_take(&positions, ',');
        if (shapes && position < count)
            shapes[position] = hlo_shape_import(&to->shapes, root->shape->elements[i]);
        if (position >= most) most = (uint32_t)position + 1;
    }
    return most;
}

/* A result that is no tuple is that of one part. */
static const hlo_shape *result_of(hlo_module *to, const hlo_module *parts) {
    uint32_t count = 0;
    for (const hlo_module *m = parts; m; m = m->next_device)
        if (m->entry->root->opcode != HLO_OP_TUPLE)
            return hlo_shape_import(&to->shapes, m->entry->root->shape);
    for (const hlo_module *m = parts; m; m = m->next_device) {
        uint32_t most = place_results(to, m, NULL, 0);
        if (most > count) count = most;
    }
    const hlo_shape **shapes = hlo_arena_zero(&to->arena, (count + 1u) * sizeof *shapes);
    for (uint32_t i = 0; i < count; i++) shapes[i] = hlo_shape_token(&to->shapes);
    for (const hlo_module *m = parts; m; m = m->next_device) place_results(to, m, shapes, count);
    return hlo_shape_tuple(&to->shapes, shapes, count);
}

bool hlo_run_has_interface(const hlo_module *module) {
    return module->next_device || parameter_count_of(module) != module->entry->parameter_count;
}

hlo_module *hlo_run_graph_interface(const hlo_module *parts, hlo_diags *diags) {
    hlo_module *to = hlo_module_new();
    to->entry = hlo_computation_new(to, hlo_module_intern(to, HLO_STR("interface")));
    bool good = true;
    uint32_t count = parameter_count_of(parts);
    for (uint32_t i = 0; i < count && good; i++) good = add_parameter(to, parts, i, diags);
    hlo_str *target = HLO_NEW(&to->arena, hlo_str);
    *target = HLO_STR("results");
    hlo_attr attr = {.id = HLO_ATTR_CUSTOM_CALL_TARGET, .u.string = target};
    to->entry->root = hlo_instr_new(to->entry, HLO_OP_CUSTOM_CALL, result_of(to, parts),
                                    hlo_module_intern(to, *target), NULL, 0, &attr, 1);
    hlo_computation_index_parameters(to->entry);
    if (good) return to;
    hlo_module_free(to);
    return NULL;
}

/* ---- making and running ---- */

hlo_status hlo_run_make_graph(hlo_run *run, const hlo_run_passes *passes, const hlo_module *module,
                              const hlo_run_options *options, hlo_diags *diags) {
    hlo_status status = check(run, options, diags);
    if (status != HLO_OK) return status;
    run->graph = passes->graph(module, options, diags);
    for (hlo_module *m = run->graph; m; m = m->next_device) /* freed with the run from now on */
        hlo_cleanup_remove(&m->cleanup);
    if (!run->graph || !hlo_run_check_processes(run, diags)) return HLO_BAD_MODULE;
    bool optimises = options->engine == HLO_ENGINE_FAST && !options->as_written;
    run->flow_options =
        (hlo_flow_options){.parallel_iterations = options->graph.parallel_iterations,
                           .optimise = optimises ? passes->optimise : NULL,
                           .program = &run->program_options,
                           .device = &run->device_options,
                           .pool = run->pool,
                           .world = run->world};
    run->events = options->graph.events;
    run->chrome_events = options->graph.chrome_events;
    return HLO_OK;
}

bool hlo_run_make_flow(hlo_run *run, hlo_diags *diags) {
    run->flow = hlo_flow_new(run->graph, &run->flow_options, diags);
    return run->flow != NULL;
}

void hlo_run_free_graph(hlo_run *run) {
    hlo_module_free(run->graph);
    hlo_module_free(run->interface);
    run->graph = run->interface = NULL;
}

/* All processes of a job begin, or none. */
static bool meet(hlo_run *run, hlo_status own) {
    run->has_met = true;
    return hlo_world_agree(run->world, own, NULL) == HLO_OK;
}

static hlo_value *run_flow(hlo_run *run, hlo_value *const *arguments, const hlo_flow_trace *trace,
                           hlo_diags *diags) {
    const hlo_computation *entry = run->module->entry;
    if (!meet(run, HLO_OK)) return NULL;
    return hlo_flow_run(run->flow, arguments, entry->parameter_count, entry->root->shape, trace,
                        diags);
}

static void report_events(const char *path, int bad, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot write %s: %s", path,
              strerror(bad));
}

/* Each of several processes writes its own. */
static const char *path_of_events(const hlo_run *run, hlo_buf *path) {
    if (hlo_world_size(run->world) < 2) return run->events;
    hlo_buf_printf(path, "%s.r%u", run->events, hlo_world_rank(run->world));
    hlo_buf_char(path, '\0');
    return path->data;
}

static void close_stream(void *stream) {
    fclose(stream);
}

/* What a run did is of use when it failed, too. */
static hlo_value *run_into(hlo_run *run, const char *path, hlo_value *const *arguments,
                           hlo_diags *diags) {
    hlo_atomic_file file;
    int bad = hlo_atomic_open(&file, path);
    if (bad) {
        report_events(path, bad, diags);
        return NULL;
    }
    int copy = dup(file.fd);
    FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
    if (!to) {
        bad = errno;
        if (copy >= 0) close(copy);
        hlo_atomic_discard(&file);
        report_events(path, bad, diags);
        return NULL;
    }
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_stream, to);
    hlo_flow_trace trace = {.to = to, .is_chrome = run->chrome_events};
    hlo_value *result = run_flow(run, arguments, &trace, diags);
    hlo_cleanup_remove(&closing);
    if (ferror(to)) bad = EIO;
    if (fclose(to) != 0) bad = errno;
    if (bad) hlo_atomic_discard(&file);
    else bad = hlo_atomic_commit(&file);
    if (!bad) return result;
    report_events(path, bad, diags);
    hlo_value_release(result);
    return NULL;
}

static hlo_value *run_with_events(hlo_run *run, hlo_value *const *arguments, hlo_diags *diags) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_value *result = run_into(run, path_of_events(run, &path), arguments, diags);
    hlo_buf_free(&path);
    return result;
}

hlo_value *hlo_run_execute_graph(hlo_run *run, hlo_value *const *arguments, hlo_diags *diags) {
    if (run->events) return run_with_events(run, arguments, diags);
    return run_flow(run, arguments, &(hlo_flow_trace){0}, diags);
}

uint32_t hlo_run_graph_devices(const hlo_run *run) {
    uint32_t count = 0;
    for (const hlo_module *m = run ? run->graph : NULL; m; m = m->next_device) count++;
    return count;
}

uint64_t hlo_run_stack_peak(const hlo_run *run) {
    if (run && run->flow) return hlo_flow_stack_peak(run->flow);
    return run && run->device ? atomic_load(&run->device->stacks.peak) : 0;
}
