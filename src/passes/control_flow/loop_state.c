/* Elements of loop states: see loop_state.h. */
#include "passes/control_flow/loop_state.h"

#include "analysis/iteration_count.h"
#include "analysis/match.h"
#include "passes/control_flow/loop_config.h"

/* ---- plain loops ---- */

static bool is_taken_apart(const hlo_computation *c) {
    if (c->parameter_count != 1 || !c->root) return false;
    for (const hlo_use *use = c->parameters[0]->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) return false;
    return c->root != c->parameters[0];
}

static bool has_per_element_attrs(const hlo_instr *instr) {
    return hlo_instr_attr(instr, HLO_ATTR_SHARDING) != NULL;
}

/* Frontends may ask for the indices to stay. */
static bool wants_to_stay(const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    static const char *const keys[] = {"xla_disable_while_loop_dce", "xla.disable_while_loop_dce",
                                       "xla_preserve_tuple_indices", "xla.preserve_tuple_indices"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (hlo_frontend_value(loop, keys[k])) return true;
    return false;
}

bool hlo_loop_is_plain(const hlo_call_graph *graph, const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_computation *body = hlo_called(loop, 0), *condition = hlo_called(loop, 1);
    if (loop->opcode != HLO_OP_WHILE || !body || !condition || body == condition) return false;
    if (!hlo_shape_is_tuple(loop->shape) || loop->shape->dynamic || wants_to_stay(loop))
        return false;
    if (graph->call_count[body->id] != 1 || graph->call_count[condition->id] != 1) return false;
    return is_taken_apart(body) && is_taken_apart(condition) &&
           body->root->opcode == HLO_OP_TUPLE && body->root->operand_count == loop->shape->rank &&
           !body->root->first_use && !has_per_element_attrs(loop) &&
           !has_per_element_attrs(body->root) && !has_per_element_attrs(body->parameters[0]) &&
           !has_per_element_attrs(condition->parameters[0]);
}

bool hlo_loop_keeps(const hlo_instr *loop, uint32_t i) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_computation *body = hlo_called(loop, 0);
    const hlo_instr *next = hlo_operand(body->root, i), *init = hlo_state_start(loop, i);
    if (next->opcode == HLO_OP_GET_TUPLE_ELEMENT)
        return hlo_operand(next, 0) == body->parameters[0] &&
               hlo_attr_int(next, HLO_ATTR_INDEX) == i;
    const hlo_literal *first = init ? hlo_constant_of(init) : NULL, *then = hlo_constant_of(next);
    return first && then && init->shape == next->shape && hlo_literal_equal(first, then);
}

static bool is_wanted_whole(const hlo_instr *loop) {
    for (const hlo_use *use = loop->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) return true;
    return loop->parent->root == loop;
}

/* NULL when the tuple would not be what the state is. */
static hlo_instr *emit_state(hlo_rewriter *r, hlo_instr *loop, hlo_instr *const *elements) {
    HLO_ASSERT(hlo_shape_is_tuple(loop->shape));
    uint32_t n = loop->shape->rank;
    if (hlo_shape_tuple(&r->module->shapes, loop->shape->elements, n) != loop->shape) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (elements[i] && elements[i]->shape != loop->shape->elements[i]) return NULL;
    hlo_rewriter_aim(r, loop);
    hlo_instr **parts = hlo_malloc((n + 1u) * sizeof *parts);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = elements[i] ? elements[i] : hlo_emit_element(r, loop, i);
    hlo_instr *state = hlo_emit_tuple(r, parts, n);
    hlo_free(parts);
    hlo_instr_move_before(loop, r->fresh.v[0]);
    r->fresh.n = 0;
    return state;
}

bool hlo_loop_give_tuple(hlo_rewriter *r, hlo_instr *loop, hlo_instr *const *elements) {
    hlo_instr *state = is_wanted_whole(loop) ? emit_state(r, loop, elements) : NULL;
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (!state) return false;
    for (hlo_use *use = loop->first_use, *next; use; use = next) {
        next = use->next;
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT)
            hlo_instr_set_operand(use->user, (uint32_t)(use - use->user->operands), state);
    }
    if (loop->parent->root == loop) loop->parent->root = state;
    return true;
}

/* ---- what matters ---- */

typedef struct {
    const hlo_rewriter *r;
    const hlo_call_graph *graph;
    hlo_computation *body;
    bool *needed;
    uint32_t seen; /* a mark */
    hlo_instr_list worklist;
} need;

static void look_at(need *n, hlo_instr *instr) {
    if (instr->mark == n->seen) return;
    instr->mark = n->seen;
    hlo_list_push(&n->worklist, instr);
}

/* The element matters, and so does what the body makes of it. */
static void need_element(need *n, int64_t i) {
    HLO_ASSERT(i >= 0);
    if (n->needed[i]) return;
    n->needed[i] = true;
    look_at(n, hlo_operand(n->body->root, (uint32_t)i));
}

/* Reading an element of the state is a need of that element only; any other reader of the parameter
 * would have made the loop not plain. */
static void follow(need *n) {
    while (n->worklist.n) {
        hlo_instr *instr = hlo_list_pop(&n->worklist);
        bool is_element = instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
                          hlo_operand(instr, 0)->opcode == HLO_OP_PARAMETER;
        if (is_element) need_element(n, hlo_attr_int(instr, HLO_ATTR_INDEX));
        else
            for (uint32_t k = 0; k < instr->operand_count; k++) look_at(n, hlo_operand(instr, k));
    }
}

static void need_effects(need *n, hlo_computation *c) {
    for (hlo_instr *i = c->first; i; i = i->next)
        if (i->opcode != HLO_OP_PARAMETER &&
            (hlo_call_graph_effect(n->graph, i) || hlo_is_tied(n->r, i)))
            look_at(n, i);
}

/* Fills needed[]; how many there are. */
static uint32_t find_needed(const hlo_rewriter *r, const hlo_call_graph *graph,
                            const hlo_instr *loop, bool *needed) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_computation *condition = hlo_called(loop, 1);
    need n = {r, graph, hlo_called(loop, 0), needed, hlo_module_new_mark(r->module), {0}};
    uint32_t count = 0;
    for (const hlo_use *use = loop->first_use; use; use = use->next) {
        if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT)
            need_element(&n, hlo_attr_int(use->user, HLO_ATTR_INDEX));
        else
            for (uint32_t i = 0; i < loop->shape->rank; i++) need_element(&n, i);
    }
    for (uint32_t i = 0; loop->parent->root == loop && i < loop->shape->rank; i++)
        need_element(&n, i);
    look_at(&n, condition->root);
    need_effects(&n, condition);
    need_effects(&n, n.body);
    follow(&n);
    hlo_list_free(&n.worklist);
    for (uint32_t i = 0; i < loop->shape->rank; i++) count += needed[i];
    return count;
}

/* ---- a narrower loop ---- */

static const hlo_shape *narrowed(hlo_rewriter *r, const hlo_shape *tuple, const bool *keep) {
    const hlo_shape **elements = hlo_malloc((tuple->rank + 1u) * sizeof *elements);
    uint32_t n = 0;
    for (uint32_t i = 0; i < tuple->rank; i++)
        if (keep[i]) elements[n++] = tuple->elements[i];
    const hlo_shape *shape = hlo_shape_tuple(&r->module->shapes, elements, n);
    hlo_free(elements);
    return shape;
}

/* Which elements stay, and the number that each of them gets. */
typedef struct {
    const bool *keep;
    int64_t *numbers;
} narrowing;

static int64_t *new_numbers(const bool *keep, uint32_t all) {
    int64_t *numbers = hlo_malloc((all + 1u) * sizeof *numbers), next = 0;
    for (uint32_t i = 0; i < all; i++) {
        numbers[i] = next;
        next += keep[i];
    }
    return numbers;
}

static void renumber(const narrowing *n, hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    int64_t number = n->numbers[hlo_attr_int(element, HLO_ATTR_INDEX)];
    hlo_instr_set_attr(element, hlo_attr_of_int(HLO_ATTR_INDEX, number));
}

/* What other passes made may stand after what uses it: operands are looked at once more. */
static void remove_dead(hlo_rewriter *r, const hlo_call_graph *graph, hlo_computation *c) {
    hlo_instr_list worklist = {0};
    for (hlo_instr *i = c->first; i; i = i->next) hlo_list_push(&worklist, i);
    hlo_remove_unused(r, graph, &worklist);
    hlo_list_free(&worklist);
}

/* Elements that go are read by dead instructions at most. */
static void narrow_parameter(hlo_rewriter *r, const hlo_call_graph *graph, hlo_computation *c,
                             const narrowing *n) {
    hlo_instr *parameter = c->parameters[0];
    remove_dead(r, graph, c);
    parameter->shape = narrowed(r, parameter->shape, n->keep);
    hlo_instr_remove_attr(parameter, HLO_ATTR_ORIGIN);
    for (hlo_use *use = parameter->first_use; use; use = use->next) renumber(n, use->user);
}

static void narrow_body(hlo_rewriter *r, const hlo_call_graph *graph, hlo_computation *body,
                        const narrowing *n) {
    body->root->shape = narrowed(r, body->root->shape, n->keep);
    hlo_instr_remove_attr(body->root, HLO_ATTR_ORIGIN);
    hlo_instr_keep_operands(body->root, n->keep);
    narrow_parameter(r, graph, body, n);
}

static hlo_instr *narrow_init(hlo_rewriter *r, hlo_instr *loop, const bool *keep) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    uint32_t all = loop->shape->rank, n = 0;
    hlo_instr **elements = hlo_malloc((all + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < all; i++) {
        if (!keep[i]) continue;
        hlo_instr *element = hlo_state_start(loop, i);
        elements[n++] = element ? element : hlo_emit_element(r, hlo_operand(loop, 0), i);
    }
    hlo_instr *init = hlo_emit_tuple(r, elements, n);
    hlo_free(elements);
    return init;
}

/* Users take their elements from the new loop; only get-tuple-elements are there. */
static void move_users(hlo_instr *loop, hlo_instr *by, const narrowing *n) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    while (loop->first_use) {
        hlo_instr *user = loop->first_use->user;
        renumber(n, user);
        hlo_instr_set_operand(user, 0, by);
    }
}

static void narrow_loop(hlo_rewriter *r, const hlo_call_graph *graph, hlo_instr *loop,
                        const bool *keep) {
    narrowing n = {keep, new_numbers(keep, loop->shape->rank)};
    hlo_rewriter_aim(r, loop);
    hlo_instr *init = narrow_init(r, loop, keep);
    narrow_body(r, graph, hlo_called(loop, 0), &n);
    narrow_parameter(r, graph, hlo_called(loop, 1), &n);
    hlo_instr *by = hlo_emit_like(r, loop, init->shape, &init, 1);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    by->name = loop->name;
    hlo_loop_config_renumber(r, by, loop->shape->rank, keep, n.numbers);
    move_users(loop, by, &n);
    hlo_free(n.numbers);
    hlo_rewriter_remove(r, loop);
    r->fresh.n = 0;
}

bool hlo_drop_dead_state(hlo_rewriter *r, hlo_rewrite_id id, const hlo_call_graph *graph,
                         hlo_instr *loop) {
    if (!hlo_rewrite_allowed(r, id) || hlo_is_tied(r, loop) || !hlo_loop_is_plain(graph, loop))
        return false;
    uint32_t all = loop->shape->rank;
    bool *needed = hlo_calloc(all + 1u, sizeof *needed);
    uint32_t count = find_needed(r, graph, loop, needed);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    if (count == 0 && all)
        count = needed[0] = true; /* an empty state would not simplify anything */
    bool drops = count < all;
    if (drops) {
        hlo_rewrite_count(r, id, loop->name);
        narrow_loop(r, graph, loop, needed);
    }
    hlo_free(needed);
    return drops;
}
