/* Groups of ordinary instructions, each computed as one step: an instruction joins the group that
 * all of its users are in. No other node waits for it then, and it is dead whenever they are, so
 * that computing them together is not observable. */
#include "flow/grouping.h"

bool hlo_is_primitive(const hlo_instr *instr) {
    int64_t side;
    return hlo_info(instr)->flags & HLO_OP_IS_DATAFLOW || instr->opcode == HLO_OP_PARAMETER ||
           hlo_switch_side(instr, &side);
}

const hlo_instr *hlo_constant_source(const hlo_instr *instr) {
    while (hlo_is_constant_enter(instr) && hlo_operand(instr, 0)->shape == instr->shape)
        instr = hlo_operand(instr, 0); /* with another layout a bitcast would read others */
    bool waits = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS) != NULL;
    return instr->opcode == HLO_OP_CONSTANT && !waits ? instr : NULL;
}

/* ---- joining ---- */

typedef struct {
    hlo_grouping made;
    const hlo_instr *results; /* the root where it is a tuple: its operands are results */
} group_search;

/* Narrows *group to that of a user; false when there are several, or one that is no group. */
static bool meet(const group_search *g, const hlo_instr *user, uint32_t *group) {
    uint32_t of = user == g->results ? HLO_UNGROUPED : g->made.of[user->index];
    if (of == HLO_UNGROUPED || (*group != HLO_UNGROUPED && *group != of)) return false;
    *group = of;
    return true;
}

/* An element of a tuple is where the tuple is: what uses it uses the tuple. */
static bool meet_users(const group_search *g, const hlo_instr *instr, uint32_t *group) {
    if (g->made.is_predecessor[instr->index] || instr == instr->parent->root) return false;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        const hlo_instr *user = use->user;
        bool is_element = user->opcode == HLO_OP_GET_TUPLE_ELEMENT && user != g->results;
        if (!(is_element ? meet_users(g, user, group) : meet(g, user, group))) return false;
    }
    return true;
}

static void put_in_group(group_search *g, const hlo_instr *instr, uint32_t group) {
    g->made.of[instr->index] = group;
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->opcode == HLO_OP_GET_TUPLE_ELEMENT) put_in_group(g, use->user, group);
}

static bool is_element_of_step(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && !hlo_is_primitive(hlo_operand(instr, 0));
}

static void place(group_search *g, const hlo_instr *instr) {
    uint32_t group = HLO_UNGROUPED;
    if (hlo_is_primitive(instr) || is_element_of_step(instr) || instr == g->results) return;
    bool joins = instr->first_use && meet_users(g, instr, &group) && group != HLO_UNGROUPED;
    put_in_group(g, instr, joins ? group : g->made.count++);
}

static void mark_predecessors(group_search *g, const hlo_computation *entry) {
    for (const hlo_instr *i = entry->first; i; i = i->next) {
        const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
        for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
            g->made.is_predecessor[control->u.instructions->v[k]->index] = true;
    }
}

hlo_grouping hlo_grouping_make(const hlo_module *module) {
    const hlo_computation *entry = module->entry;
    group_search g = {.results = entry->root->opcode == HLO_OP_TUPLE ? entry->root : NULL};
    g.made.of = hlo_malloc((entry->instr_count + 1u) * sizeof *g.made.of);
    g.made.is_predecessor = hlo_calloc(entry->instr_count + 1u, sizeof *g.made.is_predecessor);
    for (uint32_t i = 0; i < entry->instr_count; i++) g.made.of[i] = HLO_UNGROUPED;
    mark_predecessors(&g, entry);
    for (const hlo_instr *i = entry->last; i; i = i->prev) place(&g, i); /* users first */
    return g.made;
}

void hlo_grouping_free(hlo_grouping *grouping) {
    hlo_free(grouping->of);
    hlo_free(grouping->is_predecessor);
    *grouping = (hlo_grouping){0};
}
