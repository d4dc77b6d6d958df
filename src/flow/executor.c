/* Firing and routing: see executor.h. Nodes that take little time fire under the lock, one after
 * the other, so that a loop over scalars never waits for it; others give it back while they
 * compute. Whatever the order, every merge has one live token and every node fires once in a tag,
 * so that results do not depend on it. */
#include "flow/executor.h"

#include "base/clock.h"
#include "eval/value_memory.h"
#include "flow/remote.h"

/* A thread that works for the run, with what it needs to call the steps of each device. */
typedef struct {
    hlo_execution *run;
    hlo_thread **threads; /* by device */
    hlo_diags reports;
    uint32_t number;
    hlo_value **arguments; /* of a step */
} worker;

static const hlo_node *node_at(const hlo_execution *run, uint32_t number) {
    return &run->graph->nodes.v[number];
}

static bool traces(const hlo_execution *run) {
    return hlo_traces(&run->trace);
}

/* ---- nodes that are ready ---- */

static void grow_queue(hlo_ready_queue *queue) {
    uint32_t capacity = queue->capacity ? 2 * queue->capacity : 64;
    hlo_ready *v = hlo_malloc(capacity * sizeof *v);
    for (uint32_t i = 0; i < queue->count; i++)
        v[i] = queue->v[(queue->first + i) & (queue->capacity - 1)];
    hlo_free(queue->v);
    *queue = (hlo_ready_queue){.v = v, .capacity = capacity, .count = queue->count};
}

static void push_ready(hlo_ready_queue *queue, uint32_t node, hlo_iteration *iteration) {
    if (queue->count == queue->capacity) grow_queue(queue);
    queue->v[(queue->first + queue->count++) & (queue->capacity - 1)] =
        (hlo_ready){node, iteration};
}

static hlo_ready pop_ready(hlo_ready_queue *queue) {
    hlo_ready ready = queue->v[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    return ready;
}

static void make_ready(hlo_execution *run, uint32_t number, hlo_iteration *iteration) {
    const hlo_node *node = node_at(run, number);
    bool is_heavy = node->kind == HLO_NODE_STEP && run->is_heavy[node->step] &&
                    !iteration->states[node->local].dead;
    iteration->busy++;
    push_ready(is_heavy ? &run->heavy : &run->light, number, iteration);
}

/* ---- delivering ---- */

/* How many of a merge's operands can come in this iteration: of a loop's the first in iteration 0,
 * the other one later. */
static uint32_t operands_to_come(const hlo_node *merge) {
    return merge->is_loop ? 1 : merge->operand_count;
}

static void deliver_to_merge(hlo_execution *run, uint32_t number, const hlo_node *node,
                             uint32_t operand, hlo_iteration *iteration, hlo_value *value,
                             bool is_dead) {
    hlo_node_state *state = &iteration->states[node->local];
    if (operand == HLO_CONTROL) {
        state->missing--;
    } else if (is_dead) {
        state->dead++;
    } else if (state->is_live || state->is_ready) {
        hlo_value_release(value); /* which of two live ones it is is not determined */
    } else {
        iteration->operands[node->slots] = value;
        iteration->tokens++;
        state->is_live = true;
    }
    bool is_known = state->is_live || state->dead == operands_to_come(node);
    if (state->is_ready || state->missing || !is_known) return;
    state->is_ready = true;
    make_ready(run, number, iteration);
}

/* What ends at an exit or a next-iteration dies without a trace: a loop has such a token for each
 * exit in each iteration. */
static bool ends_here(const hlo_flow_trace *trace, const hlo_node *node) {
    bool is_end = node->kind == HLO_NODE_EXIT || node->kind == HLO_NODE_NEXT;
    return is_end && !node->control_count && !hlo_traces(trace);
}

/* Takes over the reference to `value`. */
static void deliver(hlo_execution *run, hlo_consumer to, hlo_iteration *iteration, hlo_value *value,
                    bool is_dead) {
    const hlo_node *node = node_at(run, to.node);
    if (node->kind == HLO_NODE_MERGE) {
        deliver_to_merge(run, to.node, node, to.operand, iteration, value, is_dead);
        return;
    }
    if (is_dead && ends_here(&run->trace, node)) return;
    hlo_node_state *state = &iteration->states[node->local];
    if (value) {
        iteration->operands[node->slots + to.operand] = value;
        iteration->tokens++;
    }
    state->dead |= is_dead;
    if (--state->missing == 0) make_ready(run, to.node, iteration);
}

static hlo_consumers consumers_of(const hlo_execution *run, const hlo_node *node, uint32_t port) {
    return run->graph->outputs.v[node->outputs + port];
}

/* Takes over the reference to `value`; NULL: a dead token. */
static void send_output(hlo_execution *run, const hlo_node *node, uint32_t port,
                        hlo_iteration *iteration, hlo_value *value) {
    hlo_consumers to = consumers_of(run, node, port);
    if (value && run->is_shared) hlo_value_share(value);
    if (!to.count) {
        hlo_value_release(value);
        return;
    }
    const hlo_consumer *all = &run->graph->consumers.v[to.first - 1];
    if (value && !to.data) hlo_value_release(value);
    else if (value && to.data > 1) hlo_value_retain_more(value, to.data - 1);
    for (uint32_t i = 0; i < to.count; i++)
        deliver(run, all[i], iteration, all[i].operand == HLO_CONTROL ? NULL : value, !value);
}

/* Control edges of the node itself. */
static void send_control(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration,
                         bool is_dead) {
    hlo_consumers to = consumers_of(run, node, node->output_count);
    for (uint32_t i = 0; i < to.count; i++)
        deliver(run, run->graph->consumers.v[to.first - 1 + i], iteration, NULL, is_dead);
}

/* ---- frames ---- */

static void trace_frame(hlo_execution *run, hlo_flow_event event, const hlo_iteration *iteration,
                        uint32_t thread) {
    if (traces(run)) hlo_trace_frame(&run->trace, run->graph, event, iteration, thread);
}

static void deliver_constant(hlo_execution *run, const hlo_instance *instance, uint32_t constant,
                             hlo_iteration *iteration) {
    const hlo_constant_token *token = &instance->constants[constant];
    const hlo_graph_frame *frame = &run->graph->frames.v[instance->frame];
    const hlo_node *enter = node_at(run, frame->constants.v[constant]);
    hlo_value *value = token->is_dead ? NULL : hlo_value_retain(token->value);
    send_output(run, enter, 0, iteration, value);
    send_control(run, enter, iteration, token->is_dead);
}

/* Constants that are there belong to every iteration. */
static hlo_iteration *open_iteration(hlo_execution *run, hlo_instance *instance, uint32_t thread) {
    hlo_iteration *iteration = hlo_open_iteration(&run->tokens, instance);
    uint32_t constants = run->graph->frames.v[instance->frame].constant_count;
    trace_frame(run, HLO_EVENT_ITERATION_OPEN, iteration, thread);
    for (uint32_t i = 0; i < constants; i++)
        if (instance->constants[i].is_there) deliver_constant(run, instance, i, iteration);
    return iteration;
}

static hlo_instance *instance_for(hlo_execution *run, hlo_iteration *parent, uint32_t frame,
                                  uint32_t thread) {
    hlo_instance *instance = hlo_find_instance(parent, frame);
    if (instance) return instance;
    instance = hlo_open_instance(&run->tokens, parent, frame);
    trace_frame(run, HLO_EVENT_FRAME_OPEN, instance->first, thread);
    trace_frame(run, HLO_EVENT_ITERATION_OPEN, instance->first, thread);
    return instance;
}

static void report_leftovers(hlo_execution *run, const hlo_iteration *iteration) {
    const hlo_graph_frame *frame = &run->graph->frames.v[iteration->instance->frame];
    const hlo_instr *enter = frame->of->enter;
    hlo_error(run->diags, HLO_RULE_RUN, enter->parent->module->source, enter->at,
              "%u values are left in iteration %llu of frame '%s'", iteration->tokens,
              (unsigned long long)iteration->number, frame->name);
    run->has_failed = true;
}

static void settle(hlo_execution *run, hlo_instance *instance, uint32_t thread);

/* A loop in a branch that was not taken has sent nothing: its exits are dead, once. */
static void finish_instance(hlo_execution *run, hlo_instance *instance, uint32_t thread) {
    const hlo_graph_frame *frame = &run->graph->frames.v[instance->frame];
    hlo_iteration *parent = instance->parent;
    for (uint32_t i = 0; i < frame->exit_count; i++) {
        if (instance->exited[i]) continue;
        const hlo_node *exit = node_at(run, frame->exits.v[i]);
        send_output(run, exit, 0, parent, NULL);
        send_control(run, exit, parent, true);
    }
    hlo_close_instance(&run->tokens, instance);
    settle(run, parent->instance, thread);
}

static void deliver_held(hlo_execution *run, hlo_instance *instance, uint32_t thread) {
    hlo_iteration *iteration = open_iteration(run, instance, thread);
    for (uint32_t i = 0; i < instance->held.n; i++) {
        const hlo_node *next = node_at(run, instance->held.v[i].node);
        send_output(run, next, 0, iteration, instance->held.v[i].value);
        send_control(run, next, iteration, false);
    }
    instance->held.n = 0;
}

static bool is_settled(const hlo_instance *instance) {
    const hlo_iteration *first = instance->first;
    return first && !first->busy && !first->children && !instance->waiting_enters;
}

/* Closes iterations that nothing can happen in any more, from the first on; the root's stays. */
static void settle(hlo_execution *run, hlo_instance *instance, uint32_t thread) {
    if (!instance->parent) return;
    while (is_settled(instance)) {
        hlo_iteration *first = instance->first;
        if (first->tokens) report_leftovers(run, first);
        trace_frame(run, HLO_EVENT_ITERATION_CLOSE, first, thread);
        bool is_last = !first->next && !instance->held.n;
        if (is_last) trace_frame(run, HLO_EVENT_FRAME_CLOSE, first, thread);
        hlo_close_iteration(&run->tokens, instance);
        if (instance->held.n) deliver_held(run, instance, thread);
        if (!is_last) continue;
        finish_instance(run, instance, thread);
        return;
    }
}

/* ---- firing ---- */

/* The operand, with its reference; NULL: dead. */
static hlo_value *take(hlo_iteration *iteration, const hlo_node *node, uint32_t operand) {
    hlo_value **slot = &iteration->operands[node->slots + operand], *value = *slot;
    *slot = NULL;
    iteration->tokens -= value != NULL;
    return value;
}

static void drop_operands(hlo_iteration *iteration, const hlo_node *node) {
    for (uint32_t i = 0; i < node->operand_count; i++) hlo_value_release(take(iteration, node, i));
}

static void send_dead(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    for (uint32_t i = 0; i < node->output_count; i++) send_output(run, node, i, iteration, NULL);
    send_control(run, node, iteration, true);
}

static bool truth_of(const hlo_value *predicate) {
    return *(const uint8_t *)predicate->data != 0;
}

static void fire_switch(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    hlo_value *data = take(iteration, node, 0), *predicate = take(iteration, node, 1);
    bool is_true = truth_of(predicate);
    hlo_value_release(predicate);
    send_output(run, node, 0, iteration, is_true ? NULL : data);
    send_output(run, node, 1, iteration, is_true ? data : NULL);
    send_control(run, node, iteration, false);
}

static void fire_merge(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    hlo_value *value = take(iteration, node, 0);
    send_output(run, node, 0, iteration, value);
    send_control(run, node, iteration, !value);
}

static void fire_enter(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration,
                       uint32_t thread) {
    hlo_value *value = take(iteration, node, 0);
    bool is_dead = iteration->states[node->local].dead;
    if (is_dead) hlo_value_release(value);
    if (is_dead) value = NULL;
    hlo_instance *instance = instance_for(run, iteration, node->opens, thread);
    instance->waiting_enters--;
    if (node->constant) {
        uint32_t constant = node->constant - 1;
        if (value && run->is_shared) hlo_value_share(value);
        instance->constants[constant] = (hlo_constant_token){value, true, is_dead};
        for (hlo_iteration *i = instance->first; i; i = i->next)
            deliver_constant(run, instance, constant, i);
    } else {
        send_output(run, node, 0, instance->first, value);
        send_control(run, node, instance->first, is_dead);
    }
    settle(run, instance, thread);
}

/* A dead exit is heard of when the frame is finished. */
static void fire_exit(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    hlo_instance *instance = iteration->instance;
    hlo_value *value = take(iteration, node, 0);
    if (iteration->states[node->local].dead) {
        hlo_value_release(value);
        return;
    }
    instance->exited[node->exit] = true;
    send_output(run, node, 0, instance->parent, value);
    send_control(run, node, instance->parent, false);
}

static void hold(hlo_execution *run, uint32_t number, hlo_iteration *iteration, hlo_value *value,
                 uint32_t thread) {
    hlo_held_token held = {number, value};
    if (run->is_shared) hlo_value_share(value);
    hlo_list_push(&iteration->instance->held, held);
    if (traces(run))
        hlo_trace_node(&run->trace, run->graph, HLO_EVENT_HELD, node_at(run, number), iteration,
                       false, thread, 0);
}

/* A dead one stops here; a live one goes to the next iteration, which may have to wait. */
static void fire_next(hlo_execution *run, uint32_t number, hlo_iteration *iteration,
                      uint32_t thread) {
    const hlo_node *node = node_at(run, number);
    hlo_instance *instance = iteration->instance;
    hlo_value *value = take(iteration, node, 0);
    if (iteration->states[node->local].dead) {
        hlo_value_release(value);
        return;
    }
    hlo_iteration *next = iteration->next;
    if (!next && instance->living >= run->graph->frames.v[instance->frame].limit) {
        hold(run, number, iteration, value, thread);
        return;
    }
    if (!next) next = open_iteration(run, instance, thread);
    send_output(run, node, 0, next, value);
    send_control(run, node, next, false);
}

static hlo_tag tag_of(const hlo_execution *run, const hlo_iteration *iteration) {
    return (hlo_tag){iteration->path, run->graph->frames.v[iteration->instance->frame].depth};
}

static void leave(hlo_execution *run, hlo_iteration *iteration, uint32_t thread);

static void receive(hlo_execution *run, uint32_t number, hlo_iteration *iteration, hlo_value *value,
                    uint32_t thread) {
    const hlo_node *node = node_at(run, number);
    if (traces(run))
        hlo_trace_node(&run->trace, run->graph, HLO_EVENT_RECV, node, iteration, !value, thread, 0);
    send_output(run, node, 0, iteration, value);
    send_control(run, node, iteration, !value);
    leave(run, iteration, thread);
}

static bool is_here(const hlo_execution *run, uint32_t device) {
    return device >= run->first && device < run->last;
}

/* To the recv that waits, into the table, or to another process. */
static void publish(hlo_execution *run, uint32_t edge, hlo_tag tag, hlo_value *value,
                    uint32_t thread) {
    uint32_t recv = run->graph->recvs.v[edge];
    if (!is_here(run, node_at(run, recv)->device)) {
        hlo_remote_send(run->remote, edge, tag, value);
        return;
    }
    hlo_iteration *waits = hlo_rendezvous_send(run->rendezvous, edge, tag, value);
    if (waits) receive(run, recv, waits, value, thread);
}

static void fire_send(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration,
                      uint32_t thread) {
    hlo_value *value = take(iteration, node, 0);
    if (iteration->states[node->local].dead) {
        hlo_value_release(value);
        value = NULL;
    }
    if (value && run->is_shared) hlo_value_share(value);
    if (traces(run))
        hlo_trace_node(&run->trace, run->graph, HLO_EVENT_SEND, node, iteration, !value, thread, 0);
    bool is_dead = !value;
    publish(run, node->edge, tag_of(run, iteration), value, thread);
    send_control(run, node, iteration, is_dead);
}

/* Pulls: the recv is busy until its message is there. */
static void fire_recv(hlo_execution *run, uint32_t number, hlo_iteration *iteration,
                      uint32_t thread) {
    hlo_value *value;
    hlo_tag tag = tag_of(run, iteration);
    uint32_t edge = node_at(run, number)->edge;
    if (hlo_rendezvous_receive(run->rendezvous, edge, tag, iteration, &value))
        receive(run, number, iteration, value, thread);
}

static void fire_result(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    hlo_value *value = take(iteration, node, 0);
    if (!iteration->states[node->local].dead) {
        run->results[node->number] = value;
        return;
    }
    hlo_value_release(value);
    hlo_error(run->diags, HLO_RULE_RUN, node->instr->parent->module->source, node->instr->at,
              "'%.*s' is a result and dead: it is in a branch that was not taken",
              (int)node->instr->name->len, node->instr->name->ptr);
    run->has_failed = true;
}

static void fire_parameter(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    send_output(run, node, 0, iteration, hlo_value_retain(run->arguments[node->number]));
    send_control(run, node, iteration, false);
}

/* ---- steps ---- */

/* What the host lacks is reported to the run at once; the thread knows of a missing value only. */
static void give_up(worker *w) {
    w->run->has_failed = true;
    if (!hlo_diags_error_count(w->run->diags)) hlo_diags_append(w->run->diags, &w->reports);
    hlo_diags_clear(&w->reports);
}

/* The elements of a tuple of results; one that is none is the only one. */
static void send_results(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration,
                         hlo_value *value) {
    if (node->output_count == 1) {
        send_output(run, node, 0, iteration, value);
    } else {
        for (uint32_t i = 0; i < node->output_count; i++)
            send_output(run, node, i, iteration, hlo_value_retain(value->elements[i]));
        hlo_value_release(value);
    }
    send_control(run, node, iteration, false);
}

static void trace_step(hlo_execution *run, const hlo_node *node, const hlo_iteration *iteration,
                       bool is_dead, uint32_t thread, uint64_t since) {
    if (traces(run))
        hlo_trace_node(&run->trace, run->graph, HLO_EVENT_FIRE, node, iteration, is_dead, thread,
                       since);
}

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

/* The lock is given back while a heavy step computes. */
static hlo_value *compute(worker *w, const hlo_node *node, bool is_heavy) {
    hlo_execution *run = w->run;
    const hlo_steps *steps = &run->steps[node->device];
    const hlo_plan *plan = steps->plans[node->step - steps->first];
    run->running += is_heavy;
    if (is_heavy) pthread_mutex_unlock(&run->lock);
    hlo_value *value =
        hlo_thread_call(w->threads[node->device], plan, w->arguments, node->operand_count);
    if (is_heavy) pthread_mutex_lock(&run->lock);
    run->running -= is_heavy;
    return value;
}

static void fire_step(worker *w, const hlo_node *node, hlo_iteration *iteration) {
    hlo_execution *run = w->run;
    if (iteration->states[node->local].dead) {
        drop_operands(iteration, node);
        trace_step(run, node, iteration, true, w->number, 0);
        send_dead(run, node, iteration);
        return;
    }
    uint64_t since = traces(run) ? hlo_clock() : 0;
    for (uint32_t i = 0; i < node->operand_count; i++) w->arguments[i] = take(iteration, node, i);
    hlo_value *value = compute(w, node, run->is_heavy[node->step]);
    trace_step(run, node, iteration, false, w->number, since);
    if (value) send_results(run, node, iteration, value);
    else give_up(w);
}

/* ---- one node ---- */

static void leave(hlo_execution *run, hlo_iteration *iteration, uint32_t thread) {
    iteration->busy--;
    settle(run, iteration->instance, thread);
}

static bool dies(const hlo_node *node, const hlo_iteration *iteration) {
    return node->kind == HLO_NODE_SWITCH && iteration->states[node->local].dead;
}

static void trace_primitive(worker *w, const hlo_node *node, const hlo_iteration *iteration) {
    hlo_execution *run = w->run;
    const hlo_node_state *state = &iteration->states[node->local];
    bool is_dead = node->kind == HLO_NODE_MERGE ? !state->is_live : state->dead != 0;
    hlo_trace_node(&run->trace, run->graph, HLO_EVENT_FIRE, node, iteration, is_dead, w->number, 0);
}

static void fire(worker *w, hlo_ready ready) {
    hlo_execution *run = w->run;
    const hlo_node *node = node_at(run, ready.node);
    hlo_iteration *iteration = ready.iteration;
    if (traces(run) && node->kind != HLO_NODE_STEP && node->kind != HLO_NODE_RESULT)
        trace_primitive(w, node, iteration);
    if (dies(node, iteration)) {
        drop_operands(iteration, node);
        send_dead(run, node, iteration);
        leave(run, iteration, w->number);
        return;
    }
    switch (node->kind) {
    case HLO_NODE_STEP: fire_step(w, node, iteration); break;
    case HLO_NODE_PARAMETER: fire_parameter(run, node, iteration); break;
    case HLO_NODE_SWITCH: fire_switch(run, node, iteration); break;
    case HLO_NODE_MERGE: fire_merge(run, node, iteration); break;
    case HLO_NODE_ENTER: fire_enter(run, node, iteration, w->number); break;
    case HLO_NODE_EXIT: fire_exit(run, node, iteration); break;
    case HLO_NODE_NEXT: fire_next(run, ready.node, iteration, w->number); break;
    case HLO_NODE_SEND: fire_send(run, node, iteration, w->number); break;
    case HLO_NODE_RECV: fire_recv(run, ready.node, iteration, w->number); return;
    case HLO_NODE_RESULT: fire_result(run, node, iteration); break;
    }
    leave(run, iteration, w->number);
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
    publish(run, edge, tag, value, thread);
    atomic_store(&run->has_ready, !is_idle(run));
}

/* Others are woken for what is left while this thread computes. */
static void tell_others(hlo_execution *run, const hlo_node *node) {
    if (!run->is_shared || node->kind != HLO_NODE_STEP || !run->is_heavy[node->step]) return;
    bool is_left = run->light.count + run->heavy.count > 0;
    atomic_store_explicit(&run->has_ready, is_left, memory_order_relaxed);
    if (is_left) hlo_job_notify(run->pool);
}

enum { BETWEEN_LOOKS = 64 }; /* nodes, between two looks at whether the run is to stop */

/* Fires until nothing is ready. Called with the lock. */
static void fire_all(void *context) {
    worker *w = context;
    hlo_execution *run = w->run;
    hlo_cleanup unlocking;
    uint32_t fired = 0;
    hlo_cleanup_add(&unlocking, unlock, &run->lock);
    while (!is_idle(run)) {
        hlo_ready ready = pop_ready(run->light.count ? &run->light : &run->heavy);
        tell_others(run, node_at(run, ready.node));
        fire(w, ready);
        if (++fired % BETWEEN_LOOKS) continue;
        if (hlo_pool_is_stopped()) run->has_failed = true;
        if (run->remote) hlo_remote_make_way(run->remote);
    }
    hlo_cleanup_remove(&unlocking);
}

static void start_worker(hlo_execution *run, worker *w) {
    uint32_t devices = run->graph->device_count, most = 1;
    for (uint32_t i = 0; i < run->graph->nodes.n; i++)
        if (node_at(run, i)->operand_count > most) most = node_at(run, i)->operand_count;
    *w = (worker){.run = run, .number = atomic_fetch_add(&run->workers, 1)};
    w->threads = hlo_calloc(devices, sizeof *w->threads);
    w->arguments = hlo_calloc(most, sizeof *w->arguments);
    hlo_diags_init(&w->reports);
    for (uint32_t d = run->first; d < run->last; d++) {
        w->threads[d] = hlo_thread_borrow(run->owners[d]);
        hlo_thread_report_to(w->threads[d], &w->reports);
    }
}

static void end_worker(worker *w) {
    for (uint32_t d = w->run->first; d < w->run->last; d++) hlo_thread_return(w->threads[d]);
    hlo_diags_drop(&w->reports);
    hlo_free(w->threads);
    hlo_free(w->arguments);
}

static void work_with(worker *w) {
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
static void work(hlo_job *job) {
    worker w;
    start_worker((hlo_execution *)job, &w);
    work_with(&w);
    end_worker(&w);
}

/* ---- the whole ---- */

static void start(hlo_execution *run) {
    run->job = (hlo_job){.has_work = has_work, .work = work};
    pthread_mutex_init(&run->lock, NULL);
    hlo_tokens_init(&run->tokens, run->graph);
    run->rendezvous = hlo_rendezvous_new();
    run->is_shared = run->world || (run->pool && hlo_pool_threads(run->pool) > 1);
    for (uint32_t i = 0; run->is_shared && i < run->argument_count; i++)
        if (run->arguments[i]) hlo_value_share(run->arguments[i]);
    for (uint32_t d = run->first; d < run->last; d++) {
        const hlo_graph_frame *root = &run->graph->frames.v[d];
        for (uint32_t i = 0; i < root->starts.n; i++)
            make_ready(run, root->starts.v[i], run->tokens.roots[d].first);
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

/* Everything has fired that could: whatever still waits waits for ever. Process 0 says so. */
static void check_end(hlo_execution *run) {
    if (!run->has_finished) run->left = hlo_flow_leftovers(run);
    const hlo_leftovers *left = &run->left;
    bool stands_still = left->iterations || left->recvs || left->messages || left->nodes;
    run->has_failed = left->failed || stands_still;
    if (left->failed || !stands_still || hlo_world_rank(run->world)) return;
    hlo_error(run->diags, HLO_RULE_RUN, NULL, (hlo_span){0},
              "the graph stalls: %llu iterations are open, %llu recvs wait and %llu messages "
              "were not asked for",
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

static void run_alone(hlo_execution *run) {
    worker w;
    start_worker(run, &w);
    work_with(&w);
    end_worker(&w);
}

/* A process without devices waits for the others. */
static void run_with_pool(hlo_execution *run) {
    worker w;
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
    else run_alone(run);
    hlo_trace_end(&run->trace);
    size_t wanted = run->wanted ? run->wanted : run->job.wanted;
    if (wanted) hlo_out_of_memory(wanted);
    end(run);
    return !run->has_failed;
}
