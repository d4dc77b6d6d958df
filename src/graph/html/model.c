/* Numbers of computations and instructions, and what has no node: see model.h. */
#include "graph/html/model.h"

#include "graph/model/roles.h"

/* Instructions of the other module that have no number: their counterparts are shown. */
#define UNNUMBERED UINT32_MAX

/* ---- numbers ---- */

static bool is_in_other_only(const hlo_page_model *m, const hlo_computation *c) {
    return !m->extras->counterparts[c->id];
}

static void count_parts(hlo_page_model *m) {
    for (const hlo_module *part = m->first; part; part = part->next_device) {
        m->part_count++;
        m->own_computations += part->computation_count;
    }
    m->computation_count = m->own_computations;
    if (!m->extras->other) return;
    for (const hlo_computation *c = m->extras->other->first; c; c = c->next)
        m->computation_count += is_in_other_only(m, c);
}

static void lay_out_tables(hlo_page_model *m) {
    uint32_t ids = 0, k = 0;
    m->parts = hlo_calloc(m->part_count + 1u, sizeof *m->parts);
    for (const hlo_module *part = m->first; part; part = part->next_device, k++) {
        m->parts[k].module = part;
        m->parts[k].first_number = ids;
        ids += part->next_id;
    }
    m->parts[k].module = m->extras->other;
    m->parts[k].first_number = ids;
    if (m->extras->other) ids += m->extras->other->next_id;
    m->numbers = hlo_calloc(ids + 1u, sizeof *m->numbers);
    m->called = hlo_calloc(m->computation_count + 1u, sizeof *m->called);
    m->first_instr = hlo_calloc(m->computation_count + 1u, sizeof *m->first_instr);
}

typedef struct {
    uint32_t computation, instr;
} next_numbers;

static void number_computation(hlo_page_model *m, next_numbers *next, uint32_t part,
                               const hlo_computation *c) {
    m->numbers[m->parts[part].first_number + c->id] = next->computation;
    m->called[next->computation] = c;
    m->first_instr[next->computation++] = next->instr;
    for (hlo_instr *i = c->first; i; i = i->next) i->index = next->instr++;
}

/* Those with a counterpart have its number. */
static void number_other(hlo_page_model *m, next_numbers *next) {
    uint32_t part = m->part_count;
    for (hlo_computation *c = m->extras->other->first; c; c = c->next) {
        const hlo_computation *counterpart = m->extras->counterparts[c->id];
        for (hlo_instr *i = c->first; i; i = i->next) i->index = UNNUMBERED;
        if (is_in_other_only(m, c)) number_computation(m, next, part, c);
        else
            m->numbers[m->parts[part].first_number + c->id] =
                hlo_page_computation_number(m, counterpart);
    }
    for (uint32_t k = 0; k < m->extras->lone_count; k++)
        ((hlo_instr *)m->extras->lone[k].instr)->index = next->instr + k;
}

static void number_all(hlo_page_model *m) {
    next_numbers next = {0, 0};
    for (uint32_t k = 0; k < m->part_count; k++)
        for (const hlo_computation *c = m->parts[k].module->first; c; c = c->next)
            number_computation(m, &next, k, c);
    if (m->extras->other) number_other(m, &next);
    m->first_instr[next.computation] = next.instr;
}

/* ---- lone instructions ---- */

static void find_lone(hlo_page_model *m) {
    const hlo_dot_extras *extras = m->extras;
    m->lone_first = hlo_calloc(m->computation_count + 1u, sizeof *m->lone_first);
    m->lone_count = hlo_calloc(m->computation_count + 1u, sizeof *m->lone_count);
    for (uint32_t k = extras->lone_count; k-- > 0;) {
        uint32_t number = hlo_page_computation_number(m, extras->lone[k].computation);
        m->lone_first[number] = k;
        m->lone_count[number]++;
    }
}

static void find_lone_operands(hlo_page_model *m) {
    const hlo_dot_extras *extras = m->extras;
    uint32_t total = 0, *used = hlo_calloc(extras->lone_count + 1u, sizeof *used);
    m->lone_operands_first = hlo_calloc(extras->lone_count + 1u, sizeof *used);
    for (uint32_t k = 0; k < extras->lone_count; k++) {
        m->lone_operands_first[k] = used[k] = total;
        total += extras->lone[k].instr->operand_count;
    }
    m->lone_operands = hlo_calloc(total + 1u, sizeof *m->lone_operands);
    for (uint32_t k = 0; k < extras->lone_edge_count; k++) {
        const hlo_dot_lone_edge *edge = &extras->lone_edges[k];
        if (edge->to) continue;
        m->lone_operands[used[edge->lone_to]++] =
            edge->from ? edge->from : extras->lone[edge->lone_from].instr;
    }
    hlo_free(used);
}

static void find_lone_before(hlo_page_model *m) {
    const hlo_dot_extras *extras = m->extras;
    uint32_t count = hlo_page_own_count(m);
    uint32_t *first = hlo_calloc(count + 2u, sizeof *first);
    m->lone_before = hlo_calloc(extras->lone_edge_count + 1u, sizeof *m->lone_before);
    for (uint32_t k = 0; k < extras->lone_edge_count; k++)
        if (extras->lone_edges[k].to) first[extras->lone_edges[k].to->index + 2]++;
    for (uint32_t k = 1; k < count + 1; k++) first[k + 1] += first[k];
    for (uint32_t k = 0; k < extras->lone_edge_count; k++) {
        const hlo_dot_lone_edge *edge = &extras->lone_edges[k];
        if (edge->to)
            m->lone_before[first[edge->to->index + 1]++] = extras->lone[edge->lone_from].instr;
    }
    m->lone_before_first = first;
}

/* ---- differences ---- */

hlo_dot_change hlo_page_change(const hlo_page_model *m, const hlo_instr *instr) {
    if (!m->extras->changes) return HLO_DOT_SAME;
    if (instr->index >= hlo_page_own_count(m)) return HLO_DOT_REMOVED;
    return (hlo_dot_change)m->extras->changes[instr->index];
}

/* Of a short value that was replaced, users show the new one; when it changed, they are the same.
 */
static bool is_seen_in_users(const hlo_page_model *m, const hlo_instr *instr) {
    hlo_dot_change change = hlo_page_change(m, instr);
    if (change == HLO_DOT_SAME) return true;
    if (change == HLO_DOT_CHANGED) return false;
    if (hlo_dot_is_short_value(instr)) return true;
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->index == UNNUMBERED || hlo_page_change(m, use->user) != change) return false;
    return true;
}

static void find_what_must_be_seen(hlo_page_model *m) {
    if (!m->extras->changes) return;
    m->must_be_seen = hlo_calloc(hlo_page_instr_count(m) + 1u, sizeof *m->must_be_seen);
    for (uint32_t k = 0; k < m->computation_count; k++)
        for (const hlo_instr *i = m->called[k]->first; i; i = i->next)
            m->must_be_seen[i->index] = !is_seen_in_users(m, i);
    for (uint32_t k = 0; k < m->extras->lone_count; k++) {
        const hlo_instr *instr = m->extras->lone[k].instr;
        m->must_be_seen[instr->index] = !is_seen_in_users(m, instr);
    }
}

/* ---- callers ---- */

/* Callers in the module before those that only the other has. */
static void note_caller(hlo_page_model *m, const hlo_instr *instr) {
    const hlo_computation *called;
    for (uint32_t n = 0; (called = hlo_called(instr, n)); n++) {
        const hlo_instr **caller = &m->callers[hlo_page_computation_number(m, called)];
        if (!*caller || instr->index < hlo_page_own_count(m)) *caller = instr;
    }
}

static void find_callers(hlo_page_model *m) {
    m->callers = hlo_calloc(m->computation_count + 1u, sizeof *m->callers);
    for (uint32_t k = 0; k < m->computation_count; k++)
        for (const hlo_instr *i = m->called[k]->first; i; i = i->next) note_caller(m, i);
    for (uint32_t k = 0; k < m->extras->lone_count; k++) note_caller(m, m->extras->lone[k].instr);
}

static void mark_tied(hlo_page_model *m) {
    m->tied = hlo_calloc(hlo_page_instr_count(m) + 1u, sizeof *m->tied);
    for (uint32_t k = 0; k < m->computation_count; k++)
        for (const hlo_instr *i = m->called[k]->first; i; i = i->next) {
            const hlo_instr *next = hlo_back_edge(i);
            if (next) m->tied[next->index] = true;
            const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
            if (!control) continue;
            m->tied[i->index] = true;
            for (uint32_t p = 0; p < control->u.instructions->n; p++)
                m->tied[control->u.instructions->v[p]->index] = true;
        }
}

void hlo_page_model_init(hlo_page_model *m, hlo_module *module, bool expand_tuples,
                         const hlo_dot_extras *extras) {
    *m = (hlo_page_model){.first = module, .expand_tuples = expand_tuples, .extras = extras};
    count_parts(m);
    lay_out_tables(m);
    number_all(m);
    find_lone(m);
    find_lone_operands(m);
    find_lone_before(m);
    find_what_must_be_seen(m);
    find_callers(m);
    mark_tied(m);
}

void hlo_page_model_free(hlo_page_model *m) {
    hlo_free(m->parts);
    hlo_free(m->numbers);
    hlo_free(m->called);
    hlo_free(m->callers);
    hlo_free(m->first_instr);
    hlo_free(m->lone_first);
    hlo_free(m->lone_count);
    hlo_free(m->lone_operands);
    hlo_free(m->lone_operands_first);
    hlo_free(m->lone_before);
    hlo_free(m->lone_before_first);
    hlo_free(m->tied);
    hlo_free(m->must_be_seen);
}

uint32_t hlo_page_computation_number(const hlo_page_model *m, const hlo_computation *c) {
    uint32_t part = 0;
    while (m->parts[part].module != c->module) part++;
    return m->numbers[m->parts[part].first_number + c->id];
}

static bool is_lone(const hlo_page_model *m, const hlo_instr *instr) {
    return instr->index >= m->first_instr[m->computation_count];
}

const hlo_instr *hlo_page_operand(const hlo_page_model *m, const hlo_instr *instr, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count);
    if (!is_lone(m, instr)) return hlo_operand(instr, i);
    uint32_t place = instr->index - m->first_instr[m->computation_count];
    return m->lone_operands[m->lone_operands_first[place] + i];
}

const hlo_instr **hlo_page_lone_before(const hlo_page_model *m, const hlo_instr *instr,
                                       uint32_t *n) {
    *n = 0;
    if (instr->index >= hlo_page_own_count(m)) return NULL;
    const uint32_t *first = m->lone_before_first + instr->index;
    *n = first[1] - first[0];
    return m->lone_before + first[0];
}

const hlo_attr *hlo_page_control(const hlo_page_model *m, const hlo_instr *instr) {
    return is_lone(m, instr) ? NULL : hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
}

/* ---- what has no node ---- */

static bool must_be_seen(const hlo_page_model *m, const hlo_instr *instr) {
    return m->must_be_seen && m->must_be_seen[instr->index];
}

static bool only_serves(const hlo_page_model *m, const hlo_instr *instr) {
    if (!instr->first_use || instr->parent->root == instr) return false;
    return !m->tied[instr->index] && !must_be_seen(m, instr);
}

bool hlo_page_is_inlined(const hlo_page_model *m, const hlo_instr *instr) {
    if (!hlo_dot_is_short_value(instr) || !only_serves(m, instr)) return false;
    if (!instr->operand_count) return true;
    const hlo_instr *value = hlo_page_operand(m, instr, 0);
    return !must_be_seen(m, value);
}

bool hlo_page_is_folded(const hlo_page_model *m, const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && instr->operand_count == 1 &&
           !m->expand_tuples && only_serves(m, instr) &&
           !hlo_page_is_inlined(m, hlo_page_operand(m, instr, 0));
}

const hlo_instr *hlo_page_source(const hlo_page_model *m, const hlo_instr *value) {
    while (hlo_page_is_folded(m, value)) value = hlo_page_operand(m, value, 0);
    return value;
}
