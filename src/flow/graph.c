/* Graphs from dataflow modules: see graph.h. */
#include "flow/graph.h"

#include "base/text.h"
#include "flow/grouping.h"

/* The output of a node that an instruction's value is. */
typedef struct {
    uint32_t node, port;
} source;

/* The making of one device's part. */
typedef struct {
    hlo_graph *graph;
    hlo_module *module;
    uint32_t device;
    hlo_static_frames *frames;
    uint32_t *numbers; /* of the graph's frames, by static frame */
    hlo_grouping grouping;
    uint32_t *step_of; /* the graph's step, by group */
    uint32_t *node_of; /* its node */
    source *sources;   /* by hlo_instr.index */
    bool *embedded;    /* by step: whether it holds copies of constants instead of reading them */
} making;

/* Edges between devices by their keys. */
typedef HLO_LIST(hlo_str) key_list;

enum { NOWHERE = UINT32_MAX };

/* ---- frames ---- */

static char *terminated(hlo_module *module, hlo_str text) {
    char *copy = hlo_arena_zero(&module->arena, text.len + 1);
    if (text.len) memcpy(copy, text.ptr, text.len);
    return copy;
}

static uint32_t add_frame(making *m, uint32_t number, uint64_t limit) {
    HLO_ASSERT(number < m->frames->count);
    const hlo_static_frame *of = &m->frames->v[number];
    hlo_graph_frame frame = {.of = of,
                             .name = terminated(m->module, of->name),
                             .parent = number ? m->numbers[of->parent] : m->device,
                             .device = m->device,
                             .depth = of->depth,
                             .limit = limit ? limit : (uint64_t)of->parallel_iterations};
    hlo_list_push(&m->graph->frames, frame);
    return m->graph->frames.n - 1;
}

/* The root was made with those of the other devices. */
static void add_frames(making *m, uint64_t limit) {
    m->numbers = hlo_calloc(m->frames->count, sizeof *m->numbers);
    m->numbers[0] = m->device;
    m->graph->frames.v[m->device].of = &m->frames->v[0];
    for (uint32_t i = 1; i < m->frames->count; i++) m->numbers[i] = add_frame(m, i, limit);
}

/* ---- steps ---- */

static bool reads(const hlo_graph *graph, uint32_t step, const hlo_instr *instr) {
    HLO_ASSERT(step < graph->steps.n);
    const hlo_graph_step *s = &graph->steps.v[step];
    for (uint32_t i = 0; i < s->operands.n; i++)
        if (s->operands.v[i] == instr) return true;
    return false;
}

static uint32_t group_of(const making *m, const hlo_instr *instr) {
    HLO_ASSERT(instr->index < m->module->entry->instr_count);
    return m->grouping.of[instr->index];
}

/* Whether the value is a constant that a step can have for its own. */
static bool is_copied(const hlo_instr *instr) {
    return hlo_constant_source(instr) != NULL;
}

static void add_operands(making *m, uint32_t step, const hlo_instr *instr, bool with_constants) {
    HLO_ASSERT(step < m->graph->steps.n);
    hlo_graph_step *s = &m->graph->steps.v[step];
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        if (group_of(m, operand) == group_of(m, instr)) continue;
        if (is_copied(operand) != with_constants || reads(m->graph, step, operand)) continue;
        hlo_list_push(&s->operands, operand);
    }
}

static bool is_used_outside(const making *m, const hlo_instr *instr) {
    if (instr == m->module->entry->root) return true;
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (group_of(m, use->user) != group_of(m, instr)) return true;
    return false;
}

/* A value of the root that constant enters hand on. */
static bool is_steady(const making *m, const hlo_instr *operand) {
    HLO_ASSERT(operand->index < m->module->entry->instr_count);
    bool is_handed_on = hlo_is_constant_enter(operand);
    while (hlo_is_constant_enter(operand)) operand = hlo_operand(operand, 0);
    return is_handed_on && m->frames->of[operand->index] == 0;
}

/* A step in a loop needs something that arrives in each iteration: where all that it reads is
 * constant, it reads the constants as they enter. */
static void finish_step(making *m, uint32_t step) {
    HLO_ASSERT(step < m->graph->steps.n);
    hlo_graph_step *s = &m->graph->steps.v[step];
    HLO_ASSERT(s->instrs.n > 0);
    uint32_t frame = m->frames->of[s->instrs.v[0]->index];
    bool waits = s->operands.n > 0;
    for (uint32_t i = 0; i < s->instrs.n; i++) {
        waits |= hlo_instr_attr(s->instrs.v[i], HLO_ATTR_CONTROL_PREDECESSORS) != NULL;
        if (is_used_outside(m, s->instrs.v[i])) hlo_list_push(&s->results, s->instrs.v[i]);
    }
    m->embedded[step] = waits || frame == 0;
    for (uint32_t i = 0; i < s->instrs.n && !m->embedded[step]; i++)
        add_operands(m, step, s->instrs.v[i], true);
    for (uint32_t i = 0; i < s->operands.n; i++)
        hlo_list_push(&s->steady, is_steady(m, s->operands.v[i]));
}

/* Constants that only steps with copies of them read have none, unless something waits for them. */
static bool is_needed(const making *m, const hlo_instr *instr) {
    if (!is_copied(instr) || instr == m->module->entry->root) return true;
    if (m->grouping.is_predecessor[instr->index]) return true;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        uint32_t group = group_of(m, use->user);
        bool is_step = group != HLO_UNGROUPED && use->user->opcode != HLO_OP_CONSTANT;
        if (!is_step || !m->embedded[m->step_of[group]]) {
            if (use->user->opcode != HLO_OP_ENTER || is_needed(m, use->user)) return true;
        }
    }
    return false;
}

static void add_steps(making *m) {
    uint32_t first = m->graph->steps.n;
    m->step_of = hlo_malloc((m->grouping.count + 1u) * sizeof *m->step_of);
    m->node_of = hlo_malloc((m->grouping.count + 1u) * sizeof *m->node_of);
    for (uint32_t i = 0; i < m->grouping.count; i++) m->step_of[i] = m->node_of[i] = NOWHERE;
    for (const hlo_instr *i = m->module->entry->first; i; i = i->next) {
        uint32_t group = group_of(m, i);
        if (group == HLO_UNGROUPED) continue;
        if (m->step_of[group] == NOWHERE) {
            m->step_of[group] = m->graph->steps.n;
            hlo_list_push(&m->graph->steps, (hlo_graph_step){0});
        }
        uint32_t step = m->step_of[group];
        hlo_list_push(&m->graph->steps.v[step].instrs, i);
        add_operands(m, step, i, false);
    }
    m->embedded = hlo_calloc(m->graph->steps.n + 1u, sizeof *m->embedded);
    for (uint32_t i = first; i < m->graph->steps.n; i++) finish_step(m, i);
}

/* ---- nodes ---- */

static uint32_t add_node(making *m, hlo_node_kind kind, const hlo_instr *instr, uint32_t operands,
                         uint32_t outputs) {
    hlo_graph *graph = m->graph;
    hlo_node node = {.kind = kind,
                     .instr = instr,
                     .device = m->device,
                     .frame = m->numbers[hlo_frame_inside(m->frames, instr)],
                     .operand_count = operands,
                     .outputs = graph->outputs.n,
                     .output_count = outputs};
    for (uint32_t i = 0; i <= outputs; i++) hlo_list_push(&graph->outputs, (hlo_consumers){0});
    hlo_list_push(&graph->nodes, node);
    return graph->nodes.n - 1;
}

static hlo_node_kind kind_of(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: return HLO_NODE_PARAMETER;
    case HLO_OP_SWITCH: return HLO_NODE_SWITCH;
    case HLO_OP_MERGE: return HLO_NODE_MERGE;
    case HLO_OP_ENTER: return HLO_NODE_ENTER;
    case HLO_OP_EXIT: return HLO_NODE_EXIT;
    case HLO_OP_NEXT_ITERATION: return HLO_NODE_NEXT;
    case HLO_OP_EDGE_SEND: return HLO_NODE_SEND;
    case HLO_OP_EDGE_RECV: return HLO_NODE_RECV;
    default: return HLO_NODE_STEP;
    }
}

static uint32_t number_of_edge(hlo_graph *graph, key_list *keys, const hlo_instr *end) {
    hlo_str key = *hlo_instr_attr(end, HLO_ATTR_KEY)->u.string;
    for (uint32_t i = 0; i < keys->n; i++)
        if (hlo_str_equal(keys->v[i], key)) return i;
    hlo_list_push(keys, key);
    hlo_list_push(&graph->recvs, NOWHERE);
    return graph->edge_count++;
}

static void open_frame(making *m, hlo_node *node, uint32_t number) {
    HLO_ASSERT(node->kind == HLO_NODE_ENTER);
    uint32_t opened = m->numbers[m->frames->of[node->instr->index]];
    hlo_graph_frame *frame = &m->graph->frames.v[opened];
    node->opens = opened;
    frame->enter_count++;
    if (!hlo_attr_int(node->instr, HLO_ATTR_IS_CONSTANT)) return;
    hlo_list_push(&frame->constants, number);
    node->constant = frame->constants.n;
}

static void add_primitive(making *m, const hlo_instr *instr, key_list *keys) {
    hlo_node_kind kind = kind_of(instr);
    uint32_t operands = kind == HLO_NODE_PARAMETER ? 0 : instr->operand_count;
    uint32_t outputs = kind == HLO_NODE_SWITCH ? 2 : kind != HLO_NODE_SEND;
    bool is_loop = hlo_is_loop_merge(instr);
    uint32_t number = add_node(m, kind, instr, operands + is_loop, outputs);
    hlo_node *node = &m->graph->nodes.v[number];
    m->sources[instr->index] = (source){number, 0};
    switch (kind) {
    case HLO_NODE_PARAMETER:
        node->number = (uint32_t)hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
        break;
    case HLO_NODE_MERGE: node->is_loop = is_loop; break;
    case HLO_NODE_ENTER: open_frame(m, node, number); break;
    case HLO_NODE_EXIT:
        node->exit = m->graph->frames.v[node->frame].exits.n;
        hlo_list_push(&m->graph->frames.v[node->frame].exits, number);
        break;
    case HLO_NODE_SEND:
    case HLO_NODE_RECV:
        node->edge = number_of_edge(m->graph, keys, instr);
        if (kind == HLO_NODE_RECV) m->graph->recvs.v[node->edge] = number;
        break;
    default: break;
    }
}

/* The node of a step comes with its last instruction, after all that it reads. */
static void add_step_node(making *m, const hlo_instr *instr) {
    uint32_t group = group_of(m, instr), step = m->step_of[group];
    HLO_ASSERT(step < m->graph->steps.n);
    const hlo_graph_step *s = &m->graph->steps.v[step];
    if (instr != s->instrs.v[s->instrs.n - 1]) return;
    if (s->instrs.n == 1 && !is_needed(m, instr)) return;
    uint32_t number = add_node(m, HLO_NODE_STEP, instr, s->operands.n, s->results.n);
    m->graph->nodes.v[number].step = step;
    m->node_of[group] = number;
    for (uint32_t i = 0; i < s->instrs.n; i++)
        m->sources[s->instrs.v[i]->index] = (source){number, s->results.n};
    for (uint32_t i = 0; i < s->results.n; i++)
        m->sources[s->results.v[i]->index] = (source){number, i};
}

static void add_instr(making *m, const hlo_instr *instr, key_list *keys) {
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(instr, &side);
    if (decides)
        m->sources[instr->index] = (source){m->sources[decides->index].node, (uint32_t)side};
    else if (group_of(m, instr) != HLO_UNGROUPED) add_step_node(m, instr);
    else if (hlo_is_primitive(instr) && is_needed(m, instr)) add_primitive(m, instr, keys);
}

/* ---- results ---- */

static void add_result(making *m, const hlo_instr *value, uint32_t position) {
    uint32_t number = add_node(m, HLO_NODE_RESULT, value, 1, 0);
    hlo_node *node = &m->graph->nodes.v[number];
    node->number = position;
    node->frame = m->device;
    if (position >= m->graph->result_count) m->graph->result_count = position + 1;
}

/* Where the elements of the root are in the whole result: `results="0,2"`. */
static uint32_t next_position(hlo_cursor *list, uint32_t otherwise) {
    uint64_t position;
    if (!hlo_take_number(list, UINT32_MAX - 1, &position)) return otherwise;
    hlo_take(list, ',');
    return (uint32_t)position;
}

static void add_results(making *m) {
    const hlo_instr *root = m->module->entry->root;
    const hlo_str *list = hlo_frontend_value(root, "results");
    hlo_cursor positions = hlo_cursor_of(list ? *list : HLO_STR(""));
    m->graph->has_tuple &= root->opcode == HLO_OP_TUPLE;
    if (root->opcode != HLO_OP_TUPLE) add_result(m, root, 0);
    for (uint32_t i = 0; root->opcode == HLO_OP_TUPLE && i < root->operand_count; i++)
        add_result(m, hlo_operand(root, i), next_position(&positions, i));
}

/* ---- edges ---- */

typedef struct {
    uint32_t output;
    hlo_consumer to;
} edge;

typedef HLO_LIST(edge) edge_list;

static void connect(const making *m, edge_list *edges, const hlo_instr *from, uint32_t node,
                    uint32_t operand) {
    source s = m->sources[from->index];
    uint32_t port = operand == HLO_CONTROL && from->opcode == HLO_OP_SWITCH ? 2 : s.port;
    HLO_ASSERT(s.node < m->graph->nodes.n && port <= m->graph->nodes.v[s.node].output_count);
    edge one = {m->graph->nodes.v[s.node].outputs + port, {node, operand}};
    hlo_list_push(edges, one);
}

static void connect_after(making *m, edge_list *edges, const hlo_instr *before, uint32_t node) {
    HLO_ASSERT(node < m->graph->nodes.n);
    connect(m, edges, before, node, HLO_CONTROL);
    m->graph->nodes.v[node].control_count++;
}

static bool has_node(const making *m, const hlo_instr *instr) {
    return group_of(m, instr) != HLO_UNGROUPED || hlo_is_primitive(instr);
}

/* The tuple of the results is no node: what comes after it comes after all of them. */
static void connect_control(making *m, edge_list *edges, const hlo_instr *instr, uint32_t node) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    uint32_t group = group_of(m, instr);
    for (uint32_t i = 0; control && i < control->u.instructions->n; i++) {
        const hlo_instr *before = control->u.instructions->v[i];
        if (group != HLO_UNGROUPED && group == group_of(m, before)) continue;
        if (has_node(m, before)) connect_after(m, edges, before, node);
        for (uint32_t k = 0; !has_node(m, before) && k < before->operand_count; k++)
            connect_after(m, edges, hlo_operand(before, k), node);
    }
}

static void connect_step(making *m, edge_list *edges, uint32_t number) {
    HLO_ASSERT(number < m->graph->nodes.n);
    const hlo_graph_step *s = &m->graph->steps.v[m->graph->nodes.v[number].step];
    for (uint32_t i = 0; i < s->operands.n; i++) connect(m, edges, s->operands.v[i], number, i);
    for (uint32_t i = 0; i < s->instrs.n; i++) connect_control(m, edges, s->instrs.v[i], number);
}

static void connect_node(making *m, edge_list *edges, uint32_t number) {
    HLO_ASSERT(number < m->graph->nodes.n);
    const hlo_node *node = &m->graph->nodes.v[number];
    const hlo_instr *instr = node->instr, *next = hlo_back_edge(instr);
    if (node->kind == HLO_NODE_STEP) {
        connect_step(m, edges, number);
        return;
    }
    if (node->kind == HLO_NODE_RESULT) {
        connect(m, edges, instr, number, 0);
        return;
    }
    for (uint32_t i = 0; node->kind != HLO_NODE_PARAMETER && i < instr->operand_count; i++)
        connect(m, edges, hlo_operand(instr, i), number, i);
    if (next) connect(m, edges, next, number, instr->operand_count);
    connect_control(m, edges, instr, number);
}

/* Edges to where the graph has them: sorted by output, in the order in which they were made. */
static void store_edges(hlo_graph *graph, const edge_list *edges) {
    uint32_t first = graph->consumers.n;
    for (uint32_t i = 0; i < edges->n; i++) {
        hlo_consumers *output = &graph->outputs.v[edges->v[i].output];
        output->count++;
        output->data += edges->v[i].to.operand != HLO_CONTROL;
    }
    for (uint32_t i = 0; i < edges->n; i++) {
        hlo_consumers *output = &graph->outputs.v[edges->v[i].output];
        if (output->first) continue;
        output->first = first + 1; /* 0: not placed yet */
        first += output->count;
    }
    hlo_list_reserve(&graph->consumers, first + 1u);
    graph->consumers.n = first;
    uint32_t *filled = hlo_calloc(graph->outputs.n, sizeof *filled);
    for (uint32_t i = 0; i < edges->n; i++) {
        uint32_t output = edges->v[i].output;
        HLO_ASSERT(filled[output] < graph->outputs.v[output].count);
        graph->consumers.v[graph->outputs.v[output].first - 1 + filled[output]++] = edges->v[i].to;
    }
    hlo_free(filled);
}

static void connect_all(making *m, uint32_t first) {
    edge_list edges = {0};
    for (uint32_t i = first; i < m->graph->nodes.n; i++) connect_node(m, &edges, i);
    store_edges(m->graph, &edges);
    hlo_list_free(&edges);
}

/* ---- numbers inside of frames ---- */

static void number_nodes(making *m, uint32_t first) {
    hlo_graph *graph = m->graph;
    for (uint32_t i = first; i < graph->nodes.n; i++) {
        hlo_node *node = &graph->nodes.v[i];
        hlo_graph_frame *frame = &graph->frames.v[node->frame];
        node->local = frame->node_count++;
        node->slots = frame->slot_count;
        frame->slot_count += node->kind == HLO_NODE_MERGE ? 1 : node->operand_count;
        if (!node->operand_count && !node->control_count) hlo_list_push(&frame->starts, i);
    }
    for (uint32_t i = 0; i < m->frames->count; i++) {
        hlo_graph_frame *frame = &graph->frames.v[m->numbers[i]];
        frame->exit_count = frame->exits.n;
        frame->constant_count = frame->constants.n;
    }
}

/* ---- the whole ---- */

static void add_device(hlo_graph *graph, hlo_module *module, uint32_t device, uint64_t limit,
                       key_list *keys) {
    making m = {.graph = graph, .module = module, .device = device};
    uint32_t first = graph->nodes.n;
    graph->static_frames[device] = hlo_static_frames_find(module, NULL, NULL);
    m.frames = &graph->static_frames[device];
    m.sources = hlo_calloc(module->entry->instr_count, sizeof *m.sources);
    m.grouping = hlo_grouping_make(module);
    add_frames(&m, limit);
    add_steps(&m);
    for (const hlo_instr *i = module->entry->first; i; i = i->next) add_instr(&m, i, keys);
    add_results(&m);
    connect_all(&m, first);
    number_nodes(&m, first);
    HLO_ASSERT(device < graph->device_count);
    graph->step_ends[device] = graph->steps.n;
    hlo_grouping_free(&m.grouping);
    hlo_free(m.numbers);
    hlo_free(m.step_of);
    hlo_free(m.node_of);
    hlo_free(m.sources);
    hlo_free(m.embedded);
}

hlo_graph *hlo_graph_new(hlo_module *module, uint64_t parallel_iterations) {
    hlo_graph *graph = hlo_calloc(1, sizeof *graph);
    key_list keys = {0};
    for (const hlo_module *m = module; m; m = m->next_device) graph->device_count++;
    graph->static_frames = hlo_calloc(graph->device_count, sizeof *graph->static_frames);
    graph->step_ends = hlo_calloc(graph->device_count, sizeof *graph->step_ends);
    for (uint32_t d = 0; d < graph->device_count; d++)
        hlo_list_push(&graph->frames,
                      (hlo_graph_frame){.name = "", .parent = d, .device = d, .limit = 1});
    uint32_t device = 0;
    graph->has_tuple = true;
    for (hlo_module *m = module; m; m = m->next_device)
        add_device(graph, m, device++, parallel_iterations, &keys);
    hlo_list_free(&keys);
    return graph;
}

void hlo_graph_free(hlo_graph *graph) {
    if (!graph) return;
    for (uint32_t i = 0; i < graph->frames.n; i++) {
        hlo_list_free(&graph->frames.v[i].constants);
        hlo_list_free(&graph->frames.v[i].exits);
        hlo_list_free(&graph->frames.v[i].starts);
    }
    for (uint32_t i = 0; i < graph->steps.n; i++) {
        hlo_list_free(&graph->steps.v[i].instrs);
        hlo_list_free(&graph->steps.v[i].operands);
        hlo_list_free(&graph->steps.v[i].results);
        hlo_list_free(&graph->steps.v[i].steady);
    }
    for (uint32_t d = 0; d < graph->device_count; d++)
        hlo_static_frames_free(&graph->static_frames[d]);
    hlo_free(graph->static_frames);
    hlo_free(graph->step_ends);
    hlo_list_free(&graph->recvs);
    hlo_list_free(&graph->nodes);
    hlo_list_free(&graph->consumers);
    hlo_list_free(&graph->outputs);
    hlo_list_free(&graph->frames);
    hlo_list_free(&graph->steps);
    hlo_free(graph);
}
