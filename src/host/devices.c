/* The devices of a run: each is a separate run, of the program of device 0, on a separate thread
 * while all are executed. With a job, other processes execute some of them. */
#include "eval/comm/comm.h"
#include "host/run.h"

enum { MOST_DEVICES = 4096 };

/* ---- which ---- */

uint32_t hlo_run_count_devices(const hlo_module *module, hlo_diags *diags) {
    int64_t replicas = hlo_module_int(module, HLO_ATTR_REPLICA_COUNT);
    int64_t partitions = hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS), count;
    if (replicas >= 1 && partitions >= 1 && !__builtin_mul_overflow(replicas, partitions, &count) &&
        count <= MOST_DEVICES)
        return (uint32_t)count;
    hlo_error(diags, HLO_RULE_LIMIT, module->source, (hlo_span){0},
              "the module is for %lld replicas of %lld partitions, and a run has from 1 to %d "
              "devices",
              (long long)replicas, (long long)partitions, MOST_DEVICES);
    return 0;
}

static hlo_status refuse_assignment(hlo_diags *diags, const hlo_run *run, const char *why) {
    return hlo_misuse(diags, "the device assignment must have each number below %u once: %s",
                      run->device_count, why);
}

hlo_status hlo_run_assign_devices(hlo_run *run, const hlo_run_options *options, hlo_diags *diags) {
    uint32_t n = run->device_count;
    if (!options->devices.assignment) return HLO_OK;
    if (options->devices.assignment_count != n)
        return refuse_assignment(diags, run, "its size is different");
    run->assignment = hlo_malloc(2 * n * sizeof *run->assignment);
    uint32_t *places = run->assignment + n;
    for (uint32_t i = 0; i < n; i++) places[i] = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t device = options->devices.assignment[i];
        if (device >= n) return refuse_assignment(diags, run, "one is too large");
        if (places[device] < n) return refuse_assignment(diags, run, "one is listed twice");
        run->assignment[i] = device;
        places[device] = i;
    }
    return HLO_OK;
}

hlo_run *hlo_run_of_device(const hlo_run *run, uint32_t device) {
    return device && run->others ? run->others[device - 1] : (hlo_run *)run;
}

void hlo_run_put_device(hlo_buf *to, const hlo_run *run) {
    if (run->device_count > 1) hlo_buf_printf(to, ".r%u", run->number);
}

/* ---- making and freeing ---- */

/* What they have in common stays that of device 0, which outlives them. */
static hlo_run *new_other(hlo_run *run, uint32_t number) {
    hlo_run *other = run->others[number - 1] =
        hlo_run_new(run->module, hlo_pool_threads(run->pool));
    hlo_cleanup_remove(&other->cleanup); /* it is freed with device 0 */
    other->number = number;
    other->device_count = run->device_count;
    other->world = run->world;
    other->first = run->first;
    other->last = run->last;
    other->original = run;
    other->only = run->only;
    other->watched = run->watched;
    other->watched_count = run->watched_count;
    other->is_met = run->is_met;
    other->program_options = run->program_options;
    other->device_options = run->device_options;
    other->device_options.number = number;
    other->device_options.host_context = other;
    other->device_options.progress = &other->progress;
    return other;
}

hlo_status hlo_run_make_others(hlo_run *run, const hlo_run_options *options, hlo_diags *diags) {
    run->others = hlo_calloc(run->device_count - 1, sizeof *run->others);
    hlo_status status = HLO_OK;
    for (uint32_t d = 1; d < run->device_count && status == HLO_OK; d++) {
        hlo_run *other = new_other(run, d);
        if (!options) continue;
        hlo_run_watch(other, options, &other->device_options);
        if (options->pin) hlo_pool_pin(other->pool);
        status = hlo_run_open_host(other, options, diags);
    }
    return status;
}

hlo_status hlo_run_prepare_others(hlo_run *run, hlo_diags *diags) {
    for (uint32_t d = 1; d < run->device_count; d++) {
        run->others[d - 1]->copy = run->copy;
        if (d < run->first || d >= run->last) continue;
        if (!hlo_run_make_evaluator(run->others[d - 1], diags)) return HLO_BAD_MODULE;
    }
    return HLO_OK;
}

void hlo_run_free_others(hlo_run *run) {
    for (uint32_t d = 1; run->others && d < run->device_count; d++)
        if (run->others[d - 1]) hlo_run_free_one(run->others[d - 1]);
    hlo_free(run->others);
    run->others = NULL;
}

/* ---- executing ---- */

/* One device in one execution. */
typedef struct {
    hlo_run *run;
    hlo_comm *comm;
    hlo_unwind_scope *scope; /* of the call that executes all */
    hlo_diags diags;
    hlo_status status;
    size_t wanted; /* bytes that were not there; 0: none */
    pthread_t thread;
    bool has_thread;
} device_job;

static void execute_one(void *context) {
    device_job *job = context;
    job->status = hlo_run_execute_one(job->run, &job->diags);
}

static void *work(void *context) {
    device_job *job = context;
    job->wanted = hlo_unwind_work(job->scope, execute_one, job);
    bool went_well = !job->wanted && job->status == HLO_OK && job->run->result;
    hlo_comm_end(job->comm, job->run->number, went_well);
    return NULL;
}

static void start(device_job *job, hlo_run *run, hlo_comm *comm, const hlo_diags *diags) {
    *job = (device_job){.run = run, .comm = comm, .scope = hlo_unwind_current()};
    hlo_diags_init(&job->diags);
    job->diags.max_errors = diags->max_errors;
    job->diags.hints = diags->hints;
    job->diags.hints_context = diags->hints_context;
}

/* A device without an input uses that of device 0, wherever it is executed. */
static void share_inputs(const hlo_run *run) {
    for (uint32_t i = 0; i < run->input_count; i++)
        if (run->inputs[i].value) hlo_value_share(run->inputs[i].value);
}

/* A device without a thread ends before it begins. */
static void start_threads(device_job *jobs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        device_job *job = &jobs[i];
        hlo_device_connect(job->run->device, job->comm);
        job->has_thread = pthread_create(&job->thread, NULL, work, job) == 0;
        if (!job->has_thread) hlo_comm_end(job->comm, job->run->number, false);
    }
}

/* Nothing is allocated before all have ended. */
static size_t join_threads(device_job *jobs, uint32_t count) {
    size_t wanted = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].has_thread) pthread_join(jobs[i].thread, NULL);
        if (jobs[i].wanted) wanted = jobs[i].wanted;
        hlo_device_connect(jobs[i].run->device, NULL);
    }
    return wanted;
}

/* ---- what became of it ---- */

static void append(hlo_diags *to, const hlo_diags *from, uint32_t device) {
    hlo_buf text = HLO_BUF_INIT;
    for (const hlo_diag *d = from->first; d; d = d->next) {
        hlo_diag named = *d;
        text.len = 0;
        hlo_buf_printf(&text, "device %u: %s", device, d->message);
        hlo_buf_char(&text, '\0');
        named.message = text.data;
        hlo_diags_append_one(to, &named);
    }
    hlo_buf_free(&text);
}

static hlo_status report_missing_thread(const device_job *job, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot start a thread for device %u",
              job->run->number);
    return HLO_BAD_SYSTEM;
}

/* The status is that of the first error. Devices that ended because of another report none. When
 * the run is interrupted, all report the same. */
static hlo_status collect(device_job *jobs, uint32_t count, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (uint32_t i = 0; i < count; i++) {
        device_job *job = &jobs[i];
        bool is_first = status == HLO_OK;
        if (!job->has_thread) job->status = report_missing_thread(job, diags);
        if (is_first) status = job->status;
        if (is_first || !hlo_pool_is_cancelled(job->run->pool))
            append(diags, &job->diags, job->run->number);
        hlo_diags_drop(&job->diags);
    }
    return status;
}

static bool have_evaluators(hlo_run *run, hlo_diags *diags) {
    for (uint32_t d = run->first; d < run->last; d++) {
        hlo_run *device = hlo_run_of_device(run, d);
        bool has_evaluator = device->program || device->flow;
        if (!has_evaluator && !hlo_run_make_evaluator(device, diags)) return false;
    }
    return true;
}

static hlo_status get_ready(hlo_run *run, hlo_diags *diags) {
    if (!have_evaluators(run, diags)) return HLO_BAD_MODULE;
    return hlo_run_need_inputs(run, diags);
}

/* An error of all processes is reported by the first of them. */
static hlo_status get_ready_together(hlo_run *run, hlo_diags *diags) {
    hlo_diags found;
    uint32_t first;
    if (!run->world) return get_ready(run, diags);
    hlo_diags_init(&found);
    hlo_status own = get_ready(run, &found), worst = hlo_world_agree(run->world, own, &first);
    bool reports = first == hlo_world_rank(run->world);
    for (const hlo_diag *d = found.first; d && reports; d = d->next) hlo_diags_append_one(diags, d);
    hlo_diags_drop(&found);
    return own != HLO_OK ? own : worst;
}

/* The devices of this process, and until those of others have ended. */
static hlo_status execute_devices(hlo_run *run, hlo_comm *comm, hlo_diags *diags) {
    uint32_t count = run->last - run->first;
    device_job *jobs = hlo_calloc(count, sizeof *jobs);
    for (uint32_t d = 0; d < run->device_count; d++) share_inputs(hlo_run_of_device(run, d));
    for (uint32_t i = 0; i < count; i++)
        start(&jobs[i], hlo_run_of_device(run, run->first + i), comm, diags);
    hlo_unwind_share(hlo_unwind_current());
    hlo_comm_start(comm);
    start_threads(jobs, count);
    size_t wanted = join_threads(jobs, count);
    hlo_comm_stop(comm);
    if (wanted) hlo_out_of_memory(wanted);
    hlo_status status = collect(jobs, count, diags);
    hlo_free(jobs);
    return status;
}

/* Between two agreements: others would wait for this process. */
static void end_job(void *world) {
    hlo_world_fail(world, "memory for a run over several processes");
}

static hlo_status execute_with_others(hlo_run *run, hlo_diags *diags) {
    const hlo_module *module = run->copy.module ? run->copy.module : run->module;
    hlo_comm *comm = hlo_comm_new(run->device_count, run->world, module);
    hlo_status own = execute_devices(run, comm, diags);
    hlo_comm_free(comm);
    hlo_status status = hlo_world_agree(run->world, own, NULL);
    if (status == HLO_OK && run->world) status = hlo_run_bring_results(run, diags);
    return own != HLO_OK ? own : status;
}

/* A process that cannot begin notifies the others, which wait for it then. */
static hlo_status execute_graph_with_others(hlo_run *run, hlo_diags *diags) {
    run->has_met = false;
    hlo_status own = hlo_run_execute_one(run, diags);
    if (!run->has_met) hlo_world_agree(run->world, own == HLO_OK ? HLO_BAD_SYSTEM : own, NULL);
    hlo_status status = hlo_world_agree(run->world, own, NULL);
    return own != HLO_OK ? own : status;
}

hlo_status hlo_run_execute_all(hlo_run *run, hlo_diags *diags) {
    hlo_cleanup ending;
    hlo_status status = get_ready_together(run, diags);
    if (status != HLO_OK) return status;
    if (!run->world) return execute_with_others(run, diags);
    hlo_cleanup_add(&ending, end_job, run->world);
    status = hlo_run_compare_processes(run, diags);
    if (status == HLO_OK)
        status =
            run->graph ? execute_graph_with_others(run, diags) : execute_with_others(run, diags);
    hlo_cleanup_remove(&ending);
    return status;
}
