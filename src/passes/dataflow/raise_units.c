/* What stands in a region: instructions, loops and conditionals, each of which is made at once.
 * Loops are frames; a conditional is what hangs together of the switches and merges of one
 * predicate. */
#include "passes/dataflow/raise.h"

typedef struct {
    uint32_t frame;             /* 0: no loop */
    const hlo_instr *predicate; /* NULL: no conditional */
    hlo_raise_list nodes;       /* by themselves: one */
    HLO_LIST(uint32_t) after;   /* units that come first */
    HLO_LIST(uint32_t) waits;   /* those of them that control edges come from */
    hlo_instr *made;
    enum { FRESH, OPEN, DONE } state;
} unit;

/* What hangs together, at its first node. */
typedef struct {
    uint32_t last_input; /* slot of the last node that reads something from outside */
    uint32_t first_merge;
    uint32_t unit; /* HLO_NOT_RAISED: none yet */
} group;

typedef struct {
    hlo_raising *r;
    hlo_raise_body *body;
    const hlo_raise_list *nodes;
    uint32_t level;
    uint32_t *of;  /* by slot: of instructions and loops the unit; else a slot of its group */
    group *groups; /* by slot */
    const hlo_instr **choices; /* by slot: the predicate of its conditional, or NULL */
    uint32_t *loops;           /* by slot: the frame of its loop, or 0 */
    HLO_LIST(unit) units;      /* its block is not in the arena */
    HLO_LIST(uint32_t) open;   /* units that stand before the current one */
} filling;

static hlo_instr *node_at(const filling *f, uint32_t slot) {
    return f->r->nodes.v[f->nodes->v[slot]].instr;
}

static bool is_here(const filling *f, const hlo_instr *instr) {
    return hlo_raise_at(f->r, instr)->level == f->level;
}

static uint32_t slot_of(const filling *f, const hlo_instr *instr) {
    return hlo_raise_at(f->r, instr)->slot;
}

/* ---- operands ---- */

/* The i-th instruction that another one waits for; NULL after the last. */
static hlo_instr *input(const hlo_instr *instr, uint32_t i) {
    if (i < instr->operand_count) return hlo_operand(instr, i);
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    i -= instr->operand_count;
    return control && i < control->u.instructions->n ? control->u.instructions->v[i] : NULL;
}

/* ---- what each node is a part of ---- */

static void place_node(filling *f, uint32_t slot) {
    hlo_raising *r = f->r;
    const hlo_instr *instr = node_at(f, slot);
    uint32_t place = hlo_raise_place(r, instr);
    if (place == f->body->region) {
        f->loops[slot] = hlo_raise_loop_of(r, instr);
        f->choices[slot] = f->loops[slot] ? NULL : hlo_raise_choice_of(r, instr);
        return;
    }
    uint32_t child = hlo_raise_child(r, f->body->region, place);
    f->choices[slot] = r->regions.v[child].predicate;
    f->loops[slot] = f->choices[slot] ? 0 : child;
}

static void place_nodes(filling *f) {
    for (uint32_t i = 0; i < f->nodes->n; i++) {
        hlo_raise_node *node = &f->r->nodes.v[f->nodes->v[i]];
        node->slot = i;
        node->level = f->level;
        f->of[i] = i;
    }
    for (uint32_t i = 0; i < f->nodes->n; i++) place_node(f, i);
}

/* ---- groups of conditionals ---- */

static uint32_t find_root(filling *f, uint32_t slot) {
    while (f->of[slot] != slot) slot = f->of[slot] = f->of[f->of[slot]];
    return slot;
}

/* The earlier slot stands for both. */
static void join(filling *f, uint32_t a, uint32_t b) {
    a = find_root(f, a);
    b = find_root(f, b);
    if (a < b) f->of[b] = a;
    else f->of[a] = b;
}

static bool is_of_choice(const filling *f, const hlo_instr *instr, const hlo_instr *choice) {
    return is_here(f, instr) && f->choices[slot_of(f, instr)] == choice;
}

/* Literals are no nodes: what they wait for stands for them. */
static void join_input(filling *f, uint32_t slot, const hlo_instr *from) {
    const hlo_instr *choice = f->choices[slot];
    if (is_of_choice(f, from, choice)) join(f, slot, slot_of(f, from));
    const hlo_instr *literal = hlo_raise_at(f->r, from)->literal, *before;
    if (literal != from) return;
    for (uint32_t i = 0; (before = input(from, i)); i++)
        if (is_of_choice(f, before, choice)) join(f, slot, slot_of(f, before));
}

/* All of a loop inside hangs together. */
static void join_frames(filling *f) {
    for (uint32_t i = 0; i < f->nodes->n; i++) {
        const hlo_instr *instr = node_at(f, i);
        if (!f->choices[i] || instr->opcode != HLO_OP_ENTER) continue;
        hlo_raise_region *frame = &f->r->regions.v[hlo_raise_loop_of(f->r, instr)];
        if (frame->group_level == f->level) join(f, i, frame->slot);
        else frame->slot = i;
        frame->group_level = f->level;
    }
}

/* A switch that belongs to a conditional here, not to one inside: all that it reads is outside,
 * even where that is what another conditional of the predicate gives. */
static bool is_border(const filling *f, uint32_t slot) {
    const hlo_instr *instr = node_at(f, slot);
    return instr->opcode == HLO_OP_SWITCH && hlo_raise_place(f->r, instr) == f->body->region;
}

static void join_groups(filling *f) {
    for (uint32_t i = 0; i < f->nodes->n; i++) {
        const hlo_instr *instr = node_at(f, i), *from;
        bool hangs = f->choices[i] && !is_border(f, i);
        for (uint32_t k = 0; hangs && (from = input(instr, k)); k++) join_input(f, i, from);
    }
    join_frames(f);
}

static bool reads_outside(const filling *f, uint32_t slot) {
    const hlo_instr *instr = node_at(f, slot), *from;
    if (is_border(f, slot)) return true;
    for (uint32_t k = 0; (from = input(instr, k)); k++)
        if (!is_of_choice(f, from, f->choices[slot]) && !hlo_raise_at(f->r, from)->literal)
            return true;
    return false;
}

static bool is_result(const filling *f, const hlo_instr *instr) {
    return instr->opcode == HLO_OP_MERGE && hlo_raise_place(f->r, instr) == f->body->region;
}

static void measure_groups(filling *f) {
    for (uint32_t i = 0; i < f->nodes->n; i++)
        f->groups[i] = (group){0, HLO_NOT_RAISED, HLO_NOT_RAISED};
    for (uint32_t i = 0; i < f->nodes->n; i++) {
        if (!f->choices[i]) continue;
        group *g = &f->groups[find_root(f, i)];
        if (reads_outside(f, i)) g->last_input = i;
        if (is_result(f, node_at(f, i)) && g->first_merge == HLO_NOT_RAISED) g->first_merge = i;
    }
}

/* ---- units ---- */

static uint32_t new_unit(filling *f, uint32_t frame, const hlo_instr *predicate) {
    hlo_list_push(&f->units, (unit){.frame = frame, .predicate = predicate});
    return f->units.n - 1;
}

/* The groups of one predicate that stand side by side are one conditional, if none of them could
 * need what another one gives: all that is read from outside comes before all results. */
static bool add_to_group(group *to, const group *g) {
    uint32_t last = g->last_input > to->last_input ? g->last_input : to->last_input;
    uint32_t first = g->first_merge < to->first_merge ? g->first_merge : to->first_merge;
    if (last > first) return false;
    to->last_input = last;
    to->first_merge = first;
    return true;
}

static uint32_t unit_of_group(filling *f, uint32_t slot) {
    hlo_raise_node *predicate = hlo_raise_at(f->r, f->choices[slot]);
    if (predicate->choice_level == f->level) {
        group *latest = &f->groups[predicate->choice];
        if (add_to_group(latest, &f->groups[slot])) return latest->unit;
    }
    predicate->choice_level = f->level;
    predicate->choice = slot;
    return new_unit(f, 0, f->choices[slot]);
}

static uint32_t unit_of_loop(filling *f, uint32_t number) {
    HLO_ASSERT(number < f->r->regions.n);
    hlo_raise_region *frame = &f->r->regions.v[number];
    if (frame->level != f->level) frame->unit = new_unit(f, number, NULL);
    frame->level = f->level;
    return frame->unit;
}

static void make_units(filling *f) {
    hlo_arena *arena = &f->r->scratch;
    for (uint32_t i = 0; i < f->nodes->n; i++) {
        uint32_t root = f->choices[i] ? find_root(f, i) : i, *of = &f->groups[root].unit;
        if (!f->choices[i]) *of = f->loops[i] ? unit_of_loop(f, f->loops[i]) : new_unit(f, 0, NULL);
        else if (*of == HLO_NOT_RAISED) *of = unit_of_group(f, root);
        hlo_list_push_in(arena, &f->units.v[*of].nodes, f->nodes->v[i]);
    }
}

static uint32_t unit_at(filling *f, uint32_t slot) {
    return f->groups[f->choices[slot] ? find_root(f, slot) : slot].unit;
}

/* ---- order ---- */

static bool refuse_cycle(filling *f, const unit *u) {
    return hlo_raise_refuse(f->r, f->r->nodes.v[u->nodes.v[0]].instr,
                            u->predicate ? "a branch depends on the result of the conditional"
                                         : "the loop depends on its own result");
}

/* False where a conditional is given its own result. */
static bool need(filling *f, uint32_t slot, const hlo_instr *from, bool is_control) {
    hlo_arena *arena = &f->r->scratch;
    if (!is_here(f, from)) return true;
    uint32_t of = unit_at(f, slot), before = unit_at(f, slot_of(f, from));
    if (of == before)
        return !f->choices[slot] || !is_border(f, slot) || !is_result(f, from) ||
               refuse_cycle(f, &f->units.v[of]);
    hlo_list_push_in(arena, &f->units.v[of].after, before);
    if (is_control) hlo_list_push_in(arena, &f->units.v[of].waits, before);
    return true;
}

static bool find_needs(filling *f) {
    for (uint32_t i = 0; i < f->nodes->n; i++) {
        const hlo_instr *instr = node_at(f, i), *from;
        for (uint32_t k = 0; (from = input(instr, k)); k++)
            if (!need(f, i, from, k >= instr->operand_count)) return false;
    }
    return true;
}

/* ---- making ---- */

static bool make(filling *f, unit *u) {
    if (u->frame) u->made = hlo_raise_loop(f->r, f->body, u->frame, &u->nodes);
    else if (u->predicate) u->made = hlo_raise_conditional(f->r, f->body, u->predicate, &u->nodes);
    else u->made = hlo_raise_copy(f->r, f->body, f->r->nodes.v[u->nodes.v[0]].instr);
    return u->made != NULL;
}

/* Each once. */
static void wait(filling *f, const unit *u) {
    hlo_module *module = f->r->r->module;
    uint32_t n = u->waits.n, seen = hlo_module_new_mark(module);
    if (!n) return;
    hlo_instrs *list = hlo_arena_zero(&module->arena, sizeof *list + n * sizeof list->v[0]);
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *before = f->units.v[u->waits.v[i]].made;
        if (before->mark != seen) list->v[list->n++] = before;
        before->mark = seen;
    }
    hlo_instr_set_attr(u->made,
                       (hlo_attr){.id = HLO_ATTR_CONTROL_PREDECESSORS, .u.instructions = list});
}

/* What comes first is made first, without recursion. */
static bool make_after(filling *f, uint32_t number) {
    f->open.n = 0;
    hlo_list_push_in(&f->r->scratch, &f->open, number);
    while (f->open.n) {
        unit *u = &f->units.v[f->open.v[f->open.n - 1]];
        if (u->state == FRESH) {
            u->state = OPEN;
            for (uint32_t i = 0; i < u->after.n; i++) {
                const unit *before = &f->units.v[u->after.v[i]];
                if (before->state == OPEN) return refuse_cycle(f, before);
                if (before->state == FRESH)
                    hlo_list_push_in(&f->r->scratch, &f->open, u->after.v[i]);
            }
            continue;
        }
        HLO_ASSERT(f->open.n > 0);
        f->open.n--;
        if (u->state == DONE) continue;
        u->state = DONE;
        if (!make(f, u)) return false;
        wait(f, u);
    }
    return true;
}

static bool make_all(filling *f) {
    for (uint32_t i = 0; i < f->units.n; i++)
        if (f->units.v[i].state == FRESH && !make_after(f, i)) return false;
    return true;
}

bool hlo_raise_fill(hlo_raising *r, hlo_raise_body *body, const hlo_raise_list *nodes) {
    enum { MAX_DEPTH = 200 };
    filling f = {.r = r, .body = body, .nodes = nodes, .level = ++r->level};
    if (r->depth == MAX_DEPTH)
        return hlo_raise_refuse(r, node_at(&f, 0), "loops and conditionals nest too deep");
    r->depth++;
    f.of = HLO_NEW_ARRAY(&r->scratch, uint32_t, nodes->n);
    f.loops = HLO_NEW_ARRAY(&r->scratch, uint32_t, nodes->n);
    f.choices = HLO_NEW_ARRAY(&r->scratch, const hlo_instr *, nodes->n);
    f.groups = HLO_NEW_ARRAY(&r->scratch, group, nodes->n);
    place_nodes(&f);
    join_groups(&f);
    measure_groups(&f);
    make_units(&f);
    bool good = find_needs(&f) && make_all(&f);
    hlo_list_free(&f.units);
    HLO_ASSERT(r->depth > 0);
    r->depth--;
    return good;
}
