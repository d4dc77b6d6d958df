/* Values, their memory and their times: see values.h. */
#include "passes/memory/values.h"

#include <stdlib.h>

#include "analysis/dataflow.h"
#include "analysis/liveness.h"

enum { MAX_DEPTH = 1000, FOREVER = UINT32_MAX };

static void visit(hlo_memory_values *m, hlo_computation *c, uint32_t **arguments);

/* ---- values ---- */

uint32_t hlo_value_of(hlo_memory_values *m, uint32_t value) {
    hlo_memory_value *v = m->values.v;
    while (v[value].same != value) value = v[value].same = v[v[value].same].same;
    return value;
}

uint32_t hlo_memory_of(hlo_memory_values *m, uint32_t value) {
    hlo_memory_value *v = m->values.v;
    while (v[value].memory != value) value = v[value].memory = v[v[value].memory].memory;
    return value;
}

static uint32_t new_value(hlo_memory_values *m, const hlo_instr *maker, uint32_t from) {
    uint32_t n = m->values.n;
    hlo_list_push(&m->values, (hlo_memory_value){.same = n,
                                                 .memory = n,
                                                 .next = n,
                                                 .copied = n,
                                                 .updated = n,
                                                 .from = from,
                                                 .last = from,
                                                 .maker = maker});
    return n;
}

/* Both are meant to be in one memory; the rings become one. */
static void share(hlo_memory_values *m, uint32_t a, uint32_t b) {
    uint32_t x = hlo_memory_of(m, a), y = hlo_memory_of(m, b);
    if (x == y) return;
    hlo_memory_value *v = m->values.v;
    v[y].memory = x;
    uint32_t next = v[x].next;
    v[x].next = v[y].next;
    v[y].next = next;
}

static void read_value(hlo_memory_values *m, uint32_t value, uint32_t time) {
    hlo_memory_value *v = &m->values.v[hlo_value_of(m, value)];
    if (v->last < time) v->last = time;
}

static bool is_united(hlo_memory_values *m, const hlo_memory_copy *copy) {
    return hlo_value_of(m, copy->from) == hlo_value_of(m, copy->to);
}

/* When the value is read for the last time. Its copies are listed latest first; those that have
 * been dropped leave the list when they are at its front. */
static uint32_t last_of(hlo_memory_values *m, uint32_t value) {
    hlo_memory_value *v = &m->values.v[value];
    const hlo_memory_copy *copies = m->copies.v;
    while (v->copies && !copies[v->copies - 1].is_needed && is_united(m, &copies[v->copies - 1]))
        v->copies = copies[v->copies - 1].next;
    uint32_t k = v->copies;
    while (k && !copies[k - 1].is_needed) k = copies[k - 1].next;
    return k && copies[k - 1].time > v->last ? copies[k - 1].time : v->last;
}

/* Both lists, latest first, as one. */
static void join_copies(hlo_memory_values *m, uint32_t a, uint32_t b) {
    hlo_memory_copy *copies = m->copies.v;
    uint32_t *end = &m->values.v[a].copies, from = m->values.v[b].copies;
    while (from) {
        while (*end && copies[*end - 1].time >= copies[from - 1].time) end = &copies[*end - 1].next;
        uint32_t rest = *end;
        *end = from;
        from = rest;
    }
}

/* `b` is `a` from now on. */
static void unite(hlo_memory_values *m, uint32_t a, uint32_t b) {
    uint32_t x = hlo_value_of(m, a), y = hlo_value_of(m, b);
    if (x == y) return;
    hlo_memory_value *v = m->values.v;
    share(m, x, y);
    v[y].same = x;
    bool is_read = v[y].last > v[y].from;
    if (is_read && v[y].last > v[x].last) v[x].last = v[y].last;
    v[x].is_result |= v[y].is_result;
    join_copies(m, x, y);
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

/* The operand that an attribute says the result is in the memory of; -1: none. */
static int aliased_operand(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    const hlo_aliasing *alias = attr ? attr->u.aliasing : NULL;
    if (!alias || alias->n != 1 || alias->v[0].output->n || alias->v[0].index->n) return -1;
    return (int)alias->v[0].parameter;
}

/* The operand that the instruction updates in place; -1: none. Of a fusion, the parameter that its
 * root updates and nothing else reads. */
static int updated_operand(const hlo_instr *instr) {
    if (!hlo_shape_is_array(instr->shape)) return -1;
    if (hlo_info(instr)->result == HLO_RESULT_UPDATE) return 0;
    if (aliased_operand(instr) >= 0) return aliased_operand(instr);
    if (instr->opcode != HLO_OP_FUSION) return -1;
    const hlo_instr *root = hlo_called(instr, 0)->root;
    if (hlo_info(root)->result != HLO_RESULT_UPDATE) return -1;
    const hlo_instr *target = hlo_operand(root, 0);
    bool is_own = target->opcode == HLO_OP_PARAMETER && target->first_use == target->last_use;
    return is_own ? (int)hlo_attr_int(target, HLO_ATTR_PARAMETER_NUMBER) : -1;
}

static bool is_one_of(hlo_memory_values *m, uint32_t value, const uint32_t two[2]) {
    uint32_t now = hlo_value_of(m, value);
    return now == two[0] || now == two[1];
}

/* The value's maker reads one of those two for the last time, and may write the value over it. */
static bool may_overwrite(hlo_memory_values *m, uint32_t after, const uint32_t read[2]) {
    const hlo_memory_value *v = &m->values.v[after];
    const hlo_instr *instr = v->maker;
    int updated = instr ? updated_operand(instr) : -1;
    bool found = v->updated != after && is_one_of(m, v->updated, read);
    if (!instr || !hlo_shape_is_array(instr->shape)) return false;
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(instr, k);
        uint32_t n = hlo_shape_leaf_count(operand->shape);
        for (uint32_t leaf = 0; leaf < n; leaf++) {
            if (!is_one_of(m, m->leaves[operand->index][leaf], read)) continue;
            found = true;
            if ((int)k == updated) continue;
            if (!is_elementwise(instr) || operand->shape != instr->shape) return false;
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

/* Adds those in the memory of the value; the copy's end is none of its own any more. */
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
    uint32_t from = hlo_value_of(m, copy->from), to = hlo_value_of(m, copy->to);
    copy->is_needed = false;
    if (from != to && !can_be_one(m, from, to)) {
        copy->is_needed = true;
        return false;
    }
    unite(m, from, to);
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

/* ---- going through computations ---- */

static const hlo_shape *leaf_shape(const hlo_shape *shape, uint32_t leaf) {
    if (shape->depth == 1) return shape->elements[leaf];
    while (hlo_shape_is_tuple(shape)) {
        uint32_t i = 0;
        for (uint32_t n; (n = hlo_shape_leaf_count(shape->elements[i])) <= leaf; i++) leaf -= n;
        shape = shape->elements[i];
    }
    return shape;
}

static uint32_t *new_leaves(hlo_memory_values *m, uint32_t n) {
    return HLO_NEW_ARRAY(&m->arena, uint32_t, n + 1);
}

static uint32_t *make_leaves(hlo_memory_values *m, const hlo_instr *instr, uint32_t time) {
    uint32_t n = hlo_shape_leaf_count(instr->shape), *leaves = new_leaves(m, n);
    for (uint32_t i = 0; i < n; i++) leaves[i] = new_value(m, instr, time);
    return leaves;
}

static bool can_be_copied(const hlo_memory_values *m, const hlo_shape *shape, uint32_t value) {
    const hlo_instr *maker = m->values.v[value].maker;
    return hlo_shape_is_array(shape) && !(maker && hlo_is_in_flight(maker));
}

/* The values of copies of those leaves at the place that `like` says, for which `wanted` is NULL or
 * says so. Tokens and what transfers hold are not copied. */
static uint32_t *copy_leaves(hlo_memory_values *m, hlo_memory_copy like, const hlo_shape *shape,
                             const uint32_t *from, const bool *wanted) {
    uint32_t n = hlo_shape_leaf_count(shape), *to = new_leaves(m, n);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
        if ((wanted && !wanted[i]) || !can_be_copied(m, leaf_shape(shape, i), from[i])) continue;
        to[i] = new_value(m, NULL, ++m->time);
        m->values.v[to[i]].copied = from[i];
        hlo_memory_copy copy = like;
        copy.leaf = i, copy.from = from[i], copy.to = to[i];
        copy.time = m->time, copy.is_needed = true;
        hlo_list_push(&m->copies, copy);
    }
    return to;
}

static void read_leaves(hlo_memory_values *m, const hlo_instr *value, uint32_t time) {
    uint32_t n = hlo_shape_leaf_count(value->shape);
    for (uint32_t i = 0; i < n; i++) read_value(m, m->leaves[value->index][i], time);
}

/* Operands of a transfer are read until it is done. */
static void read_operands(hlo_memory_values *m, const hlo_instr *instr, uint32_t time) {
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(instr, k);
        read_leaves(m, operand, time);
        if (hlo_info(instr)->flags & hlo_info(operand)->flags & HLO_OP_IS_ASYNC)
            read_operands(m, operand, time);
    }
}

/* ---- control flow ---- */

static uint32_t *root_leaves(hlo_memory_values *m, const hlo_computation *c) {
    return m->leaves[c->root->index];
}

/* A leaf of the state that the body hands on is one value before, in and after the loop. */
static void end_loop(hlo_memory_values *m, const hlo_instr *loop, const uint32_t *parameter,
                     const uint32_t *in_body, const uint32_t *root, const uint32_t *next,
                     const uint32_t *given) {
    const hlo_instr *operand = hlo_operand(loop, 0);
    const uint32_t *first = m->leaves[operand->index];
    uint32_t n = hlo_shape_leaf_count(loop->shape), *result = new_leaves(m, n);
    uint32_t over = ++m->time, end = ++m->time;
    for (uint32_t i = 0; i < n; i++) {
        if (hlo_value_of(m, root[i]) == hlo_value_of(m, in_body[i])) {
            unite(m, first[i], given[i]);
            unite(m, first[i], parameter[i]);
            unite(m, first[i], in_body[i]);
            unite(m, first[i], next[i]);
            read_value(m, first[i], end);
            result[i] = first[i];
            continue;
        }
        read_value(m, next[i], over);
        result[i] = new_value(m, loop, end);
        share(m, parameter[i], next[i]);
        share(m, parameter[i], result[i]);
    }
    m->leaves[loop->index] = result;
}

/* Copies of leaves that turned out to be handed on are none. */
static void forget_copies(hlo_memory_values *m, uint32_t first) {
    uint32_t n = first;
    for (uint32_t i = first; i < m->copies.n; i++) {
        const hlo_memory_copy *copy = &m->copies.v[i];
        if (copy->place == HLO_COPY_WRITTEN || !is_united(m, copy)) m->copies.v[n++] = *copy;
    }
    m->copies.n = n;
}

static void visit_loop(hlo_memory_values *m, hlo_instr *loop) {
    hlo_computation *body = hlo_called(loop, 0), *condition = hlo_called(loop, 1);
    hlo_instr *state = body->parameters[0];
    uint32_t n = hlo_shape_leaf_count(loop->shape), before = m->copies.n;
    const uint32_t *first = m->leaves[hlo_operand(loop, 0)->index];
    hlo_memory_copy like = {HLO_COPY_OF_OPERAND, .computation = loop->parent, .at = loop};
    uint32_t *given = copy_leaves(m, like, loop->shape, first, NULL);
    uint32_t own_count = m->copies.n - before, time = ++m->time;
    hlo_memory_copy *own = HLO_NEW_ARRAY(&m->arena, hlo_memory_copy, own_count + 1u);
    if (own_count) memcpy(own, m->copies.v + before, own_count * sizeof *own);
    m->copies.n = before; /* the caller's come after those in the body */
    uint32_t *parameter = make_leaves(m, state, time);
    for (uint32_t i = 0; i < n; i++) {
        read_value(m, given[i], time);
        m->values.v[parameter[i]].begins_state = true;
    }
    visit(m, condition, &parameter);
    like = (hlo_memory_copy){HLO_COPY_OF_RESULT, .computation = body, .at = state};
    uint32_t *in_body = copy_leaves(m, like, loop->shape, parameter, NULL);
    visit(m, body, &in_body);
    if (m->is_given_up) return;
    uint32_t *root = root_leaves(m, body);
    like = (hlo_memory_copy){HLO_COPY_OF_ROOT, .computation = body};
    uint32_t *next = copy_leaves(m, like, loop->shape, root, NULL);
    for (uint32_t i = 0; i < n; i++) share(m, given[i], parameter[i]);
    end_loop(m, loop, parameter, in_body, root, next, given);
    for (uint32_t i = 0; i < own_count; i++) hlo_list_push(&m->copies, own[i]);
    forget_copies(m, before);
}

/* The argument of branch k is operand k + 1. Branches are taken to run one after the other. */
static void visit_conditional(hlo_memory_values *m, hlo_instr *conditional) {
    uint32_t n = hlo_shape_leaf_count(conditional->shape);
    uint32_t branches = hlo_called_count(conditional);
    uint32_t **results = HLO_NEW_ARRAY(&m->arena, uint32_t *, branches + 1);
    read_leaves(m, hlo_operand(conditional, 0), ++m->time);
    for (uint32_t k = 0; k < branches; k++) {
        hlo_computation *branch = hlo_called(conditional, k);
        visit(m, branch, &m->leaves[hlo_operand(conditional, k + 1)->index]);
        if (m->is_given_up) return;
        hlo_memory_copy like = {HLO_COPY_OF_ROOT, .computation = branch};
        results[k] = copy_leaves(m, like, conditional->shape, root_leaves(m, branch), NULL);
        uint32_t over = ++m->time;
        for (uint32_t i = 0; i < n; i++) read_value(m, results[k][i], over);
    }
    uint32_t *leaves = make_leaves(m, conditional, ++m->time);
    for (uint32_t k = 0; k < branches; k++)
        for (uint32_t i = 0; i < n; i++) share(m, leaves[i], results[k][i]);
    m->leaves[conditional->index] = leaves;
}

static void visit_call(hlo_memory_values *m, hlo_instr *call) {
    uint32_t **arguments = HLO_NEW_ARRAY(&m->arena, uint32_t *, call->operand_count + 1);
    for (uint32_t k = 0; k < call->operand_count; k++)
        arguments[k] = m->leaves[hlo_operand(call, k)->index];
    visit(m, hlo_called(call, 0), arguments);
    if (!m->is_given_up) m->leaves[call->index] = root_leaves(m, hlo_called(call, 0));
}

/* ---- instructions ---- */

static uint32_t *element_leaves(hlo_memory_values *m, const hlo_instr *element) {
    const hlo_instr *tuple = hlo_operand(element, 0);
    int64_t index = hlo_attr_int(element, HLO_ATTR_INDEX);
    uint32_t first = 0;
    if (tuple->shape->depth == 1) return m->leaves[tuple->index] + index;
    for (int64_t i = 0; i < index; i++) first += hlo_shape_leaf_count(tuple->shape->elements[i]);
    return m->leaves[tuple->index] + first;
}

static uint32_t *tuple_leaves(hlo_memory_values *m, const hlo_instr *tuple) {
    uint32_t *leaves = new_leaves(m, hlo_shape_leaf_count(tuple->shape)), n = 0;
    for (uint32_t k = 0; k < tuple->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(tuple, k);
        uint32_t count = hlo_shape_leaf_count(operand->shape);
        for (uint32_t i = 0; i < count; i++) leaves[n++] = m->leaves[operand->index][i];
    }
    return leaves;
}

static bool hands_on_whole(const hlo_instr *instr) {
    return hlo_hands_on(instr) && instr->operand_count > 0 &&
           hlo_shape_leaf_count(instr->shape) == hlo_shape_leaf_count(hlo_operand(instr, 0)->shape);
}

/* What the instruction updates is a copy, in whose memory its result is. */
static void copy_updated(hlo_memory_values *m, hlo_instr *instr) {
    uint32_t k = (uint32_t)updated_operand(instr);
    const hlo_instr *operand = hlo_operand(instr, k);
    hlo_memory_copy like = {HLO_COPY_OF_OPERAND, instr->parent, instr, .operand = k};
    uint32_t target = copy_leaves(m, like, operand->shape, m->leaves[operand->index], NULL)[0];
    read_value(m, target, ++m->time);
    uint32_t result = new_value(m, instr, m->time);
    m->values.v[result].updated = target;
    share(m, target, result);
    m->leaves[instr->index] = new_leaves(m, 1);
    m->leaves[instr->index][0] = result;
}

static void visit_copy(hlo_memory_values *m, hlo_instr *instr) {
    uint32_t from = m->leaves[hlo_operand(instr, 0)->index][0];
    uint32_t *to = m->leaves[instr->index] = make_leaves(m, instr, ++m->time);
    m->values.v[to[0]].copied = from;
    hlo_list_push(&m->copies, (hlo_memory_copy){.place = HLO_COPY_WRITTEN,
                                                .computation = instr->parent,
                                                .at = instr,
                                                .from = from,
                                                .to = to[0],
                                                .time = m->time,
                                                .is_needed = true});
}

static void visit_plain(hlo_memory_values *m, hlo_instr *instr) {
    if (updated_operand(instr) >= 0) copy_updated(m, instr);
    else m->leaves[instr->index] = make_leaves(m, instr, ++m->time);
    read_operands(m, instr, m->time);
    const uint32_t *leaves = m->leaves[instr->index];
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    for (uint32_t i = 0; i < n; i++)
        m->values.v[leaves[i]].is_fixed = instr->opcode == HLO_OP_CONSTANT;
}

static void visit_instr(hlo_memory_values *m, hlo_instr *instr) {
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT)
        m->leaves[instr->index] = element_leaves(m, instr);
    else if (instr->opcode == HLO_OP_TUPLE) m->leaves[instr->index] = tuple_leaves(m, instr);
    else if (hands_on_whole(instr))
        m->leaves[instr->index] = m->leaves[hlo_operand(instr, 0)->index];
    else if (instr->opcode == HLO_OP_WHILE) visit_loop(m, instr);
    else if (instr->opcode == HLO_OP_CONDITIONAL) visit_conditional(m, instr);
    else if (instr->opcode == HLO_OP_CALL) visit_call(m, instr);
    else if (hlo_is_plain_copy(instr)) visit_copy(m, instr);
    else visit_plain(m, instr);
}

/* `arguments`: leaves of each parameter. */
static void visit(hlo_memory_values *m, hlo_computation *c, uint32_t **arguments) {
    if (c->mark == m->visited || m->depth == MAX_DEPTH) m->is_given_up = true;
    if (m->is_given_up) return;
    c->mark = m->visited;
    m->depth++;
    for (hlo_instr *i = c->first; i && !m->is_given_up; i = i->next) {
        if (i->opcode == HLO_OP_PARAMETER)
            m->leaves[i->index] = arguments[hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER)];
        else visit_instr(m, i);
    }
    m->depth--;
}

/* ---- the module ---- */

static void number_instructions(hlo_memory_values *m) {
    uint32_t n = 0;
    for (hlo_computation *c = m->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) i->index = n++;
    m->leaves = HLO_NEW_ARRAY(&m->arena, uint32_t *, n + 1);
}

/* Parameters whose memory becomes a result's are copied; others stay the caller's. */
static uint32_t *take_parameter(hlo_memory_values *m, hlo_instr *parameter, uint32_t *own) {
    const hlo_aliasing *aliases = hlo_module_aliasing(m->module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    uint32_t n = hlo_shape_leaf_count(parameter->shape);
    bool *wanted = HLO_NEW_ARRAY(&m->arena, bool, n + 1);
    memset(wanted, 0, n * sizeof *wanted);
    for (uint32_t a = 0; a < aliases->n; a++)
        if (aliases->v[a].parameter == hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER))
            wanted[hlo_leaf_at(parameter->shape, aliases->v[a].index)] = true;
    for (uint32_t i = 0; i < n; i++) {
        own[i] = new_value(m, parameter, 0);
        m->values.v[own[i]].is_fixed = !wanted[i];
    }
    hlo_memory_copy like = {HLO_COPY_OF_RESULT, parameter->parent, .at = parameter};
    return copy_leaves(m, like, parameter->shape, own, wanted);
}

/* Results are copies, and those that a parameter gives its memory to are in that. */
static void take_results(hlo_memory_values *m, const bool *wanted) {
    hlo_computation *entry = m->module->entry;
    hlo_memory_copy like = {HLO_COPY_OF_ROOT, .computation = entry};
    uint32_t *leaves = root_leaves(m, entry);
    uint32_t n = hlo_shape_leaf_count(entry->root->shape);
    m->leaves[entry->root->index] = copy_leaves(m, like, entry->root->shape, leaves, wanted);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t result = root_leaves(m, entry)[i];
        if (wanted[i]) read_value(m, result, FOREVER);
        if (wanted[i] && result != leaves[i]) m->values.v[result].is_result = true;
    }
}

/* Of values that are two results, the one that is aliased stays. */
static void take_all_results(hlo_memory_values *m, uint32_t **parameters) {
    const hlo_aliasing *aliases = hlo_module_aliasing(m->module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    hlo_computation *entry = m->module->entry;
    uint32_t n = hlo_shape_leaf_count(entry->root->shape);
    bool *wanted = HLO_NEW_ARRAY(&m->arena, bool, n + 1);
    memset(wanted, 0, n * sizeof *wanted);
    for (uint32_t a = 0; a < aliases->n; a++)
        wanted[hlo_leaf_at(entry->root->shape, aliases->v[a].output)] = true;
    take_results(m, wanted);
    for (uint32_t i = 0; i < n; i++) wanted[i] = !wanted[i];
    take_results(m, wanted);
    for (uint32_t a = 0; a < aliases->n; a++) {
        const hlo_instr *parameter = entry->parameters[aliases->v[a].parameter];
        share(m, root_leaves(m, entry)[hlo_leaf_at(entry->root->shape, aliases->v[a].output)],
              parameters[aliases->v[a].parameter]
                        [hlo_leaf_at(parameter->shape, aliases->v[a].index)]);
    }
}

void hlo_memory_values_init(hlo_memory_values *m, hlo_module *module) {
    hlo_computation *entry = module->entry;
    *m = (hlo_memory_values){.module = module, .visited = hlo_module_new_mark(module)};
    hlo_arena_init(&m->arena);
    number_instructions(m);
    uint32_t **own = HLO_NEW_ARRAY(&m->arena, uint32_t *, entry->parameter_count + 1);
    uint32_t **given = HLO_NEW_ARRAY(&m->arena, uint32_t *, entry->parameter_count + 1);
    for (uint32_t k = 0; k < entry->parameter_count; k++) {
        own[k] = new_leaves(m, hlo_shape_leaf_count(entry->parameters[k]->shape));
        given[k] = take_parameter(m, entry->parameters[k], own[k]);
    }
    visit(m, entry, given);
    if (!m->is_given_up) take_all_results(m, own);
}

void hlo_memory_values_free(hlo_memory_values *m) {
    hlo_list_free(&m->values);
    hlo_list_free(&m->copies);
    hlo_arena_free(&m->arena);
}
