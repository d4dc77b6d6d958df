/* The gradient of a loop: a loop of as many iterations over the cotangents of its state, which
 * begins with the last one. An invariant has a sum there, of what each iteration gives it. */
#include "analysis/iteration_count.h"
#include "passes/autodiff/bodies.h"

typedef struct {
    hlo_gradient *g;
    hlo_instr *loop;
    hlo_scope *outer, *body;
    uint32_t *elements; /* by leaf: the element of the gradient's state; 0, the counter: none */
    uint32_t leaves;
} gradient_loop;

static hlo_instr *start_of(const gradient_loop *w, uint32_t leaf) {
    return hlo_operand(hlo_operand(w->loop, 0), leaf);
}

/* ---- what the loop begins with ---- */

/* s64: a loop without anything that is kept may count further than 32 bits. */
static hlo_instr *iterations(const gradient_loop *w) {
    hlo_iterations known;
    const hlo_shape *s64 = hlo_shape_scalar(&w->g->r->module->shapes, HLO_S64);
    if (hlo_count_iterations(w->loop, &known)) return hlo_build_integer(w->g->r, s64, known.count);
    return hlo_gradient_value(w->g, hlo_add_counter(w->g, w->body));
}

/* What the gradient of an element of the state is before the first of its iterations. */
static hlo_instr *initial(const gradient_loop *w, uint32_t leaf) {
    hlo_instr *cotangent = hlo_gradient_cotangent(w->g, w->loop, leaf);
    bool is_sum = hlo_is_invariant(w->loop, leaf);
    return cotangent && !is_sum ? cotangent : hlo_gradient_zeros(w->g, start_of(w, leaf));
}

static hlo_body open_loop(gradient_loop *w) {
    hlo_instr **initials = hlo_calloc(w->leaves + 1u, sizeof *initials);
    hlo_instr *count = iterations(w);
    for (uint32_t i = 0; i < w->leaves; i++)
        if (hlo_scope_leaves(w->outer, w->loop)[i].is_reached) initials[i] = initial(w, i);
    hlo_body body = hlo_open_gradient(w->g, w->body, "gradient");
    hlo_add_element(w->g, w->body, count, count->shape);
    for (uint32_t i = 0; i < w->leaves; i++) {
        if (!initials[i]) continue;
        w->elements[i] = w->body->elements.n;
        hlo_instr *inner = hlo_add_element(w->g, w->body, initials[i], start_of(w, i)->shape);
        hlo_leaf *root = hlo_scope_leaves(w->body, w->body->forward->root) + i;
        if (!hlo_is_invariant(w->loop, i) && root->is_reached) root->cotangent = inner;
    }
    hlo_free(initials);
    return body;
}

/* ---- what an iteration makes of it ---- */

static hlo_instr *next_gradient(gradient_loop *w, uint32_t leaf) {
    hlo_gradient *g = w->g;
    hlo_instr *inner = w->body->elements.v[w->elements[leaf]].inner;
    hlo_instr *reached = hlo_scope_leaves(w->body, w->body->forward->parameters[0])[leaf].cotangent;
    if (!hlo_is_invariant(w->loop, leaf))
        return reached ? reached : hlo_zeros_inside(g, w->body, start_of(w, leaf));
    return reached ? hlo_build_binary(g->r, HLO_OP_ADD, inner, reached) : inner;
}

/* What becomes of threads, by now. */
static void set_threads(hlo_scope *body) {
    for (uint32_t i = 0; i < body->threads.n; i++) {
        const hlo_held_thread *held = &body->threads.v[i];
        body->elements.v[held->element].next = held->current;
    }
}

/* From the first of these elements on. */
static hlo_instr_list nexts_from(const hlo_scope *body, uint32_t first) {
    hlo_instr_list nexts = {0};
    for (uint32_t i = first; i < body->elements.n; i++)
        hlo_list_push(&nexts, body->elements.v[i].next);
    return nexts;
}

static void set_nexts(gradient_loop *w) {
    hlo_gradient *g = w->g;
    hlo_element *counter = &w->body->elements.v[0];
    hlo_instr *one = hlo_build_integer(g->r, counter->inner->shape, 1);
    counter->next = hlo_build_binary(g->r, HLO_OP_SUBTRACT, counter->inner, one);
    for (uint32_t i = 0; i < w->leaves; i++) {
        if (!w->elements[i]) continue;
        hlo_instr *next = next_gradient(w, i);
        hlo_element *element = &w->body->elements.v[w->elements[i]];
        element->next = hlo_in_shape(g, next, element->inner->shape);
    }
    set_threads(w->body);
}

/* NULL after an error. */
static hlo_computation *close_loop(gradient_loop *w, const hlo_body *body) {
    set_nexts(w);
    hlo_instr_list nexts = nexts_from(w->body, 0);
    hlo_instr *root = hlo_end_gradient(w->g, w->body, nexts.v, nexts.n);
    uint32_t n = nexts.n;
    hlo_list_free(&nexts);
    if (!root) return NULL;
    set_threads(w->body);
    nexts = nexts_from(w->body, n);
    hlo_computation *c = hlo_close_gradient(w->g, w->body, body, root, nexts.v, nexts.n);
    hlo_list_free(&nexts);
    return c;
}

/* The counter, the first element, is above zero. */
static hlo_computation *condition_of(hlo_gradient *g, const hlo_shape *state) {
    hlo_body body = hlo_build_open(g->r, "gradient_condition");
    hlo_instr *parameter = hlo_build_parameter(g->r, &body, 0, state);
    hlo_instr *counter = hlo_emit_element(g->r, parameter, 0);
    hlo_instr *zero = hlo_build_integer(g->r, counter->shape, 0);
    return hlo_build_close(g->r, &body, hlo_build_compare(g->r, counter, zero, "GT"));
}

/* ---- the loop ---- */

static void hand_out(gradient_loop *w, hlo_instr *gradient) {
    hlo_gradient *g = w->g;
    for (uint32_t i = 0; i < w->leaves; i++) {
        if (!w->elements[i]) continue;
        if (hlo_is_invariant(w->loop, i))
            hlo_gradient_add_leaf(g, w->loop, hlo_operand(w->loop, 0), i,
                                  hlo_gradient_cotangent(g, w->loop, i));
        hlo_gradient_add_leaf(g, w->loop, hlo_operand(w->loop, 0), i,
                              hlo_emit_element(g->r, gradient, w->elements[i]));
    }
    bool is_last = w->outer->kind == HLO_SCOPE_ENTRY; /* nothing goes on from here */
    for (uint32_t i = 0; !is_last && i < w->body->threads.n; i++) {
        const hlo_held_thread *held = &w->body->threads.v[i];
        if (!hlo_thread_is_fixed(held->thread))
            hlo_thread_set(w->outer, held->thread, hlo_emit_element(g->r, gradient, held->element));
    }
}

bool hlo_gradient_while(hlo_gradient *g, hlo_instr *loop, hlo_instr *cotangent) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    (void)cotangent;
    gradient_loop w = {.g = g, .loop = loop, .outer = g->scope};
    w.body = w.outer->children[loop->index][0];
    w.leaves = hlo_scope_leaf_count(w.outer, loop);
    w.elements = hlo_calloc(w.leaves + 1u, sizeof *w.elements);
    hlo_body body = open_loop(&w);
    hlo_computation *made = hlo_gradient_walk(g) ? close_loop(&w, &body) : NULL;
    if (made) {
        hlo_instr *state = hlo_gradient_arguments(g, w.body);
        hlo_computation *condition = condition_of(g, state->shape);
        hand_out(&w, hlo_build_while(g->r, condition, made, state));
    }
    hlo_free(w.elements);
    return made != NULL;
}
