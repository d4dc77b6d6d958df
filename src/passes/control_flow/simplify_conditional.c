/* simplify-conditional: conditionals whose branch is known, or with unused or equal outputs. */
#include "analysis/match.h"
#include "passes/pipeline/expression.h"
#include "passes/pipeline/inline.h"

/* ---- branches that are known ---- */

static bool can_be_inlined(hlo_rewriter *r, const hlo_computation *branch) {
    return branch->root && branch->parameter_count == 1 && !hlo_ties_parameters(branch) &&
           hlo_inline_fits(r, branch);
}

/* The branch's body, or a call of it. */
static hlo_instr *taken(hlo_rewriter *r, hlo_instr *conditional, uint32_t k) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    hlo_computation *branch = hlo_called(conditional, k);
    hlo_instr *argument = hlo_operand(conditional, k + 1);
    if (hlo_is_in_scheduling_group(conditional) || !can_be_inlined(r, branch) ||
        branch->root->shape != conditional->shape)
        return NULL;
    if (hlo_is_noinline(conditional)) return hlo_build_call(r, branch, &argument, 1);
    if (!hlo_inline_accepts(branch, conditional, k + 1)) return NULL;
    return hlo_inline_body(r, branch, &argument);
}

/* An index out of range takes the last branch. */
hlo_instr *hlo_rewrite_conditional_constant(hlo_rewriter *r, hlo_instr *conditional) {
    int64_t index;
    const hlo_instr *chooser = hlo_operand(conditional, 0);
    uint32_t count = hlo_called_count(conditional);
    if (chooser->shape->rank || !hlo_integer_of(chooser, &index)) return NULL;
    if (chooser->shape->type == HLO_PRED) index = index ? 0 : 1;
    else if (index < 0 || index >= count) index = count - 1;
    return taken(r, conditional, (uint32_t)index);
}

hlo_instr *hlo_rewrite_conditional_same_branches(hlo_rewriter *r, hlo_instr *conditional) {
    for (uint32_t k = 1; k < hlo_called_count(conditional); k++) {
        if (hlo_called(conditional, k) != hlo_called(conditional, 0)) return NULL;
        if (hlo_operand(conditional, k + 1) != hlo_operand(conditional, 1)) return NULL;
    }
    return taken(r, conditional, 0);
}

/* conditional(not(p), a, b) of a predicate swaps its branches. */
hlo_instr *hlo_rewrite_conditional_not(hlo_rewriter *r, hlo_instr *conditional) {
    const hlo_instr *negation = hlo_operand(conditional, 0);
    const hlo_attr *on = hlo_instr_attr(conditional, HLO_ATTR_TRUE_COMPUTATION);
    const hlo_attr *off = hlo_instr_attr(conditional, HLO_ATTR_FALSE_COMPUTATION);
    if (negation->opcode != HLO_OP_NOT || conditional->operand_count != 3 || !on || !off)
        return NULL;
    hlo_instr *operands[] = {hlo_operand(negation, 0), hlo_operand(conditional, 2),
                             hlo_operand(conditional, 1)};
    hlo_instr *by = hlo_emit_like(r, conditional, conditional->shape, operands, 3);
    hlo_instr_set_attr(
        by, (hlo_attr){.id = HLO_ATTR_TRUE_COMPUTATION, .u.computation = off->u.computation});
    hlo_instr_set_attr(
        by, (hlo_attr){.id = HLO_ATTR_FALSE_COMPUTATION, .u.computation = on->u.computation});
    return by;
}

/* ---- unused outputs ---- */

static bool find_used(const hlo_instr *conditional, bool *used) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    for (const hlo_use *use = conditional->first_use; use; use = use->next) {
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT) return false;
        used[hlo_attr_int(use->user, HLO_ATTR_INDEX)] = true;
    }
    return true;
}

static bool may_be_copied(hlo_rewriter *r, const hlo_instr *conditional) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    const hlo_computation *branch;
    for (uint32_t k = 0; (branch = hlo_called(conditional, k)); k++) {
        if (!branch->root || branch->parameter_count != 1 ||
            branch->root->shape != conditional->shape || !hlo_inline_fits(r, branch))
            return false;
        for (const hlo_instr *i = branch->first; i; i = i->next)
            if (hlo_is_tied(r, i) || i->opcode == HLO_OP_FUSION || i->opcode == HLO_OP_ASYNC_START)
                return false; /* they own what they call */
    }
    return true;
}

/* The branch with the outputs in use. */
static hlo_computation *narrow_branch(hlo_rewriter *r, hlo_computation *branch, const bool *used,
                                      uint32_t count) {
    hlo_instr **outputs = hlo_malloc((count + 1) * sizeof *outputs);
    uint32_t n = 0;
    hlo_body body = hlo_build_open(r, "branch");
    hlo_instr *argument = hlo_build_parameter(r, &body, 0, branch->parameters[0]->shape);
    hlo_instr *all = hlo_inline_body(r, branch, &argument);
    for (uint32_t i = 0; i < all->shape->rank; i++) {
        if (!used[i]) continue;
        outputs[n++] =
            all->opcode == HLO_OP_TUPLE ? hlo_operand(all, i) : hlo_emit_element(r, all, i);
    }
    hlo_instr *root = hlo_emit_tuple(r, outputs, n);
    hlo_computation *narrow = hlo_build_close(r, &body, root);
    if (all->opcode == HLO_OP_TUPLE && !all->first_use) hlo_rewriter_remove(r, all);
    hlo_free(outputs);
    return narrow;
}

static void replace_branches(hlo_rewriter *r, hlo_instr *conditional,
                             hlo_computation *const *branches) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    for (uint32_t a = 0; a < conditional->attr_count; a++) {
        hlo_attr *attr = &conditional->attrs[a];
        if (attr->id == HLO_ATTR_TRUE_COMPUTATION) attr->u.computation = branches[0];
        if (attr->id == HLO_ATTR_FALSE_COMPUTATION) attr->u.computation = branches[1];
        if (attr->id != HLO_ATTR_BRANCH_COMPUTATIONS) continue;
        const hlo_computations *old = attr->u.computations;
        hlo_computations *list =
            hlo_arena_copy(&r->module->arena, old, sizeof *old + old->n * sizeof old->v[0]);
        for (uint32_t k = 0; k < list->n; k++) list->v[k] = branches[k];
        attr->u.computations = list;
    }
}

static void renumber_users(hlo_instr *conditional, const bool *used) {
    for (hlo_use *use = conditional->first_use; use; use = use->next) {
        int64_t place = 0, index = hlo_attr_int(use->user, HLO_ATTR_INDEX);
        for (int64_t i = 0; i < index; i++) place += used[i];
        hlo_instr_set_attr(use->user, hlo_attr_of_int(HLO_ATTR_INDEX, place));
    }
}

static void narrow(hlo_rewriter *r, hlo_instr *conditional, const bool *used, uint32_t count) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    uint32_t branches = hlo_called_count(conditional);
    hlo_computation **copies = hlo_malloc((branches + 1) * sizeof *copies);
    for (uint32_t k = 0; k < branches; k++)
        copies[k] = narrow_branch(r, hlo_called(conditional, k), used, count);
    replace_branches(r, conditional, copies);
    conditional->shape = copies[0]->root->shape;
    hlo_instr_remove_attr(conditional, HLO_ATTR_ORIGIN); /* its tree follows the old shape */
    renumber_users(conditional, used);
    hlo_free(copies);
}

hlo_instr *hlo_rewrite_conditional_unused_output(hlo_rewriter *r, hlo_instr *conditional) {
    if (!hlo_shape_is_tuple(conditional->shape) || !conditional->first_use ||
        conditional->parent->root == conditional ||
        hlo_instr_attr(conditional, HLO_ATTR_SHARDING) || !may_be_copied(r, conditional))
        return NULL;
    uint32_t all = conditional->shape->rank, count = 0;
    bool *used = hlo_calloc(all + 1u, sizeof *used), fits = find_used(conditional, used);
    for (uint32_t i = 0; i < all; i++) count += used[i];
    fits = fits && count && count < all;
    if (fits) narrow(r, conditional, used, count);
    hlo_free(used);
    return fits ? conditional : NULL;
}

/* ---- outputs that are there twice ---- */

static bool same_output(const hlo_instr *conditional, uint32_t a, uint32_t b) {
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    const hlo_computation *branch;
    for (uint32_t k = 0; (branch = hlo_called(conditional, k)); k++) {
        const hlo_instr *root = branch->root;
        if (!root || root->opcode != HLO_OP_TUPLE || b >= root->operand_count ||
            hlo_operand(root, a) != hlo_operand(root, b))
            return false;
    }
    return true;
}

hlo_instr *hlo_rewrite_conditional_same_output(hlo_rewriter *r, hlo_instr *element) {
    hlo_instr *conditional = hlo_operand(element, 0);
    uint32_t index = (uint32_t)hlo_attr_int(element, HLO_ATTR_INDEX);
    if (conditional->opcode != HLO_OP_CONDITIONAL) return NULL;
    for (uint32_t i = 0; i < index; i++)
        if (same_output(conditional, i, index)) return hlo_emit_element(r, conditional, i);
    return NULL;
}
