/* The threads of a run and what it begins and ends with: see executor.h. Nodes that take little
 * time fire under the lock, one after the other, so that a loop over scalars never waits for it;
 * others give it back while they compute (firing.c). */
#include "flow/executor.h"

#include "eval/value/value_memory.h"
#include "flow/firing.h"
#include "flow/remote.h"

static const hlo_node *node_at(const hlo_execution *run, uint32_t number) {
    return &run->graph->nodes.v[number];
}

/* ---- threads ---- */

static bool is_idle(const hlo_execution *run) {
    return run->has_failed || (!run->light.count && !run->heavy.count);
}

bool hlo_flow_rests(const hlo_execution *run) {
    return is_idle(run) && !run->running;
}

void hlo_flow_publish(hlo_execution *run, uint32_t edge, hlo_tag tag, hlo_value *value,
                      uint32_t thread) {
    hlo_flow_publish_value(run, edge, tag, value, thread);
    atomic_store(&run->has_ready, !is_idle(run));
}

/* Others are woken for the rest while this thread computes. */
static void tell_others(hlo_execution *run, const hlo_node *node) {
    if (!run->is_shared || node->kind != HLO_NODE_STEP || !run->is_heavy[node->step]) return;
    bool is_left = run->light.count + run->heavy.count > 0;
    atomic_store_explicit(&run->has_ready, is_left, memory_order_relaxed);
    if (is_left) hlo_job_notify(run->pool);
}

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

enum { BETWEEN_LOOKS = 64 }; /* nodes, between two looks at whether the run is to stop */

/* Fires until nothing is ready. Leaves the lock open when memory runs out. */
static void fire_all(void *context) {
    hlo_worker *w = context;
    hlo_execution *run = w->run;
    HLO_ASSERT_LOCKED(&run->lock);
    hlo_cleanup unlocking;
    uint32_t fired = 0;
    hlo_cleanup_add(&unlocking, unlock, &run->lock);
    while (!is_idle(run)) {
        hlo_ready ready = hlo_flow_pop(run->light.count ? &run->light : &run->heavy);
        tell_others(run, node_at(run, ready.node));
        hlo_flow_fire(w, ready);
        if (++fired % BETWEEN_LOOKS) continue;
        if (hlo_pool_is_stopped()) run->has_failed = true;
        if (run->remote) hlo_remote_make_way(run->remote);
    }
    hlo_cleanup_remove(&unlocking);
}

static void start_worker(hlo_execution *run, hlo_worker *w) {
    uint32_t devices = run->graph->device_count, most = 1;
    for (uint32_t i = 0; i < run->graph->nodes.n; i++)
        if (node_at(run, i)->operand_count > most) most = node_at(run, i)->operand_count;
    *w = (hlo_worker){.run = run, .number = atomic_fetch_add(&run->workers, 1)};
    w->threads = hlo_calloc(devices, sizeof *w->threads);
    w->arguments = hlo_calloc(most, sizeof *w->arguments);
    hlo_diags_init(&w->reports);
    w->reports.hints = run->diags->hints;
    w->reports.hints_context = run->diags->hints_context;
    for (uint32_t d = run->first; d < run->last; d++) {
        w->threads[d] = hlo_thread_borrow(run->owners[d]);
        hlo_thread_report_to(w->threads[d], &w->reports);
    }
}

static void end_worker(hlo_worker *w) {
    for (uint32_t d = w->run->first; d < w->run->last; d++) hlo_thread_return(w->threads[d]);
    hlo_diags_drop(&w->reports);
    hlo_free(w->threads);
    hlo_free(w->arguments);
}

static void work_with(hlo_worker *w) {
    hlo_execution *run = w->run;
    hlo_calls calls;
    hlo_thread_start_calls(w->threads[run->first], &calls);
    pthread_mutex_lock(&run->lock);
    size_t wanted = hlo_unwind_work(hlo_unwind_current(), fire_all, w);
    if (wanted) pthread_mutex_lock(&run->lock);
    if (wanted) run->wanted = wanted;
    run->has_failed |= wanted != 0;
    bool is_over = hlo_flow_rests(run) && (!run->remote || run->has_finished);
    atomic_store(&run->has_ready, !is_idle(run));
    atomic_store(&run->is_over, is_over);
    if (run->remote) hlo_remote_rest(run->remote);
    pthread_mutex_unlock(&run->lock);
    if (is_over && run->is_shared) hlo_job_notify(run->pool);
    hlo_thread_end_calls(&calls);
}

static bool has_work(hlo_job *job) {
    return atomic_load_explicit(&((hlo_execution *)job)->has_ready, memory_order_relaxed);
}

static bool should_look(hlo_job *job) {
    return has_work(job) ||
           atomic_load_explicit(&((hlo_execution *)job)->is_over, memory_order_relaxed);
}

/* A thread of the pool. */
static void work_in_pool(hlo_job *job) {
    hlo_worker w;
    start_worker((hlo_execution *)job, &w);
    work_with(&w);
    end_worker(&w);
}

/* ---- the whole ---- */

static void start(hlo_execution *run) {
    run->job = (hlo_job){.has_work = has_work, .work = work_in_pool};
    pthread_mutex_init(&run->lock, NULL);
    hlo_tokens_init(&run->tokens, run->graph);
    run->rendezvous = hlo_rendezvous_new();
    run->is_shared = run->world || (run->pool && hlo_pool_threads(run->pool) > 1);
    for (uint32_t i = 0; run->is_shared && i < run->argument_count; i++)
        if (run->arguments[i]) hlo_value_share(run->arguments[i]);
    for (uint32_t d = run->first; d < run->last; d++) {
        const hlo_graph_frame *root = &run->graph->frames.v[d];
        for (uint32_t i = 0; i < root->starts.n; i++)
            hlo_flow_make_ready(run, root->starts.v[i], run->tokens.roots[d].first);
    }
}

hlo_leftovers hlo_flow_leftovers(const hlo_execution *run) {
    hlo_leftovers left = {.failed = run->has_failed,
                          .iterations = run->tokens.living,
                          .recvs = hlo_rendezvous_waiting(run->rendezvous),
                          .messages = hlo_rendezvous_unread(run->rendezvous)};
    for (uint32_t d = run->first; d < run->last; d++) {
        left.nodes += run->tokens.roots[d].first->busy;
        left.stack_peak += atomic_load(&run->steps[d].device->stacks.peak);
    }
    return left;
}

/* All nodes that could fire have: what still waits, waits forever. Process 0 reports it. */
static void check_end(hlo_execution *run) {
    if (!run->has_finished) run->left = hlo_flow_leftovers(run);
    const hlo_leftovers *left = &run->left;
    bool stands_still = left->iterations || left->recvs || left->messages || left->nodes;
    run->has_failed = left->failed || stands_still;
    if (left->failed || !stands_still || hlo_world_rank(run->world)) return;
    hlo_error(run->diags, HLO_RULE_RUN, NULL, (hlo_span){0},
              "deadlock in the graph: %llu iterations are open, %llu recvs are pending and %llu "
              "messages are unreceived",
              (unsigned long long)left->iterations, (unsigned long long)left->recvs,
              (unsigned long long)left->messages);
}

static void end(hlo_execution *run) {
    check_end(run);
    hlo_tokens_free(&run->tokens);
    hlo_rendezvous_free(run->rendezvous);
    hlo_free(run->light.v);
    hlo_free(run->heavy.v);
    pthread_mutex_destroy(&run->lock);
}

/* A process without devices waits for the others. */
static void run_with_pool(hlo_execution *run) {
    hlo_worker w;
    start_worker(run, &w);
    hlo_job_open(run->pool, &run->job, 0);
    hlo_remote *remote = run->world ? hlo_remote_start(run, run->world) : NULL;
    for (;;) {
        if (run->first < run->last) work_with(&w);
        if (atomic_load_explicit(&run->is_over, memory_order_relaxed)) break;
        hlo_job_wait(run->pool, &run->job, should_look);
    }
    hlo_job_close(run->pool, &run->job);
    if (remote) hlo_remote_join(remote);
    end_worker(&w);
}

bool hlo_flow_execute(hlo_execution *run) {
    start(run);
    uint32_t threads = run->is_shared ? hlo_pool_threads(run->pool) : 1;
    threads += run->world != NULL; /* that of remote.c */
    hlo_trace_begin(&run->trace, run->steps, run->first, run->last, threads);
    if (run->is_shared) run_with_pool(run);
    else {
        hlo_worker w;
        start_worker(run, &w);
        work_with(&w);
        end_worker(&w);
    }
    hlo_trace_end(&run->trace);
    size_t wanted = run->wanted ? run->wanted : run->job.wanted;
    if (wanted) hlo_out_of_memory(wanted);
    end(run);
    return !run->has_failed;
}
