/* Memory of instances and iterations: see tokens.h. An iteration that was closed is the next one of
 * its frame that opens, so that a loop needs as many as live at once, however many trips it has. */
#include "flow/tokens.h"

/* ---- pools ---- */

static hlo_node_state start_of(const hlo_node *node) {
    uint32_t operands = node->kind == HLO_NODE_MERGE ? 0 : node->operand_count;
    return (hlo_node_state){.missing = operands + node->control_count};
}

static hlo_iteration *new_iteration(const hlo_tokens *tokens, uint32_t frame) {
    HLO_ASSERT(frame < tokens->graph->frames.n);
    const hlo_graph_frame *f = &tokens->graph->frames.v[frame];
    hlo_iteration *iteration = hlo_calloc(1, sizeof *iteration);
    iteration->path = hlo_calloc(f->depth + 1u, sizeof *iteration->path);
    iteration->states = hlo_calloc(f->node_count + 1u, sizeof *iteration->states);
    iteration->operands = hlo_calloc(f->slot_count + 1u, sizeof *iteration->operands);
    return iteration;
}

static hlo_iteration *take_iteration(hlo_tokens *tokens, uint32_t frame) {
    HLO_ASSERT(frame < tokens->graph->frames.n);
    hlo_frame_pool *pool = &tokens->pools[frame];
    hlo_iteration *iteration = pool->iterations;
    if (iteration) pool->iterations = iteration->next;
    else iteration = new_iteration(tokens, frame);
    uint32_t nodes = tokens->graph->frames.v[frame].node_count;
    if (nodes) memcpy(iteration->states, pool->states, nodes * sizeof *pool->states);
    return iteration;
}

static hlo_instance *new_instance(const hlo_tokens *tokens, uint32_t frame) {
    const hlo_graph_frame *f = &tokens->graph->frames.v[frame];
    hlo_instance *instance = hlo_calloc(1, sizeof *instance);
    instance->frame = frame;
    instance->constants = hlo_calloc(f->constant_count + 1u, sizeof *instance->constants);
    instance->exited = hlo_calloc(f->exit_count + 1u, sizeof *instance->exited);
    return instance;
}

void hlo_tokens_init(hlo_tokens *tokens, const hlo_graph *graph) {
    *tokens = (hlo_tokens){.graph = graph};
    tokens->pools = hlo_calloc(graph->frames.n, sizeof *tokens->pools);
    for (uint32_t i = 0; i < graph->frames.n; i++)
        tokens->pools[i].states =
            hlo_calloc(graph->frames.v[i].node_count + 1u, sizeof *tokens->pools[i].states);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const hlo_node *node = &graph->nodes.v[i];
        tokens->pools[node->frame].states[node->local] = start_of(node);
    }
    tokens->roots = hlo_calloc(graph->device_count, sizeof *tokens->roots);
    for (uint32_t d = 0; d < graph->device_count; d++) {
        tokens->roots[d].frame = d;
        hlo_open_iteration(tokens, &tokens->roots[d]);
        HLO_ASSERT(tokens->living > 0);
        tokens->living--;
    }
}

/* ---- freeing ---- */

static void free_iteration(const hlo_tokens *tokens, uint32_t frame, hlo_iteration *iteration) {
    HLO_ASSERT(frame < tokens->graph->frames.n);
    uint32_t slots = tokens->graph->frames.v[frame].slot_count;
    for (uint32_t i = 0; i < slots; i++) hlo_value_release(iteration->operands[i]);
    hlo_free(iteration->path);
    hlo_free(iteration->states);
    hlo_free(iteration->operands);
    hlo_free(iteration);
}

static void release_held(hlo_instance *instance) {
    for (uint32_t i = 0; i < instance->held.n; i++) hlo_value_release(instance->held.v[i].value);
    instance->held.n = 0;
}

static void release_constants(const hlo_tokens *tokens, hlo_instance *instance) {
    uint32_t constants = tokens->graph->frames.v[instance->frame].constant_count;
    for (uint32_t i = 0; i < constants; i++) hlo_value_release(instance->constants[i].value);
}

static void free_instance(hlo_instance *instance) {
    hlo_free(instance->constants);
    hlo_free(instance->exited);
    hlo_list_free(&instance->held);
}

/* What a run that failed has left open. */
static void abandon(const hlo_tokens *tokens, hlo_instance *instance) {
    for (hlo_iteration *i = instance->first, *next; i; i = next) {
        next = i->next;
        for (hlo_instance *child = i->children, *other; child; child = other) {
            other = child->next;
            abandon(tokens, child);
            free_instance(child);
            hlo_free(child);
        }
        free_iteration(tokens, instance->frame, i);
    }
    if (instance->constants) release_constants(tokens, instance);
    release_held(instance);
}

static void free_pool(const hlo_tokens *tokens, uint32_t frame) {
    hlo_frame_pool *pool = &tokens->pools[frame];
    for (hlo_iteration *i = pool->iterations, *next; i; i = next) {
        next = i->next;
        free_iteration(tokens, frame, i);
    }
    for (hlo_instance *i = pool->instances, *next; i; i = next) {
        next = i->next;
        free_instance(i);
        hlo_free(i);
    }
    hlo_free(pool->states);
}

void hlo_tokens_free(hlo_tokens *tokens) {
    for (uint32_t d = 0; d < tokens->graph->device_count; d++) {
        abandon(tokens, &tokens->roots[d]);
        hlo_list_free(&tokens->roots[d].held);
    }
    for (uint32_t i = 0; i < tokens->graph->frames.n; i++) free_pool(tokens, i);
    hlo_free(tokens->roots);
    hlo_free(tokens->pools);
}

/* ---- instances ---- */

hlo_instance *hlo_find_instance(const hlo_iteration *parent, uint32_t frame) {
    hlo_instance *child = parent->children;
    while (child && child->frame != frame) child = child->next;
    return child;
}

hlo_instance *hlo_open_instance(hlo_tokens *tokens, hlo_iteration *parent, uint32_t frame) {
    HLO_ASSERT(frame < tokens->graph->frames.n && !hlo_find_instance(parent, frame));
    hlo_frame_pool *pool = &tokens->pools[frame];
    hlo_instance *instance = pool->instances;
    if (instance) pool->instances = instance->next;
    else instance = new_instance(tokens, frame);
    instance->parent = parent;
    instance->next = parent->children;
    parent->children = instance;
    instance->waiting_enters = tokens->graph->frames.v[frame].enter_count;
    hlo_open_iteration(tokens, instance);
    return instance;
}

static void clear_instance(const hlo_tokens *tokens, hlo_instance *instance) {
    const hlo_graph_frame *frame = &tokens->graph->frames.v[instance->frame];
    release_constants(tokens, instance);
    if (frame->constant_count)
        memset(instance->constants, 0, frame->constant_count * sizeof *instance->constants);
    if (frame->exit_count)
        memset(instance->exited, 0, frame->exit_count * sizeof *instance->exited);
    instance->first = instance->last = NULL;
    instance->opened = 0;
}

void hlo_close_instance(hlo_tokens *tokens, hlo_instance *instance) {
    HLO_ASSERT(!instance->first && !instance->living && !instance->held.n);
    hlo_frame_pool *pool = &tokens->pools[instance->frame];
    hlo_instance **link = &instance->parent->children;
    while (*link != instance) link = &(*link)->next;
    HLO_ASSERT(*link == instance);
    *link = instance->next;
    clear_instance(tokens, instance);
    instance->next = pool->instances;
    pool->instances = instance;
}

/* ---- iterations ---- */

static void set_path(const hlo_tokens *tokens, hlo_iteration *iteration) {
    const hlo_instance *instance = iteration->instance;
    uint32_t depth = tokens->graph->frames.v[instance->frame].depth;
    if (!depth) return;
    if (depth > 1)
        memcpy(iteration->path, instance->parent->path, (depth - 1) * sizeof *iteration->path);
    HLO_ASSERT(instance->parent);
    iteration->path[depth - 1] = iteration->number;
}

hlo_iteration *hlo_open_iteration(hlo_tokens *tokens, hlo_instance *instance) {
    HLO_ASSERT(!instance->first == !instance->last && (!instance->last || !instance->last->next));
    hlo_iteration *iteration = take_iteration(tokens, instance->frame);
    iteration->instance = instance;
    iteration->next = NULL;
    iteration->number = instance->opened++;
    if (instance->first) instance->last->next = iteration;
    else instance->first = iteration;
    instance->last = iteration;
    instance->living++;
    tokens->living++;
    set_path(tokens, iteration);
    return iteration;
}

void hlo_close_iteration(hlo_tokens *tokens, hlo_instance *instance) {
    HLO_ASSERT(instance->living > 0 && tokens->living > 0);
    hlo_iteration *iteration = instance->first;
    HLO_ASSERT(iteration && !iteration->busy && !iteration->children);
    hlo_frame_pool *pool = &tokens->pools[instance->frame];
    instance->first = iteration->next;
    if (!instance->first) instance->last = NULL;
    instance->living--;
    tokens->living--;
    iteration->next = pool->iterations;
    pool->iterations = iteration;
}

void hlo_put_tag(hlo_buf *to, const hlo_graph *graph, const hlo_iteration *iteration) {
    const hlo_instance *instance = iteration->instance;
    if (!instance->parent) return;
    hlo_put_tag(to, graph, instance->parent);
    if (instance->parent->instance->parent) hlo_buf_char(to, '/');
    hlo_buf_printf(to, "%s/%llu", graph->frames.v[instance->frame].name,
                   (unsigned long long)iteration->number);
}
