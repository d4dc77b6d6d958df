/* Scopes and their leaves: see scope.h. */
#include "passes/autodiff/scope.h"

hlo_scope *hlo_scope_new(hlo_scope_kind kind, hlo_computation *forward) {
    hlo_scope *scope = hlo_calloc(1, sizeof *scope);
    *scope = (hlo_scope){.kind = kind, .forward = forward, .count = forward->instr_count};
    scope->order = hlo_malloc((scope->count + 1u) * sizeof *scope->order);
    scope->first_leaf = hlo_malloc((scope->count + 1u) * sizeof *scope->first_leaf);
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

void hlo_scope_free(hlo_scope *scope) {
    hlo_free(scope->order);
    hlo_free(scope->first_leaf);
    hlo_free(scope->leaves);
    hlo_free(scope);
}

hlo_leaf *hlo_scope_leaves(const hlo_scope *scope, const hlo_instr *instr) {
    bool is_known = instr->index < scope->count && scope->order[instr->index] == instr;
    return is_known ? scope->leaves + scope->first_leaf[instr->index] : NULL;
}

uint32_t hlo_leaf_of_element(const hlo_shape *tuple, int64_t i) {
    uint32_t leaf = 0;
    for (int64_t k = 0; k < i; k++) leaf += hlo_shape_leaf_count(tuple->elements[k]);
    return leaf;
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
    return element_of_leaf(tuple->shape, leaf);
}

const hlo_shape *hlo_leaf_shape(const hlo_shape *shape, uint32_t leaf) {
    while (hlo_shape_is_tuple(shape)) shape = shape->elements[element_of_leaf(shape, &leaf)];
    return shape;
}

bool hlo_is_floating(const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    return hlo_type_is_float(type) || hlo_type_is_complex(type);
}
