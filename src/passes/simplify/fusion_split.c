/* Splitting reductions of several operands: see fusion_split.h. */
#include "passes/simplify/fusion_split.h"

#include "eval/fuse/cluster_role.h"
#include "passes/pipeline/expression.h"

/* ---- which ---- */

/* Whether the elements are computed one by one, and then moved without changing their order. */
static bool is_computed(const hlo_instr *elements) {
    int64_t count = hlo_shape_elements(elements->shape);
    while (hlo_cluster_role_of(elements) == HLO_CLUSTER_MOVE &&
           hlo_shape_elements(hlo_operand(elements, 0)->shape) == count)
        elements = hlo_operand(elements, 0);
    return hlo_cluster_role_of(elements) == HLO_CLUSTER_WORK;
}

static bool is_any_computed(const hlo_instr *reduce) {
    for (uint32_t i = 0; i < reduce->operand_count / 2; i++)
        if (is_computed(hlo_operand(reduce, i))) return true;
    return false;
}

static bool may_be_split(const hlo_rewriter *r, const hlo_instr *reduce, int64_t min_elements) {
    return reduce->opcode == HLO_OP_REDUCE && reduce->operand_count > 2 &&
           !hlo_is_tied(r, reduce) && !hlo_instr_attr(reduce, HLO_ATTR_SHARDING) &&
           hlo_shape_elements(hlo_operand(reduce, 0)->shape) >= min_elements &&
           hlo_cluster_folds_each(reduce) && is_any_computed(reduce) &&
           hlo_rewrite_allowed(r, HLO_REWRITE_split_reduction);
}

/* ---- splitting ---- */

/* What the computation combines operand i by. */
static hlo_computation *new_reducer(hlo_rewriter *r, const hlo_instr *reduce, uint32_t i) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    const hlo_computation *computation = hlo_called(reduce, 0);
    return hlo_build_reducer(r, (hlo_opcode)hlo_operand(computation->root, i)->opcode,
                             (hlo_type)computation->parameters[i]->shape->type);
}

static hlo_instr *new_part(hlo_rewriter *r, hlo_instr *reduce, uint32_t i) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    return hlo_emit_reduce(r, hlo_shape_part(reduce->shape, i), hlo_operand(reduce, i),
                           hlo_operand(reduce, reduce->operand_count / 2 + i),
                           hlo_attr_ints(reduce, HLO_ATTR_DIMENSIONS), new_reducer(r, reduce, i));
}

/* Elements that are taken from the tuple are its operands. */
static void take_apart(hlo_rewriter *r, hlo_instr *tuple) {
    for (hlo_use *use = tuple->first_use, *next; use; use = next) {
        hlo_instr *user = use->user;
        next = use->next;
        if (user->opcode != HLO_OP_GET_TUPLE_ELEMENT || hlo_is_tied(r, user)) continue;
        hlo_instr *part = hlo_operand(tuple, (uint32_t)hlo_attr_int(user, HLO_ATTR_INDEX));
        if (hlo_shape_has_other_order(part->shape, user->shape)) continue; /* bitcasts read it */
        hlo_inherit_metadata(user, part);
        hlo_instr_replace_operand_uses(user, part);
        hlo_rewriter_remove(r, user);
    }
}

static bool split(hlo_rewriter *r, hlo_instr *reduce) {
    uint32_t n = reduce->operand_count / 2;
    hlo_instr **parts = hlo_malloc(n * sizeof *parts);
    hlo_rewriter_aim(r, reduce);
    for (uint32_t i = 0; i < n; i++) parts[i] = new_part(r, reduce, i);
    hlo_instr *tuple = hlo_build_as(hlo_emit_tuple(r, parts, n), reduce->shape);
    for (uint32_t i = 0; i < n; i++) parts[i]->at = reduce->at;
    bool is_split = hlo_rewrite_replace(r, HLO_REWRITE_split_reduction, reduce, tuple);
    if (is_split) take_apart(r, tuple);
    hlo_free(parts);
    return is_split;
}

bool hlo_split_reductions(hlo_rewriter *r, hlo_computation *c, int64_t min_elements) {
    hlo_instr_list found = {0};
    bool changed = false;
    for (hlo_instr *i = c->first; i; i = i->next)
        if (may_be_split(r, i, min_elements)) hlo_list_push(&found, i);
    for (uint32_t i = 0; i < found.n; i++) changed |= split(r, found.v[i]);
    hlo_list_free(&found);
    return changed;
}
