/* Another module against the one that is drawn: colours, and what only the other has. */
#include <hlo.h>

#include "api/drawing.h"
#include "diff/diff.h"

typedef struct {
    hlo_diff diff; /* a: the other module, b: the one that is drawn */
    hlo_dot_extras *extras;
    uint32_t *lone_of; /* by number in the other: its place in extras->lone, or NOWHERE */
    HLO_LIST(hlo_dot_lone) lone;
    HLO_LIST(hlo_dot_lone_edge) edges;
} comparison;

#define NOWHERE UINT32_MAX

static hlo_dot_change change_of(const comparison *c, const hlo_instr *instr) {
    const hlo_instr *before = hlo_diff_partner(&c->diff.b, instr);
    if (!before) return HLO_DOT_ADDED;
    bool differs = hlo_diff_compare(&c->diff, before, instr, NULL, NULL);
    return differs ? HLO_DOT_CHANGED : HLO_DOT_SAME;
}

/* NULL: nothing. */
static char *differences(const comparison *c, const hlo_instr *before, const hlo_instr *instr) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_diff_list(&c->diff, before, instr, &text);
    if (text.len) hlo_buf_char(&text, 0);
    return text.data;
}

static void note_change(comparison *c, const hlo_instr *instr) {
    uint32_t number = hlo_diff_number(&c->diff.b, instr);
    hlo_dot_change change = change_of(c, instr);
    hlo_instr *before = hlo_diff_partner(&c->diff.b, instr);
    c->extras->changes[number] = (uint8_t)change;
    c->extras->before[number] = before;
    if (change == HLO_DOT_CHANGED) c->extras->differences[number] = differences(c, before, instr);
}

static void note_changes(comparison *c) {
    const hlo_diff_side *here = &c->diff.b;
    c->extras->changes = hlo_calloc(here->total + 1u, 1);
    c->extras->before = hlo_calloc(here->total + 1u, sizeof *c->extras->before);
    c->extras->differences = hlo_calloc(here->total + 1u, sizeof *c->extras->differences);
    c->extras->compared = here->total;
    for (const hlo_computation *k = here->module->first; k; k = k->next)
        for (const hlo_instr *i = k->first; i; i = i->next) note_change(c, i);
    c->extras->header_differences = differences(c, NULL, NULL);
}

static void note_counterparts(comparison *c) {
    const hlo_diff_side *there = &c->diff.a;
    c->extras->other = there->module;
    c->extras->counterparts =
        hlo_calloc(there->module->next_id + 1u, sizeof *c->extras->counterparts);
    for (const hlo_computation *k = there->module->first; k; k = k->next)
        c->extras->counterparts[k->id] = there->met[k->id];
}

static void note_lone(comparison *c) {
    const hlo_diff_side *there = &c->diff.a;
    c->lone_of = hlo_malloc((there->total + 1u) * sizeof *c->lone_of);
    for (const hlo_computation *k = there->module->first; k; k = k->next)
        for (const hlo_instr *i = k->first; i; i = i->next) {
            c->lone_of[hlo_diff_number(there, i)] = NOWHERE;
            if (hlo_diff_partner(there, i)) continue;
            if (!there->met[k->id]) {
                c->extras->lone_elsewhere++;
                continue;
            }
            c->lone_of[hlo_diff_number(there, i)] = c->lone.n;
            hlo_list_push(&c->lone, (hlo_dot_lone){there->met[k->id], i});
        }
}

/* One of both is lone. */
static void note_edge(comparison *c, const hlo_instr *operand, const hlo_instr *user) {
    const hlo_diff_side *there = &c->diff.a;
    hlo_dot_lone_edge edge = {
        .from = hlo_diff_partner(there, operand),
        .to = hlo_diff_partner(there, user),
        .lone_from = c->lone_of[hlo_diff_number(there, operand)],
        .lone_to = c->lone_of[hlo_diff_number(there, user)],
    };
    if ((edge.from || edge.lone_from != NOWHERE) && (edge.to || edge.lone_to != NOWHERE))
        hlo_list_push(&c->edges, edge);
}

static void note_edges(comparison *c) {
    for (uint32_t k = 0; k < c->lone.n; k++) {
        const hlo_instr *instr = c->lone.v[k].instr;
        for (uint32_t i = 0; i < instr->operand_count; i++)
            note_edge(c, hlo_operand(instr, i), instr);
        for (const hlo_use *use = instr->first_use; use; use = use->next)
            if (hlo_diff_partner(&c->diff.a, use->user)) note_edge(c, instr, use->user);
    }
}

static void compare(hlo_dot_extras *extras, hlo_module *module, hlo_module *other) {
    comparison c = {.extras = extras};
    hlo_diff_init(&c.diff, other, module, (hlo_diff_settings){.layouts = true});
    note_changes(&c);
    note_counterparts(&c);
    note_lone(&c);
    note_edges(&c);
    extras->lone = c.lone.v;
    extras->lone_count = c.lone.n;
    extras->lone_edges = c.edges.v;
    extras->lone_edge_count = c.edges.n;
    hlo_free(c.lone_of);
    hlo_diff_free(&c.diff);
}

hlo_status hlo_graph_compare(hlo_dot_extras *extras, hlo_module *module, hlo_module *other,
                             hlo_diags *diags) {
    if (module == other) return hlo_misuse(diags, "a module is compared with itself");
    if (module->next_device || other->next_device) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0},
                  "dataflow graphs in parts cannot be drawn with their differences");
        return HLO_BAD_USE;
    }
    compare(extras, module, other);
    return HLO_OK;
}
