/* cse: what is computed twice is computed once. First computations that do the same become one, so
 * that calls of them are the same; then instructions of one computation do. What has a side effect,
 * an opt-barrier, and start, update and done of asynchronous operations stay. */
#include "analysis/equal.h"
#include "passes/pipeline/rewrite.h"

typedef struct {
    const hlo_pass_call *call;
    hlo_rewriter *rewriter;
    hlo_call_graph graph;
    HLO_LIST(hlo_instr *) entered; /* of one computation */
    hlo_hash by_hash;              /* numbers of those, from 1 */
    bool changed;
} merging;

/* ---- computations ---- */

/* A fusion owns its body, an asynchronous operation too; the entry has a separate role. */
static bool may_be_shared(const hlo_computation *c) {
    return !c->is_fusion_body && !c->is_async_body && c != c->module->entry;
}

/* Puts the first computation of its kind in the place of each one that is called. */
static void redirect(hlo_instr *instr, hlo_computation *const *first) {
    hlo_arena *arena = &instr->parent->module->arena;
    for (uint32_t a = 0; a < instr->attr_count; a++) {
        hlo_attr *attr = &instr->attrs[a];
        hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
        if (kind == HLO_KIND_COMPUTATION) {
            attr->u.computation = first[attr->u.computation->id];
        } else if (kind == HLO_KIND_COMPUTATIONS) {
            const hlo_computations *old = attr->u.computations;
            hlo_computations *new_list =
                hlo_arena_copy(arena, old, sizeof *old + old->n * sizeof old->v[0]);
            for (uint32_t i = 0; i < old->n; i++) new_list->v[i] = first[old->v[i]->id];
            attr->u.computations = new_list;
        }
    }
}

static bool calls_one_that_goes(const hlo_instr *instr, hlo_computation *const *first) {
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (first[called->id] != called) return true;
    return false;
}

/* Decides which computation stands for which, and counts; the ones that go are put on a list. */
static uint32_t choose_computations(merging *m, const uint32_t *kinds, hlo_computation **first,
                                    hlo_computation **going) {
    uint32_t n = 0;
    for (hlo_computation *c = m->call->module->first; c; c = c->next) first[c->id] = c;
    for (uint32_t i = m->graph.count; i-- > 0;) {
        hlo_computation *c = m->graph.order[i], *other = first[kinds[c->id]];
        if (other == c || !may_be_shared(c) || !may_be_shared(other)) continue;
        if (!hlo_rewrite_allowed(m->rewriter, HLO_REWRITE_same_computation)) break;
        hlo_rewrite_count(m->rewriter, HLO_REWRITE_same_computation, c->name);
        first[c->id] = other;
        going[n++] = c;
    }
    return n;
}

static void merge_computations(merging *m) {
    hlo_module *module = m->call->module;
    uint32_t *kinds = hlo_computation_kinds(module, &m->graph);
    hlo_computation **first = hlo_calloc(module->next_id + 1, sizeof *first);
    hlo_computation **going = hlo_calloc(module->computation_count + 1, sizeof *going);
    uint32_t n = choose_computations(m, kinds, first, going);
    for (hlo_computation *c = module->first; n && c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (calls_one_that_goes(i, first)) redirect(i, first);
    for (uint32_t i = 0; i < n; i++) hlo_computation_remove(going[i]);
    m->changed |= n != 0;
    hlo_free(kinds);
    hlo_free(first);
    hlo_free(going);
}

/* ---- instructions ---- */

/* The instruction before `instr` that computes the same, or NULL after entering it. */
static hlo_instr *find_or_enter(merging *m, hlo_instr *instr) {
    uint64_t hash = hlo_computes_hash(instr);
    hlo_hash_each (number, &m->by_hash, hash)
        if (hlo_computes_same(m->entered.v[number - 1], instr)) return m->entered.v[number - 1];
    hlo_list_push(&m->entered, instr);
    hlo_hash_add(&m->by_hash, hash, m->entered.n);
    return NULL;
}

static void merge_instructions(merging *m, hlo_computation *c) {
    for (hlo_instr *i = c->first, *next; i; i = next) {
        next = i->next;
        if (!hlo_may_be_merged(&m->graph, i)) continue;
        hlo_rewriter_aim(m->rewriter, i);
        hlo_instr *same = find_or_enter(m, i);
        if (same && hlo_rewrite_replace(m->rewriter, HLO_REWRITE_same_instruction, i, same))
            m->changed = true;
    }
    hlo_list_free(&m->entered);
    hlo_hash_free(&m->by_hash);
}

hlo_pass_result hlo_pass_cse(const hlo_pass_call *call) {
    merging m = {.call = call, .rewriter = call->rewriter};
    hlo_call_graph_init(&m.graph, call->module);
    if (hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_same_computation)) {
        merge_computations(&m);
        hlo_call_graph_free(&m.graph);
        hlo_call_graph_init(&m.graph, call->module);
    }
    for (uint32_t n = m.graph.count; n-- > 0;) {
        if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_same_instruction)) break;
        merge_instructions(&m, m.graph.order[n]);
    }
    hlo_call_graph_free(&m.graph);
    return m.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
