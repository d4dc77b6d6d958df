/* Selections: the whole module, one computation, the surroundings of an instruction, or the paths
 * between two, down to a depth of calls and up to a number of nodes. Linear, and without recursion.
 */
#include "graph/model/select.h"

#include "graph/model/worklist.h"
#include "ir/name_search.h"

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

/* ---- names ---- */

hlo_instr *hlo_dot_find_instr(const hlo_module *module, const char *name, hlo_diags *diags) {
    hlo_instr *found = hlo_instr_named(module, name);
    if (found) return found;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
              "the module has no instruction named '%s'", name);
    hlo_hint_at_instr(diags, module, hlo_without_percent(name));
    return NULL;
}

hlo_computation *hlo_dot_find_computation(const hlo_module *module, const char *name,
                                          hlo_diags *diags) {
    hlo_computation *found = hlo_computation_named(module, name);
    if (!found && strcmp(name, "ENTRY") == 0) found = module->entry;
    if (found) return found;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
              "the module has no computation named '%s'", name);
    hlo_hint_at_computation(diags, module, hlo_without_percent(name));
    return NULL;
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
static void follow_calls(hlo_dot_worklist *a, const following *f) {
    bool *visited = hlo_calloc(a->s->module->next_id + 1, sizeof *visited);
    for (uint32_t i = 0; i < a->n; i++) visited[a->v[i]->parent->id] = true;
    uint32_t at = 0;
    for (uint64_t level = 0; level < f->depth && at < a->n; level++)
        for (uint32_t end = a->n; at < end; at++) {
            hlo_computation *called;
            if (!is_followed(f, a->v[at])) continue;
            for (uint32_t k = 0; (called = hlo_called(a->v[at], k)); k++) {
                if (visited[called->id] || a->s->is_line[called->id]) continue;
                visited[called->id] = true;
                for (hlo_instr *i = called->first; i; i = i->next) hlo_dot_worklist_add(a, i);
            }
        }
    hlo_free(visited);
}

static void add_computation(hlo_dot_worklist *a, const hlo_computation *c) {
    for (hlo_instr *i = c->first; i; i = i->next) hlo_dot_worklist_add(a, i);
}

/* Where drawing starts; what is called from there comes later. */
static hlo_status choose_start(hlo_dot_worklist *a, const hlo_graph_options *options, bool follows,
                               hlo_diags *diags) {
    hlo_module *module = a->s->module;
    if (options->around) return hlo_dot_choose_around(a, options, diags);
    if (options->from || options->to) return hlo_dot_choose_paths(a, options, diags);
    if (options->computation) {
        const hlo_computation *c = hlo_dot_find_computation(module, options->computation, diags);
        if (!c) return HLO_BAD_USE;
        add_computation(a, c);
    } else if (options->entry_only || follows) {
        if (!hlo_dot_find_computation(module, "ENTRY", diags)) return HLO_BAD_USE;
        add_computation(a, module->entry);
    } else {
        for (hlo_computation *c = module->first; c; c = c->next)
            if (!a->s->is_line[c->id]) add_computation(a, c);
    }
    return HLO_OK;
}

/* ---- the whole ---- */

static bool is_some_kept(const hlo_dot_selection *s, const hlo_computation *c) {
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (s->kept[hlo_dot_number(s, i)]) return true;
    return false;
}

/* A body of which something is drawn has its result and its parameters, which edges pass. */
static void complete_bodies(hlo_dot_selection *s) {
    for (hlo_computation *c = s->module->first; c; c = c->next) {
        const hlo_instr *caller = hlo_dot_place_of(s, c);
        if (!caller || !s->kept[hlo_dot_number(s, caller)] || !is_some_kept(s, c)) continue;
        s->kept[hlo_dot_number(s, c->root)] = true;
        for (uint32_t k = 0; k < c->parameter_count; k++)
            s->kept[hlo_dot_number(s, c->parameters[k])] = true;
    }
}

static void count_kept(hlo_dot_selection *s) {
    for (hlo_computation *c = s->module->first; c; c = c->next) {
        for (hlo_instr *i = c->first; i; i = i->next)
            s->kept_count[c->id] += s->kept[hlo_dot_number(s, i)];
        s->drawn[c->id] = s->kept_count[c->id] > 0;
    }
}

static void keep(hlo_dot_selection *s, hlo_dot_worklist *chosen, const hlo_graph_options *options) {
    if (options->max_nodes) hlo_dot_keep_nearest(s, chosen, options);
    else
        for (uint32_t i = 0; i < chosen->n; i++) s->kept[hlo_dot_number(s, chosen->v[i])] = true;
    complete_bodies(s);
    count_kept(s);
    hlo_dot_give_roles(s);
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
    hlo_dot_find_callers(s);
    bool paths = options->from || options->to;
    bool by_depth = options->depth != UINT64_MAX;
    bool follows = by_depth || options->collapse_while;
    following f = {.calls = by_depth || !(options->entry_only || options->computation ||
                                          options->around || paths),
                   .into_while = !options->collapse_while,
                   .depth = options->depth};
    hlo_dot_worklist chosen;
    hlo_dot_worklist_init(&chosen, s);
    hlo_status status = choose_start(&chosen, options, follows, diags);
    if (status == HLO_OK) {
        /* A path that leads through a fusion shows what it touches of the body. */
        if (!paths || by_depth) follow_calls(&chosen, &f);
        keep(s, &chosen, options);
    }
    hlo_dot_worklist_free(&chosen);
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
    hlo_free(s->callers);
    hlo_free(s->caller);
    hlo_free(s->is_line);
    hlo_free(s->opened);
    hlo_free(s->roles);
}
