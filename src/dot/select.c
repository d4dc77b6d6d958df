/* Selections: the whole module, one computation, the surroundings of an instruction, or the paths
 * between two, down to a depth of calls and up to a number of nodes. Linear, and without recursion.
 * Called by graph.c. */
#include "dot/select.h"
#include "ir/name_search.h"

/* A list of instructions to visit; an instruction enters it once. */
typedef struct {
    hlo_dot_selection *s;
    hlo_instr **v;
    uint32_t n;
    bool *seen; /* by number */
} agenda;

static void agenda_init(agenda *a, hlo_dot_selection *s) {
    *a = (agenda){.s = s};
    a->v = hlo_calloc(s->total + 1, sizeof(hlo_instr *));
    a->seen = hlo_calloc(s->total + 1, sizeof *a->seen);
}

static void agenda_free(agenda *a) {
    hlo_free(a->v);
    hlo_free(a->seen);
}

static void add(agenda *a, hlo_instr *instr) {
    bool *seen = &a->seen[hlo_dot_number(a->s, instr)];
    if (*seen) return;
    *seen = true;
    a->v[a->n++] = instr;
}

/* ---- numbers and marks ---- */

static void number_instructions(hlo_dot_selection *s) {
    for (hlo_computation *c = s->module->first; c; c = c->next) {
        hlo_number_instructions(c);
        s->base[c->id] = s->total;
        s->total += c->instr_count;
    }
}

static void mark_control(hlo_dot_selection *s) {
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
            if (!control) continue;
            s->tied[hlo_dot_number(s, i)] = true;
            for (uint32_t k = 0; k < control->u.instructions->n; k++)
                s->tied[hlo_dot_number(s, control->u.instructions->v[k])] = true;
        }
}

bool hlo_dot_is_inlined(const hlo_dot_selection *s, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_CONSTANT || !hlo_shape_is_array(instr->shape)) return false;
    int64_t elements = hlo_shape_elements(instr->shape);
    return instr->first_use && instr->parent->root != instr && !s->tied[hlo_dot_number(s, instr)] &&
           elements >= 0 && elements <= HLO_DOT_SMALL_CONSTANT;
}

bool hlo_dot_is_folded(const hlo_dot_selection *s, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT || s->expand) return false;
    return instr->first_use && instr->parent->root != instr && !s->tied[hlo_dot_number(s, instr)] &&
           s->kept[hlo_dot_number(s, hlo_operand(instr, 0))];
}

/* ---- names ---- */

static hlo_status no_such_instruction(const hlo_module *module, const char *name,
                                      hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
              "the module has no instruction named '%s'", name);
    hlo_hint_at_instr(diags, module, hlo_without_percent(name));
    return HLO_BAD_USE;
}

static hlo_status no_such_computation(const hlo_module *module, const char *name,
                                      hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
              "the module has no computation named '%s'", name);
    hlo_hint_at_computation(diags, module, hlo_without_percent(name));
    return HLO_BAD_USE;
}

/* ---- the surroundings of an instruction ---- */

static void add_neighbours(agenda *a, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) add(a, hlo_operand(instr, i));
    for (const hlo_use *use = instr->first_use; use; use = use->next) add(a, use->user);
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
        add(a, control->u.instructions->v[k]);
}

static hlo_status choose_around(agenda *a, const hlo_graph_options *options, hlo_diags *diags) {
    hlo_instr *centre = hlo_instr_named(a->s->module, options->around);
    if (!centre) return no_such_instruction(a->s->module, options->around, diags);
    add(a, centre);
    uint32_t at = 0;
    for (uint32_t step = 0; step < options->radius && at < a->n; step++)
        for (uint32_t end = a->n; at < end; at++) add_neighbours(a, a->v[at]);
    return HLO_OK;
}

/* ---- the paths between two instructions ---- */

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

static void add_parameters(agenda *a, const hlo_instr *caller) {
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(caller, k)); k++)
        for (hlo_instr *i = called->first; i; i = i->next)
            if (i->opcode == HLO_OP_PARAMETER) add(a, i);
}

/* Values flow to users, into what a user calls, and from a root to the callers. */
static void flow_down(agenda *a, const callers *c) {
    for (uint32_t at = 0; at < a->n; at++) {
        const hlo_instr *instr = a->v[at];
        for (const hlo_use *use = instr->first_use; use; use = use->next) {
            add(a, use->user);
            add_parameters(a, use->user);
        }
        if (instr != instr->parent->root) continue;
        for (uint32_t l = c->first[instr->parent->id]; l; l = c->links[l].next)
            add(a, c->links[l].caller);
    }
}

static void flow_up(agenda *a, const callers *c) {
    for (uint32_t at = 0; at < a->n; at++) {
        const hlo_instr *instr = a->v[at];
        for (uint32_t i = 0; i < instr->operand_count; i++) add(a, hlo_operand(instr, i));
        hlo_computation *called;
        for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
            if (called->root) add(a, called->root);
        if (instr->opcode != HLO_OP_PARAMETER) continue;
        for (uint32_t l = c->first[instr->parent->id]; l; l = c->links[l].next)
            for (uint32_t i = 0; i < c->links[l].caller->operand_count; i++)
                add(a, hlo_operand(c->links[l].caller, i));
    }
}

static hlo_status choose_paths(agenda *a, const hlo_graph_options *options, hlo_diags *diags) {
    if (!options->from || !options->to) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
                  "paths require both a start and an end");
        return HLO_BAD_USE;
    }
    hlo_instr *from = hlo_instr_named(a->s->module, options->from);
    if (!from) return no_such_instruction(a->s->module, options->from, diags);
    hlo_instr *to = hlo_instr_named(a->s->module, options->to);
    if (!to) return no_such_instruction(a->s->module, options->to, diags);
    callers c;
    callers_init(&c, a->s->module);
    agenda down, up;
    agenda_init(&down, a->s);
    agenda_init(&up, a->s);
    add(&down, from);
    flow_down(&down, &c);
    add(&up, to);
    flow_up(&up, &c);
    for (uint32_t i = 0; i < down.n; i++)
        if (up.seen[hlo_dot_number(a->s, down.v[i])]) add(a, down.v[i]);
    agenda_free(&down);
    agenda_free(&up);
    callers_free(&c);
    if (a->n) return HLO_OK;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0}, "no path leads from '%s' to '%s'",
              options->from, options->to);
    return HLO_BAD_USE;
}

/* ---- what is called ---- */

typedef struct {
    bool calls;      /* follow every call, not only those of fusions */
    bool into_while; /* follow those of loops */
    uint64_t depth;  /* of calls */
} following;

static bool is_followed(const following *f, const hlo_instr *caller) {
    if (caller->opcode == HLO_OP_WHILE && !f->into_while) return false;
    return f->calls || caller->opcode == HLO_OP_FUSION;
}

/* Appends all instructions of the called computations, level by level. */
static void follow_calls(agenda *a, const following *f) {
    bool *visited = hlo_calloc(a->s->module->next_id + 1, sizeof *visited);
    for (uint32_t i = 0; i < a->n; i++) visited[a->v[i]->parent->id] = true;
    uint32_t at = 0;
    for (uint64_t level = 0; level < f->depth && at < a->n; level++)
        for (uint32_t end = a->n; at < end; at++) {
            hlo_computation *called;
            if (!is_followed(f, a->v[at])) continue;
            for (uint32_t k = 0; (called = hlo_called(a->v[at], k)); k++) {
                if (visited[called->id]) continue;
                visited[called->id] = true;
                for (hlo_instr *i = called->first; i; i = i->next) add(a, i);
            }
        }
    hlo_free(visited);
}

static void add_computation(agenda *a, const hlo_computation *c) {
    for (hlo_instr *i = c->first; i; i = i->next) add(a, i);
}

/* Where drawing starts; what is called from there comes later. */
static hlo_status choose_start(agenda *a, const hlo_graph_options *options, bool follows,
                               hlo_diags *diags) {
    hlo_module *module = a->s->module;
    if (options->around) return choose_around(a, options, diags);
    if (options->from || options->to) return choose_paths(a, options, diags);
    if (options->computation) {
        const hlo_computation *c = hlo_computation_named(module, options->computation);
        if (!c) return no_such_computation(module, options->computation, diags);
        add_computation(a, c);
    } else if (options->entry_only || follows) {
        if (!module->entry) return no_such_computation(module, "ENTRY", diags);
        add_computation(a, module->entry);
    } else {
        for (hlo_computation *c = module->first; c; c = c->next) add_computation(a, c);
    }
    return HLO_OK;
}

/* ---- so many nodes and no more ---- */

/* The nodes nearest to where drawing starts: from an instruction outwards, else from the root
 * upwards and into what is called. What is dead comes last. */
static void keep_nearest(hlo_dot_selection *s, agenda *chosen, const hlo_graph_options *options) {
    agenda near;
    agenda_init(&near, s);
    bool spreads = options->around || options->from;
    if (!spreads && chosen->n && chosen->v[0]->parent->root) {
        hlo_computation *start = chosen->v[0]->parent;
        if (!options->computation && s->module->entry) start = s->module->entry;
        if (start->root) add(&near, start->root);
    }
    uint64_t left = options->max_nodes;
    uint32_t next = 0;
    for (uint32_t at = 0; left; at++) {
        while (at == near.n && next < chosen->n) add(&near, chosen->v[next++]);
        if (at == near.n) break;
        const hlo_instr *instr = near.v[at];
        uint32_t number = hlo_dot_number(s, instr);
        if (!chosen->seen[number]) continue;
        s->kept[number] = true;
        if (!hlo_dot_is_inlined(s, instr)) left--;
        if (spreads) continue;
        hlo_computation *called;
        for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
            if (called->root) add(&near, called->root);
        for (uint32_t i = 0; i < instr->operand_count; i++) add(&near, hlo_operand(instr, i));
    }
    agenda_free(&near);
}

/* ---- the whole ---- */

static void keep(hlo_dot_selection *s, agenda *chosen, const hlo_graph_options *options) {
    if (options->max_nodes) keep_nearest(s, chosen, options);
    else
        for (uint32_t i = 0; i < chosen->n; i++) s->kept[hlo_dot_number(s, chosen->v[i])] = true;
    for (uint32_t i = 0; i < chosen->n; i++) {
        uint32_t id = chosen->v[i]->parent->id;
        if (!s->kept[hlo_dot_number(s, chosen->v[i])]) continue;
        s->drawn[id] = true;
        s->kept_count[id]++;
    }
}

hlo_status hlo_dot_select(hlo_dot_selection *s, hlo_module *module,
                          const hlo_graph_options *options, hlo_diags *diags) {
    *s = (hlo_dot_selection){.module = module, .expand = options->expand_tuples};
    s->base = hlo_calloc(module->next_id + 1, sizeof *s->base);
    s->drawn = hlo_calloc(module->next_id + 1, sizeof *s->drawn);
    s->kept_count = hlo_calloc(module->next_id + 1, sizeof *s->kept_count);
    number_instructions(s);
    s->kept = hlo_calloc(s->total + 1, sizeof *s->kept);
    s->tied = hlo_calloc(s->total + 1, sizeof *s->tied);
    mark_control(s);
    bool paths = options->from || options->to;
    bool by_depth = options->depth != UINT64_MAX;
    bool follows = by_depth || options->collapse_while;
    following f = {.calls = by_depth || !(options->entry_only || options->computation ||
                                          options->around || paths),
                   .into_while = !options->collapse_while,
                   .depth = options->depth};
    agenda chosen;
    agenda_init(&chosen, s);
    hlo_status status = choose_start(&chosen, options, follows, diags);
    if (status == HLO_OK) {
        /* A path that leads through a fusion shows what it touches of the body. */
        if (!paths || by_depth) follow_calls(&chosen, &f);
        keep(s, &chosen, options);
    }
    agenda_free(&chosen);
    return status;
}

static bool has_instr(const hlo_module *module, const char *name) {
    return !name || hlo_instr_named(module, name);
}

bool hlo_dot_has_selected(const hlo_module *module, const hlo_graph_options *options) {
    return has_instr(module, options->around) && has_instr(module, options->from) &&
           has_instr(module, options->to) &&
           (!options->computation || hlo_computation_named(module, options->computation));
}

void hlo_dot_selection_free(hlo_dot_selection *s) {
    hlo_free(s->base);
    hlo_free(s->kept);
    hlo_free(s->tied);
    hlo_free(s->drawn);
    hlo_free(s->kept_count);
}
