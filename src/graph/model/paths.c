/* All paths from one instruction to another, through what they call. Linear, and without recursion.
 */
#include "graph/model/worklist.h"

/* The instructions that call a computation, by its id: chains of (caller, next). */
typedef struct {
    struct {
        hlo_instr *caller;
        uint32_t next;
    } * links; /* from 1 */
    uint32_t *first;
} callers;

static void callers_init(callers *c, hlo_module *module) {
    uint32_t n = 1;
    for (hlo_computation *k = module->first; k; k = k->next)
        for (hlo_instr *i = k->first; i; i = i->next) n += hlo_called_count(i);
    c->links = hlo_calloc(n, sizeof *c->links);
    c->first = hlo_calloc(module->next_id + 1, sizeof *c->first);
    n = 0;
    for (hlo_computation *k = module->first; k; k = k->next)
        for (hlo_instr *i = k->first; i; i = i->next) {
            hlo_computation *called;
            for (uint32_t j = 0; (called = hlo_called(i, j)); j++) {
                c->links[++n].caller = i;
                c->links[n].next = c->first[called->id];
                c->first[called->id] = n;
            }
        }
}

static void callers_free(callers *c) {
    hlo_free(c->links);
    hlo_free(c->first);
}

static void add_parameters(hlo_dot_worklist *a, const hlo_instr *caller) {
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(caller, k)); k++)
        for (hlo_instr *i = called->first; i; i = i->next)
            if (i->opcode == HLO_OP_PARAMETER) hlo_dot_worklist_add(a, i);
}

/* Values flow to users, into what a user calls, and from a root to the callers. */
static void flow_down(hlo_dot_worklist *a, const callers *c) {
    for (uint32_t at = 0; at < a->n; at++) {
        const hlo_instr *instr = a->v[at];
        for (const hlo_use *use = instr->first_use; use; use = use->next) {
            hlo_dot_worklist_add(a, use->user);
            add_parameters(a, use->user);
        }
        if (instr != instr->parent->root) continue;
        for (uint32_t l = c->first[instr->parent->id]; l; l = c->links[l].next)
            hlo_dot_worklist_add(a, c->links[l].caller);
    }
}

static void flow_up(hlo_dot_worklist *a, const callers *c) {
    for (uint32_t at = 0; at < a->n; at++) {
        const hlo_instr *instr = a->v[at];
        for (uint32_t i = 0; i < instr->operand_count; i++)
            hlo_dot_worklist_add(a, hlo_operand(instr, i));
        hlo_computation *called;
        for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
            if (called->root) hlo_dot_worklist_add(a, called->root);
        if (instr->opcode != HLO_OP_PARAMETER) continue;
        for (uint32_t l = c->first[instr->parent->id]; l; l = c->links[l].next)
            for (uint32_t i = 0; i < c->links[l].caller->operand_count; i++)
                hlo_dot_worklist_add(a, hlo_operand(c->links[l].caller, i));
    }
}

hlo_status hlo_dot_choose_paths(hlo_dot_worklist *a, const hlo_graph_options *options,
                                hlo_diags *diags) {
    if (!options->from || !options->to) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
                  "paths require both a start and an end");
        return HLO_BAD_USE;
    }
    hlo_instr *from = hlo_dot_find_instr(a->s->module, options->from, diags);
    hlo_instr *to = from ? hlo_dot_find_instr(a->s->module, options->to, diags) : NULL;
    if (!to) return HLO_BAD_USE;
    callers c;
    callers_init(&c, a->s->module);
    hlo_dot_worklist down, up;
    hlo_dot_worklist_init(&down, a->s);
    hlo_dot_worklist_init(&up, a->s);
    hlo_dot_worklist_add(&down, from);
    flow_down(&down, &c);
    hlo_dot_worklist_add(&up, to);
    flow_up(&up, &c);
    for (uint32_t i = 0; i < down.n; i++)
        if (up.seen[hlo_dot_number(a->s, down.v[i])]) hlo_dot_worklist_add(a, down.v[i]);
    hlo_dot_worklist_free(&down);
    hlo_dot_worklist_free(&up);
    callers_free(&c);
    if (a->n) return HLO_OK;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0}, "no path leads from '%s' to '%s'",
              options->from, options->to);
    return HLO_BAD_USE;
}
