/* copy-insertion: copies where two values that have to be in one memory are live at the same time,
 * and no others. */
#include "ir/places.h"
#include "passes/control_flow/flatten.h"
#include "passes/memory/lifetimes.h"
#include "passes/memory/schedule.h"
#include "passes/pipeline/emit.h"

typedef struct {
    hlo_rewriter *rewriter;
    const bool *wanted;    /* by leaf: to be copied */
    uint32_t leaf;         /* the next one */
    hlo_computation *open; /* whose parameters are at the front, */
    hlo_instr *place;      /* and where the next copy of one goes; NULL: there is nothing after */
} copying;

static bool is_any_wanted(const copying *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (c->wanted[c->leaf + i]) return true;
    return false;
}

/* The value with copies of wanted leaves in place of them. Recursion is as deep as tuples nest. */
static hlo_instr *copy_value(copying *c, hlo_instr *value) {
    uint32_t n = hlo_shape_leaf_count(value->shape);
    if (!is_any_wanted(c, n)) {
        c->leaf += n;
        return value;
    }
    if (!hlo_shape_is_tuple(value->shape)) {
        c->leaf++;
        return hlo_emit_unary(c->rewriter, HLO_OP_COPY, value->shape, value);
    }
    hlo_instr **elements = hlo_malloc((value->shape->rank + 1u) * sizeof *elements);
    for (uint32_t k = 0; k < value->shape->rank; k++) {
        bool is_made_here = value->opcode == HLO_OP_TUPLE;
        elements[k] = copy_value(c, is_made_here ? hlo_operand(value, k)
                                                 : hlo_emit_element(c->rewriter, value, k));
    }
    hlo_instr *tuple = hlo_emit_tuple(c->rewriter, elements, value->shape->rank);
    hlo_free(elements);
    return tuple;
}

/* What is only made to be taken apart again goes. */
static void simplify_users(copying *c, hlo_instr *tuple) {
    if (tuple->opcode != HLO_OP_TUPLE) return;
    for (hlo_use *use = tuple->first_use, *next; use; use = next) {
        hlo_instr *element = use->user;
        next = use->next;
        if (element->opcode != HLO_OP_GET_TUPLE_ELEMENT || hlo_is_tied(c->rewriter, element))
            continue;
        hlo_instr *made = hlo_operand(tuple, (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX));
        hlo_instr_replace_operand_uses(element, made);
        if (c->place == element) c->place = element->next;
        hlo_instr_remove(element);
        element->parent = NULL;
        simplify_users(c, made);
    }
}

/* A new tuple in the place of one that has no user any more is that one. */
static void take_over(copying *c, hlo_instr *old, hlo_instr *by) {
    if (old == by || old->first_use || old->parent->root == old || old->opcode != HLO_OP_TUPLE ||
        hlo_is_tied(c->rewriter, old))
        return;
    hlo_inherit_metadata(old, by);
    hlo_name *name = old->name;
    hlo_instr_remove(old);
    old->parent = NULL;
    hlo_instr_take_name(by, name);
}

static void copy_operand(copying *c, const hlo_memory_copy *copy) {
    hlo_instr *operand = hlo_operand(copy->at, copy->operand);
    hlo_rewriter_aim(c->rewriter, copy->at);
    hlo_instr *by = copy_value(c, operand);
    hlo_instr_set_operand(copy->at, copy->operand, by);
    take_over(c, operand, by);
}

static void move_parameters(hlo_computation *c) {
    for (uint32_t k = c->parameter_count; k-- > 0;)
        hlo_instr_move_before(c->parameters[k], c->first);
}

/* Parameters go to the front, and their copies follow in the order of the parameters. */
static void aim_after_parameters(copying *c, hlo_computation *computation) {
    if (c->open != computation) {
        move_parameters(computation);
        c->open = computation;
        c->place = computation->parameters[computation->parameter_count - 1]->next;
    }
    hlo_rewriter_aim(c->rewriter, c->place ? c->place : computation->first);
}

static bool is_fresh(const copying *c, const hlo_instr *instr) {
    for (size_t i = 0; i < c->rewriter->fresh.n; i++)
        if (c->rewriter->fresh.v[i] == instr) return true;
    return false;
}

static void copy_result(copying *c, const hlo_memory_copy *copy) {
    hlo_instr *parameter = copy->at;
    aim_after_parameters(c, copy->computation);
    hlo_instr *by = copy_value(c, parameter);
    if (!c->place) move_parameters(copy->computation);
    for (hlo_use *use = parameter->first_use, *next; use; use = next) {
        next = use->next;
        if (!is_fresh(c, use->user))
            hlo_instr_set_operand(use->user, (uint32_t)(use - use->user->operands), by);
    }
    if (copy->computation->root == parameter) copy->computation->root = by;
    simplify_users(c, by);
    if (!by->first_use && copy->computation->root != by) hlo_rewriter_remove(c->rewriter, by);
}

/* What is made is the last of the computation. */
static void copy_root(copying *c, const hlo_memory_copy *copy) {
    hlo_computation *computation = copy->computation;
    hlo_instr *root = computation->root, *last = computation->last;
    hlo_rewriter_aim(c->rewriter, last);
    hlo_instr *by = copy_value(c, root);
    if (c->rewriter->fresh.n) hlo_instr_move_before(last, c->rewriter->fresh.v[0]);
    computation->root = by;
    take_over(c, root, by);
}

/* ---- all of them ---- */

static void insert(copying *c, const hlo_memory_copy *copy) {
    c->leaf = 0;
    switch (copy->place) {
    case HLO_COPY_OF_OPERAND: copy_operand(c, copy); break;
    case HLO_COPY_OF_RESULT: copy_result(c, copy); break;
    case HLO_COPY_OF_ROOT: copy_root(c, copy); break;
    case HLO_COPY_WRITTEN: break;
    }
}

static bool same_place(const hlo_memory_copy *a, const hlo_memory_copy *b) {
    return a->place == b->place && a->at == b->at && a->computation == b->computation &&
           a->operand == b->operand;
}

/* Of the value of which leaves are copied. */
static const hlo_shape *shape_of(const hlo_memory_copy *copy) {
    switch (copy->place) {
    case HLO_COPY_OF_OPERAND: return hlo_operand(copy->at, copy->operand)->shape;
    case HLO_COPY_OF_ROOT: return copy->computation->root->shape;
    default: return copy->at->shape;
    }
}

/* Leaves that are copied at one place stand together in the list. Returns how many do. */
static uint32_t insert_group(copying *c, const hlo_memory_copy *copies, uint32_t n, bool *changed) {
    HLO_ASSERT(n > 0);
    uint32_t count = 0, needed = 0;
    for (; count < n && same_place(&copies[0], &copies[count]); count++) {
        needed += copies[count].is_needed;
    }
    if (!needed || copies[0].place == HLO_COPY_WRITTEN ||
        !hlo_rewrite_allowed(c->rewriter, HLO_REWRITE_copy_inserted))
        return count;
    const hlo_shape *shape = shape_of(&copies[0]);
    bool *wanted = hlo_calloc(hlo_shape_leaf_count(shape) + 1u, sizeof *wanted);
    for (uint32_t i = 0; i < count; i++) wanted[copies[i].leaf] |= copies[i].is_needed;
    hlo_rewrite_count(c->rewriter, HLO_REWRITE_copy_inserted,
                      copies[0].at ? copies[0].at->name : copies[0].computation->name);
    c->wanted = wanted;
    insert(c, &copies[0]);
    hlo_free(wanted);
    *changed = true;
    return count;
}

static bool remove_written(hlo_rewriter *r, const hlo_memory_copy *copy) {
    hlo_instr *instr = copy->at;
    if (copy->is_needed || copy->place != HLO_COPY_WRITTEN || hlo_is_tied(r, instr) ||
        !hlo_rewrite_allowed(r, HLO_REWRITE_copy_removed))
        return false;
    hlo_rewrite_count(r, HLO_REWRITE_copy_removed, instr->name);
    hlo_instr_replace_operand_uses(instr, hlo_operand(instr, 0));
    hlo_instr_remove(instr);
    instr->parent = NULL;
    return true;
}

/* Whether every copy can be made: no operation copies a buffer. */
static bool can_copy_all(const hlo_pass_call *call, const hlo_memory_values *m) {
    for (uint32_t i = 0; i < m->copies.n; i++) {
        const hlo_memory_copy *copy = &m->copies.v[i];
        if (!copy->is_needed || copy->place == HLO_COPY_WRITTEN ||
            hlo_shape_leaf(shape_of(copy), copy->leaf)->type != HLO_BUFFER)
            continue;
        const hlo_instr *at = copy->at ? copy->at : copy->computation->root;
        hlo_error(call->diags, HLO_RULE_BUFFER_USE, call->module->source, at->at,
                  "copy-insertion: '%.*s' requires two buffers with interfering live ranges to be "
                  "one, and buffers cannot be copied",
                  (int)at->name->len, at->name->ptr);
        hlo_place_finding(call->diags, at->parent, at->name);
        return false;
    }
    return true;
}

static bool change_copies(const hlo_pass_call *call, hlo_memory_values *m) {
    copying c = {.rewriter = call->rewriter};
    bool changed = false;
    for (uint32_t i = 0; i < m->copies.n;)
        i += insert_group(&c, m->copies.v + i, m->copies.n - i, &changed);
    for (uint32_t i = 0; i < m->copies.n; i++)
        changed |= remove_written(call->rewriter, &m->copies.v[i]);
    return changed;
}

hlo_pass_result hlo_pass_copy_insertion(const hlo_pass_call *call) {
    hlo_memory_values m;
    if (!call->module->entry) return HLO_UNCHANGED;
    int64_t most = hlo_growth_limit(call->module, HLO_OPTION(call, COPY_INSERTION, max_growth));
    if (hlo_flattened_size(call->module) > most) {
        hlo_warning(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                    "copy-insertion: no copies are inserted: without shared computations the "
                    "module would have more than %lld instructions; max_growth sets the limit",
                    (long long)most);
        return HLO_UNCHANGED;
    }
    bool flattened =
        hlo_flatten_calls(call, HLO_REWRITE_own_computation_to_copy_in, most) == HLO_CHANGED;
    hlo_order_as_run(call->module);
    hlo_memory_values_init(&m, call->module);
    bool changed = false, good = true;
    if (!m.is_given_up) {
        hlo_drop_copies(&m);
        good = can_copy_all(call, &m);
        if (good) changed = change_copies(call, &m);
    }
    if (m.is_given_up && !hlo_rewriter_is_done(call->rewriter))
        hlo_warning(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                    "copy-insertion: no copies are inserted: calls nest too deep, or a computation "
                    "has several callers");
    hlo_memory_values_free(&m);
    if (changed) hlo_keep_order(call->module);
    if (!good) return HLO_PASS_FAILED;
    return flattened || changed ? HLO_CHANGED : HLO_UNCHANGED;
}
