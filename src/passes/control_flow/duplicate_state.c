/* Elements of a loop's state that always have the same value. First all with equal initial values
 * are taken for one, then those go apart that the body computes differently, until nothing changes.
 */
#include <stdlib.h>

#include "analysis/equal.h"
#include "analysis/iteration_count.h"
#include "passes/control_flow/loop_state.h"

enum { MOST_ITERATIONS = 8 }; /* what has not settled by then stays as it is */

typedef struct {
    const hlo_call_graph *graph;
    hlo_computation *body;
    uint32_t n;
    uint32_t *first;              /* of element i: the first one of its group */
    HLO_LIST(hlo_instr *) firsts; /* of instructions that compute the same */
    hlo_hash by_hash;             /* numbers of those, from 1 */
} duplicates;

/* ---- groups ---- */

typedef struct {
    uint64_t group, key; /* a finer group is both */
    uint32_t element;
} member;

static int by_group(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->element < y->element ? -1 : x->element > y->element;
}

/* Members of one group and key become one; whether that made a difference. */
static bool regroup(duplicates *t, member *members) {
    bool changed = false;
    uint32_t first = 0;
    qsort(members, t->n, sizeof *members, by_group);
    for (uint32_t k = 0; k < t->n; k++) {
        bool starts = k == 0 || members[k].group != members[k - 1].group ||
                      members[k].key != members[k - 1].key;
        if (starts) first = members[k].element;
        changed |= t->first[members[k].element] != first;
        t->first[members[k].element] = first;
    }
    return changed;
}

/* By what the loop starts with; whether there are twins. */
static bool group_by_start(duplicates *t, const hlo_instr *loop, member *members) {
    for (uint32_t i = 0; i < t->n; i++) {
        hlo_instr *init = hlo_state_start(loop, i);
        members[i] = (member){(uintptr_t)loop->shape->elements[i], (uintptr_t)init, i};
        if (!init) members[i].key = i; /* below any address */
        t->first[i] = i;
    }
    return regroup(t, members);
}

/* ---- what the body computes equally ---- */

/* Elements get their group's number, other instructions the number of the first equivalent one. */
static void number_by_value(duplicates *t, hlo_instr *instr, uint32_t own) {
    instr->index = own;
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
        hlo_operand(instr, 0) == t->body->parameters[0]) {
        instr->index = t->first[hlo_attr_int(instr, HLO_ATTR_INDEX)];
        return;
    }
    if (!hlo_may_be_merged(t->graph, instr)) return;
    uint64_t hash = hlo_computes_hash_by_index(instr);
    hlo_hash_each (number, &t->by_hash, hash) {
        const hlo_instr *other = t->firsts.v[number - 1];
        if (!hlo_computes_same_by_index(instr, other)) continue;
        instr->index = other->index;
        return;
    }
    hlo_list_push(&t->firsts, instr);
    hlo_hash_add(&t->by_hash, hash, t->firsts.n);
}

static void number_body(duplicates *t) {
    uint32_t own = t->n;
    t->firsts.n = 0;
    hlo_hash_clear(&t->by_hash);
    for (hlo_instr *i = t->body->first; i; i = i->next) number_by_value(t, i, own++);
}

/* Whether some groups remain that the body keeps together. */
static bool settle(duplicates *t, member *members) {
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        number_body(t);
        for (uint32_t i = 0; i < t->n; i++)
            members[i] = (member){t->first[i], hlo_operand(t->body->root, i)->index, i};
        if (regroup(t, members)) continue;
        for (uint32_t i = 0; i < t->n; i++)
            if (t->first[i] != i) return true;
        return false;
    }
    return false;
}

/* ---- one for all ---- */

/* Readers of a twin read the first of its group. */
static bool redirect(const duplicates *t, const hlo_rewriter *r, const hlo_instr *tuple) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple->shape));
    bool changed = false;
    for (const hlo_use *use = tuple->first_use; use; use = use->next) {
        hlo_instr *reader = use->user;
        if (reader->opcode != HLO_OP_GET_TUPLE_ELEMENT || hlo_is_tied(r, reader) ||
            hlo_instr_attr(reader, HLO_ATTR_SHARDING))
            continue;
        int64_t i = hlo_attr_int(reader, HLO_ATTR_INDEX);
        if (t->first[i] == i) continue;
        hlo_instr_set_attr(reader, hlo_attr_of_int(HLO_ATTR_INDEX, t->first[i]));
        changed = true;
    }
    return changed;
}

/* Users of the whole state first get a tuple of its elements. */
static bool give_first(const duplicates *t, hlo_rewriter *r, hlo_instr *loop) {
    hlo_instr **own = hlo_calloc(t->n + 1u, sizeof *own);
    bool changed = hlo_loop_give_tuple(r, loop, own);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_free(own);
    changed |= redirect(t, r, t->body->parameters[0]);
    changed |= redirect(t, r, hlo_called(loop, 1)->parameters[0]);
    changed |= redirect(t, r, loop);
    return changed;
}

static bool merge(duplicates *t, hlo_rewriter *r, hlo_rewrite_id id, hlo_instr *loop,
                  member *members) {
    if (!group_by_start(t, loop, members)) return false;
    bool merged = settle(t, members) && give_first(t, r, loop);
    if (merged) hlo_rewrite_count(r, id, loop->name);
    hlo_list_free(&t->firsts);
    hlo_hash_free(&t->by_hash);
    return merged;
}

bool hlo_merge_duplicate_state(hlo_rewriter *r, hlo_rewrite_id id, const hlo_call_graph *graph,
                               hlo_instr *loop) {
    uint32_t n = loop->shape->rank;
    if (n < 2 || !hlo_rewrite_allowed(r, id) || hlo_is_tied(r, loop) ||
        !hlo_loop_is_plain(graph, loop))
        return false;
    duplicates t = {.graph = graph, .body = hlo_called(loop, 0), .n = n};
    member *members = hlo_malloc(n * sizeof *members);
    t.first = hlo_malloc(n * sizeof *t.first);
    bool merged = merge(&t, r, id, loop, members);
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_free(t.first);
    hlo_free(members);
    return merged;
}
