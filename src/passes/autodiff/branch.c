/* The gradient of a conditional: a conditional on the same predicate over the gradients of its
 * branches. What went into a branch that was not taken gets zeros from it. */
#include "passes/autodiff/bodies.h"

/* A value that goes into some branches, and gets a gradient out of all of them. */
typedef struct {
    hlo_instr *source;
    uint32_t branch, leaf; /* where it goes in first */
} slot;

typedef struct {
    hlo_gradient *g;
    hlo_instr *conditional;
    hlo_scope *outer, **branches;
    uint32_t n; /* branches */
    HLO_LIST(slot) slots;
    HLO_LIST(hlo_thread *) threads; /* that gradients of branches change */
    hlo_body *bodies; /* of the gradients of branches, and what they end with so far */
    hlo_instr **roots;
} gradient_branches;

static hlo_instr *source_of(const gradient_branches *b, uint32_t branch, uint32_t leaf) {
    return hlo_operand(hlo_operand(b->conditional, branch + 1), leaf);
}

static hlo_leaf *parameter_leaves(const hlo_scope *branch, uint32_t *n) {
    const hlo_instr *parameter = branch->forward->parameters[0];
    *n = hlo_scope_leaf_count(branch, parameter);
    return hlo_scope_leaves(branch, parameter);
}

/* ---- what comes out ---- */

static void add_slot(gradient_branches *b, uint32_t branch, uint32_t leaf) {
    hlo_instr *source = source_of(b, branch, leaf);
    for (uint32_t i = 0; i < b->slots.n; i++)
        if (b->slots.v[i].source == source) return;
    hlo_list_push(&b->slots, (slot){source, branch, leaf});
}

static void find_slots(gradient_branches *b) {
    for (uint32_t k = 0; k < b->n; k++) {
        uint32_t n;
        const hlo_leaf *leaves = parameter_leaves(b->branches[k], &n);
        for (uint32_t i = 0; i < n; i++)
            if (leaves[i].is_reached) add_slot(b, k, i);
    }
}

static void find_threads(gradient_branches *b, const hlo_scope *branch) {
    for (uint32_t i = 0; i < branch->threads.n; i++) {
        hlo_thread *thread = branch->threads.v[i].thread;
        bool known = hlo_thread_is_fixed(thread);
        for (uint32_t k = 0; k < b->threads.n; k++) known |= b->threads.v[k] == thread;
        if (!known) hlo_list_push(&b->threads, thread);
    }
}

/* ---- branches ---- */

/* What the branch gives to a value: the sum over all elements that it goes in as. */
static hlo_instr *gradient_of_slot(gradient_branches *b, uint32_t k, const slot *s) {
    uint32_t n;
    hlo_scope *branch = b->branches[k];
    const hlo_leaf *leaves = parameter_leaves(branch, &n);
    hlo_instr *sum = NULL;
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *part = leaves[i].cotangent;
        if (!part || source_of(b, k, i) != s->source) continue;
        sum = sum ? hlo_build_binary(b->g->r, HLO_OP_ADD, sum, part) : part;
    }
    if (!sum) sum = hlo_zeros_inside(b->g, branch, s->source);
    return hlo_in_shape(b->g, sum, s->source->shape);
}

static bool end_branch(gradient_branches *b, uint32_t k) {
    hlo_instr_list results = {0};
    for (uint32_t i = 0; i < b->slots.n; i++)
        hlo_list_push(&results, gradient_of_slot(b, k, &b->slots.v[i]));
    b->roots[k] = hlo_end_gradient(b->g, b->branches[k], results.v, results.n);
    hlo_list_free(&results);
    return b->roots[k] != NULL;
}

static bool open_branch(gradient_branches *b, uint32_t k) {
    hlo_gradient *g = b->g;
    hlo_scope *branch = b->branches[k];
    hlo_leaf *results = hlo_scope_leaves(branch, branch->forward->root);
    uint32_t n = hlo_scope_leaf_count(b->outer, b->conditional);
    b->bodies[k] = hlo_open_gradient(g, branch, "gradient");
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *cotangent = hlo_scope_leaves(b->outer, b->conditional)[i].cotangent;
        if (cotangent && results[i].is_reached)
            results[i].cotangent = hlo_add_element(g, branch, cotangent, cotangent->shape);
    }
    return hlo_gradient_walk(g) && end_branch(b, k);
}

static hlo_computation *close_branch(gradient_branches *b, uint32_t k) {
    hlo_gradient *g = b->g;
    hlo_instr_list results = {0};
    for (uint32_t i = 0; i < b->threads.n; i++)
        hlo_list_push(&results, hlo_thread_in(g, b->branches[k], b->threads.v[i]));
    hlo_computation *c =
        hlo_close_gradient(g, b->branches[k], &b->bodies[k], b->roots[k], results.v, results.n);
    hlo_list_free(&results);
    return c;
}

/* ---- the conditional ---- */

static hlo_instr *emit_conditional(gradient_branches *b, hlo_computation *const *computations,
                                   hlo_instr *predicate) {
    hlo_gradient *g = b->g;
    hlo_instr **operands = hlo_malloc((b->n + 1u) * sizeof *operands);
    operands[0] = predicate;
    for (uint32_t k = 0; k < b->n; k++) operands[k + 1] = hlo_gradient_arguments(g, b->branches[k]);
    const hlo_attr *own = b->conditional->attrs;
    hlo_attr attrs[2];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->conditional->attr_count; i++)
        if (hlo_attr_table[own[i].id].kind == HLO_KIND_COMPUTATION ||
            hlo_attr_table[own[i].id].kind == HLO_KIND_COMPUTATIONS)
            attrs[n++] = own[i];
    hlo_instr *made = hlo_emit(g->r, HLO_OP_CONDITIONAL, computations[0]->root->shape, operands,
                               b->n + 1, attrs, n);
    hlo_set_called(g->r, made, computations);
    hlo_free(operands);
    return made;
}

static void hand_out(gradient_branches *b, hlo_instr *made) {
    hlo_gradient *g = b->g;
    for (uint32_t i = 0; i < b->slots.n; i++) {
        const slot *s = &b->slots.v[i];
        hlo_gradient_add_leaf(g, b->conditional, hlo_operand(b->conditional, s->branch + 1),
                              s->leaf, hlo_emit_element(g->r, made, i));
    }
    bool is_last = b->outer->kind == HLO_SCOPE_ENTRY; /* nothing goes on from here */
    for (uint32_t i = 0; !is_last && i < b->threads.n; i++)
        hlo_thread_set(b->outer, b->threads.v[i], hlo_emit_element(g->r, made, b->slots.n + i));
}

static bool make_branches(gradient_branches *b) {
    hlo_gradient *g = b->g;
    hlo_instr *predicate = hlo_gradient_operand(g, b->conditional, 0);
    for (uint32_t k = 0; k < b->n; k++) {
        if (!open_branch(b, k)) return false;
        find_threads(b, b->branches[k]);
    }
    hlo_computation **made = hlo_malloc((b->n + 1u) * sizeof *made);
    for (uint32_t k = 0; k < b->n; k++) made[k] = close_branch(b, k);
    hand_out(b, emit_conditional(b, made, predicate));
    hlo_free(made);
    return true;
}

bool hlo_gradient_conditional(hlo_gradient *g, hlo_instr *conditional, hlo_instr *cotangent) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    (void)cotangent;
    gradient_branches b = {.g = g, .conditional = conditional, .outer = g->scope};
    b.branches = b.outer->children[conditional->index];
    b.n = hlo_scope_child_count(conditional);
    b.bodies = hlo_malloc((b.n + 1u) * sizeof *b.bodies);
    b.roots = hlo_malloc((b.n + 1u) * sizeof *b.roots);
    find_slots(&b);
    bool good = !b.slots.n || make_branches(&b);
    hlo_list_free(&b.slots);
    hlo_list_free(&b.threads);
    hlo_free(b.bodies);
    hlo_free(b.roots);
    return good;
}
