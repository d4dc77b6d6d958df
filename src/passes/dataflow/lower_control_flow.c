/* lower-control-flow: loops and conditionals as a dataflow graph (reference: Implementation of
 * Control Flow in TensorFlow, 2017). A new entry computation gets a copy of what each computation
 * does at each place where it is called, and primitives where control flow was. */
#include <stdarg.h>

#include "analysis/call_graph.h"
#include "ir/places.h"
#include "passes/control_flow/flatten.h"
#include "passes/dataflow/lower.h"
#include "passes/pipeline/expression.h"

enum { MAX_DEPTH = 200 }; /* of calls */

/* ---- errors ---- */

void hlo_flow_refuse(hlo_lowering *l, const hlo_instr *at, hlo_rule rule, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    hlo_error(l->call->diags, rule, l->r->module->source, at->at, "%s: %s", hlo_info(at)->text,
              message);
    hlo_place_finding(l->call->diags, at->parent, at->name);
    l->failed = true;
}

static bool may_be_node(hlo_lowering *l, const hlo_instr *instr) {
    if (hlo_info(instr)->flags & HLO_OP_IS_ASYNC)
        hlo_flow_refuse(l, instr, HLO_RULE_DATAFLOW_NODE,
                        "an asynchronous start or done cannot be a node of a dataflow graph");
    return !l->failed;
}

static bool may_enter(hlo_lowering *l, const hlo_instr *call, const hlo_computation *c) {
    if (l->depth == MAX_DEPTH)
        hlo_flow_refuse(l, call, HLO_RULE_LIMIT, "calls nest deeper than %d", MAX_DEPTH);
    else if (l->size + c->instr_count > l->most)
        hlo_flow_refuse(
            l, call, HLO_RULE_LIMIT,
            "the inlined graph would have more than %lld instructions; max_growth sets the limit",
            (long long)l->most);
    else if (!hlo_str_equal(c->execution_thread, call->parent->execution_thread))
        hlo_flow_refuse(l, call, HLO_RULE_DATAFLOW_NODE,
                        "a graph cannot contain instructions of thread \"%.*s\"",
                        (int)c->execution_thread.len, c->execution_thread.ptr);
    return !l->failed;
}

/* ---- values ---- */

static void split_into(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *node,
                       hlo_flow_leaf ***at) {
    if (!hlo_shape_is_tuple(node->shape)) {
        *(*at)++ = hlo_flow_value(l, region, node);
        return;
    }
    for (uint32_t i = 0; i < node->shape->rank; i++)
        split_into(l, region, hlo_flow_element(l, node, i), at);
}

static hlo_flow_leaf **new_leaves(hlo_lowering *l, const hlo_shape *shape) {
    return HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf *, hlo_shape_leaf_count(shape) + 1u);
}

static hlo_flow_leaf **split(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *node) {
    hlo_flow_leaf **leaves = new_leaves(l, node->shape), **at = leaves;
    split_into(l, region, node, &at);
    return leaves;
}

/* The leaves of an operand that are read, in order; the first of them is gated where no other one
 * would make the reader die. */
typedef struct {
    hlo_flow_leaf **at;
    bool gate;
} reader;

static hlo_instr *read_leaf(hlo_lowering *l, reader *from) {
    hlo_flow_leaf *leaf = *from->at++;
    hlo_instr *value = from->gate ? hlo_flow_dying(l, leaf) : hlo_flow_live(l, leaf);
    from->gate = false;
    return value;
}

static hlo_instr *pack(hlo_lowering *l, const hlo_shape *shape, reader *from) {
    if (!hlo_shape_is_tuple(shape)) return read_leaf(l, from);
    hlo_instr **parts = HLO_NEW_ARRAY(&l->scratch, hlo_instr *, shape->rank + 1u);
    for (uint32_t i = 0; i < shape->rank; i++) parts[i] = pack(l, shape->elements[i], from);
    return hlo_flow_tuple(l, parts, shape->rank);
}

/* ---- control predecessors ---- */

typedef HLO_LIST(hlo_instr *) edge_list;

static void add_edges(edge_list *edges, const hlo_instrs *more) {
    for (uint32_t i = 0; more && i < more->n; i++) hlo_list_push(edges, more->v[i]);
}

/* Parameters are there when the computation begins, literals always. */
static void add_edges_from(edge_list *edges, const hlo_flow_slot *slot, const hlo_instr *instr) {
    add_edges(edges, slot->after);
    if (slot->node) hlo_list_push(edges, slot->node);
    if (slot->node || instr->opcode == HLO_OP_PARAMETER) return;
    for (uint32_t i = 0; i < hlo_shape_leaf_count(instr->shape); i++)
        if (hlo_flow_dies(slot->leaves[i])) hlo_list_push(edges, slot->leaves[i]->live);
}

/* Each once. */
static const hlo_instrs *edges_of(hlo_lowering *l, edge_list *edges) {
    uint32_t seen = hlo_module_new_mark(l->r->module), n = 0;
    for (uint32_t i = 0; i < edges->n; i++) {
        if (edges->v[i]->mark == seen) continue;
        edges->v[i]->mark = seen;
        edges->v[n++] = edges->v[i];
    }
    hlo_instrs *list = hlo_arena_alloc(&l->scratch, sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    if (n) memcpy(list->v, edges->v, n * sizeof list->v[0]);
    return list;
}

static const hlo_instrs *edges_to(hlo_lowering *l, const hlo_flow_scope *scope,
                                  const hlo_instr *instr) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    if (!control) return scope->after;
    edge_list edges = {0};
    add_edges(&edges, scope->after);
    for (uint32_t i = 0; i < control->u.instructions->n; i++) {
        const hlo_instr *before = control->u.instructions->v[i];
        add_edges_from(&edges, &scope->slots[before->index], before);
    }
    const hlo_instrs *list = edges_of(l, &edges);
    hlo_list_free(&edges);
    return list;
}

/* ---- nodes ---- */

/* What may be moved out of loops and branches, and die there by what it meets. */
static bool is_literal(const hlo_instr *instr) {
    return instr->operand_count == 0 && !hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS) &&
           (instr->opcode == HLO_OP_CONSTANT || instr->opcode == HLO_OP_IOTA ||
            instr->opcode == HLO_OP_AFTER_ALL);
}

static bool dies(const hlo_flow_scope *scope, const hlo_instr *instr, uint32_t *leaves) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t n = hlo_shape_leaf_count(hlo_operand(instr, i)->shape);
        *leaves += n;
        for (uint32_t k = 0; k < n; k++)
            if (hlo_flow_dies(hlo_flow_operand(scope, instr, i)[k])) return true;
    }
    return false;
}

/* What reads nothing, and has an effect or a state, stays in its region. */
static void wait_for_region(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *node) {
    hlo_instr *pivot = hlo_flow_pivot(l, region);
    if (!pivot) return;
    hlo_instr_move_before(node, l->r->target);
    edge_list edges = {0};
    hlo_list_push(&edges, pivot);
    hlo_flow_wait(l, node, edges_of(l, &edges));
    hlo_list_free(&edges);
}

static hlo_instr *as_read(hlo_lowering *l, const hlo_instr *instr, uint32_t i, hlo_instr *value) {
    hlo_instr *read = hlo_emit_as_read(l->r, instr, i, value);
    return read == value ? value : hlo_flow_enlist(l, read);
}

static void lower_node(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *instr,
                       hlo_flow_slot *slot, const hlo_instrs *after) {
    uint32_t leaves = 0;
    reader from = {.gate = !dies(scope, instr, &leaves)};
    bool is_alone = from.gate && !leaves;
    hlo_instr **operands = HLO_NEW_ARRAY(&l->scratch, hlo_instr *, instr->operand_count + 1u);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        from.at = hlo_flow_operand(scope, instr, i);
        operands[i] = as_read(l, instr, i, pack(l, hlo_operand(instr, i)->shape, &from));
    }
    slot->node = hlo_flow_copy(l, instr, operands, instr->operand_count);
    if (is_alone) wait_for_region(l, scope->region, slot->node);
    hlo_flow_wait(l, slot->node, after);
    slot->leaves = split(l, scope->region, slot->node);
}

/* A tuple of constants becomes constants, one for each of its leaves. */
static void split_literal(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *instr,
                          const hlo_literal *literal, hlo_flow_leaf ***at) {
    if (!hlo_shape_is_tuple(literal->shape)) {
        hlo_instr *part = hlo_flow_enlist(l, hlo_emit_constant(l->r, literal));
        hlo_flow_carry(instr, part);
        hlo_flow_place(l, part, hlo_flow_device_named(instr));
        *(*at)++ = hlo_flow_literal(l, region, part);
        return;
    }
    for (uint32_t i = 0; i < literal->shape->rank; i++)
        split_literal(l, region, instr, literal->elements[i], at);
}

static void lower_literal(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *instr,
                          hlo_flow_slot *slot) {
    hlo_flow_leaf **at = slot->leaves = new_leaves(l, instr->shape);
    if (!hlo_shape_is_tuple(instr->shape)) *at = hlo_flow_literal(l, scope->region, instr);
    else
        split_literal(l, scope->region, instr, hlo_instr_attr(instr, HLO_ATTR_VALUE)->u.literal,
                      &at);
}

/* ---- what vanishes ---- */

static hlo_flow_leaf **lower_tuple(hlo_lowering *l, const hlo_flow_scope *scope,
                                   const hlo_instr *instr) {
    hlo_flow_leaf **leaves = new_leaves(l, instr->shape), **at = leaves;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t n = hlo_shape_leaf_count(hlo_operand(instr, i)->shape);
        hlo_flow_leaf **part = hlo_flow_operand(scope, instr, i);
        for (uint32_t k = 0; k < n; k++) *at++ = part[k];
    }
    return leaves;
}

static hlo_flow_leaf **lower_element(const hlo_flow_scope *scope, const hlo_instr *instr) {
    hlo_flow_leaf **leaves = hlo_flow_operand(scope, instr, 0);
    HLO_ASSERT(instr->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_shape *tuple = hlo_operand(instr, 0)->shape;
    for (int64_t i = 0; i < hlo_attr_int(instr, HLO_ATTR_INDEX); i++)
        leaves += hlo_shape_leaf_count(tuple->elements[i]);
    return leaves;
}

static hlo_flow_leaf **lower_call(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *call,
                                  const hlo_instrs *after) {
    hlo_flow_leaf ***arguments =
        HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf **, call->operand_count + 1u);
    for (uint32_t i = 0; i < call->operand_count; i++)
        arguments[i] = hlo_flow_operand(scope, call, i);
    return hlo_flow_walk(l, hlo_called(call, 0), arguments, scope->region, after);
}

/* ---- computations ---- */

static bool enter_all(hlo_lowering *l, const hlo_instr *instr) {
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (!may_enter(l, instr, called)) return false;
    return true;
}

static void lower_control(hlo_lowering *l, hlo_flow_scope *scope, hlo_instr *instr,
                          hlo_flow_slot *slot, const hlo_instrs *after) {
    if (!enter_all(l, instr)) return;
    if (instr->opcode == HLO_OP_CALL) slot->leaves = lower_call(l, scope, instr, after);
    else if (instr->opcode == HLO_OP_WHILE) slot->leaves = hlo_flow_loop(l, scope, instr, after);
    else slot->leaves = hlo_flow_conditional(l, scope, instr, after);
}

static void lower(hlo_lowering *l, hlo_flow_scope *scope, hlo_instr *instr, hlo_flow_slot *slot) {
    const hlo_instrs *after = edges_to(l, scope, instr);
    if (l->keeps_scalar_loops && hlo_flow_is_scalar_loop(instr)) {
        lower_node(l, scope, instr, slot, after);
        return;
    }
    switch (instr->opcode) {
    case HLO_OP_PARAMETER:
        slot->leaves = scope->arguments[hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER)];
        break;
    case HLO_OP_TUPLE:
        slot->leaves = lower_tuple(l, scope, instr);
        slot->after = after;
        break;
    case HLO_OP_GET_TUPLE_ELEMENT:
        slot->leaves = lower_element(scope, instr);
        slot->after = after;
        break;
    case HLO_OP_CALL:
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL: lower_control(l, scope, instr, slot, after); break;
    default:
        if (!may_be_node(l, instr)) return;
        if (is_literal(instr)) lower_literal(l, scope, instr, slot);
        else lower_node(l, scope, instr, slot, after);
    }
}

hlo_flow_leaf **hlo_flow_walk(hlo_lowering *l, hlo_computation *c, hlo_flow_leaf ***arguments,
                              hlo_flow_region *region, const hlo_instrs *after) {
    l->size += c->instr_count;
    hlo_number_instructions(c);
    hlo_flow_scope scope = {.region = region,
                            .arguments = arguments,
                            .slots = HLO_NEW_ARRAY(&l->scratch, hlo_flow_slot, c->instr_count),
                            .after = after};
    l->depth++;
    for (hlo_instr *i = c->first; i && !l->failed; i = i->next)
        lower(l, &scope, i, &scope.slots[i->index]);
    HLO_ASSERT(l->depth > 0);
    l->depth--;
    return l->failed ? NULL : scope.slots[c->root->index].leaves;
}

/* ---- the entry ---- */

static hlo_flow_leaf ***entry_arguments(hlo_lowering *l, const hlo_flow_region *root,
                                        const hlo_computation *entry) {
    uint32_t n = entry->parameter_count;
    hlo_flow_leaf ***arguments = HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf **, n + 1u);
    hlo_instr **copies = HLO_NEW_ARRAY(&l->scratch, hlo_instr *, n + 1u);
    for (uint32_t i = 0; i < n; i++) copies[i] = hlo_flow_copy(l, entry->parameters[i], NULL, 0);
    for (uint32_t i = 0; i < n; i++) arguments[i] = split(l, root, copies[i]);
    return arguments;
}

/* A tuple stays the instruction that it was. */
static hlo_instr *entry_root(hlo_lowering *l, hlo_instr *old, hlo_flow_leaf **leaves) {
    reader from = {.at = leaves};
    if (old->opcode != HLO_OP_TUPLE) return pack(l, old->shape, &from);
    hlo_instr **parts = HLO_NEW_ARRAY(&l->scratch, hlo_instr *, old->operand_count + 1u);
    for (uint32_t i = 0; i < old->operand_count; i++)
        parts[i] = pack(l, hlo_operand(old, i)->shape, &from);
    return hlo_flow_copy(l, old, parts, old->operand_count);
}

static hlo_instr *lower_entry(hlo_lowering *l, hlo_computation *entry) {
    hlo_flow_region *root = HLO_NEW(&l->scratch, hlo_flow_region);
    hlo_flow_leaf ***arguments = entry_arguments(l, root, entry);
    hlo_flow_leaf **leaves = hlo_flow_walk(l, entry, arguments, root, NULL);
    return leaves ? entry_root(l, entry->root, leaves) : NULL;
}

/* ---- unused instructions ---- */

static uint32_t mark_predecessors(const hlo_computation *c) {
    uint32_t mark = hlo_module_new_mark(c->module);
    for (const hlo_instr *i = c->first; i; i = i->next) {
        const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
        for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
            control->u.instructions->v[k]->mark = mark;
    }
    return mark;
}

static bool may_go(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_SWITCH || instr->opcode == HLO_OP_GET_TUPLE_ELEMENT ||
           (instr->opcode == HLO_OP_ENTER && hlo_attr_int(instr, HLO_ATTR_IS_CONSTANT)) ||
           (instr->operand_count == 0 && instr->opcode == HLO_OP_CONSTANT);
}

/* Switches of operands that a branch does not read, elements of tuples. */
static void sweep(hlo_computation *c) {
    uint32_t mark = mark_predecessors(c);
    for (hlo_instr *i = c->last, *before; i; i = before) {
        before = i->prev;
        if (!i->first_use && i != c->root && i->mark != mark && may_go(i)) hlo_instr_remove(i);
    }
}

/* ---- the pass ---- */

static void become_graph(const hlo_lowering *l, hlo_computation *entry) {
    hlo_module *module = l->r->module;
    hlo_name *name = l->to->name;
    l->to->name = entry->name;
    entry->name = name;
    l->to->execution_thread = entry->execution_thread;
    l->to->at = entry->at;
    module->entry = l->to;
    module->names_are_unique = false;
    hlo_module_set_attr(module, (hlo_attr){.id = HLO_ATTR_IS_DATAFLOW, .u.i = true});
    hlo_module_set_attr(module, (hlo_attr){.id = HLO_ATTR_IS_SCHEDULED, .u.i = false});
    hlo_remove_unreachable(module);
    sweep(l->to);
}

static hlo_pass_result lower_module(hlo_lowering *l, hlo_computation *entry) {
    hlo_rewriter_aim(l->r, entry->root);
    hlo_body body = hlo_build_open(l->r, "graph");
    l->to = body.computation;
    hlo_instr *root = lower_entry(l, entry);
    hlo_build_close(l->r, &body, root);
    if (root) become_graph(l, entry);
    else hlo_computation_remove(l->to);
    return root ? HLO_CHANGED : HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_lower_control_flow(const hlo_pass_call *call) {
    hlo_computation *entry = call->module->entry;
    hlo_lowering l = {
        .call = call,
        .r = call->rewriter,
        .parallel_iterations = HLO_OPTION(call, LOWER_CONTROL_FLOW, parallel_iterations),
        .keeps_scalar_loops = HLO_OPTION(call, LOWER_CONTROL_FLOW, keep_scalar_loops) != 0,
        .most = hlo_growth_limit(call->module, HLO_OPTION(call, LOWER_CONTROL_FLOW, max_growth)),
        .seen = hlo_module_new_mark(call->module)};
    if (l.parallel_iterations < 1) {
        hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                  "lower-control-flow: parallel_iterations is %lld and must be 1 or more",
                  (long long)l.parallel_iterations);
        return HLO_PASS_FAILED;
    }
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_lowered)) return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_lowered, entry->name);
    hlo_arena_init(&l.scratch);
    hlo_pass_result result = lower_module(&l, entry);
    hlo_list_free(&l.devices);
    hlo_arena_free(&l.scratch);
    return result;
}
