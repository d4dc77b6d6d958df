/* Loops and conditionals in one form: see canonical.h. */
#include "passes/autodiff/canonical.h"

#include "analysis/iteration_count.h"
#include "analysis/match.h"

/* Control predecessors are found by a walk over the computation, which is spared where there are
 * none in the module. */
void hlo_put_in_place(hlo_rewriter *r, hlo_instr *old, hlo_instr *by) {
    hlo_instr *target = r->target;
    if (by == old) return;
    r->target = old;
    by = hlo_emit_laid_out(r, by, old->shape); /* bitcasts read it */
    HLO_ASSERT(old != by && old->parent == by->parent);
    r->target = target;
    if (r->tied.instrs.n) hlo_instr_replace_all_uses(old, by);
    else hlo_instr_replace_operand_uses(old, by);
    hlo_instr_remove(old);
    old->parent = NULL;
}

/* What follows the old shape goes: trees of origins, lists of shardings. */
static void set_shape(hlo_instr *instr, const hlo_shape *shape) {
    instr->shape = shape;
    hlo_instr_remove_attr(instr, HLO_ATTR_ORIGIN);
    hlo_instr_remove_attr(instr, HLO_ATTR_SHARDING);
}

/* ---- values and their leaves ---- */

hlo_instr *hlo_leaf_of(hlo_rewriter *r, hlo_instr *value, uint32_t leaf) {
    HLO_ASSERT(leaf < hlo_shape_leaf_count(value->shape));
    while (hlo_shape_is_tuple(value->shape)) {
        uint32_t element = 0, n;
        while (leaf >= (n = hlo_shape_leaf_count(value->shape->elements[element]))) {
            leaf -= n;
            element++;
        }
        bool is_at_hand = value->opcode == HLO_OP_TUPLE;
        value = is_at_hand ? hlo_operand(value, element) : hlo_emit_element(r, value, element);
    }
    return value;
}

static hlo_instr *tuple_of_leaves(hlo_rewriter *r, hlo_instr *value) {
    uint32_t n = hlo_shape_leaf_count(value->shape);
    hlo_instr **leaves = hlo_malloc((n + 1u) * sizeof *leaves);
    for (uint32_t i = 0; i < n; i++) leaves[i] = hlo_leaf_of(r, value, i);
    hlo_instr *tuple = hlo_emit_tuple(r, leaves, n);
    hlo_free(leaves);
    return tuple;
}

static bool is_flat(const hlo_shape *shape) {
    bool flat = hlo_shape_is_tuple(shape);
    for (uint32_t i = 0; flat && i < shape->rank; i++)
        flat = !hlo_shape_is_tuple(shape->elements[i]);
    return flat;
}

static const hlo_shape *flat_shape(hlo_rewriter *r, const hlo_shape *shape) {
    HLO_LIST(const hlo_shape *) todo = {0}, leaves = {0};
    hlo_list_push(&todo, shape);
    while (todo.n) {
        const hlo_shape *next = hlo_list_pop(&todo);
        if (!hlo_shape_is_tuple(next)) hlo_list_push(&leaves, next);
        for (uint32_t i = hlo_shape_is_tuple(next) ? next->rank : 0; i-- > 0;)
            hlo_list_push(&todo, next->elements[i]);
    }
    const hlo_shape *flat = hlo_shape_tuple(&r->module->shapes, leaves.v, leaves.n);
    hlo_list_free(&todo);
    hlo_list_free(&leaves);
    return flat;
}

/* A value of the shape from elements *next, *next + 1 ... of a flat tuple. Shapes nest as deep as
 * the reader lets them. */
static hlo_instr *rebuilt(hlo_rewriter *r, hlo_instr *flat, const hlo_shape *shape,
                          uint32_t *next) {
    if (!hlo_shape_is_tuple(shape)) return hlo_emit_element(r, flat, (*next)++);
    hlo_instr **parts = hlo_malloc((shape->rank + 1u) * sizeof *parts);
    for (uint32_t i = 0; i < shape->rank; i++)
        parts[i] = rebuilt(r, flat, shape->elements[i], next);
    hlo_instr *tuple = hlo_emit_tuple(r, parts, shape->rank);
    hlo_free(parts);
    return tuple;
}

/* ---- uses ---- */

static void fold_elements(hlo_rewriter *r, hlo_instr *tuple, hlo_instr_list *todo) {
    HLO_ASSERT(tuple->opcode == HLO_OP_TUPLE);
    for (hlo_use *use = tuple->first_use, *next; use; use = next) {
        hlo_instr *element = use->user;
        next = use->next;
        if (element->opcode != HLO_OP_GET_TUPLE_ELEMENT) continue;
        hlo_instr *by = hlo_operand(tuple, (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX));
        hlo_put_in_place(r, element, by);
        if (by->opcode == HLO_OP_TUPLE) hlo_list_push(todo, by);
    }
}

/* Users that take elements of an available tuple take its operands. */
static void fold_elements_of_tuples(hlo_rewriter *r, hlo_instr *value) {
    hlo_instr_list todo = {0};
    if (value->opcode == HLO_OP_TUPLE) hlo_list_push(&todo, value);
    while (todo.n) {
        hlo_instr *tuple = hlo_list_pop(&todo);
        if (!tuple->parent) continue;
        fold_elements(r, tuple, &todo);
        if (!tuple->first_use && tuple->parent->root != tuple) hlo_rewriter_remove(r, tuple);
    }
    hlo_list_free(&todo);
}

/* Uses from the first to `last` become uses of another value. */
static void move_uses(hlo_instr *from, const hlo_use *last, hlo_instr *to) {
    for (hlo_use *use = last ? from->first_use : NULL, *next; use; use = next) {
        next = use == last ? NULL : use->next;
        hlo_instr_set_operand(use->user, (uint32_t)(use - use->user->operands), to);
    }
}

/* A value becomes a flat tuple; those who used it as it was use one that is rebuilt after it. */
static void flatten_value(hlo_rewriter *r, hlo_instr *value) {
    const hlo_shape *old = value->shape;
    const hlo_use *last = value->last_use;
    bool is_root = value->parent->root == value;
    if (is_flat(old) && hlo_is_only_taken_apart(value)) return;
    if (!is_flat(old)) set_shape(value, flat_shape(r, old));
    r->target = value->next;
    uint32_t leaf = 0;
    hlo_instr *whole = rebuilt(r, value, old, &leaf);
    move_uses(value, last, whole);
    if (is_root) value->parent->root = whole;
    fold_elements_of_tuples(r, whole);
}

/* An operand becomes a flat tuple made right before the instruction, which alone uses it. */
static void flatten_operand(hlo_rewriter *r, hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    hlo_instr *old = hlo_operand(instr, i);
    bool is_own = old->opcode == HLO_OP_TUPLE && is_flat(old->shape) &&
                  old->first_use == old->last_use && old->parent->root != old;
    r->target = instr;
    if (is_own) {
        hlo_instr_move_before(old, instr);
        return;
    }
    hlo_instr_set_operand(instr, i, tuple_of_leaves(r, old));
    bool is_unused = !old->first_use && old->parent->root != old;
    if (old->opcode == HLO_OP_TUPLE && is_unused) hlo_rewriter_remove(r, old);
}

/* A body or branch: its parameter, and its root, which moves to the end. */
static void flatten_computation(hlo_rewriter *r, hlo_computation *c, bool root_too) {
    hlo_instr *place = hlo_open_end(r, c);
    flatten_value(r, c->parameters[0]);
    hlo_instr *root = c->root;
    r->target = place;
    bool is_own = root->opcode == HLO_OP_TUPLE && is_flat(root->shape) && !root->first_use;
    if (root_too && !is_own) c->root = tuple_of_leaves(r, root);
    else hlo_instr_move_before(root, place);
    if (c->root != root && root->opcode == HLO_OP_TUPLE && !root->first_use)
        hlo_rewriter_remove(r, root);
    hlo_close_end(place);
}

/* ---- loops and conditionals ---- */

void hlo_flatten_loop(hlo_rewriter *r, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    flatten_operand(r, loop, 0);
    flatten_computation(r, hlo_loop_body(loop), true);
    flatten_computation(r, hlo_loop_condition(loop), false);
    flatten_value(r, loop);
}

void hlo_flatten_conditional(hlo_rewriter *r, hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    for (uint32_t k = 0; k < hlo_called_count(conditional); k++) {
        flatten_operand(r, conditional, k + 1);
        flatten_computation(r, hlo_called(conditional, k), true);
    }
    flatten_value(r, conditional);
}

/* ---- more elements ---- */

hlo_instr *hlo_new_element(hlo_rewriter *r, hlo_instr *place, hlo_instr *tuple, uint32_t index,
                           const hlo_shape *shape) {
    hlo_attr number = hlo_attr_of_int(HLO_ATTR_INDEX, index);
    hlo_instr *element =
        hlo_instr_new(place->parent, HLO_OP_GET_TUPLE_ELEMENT, shape,
                      hlo_take_fresh_name(r->module, "get-tuple-element"), &tuple, 1, &number, 1);
    hlo_instr_move_before(element, place);
    return element;
}

static void lengthen(hlo_rewriter *r, hlo_instr *value, const hlo_element *added, uint32_t n) {
    uint32_t rank = value->shape->rank;
    const hlo_shape **elements = hlo_malloc((rank + n + 1u) * sizeof *elements);
    for (uint32_t i = 0; i < rank; i++) elements[i] = value->shape->elements[i];
    for (uint32_t i = 0; i < n; i++) elements[rank + i] = added[i].inner->shape;
    set_shape(value, hlo_shape_tuple(&r->module->shapes, elements, rank + n));
    hlo_free(elements);
}

static void add_parts(hlo_rewriter *r, hlo_instr *tuple, const hlo_element *added, uint32_t n,
                      bool is_result) {
    hlo_instr **parts = hlo_malloc((n + 1u) * sizeof *parts);
    for (uint32_t i = 0; i < n; i++) parts[i] = is_result ? added[i].next : added[i].init;
    hlo_instr_add_operands(tuple, parts, n);
    hlo_free(parts);
    lengthen(r, tuple, added, n);
}

static void widen_computation(hlo_rewriter *r, hlo_computation *c, const hlo_element *added,
                              uint32_t n) {
    lengthen(r, c->parameters[0], added, n);
    add_parts(r, c->root, added, n, true);
}

void hlo_widen_loop(hlo_rewriter *r, hlo_instr *loop, const hlo_element *added, uint32_t n) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    add_parts(r, hlo_operand(loop, 0), added, n, false);
    widen_computation(r, hlo_loop_body(loop), added, n);
    lengthen(r, hlo_loop_condition(loop)->parameters[0], added, n);
    lengthen(r, loop, added, n);
}

void hlo_widen_conditional(hlo_rewriter *r, hlo_instr *conditional, const hlo_element *const *added,
                           uint32_t n) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    for (uint32_t k = 0; k < hlo_called_count(conditional); k++) {
        add_parts(r, hlo_operand(conditional, k + 1), added[k], n, false);
        widen_computation(r, hlo_called(conditional, k), added[k], n);
    }
    lengthen(r, conditional, added[0], n);
}
