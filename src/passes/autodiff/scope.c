/* Scopes, their leaves, and what is added to them: see scope.h. */
#include "passes/autodiff/scope.h"

#include "analysis/iteration_count.h"

/* ---- making ---- */

hlo_scope *hlo_scope_new(hlo_scope_kind kind, hlo_computation *forward) {
    hlo_scope *scope = hlo_calloc(1, sizeof *scope);
    *scope = (hlo_scope){.kind = kind, .forward = forward, .count = forward->instr_count};
    scope->order = hlo_malloc((scope->count + 1u) * sizeof *scope->order);
    scope->first_leaf = hlo_malloc((scope->count + 1u) * sizeof *scope->first_leaf);
    scope->children = hlo_calloc(scope->count + 1u, sizeof *scope->children);
    scope->values = hlo_calloc(scope->count + 1u, sizeof *scope->values);
    hlo_number_instructions(forward);
    uint32_t leaves = 0;
    for (hlo_instr *i = forward->first; i; i = i->next) {
        scope->order[i->index] = i;
        scope->first_leaf[i->index] = leaves;
        leaves += hlo_shape_leaf_count(i->shape);
    }
    scope->first_leaf[scope->count] = leaves;
    scope->leaves = hlo_calloc(leaves + 1u, sizeof *scope->leaves);
    return scope;
}

static void free_children(hlo_scope *scope, uint32_t at) {
    if (!scope->children[at]) return;
    uint32_t n = hlo_scope_child_count(scope->order[at]);
    for (uint32_t k = 0; k < n; k++) hlo_scope_free(scope->children[at][k]);
    hlo_free(scope->children[at]);
}

void hlo_scope_free(hlo_scope *scope) {
    for (uint32_t i = 0; i < scope->count; i++) free_children(scope, i);
    hlo_free(scope->children);
    hlo_free(scope->order);
    hlo_free(scope->first_leaf);
    hlo_free(scope->leaves);
    hlo_free(scope->values);
    hlo_free(scope->is_free);
    hlo_list_free(&scope->added);
    hlo_list_free(&scope->elements);
    hlo_list_free(&scope->threads);
    hlo_list_free(&scope->known);
    hlo_list_free(&scope->imported);
    hlo_list_free(&scope->kept);
    hlo_list_free(&scope->orthogonals);
    hlo_free(scope);
}

uint32_t hlo_scope_child_count(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_WHILE ? 1 : hlo_called_count(instr);
}

/* The first computation that a loop calls is its body. */
uint32_t hlo_scope_open_children(hlo_scope *scope, hlo_instr *instr) {
    uint32_t n = hlo_scope_child_count(instr);
    if (scope->children[instr->index]) return n;
    hlo_scope_kind kind = instr->opcode == HLO_OP_WHILE ? HLO_SCOPE_LOOP : HLO_SCOPE_BRANCH;
    hlo_scope **children = hlo_malloc((n + 1u) * sizeof *children);
    for (uint32_t k = 0; k < n; k++) {
        children[k] = hlo_scope_new(kind, hlo_called(instr, k));
        children[k]->parent = scope;
        children[k]->caller = instr;
        children[k]->branch = k;
    }
    scope->children[instr->index] = children;
    return n;
}

/* ---- leaves ---- */

bool hlo_scope_knows(const hlo_scope *scope, const hlo_instr *instr) {
    return instr->index < scope->count && scope->order[instr->index] == instr;
}

hlo_leaf *hlo_scope_leaves(const hlo_scope *scope, const hlo_instr *instr) {
    return hlo_scope_knows(scope, instr) ? scope->leaves + scope->first_leaf[instr->index] : NULL;
}

uint32_t hlo_scope_leaf_count(const hlo_scope *scope, const hlo_instr *instr) {
    if (!hlo_scope_knows(scope, instr)) return 0;
    return scope->first_leaf[instr->index + 1] - scope->first_leaf[instr->index];
}

/* The element that holds the leaf, which becomes its number in there. */
static uint32_t element_of_leaf(const hlo_shape *tuple, uint32_t *leaf) {
    uint32_t i = 0, n;
    while (*leaf >= (n = hlo_shape_leaf_count(tuple->elements[i]))) {
        *leaf -= n;
        i++;
    }
    return i;
}

uint32_t hlo_operand_of_leaf(const hlo_instr *tuple, uint32_t *leaf) {
    HLO_ASSERT(tuple->opcode == HLO_OP_TUPLE);
    return element_of_leaf(tuple->shape, leaf);
}

bool hlo_is_floating(const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    return hlo_type_is_float(type) || hlo_type_is_complex(type);
}

bool hlo_has_floating_leaf(const hlo_shape *shape) {
    uint32_t n = hlo_shape_leaf_count(shape);
    for (uint32_t i = 0; i < n; i++)
        if (hlo_is_floating(hlo_shape_leaf(shape, i))) return true;
    return false;
}

/* ---- elements of states and operands ---- */

int64_t hlo_parameter_element(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT) return -1;
    if (hlo_operand(instr, 0)->opcode != HLO_OP_PARAMETER) return -1;
    return hlo_attr_int(instr, HLO_ATTR_INDEX);
}

bool hlo_is_invariant(const hlo_instr *loop, int64_t element) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_instr *root = hlo_loop_body(loop)->root;
    return hlo_parameter_element(hlo_operand(root, (uint32_t)element)) == element;
}

static void widen(hlo_rewriter *r, hlo_instr *caller, hlo_scope *const *children) {
    uint32_t count = hlo_scope_child_count(caller), n = children[0]->added.n;
    if (caller->opcode == HLO_OP_WHILE) {
        hlo_widen_loop(r, caller, children[0]->added.v, n);
        return;
    }
    const hlo_element **added = hlo_malloc((count + 1u) * sizeof *added);
    for (uint32_t k = 0; k < count; k++) added[k] = children[k]->added.v;
    hlo_widen_conditional(r, caller, added, n);
    hlo_free(added);
}

void hlo_settle(hlo_rewriter *r, hlo_scope *scope) {
    for (uint32_t i = 0; i < scope->count; i++) {
        hlo_scope **children = scope->children[i];
        if (!children) continue;
        uint32_t n = hlo_scope_child_count(scope->order[i]);
        for (uint32_t k = 0; k < n; k++) hlo_settle(r, children[k]);
        if (children[0]->added.n) widen(r, scope->order[i], children);
    }
}

/* ---- the gradient ---- */

hlo_scope *hlo_enter_scope(hlo_gradient *g, hlo_scope *scope) {
    hlo_scope *before = g->scope;
    g->scope = scope;
    g->r->target = scope->place;
    return before;
}

hlo_instr *hlo_add_element(hlo_gradient *g, hlo_scope *scope, hlo_instr *init,
                           const hlo_shape *shape) {
    hlo_instr *inner =
        hlo_new_element(g->r, scope->parameter->next, scope->parameter, scope->elements.n, shape);
    hlo_list_push(&scope->elements, (hlo_element){init, inner, inner});
    return inner;
}

hlo_instr *hlo_import(hlo_gradient *g, hlo_scope *scope, hlo_instr *outer) {
    for (uint32_t i = 0; i < scope->imported.n; i++)
        if (scope->imported.v[i].forward == outer) return scope->imported.v[i].value;
    hlo_scope *before = hlo_enter_scope(g, scope->parent);
    hlo_instr *init = hlo_gradient_value(g, outer);
    hlo_enter_scope(g, before);
    hlo_instr *inner = hlo_add_element(g, scope, init, init->shape);
    hlo_list_push(&scope->imported, (hlo_known){outer, inner});
    return inner;
}
