/* flatten-call-graph: every call, loop and conditional gets separate computations. */
#include "analysis/call_graph.h"
#include "passes/control_flow/flatten.h"

typedef struct {
    const hlo_pass_call *call;
    hlo_rewrite_id id;
    int64_t most;
    HLO_LIST(bool) taken; /* by id: it has a caller already */
    HLO_LIST(hlo_computation *) worklist;
    int64_t size;
    bool changed, ended;
} flattening;

static bool is_control(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_CALL || instr->opcode == HLO_OP_WHILE ||
           instr->opcode == HLO_OP_CONDITIONAL || instr->opcode == HLO_OP_ASYNC_START;
}

static void take_computation(flattening *f, const hlo_computation *c) {
    while (f->taken.n <= c->id) hlo_list_push(&f->taken, false);
    f->taken.v[c->id] = true;
}

/* The computation itself for the first who asks, copies for the others; itself again when there is
 * no space for more. */
static hlo_computation *own_copy(flattening *f, hlo_computation *c) {
    hlo_rewriter *r = f->call->rewriter;
    if (c->id < f->taken.n && f->taken.v[c->id]) {
        if (f->size + c->instr_count > f->most) f->ended = true;
        if (f->ended || !hlo_rewrite_allowed(r, f->id)) return c;
        hlo_rewrite_count(r, f->id, c->name);
        f->size += c->instr_count;
        f->changed = true;
        c = hlo_computation_clone(c, "clone");
    }
    take_computation(f, c);
    hlo_list_push(&f->worklist, c);
    return c;
}

static void give_own(flattening *f, hlo_instr *instr) {
    hlo_arena *arena = &f->call->module->arena;
    for (uint32_t a = 0; a < instr->attr_count; a++) {
        hlo_attr *attr = &instr->attrs[a];
        if (hlo_attr_table[attr->id].kind == HLO_KIND_COMPUTATION) {
            attr->u.computation = own_copy(f, attr->u.computation);
        } else if (hlo_attr_table[attr->id].kind == HLO_KIND_COMPUTATIONS) {
            const hlo_computations *old = attr->u.computations;
            hlo_computations *list =
                hlo_arena_copy(arena, old, sizeof *old + old->n * sizeof old->v[0]);
            for (uint32_t i = 0; i < list->n; i++) list->v[i] = own_copy(f, list->v[i]);
            attr->u.computations = list;
        }
    }
}

/* What reductions, sorts and the like apply stays theirs. */
static void take_applied(flattening *f) {
    for (hlo_computation *c = f->call->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            hlo_computation *called;
            for (uint32_t k = 0; !is_control(i) && (called = hlo_called(i, k)); k++)
                take_computation(f, called);
        }
}

/* ---- how large it gets ---- */

int64_t hlo_growth_limit(const hlo_module *module, int64_t times) {
    HLO_ASSERT(times > 0);
    enum { AT_LEAST = 4096 };
    int64_t size = 0, most;
    for (const hlo_computation *c = module->first; c; c = c->next) size += c->instr_count;
    if (times < 1) times = 1;
    if (__builtin_mul_overflow(size, times, &most)) return INT64_MAX;
    return most > AT_LEAST || times == 1 ? most : AT_LEAST;
}

static int64_t add_up(int64_t a, int64_t b) {
    return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a;
}

/* How often there is each computation, by id: callers come first. */
static void count_copies(const hlo_call_graph *graph, int64_t *copies) {
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *c = graph->order[n];
        if (!graph->caller[c->id]) copies[c->id] = 1;
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0; k < hlo_called_count(i); k++) {
                int64_t *called = &copies[hlo_called(i, k)->id];
                *called = is_control(i) ? add_up(*called, copies[c->id]) : *called ? *called : 1;
            }
    }
}

int64_t hlo_flattened_size(hlo_module *module) {
    hlo_call_graph graph;
    int64_t size = 0, *copies = hlo_calloc(module->next_id + 1u, sizeof *copies);
    hlo_call_graph_init(&graph, module);
    count_copies(&graph, copies);
    for (uint32_t n = 0; n < graph.count; n++) {
        int64_t all;
        const hlo_computation *c = graph.order[n];
        if (__builtin_mul_overflow(copies[c->id], (int64_t)c->instr_count, &all)) all = INT64_MAX;
        size = add_up(size, all);
    }
    hlo_call_graph_free(&graph);
    hlo_free(copies);
    return size;
}

/* ---- the pass ---- */

hlo_pass_result hlo_flatten_calls(const hlo_pass_call *call, hlo_rewrite_id id, int64_t most) {
    flattening f = {.call = call, .id = id, .most = most};
    if (!call->module->entry) return HLO_UNCHANGED;
    while (f.taken.n < call->module->next_id) hlo_list_push(&f.taken, false);
    for (hlo_computation *c = call->module->first; c; c = c->next) f.size += c->instr_count;
    take_applied(&f);
    take_computation(&f, call->module->entry);
    hlo_list_push(&f.worklist, call->module->entry);
    while (f.worklist.n) {
        hlo_computation *c = hlo_list_pop(&f.worklist);
        for (hlo_instr *i = c->first; i; i = i->next)
            if (is_control(i)) give_own(&f, i);
    }
    if (f.ended)
        hlo_warning(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
                    "%s: some computations remain shared, as the module would have more than %lld "
                    "instructions; max_growth sets the limit",
                    hlo_passes[call->pass].name, (long long)most);
    hlo_list_free(&f.taken);
    hlo_list_free(&f.worklist);
    return f.changed ? HLO_CHANGED : HLO_UNCHANGED;
}

hlo_pass_result hlo_pass_flatten_call_graph(const hlo_pass_call *call) {
    return hlo_flatten_calls(
        call, HLO_REWRITE_own_computation,
        hlo_growth_limit(call->module, HLO_OPTION(call, FLATTEN_CALL_GRAPH, max_growth)));
}
