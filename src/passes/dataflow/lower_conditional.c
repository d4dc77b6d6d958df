/* Conditionals as graphs: a switch for each leaf that a branch is given, a merge for each leaf of
 * the result. Branches of an index are decided one after the other. */
#include "passes/dataflow/lower.h"

typedef struct {
    const hlo_flow_scope *scope;
    hlo_instr *instr;
    const hlo_instrs *after;
    bool is_pred;
    hlo_instr *index;         /* as the next choice sees it */
    hlo_flow_choice *choices; /* one less than branches */
    uint32_t branches, results;
    hlo_flow_leaf ***made; /* the results of each branch */
} conditional;

/* ---- predicates ---- */

/* Whether the index is k, where it was none of the numbers before. */
static hlo_instr *compare_index(hlo_lowering *l, const conditional *p, uint32_t k) {
    hlo_module *module = l->r->module;
    const hlo_shape *pred = hlo_shape_scalar(&module->shapes, HLO_PRED);
    hlo_instr *number = hlo_flow_number(l, p->index->shape, k);
    hlo_flow_leaf *literal = hlo_flow_literal(l, p->scope->region, number);
    hlo_instr *is_k = hlo_emit_compare(l->r, pred, p->index, hlo_flow_live(l, literal), "EQ");
    return hlo_flow_enlist(l, is_k);
}

/* What a switch hands to one of the sides. */
static hlo_instr *hand(hlo_lowering *l, const conditional *p, hlo_instr *value, uint32_t choice,
                       int64_t side) {
    hlo_instr *decided = hlo_flow_switch(l, value, p->choices[choice].predicate);
    hlo_flow_wait(l, decided, p->after);
    return hlo_flow_element(l, decided, side);
}

static void set_choice(hlo_lowering *l, conditional *p, uint32_t k) {
    p->choices[k].after = p->after;
    if (p->is_pred) {
        p->choices[k].predicate = p->index;
        return;
    }
    if (k) p->index = hand(l, p, p->index, k - 1, 0);
    p->choices[k].predicate = compare_index(l, p, k);
}

/* ---- branches ---- */

/* A leaf of the operand, past the choices before that of its branch. */
static hlo_instr *pass_choices(hlo_lowering *l, const conditional *p, hlo_flow_leaf *leaf,
                               uint32_t branch) {
    hlo_instr *value = hlo_flow_live(l, leaf);
    uint32_t last = p->branches - 1;
    for (uint32_t k = 0; k < branch; k++) value = hand(l, p, value, k, 0);
    return branch < last ? hand(l, p, value, branch, 1) : value;
}

static hlo_flow_leaf **walk_branch(hlo_lowering *l, conditional *p, uint32_t branch) {
    uint32_t last = p->branches - 1,
             n = hlo_shape_leaf_count(hlo_operand(p->instr, branch + 1)->shape);
    hlo_flow_region *region = HLO_NEW(&l->scratch, hlo_flow_region);
    *region = (hlo_flow_region){.kind = HLO_FLOW_BRANCH,
                                .outer = p->scope->region,
                                .choice = &p->choices[branch < last ? branch : last - 1],
                                .side = branch < last};
    hlo_flow_leaf **given = hlo_flow_operand(p->scope, p->instr, branch + 1);
    hlo_flow_leaf **leaves = HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf *, n);
    const hlo_shape *const *shapes =
        hlo_flow_shapes(l, hlo_called(p->instr, branch)->parameters[0]->shape);
    for (uint32_t i = 0; i < n; i++) {
        leaves[i] = hlo_flow_value(l, region, pass_choices(l, p, given[i], branch));
        hlo_flow_lay_out(leaves[i]->live, shapes[i]);
    }
    if (n)
        hlo_flow_set_form(hlo_operand(leaves[0]->live, 0),
                          hlo_operand(p->instr, branch + 1)->shape);
    return hlo_flow_walk(l, hlo_called(p->instr, branch), &leaves, region, NULL);
}

/* ---- results ---- */

/* False before true; branches of an index in their order. */
static hlo_flow_leaf *merge_result(hlo_lowering *l, const conditional *p, uint32_t k,
                                   const hlo_shape *shape, hlo_instr **values) {
    for (uint32_t b = 0; b < p->branches; b++)
        values[p->is_pred ? 1 - b : b] = hlo_flow_dying(l, p->made[b][k]);
    hlo_instr *merge = hlo_flow_merge(l, values, p->branches);
    hlo_flow_lay_out(merge, shape);
    if (k == 0) {
        hlo_flow_carry(p->instr, merge);
        hlo_flow_set_form(merge, p->instr->shape);
    }
    return hlo_flow_value(l, p->scope->region, merge);
}

static hlo_flow_leaf **merge_results(hlo_lowering *l, const conditional *p) {
    hlo_flow_leaf **results = HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf *, p->results);
    hlo_instr **values = HLO_NEW_ARRAY(&l->scratch, hlo_instr *, p->branches);
    const hlo_shape *const *shapes = hlo_flow_shapes(l, p->instr->shape);
    /* What the merges need stands before all of them. */
    for (uint32_t b = 0; b < p->branches; b++)
        for (uint32_t k = 0; k < p->results; k++) hlo_flow_dying(l, p->made[b][k]);
    for (uint32_t k = 0; k < p->results; k++) results[k] = merge_result(l, p, k, shapes[k], values);
    return results;
}

/* An index with one branch decides nothing. */
static hlo_flow_leaf **walk_only(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *instr,
                                 const hlo_instrs *after) {
    hlo_flow_leaf **operand = hlo_flow_operand(scope, instr, 1);
    return hlo_flow_walk(l, hlo_called(instr, 0), &operand, scope->region, after);
}

hlo_flow_leaf **hlo_flow_conditional(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *instr,
                                     const hlo_instrs *after) {
    uint32_t branches = hlo_called_count(instr);
    if (branches == 1) return walk_only(l, scope, instr, after);
    hlo_flow_leaf *index = hlo_flow_operand(scope, instr, 0)[0];
    conditional p = {.scope = scope,
                     .instr = instr,
                     .after = after,
                     .is_pred = hlo_operand(instr, 0)->shape->type == HLO_PRED,
                     .index = hlo_flow_dying(l, index),
                     .choices = HLO_NEW_ARRAY(&l->scratch, hlo_flow_choice, branches - 1),
                     .branches = branches,
                     .results = hlo_shape_leaf_count(instr->shape),
                     .made = HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf **, branches)};
    for (uint32_t b = 0; b < branches; b++) {
        if (b < branches - 1) set_choice(l, &p, b);
        p.made[b] = walk_branch(l, &p, b);
        if (!p.made[b]) return NULL;
    }
    return merge_results(l, &p);
}
