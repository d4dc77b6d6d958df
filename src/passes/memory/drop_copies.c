/* Which copies are not needed, since both of their ends can be one value: see lifetimes.h. */
#include "passes/memory/lifetimes.h"

#include <stdlib.h>

/* When the value is read for the last time. Its copies are listed latest first; those that have
 * been dropped leave the list when they are at its front. */
static uint32_t last_of(hlo_memory_values *m, uint32_t value) {
    HLO_ASSERT(value < m->values.n);
    hlo_memory_value *v = &m->values.v[value];
    const hlo_memory_copy *copies = m->copies.v;
    while (v->copies && !copies[v->copies - 1].is_needed &&
           hlo_is_united(m, &copies[v->copies - 1]))
        v->copies = copies[v->copies - 1].next;
    uint32_t k = v->copies;
    while (k && !copies[k - 1].is_needed) k = copies[k - 1].next;
    return k && copies[k - 1].time > v->last ? copies[k - 1].time : v->last;
}

/* ---- which values can share ---- */

/* The fusion is one loop over elements, which may be written where they were read. */
static bool is_elementwise(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_FUSION)
        return hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE && instr->opcode != HLO_OP_COPY;
    const hlo_computation *body = hlo_called(instr, 0);
    for (const hlo_instr *i = body->first; i; i = i->next)
        if (i->opcode != HLO_OP_PARAMETER && i->opcode != HLO_OP_CONSTANT && !is_elementwise(i))
            return false;
    return true;
}

static bool is_one_of(hlo_memory_values *m, uint32_t value, const uint32_t two[2]) {
    uint32_t now = hlo_value_of(m, value);
    return now == two[0] || now == two[1];
}

/* The value's maker reads one of those two for the last time, and may write the value over it. */
static bool may_overwrite(hlo_memory_values *m, uint32_t after, const uint32_t read[2]) {
    const hlo_memory_value *v = &m->values.v[after];
    const hlo_instr *instr = v->maker;
    bool found = v->updated != after && is_one_of(m, v->updated, read);
    if (!instr) return false;
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(instr, k);
        const uint32_t *leaves = hlo_leaves_read(m, instr, k);
        uint32_t n = hlo_shape_leaf_count(operand->shape);
        for (uint32_t leaf = 0; leaf < n; leaf++) {
            if (!is_one_of(m, leaves[leaf], read)) continue;
            found = true;
            if (v->updated != after && k == v->operand && leaves[leaf] == v->updated) continue;
            if (!hlo_shape_is_array(instr->shape) || !is_elementwise(instr) ||
                operand->shape != instr->shape)
                return false;
        }
    }
    return found;
}

/* ---- dropping copies ---- */

/* While it is asked whether both ends of a copy can be one value. */
typedef struct {
    uint32_t from, last, value;
} life;

typedef HLO_LIST(life) life_list;

static int by_beginning(const void *a, const void *b) {
    const life *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* What follows in the ring and has become another value is met no more. */
static void leave_out_united(hlo_memory_values *m, uint32_t at, uint32_t start) {
    hlo_memory_value *v = m->values.v;
    while (v[at].next != start && v[v[at].next].same != v[at].next) v[at].next = v[v[at].next].next;
}

/* Adds those in the memory of the value; the copy's end is no separate one any more. */
static bool add_lives(hlo_memory_values *m, uint32_t of, uint32_t to, life_list *lives) {
    uint32_t start = hlo_memory_of(m, of), at = start;
    bool is_fixed = false;
    do {
        const hlo_memory_value *v = &m->values.v[at];
        if (v->same == at && at != to) hlo_list_push(lives, (life){v->from, last_of(m, at), at});
        is_fixed |= v->same == at && v->is_fixed;
        leave_out_united(m, at, start);
        at = v->next;
    } while (at != start);
    return is_fixed;
}

/* Whether the value may take the place of one in the very moment in which that is read last: as the
 * state of a loop, as the same bytes, or element by element. */
static bool may_touch(hlo_memory_values *m, const uint32_t before[2], uint32_t after) {
    const hlo_memory_value *v = &m->values.v[after];
    if (v->begins_state || (v->copied != after && is_one_of(m, v->copied, before))) return true;
    return may_overwrite(m, after, before);
}

static bool are_apart(hlo_memory_values *m, const life_list *lives, const uint32_t ends[2]) {
    for (uint32_t i = 1; i < lives->n; i++) {
        const life *a = &lives->v[i - 1], *b = &lives->v[i];
        if (a->last < b->from) continue;
        if (a->last > b->from || a->from == b->from) return false;
        uint32_t own[2] = {a->value, a->value};
        if (!may_touch(m, a->value == ends[0] ? ends : own, b->value)) return false;
    }
    return true;
}

static bool can_be_one(hlo_memory_values *m, uint32_t from, uint32_t to) {
    const hlo_memory_value *a = &m->values.v[from], *b = &m->values.v[to];
    life_list lives = {0};
    uint32_t ends[2] = {from, to};
    if (b->is_result && (a->is_fixed || a->is_result)) return false;
    bool is_fixed = add_lives(m, from, to, &lives);
    HLO_ASSERT(to < m->values.n);
    if (hlo_memory_of(m, from) != hlo_memory_of(m, to)) is_fixed |= add_lives(m, to, to, &lives);
    uint32_t last = last_of(m, to) > b->from ? last_of(m, to) : 0; /* 0: nothing reads it */
    for (uint32_t i = 0; i < lives.n; i++)
        if (lives.v[i].value == from && last > lives.v[i].last) lives.v[i].last = last;
    qsort(lives.v, lives.n, sizeof *lives.v, by_beginning);
    bool fits = (!is_fixed || lives.n == 1) && are_apart(m, &lives, ends);
    hlo_list_free(&lives);
    return fits;
}

static bool try_copy(hlo_memory_values *m, hlo_memory_copy *copy) {
    HLO_ASSERT(copy->from != copy->to);
    uint32_t from = hlo_value_of(m, copy->from), to = hlo_value_of(m, copy->to);
    copy->is_needed = false;
    if (from != to && !can_be_one(m, from, to)) {
        copy->is_needed = true;
        return false;
    }
    hlo_unite_values(m, from, to);
    return true;
}

typedef struct {
    uint32_t time, copy;
} reading;

static int by_time(const void *a, const void *b) {
    const reading *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Which copies read which value, latest first, once the list of copies is complete. */
static void list_copies(hlo_memory_values *m) {
    reading *readings = hlo_malloc((m->copies.n + 1u) * sizeof *readings);
    for (uint32_t i = 0; i < m->copies.n; i++) readings[i] = (reading){m->copies.v[i].time, i};
    qsort(readings, m->copies.n, sizeof *readings, by_time);
    for (uint32_t k = 0; k < m->copies.n; k++) {
        hlo_memory_copy *copy = &m->copies.v[readings[k].copy];
        uint32_t *first = &m->values.v[hlo_value_of(m, copy->from)].copies;
        copy->next = *first;
        *first = readings[k].copy + 1;
    }
    hlo_free(readings);
}

/* Written copies are looked at once the others are known, so that it is those that stay. */
void hlo_drop_copies(hlo_memory_values *m) {
    list_copies(m);
    for (bool again = true; again;) {
        again = false;
        for (int written = 0; written < 2; written++)
            for (uint32_t i = 0; i < m->copies.n; i++) {
                hlo_memory_copy *copy = &m->copies.v[i];
                bool is_written = copy->place == HLO_COPY_WRITTEN;
                if (copy->is_needed && is_written == (bool)written) again |= try_copy(m, copy);
            }
    }
}
