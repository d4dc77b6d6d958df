/* Firing and routing: see firing.h. Whatever the order, every merge has one live token and every
 * node fires once in a tag, so that results do not depend on it. */
#include "flow/firing.h"

#include "base/clock.h"
#include "eval/value/value_memory.h"
#include "flow/remote.h"

static const hlo_node *node_at(const hlo_execution *run, uint32_t number) {
    return &run->graph->nodes.v[number];
}

static bool traces(const hlo_execution *run) {
    return hlo_traces(&run->trace);
}

/* ---- nodes that are ready ---- */

static void grow_queue(hlo_ready_queue *queue) {
    HLO_ASSERT(queue->count == queue->capacity);
    uint32_t capacity = queue->capacity ? 2 * queue->capacity : 64;
    hlo_ready *v = hlo_malloc(capacity * sizeof *v);
    for (uint32_t i = 0; i < queue->count; i++)
        v[i] = queue->v[(queue->first + i) & (queue->capacity - 1)];
    hlo_free(queue->v);
    *queue = (hlo_ready_queue){.v = v, .capacity = capacity, .count = queue->count};
}

static void push_ready(hlo_ready_queue *queue, uint32_t node, hlo_iteration *iteration) {
    HLO_ASSERT(queue->count <= queue->capacity);
    if (queue->count == queue->capacity) grow_queue(queue);
    queue->v[(queue->first + queue->count++) & (queue->capacity - 1)] =
        (hlo_ready){node, iteration};
}

hlo_ready hlo_flow_pop(hlo_ready_queue *queue) {
    HLO_ASSERT(queue->count > 0);
    hlo_ready ready = queue->v[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    return ready;
}

void hlo_flow_make_ready(hlo_execution *run, uint32_t number, hlo_iteration *iteration) {
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
        HLO_ASSERT(state->missing > 0);
        state->missing--;
    } else if (is_dead) {
        state->dead++;
    } else if (state->is_live || state->is_ready) {
        hlo_value_release(value); /* which of two live ones it is is not determined */
    } else {
        HLO_ASSERT(value && !iteration->operands[node->slots]);
        iteration->operands[node->slots] = value;
        iteration->tokens++;
        state->is_live = true;
    }
    HLO_ASSERT(state->dead <= node->operand_count);
    bool is_known = state->is_live || state->dead == operands_to_come(node);
    if (state->is_ready || state->missing || !is_known) return;
    state->is_ready = true;
    hlo_flow_make_ready(run, number, iteration);
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
    HLO_ASSERT(iteration->instance->frame == node->frame);
    if (node->kind == HLO_NODE_MERGE) {
        deliver_to_merge(run, to.node, node, to.operand, iteration, value, is_dead);
        return;
    }
    if (is_dead && ends_here(&run->trace, node)) return;
    hlo_node_state *state = &iteration->states[node->local];
    if (value) {
        HLO_ASSERT(to.operand < node->operand_count &&
                   !iteration->operands[node->slots + to.operand]);
        iteration->operands[node->slots + to.operand] = value;
        iteration->tokens++;
    }
    state->dead |= is_dead;
    HLO_ASSERT(state->missing > 0);
    if (--state->missing == 0) hlo_flow_make_ready(run, to.node, iteration);
}

static hlo_consumers consumers_of(const hlo_execution *run, const hlo_node *node, uint32_t port) {
    HLO_ASSERT(port <= node->output_count);
    return run->graph->outputs.v[node->outputs + port];
}

/* Takes over the reference to `value`; NULL: a dead token. */
static void send_output(hlo_execution *run, const hlo_node *node, uint32_t port,
                        hlo_iteration *iteration, hlo_value *value) {
    hlo_consumers to = consumers_of(run, node, port);
    HLO_ASSERT(port < node->output_count);
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
    HLO_ASSERT(constant < frame->constant_count && token->is_there);
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

static void finish_settled_instances(hlo_execution *run, hlo_instance *instance, uint32_t thread);

/* A loop in a branch that was not taken has sent nothing: its exits are dead, once. */
static void finish_instance(hlo_execution *run, hlo_instance *instance, uint32_t thread) {
    HLO_ASSERT(!instance->first);
    const hlo_graph_frame *frame = &run->graph->frames.v[instance->frame];
    hlo_iteration *parent = instance->parent;
    for (uint32_t i = 0; i < frame->exit_count; i++) {
        if (instance->exited[i]) continue;
        const hlo_node *exit = node_at(run, frame->exits.v[i]);
        send_output(run, exit, 0, parent, NULL);
        send_control(run, exit, parent, true);
    }
    hlo_close_instance(&run->tokens, instance);
    finish_settled_instances(run, parent->instance, thread);
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
    HLO_ASSERT(!instance->first == !instance->living);
    const hlo_iteration *first = instance->first;
    return first && !first->busy && !first->children && !instance->waiting_enters;
}

/* Closes iterations that nothing can happen in any more, from the first on; the root's stays. */
static void finish_settled_instances(hlo_execution *run, hlo_instance *instance, uint32_t thread) {
    if (!instance->parent) return;
    while (is_settled(instance)) {
        hlo_iteration *first = instance->first;
        if (first->tokens && !run->has_given_up) report_leftovers(run, first);
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
    HLO_ASSERT(operand < node->operand_count && iteration->instance->frame == node->frame);
    hlo_value **slot = &iteration->operands[node->slots + operand], *value = *slot;
    *slot = NULL;
    HLO_ASSERT(!value || iteration->tokens > 0);
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

static void fire_switch(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    hlo_value *data = take(iteration, node, 0), *predicate = take(iteration, node, 1);
    HLO_ASSERT(data && predicate && predicate->shape->type == HLO_PRED);
    bool is_true = *(const uint8_t *)predicate->data != 0;
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
    HLO_ASSERT(instance->waiting_enters > 0);
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
    finish_settled_instances(run, instance, thread);
}

/* A dead exit is heard of when the frame is finished. */
static void fire_exit(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    hlo_instance *instance = iteration->instance;
    hlo_value *value = take(iteration, node, 0);
    HLO_ASSERT(instance->parent && node->exit < run->graph->frames.v[instance->frame].exit_count);
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
void hlo_flow_publish_value(hlo_execution *run, uint32_t edge, hlo_tag tag, hlo_value *value,
                            uint32_t thread) {
    HLO_ASSERT_LOCKED(&run->lock);
    uint32_t recv = run->graph->recvs.v[edge];
    if (!is_here(run, node_at(run, recv)->device)) {
        hlo_remote_send(run->remote, edge, tag, value);
        return;
    }
    hlo_iteration *waits = hlo_rendezvous_send(run->rendezvous, edge, tag, value);
    HLO_ASSERT(edge < run->graph->recvs.n);
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
    hlo_flow_publish_value(run, node->edge, tag_of(run, iteration), value, thread);
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
        HLO_ASSERT(node->number < run->graph->result_count && !run->results[node->number]);
        run->results[node->number] = value;
        return;
    }
    hlo_value_release(value);
    hlo_error(run->diags, HLO_RULE_RUN, node->instr->parent->module->source, node->instr->at,
              "result '%.*s' is dead: it is in a branch that was not taken",
              (int)node->instr->name->len, node->instr->name->ptr);
    run->has_failed = true;
}

static void fire_parameter(hlo_execution *run, const hlo_node *node, hlo_iteration *iteration) {
    send_output(run, node, 0, iteration, hlo_value_retain(run->arguments[node->number]));
    send_control(run, node, iteration, false);
}

/* ---- steps ---- */

/* What the host lacks is reported to the run at once; the thread knows of a missing value only. */
static void give_up(hlo_worker *w) {
    w->run->has_failed = w->run->has_given_up = true;
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

static void end_heavy(void *context) {
    hlo_execution *run = context;
    pthread_mutex_lock(&run->lock);
    HLO_ASSERT(run->running > 0);
    run->running--;
}

/* The lock is given back while a heavy step computes, and taken again when that ends for lack of
 * memory: others wait until no step runs. */
static hlo_value *compute(hlo_worker *w, const hlo_node *node, bool is_heavy) {
    hlo_execution *run = w->run;
    HLO_ASSERT_LOCKED(&run->lock);
    const hlo_steps *steps = &run->steps[node->device];
    HLO_ASSERT(node->step - steps->first < steps->count);
    const hlo_plan *plan = steps->plans[node->step - steps->first];
    hlo_cleanup ending;
    if (is_heavy) {
        run->running++;
        pthread_mutex_unlock(&run->lock);
        hlo_cleanup_add(&ending, end_heavy, run);
    }
    hlo_value *value =
        hlo_thread_call(w->threads[node->device], plan, w->arguments, node->operand_count);
    if (is_heavy) {
        hlo_cleanup_remove(&ending);
        end_heavy(run);
    }
    return value;
}

static void fire_step(hlo_worker *w, const hlo_node *node, hlo_iteration *iteration) {
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
    HLO_ASSERT(iteration->busy > 0);
    iteration->busy--;
    finish_settled_instances(run, iteration->instance, thread);
}

static void trace_primitive(hlo_worker *w, const hlo_node *node, const hlo_iteration *iteration) {
    hlo_execution *run = w->run;
    const hlo_node_state *state = &iteration->states[node->local];
    bool is_dead = node->kind == HLO_NODE_MERGE ? !state->is_live : state->dead != 0;
    hlo_trace_node(&run->trace, run->graph, HLO_EVENT_FIRE, node, iteration, is_dead, w->number, 0);
}

void hlo_flow_fire(hlo_worker *w, hlo_ready ready) {
    hlo_execution *run = w->run;
    HLO_ASSERT_LOCKED(&run->lock);
    const hlo_node *node = node_at(run, ready.node);
    hlo_iteration *iteration = ready.iteration;
    if (traces(run) && node->kind != HLO_NODE_STEP && node->kind != HLO_NODE_RESULT)
        trace_primitive(w, node, iteration);
    if (node->kind == HLO_NODE_SWITCH && iteration->states[node->local].dead) {
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
