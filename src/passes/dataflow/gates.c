/* Gates: literals and loop invariants are live whatever is decided, and where that would be wrong
 * they come in through a switch, or wait for what is dead in a region that is not taken
 * (control-flow regions: lower.h). */
#include "passes/dataflow/lower.h"

/* ---- leaves ---- */

static hlo_flow_leaf *new_leaf(hlo_lowering *l, hlo_flow_leaf leaf) {
    return hlo_arena_copy(&l->scratch, &leaf, sizeof leaf);
}

hlo_flow_leaf *hlo_flow_value(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *node) {
    return new_leaf(l, (hlo_flow_leaf){.region = region, .live = node, .dying = node});
}

hlo_flow_leaf *hlo_flow_literal(hlo_lowering *l, const hlo_flow_region *region,
                                hlo_instr *literal) {
    return new_leaf(l, (hlo_flow_leaf){.region = region, .literal = literal});
}

hlo_flow_leaf *hlo_flow_invariant(hlo_lowering *l, const hlo_flow_region *region,
                                  hlo_instr *enter) {
    return new_leaf(l, (hlo_flow_leaf){.region = region, .live = enter});
}

/* ---- pivots ---- */

static hlo_instr *pivot_of_choice(hlo_lowering *l, hlo_flow_choice *choice, int side) {
    if (!choice->decided) {
        choice->decided = hlo_flow_switch(l, choice->predicate, choice->predicate);
        hlo_flow_wait(l, choice->decided, choice->after);
    }
    if (!choice->pivots[side]) choice->pivots[side] = hlo_flow_element(l, choice->decided, side);
    return choice->pivots[side];
}

hlo_instr *hlo_flow_pivot(hlo_lowering *l, const hlo_flow_region *region) {
    if (region->kind != HLO_FLOW_BRANCH) return region->pivot;
    return pivot_of_choice(l, region->choice, region->side);
}

/* ---- gates ---- */

static hlo_instr *gate(hlo_lowering *l, const hlo_flow_region *body, hlo_instr *value) {
    hlo_instr *decided = hlo_flow_switch(l, value, body->choice->predicate);
    return hlo_flow_element(l, decided, body->side);
}

/* A copy that waits for the region to be taken. */
static hlo_instr *copy_inside(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *literal) {
    hlo_instr *pivot = hlo_flow_pivot(l, region);
    hlo_instrs *after = hlo_arena_alloc(&l->scratch, sizeof *after + sizeof after->v[0]);
    after->n = 1;
    after->v[0] = pivot;
    hlo_instr *copy = hlo_flow_copy(l, literal, NULL, 0);
    hlo_flow_wait(l, copy, after);
    return copy;
}

static hlo_instr *bring_gated(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *literal);

/* The literal as the region sees it, level by level from the outside. Recursion is as deep as
 * regions nest. */
static hlo_instr *bring(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *literal) {
    while (region->kind == HLO_FLOW_BODY || region->kind == HLO_FLOW_BRANCH) region = region->outer;
    if (region->kind == HLO_FLOW_CONDITION)
        return hlo_flow_constant_enter(l, bring_gated(l, region->outer, literal), region->frame);
    return literal->parent == l->to ? literal : hlo_flow_copy(l, literal, NULL, 0);
}

static hlo_instr *bring_gated(hlo_lowering *l, const hlo_flow_region *region, hlo_instr *literal) {
    if (region->kind == HLO_FLOW_BRANCH) return copy_inside(l, region, literal);
    hlo_instr *live = bring(l, region, literal);
    return region->kind == HLO_FLOW_BODY ? gate(l, region, live) : live;
}

hlo_instr *hlo_flow_live(hlo_lowering *l, hlo_flow_leaf *leaf) {
    if (!leaf->live) leaf->live = bring(l, leaf->region, leaf->literal);
    return leaf->live;
}

static hlo_instr *make_dying(hlo_lowering *l, hlo_flow_leaf *leaf) {
    const hlo_flow_region *region = leaf->region;
    if (region->kind == HLO_FLOW_BRANCH) return copy_inside(l, region, leaf->literal);
    hlo_instr *live = hlo_flow_live(l, leaf);
    return region->kind == HLO_FLOW_BODY ? gate(l, region, live) : live;
}

hlo_instr *hlo_flow_dying(hlo_lowering *l, hlo_flow_leaf *leaf) {
    if (!leaf->dying) leaf->dying = make_dying(l, leaf);
    return leaf->dying;
}
