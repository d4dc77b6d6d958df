/* Values, their memory and their times: see lifetimes.h. */
#include "passes/memory/lifetimes.h"

#include "analysis/dataflow.h"
#include "analysis/liveness.h"
#include "passes/memory/in_place.h"

enum { MAX_DEPTH = 1000, FOREVER = UINT32_MAX };

static void visit(hlo_memory_values *m, hlo_computation *c, uint32_t **arguments);

/* ---- values ---- */

uint32_t hlo_value_of(hlo_memory_values *m, uint32_t value) {
    HLO_ASSERT(value < m->values.n);
    hlo_memory_value *v = m->values.v;
    while (v[value].same != value) value = v[value].same = v[v[value].same].same;
    return value;
}

uint32_t hlo_memory_of(hlo_memory_values *m, uint32_t value) {
    HLO_ASSERT(value < m->values.n);
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
    HLO_ASSERT(a < m->values.n && b < m->values.n);
    uint32_t x = hlo_memory_of(m, a), y = hlo_memory_of(m, b);
    if (x == y) return;
    hlo_memory_value *v = m->values.v;
    v[y].memory = x;
    uint32_t next = v[x].next;
    v[x].next = v[y].next;
    v[y].next = next;
}

static void read_value(hlo_memory_values *m, uint32_t value, uint32_t time) {
    HLO_ASSERT(value < m->values.n);
    hlo_memory_value *v = &m->values.v[hlo_value_of(m, value)];
    if (v->last < time) v->last = time;
}

bool hlo_is_united(hlo_memory_values *m, const hlo_memory_copy *copy) {
    return hlo_value_of(m, copy->from) == hlo_value_of(m, copy->to);
}

/* Both lists, latest first, as one. */
static void join_copies(hlo_memory_values *m, uint32_t a, uint32_t b) {
    HLO_ASSERT(a < m->values.n);
    HLO_ASSERT(b < m->values.n);
    hlo_memory_copy *copies = m->copies.v;
    uint32_t *end = &m->values.v[a].copies, from = m->values.v[b].copies;
    while (from) {
        while (*end && copies[*end - 1].time >= copies[from - 1].time) end = &copies[*end - 1].next;
        uint32_t rest = *end;
        *end = from;
        from = rest;
    }
}

void hlo_unite_values(hlo_memory_values *m, uint32_t a, uint32_t b) {
    HLO_ASSERT(a < m->values.n && b < m->values.n);
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

const uint32_t *hlo_leaves_read(const hlo_memory_values *m, const hlo_instr *instr, uint32_t k) {
    HLO_ASSERT(k < instr->operand_count);
    uint32_t **own = m->updating[instr->index];
    return own && own[k] ? own[k] : m->leaves[hlo_operand(instr, k)->index];
}

/* ---- going through computations ---- */

static uint32_t *new_leaves(hlo_memory_values *m, uint32_t n) {
    return HLO_NEW_ARRAY(&m->arena, uint32_t, n + 1);
}

static uint32_t *make_leaves(hlo_memory_values *m, const hlo_instr *instr, uint32_t time) {
    uint32_t n = hlo_shape_leaf_count(instr->shape), *leaves = new_leaves(m, n);
    for (uint32_t i = 0; i < n; i++) leaves[i] = new_value(m, instr, time);
    return leaves;
}

/* Part of what a transfer returns before it is done. */
static bool is_in_transfer(const hlo_memory_values *m, uint32_t value) {
    HLO_ASSERT(value < m->values.n);
    const hlo_memory_value *v = &m->values.v[value];
    return v->is_held || (v->maker && hlo_is_in_flight(v->maker));
}

static bool can_be_copied(const hlo_memory_values *m, const hlo_shape *shape, uint32_t value) {
    return hlo_shape_is_array(shape) && !is_in_transfer(m, value);
}

/* The values of copies of those leaves at the place of `like`, for which `wanted` is NULL or true.
 * Tokens, what transfers hold, and buffers in tuples are not copied; a value that is a buffer is
 * one that the pass refuses to copy. */
static uint32_t *copy_leaves(hlo_memory_values *m, hlo_memory_copy like, const hlo_shape *shape,
                             const uint32_t *from, const bool *wanted) {
    uint32_t n = hlo_shape_leaf_count(shape), *to = new_leaves(m, n);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
        if ((wanted && !wanted[i]) ||
            !can_be_copied(m, hlo_shape_leaf(hlo_shape_held(shape), i), from[i]))
            continue;
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

/* Operands of a transfer are read until it is done, but those that it updates. */
static void read_operands(hlo_memory_values *m, const hlo_instr *instr, uint32_t time) {
    uint32_t **updating = m->updating[instr->index];
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(instr, k);
        const uint32_t *leaves = hlo_leaves_read(m, instr, k);
        bool is_over =
            updating && updating[k] && time > m->values.v[m->leaves[instr->index][0]].from;
        for (uint32_t i = 0; i < hlo_shape_leaf_count(operand->shape) && !is_over; i++)
            read_value(m, leaves[i], time);
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
            hlo_unite_values(m, first[i], given[i]);
            hlo_unite_values(m, first[i], parameter[i]);
            hlo_unite_values(m, first[i], in_body[i]);
            hlo_unite_values(m, first[i], next[i]);
            read_value(m, first[i], end);
            result[i] = first[i];
            continue;
        }
        read_value(m, next[i], over);
        result[i] = new_value(m, loop, end);
        m->values.v[result[i]].is_held = is_in_transfer(m, first[i]);
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
        if (copy->place == HLO_COPY_WRITTEN || !hlo_is_united(m, copy)) m->copies.v[n++] = *copy;
    }
    m->copies.n = n;
}

static void visit_loop(hlo_memory_values *m, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
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
        m->values.v[parameter[i]].is_held = is_in_transfer(m, first[i]);
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
    HLO_ASSERT(conditional->opcode == HLO_OP_CONDITIONAL);
    for (uint32_t k = 0; k < branches; k++)
        for (uint32_t i = 0; i < n; i++) {
            share(m, leaves[i], results[k][i]);
            m->values.v[leaves[i]].is_held |= is_in_transfer(m, results[k][i]);
        }
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
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    const hlo_instr *tuple = hlo_operand(element, 0);
    int64_t index = hlo_attr_int(element, HLO_ATTR_INDEX);
    uint32_t first = 0;
    if (tuple->shape->depth == 1) return m->leaves[tuple->index] + index;
    for (int64_t i = 0; i < index; i++) first += hlo_shape_leaf_count(tuple->shape->elements[i]);
    return m->leaves[tuple->index] + first;
}

static uint32_t *tuple_leaves(hlo_memory_values *m, const hlo_instr *tuple) {
    HLO_ASSERT(tuple->opcode == HLO_OP_TUPLE);
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

/* What the instruction updates are copies, in whose memory its results are. */
static void copy_updated(hlo_memory_values *m, hlo_instr *instr, const hlo_in_place_list *list) {
    uint32_t **own = HLO_NEW_ARRAY(&m->arena, uint32_t *, instr->operand_count + 1);
    for (uint32_t k = 0; k < instr->operand_count; k++) {
        const hlo_instr *operand = hlo_operand(instr, k);
        uint32_t n = hlo_shape_leaf_count(operand->shape);
        bool *wanted = hlo_calloc(n + 1, sizeof *wanted), any = false;
        for (size_t i = 0; i < list->n; i++)
            if (list->v[i].operand == k) any = wanted[list->v[i].from] = true;
        hlo_memory_copy like = {HLO_COPY_OF_OPERAND, instr->parent, instr, .operand = k};
        own[k] =
            any ? copy_leaves(m, like, operand->shape, m->leaves[operand->index], wanted) : NULL;
        hlo_free(wanted);
    }
    m->updating[instr->index] = own;
    uint32_t *results = m->leaves[instr->index] = make_leaves(m, instr, ++m->time);
    for (size_t i = 0; i < list->n; i++) {
        const hlo_in_place *pair = &list->v[i];
        uint32_t target = own[pair->operand][pair->from];
        m->values.v[results[pair->to]].updated = target;
        m->values.v[results[pair->to]].operand = pair->operand;
        share(m, target, results[pair->to]);
    }
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
    hlo_in_place_list list = {0};
    hlo_list_in_place(instr, &list);
    if (list.n) copy_updated(m, instr, &list);
    else m->leaves[instr->index] = make_leaves(m, instr, ++m->time);
    hlo_list_free(&list);
    read_operands(m, instr, m->time);
    const uint32_t *leaves = m->leaves[instr->index];
    uint32_t n = hlo_shape_leaf_count(instr->shape);
    for (uint32_t i = 0; i < n; i++)
        m->values.v[leaves[i]].is_fixed = instr->opcode == HLO_OP_CONSTANT;
}

/* What is sent is there until it has been, in the memory of the operand. */
static void visit_send(hlo_memory_values *m, hlo_instr *send) {
    const hlo_instr *operand = hlo_operand(send, 0);
    hlo_memory_copy like = {HLO_COPY_OF_OPERAND, send->parent, send, .operand = 0};
    uint32_t *data = copy_leaves(m, like, operand->shape, m->leaves[operand->index], NULL);
    uint32_t *leaves = m->leaves[send->index] = make_leaves(m, send, ++m->time);
    HLO_ASSERT(send->opcode == HLO_OP_SEND);
    read_operands(m, send, m->time);
    if (data[0] == m->leaves[operand->index][0]) return;
    leaves[0] = data[0];
    m->values.v[data[0]].is_held = true;
    read_value(m, data[0], m->time);
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
    else if (instr->opcode == HLO_OP_SEND && hlo_shape_is_array(hlo_operand(instr, 0)->shape))
        visit_send(m, instr);
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
    HLO_ASSERT(m->depth > 0);
    m->depth--;
}

/* ---- the module ---- */

static void number_instructions(hlo_memory_values *m) {
    uint32_t n = 0;
    for (hlo_computation *c = m->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) i->index = n++;
    m->leaves = HLO_NEW_ARRAY(&m->arena, uint32_t *, n + 1);
    m->updating = HLO_NEW_ARRAY(&m->arena, uint32_t **, n + 1);
    memset(m->updating, 0, n * sizeof *m->updating);
}

/* Parameters whose memory becomes a result's are copied; others stay the caller's. */
static uint32_t *take_parameter(hlo_memory_values *m, hlo_instr *parameter, uint32_t *own) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
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
