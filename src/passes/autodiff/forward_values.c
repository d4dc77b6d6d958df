/* Forward values where a gradient is made: see rule.h. In the entry both are made in one
 * computation, and a value is what it was. Elsewhere it is made again where that is cheap, handed
 * in from outside where it is known there, or kept. */
#include "analysis/iteration_count.h"
#include "passes/autodiff/residuals.h"

/* ---- what is known without keeping it ---- */

/* What stands for the instruction in the gradient of the scope; NULL: nothing yet. */
static hlo_instr *known_value(const hlo_scope *scope, const hlo_instr *instr) {
    if (hlo_scope_knows(scope, instr)) return scope->values[instr->index];
    for (uint32_t i = 0; i < scope->known.n; i++)
        if (scope->known.v[i].forward == instr) return scope->known.v[i].value;
    return NULL;
}

static hlo_instr *make_known(hlo_scope *scope, const hlo_instr *instr, hlo_instr *value) {
    if (hlo_scope_knows(scope, instr)) scope->values[instr->index] = value;
    else hlo_list_push(&scope->known, (hlo_known){instr, value});
    return value;
}

/* What goes into a body or a branch as this element of its parameter; for an element that changes
 * from one iteration to the next: NULL. */
static hlo_instr *outer_value(const hlo_scope *scope, const hlo_instr *instr) {
    int64_t number = hlo_parameter_element(instr);
    const hlo_instr *caller = scope->caller;
    if (number < 0 || number >= scope->forward->parameters[0]->shape->rank) return NULL;
    if (scope->kind == HLO_SCOPE_LOOP && !hlo_is_invariant(caller, number)) return NULL;
    uint32_t operand = scope->kind == HLO_SCOPE_LOOP ? 0 : scope->branch + 1;
    return hlo_operand(hlo_operand(caller, operand), (uint32_t)number);
}

/* It computes, or moves, an element of the result at a time. */
static bool is_cheap(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_BROADCAST:
    case HLO_OP_CONCATENATE:
    case HLO_OP_CONSTANT:
    case HLO_OP_IOTA:
    case HLO_OP_PAD:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_TRANSPOSE: return true;
    default: return (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) != 0;
    }
}

static bool is_free(hlo_scope *scope, const hlo_instr *instr);

/* Handing in an invariant never costs more than keeping it in each iteration; what goes into a
 * branch may have to be kept for that where the branch is not taken either. */
static bool is_at_hand(hlo_scope *scope, hlo_instr *outer) {
    return scope->kind == HLO_SCOPE_LOOP || is_free(scope->parent, outer) ||
           known_value(scope->parent, outer);
}

static bool is_made_of_free(hlo_scope *scope, const hlo_instr *instr) {
    hlo_instr *outer = outer_value(scope, instr);
    if (outer) return is_at_hand(scope, outer);
    bool free = is_cheap(instr) && !instr->shape->dynamic;
    for (uint32_t i = 0; free && i < instr->operand_count; i++)
        free = is_free(scope, hlo_operand(instr, i));
    return free;
}

/* Made of literals and of what is handed in, cheaply. */
static bool is_free(hlo_scope *scope, const hlo_instr *instr) {
    if (scope->kind == HLO_SCOPE_ENTRY) return true;
    if (!hlo_scope_knows(scope, instr)) return false;
    if (!scope->is_free) {
        scope->is_free = hlo_calloc(scope->count + 1u, sizeof *scope->is_free);
        for (uint32_t i = 0; i < scope->count; i++)
            scope->is_free[i] = is_made_of_free(scope, scope->order[i]);
    }
    return scope->is_free[instr->index];
}

/* Widened or repeated: less is kept of what it is made of. */
static bool is_made_of_less(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_BROADCAST && instr->opcode != HLO_OP_CONVERT) return false;
    const hlo_shape *operand = hlo_operand(instr, 0)->shape;
    return !instr->shape->dynamic && hlo_shape_bytes(operand) < hlo_shape_bytes(instr->shape);
}

/* ---- values ---- */

/* Instructions that are the same value by their form: the first of them. */
static hlo_instr *first_of_same(hlo_instr *instr) {
    while (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
           hlo_operand(instr, 0)->opcode == HLO_OP_TUPLE)
        instr = hlo_operand(hlo_operand(instr, 0), (uint32_t)hlo_attr_int(instr, HLO_ATTR_INDEX));
    int64_t number = hlo_parameter_element(instr);
    if (number < 0) return instr;
    hlo_use *use = hlo_operand(instr, 0)->first_use;
    while (hlo_parameter_element(use->user) != number) use = use->next;
    return use->user;
}

static hlo_instr *made_again(hlo_gradient *g, const hlo_instr *instr) {
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = known_value(g->scope, first_of_same(hlo_operand(instr, i)));
    hlo_instr *copy = hlo_emit_like(g->r, instr, instr->shape, operands, instr->operand_count);
    hlo_free(operands);
    return copy;
}

/* Those operands of something made again that are not known are looked for first. */
static bool push_unknown(hlo_gradient *g, const hlo_instr *instr, hlo_instr_list *todo) {
    uint32_t before = todo->n;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_instr *operand = first_of_same(hlo_operand(instr, i));
        if (!known_value(g->scope, operand)) hlo_list_push(todo, operand);
    }
    return todo->n > before;
}

/* NULL: operands come first. */
static hlo_instr *find_value(hlo_gradient *g, hlo_instr *instr, hlo_instr_list *todo) {
    hlo_scope *scope = g->scope;
    hlo_instr *outer = outer_value(scope, instr);
    if (outer && is_at_hand(scope, outer)) return hlo_import(g, scope, outer);
    if (is_free(scope, instr) || is_made_of_less(instr))
        return push_unknown(g, instr, todo) ? NULL : made_again(g, instr);
    return hlo_hold_place(g, instr);
}

hlo_instr *hlo_gradient_value(hlo_gradient *g, hlo_instr *instr) {
    if (g->scope->kind == HLO_SCOPE_ENTRY) return instr;
    hlo_instr_list todo = {0};
    instr = first_of_same(instr);
    hlo_list_push(&todo, instr);
    while (todo.n) {
        hlo_instr *next = todo.v[todo.n - 1];
        hlo_instr *value = known_value(g->scope, next);
        if (!value && (value = find_value(g, next, &todo))) make_known(g->scope, next, value);
        if (value) todo.n--;
    }
    hlo_list_free(&todo);
    return known_value(g->scope, instr);
}

hlo_instr *hlo_gradient_operand(hlo_gradient *g, const hlo_instr *instr, uint32_t operand) {
    HLO_ASSERT(operand < instr->operand_count);
    return hlo_gradient_value(g, hlo_operand(instr, operand));
}

/* The forward computation takes it out, unless it has. */
static hlo_instr *forward_element(hlo_gradient *g, hlo_instr *tuple, uint32_t i) {
    for (const hlo_use *use = tuple->first_use; use; use = use->next)
        if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
            hlo_attr_int(use->user, HLO_ATTR_INDEX) == i)
            return use->user;
    hlo_instr *target = g->r->target;
    g->r->target = tuple->next;
    hlo_instr *element = hlo_emit_element(g->r, tuple, i);
    g->r->target = target;
    return element;
}

hlo_instr *hlo_gradient_element(hlo_gradient *g, hlo_instr *instr, uint32_t i) {
    bool is_tuple = hlo_shape_is_tuple(instr->shape);
    HLO_ASSERT(i < (is_tuple ? instr->shape->rank : 1));
    return hlo_gradient_value(g, is_tuple ? forward_element(g, instr, i) : instr);
}

/* ---- sizes ---- */

static hlo_instr *size_of(hlo_gradient *g, hlo_instr *array, int64_t dimension) {
    hlo_attr attr = hlo_attr_of_ints(g->r, HLO_ATTR_DIMENSIONS, &dimension, 1);
    const hlo_shape *s32 = hlo_shape_scalar(&g->r->module->shapes, HLO_S32);
    return hlo_emit(g->r, HLO_OP_GET_DIMENSION_SIZE, s32, &array, 1, &attr, 1);
}

/* The forward computation takes it, unless it has. */
static hlo_instr *forward_size(hlo_gradient *g, hlo_instr *instr, int64_t dimension) {
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->opcode == HLO_OP_GET_DIMENSION_SIZE &&
            hlo_attr_ints(use->user, HLO_ATTR_DIMENSIONS)->v[0] == dimension)
            return use->user;
    hlo_instr *target = g->r->target;
    g->r->target = instr->next;
    hlo_instr *size = size_of(g, instr, dimension);
    HLO_ASSERT(dimension >= 0 && dimension < instr->shape->rank);
    g->r->target = target;
    return size;
}

hlo_instr *hlo_gradient_size(hlo_gradient *g, hlo_instr *instr, int64_t dimension) {
    HLO_ASSERT(dimension >= 0 && dimension < instr->shape->rank);
    instr = first_of_same(instr);
    bool is_at_hand_already = is_free(g->scope, instr) || known_value(g->scope, instr);
    if (is_at_hand_already) return size_of(g, hlo_gradient_value(g, instr), dimension);
    return hlo_gradient_value(g, forward_size(g, instr, dimension));
}

/* Gives an array of a shape's bounds the sizes that `like` has had. */
static hlo_instr *resized(hlo_gradient *g, hlo_instr *array, hlo_instr *like) {
    const hlo_shape *shape = like->shape;
    for (uint32_t d = 0; shape->is_dynamic && d < shape->rank; d++) {
        if (!shape->is_dynamic[d]) continue;
        hlo_instr *size = hlo_gradient_size(g, like, d);
        hlo_attr attr = hlo_attr_of_ints(g->r, HLO_ATTR_DIMENSIONS, &(int64_t){d}, 1);
        array = hlo_emit(g->r, HLO_OP_SET_DIMENSION_SIZE, NULL, (hlo_instr *[]){array, size}, 2,
                         &attr, 1);
    }
    return array;
}

static const hlo_shape *static_shape(hlo_gradient *g, const hlo_shape *shape, hlo_type type) {
    return hlo_shape_array(&g->r->module->shapes, type, shape->dims, shape->rank, NULL,
                           shape->layout->minor_to_major, NULL);
}

hlo_instr *hlo_gradient_zeros(hlo_gradient *g, hlo_instr *like) {
    const hlo_shape *shape = static_shape(g, like->shape, (hlo_type)like->shape->type);
    return resized(g, hlo_build_number(g->r, shape, 0), like);
}

hlo_instr *hlo_gradient_spread(hlo_gradient *g, hlo_instr *a, hlo_instr *like,
                               const int64_t *dims) {
    const hlo_shape *shape = static_shape(g, like->shape, (hlo_type)a->shape->type);
    return resized(g, hlo_emit_broadcast(g->r, shape, a, dims, a->shape->rank), like);
}
