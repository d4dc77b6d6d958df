/* Switches and merges of a predicate as a conditional. Predicates that compare one index with 0, 1,
 * 2 ..., each within the false side of the one before, are one conditional of many branches. */
#include "passes/dataflow/raise.h"

typedef struct {
    const hlo_instr *predicate;
    uint32_t region;         /* in which it decides */
    hlo_raise_list switches; /* on it */
    hlo_raise_list merges;   /* of its two sides */
    hlo_raise_list sides[2]; /* what they hold */
} choice;

typedef struct {
    hlo_raising *r;
    hlo_raise_body *outside;
    HLO_LIST(choice) choices; /* each within the false side of the one before */
    hlo_instr *index;         /* NULL: a predicate decides */
    hlo_raise_tuple result;
    hlo_instr **operands; /* by branch, after what decides */
    hlo_instr **values;   /* by result: scratch */
    hlo_computations *branches;
} conditional;

static hlo_instr *node_of(const hlo_raising *r, const hlo_raise_list *list, uint32_t i) {
    return r->nodes.v[list->v[i]].instr;
}

/* ---- choices ---- */

static hlo_raise_list *list_for(hlo_raising *r, choice *c, const hlo_instr *instr) {
    static hlo_raise_list *const nowhere = NULL;
    int64_t side;
    bool is_here = hlo_raise_place(r, instr) == c->region && !hlo_raise_loop_of(r, instr) &&
                   hlo_raise_choice_of(r, instr) == c->predicate;
    if (is_here && instr->opcode == HLO_OP_SWITCH) return &c->switches;
    if (is_here && instr->opcode == HLO_OP_MERGE) return &c->merges;
    if (is_here && hlo_switch_side(instr, &side)) return nowhere;
    uint32_t child = hlo_raise_child(r, c->region, hlo_raise_place(r, instr));
    return &c->sides[r->regions.v[child].side];
}

static void sort_nodes(hlo_raising *r, choice *c, const hlo_raise_list *nodes) {
    for (uint32_t i = 0; i < nodes->n; i++) {
        hlo_raise_list *list = list_for(r, c, node_of(r, nodes, i));
        if (list) hlo_list_push_in(&r->scratch, list, nodes->v[i]);
    }
}

/* The operand of a merge that comes from a side. */
static hlo_instr *value_of_side(const hlo_raising *r, const hlo_instr *merge, int side) {
    uint32_t region = hlo_raise_at(r, hlo_operand(merge, 0))->region;
    return hlo_operand(merge, r->regions.v[region].side == side ? 0 : 1);
}

/* ---- branches of an index ---- */

static bool is_number(const hlo_raising *r, const hlo_instr *instr, int64_t number) {
    const hlo_instr *literal = hlo_raise_at(r, instr)->literal;
    if (!literal || literal->opcode != HLO_OP_CONSTANT || literal->shape->type != HLO_S32 ||
        literal->shape->rank)
        return false;
    int32_t value;
    memcpy(&value, hlo_literal_data(hlo_instr_attr(literal, HLO_ATTR_VALUE)->u.literal),
           sizeof value);
    return value == number;
}

/* The index that the predicate compares with a number; NULL: it does something else. */
static hlo_instr *compared_index(const hlo_raising *r, const hlo_instr *predicate, int64_t number) {
    const hlo_word_info *equal = hlo_word_find(HLO_WORDS_DIRECTION, HLO_STR("EQ"));
    bool compares = predicate->opcode == HLO_OP_COMPARE &&
                    hlo_attr_int(predicate, HLO_ATTR_DIRECTION) == equal->number &&
                    is_number(r, hlo_operand(predicate, 1), number);
    return compares && !hlo_raise_at(r, predicate)->literal ? hlo_operand(predicate, 0) : NULL;
}

/* Branches of an index are merged in their order, a predicate's with the false side first. */
static bool is_true_first(const hlo_raising *r, const choice *c) {
    for (uint32_t i = 0; i < c->merges.n; i++) {
        const hlo_instr *merge = node_of(r, &c->merges, i);
        if (value_of_side(r, merge, 1) != hlo_operand(merge, 0)) return false;
    }
    return c->merges.n > 0;
}

/* The one instruction of a side that compares, where all else hangs on it; NULL otherwise. */
static const hlo_instr *only_compare(const hlo_raising *r, const hlo_raise_list *side) {
    const hlo_instr *compare = NULL;
    for (uint32_t i = 0; i < side->n; i++) {
        const hlo_instr *instr = node_of(r, side, i);
        bool is_plain = !(hlo_info(instr)->flags & HLO_OP_IS_DATAFLOW);
        if (is_plain && !compare && instr->opcode == HLO_OP_COMPARE) compare = instr;
    }
    return compare;
}

/* Whether the node is a part of what the predicate decides in the region. */
static bool hangs_on(hlo_raising *r, const hlo_instr *instr, const hlo_instr *predicate,
                     uint32_t region) {
    uint32_t place = hlo_raise_place(r, instr);
    if (place == region)
        return !hlo_raise_loop_of(r, instr) && hlo_raise_choice_of(r, instr) == predicate;
    return r->regions.v[hlo_raise_child(r, region, place)].predicate == predicate;
}

/* What the false side is given goes on to the next choice alone. */
static bool hands_on(const hlo_raising *r, const choice *c, const hlo_instr *next) {
    for (uint32_t i = 0; i < c->switches.n; i++) {
        const hlo_instr *decides = node_of(r, &c->switches, i);
        for (const hlo_use *use = decides->first_use; use; use = use->next) {
            int64_t side;
            hlo_switch_side(use->user, &side);
            for (const hlo_use *read = use->user->first_use; read && !side; read = read->next)
                if (read->user != next &&
                    !(read->user->opcode == HLO_OP_SWITCH && hlo_operand(read->user, 1) == next))
                    return false;
        }
    }
    return true;
}

/* Each result of the false side is one of the next choice, in the same order. */
static bool hands_back(const hlo_raising *r, const choice *c, const choice *next) {
    if (c->merges.n != next->merges.n) return false;
    for (uint32_t i = 0; i < c->merges.n; i++) {
        const hlo_instr *inner = node_of(r, &next->merges, i);
        if (value_of_side(r, node_of(r, &c->merges, i), 0) != inner ||
            inner->first_use != inner->last_use)
            return false;
    }
    return is_true_first(r, next);
}

/* Whether the index is that of the choice before, past its switch. */
static bool is_same_index(const hlo_raising *r, const choice *c, const hlo_instr *index,
                          const hlo_instr *before) {
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(index, &side);
    (void)r;
    return decides && !side && hlo_operand(decides, 1) == c->predicate &&
           hlo_operand(decides, 0) == before;
}

/* The false side as a choice by the next number; false: it is something else. */
static bool next_choice(hlo_raising *r, const choice *c, int64_t number, hlo_instr **index,
                        choice *next) {
    const hlo_instr *compare = only_compare(r, &c->sides[0]);
    hlo_instr *compared = compare ? compared_index(r, compare, number) : NULL;
    if (!compared || !is_same_index(r, c, compared, *index) || !hands_on(r, c, compare))
        return false;
    *next = (choice){.predicate = compare, .region = hlo_raise_at(r, compared)->region};
    for (uint32_t i = 0; i < c->sides[0].n; i++) {
        const hlo_instr *instr = node_of(r, &c->sides[0], i);
        if (instr != compare && !hangs_on(r, instr, compare, next->region)) return false;
    }
    hlo_raise_list nodes = {0};
    for (uint32_t i = 0; i < c->sides[0].n; i++)
        if (node_of(r, &c->sides[0], i) != compare)
            hlo_list_push_in(&r->scratch, &nodes, c->sides[0].v[i]);
    sort_nodes(r, next, &nodes);
    *index = compared;
    return hands_back(r, c, next);
}

static void find_index(conditional *p) {
    hlo_raising *r = p->r;
    hlo_instr *index = compared_index(r, p->choices.v[0].predicate, 0);
    if (!index || !is_true_first(r, &p->choices.v[0])) return;
    p->index = index;
    choice next;
    while (next_choice(r, &p->choices.v[p->choices.n - 1], p->choices.n, &index, &next))
        hlo_list_push_in(&r->scratch, &p->choices, next);
}

/* ---- branches ---- */

/* What a switch of the choice decides on, as it is outside of all choices. */
static hlo_instr *given_by(const conditional *p, uint32_t number, const hlo_instr *decides) {
    hlo_instr *data = hlo_operand(decides, 0);
    int64_t side;
    while (number--) {
        const hlo_instr *before = hlo_switch_side(data, &side);
        if (before) data = hlo_operand(before, 0);
    }
    (void)p;
    return data;
}

/* An element that is read. */
static const hlo_instr *reader_of(const hlo_instr *decides, int wanted) {
    for (const hlo_use *use = decides->first_use; use; use = use->next) {
        int64_t side;
        if (hlo_switch_side(use->user, &side) && side == wanted && use->user->first_use)
            return use->user;
    }
    return NULL;
}

static void show(hlo_raising *r, const hlo_instr *decides, int wanted, hlo_instr *image) {
    for (const hlo_use *use = decides->first_use; use; use = use->next) {
        int64_t side;
        if (hlo_switch_side(use->user, &side) && side == wanted)
            hlo_raise_at(r, use->user)->image = image;
    }
}

/* The branch is given what the side of each switch hands to it, in the form of the first. */
static bool give_results_to_branch(conditional *p, hlo_raise_body *branch, uint32_t number,
                                   int side) {
    HLO_ASSERT(number < p->choices.n);
    const choice *c = &p->choices.v[number];
    const hlo_instr *first = NULL;
    for (uint32_t i = 0; i < c->switches.n; i++) {
        const hlo_instr *decides = node_of(p->r, &c->switches, i);
        const hlo_instr *reader = reader_of(decides, side);
        if (!reader) continue;
        hlo_instr *value = hlo_raise_value(p->r, p->outside, given_by(p, number, decides), decides);
        if (!value) return false;
        show(p->r, decides, side, hlo_raise_give(p->r, branch, value, reader->shape));
        if (!first) first = decides;
    }
    branch->form = first ? hlo_flow_form(first, branch->given.n) : NULL;
    return true;
}

static bool find_results(conditional *p, hlo_raise_body *branch, uint32_t number, int side) {
    HLO_ASSERT(number < p->choices.n);
    const choice *c = &p->choices.v[number];
    for (uint32_t i = 0; i < p->result.n; i++) {
        hlo_instr *merge = node_of(p->r, &c->merges, i);
        p->values[i] = hlo_raise_value(p->r, branch, value_of_side(p->r, merge, side), merge);
        if (!p->values[i]) return false;
    }
    return true;
}

/* That of a side that no node is on is that of all that it decides in. */
static uint32_t region_of_side(const hlo_raising *r, const choice *c, int side) {
    uint32_t i = hlo_raise_at(r, c->predicate)->sides;
    for (; i != HLO_NOT_RAISED; i = r->regions.v[i].older)
        if (r->regions.v[i].parent == c->region && r->regions.v[i].side == side) return i;
    return c->region;
}

static bool make_branch(conditional *p, uint32_t number, int side) {
    HLO_ASSERT(number < p->choices.n);
    hlo_raising *r = p->r;
    const choice *c = &p->choices.v[number];
    hlo_raise_body branch;
    hlo_raise_open(r, &branch, region_of_side(r, c, side), p->outside, "branch");
    if (!give_results_to_branch(p, &branch, number, side) ||
        !hlo_raise_fill(r, &branch, &c->sides[side]) || !find_results(p, &branch, number, side))
        return false;
    uint32_t made = p->branches->n++;
    p->branches->v[made] = hlo_raise_close(r, &branch, &p->result, p->values);
    hlo_raise_tuple given = hlo_raise_given(r, &branch);
    p->operands[1 + made] = hlo_raise_pack(r, &given, branch.given.v);
    return true;
}

static bool make_branches(conditional *p) {
    uint32_t n = p->choices.n;
    for (uint32_t i = 0; i < n; i++)
        if (!make_branch(p, i, 1)) return false;
    return make_branch(p, n - 1, 0);
}

/* ---- the conditional ---- */

static hlo_instr *make(conditional *p, hlo_instr *decides) {
    p->operands[0] = decides;
    hlo_attr pred[] = {
        {.id = HLO_ATTR_TRUE_COMPUTATION, .u.computation = p->branches->v[0]},
        {.id = HLO_ATTR_FALSE_COMPUTATION, .u.computation = p->branches->v[1]},
    };
    hlo_attr index = {.id = HLO_ATTR_BRANCH_COMPUTATIONS, .u.computations = p->branches};
    return hlo_emit(p->r->r, HLO_OP_CONDITIONAL, hlo_raise_packed(p->r, &p->result), p->operands,
                    p->branches->n + 1, p->index ? &index : pred, p->index ? 1 : 2);
}

static void show_results(conditional *p, hlo_instr *made) {
    const choice *first = &p->choices.v[0];
    for (uint32_t i = 0; i < p->result.n; i++) {
        hlo_instr *merge = node_of(p->r, &first->merges, i);
        if (i == 0) hlo_flow_carry(merge, made);
        hlo_raise_at(p->r, merge)->image = hlo_raise_element(p->r, &p->result, made, i);
    }
    hlo_flow_forget_form(made);
}

/* The comparison is what the index does by itself. */
static void drop_compare(conditional *p) {
    hlo_raise_node *node = hlo_raise_at(p->r, p->choices.v[0].predicate);
    hlo_instr *compare = node->image;
    if (!p->index || !compare || compare->first_use) return;
    hlo_instr *number = hlo_operand(compare, 1);
    hlo_instr_remove(compare);
    node->image = NULL;
    if (!number->first_use) hlo_instr_remove(number);
    if (!number->first_use)
        hlo_raise_at(p->r, hlo_raise_at(p->r, hlo_operand(node->instr, 1))->literal)->copy_in =
            NULL;
}

static hlo_raise_tuple result_of(hlo_raising *r, const hlo_raise_list *merges) {
    uint32_t n = merges->n;
    const hlo_shape **shapes = HLO_NEW_ARRAY(&r->scratch, const hlo_shape *, n + 1u);
    for (uint32_t i = 0; i < n; i++) shapes[i] = node_of(r, merges, i)->shape;
    return (hlo_raise_tuple){n, shapes, n ? hlo_flow_form(node_of(r, merges, 0), n) : NULL};
}

hlo_instr *hlo_raise_conditional(hlo_raising *r, hlo_raise_body *outside,
                                 const hlo_instr *predicate, const hlo_raise_list *nodes) {
    conditional p = {.r = r, .outside = outside};
    choice first = {.predicate = predicate, .region = outside->region};
    sort_nodes(r, &first, nodes);
    hlo_list_push_in(&r->scratch, &p.choices, first);
    find_index(&p);
    p.result = result_of(r, &first.merges);
    p.values = HLO_NEW_ARRAY(&r->scratch, hlo_instr *, p.result.n + 1u);
    p.operands = HLO_NEW_ARRAY(&r->scratch, hlo_instr *, p.choices.n + 2u);
    p.branches = hlo_arena_zero(&r->r->module->arena,
                                sizeof *p.branches + (p.choices.n + 1) * sizeof *p.branches->v);
    if (!make_branches(&p)) return NULL;
    hlo_instr *decides = hlo_raise_value(
        r, outside, p.index ? p.index : hlo_raise_at(r, predicate)->instr, predicate);
    if (!decides) return NULL;
    hlo_instr *made = make(&p, decides);
    show_results(&p, made);
    drop_compare(&p);
    return made;
}
