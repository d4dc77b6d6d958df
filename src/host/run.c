/* Running a module by the public interface: inputs and results as flat leaves around the evaluator.
 */
#include "host/run.h"

#include "base/nearest.h"
#include "eval/kernel/isa.h"
#include "host/output.h"
#include "host/parameters.h"

hlo_status hlo_run_no_memory(hlo_diags *diags, const char *what) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot allocate memory for %s", what);
    return HLO_BAD_SYSTEM;
}

/* ---- making and freeing ---- */

void hlo_run_forget_input(hlo_run_leaf *leaf) {
    hlo_value_release(leaf->value);
    if (leaf->from_file) hlo_array_file_free(&leaf->file);
    leaf->value = NULL;
    leaf->from_file = false;
}

void hlo_run_put_input(hlo_run_leaf *leaf, hlo_value *value, const hlo_array_file *file) {
    hlo_run_forget_input(leaf);
    hlo_value_keep(value);
    leaf->value = value;
    leaf->is_made_up = false;
    leaf->from_file = file != NULL;
    if (!file) return;
    leaf->file = *file;
    hlo_arena_keep(&leaf->file.arena);
}

/* Gives the leaves of `shape` their shapes; returns the position after the last one. */
static hlo_run_leaf *put_shapes(const hlo_shape *shape, hlo_run_leaf *leaf) {
    if (hlo_shape_is_array(shape)) (leaf++)->shape = shape;
    else if (hlo_shape_is_tuple(shape))
        for (uint32_t i = 0; i < shape->rank; i++) leaf = put_shapes(shape->elements[i], leaf);
    return leaf;
}

void hlo_run_watch(hlo_run *run, const hlo_run_options *options, hlo_device_options *how) {
    run->trace = options->watch.trace;
    run->dump = options->watch.dump;
    run->break_on_nan = options->watch.break_on_nan;
    run->break_on_inf = options->watch.break_on_inf;
    bool breaks = run->break_on_nan || run->break_on_inf;
    if (!run->trace && !run->dump && !breaks && !run->only.inside) return;
    how->observe = hlo_run_observe;
    how->observe_context = run;
}

/* The options are those of the first time when the program is made again. */
static hlo_program *make_program(hlo_run *run, hlo_diags *diags) {
    run->program_options.origins = run->copy.origins;
    hlo_module *module = run->copy.module ? run->copy.module : run->module;
    return hlo_program_new(module, &run->program_options, diags);
}

bool hlo_run_make_evaluator(hlo_run *run, hlo_diags *diags) {
    if (run->graph) return hlo_run_make_flow(run, diags);
    run->program = run->original ? run->original->program : make_program(run, diags);
    if (!run->program) return false;
    if (run->profiles) {
        run->profile = hlo_profile_new(run->program, run->profile_events);
        hlo_profile_watch_pool(run->profile, run->pool);
    }
    run->device_options.profile = run->profile;
    run->device = hlo_device_new(run->program, &run->device_options);
    run->thread = hlo_thread_new(run->device, run->pool, diags);
    return hlo_device_open_swap(run->device, diags);
}

static void set_options(hlo_run *run, const hlo_run_options *options) {
    run->program_options = (hlo_program_options){.stub_custom_calls = options->custom_calls.stub,
                                                 .threads = hlo_pool_threads(run->pool),
                                                 .max_bytes = options->memory.limit,
                                                 .engine = options->engine,
                                                 .code = options->no_jit ? NULL : &run->code,
                                                 .root = run->only.part,
                                                 .also = run->only.inside,
                                                 .has_host = hlo_run_has_host,
                                                 .handshake = options->devices.handshake,
                                                 .context = run};
    run->program_options.replicas = (uint32_t)hlo_module_int(run->module, HLO_ATTR_REPLICA_COUNT);
    run->program_options.partitions =
        (uint32_t)hlo_module_int(run->module, HLO_ATTR_NUM_PARTITIONS);
    if (run->assignment)
        run->program_options.assignment =
            (hlo_device_assignment){run->assignment, run->assignment + run->device_count};
    if (run->library_count || run->function_count)
        run->program_options.find_function = hlo_run_find_function;
    run->device_options = (hlo_device_options){.seed = options->seed,
                                               .take = hlo_run_take,
                                               .give = hlo_run_give,
                                               .host_context = run,
                                               .swap_threshold = options->memory.swap_threshold,
                                               .swap_directory = options->memory.swap_directory,
                                               .stack_budget = &run->stack_budget,
                                               .progress = &run->progress};
    hlo_run_watch(run, options, &run->device_options);
    run->profiles = options->watch.profile;
    run->profile_events = options->watch.profile_events;
    run->program_options.one_by_one = run->device_options.observe || run->only.inside;
}

static void free_copy(hlo_run *run) {
    hlo_module_free(run->copy.module);
    hlo_free(run->copy.origins);
    run->copy = (hlo_run_copy){0};
}

static void free_evaluator(hlo_run *run) {
    hlo_flow_free(run->flow);
    run->flow = NULL;
    hlo_thread_free(run->thread);
    hlo_device_free(run->device);
    if (run->profile) hlo_profile_watch_pool(NULL, run->pool);
    hlo_profile_free(run->profile);
    if (!run->original) hlo_program_free(run->program);
    run->thread = NULL;
    run->device = NULL;
    run->profile = NULL;
    run->program = NULL;
}

static hlo_status prepare_evaluator(hlo_run *run, hlo_diags *diags) {
    if (!hlo_run_make_evaluator(run, diags))
        return diags->status == HLO_BAD_SYSTEM ? HLO_BAD_SYSTEM : HLO_BAD_MODULE;
    return hlo_run_check_memory(run, diags);
}

/* Where the copy cannot be run, the errors reported are those of the module. */
static hlo_status prepare_some_evaluator(hlo_run *run, hlo_diags *diags) {
    hlo_diags unheard;
    if (!run->copy.module) return prepare_evaluator(run, diags);
    hlo_diags_init(&unheard);
    hlo_status status = prepare_evaluator(run, &unheard);
    hlo_diags_drop(&unheard);
    if (status == HLO_OK) return status;
    free_evaluator(run);
    free_copy(run);
    return prepare_evaluator(run, diags);
}

static void list_inputs(hlo_run *run) {
    const hlo_computation *entry = run->module->entry;
    uint32_t count = 0;
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        count += hlo_leaf_count(entry->parameters[i]->shape);
    run->inputs = hlo_calloc(count, sizeof *run->inputs);
    run->input_count = count;
    hlo_run_leaf *leaf = run->inputs;
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        leaf = put_shapes(entry->parameters[i]->shape, leaf);
}

/* When the call runs out of memory, that of the evaluator goes with it. */
static void forget_eval(hlo_run *run) {
    if (run->pool) hlo_pool_set_watch(run->pool, NULL, NULL);
    hlo_flow_abandon(run->flow);
    if (run->device) hlo_device_abandon(run->device);
    run->profile = NULL;
    run->program = NULL;
    run->flow = NULL;
    run->device = NULL;
    run->thread = NULL;
    run->result = run->only.value = NULL;
    run->outputs = NULL;
    run->output_count = 0;
}

static void free_run(void *unfinished) {
    hlo_run *run = unfinished;
    for (uint32_t d = 0; d < run->device_count; d++) {
        hlo_run *one = hlo_run_of_device(run, d);
        if (one) forget_eval(one);
    }
    hlo_run_free(run);
}

hlo_run *hlo_run_new(hlo_module *module, uint32_t threads) {
    hlo_run *run = hlo_calloc(1, sizeof *run);
    run->module = module;
    hlo_ring_init(&run->memory_of_eval);
    hlo_arena_init(&run->result_arena);
    hlo_arena_keep(&run->result_arena);
    hlo_shapes_init(&run->result_shapes, &run->result_arena);
    hlo_cleanup_add(&run->cleanup, free_run, run);
    run->pool = hlo_pool_new(threads);
    run->device_count = run->last = 1;
    list_inputs(run);
    return run;
}

/* Single instructions are watched or picked out, or the module is wanted as it is. */
static bool may_run_copy(const hlo_run *run, const hlo_run_options *options) {
    return options->engine == HLO_ENGINE_FAST && !options->as_written && !run->only.part &&
           !run->program_options.one_by_one;
}

/* It is freed with the run from now on. */
static void take_copy(hlo_run *run, hlo_run_copy copy) {
    run->copy = copy;
    if (copy.module) hlo_cleanup_remove(&copy.module->cleanup);
}

/* Nothing that a run owns besides values, and no one who looks on. */
static bool may_share(const hlo_run_options *options) {
    return !options->host.infeed_count && !options->host.outfeed && !options->host.recv_count &&
           !options->host.send_count && !options->watch.trace && !options->watch.dump &&
           !options->watch.only && !options->watch.break_on_nan && !options->watch.break_on_inf &&
           !options->watch.profile;
}

static hlo_status find_isa(const char *name, hlo_isa *isa, hlo_diags *diags) {
    if (!name || hlo_isa_find(name, isa)) return HLO_OK;
    hlo_buf known = HLO_BUF_INIT;
    hlo_nearest search = hlo_nearest_to(name, strlen(name));
    const char *one;
    for (uint32_t i = 0; (one = hlo_isa_name(i)); i++) {
        hlo_buf_printf(&known, "%s%s", i ? ", " : "", one);
        hlo_nearest_try(&search, one, strlen(one), false);
    }
    hlo_misuse(diags,
               "there are no kernels for the instruction set '%s' on this machine; available: %.*s",
               name, (int)known.len, known.data);
    hlo_hint_nearest(diags, &search);
    hlo_buf_free(&known);
    return HLO_BAD_USE;
}

/* Processes of one machine share its processors. */
uint32_t hlo_run_threads(uint32_t threads, const hlo_world *world, uint32_t devices) {
    if (!world && devices == 1) return threads;
    if (!threads) threads = hlo_processors() / hlo_world_neighbours(world);
    return threads > devices && devices ? threads / devices : 1;
}

/* All of them are executed here unless processes of a job share them; those that a graph is cut
 * over are the graph's. */
static void put_devices(hlo_run *run, hlo_world *world, uint32_t devices, bool wants_graph) {
    run->world = world;
    run->device_count = run->last = devices;
    if (!world || wants_graph) return;
    run->first = hlo_world_first_device(world, devices, hlo_world_rank(world));
    run->last = run->first + hlo_world_devices_here(world, devices);
}

/* Lists that have as many entries as their counts; false after an error. */
static bool check_lists(const hlo_run_options *given, hlo_diags *diags) {
    const struct {
        const char *name, *what;
        const void *list;
        size_t count;
        bool has_texts; /* none of which is NULL */
    } lists[] = {
        {"custom_calls.functions", "functions", given->custom_calls.functions,
         given->custom_calls.function_count, false},
        {"custom_calls.libraries", "libraries", given->custom_calls.libraries,
         given->custom_calls.library_count, true},
        {"watch.patterns", "patterns", given->watch.patterns, given->watch.pattern_count, true},
        {"host.infeed", "files", given->host.infeed, given->host.infeed_count, true},
        {"host.recv", "files", given->host.recv, given->host.recv_count, true},
        {"host.send", "files", given->host.send, given->host.send_count, true},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *const *texts = lists[i].has_texts ? lists[i].list : NULL;
        if (lists[i].count && !lists[i].list) {
            hlo_misuse(diags, "hlo_run_options.%s is NULL, not %zu %s", lists[i].name,
                       lists[i].count, lists[i].what);
            return false;
        }
        for (size_t k = 0; texts && k < lists[i].count; k++)
            if (!texts[k]) {
                hlo_misuse(diags, "hlo_run_options.%s[%zu] is NULL", lists[i].name, k);
                return false;
            }
    }
    return true;
}

/* Copies the options, and reports those that are invalid. */
static hlo_status take_options(const hlo_run_options *options, hlo_run_options *given, hlo_isa *isa,
                               hlo_diags *diags) {
    if (hlo_take_options(options, given, sizeof *given, diags) != HLO_OK) return HLO_BAD_USE;
    if (given->engine != HLO_ENGINE_FAST && given->engine != HLO_ENGINE_REFERENCE)
        return hlo_misuse(diags, "hlo_run_options.engine is %d, no engine", (int)given->engine);
    if (!check_lists(given, diags)) return HLO_BAD_USE;
    return find_isa(given->isa, isa, diags);
}

/* What the run has of its options, before there is a program. */
static hlo_status set_up(hlo_run *run, const hlo_run_options *given, hlo_isa isa,
                         hlo_diags *diags) {
    if (given->pin) hlo_pool_pin(run->pool);
    hlo_status status = hlo_run_assign_devices(run, given, diags);
    if (status == HLO_OK && given->watch.only)
        status = hlo_run_find_only(run, given->watch.only, diags);
    if (status == HLO_OK) status = hlo_run_open_libraries(run, given, diags);
    if (status == HLO_OK) status = hlo_run_open_host(run, given, diags);
    if (status == HLO_OK) status = hlo_run_set_watched(run, given, diags);
    run->functions = given->custom_calls.functions;
    run->function_count = given->custom_calls.function_count;
    run->exact_literals = given->exact_literals;
    run->may_share = may_share(given);
    if (status == HLO_OK) set_options(run, given);
    run->program_options.isa = isa;
    return status;
}

/* The module as its caller sees it: with the parameters and the result of a graph in parts. */
static hlo_module *outside_of(hlo_module *module, hlo_diags *diags) {
    return hlo_run_has_interface(module) ? hlo_run_graph_interface(module, diags) : module;
}

/* What is run in the place of the module. */
static hlo_status make_copies(hlo_run *run, const hlo_run_passes *passes, hlo_module *module,
                              const hlo_run_options *given, hlo_diags *diags) {
    if (hlo_run_needs_graph(module, given))
        return hlo_run_make_graph(run, passes, module, given, diags);
    if (may_run_copy(run, given)) take_copy(run, passes->copy(module));
    return HLO_OK;
}

hlo_status hlo_run_prepare_by(const hlo_run_passes *passes, hlo_module *module,
                              const hlo_run_options *options, hlo_diags *diags, hlo_run **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_run_options given = HLO_RUN_OPTIONS_INIT;
    hlo_isa isa = HLO_ISA_WIDEST;
    if (take_options(options, &given, &isa, diags) != HLO_OK) return HLO_BAD_USE;
    uint32_t devices = hlo_run_count_devices(module, diags);
    if (!devices) return HLO_BAD_MODULE;
    uint32_t here = hlo_run_needs_graph(module, &given)
                        ? 1
                        : hlo_world_devices_here(given.devices.world, devices);
    hlo_module *outside = outside_of(module, diags);
    if (!outside) return HLO_BAD_MODULE;
    hlo_run *run = hlo_run_new(outside, hlo_run_threads(given.threads, given.devices.world, here));
    run->interface = outside == module ? NULL : outside;
    put_devices(run, given.devices.world, devices, hlo_run_needs_graph(module, &given));
    hlo_status status = set_up(run, &given, isa, diags);
    if (status == HLO_OK) status = make_copies(run, passes, module, &given, diags);
    if (status == HLO_OK && devices > 1) status = hlo_run_make_others(run, &given, diags);
    hlo_unwind_keep_all(); /* what comes next is the evaluator's */
    if (status == HLO_OK) status = prepare_some_evaluator(run, diags);
    if (status == HLO_OK && devices > 1) status = hlo_run_prepare_others(run, diags);
    if (status == HLO_OK) status = hlo_run_take_whole(run, given.devices.whole, diags);
    if (status != HLO_OK) {
        hlo_run_free(run);
        return status;
    }
    hlo_run_note_elided(run, module, &given);
    hlo_ring_retire(&run->memory_of_eval);
    *out = run;
    return HLO_OK;
}

static void forget_result(hlo_run *run) {
    hlo_value_release(run->result);
    hlo_free(run->outputs);
    run->result = NULL;
    run->outputs = NULL;
    run->output_count = 0;
}

void hlo_run_free_one(hlo_run *run) {
    hlo_cleanup_remove(&run->cleanup);
    hlo_code_free(&run->code);
    forget_result(run);
    for (uint32_t i = 0; i < run->input_count; i++) hlo_run_forget_input(&run->inputs[i]);
    hlo_free(run->inputs);
    hlo_run_free_others(run);
    if (!run->original) hlo_free(run->only.callers);
    if (!run->original) hlo_free(run->is_met);
    free_evaluator(run);
    if (!run->original) free_copy(run);
    hlo_run_free_graph(run);
    hlo_run_free_whole(run);
    hlo_free(run->assignment);
    hlo_pool_free(run->pool);
    hlo_run_close_libraries(run);
    hlo_run_close_host(run);
    hlo_shapes_free(&run->result_shapes);
    hlo_arena_free(&run->result_arena);
    hlo_free(run);
}

void hlo_run_free(hlo_run *run) {
    if (!run) return;
    hlo_run *original = run->original;
    run->is_freed = true;
    if (!run->shares) hlo_run_free_one(run);
    if (original && --original->shares == 0 && original->is_freed) hlo_run_free_one(original);
}

/* ---- running ---- */

/* A device without this input takes that of device 0. */
static hlo_value *input_of(const hlo_run *run, uint32_t leaf) {
    hlo_value *own = run->inputs[leaf].value;
    return own || !run->number ? own : run->original->inputs[leaf].value;
}

/* With --only, some parameters are not. */
static bool is_needed(const hlo_run *run, uint32_t leaf) {
    if (!run->only.part) return true;
    const hlo_computation *entry = run->module->entry;
    uint32_t parameter = 0;
    for (uint32_t end = 0; parameter < entry->parameter_count; parameter++) {
        end += hlo_leaf_count(entry->parameters[parameter]->shape);
        if (leaf < end) break;
    }
    return parameter < entry->parameter_count &&
           hlo_program_needs(run->program, entry->parameters[parameter]);
}

static void refuse_input(const hlo_run *run, uint32_t leaf, hlo_diags *diags) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_run_put_input_name(&name, run, leaf);
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "input %u of %u, %.*s, is not given",
              leaf, run->input_count, (int)name.len, name.data);
    hlo_buf_free(&name);
}

hlo_status hlo_run_need_inputs(const hlo_run *run, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (uint32_t leaf = 0; leaf < run->input_count; leaf++) {
        if (input_of(run, leaf) || !is_needed(run, leaf)) continue;
        refuse_input(run, leaf, diags);
        status = HLO_BAD_USE;
    }
    if (status != HLO_OK) hlo_advise(diags, HLO_ADVICE_INPUTS);
    return status;
}

static void release_all(hlo_value **values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) hlo_value_release(values[i]);
    hlo_free(values);
}

static hlo_value **make_arguments(hlo_run *run, hlo_diags *diags) {
    const hlo_computation *entry = run->module->entry;
    hlo_value **arguments = hlo_calloc(entry->parameter_count, sizeof *arguments);
    hlo_value **leaves = hlo_calloc(run->input_count, sizeof *leaves);
    for (uint32_t i = 0; i < run->input_count; i++) leaves[i] = input_of(run, i);
    hlo_value *const *next = leaves;
    bool complete = true;
    for (uint32_t i = 0; i < entry->parameter_count && complete; i++) {
        if (run->only.part && !hlo_program_needs(run->program, entry->parameters[i])) {
            next += hlo_leaf_count(entry->parameters[i]->shape);
            continue;
        }
        arguments[i] = hlo_value_from_leaves(entry->parameters[i]->shape, &next);
        complete = arguments[i] != NULL;
    }
    hlo_free(leaves);
    if (complete) return arguments;
    release_all(arguments, entry->parameter_count);
    hlo_run_no_memory(diags, "the arguments");
    return NULL;
}

hlo_status hlo_run_keep_result(hlo_run *run, hlo_value *result, hlo_diags *diags) {
    run->result = hlo_value_settle(&run->result_shapes, result);
    if (!run->result) return hlo_run_no_memory(diags, "the result");
    run->output_count = hlo_leaf_count(run->result->shape);
    run->outputs = hlo_calloc(run->output_count, sizeof *run->outputs);
    hlo_leaf_values(run->result, run->outputs);
    return HLO_OK;
}

/* Files for the host may be unreadable, or not fit. */
static hlo_status take_result(hlo_run *run, hlo_value *result, hlo_diags *diags) {
    result = hlo_run_take_only(run, result, diags);
    return result ? hlo_run_keep_result(run, result, diags) : diags->status;
}

static hlo_value *evaluate(hlo_run *run, hlo_value *const *arguments, hlo_diags *diags) {
    if (run->graph) return hlo_run_execute_graph(run, arguments, diags);
    hlo_thread_report_to(run->thread, diags);
    hlo_device_rewind(run->device);
    return hlo_thread_run(run->thread, arguments, run->module->entry->parameter_count);
}

static hlo_status execute(hlo_run *run, hlo_diags *diags) {
    hlo_value **arguments = make_arguments(run, diags);
    if (!arguments) return HLO_BAD_SYSTEM;
    hlo_computation *entry = run->module->entry;
    run->diags = diags;
    hlo_status status = hlo_run_begin_host(run, diags);
    hlo_pool *before = hlo_pool_enter(run->pool);
    if (status == HLO_OK) status = take_result(run, evaluate(run, arguments, diags), diags);
    hlo_pool_enter(before);
    release_all(arguments, entry->parameter_count);
    bool is_stopped = !run->graph && !run->result; /* by another device */
    hlo_status ended = hlo_run_end_host(run, status == HLO_OK && !is_stopped, diags);
    return status == HLO_OK ? ended : status;
}

void hlo_run_abandon_one(hlo_run *run) {
    atomic_store(&run->progress.at, NULL);
    forget_eval(run);
    hlo_pool_enter(NULL);
    hlo_run_stop_host(run);
    for (uint32_t i = 0; i < run->input_count; i++)
        if (run->inputs[i].value) run->inputs[i].value->refs = 1;
}

/* After an execution without memory, whose values and evaluator are freed: the run is as it was
 * after hlo_run_prepare, with its inputs. */
static void abandon_execution(void *context) {
    hlo_run *run = context;
    for (uint32_t d = 0; d < run->device_count; d++) hlo_run_abandon_one(hlo_run_of_device(run, d));
    atomic_store(&run->stack_budget.held, 0);
}

hlo_status hlo_run_execute_one(hlo_run *run, hlo_diags *diags) {
    bool has_evaluator = run->program || run->flow;
    if (!has_evaluator && !hlo_run_make_evaluator(run, diags)) return HLO_BAD_MODULE;
    hlo_status status = hlo_run_need_inputs(run, diags);
    return status == HLO_OK ? execute(run, diags) : status;
}

/* After an execution without an error. A device that another one has stopped has no result either,
 * but then that one has an error; and of several processes one has the results. */
static hlo_status need_results(const hlo_run *run, hlo_diags *diags) {
    for (uint32_t d = 0; d < run->device_count && !run->world; d++)
        if (!hlo_run_of_device(run, d)->result) return hlo_run_no_memory(diags, "the result");
    return HLO_OK;
}

hlo_status hlo_run_execute(hlo_run *run, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    if (run->shares)
        return hlo_misuse(diags, "the run is shared: execute the runs that were created from it");
    hlo_status cut = hlo_run_cut_inputs(run, diags);
    if (cut != HLO_OK) return cut;
    if (!hlo_run_may_use_elided(run, diags)) return HLO_BAD_MODULE;
    for (uint32_t d = 0; d < run->device_count; d++) forget_result(hlo_run_of_device(run, d));
    hlo_cleanup abandoning;
    hlo_cleanup_add(&abandoning, abandon_execution, run);
    hlo_ring_enlist(&run->memory_of_eval);
    hlo_status status = run->device_count > 1 || run->world ? hlo_run_execute_all(run, diags)
                                                            : hlo_run_execute_one(run, diags);
    if (status == HLO_OK) status = need_results(run, diags);
    hlo_cleanup_remove(&abandoning);
    hlo_ring_retire(&run->memory_of_eval);
    if (status == HLO_OK) hlo_run_warn_unmet(run, diags);
    return status;
}

void hlo_run_interrupt(hlo_run *run) {
    if (!run) return;
    for (uint32_t d = 0; d < run->device_count; d++) hlo_pool_stop(hlo_run_of_device(run, d)->pool);
}

hlo_run_state hlo_run_progress(const hlo_run *run) {
    const hlo_instr *at = run ? atomic_load(&run->progress.at) : NULL;
    if (!at) return (hlo_run_state){0};
    if (run->copy.origins && at->at.hi) at = run->copy.origins[at->at.lo];
    return (hlo_run_state){.done = atomic_load(&run->progress.done),
                           .count = atomic_load(&run->progress.count),
                           .name = at->name->ptr,
                           .name_len = at->name->len};
}

uint64_t hlo_run_memory(const hlo_run *run) {
    if (!run) return 0;
    return run->memory;
}

static const char lost_plan[] =
    "the run has no plan: it runs a dataflow graph, or memory was exhausted";

hlo_status hlo_run_write_plan(const hlo_run *run, hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, output);
    if (!run->program) return hlo_misuse(diags, lost_plan);
    hlo_program_print(&output->buf, run->program);
    return HLO_OK;
}

hlo_status hlo_run_write_planned_module(const hlo_run *run, hlo_output *output, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, output);
    if (!run->program) return hlo_misuse(diags, lost_plan);
    hlo_module *planned = hlo_program_planned_module(run->program);
    hlo_print_options style = hlo_print_default;
    style.exact_literals = run->exact_literals;
    hlo_module_print(planned, &style, &output->buf);
    hlo_module_free(planned);
    return HLO_OK;
}
