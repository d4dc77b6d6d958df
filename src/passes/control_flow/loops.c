/* The walk over loops and conditionals, and states that change: see loops.h. */
#include "passes/control_flow/loops.h"

#include "analysis/match.h"

/* ---- the walk ---- */

static bool has_canonical_form(const hlo_instr *instr) {
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (!called->root || called->parameter_count != 1 || called->root->shape->dynamic)
            return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (hlo_operand(instr, i)->shape->dynamic) return false;
    return !instr->shape->dynamic;
}

/* A list before the first visit: visits copy and remove computations, and so change the graph. */
static void collect(const hlo_flow_walk *walk, hlo_opcode opcode, hlo_flow_order order,
                    hlo_instr_list *found) {
    for (uint32_t n = 0; n < walk->graph.count; n++) {
        uint32_t at = order == HLO_OUTER_FIRST ? n : walk->graph.count - 1 - n;
        for (hlo_instr *i = walk->graph.order[at]->first; i; i = i->next)
            if (i->opcode == opcode) hlo_list_push(found, i);
    }
}

hlo_pass_result hlo_flow_visit_all(const hlo_pass_call *call, hlo_opcode opcode,
                                   hlo_flow_order order, hlo_flow_visit *visit) {
    hlo_flow_walk walk = {.call = call, .rewriter = call->rewriter};
    hlo_instr_list found = {0};
    hlo_call_graph_init(&walk.graph, call->module);
    collect(&walk, opcode, order, &found);
    for (size_t n = 0; n < found.n && !hlo_rewriter_is_done(call->rewriter); n++) {
        hlo_instr *instr = found.v[n];
        if (!instr->parent || instr->parent->is_fusion_body || instr->parent->is_async_body ||
            hlo_is_tied(call->rewriter, instr) || !has_canonical_form(instr))
            continue;
        visit(&walk, instr);
    }
    hlo_call_graph_free(&walk.graph);
    hlo_list_free(&found);
    return walk.changed ? HLO_CHANGED : HLO_UNCHANGED;
}

bool hlo_flow_may(const hlo_flow_walk *walk, hlo_rewrite_id id) {
    return hlo_rewrite_allowed(walk->rewriter, id);
}

void hlo_flow_count(hlo_flow_walk *walk, hlo_rewrite_id id, const hlo_instr *place) {
    hlo_rewrite_count(walk->rewriter, id, place->name);
    walk->changed = true;
}

void hlo_flow_calls_changed(hlo_flow_walk *walk) {
    walk->is_stale = true;
}

static const hlo_call_graph *graph_of(hlo_flow_walk *walk) {
    if (walk->is_stale) {
        hlo_call_graph_free(&walk->graph);
        hlo_call_graph_init(&walk->graph, walk->call->module);
        walk->is_stale = false;
    }
    return &walk->graph;
}

bool hlo_flow_has_effect(hlo_flow_walk *walk, const hlo_instr *instr) {
    return hlo_call_graph_effect(graph_of(walk), instr);
}

void hlo_flow_remove_unused(hlo_flow_walk *walk, hlo_instr *instr) {
    if (!instr->parent || instr->first_use || instr->parent->root == instr) return;
    if (instr->opcode == HLO_OP_PARAMETER || hlo_is_tied(walk->rewriter, instr) ||
        hlo_flow_has_effect(walk, instr))
        return;
    hlo_rewriter_remove(walk->rewriter, instr);
}

bool hlo_flow_has_hint(const hlo_instr *instr, const char *key, bool any) {
    const hlo_str *value = hlo_frontend_value(instr, key);
    return value && (any || hlo_str_is(*value, "true"));
}

/* ---- computations of one's own ---- */

static hlo_computation *own_copy(hlo_flow_walk *walk, hlo_computation *c) {
    return walk->graph.call_count[c->id] > 1 ? hlo_computation_clone(c, "clone") : c;
}

static bool own_attr(hlo_flow_walk *walk, hlo_attr *attr) {
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    bool copied = false;
    if (kind == HLO_KIND_COMPUTATION) {
        hlo_computation *old = attr->u.computation;
        attr->u.computation = own_copy(walk, old);
        copied = attr->u.computation != old;
    } else if (kind == HLO_KIND_COMPUTATIONS) {
        const hlo_computations *old = attr->u.computations;
        hlo_computations *list = hlo_arena_copy(&walk->rewriter->module->arena, old,
                                                sizeof *old + old->n * sizeof old->v[0]);
        for (uint32_t i = 0; i < old->n; i++) {
            list->v[i] = own_copy(walk, old->v[i]);
            copied |= list->v[i] != old->v[i];
        }
        attr->u.computations = list;
    }
    return copied;
}

bool hlo_flow_own(hlo_flow_walk *walk, hlo_instr *instr) {
    bool copied = false;
    graph_of(walk);
    for (uint32_t a = 0; a < instr->attr_count; a++) copied |= own_attr(walk, &instr->attrs[a]);
    walk->is_stale |= copied;
    return copied;
}

/* ---- what may change its shape ---- */

bool hlo_flow_is_free(const hlo_flow_walk *walk, const hlo_instr *instr) {
    return !hlo_instr_attr(instr, HLO_ATTR_SHARDING) && !hlo_is_tied(walk->rewriter, instr);
}

bool hlo_loop_is_flexible(const hlo_flow_walk *walk, const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_computation *body = hlo_loop_body(loop), *condition = hlo_loop_condition(loop);
    const hlo_instr *root = body->root;
    return hlo_shape_is_tuple(loop->shape) && root->opcode == HLO_OP_TUPLE && !root->first_use &&
           hlo_is_only_taken_apart(body->parameters[0]) &&
           hlo_is_only_taken_apart(condition->parameters[0]) && hlo_flow_is_free(walk, loop) &&
           hlo_flow_is_free(walk, root) && hlo_flow_is_free(walk, body->parameters[0]) &&
           hlo_flow_is_free(walk, condition->parameters[0]) &&
           !hlo_ties_something(walk->rewriter, body) &&
           !hlo_ties_something(walk->rewriter, condition);
}

/* ---- changing the shape ---- */

static void set_shape(hlo_instr *instr, const hlo_shape *shape) {
    instr->shape = shape;
    hlo_instr_remove_attr(instr, HLO_ATTR_ORIGIN); /* its tree follows the old shape */
}

static const hlo_shape *longer_shape(hlo_rewriter *r, const hlo_shape *tuple,
                                     hlo_instr *const *values, uint32_t n) {
    const hlo_shape **elements = hlo_malloc((tuple->rank + n + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < tuple->rank; i++) elements[i] = tuple->elements[i];
    for (uint32_t i = 0; i < n; i++) elements[tuple->rank + i] = values[i]->shape;
    const hlo_shape *shape = hlo_shape_tuple(&r->module->shapes, elements, tuple->rank + n);
    hlo_free(elements);
    return shape;
}

/* The loop starts with `values` after what it starts with. */
static void start_with(hlo_flow_walk *walk, hlo_instr *loop, hlo_instr *const *values, uint32_t n) {
    hlo_rewriter *r = walk->rewriter;
    hlo_instr *old = hlo_operand(loop, 0);
    uint32_t all = old->shape->rank;
    hlo_instr **parts = hlo_malloc((all + n + 1u) * sizeof *parts);
    hlo_rewriter_aim(r, loop);
    for (uint32_t i = 0; i < all; i++)
        parts[i] = old->opcode == HLO_OP_TUPLE ? hlo_operand(old, i) : hlo_emit_element(r, old, i);
    for (uint32_t i = 0; i < n; i++) parts[all + i] = values[i];
    hlo_instr_set_operand(loop, 0, hlo_emit_tuple(r, parts, all + n));
    hlo_free(parts);
    if (old->opcode == HLO_OP_TUPLE) hlo_flow_remove_unused(walk, old);
}

/* Uses of the whole result become uses of a tuple after the loop that is what it was. What is
 * emitted stands before its target, so that the loop is moved before the first of it; the uses that
 * emitting adds come after `last`. */
static void restore_whole(hlo_rewriter *r, hlo_instr *loop, const hlo_shape *old) {
    bool is_root = loop->parent->root == loop, is_whole = is_root;
    for (hlo_use *use = loop->first_use; use; use = use->next)
        is_whole |= use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT;
    if (!is_whole) return;
    hlo_use *last = loop->last_use;
    hlo_instr **parts = hlo_malloc((old->rank + 1u) * sizeof *parts);
    hlo_rewriter_aim(r, loop);
    for (uint32_t i = 0; i < old->rank; i++) parts[i] = hlo_emit_element(r, loop, i);
    hlo_instr *tuple = hlo_emit_tuple(r, parts, old->rank);
    tuple->shape = old;
    hlo_instr_move_before(loop, r->fresh.v[0]);
    hlo_free(parts);
    for (hlo_use *use = last ? loop->first_use : NULL, *next; use; use = next) {
        next = use == last ? NULL : use->next;
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT)
            hlo_instr_set_operand(use->user, (uint32_t)(use - use->user->operands), tuple);
    }
    if (is_root) loop->parent->root = tuple;
}

void hlo_loop_widen(hlo_flow_walk *walk, hlo_instr *loop, hlo_instr *const *values, uint32_t n,
                    hlo_instr **elements) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE && hlo_shape_is_tuple(loop->shape));
    hlo_rewriter *r = walk->rewriter;
    hlo_instr *root = hlo_loop_body(loop)->root, *state = hlo_loop_body(loop)->parameters[0],
              *tested = hlo_loop_condition(loop)->parameters[0];
    uint32_t all = loop->shape->rank;
    start_with(walk, loop, values, n);
    set_shape(tested, longer_shape(r, tested->shape, values, n));
    set_shape(state, longer_shape(r, state->shape, values, n));
    set_shape(root, longer_shape(r, root->shape, values, n));
    /* What the elements replace may have users before the parameter. */
    hlo_instr_move_before(state, state->parent->first);
    hlo_rewriter_aim(r, state->next);
    for (uint32_t i = 0; i < n; i++) elements[i] = hlo_emit_element(r, state, all + i);
    hlo_instr_add_operands(root, elements, n);
    const hlo_shape *old = loop->shape;
    set_shape(loop, longer_shape(r, old, values, n));
    restore_whole(r, loop, old);
}

bool hlo_flow_redirect(hlo_instr *old, hlo_instr *by, const hlo_instr *except) {
    bool any = false;
    const hlo_use *last = old->last_use;
    for (hlo_use *use = old->first_use, *next; use; use = next) {
        next = use == last ? NULL : use->next;
        if (use->user == except) continue;
        hlo_instr_set_operand(use->user, (uint32_t)(use - use->user->operands), by);
        any = true;
    }
    return any;
}
