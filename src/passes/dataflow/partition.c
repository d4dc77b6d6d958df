/* partition: a dataflow graph in parts, one for each device. A cut edge becomes edge-send and
 * edge-recv, and loops get copies on other devices that start their recvs (docs/dataflow.md). */
#include "base/list.h"
#include "ir/frames.h"
#include "passes/dataflow/placement.h"
#include "passes/pipeline/rewrite.h"

/* A value that another device needs. */
typedef struct {
    const hlo_instr *value;   /* of the graph */
    const hlo_instr *control; /* instead: what only has to have happened */
    uint32_t to;
    const hlo_str *key;
} cut_edge;

/* The loop of a device that counts the iterations of a frame. */
typedef struct {
    uint32_t frame;
    hlo_instr *merge;
} control_loop;

/* One device's part, which begins as a copy of the graph. */
typedef struct {
    hlo_module *module;
    hlo_instr **nodes;  /* the copies, by index of the graph */
    hlo_instr **remote; /* what stands here for nodes of others; NULL: nothing yet */
    hlo_instr **events; /* the same for control edges */
    hlo_instr *start;   /* loops that count come before it */
    HLO_LIST(control_loop) loops;
} part;

typedef struct {
    const hlo_pass_call *call;
    hlo_module *graph;
    hlo_static_frames frames;
    uint32_t *devices; /* by index */
    uint32_t count;
    part *parts;
    HLO_LIST(cut_edge) edges;
    bool has_failed;
} cutting;

static uint32_t device_of(const cutting *c, const hlo_instr *node) {
    return c->devices[node->index];
}

/* ---- instructions of a part ---- */

static hlo_instr *add(part *p, hlo_instr *before, hlo_opcode opcode, const hlo_shape *shape,
                      hlo_instr *operand, const hlo_attr *attrs, uint32_t n) {
    hlo_module *module = p->module;
    hlo_instr *instr = hlo_instr_new(module->entry, opcode, shape,
                                     hlo_take_fresh_name(module, hlo_ops[opcode].text), &operand,
                                     operand != NULL, attrs, n);
    if (before) hlo_instr_move_before(instr, before);
    return instr;
}

static void wait_for(hlo_instr *instr, hlo_instr *event) {
    hlo_instrs *list =
        hlo_arena_alloc(&instr->parent->module->arena, sizeof *list + sizeof list->v[0]);
    list->n = 1;
    list->v[0] = event;
    hlo_instr_set_attr(instr,
                       (hlo_attr){.id = HLO_ATTR_CONTROL_PREDECESSORS, .u.instructions = list});
}

static const hlo_str *text_in(hlo_module *module, hlo_str text) {
    hlo_str *copy = HLO_NEW(&module->arena, hlo_str);
    *copy = (hlo_str){hlo_arena_copy(&module->arena, text.ptr, text.len), text.len, 0};
    return copy;
}

static hlo_instr *add_zero(part *p, hlo_instr *before) {
    const hlo_shape *scalar = hlo_shape_scalar(&p->module->shapes, HLO_S32);
    hlo_literal *zero = hlo_literal_new(&p->module->arena, scalar);
    hlo_attr value = {.id = HLO_ATTR_VALUE, .u.literal = zero};
    return add(p, before, HLO_OP_CONSTANT, scalar, NULL, &value, 1);
}

static hlo_instr *add_enter(cutting *c, part *p, hlo_instr *before, hlo_instr *operand,
                            uint32_t frame, bool is_constant) {
    HLO_ASSERT(frame < c->frames.count);
    const hlo_static_frame *of = &c->frames.v[frame];
    hlo_attr attrs[2] = {{.id = HLO_ATTR_FRAME_NAME, .u.string = text_in(p->module, of->name)}};
    attrs[1] = is_constant
                   ? (hlo_attr){.id = HLO_ATTR_IS_CONSTANT, .u.i = true}
                   : (hlo_attr){.id = HLO_ATTR_PARALLEL_ITERATIONS, .u.i = of->parallel_iterations};
    return add(p, before, HLO_OP_ENTER, operand->shape, operand, attrs, 2);
}

/* ---- loops that count iterations ---- */

static hlo_instr *find_loop(const part *p, uint32_t frame) {
    for (uint32_t i = 0; i < p->loops.n; i++)
        if (p->loops.v[i].frame == frame) return p->loops.v[i].merge;
    return NULL;
}

/* The merge of the loop, which fires once in each iteration; that of the frame around feeds it. */
static hlo_instr *loop_of(cutting *c, uint32_t device, uint32_t frame) {
    part *p = &c->parts[device];
    hlo_instr *merge = find_loop(p, frame);
    if (merge) return merge;
    uint32_t parent = c->frames.v[frame].parent;
    hlo_instr *first = parent ? loop_of(c, device, parent) : add_zero(p, p->start);
    hlo_instr *enter = add_enter(c, p, p->start, first, frame, false);
    merge = add(p, p->start, HLO_OP_MERGE, enter->shape, enter, NULL, 0);
    control_loop loop = {frame, merge};
    hlo_list_push(&p->loops, loop);
    return merge;
}

/* ---- cut edges ---- */

static const hlo_str *add_edge(cutting *c, const hlo_instr *value, const hlo_instr *control,
                               uint32_t from, uint32_t to) {
    char text[64];
    int n = snprintf(text, sizeof text, "%u>%u#%u", from, to, c->edges.n + 1);
    cut_edge edge = {value, control, to, text_in(c->graph, (hlo_str){text, (uint32_t)n, 0})};
    hlo_list_push(&c->edges, edge);
    return edge.key;
}

static hlo_instr *add_recv(cutting *c, uint32_t device, const hlo_shape *shape, const hlo_str *key,
                           uint32_t from, uint32_t frame, hlo_instr *before) {
    part *p = &c->parts[device];
    hlo_instr *event = frame ? loop_of(c, device, frame) : NULL;
    hlo_attr attrs[] = {{.id = HLO_ATTR_KEY, .u.string = text_in(p->module, *key)},
                        {.id = HLO_ATTR_FROM_DEVICE, .u.i = from}};
    hlo_instr *recv = add(p, before, HLO_OP_EDGE_RECV, hlo_shape_import(&p->module->shapes, shape),
                          NULL, attrs, 2);
    if (event) wait_for(recv, event);
    return recv;
}

static bool can_travel(cutting *c, const hlo_instr *value) {
    if (hlo_shape_is_array(value->shape) || value->shape->type == HLO_TOKEN) return true;
    hlo_error(c->call->diags, HLO_RULE_PARTITION, c->graph->source, value->at,
              "'%.*s' is used on another device and is not an array", (int)value->name->len,
              value->name->ptr);
    c->has_failed = true;
    return false;
}

static hlo_instr *value_on(cutting *c, uint32_t device, const hlo_instr *value, hlo_instr *before);
static void connect_controls(cutting *c, uint32_t device, const hlo_instr *node, hlo_instr *copy);

/* A constant enters on each device that reads it: one message for the loop, not one for each
 * iteration. */
static hlo_instr *copy_enter(cutting *c, uint32_t device, const hlo_instr *enter,
                             hlo_instr *before) {
    HLO_ASSERT(enter->opcode == HLO_OP_ENTER);
    hlo_instr *operand = value_on(c, device, hlo_operand(enter, 0), before);
    if (!operand) return NULL;
    uint32_t frame = c->frames.of[enter->index];
    hlo_instr *copy = add_enter(c, &c->parts[device], before, operand, frame, true);
    connect_controls(c, device, enter, copy);
    return copy;
}

static hlo_instr *remote_value(cutting *c, uint32_t device, const hlo_instr *value,
                               hlo_instr *before) {
    uint32_t frame = c->frames.of[value->index], from = device_of(c, value);
    if (hlo_is_constant_enter(value)) return copy_enter(c, device, value, before);
    if (!can_travel(c, value)) return NULL;
    const hlo_str *key = add_edge(c, value, NULL, from, device);
    return add_recv(c, device, value->shape, key, from, frame, before);
}

/* The value of a node of the graph on a device; NULL after an error. */
static hlo_instr *value_on(cutting *c, uint32_t device, const hlo_instr *value, hlo_instr *before) {
    part *p = &c->parts[device];
    if (device_of(c, value) == device) return p->nodes[value->index];
    hlo_instr **remote = &p->remote[value->index];
    if (!*remote) *remote = remote_value(c, device, value, before);
    return *remote;
}

/* A control edge that is cut sends a number without meaning. */
static hlo_instr *event_on(cutting *c, uint32_t device, const hlo_instr *event, hlo_instr *before) {
    part *p = &c->parts[device];
    if (device_of(c, event) == device) return p->nodes[event->index];
    hlo_instr **remote = &p->events[event->index];
    if (*remote) return *remote;
    uint32_t from = device_of(c, event);
    const hlo_str *key = add_edge(c, NULL, event, from, device);
    const hlo_shape *scalar = hlo_shape_scalar(&p->module->shapes, HLO_S32);
    *remote = add_recv(c, device, scalar, key, from, c->frames.of[event->index], before);
    return *remote;
}

/* ---- a part ---- */

static void start_part(cutting *c, part *p) {
    const hlo_computation *entry = c->graph->entry;
    uint32_t n = 0;
    p->module = hlo_module_clone(c->graph);
    p->nodes = hlo_calloc(entry->instr_count + 1u, sizeof *p->nodes);
    p->remote = hlo_calloc(entry->instr_count + 1u, sizeof *p->remote);
    p->events = hlo_calloc(entry->instr_count + 1u, sizeof *p->events);
    for (hlo_instr *i = p->module->entry->first; i; i = i->next) p->nodes[n++] = i;
    p->start = p->module->entry->first;
    hlo_count_names(p->module);
}

static void connect_controls(cutting *c, uint32_t device, const hlo_instr *node, hlo_instr *copy) {
    const hlo_attr *control = hlo_instr_attr(node, HLO_ATTR_CONTROL_PREDECESSORS);
    if (!control) return;
    uint32_t n = control->u.instructions->n;
    hlo_instrs *list =
        hlo_arena_alloc(&copy->parent->module->arena, sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    for (uint32_t i = 0; i < n; i++)
        list->v[i] = event_on(c, device, control->u.instructions->v[i], copy);
    hlo_instr_set_attr(copy,
                       (hlo_attr){.id = HLO_ATTR_CONTROL_PREDECESSORS, .u.instructions = list});
}

static void connect_node(cutting *c, uint32_t device, const hlo_instr *node) {
    hlo_instr *copy = c->parts[device].nodes[node->index];
    for (uint32_t i = 0; i < node->operand_count; i++) {
        hlo_instr *operand = value_on(c, device, hlo_operand(node, i), copy);
        if (operand && operand != hlo_operand(copy, i)) hlo_instr_set_operand(copy, i, operand);
    }
    connect_controls(c, device, node, copy);
    hlo_instr_remove_attr(copy, HLO_ATTR_SHARDING);
}

static bool is_result_tuple(const cutting *c, const hlo_instr *instr) {
    return instr == c->graph->entry->root && instr->opcode == HLO_OP_TUPLE;
}

static void connect_nodes(cutting *c, uint32_t device) {
    for (const hlo_instr *i = c->graph->entry->first; i; i = i->next)
        if (device_of(c, i) == device && !is_result_tuple(c, i)) connect_node(c, device, i);
}

/* A frame of which the device has nodes but no state that varies needs the loop, too. */
static void drive_frames(cutting *c, uint32_t device) {
    bool *varies = hlo_calloc(c->frames.count, sizeof *varies);
    for (const hlo_instr *i = c->graph->entry->first; i; i = i->next)
        if (device_of(c, i) == device && i->opcode == HLO_OP_ENTER && !hlo_is_constant_enter(i))
            varies[c->frames.of[i->index]] = true;
    for (const hlo_instr *i = c->graph->entry->first; i; i = i->next) {
        uint32_t frame = c->frames.of[i->index];
        bool is_here = device_of(c, i) == device && frame && !is_result_tuple(c, i);
        if (is_here && !varies[frame]) loop_of(c, device, frame);
    }
    hlo_free(varies);
}

/* ---- what ends a part ---- */

static const hlo_instr *predicate_of(const cutting *c, uint32_t frame) {
    HLO_ASSERT(frame < c->frames.count);
    const hlo_instr *decides = c->frames.v[frame].decides;
    return decides ? hlo_operand(decides, 1) : NULL;
}

/* The loop goes on while the predicate holds, wherever it is computed. */
static void close_loop(cutting *c, uint32_t device, control_loop loop) {
    part *p = &c->parts[device];
    const hlo_instr *predicate = predicate_of(c, loop.frame);
    hlo_instr *decision = predicate ? value_on(c, device, predicate, NULL) : NULL;
    if (!decision) {
        const hlo_instr *enter = c->frames.v[loop.frame].enter;
        hlo_error(c->call->diags, HLO_RULE_PARTITION, c->graph->source, enter->at,
                  "the frame of '%.*s' has no exit, whose switch would have its predicate",
                  (int)enter->name->len, enter->name->ptr);
        c->has_failed = true;
        return;
    }
    const hlo_shape *sides[] = {loop.merge->shape, loop.merge->shape};
    hlo_instr *operands[] = {loop.merge, decision};
    hlo_instr *decides = hlo_instr_new(
        p->module->entry, HLO_OP_SWITCH, hlo_shape_tuple(&p->module->shapes, sides, 2),
        hlo_take_fresh_name(p->module, "switch"), operands, 2, NULL, 0);
    hlo_attr side = {.id = HLO_ATTR_INDEX, .u.i = 1};
    hlo_instr *goes_on =
        add(p, NULL, HLO_OP_GET_TUPLE_ELEMENT, loop.merge->shape, decides, &side, 1);
    hlo_instr *next = add(p, NULL, HLO_OP_NEXT_ITERATION, loop.merge->shape, goes_on, NULL, 0);
    hlo_instr_set_back_edge(loop.merge, next);
}

static void close_loops(cutting *c, uint32_t device) {
    for (uint32_t i = 0; i < c->parts[device].loops.n; i++) /* more may come */
        close_loop(c, device, c->parts[device].loops.v[i]);
}

static void add_send(cutting *c, const cut_edge *edge) {
    const hlo_instr *from = edge->value ? edge->value : edge->control;
    part *p = &c->parts[device_of(c, from)];
    hlo_instr *value = p->nodes[from->index];
    if (edge->control) {
        hlo_instr *event = value;
        value = add_zero(p, NULL);
        wait_for(value, event);
    }
    hlo_attr attrs[] = {{.id = HLO_ATTR_KEY, .u.string = text_in(p->module, *edge->key)},
                        {.id = HLO_ATTR_TO_DEVICE, .u.i = edge->to}};
    add(p, NULL, HLO_OP_EDGE_SEND, hlo_shape_tuple(&p->module->shapes, NULL, 0), value, attrs, 2);
}

static void set_results(hlo_instr *root, const hlo_buf *list) {
    hlo_arena *arena = &root->parent->module->arena;
    hlo_frontend *attrs = hlo_arena_alloc(arena, sizeof *attrs + sizeof attrs->v[0]);
    attrs->n = 1;
    attrs->v[0].key = HLO_STR("results");
    attrs->v[0].value = (hlo_str){hlo_arena_copy(arena, list->data ? list->data : "", list->len),
                                  (uint32_t)list->len, 0};
    hlo_instr_set_attr(root, (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = attrs});
}

/* The elements of the result that live on the device, and where they are in the whole. */
static void add_tuple_of_results(cutting *c, uint32_t device) {
    part *p = &c->parts[device];
    const hlo_instr *root = c->graph->entry->root;
    hlo_buf list = HLO_BUF_INIT;
    HLO_LIST(hlo_instr *) here = {0};
    HLO_LIST(const hlo_shape *) shapes = {0};
    for (uint32_t i = 0; i < (is_result_tuple(c, root) ? root->operand_count : 0); i++) {
        const hlo_instr *value = hlo_operand(root, i);
        if (device_of(c, value) != device) continue;
        hlo_buf_printf(&list, "%s%u", here.n ? "," : "", i);
        hlo_list_push(&here, p->nodes[value->index]);
        hlo_list_push(&shapes, p->nodes[value->index]->shape);
    }
    hlo_instr *results = hlo_instr_new(
        p->module->entry, HLO_OP_TUPLE, hlo_shape_tuple(&p->module->shapes, shapes.v, shapes.n),
        hlo_take_fresh_name(p->module, "results"), here.v, here.n, NULL, 0);
    set_results(results, &list);
    p->module->entry->root = results;
    hlo_list_free(&here);
    hlo_list_free(&shapes);
    hlo_buf_free(&list);
}

/* A result that is no tuple of the graph is that of the part that has it. */
static void end_with_root(cutting *c, uint32_t device) {
    const hlo_instr *root = c->graph->entry->root;
    if (is_result_tuple(c, root) || device_of(c, root) != device) add_tuple_of_results(c, device);
}

static void remove_others(cutting *c, uint32_t device) {
    part *p = &c->parts[device];
    for (const hlo_instr *i = c->graph->entry->last; i; i = i->prev) {
        hlo_instr *copy = p->nodes[i->index];
        if (device_of(c, i) == device && !is_result_tuple(c, i)) continue;
        if (hlo_instr_attr(copy, HLO_ATTR_CONTROL_PREDECESSORS))
            hlo_instr_remove_attr(copy, HLO_ATTR_CONTROL_PREDECESSORS);
        hlo_instr_remove(copy);
    }
}

static void set_header(hlo_module *module, hlo_str name, uint32_t device) {
    hlo_computation *entry = module->entry;
    char number[32];
    int n = snprintf(number, sizeof number, ".device%u", device);
    char *text = hlo_arena_alloc(&module->arena, name.len + (uint32_t)n);
    memcpy(text, name.ptr, name.len);
    memcpy(text + name.len, number, (size_t)n);
    module->name = (hlo_str){text, name.len + (uint32_t)n, 0};
    hlo_computation_index_parameters(entry);
    hlo_shapes *parameters = hlo_arena_alloc(
        &module->arena, sizeof *parameters + entry->parameter_count * sizeof parameters->v[0]);
    parameters->n = entry->parameter_count;
    for (uint32_t i = 0; i < parameters->n; i++) parameters->v[i] = entry->parameters[i]->shape;
    hlo_program_shape *shape = HLO_NEW(&module->arena, hlo_program_shape);
    *shape = (hlo_program_shape){parameters, entry->root->shape};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = shape});
}

/* ---- the whole ---- */

static void cut(cutting *c) {
    for (uint32_t d = 0; d < c->count; d++) start_part(c, &c->parts[d]);
    for (uint32_t d = 0; d < c->count; d++) {
        connect_nodes(c, d);
        drive_frames(c, d);
        close_loops(c, d);
    }
    for (uint32_t i = 0; i < c->edges.n; i++) add_send(c, &c->edges.v[i]);
    for (uint32_t d = 0; d < c->count; d++) {
        end_with_root(c, d);
        remove_others(c, d);
        set_header(c->parts[d].module, c->graph->name, d);
    }
}

/* The graph becomes the first part, which the others follow. */
static void replace_graph(cutting *c) {
    hlo_module *first = c->parts[0].module;
    hlo_computation **order = hlo_malloc(first->computation_count * sizeof *order);
    uint32_t n = 0;
    for (hlo_computation *of = first->first; of; of = of->next) order[n++] = of;
    hlo_module_take_copy(c->graph, first, order);
    c->graph->name = *text_in(c->graph, first->name);
    hlo_module **link = &c->graph->next_device;
    for (uint32_t d = 1; d < c->count; d++, link = &(*link)->next_device)
        *link = c->parts[d].module;
    hlo_module_free(first);
    hlo_free(order);
}

static void free_cutting(cutting *c) {
    for (uint32_t d = 0; d < c->count; d++) {
        hlo_free(c->parts[d].nodes);
        hlo_free(c->parts[d].remote);
        hlo_free(c->parts[d].events);
        hlo_list_free(&c->parts[d].loops);
    }
    hlo_static_frames_free(&c->frames);
    hlo_list_free(&c->edges);
    hlo_free(c->devices);
    hlo_free(c->parts);
}

static hlo_pass_result refuse(const hlo_pass_call *call) {
    hlo_error(call->diags, HLO_RULE_PARTITION, call->module->source, call->module->entry->at,
              "only a dataflow graph can be partitioned: run lower-control-flow first");
    return HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_partition(const hlo_pass_call *call) {
    hlo_module *graph = call->module;
    if (!hlo_module_flag(graph, HLO_ATTR_IS_DATAFLOW)) return refuse(call);
    if (graph->next_device) return HLO_UNCHANGED; /* it is in parts */
    if (!hlo_check_placement(graph, HLO_OPTION(call, PARTITION, devices),
                             HLO_OPTION(call, PARTITION, random_seed), call->diags))
        return HLO_PASS_FAILED;
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_cut_graph)) return HLO_UNCHANGED;
    cutting c = {
        .call = call, .graph = graph, .count = (uint32_t)HLO_OPTION(call, PARTITION, devices)};
    c.frames = hlo_static_frames_find(graph, NULL, NULL);
    c.devices =
        hlo_place_nodes(graph, (uint64_t)HLO_OPTION(call, PARTITION, random_seed), &c.count);
    c.parts = hlo_calloc(c.count, sizeof *c.parts);
    cut(&c);
    const hlo_name *name = graph->entry->name;
    if (!c.has_failed) replace_graph(&c);
    else
        for (uint32_t d = 0; d < c.count; d++) hlo_module_free(c.parts[d].module);
    bool good = !c.has_failed;
    free_cutting(&c);
    if (!good) return HLO_PASS_FAILED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_cut_graph, name);
    return HLO_CHANGED;
}
