/* What is so many edges above and below an instruction. Elements of tuples, and the edges into and
 * out of a body that is drawn in the place of a fusion, count as no step. */
#include "graph/model/worklist.h"

/* Instructions at one distance, and those at the next. */
typedef struct {
    hlo_dot_worklist *chosen;
    hlo_instr **now, **next;
    uint32_t now_count, next_count;
} walk;

static bool is_passed(const walk *w, const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && !w->chosen->s->expand;
}

static void reach_instr(walk *w, hlo_instr *instr) {
    if (!hlo_dot_worklist_add(w->chosen, instr)) return;
    if (is_passed(w, instr)) w->now[w->now_count++] = instr;
    else w->next[w->next_count++] = instr;
}

static hlo_instr *leave(const walk *w, const hlo_instr *instr) {
    hlo_instr *caller = hlo_dot_place_of(w->chosen->s, instr->parent);
    if (caller) hlo_dot_worklist_add(w->chosen, caller);
    return caller;
}

static void step_up(walk *w, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) reach_instr(w, hlo_operand(instr, i));
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
        reach_instr(w, control->u.instructions->v[k]);
    if (instr->opcode != HLO_OP_PARAMETER) return;
    const hlo_instr *caller = leave(w, instr);
    int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    if (caller && number >= 0 && number < caller->operand_count)
        reach_instr(w, hlo_operand(caller, (uint32_t)number));
}

static void step_down(walk *w, const hlo_instr *instr) {
    for (const hlo_use *use = instr->first_use; use; use = use->next) reach_instr(w, use->user);
    if (instr != instr->parent->root) return;
    const hlo_instr *caller = leave(w, instr);
    for (const hlo_use *use = caller ? caller->first_use : NULL; use; use = use->next)
        reach_instr(w, use->user);
}

static void spread(walk *w, hlo_instr *centre, uint64_t steps,
                   void (*step)(walk *w, const hlo_instr *instr)) {
    w->now[0] = centre;
    w->now_count = 1;
    for (uint64_t distance = 0; distance < steps && w->now_count; distance++) {
        w->next_count = 0;
        for (uint32_t i = 0; i < w->now_count; i++) step(w, w->now[i]);
        hlo_instr **reached = w->next;
        w->next = w->now;
        w->now = reached;
        w->now_count = w->next_count;
    }
}

hlo_status hlo_dot_choose_around(hlo_dot_worklist *a, const hlo_graph_options *options,
                                 hlo_diags *diags) {
    hlo_instr *centre = hlo_dot_find_instr(a->s->module, options->around, diags);
    if (!centre) return HLO_BAD_USE;
    walk w = {.chosen = a};
    w.now = hlo_calloc(a->s->total + 1, sizeof(hlo_instr *));
    w.next = hlo_calloc(a->s->total + 1, sizeof(hlo_instr *));
    a->s->centre = centre;
    hlo_dot_worklist_add(a, centre);
    spread(&w, centre, options->up == UINT64_MAX ? options->radius : options->up, step_up);
    spread(&w, centre, options->down == UINT64_MAX ? options->radius : options->down, step_down);
    hlo_free(w.now);
    hlo_free(w.next);
    return HLO_OK;
}
