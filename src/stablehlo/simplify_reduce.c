/* Patterns of reductions. */
#include "stablehlo/simplify.h"

/* The body of the reduction, if it ends with a return of one value for each result. */
static hlo_mlir_block *reducer(const hlo_mlir_op *op, hlo_mlir_op **last) {
    hlo_mlir_block *block = op->region_count ? op->regions[0].first : NULL;
    if (!block || !block->last || block->last->id != HLO_MLIR_OP_STABLEHLO_RETURN) return NULL;
    *last = block->last;
    return (*last)->operand_count == op->result_count &&
                   op->operand_count == 2 * op->result_count &&
                   block->argument_count == op->operand_count
               ? block
               : NULL;
}

static hlo_mlir_value **new_values(hlo_simplifier *s, const hlo_mlir_op *op) {
    return HLO_NEW_ARRAY(&s->module->arena, hlo_mlir_value *, op->result_count);
}

static bool is_over_none(hlo_simplifier *s, const hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    return hlo_mlir_numbers_of(s->module, op, "dimensions", &dims) && !dims.n &&
           op->operand_count == 2 * op->result_count;
}

static bool keep_inputs(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_value **values = new_values(s, op);
    for (uint32_t i = 0; i < op->result_count; i++) values[i] = hlo_mlir_operand(op, i);
    hlo_simplify_replace(s, op, values);
    return true;
}

bool hlo_simplify_reduce_no_dimensions(hlo_simplifier *s, hlo_mlir_op *op) {
    if (!is_over_none(s, op)) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (hlo_mlir_operand(op, i)->type != op->results[i].type) return false;
    return keep_inputs(s, op);
}

bool hlo_simplify_reduce_over_none(hlo_simplifier *s, hlo_mlir_op *op) {
    return is_over_none(s, op) && keep_inputs(s, op);
}

bool hlo_simplify_reduce_to_constant(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *last;
    hlo_mlir_block *block = reducer(op, &last);
    if (!block || block->first != last) return false;
    hlo_mlir_value **values = new_values(s, op);
    hlo_dense splat;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!hlo_dense_of(hlo_mlir_operand(last, i), &splat) || !splat.is_splat ||
            !hlo_mlir_is_static(op->results[i].type))
            return false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        hlo_dense_of(hlo_mlir_operand(last, i), &splat);
        values[i] = hlo_simplify_constant(
            s, op->location, hlo_dense_reshape(s->module, &splat, op->results[i].type));
    }
    hlo_simplify_replace(s, op, values);
    return true;
}

/* What the body returns, if it comes from outside; of the results' types where `of_type`. */
static bool to_outer(hlo_simplifier *s, hlo_mlir_op *op, bool of_type) {
    hlo_mlir_op *last;
    hlo_mlir_block *block = reducer(op, &last);
    if (!block) return false;
    hlo_mlir_value **values = new_values(s, op);
    for (uint32_t i = 0; i < op->result_count; i++) {
        values[i] = hlo_mlir_operand(last, i);
        if (hlo_mlir_region_of(values[i]) == block->region) return false;
        if (of_type && values[i]->type != op->results[i].type) return false;
    }
    hlo_simplify_replace(s, op, values);
    return true;
}

bool hlo_simplify_reduce_to_outer_of_type(hlo_simplifier *s, hlo_mlir_op *op) {
    return to_outer(s, op, true);
}

bool hlo_simplify_reduce_to_outer(hlo_simplifier *s, hlo_mlir_op *op) {
    return to_outer(s, op, false);
}

bool hlo_simplify_splats_into_reducer(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *last;
    hlo_mlir_block *block = reducer(op, &last);
    if (!block || block->first->next != last ||
        (block->first->id != HLO_MLIR_OP_STABLEHLO_AND &&
         block->first->id != HLO_MLIR_OP_STABLEHLO_OR))
        return false;
    hlo_dense splat;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!hlo_dense_of(hlo_mlir_operand(op, i), &splat) || !splat.is_splat) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_value *argument = &block->arguments[i];
        hlo_dense_of(hlo_mlir_operand(op, i), &splat);
        hlo_mlir_value *value = hlo_simplify_constant(
            s, block->first->location, hlo_dense_reshape(s->module, &splat, argument->type));
        hlo_simplify_replace_uses(s, argument, value);
    }
    return true;
}

bool hlo_simplify_reduce_of_nothing(hlo_simplifier *s, hlo_mlir_op *op) {
    uint32_t n = op->result_count;
    if (op->operand_count != 2 * n || !n) return false;
    const hlo_mlir_type *type = hlo_mlir_operand(op, 0)->type;
    if (!hlo_mlir_is_static(type) || hlo_mlir_element_count(type)) return false;
    hlo_mlir_value **values = new_values(s, op);
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_op *spread =
            hlo_simplify_new_unary(s, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM, op->location,
                                   op->results[i].type, hlo_mlir_operand(op, n + i));
        hlo_simplify_set_ints(s, spread, "broadcast_dimensions", 0, NULL);
        values[i] = &spread->results[0];
    }
    hlo_simplify_replace(s, op, values);
    return true;
}

/* ---- results that are not used ---- */

typedef struct {
    uint32_t pairs;
    bool *arguments; /* of the body, which the used results need */
    HLO_LIST(hlo_mlir_op *) needed;
} needs;

static void note_value(needs *n, const hlo_mlir_value *value, const hlo_mlir_region *region) {
    if (hlo_mlir_region_of(value) != region) return;
    if (!value->op) {
        uint32_t pair = value->index % n->pairs;
        n->arguments[pair] = n->arguments[pair + n->pairs] = true;
        return;
    }
    for (uint32_t i = 0; i < n->needed.n; i++)
        if (n->needed.v[i] == value->op) return;
    hlo_list_push(&n->needed, value->op);
}

static void note_needed(needs *n, const hlo_mlir_op *op, const hlo_mlir_op *last,
                        const hlo_mlir_region *region) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->results[i].first_use) note_value(n, hlo_mlir_operand(last, i), region);
    for (uint32_t i = 0; i < n->needed.n; i++)
        for (uint32_t k = 0; k < n->needed.v[i]->operand_count; k++)
            note_value(n, hlo_mlir_operand(n->needed.v[i], k), region);
}

static bool is_needed(const needs *n, const hlo_mlir_op *op) {
    for (uint32_t i = 0; i < n->needed.n; i++)
        if (n->needed.v[i] == op) return true;
    return false;
}

/* The reduction of the pairs that are needed, with a body that has their operations. */
static void make_smaller(hlo_simplifier *s, hlo_mlir_op *op, const needs *n, uint32_t used) {
    hlo_arena *arena = &s->module->arena;
    hlo_mlir_block *old = op->regions[0].first;
    hlo_mlir_op *last = old->last;
    hlo_mlir_value **values = HLO_NEW_ARRAY(arena, hlo_mlir_value *, 2 * (size_t)used);
    hlo_mlir_value **results = new_values(s, op);
    const hlo_mlir_type **types = HLO_NEW_ARRAY(arena, const hlo_mlir_type *, used);
    for (uint32_t i = 0, in = 0, out = 0; i < n->pairs; i++) {
        if (op->results[i].first_use) types[out++] = op->results[i].type;
        if (!n->arguments[i]) continue;
        values[in] = hlo_mlir_operand(op, i);
        values[used + in++] = hlo_mlir_operand(op, n->pairs + i);
    }
    hlo_mlir_op *reduce =
        hlo_simplify_new(s, op->id, op->location, used, types, 2 * used, values, 1);
    hlo_mlir_set_attr(s->module, reduce, "dimensions", hlo_mlir_attr_of(op, "dimensions"));
    hlo_mlir_block *body = hlo_mlir_block_new(s->module, &reduce->regions[0], 2 * used);
    for (uint32_t i = 0, k = 0; i < old->argument_count; i++) {
        hlo_mlir_value *argument = &old->arguments[i];
        if (!n->arguments[i]) continue;
        body->arguments[k].type = argument->type;
        body->arguments[k].location = argument->location;
        hlo_mlir_replace_uses(argument, &body->arguments[k++]);
    }
    for (hlo_mlir_op *inner = old->first, *next; inner; inner = next) {
        next = inner->next;
        if (!is_needed(n, inner)) continue;
        hlo_mlir_move(inner, body, NULL);
        hlo_simplify_notify(s, inner);
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i < n->pairs; i++) {
        results[i] = NULL;
        if (!op->results[i].first_use) continue;
        values[k] = hlo_mlir_operand(last, i);
        results[i] = &reduce->results[k++];
    }
    s->block = body;
    s->before = NULL;
    hlo_simplify_new(s, last->id, last->location, 0, NULL, used, values, 0);
    hlo_simplify_replace(s, op, results);
}

bool hlo_simplify_reduce_unused(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_mlir_op *last;
    hlo_mlir_block *block = reducer(op, &last);
    uint32_t used = 0, taken = 0;
    for (uint32_t i = 0; i < op->result_count; i++) used += op->results[i].first_use != NULL;
    if (!block || used == op->result_count) return false;
    needs n = {.pairs = op->result_count};
    n.arguments = HLO_NEW_ARRAY(&s->module->arena, bool, op->operand_count);
    note_needed(&n, op, last, block->region);
    for (uint32_t i = 0; i < op->operand_count; i++) taken += n.arguments[i];
    bool matches = taken == 2 * used;
    if (matches) make_smaller(s, op, &n, used);
    hlo_list_free(&n.needed);
    return matches;
}
