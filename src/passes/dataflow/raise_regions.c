/* Regions of a graph's nodes: see raise.h. The functions that name what a node is a part of, by all
 * files of the pass. */
#include "passes/dataflow/raise.h"

enum { ROOT = 0 };

/* ---- the tree ---- */

static uint32_t climb(const hlo_raising *r, uint32_t region, uint32_t depth) {
    HLO_ASSERT(region < r->regions.n);
    while (r->regions.v[region].depth > depth) region = r->regions.v[region].parent;
    return region;
}

/* The deeper of two regions of one frame where one is in the other; else HLO_NOT_RAISED. */
static uint32_t deeper(const hlo_raising *r, uint32_t a, uint32_t b) {
    HLO_ASSERT(a < r->regions.n && b < r->regions.n);
    if (r->regions.v[a].depth < r->regions.v[b].depth) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    return climb(r, a, r->regions.v[b].depth) == b ? a : HLO_NOT_RAISED;
}

static uint32_t side_of(hlo_raising *r, uint32_t parent, const hlo_instr *predicate, int side) {
    hlo_raise_node *node = hlo_raise_at(r, predicate);
    for (uint32_t i = node->sides; i != HLO_NOT_RAISED; i = r->regions.v[i].older)
        if (r->regions.v[i].parent == parent && r->regions.v[i].side == side) return i;
    hlo_raise_region region = {.predicate = predicate,
                               .side = side,
                               .frame = r->regions.v[parent].frame,
                               .parent = parent,
                               .depth = r->regions.v[parent].depth + 1,
                               .older = node->sides,
                               .outer = HLO_NOT_RAISED};
    hlo_list_push(&r->regions, region);
    node->sides = r->regions.n - 1;
    return node->sides;
}

/* From a frame's region to that of its loop's place. */
static uint32_t outward(const hlo_raising *r, uint32_t region) {
    HLO_ASSERT(region < r->regions.n);
    return r->regions.v[region].parent;
}

/* Many nodes of one region ask in turn. */
uint32_t hlo_raise_child(hlo_raising *r, uint32_t outer, uint32_t region) {
    HLO_ASSERT(outer < r->regions.n && region < r->regions.n);
    hlo_raise_region *known = &r->regions.v[region];
    if (known->outer == outer) return known->child;
    while (region && outward(r, region) != outer) region = outward(r, region);
    known->outer = outer;
    known->child = region;
    return region;
}

/* ---- what belongs to what ---- */

bool hlo_raise_is_loop_switch(const hlo_raising *r, const hlo_instr *decides) {
    HLO_ASSERT(decides->opcode == HLO_OP_SWITCH);
    uint32_t region = hlo_raise_at(r, decides)->region;
    return region && region < r->frames.count &&
           hlo_operand(decides, 1) == hlo_raise_predicate(r, region);
}

static const hlo_instr *switch_of(const hlo_instr *instr) {
    int64_t side;
    return instr->opcode == HLO_OP_SWITCH ? instr : hlo_switch_side(instr, &side);
}

uint32_t hlo_raise_loop_of(const hlo_raising *r, const hlo_instr *instr) {
    const hlo_instr *decides = switch_of(instr);
    if (decides) return hlo_raise_is_loop_switch(r, decides) ? hlo_raise_at(r, decides)->region : 0;
    if (instr->opcode == HLO_OP_ENTER || hlo_is_loop_merge(instr))
        return hlo_raise_at(r, instr)->region;
    if (instr->opcode != HLO_OP_EXIT && instr->opcode != HLO_OP_NEXT_ITERATION) return 0;
    return r->regions.v[hlo_raise_at(r, hlo_operand(instr, 0))->region].frame;
}

const hlo_instr *hlo_raise_choice_of(const hlo_raising *r, const hlo_instr *instr) {
    const hlo_instr *decides = switch_of(instr);
    if (decides) return hlo_operand(decides, 1);
    if (instr->opcode != HLO_OP_MERGE) return NULL;
    return r->regions.v[hlo_raise_at(r, hlo_operand(instr, 0))->region].predicate;
}

uint32_t hlo_raise_place(const hlo_raising *r, const hlo_instr *instr) {
    uint32_t frame = hlo_raise_loop_of(r, instr);
    if (frame) return outward(r, frame);
    const hlo_instr *decides = switch_of(instr);
    return hlo_raise_at(r, decides ? decides : instr)->region;
}

/* ---- literals ---- */

static bool waits_for_branch_only(const hlo_instr *instr) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    int64_t side;
    for (uint32_t i = 0; control && i < control->u.instructions->n; i++)
        if (!hlo_switch_side(control->u.instructions->v[i], &side)) return false;
    return true;
}

static bool is_literal(const hlo_instr *instr) {
    return instr->operand_count == 0 && waits_for_branch_only(instr) &&
           (instr->opcode == HLO_OP_CONSTANT || instr->opcode == HLO_OP_IOTA ||
            instr->opcode == HLO_OP_AFTER_ALL);
}

/* A literal that enters after the first merge of the loop is one of its condition or body; one that
 * enters before is an element of its state. */
static hlo_instr *literal_of(const hlo_raising *r, hlo_instr *instr) {
    if (is_literal(instr)) return instr;
    if (instr->opcode == HLO_OP_ENTER) {
        bool is_inside =
            hlo_attr_int(instr, HLO_ATTR_IS_CONSTANT) && r->has_merge[r->frames.of[instr->index]];
        return is_inside ? hlo_raise_at(r, hlo_operand(instr, 0))->literal : NULL;
    }
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(instr, &side);
    if (!decides || !side || !hlo_raise_is_loop_switch(r, decides)) return NULL;
    return hlo_raise_at(r, hlo_operand(decides, 0))->literal;
}

/* ---- merges ---- */

typedef struct {
    hlo_instr *value;
    uint32_t region;
} merged;

static bool are_sides(const hlo_raising *r, uint32_t a, uint32_t b) {
    HLO_ASSERT(a < r->regions.n && b < r->regions.n);
    HLO_ASSERT(a < r->regions.n);
    HLO_ASSERT(b < r->regions.n);
    const hlo_raise_region *x = &r->regions.v[a], *y = &r->regions.v[b];
    return x->predicate && x->predicate == y->predicate && x->parent == y->parent &&
           x->side != y->side;
}

static bool is_loop_side(const hlo_raising *r, uint32_t side) {
    HLO_ASSERT(side < r->regions.n);
    uint32_t frame = outward(r, side);
    return frame && frame < r->frames.count &&
           r->regions.v[side].predicate == hlo_raise_predicate(r, frame);
}

/* Two of the values that are sides of one predicate, as deep as can be. */
static bool find_sides(const hlo_raising *r, const merged *values, uint32_t n, uint32_t *first,
                       uint32_t *second) {
    uint32_t deepest = 0;
    for (uint32_t i = 1; i < n; i++)
        if (r->regions.v[values[i].region].depth > r->regions.v[values[deepest].region].depth)
            deepest = i;
    for (uint32_t i = 0; i < n; i++) {
        if (!are_sides(r, values[i].region, values[deepest].region)) continue;
        *first = i < deepest ? i : deepest;
        *second = i < deepest ? deepest : i;
        return true;
    }
    return false;
}

static hlo_instr *merge_two(hlo_raising *r, hlo_instr *before, const merged *a, const merged *b) {
    hlo_rewriter_aim(r->r, before);
    hlo_instr *pair[] = {a->value, b->value};
    hlo_instr *merge = hlo_emit(r->r, HLO_OP_MERGE, before->shape, pair, 2, NULL, 0);
    merge->at = before->at;
    merge->index = r->nodes.n;
    hlo_raise_node node = {.instr = merge,
                           .region = outward(r, a->region),
                           .element = HLO_NOT_RAISED,
                           .sides = HLO_NOT_RAISED};
    hlo_list_push(&r->nodes, node);
    return merge;
}

static void set_operands(hlo_instr *merge, const merged *values) {
    bool *keep = hlo_calloc(merge->operand_count, sizeof *keep);
    keep[0] = keep[1] = true;
    hlo_instr_keep_operands(merge, keep);
    for (uint32_t i = 0; i < 2; i++) hlo_instr_set_operand(merge, i, values[i].value);
    hlo_free(keep);
}

/* One of many values becomes several of two, so that each belongs to one predicate. */
static uint32_t merge_region(hlo_raising *r, hlo_instr *merge) {
    HLO_ASSERT(merge->opcode == HLO_OP_MERGE);
    uint32_t n = merge->operand_count, a, b;
    merged *values = HLO_NEW_ARRAY(&r->scratch, merged, n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = (merged){hlo_operand(merge, i), hlo_raise_at(r, hlo_operand(merge, i))->region};
    for (;; n--) {
        if (!find_sides(r, values, n, &a, &b)) {
            hlo_raise_refuse(r, merge, "its values are not from both sides of one predicate");
            return ROOT;
        }
        uint32_t region = outward(r, values[a].region);
        if (is_loop_side(r, values[a].region))
            hlo_raise_refuse(r, merge, "it is controlled by the predicate of the enclosing loop");
        if (n == 2) {
            if (merge->operand_count > 2) set_operands(merge, values);
            return region;
        }
        values[a] = (merged){merge_two(r, merge, &values[a], &values[b]), region};
        memmove(&values[b], &values[b + 1], (n - b - 1) * sizeof *values);
    }
}

/* ---- regions of nodes ---- */

static bool meet(hlo_raising *r, const hlo_instr *at, uint32_t *region, uint32_t other) {
    *region = deeper(r, *region, other);
    if (*region != HLO_NOT_RAISED) return true;
    *region = ROOT;
    return hlo_raise_refuse(r, at, "it uses values of mutually exclusive branches");
}

/* The innermost region of what the instruction waits for, in their frame. */
static uint32_t innermost(hlo_raising *r, const hlo_instr *instr) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    const hlo_instrs *before = control ? control->u.instructions : NULL;
    uint32_t count = instr->operand_count + (before ? before->n : 0), region = ROOT;
    for (uint32_t i = 0; i < count; i++) {
        const hlo_instr *from =
            i < instr->operand_count ? hlo_operand(instr, i) : before->v[i - instr->operand_count];
        uint32_t other = hlo_raise_at(r, from)->region;
        if (i == 0) region = other;
        else if (!meet(r, instr, &region, other)) break;
    }
    return region;
}

static uint32_t enter_region(hlo_raising *r, const hlo_instr *enter) {
    HLO_ASSERT(enter->opcode == HLO_OP_ENTER);
    uint32_t frame = r->frames.of[enter->index];
    meet(r, enter, &r->regions.v[frame].parent, innermost(r, enter));
    return frame;
}

static bool check_exit(hlo_raising *r, const hlo_instr *exit) {
    HLO_ASSERT(exit->opcode == HLO_OP_EXIT);
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(hlo_operand(exit, 0), &side);
    if (!decides || side || !hlo_raise_is_loop_switch(r, decides))
        return hlo_raise_refuse(r, exit, "it is not on the false side of the loop's predicate");
    return true;
}

static uint32_t region_of(hlo_raising *r, hlo_instr *instr) {
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(instr, &side);
    if (decides)
        return side_of(r, hlo_raise_at(r, decides)->region, hlo_operand(decides, 1), (int)side);
    switch (instr->opcode) {
    case HLO_OP_ENTER: return enter_region(r, instr);
    case HLO_OP_EXIT: return check_exit(r, instr) ? outward(r, hlo_raise_loop_of(r, instr)) : ROOT;
    case HLO_OP_MERGE:
        if (!hlo_is_loop_merge(instr)) return merge_region(r, instr);
        r->has_merge[hlo_raise_at(r, hlo_operand(instr, 0))->region] = true;
        return hlo_raise_at(r, hlo_operand(instr, 0))->region;
    case HLO_OP_EDGE_SEND:
    case HLO_OP_EDGE_RECV:
        hlo_raise_refuse(r, instr, "parts of a partitioned graph cannot be raised");
        return ROOT;
    default: return innermost(r, instr);
    }
}

/* ---- the graph ---- */

static void sweep(hlo_raising *r) {
    for (hlo_instr *i = r->from->first; i && !r->failed; i = i->next) {
        uint32_t region = region_of(r, i);
        hlo_raise_at(r, i)->region = region;
        hlo_raise_at(r, i)->literal = literal_of(r, i);
    }
}

static bool check_frames(hlo_raising *r) {
    for (uint32_t i = 1; i < r->frames.count; i++)
        if (!r->frames.v[i].decides)
            return hlo_raise_refuse(r, r->frames.v[i].enter,
                                    "no exit of the frame is fed by a switch");
    return true;
}

/* The loop of a frame stands where the innermost of its enters is, which may come after its exits:
 * then their regions are found again. */
static bool places_changed(const hlo_raising *r, uint32_t *places) {
    bool changed = false;
    for (uint32_t i = 0; i < r->frames.count; i++) {
        changed |= places[i] != r->regions.v[i].parent;
        places[i] = r->regions.v[i].parent;
    }
    return changed;
}

bool hlo_raise_find_regions(hlo_raising *r) {
    for (uint32_t i = 0; i < r->frames.count; i++)
        hlo_list_push(
            &r->regions,
            (hlo_raise_region){.frame = i, .older = HLO_NOT_RAISED, .outer = HLO_NOT_RAISED});
    for (hlo_instr *i = r->from->first; i; i = i->next)
        hlo_list_push(
            &r->nodes,
            (hlo_raise_node){.instr = i, .element = HLO_NOT_RAISED, .sides = HLO_NOT_RAISED});
    if (!check_frames(r)) return false;
    /* Where exits name frames by a parent that is not known yet, the root of the parent frame. */
    for (uint32_t i = 1; i < r->frames.count; i++) r->regions.v[i].parent = r->frames.v[i].parent;
    uint32_t *places = HLO_NEW_ARRAY(&r->scratch, uint32_t, r->frames.count);
    do {
        memset(r->has_merge, 0, r->frames.count * sizeof *r->has_merge);
        sweep(r);
    } while (!r->failed && places_changed(r, places));
    return !r->failed;
}
