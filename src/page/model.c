/* Numbers of computations and instructions, and what has no node: see model.h. */
#include "page/model.h"

#include "dot/roles.h"

static void count_parts(hlo_page_model *m) {
    uint32_t ids = 0;
    for (const hlo_module *part = m->first; part; part = part->next_device) m->part_count++;
    m->parts = hlo_calloc(m->part_count, sizeof *m->parts);
    uint32_t k = 0;
    for (const hlo_module *part = m->first; part; part = part->next_device, k++) {
        m->parts[k].module = part;
        m->parts[k].first_number = ids;
        ids += part->next_id;
        m->computation_count += part->computation_count;
    }
    m->numbers = hlo_calloc(ids + 1u, sizeof *m->numbers);
    m->called = hlo_calloc(m->computation_count + 1u, sizeof *m->called);
    m->first_instr = hlo_calloc(m->computation_count + 1u, sizeof *m->first_instr);
}

static void number_all(hlo_page_model *m) {
    uint32_t number = 0, instr_number = 0;
    for (uint32_t k = 0; k < m->part_count; k++)
        for (const hlo_computation *c = m->parts[k].module->first; c; c = c->next) {
            m->numbers[m->parts[k].first_number + c->id] = number;
            m->called[number] = c;
            m->first_instr[number++] = instr_number;
            for (hlo_instr *i = c->first; i; i = i->next) i->index = instr_number++;
        }
    m->first_instr[number] = instr_number;
}

static void find_callers(hlo_page_model *m) {
    const hlo_computation *called;
    m->callers = hlo_calloc(m->computation_count + 1u, sizeof *m->callers);
    for (uint32_t k = 0; k < m->computation_count; k++)
        for (const hlo_instr *i = m->called[k]->first; i; i = i->next)
            for (uint32_t n = 0; (called = hlo_called(i, n)); n++)
                m->callers[hlo_page_computation_number(m, called)] = i;
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

void hlo_page_model_init(hlo_page_model *m, hlo_module *module, bool expand_tuples) {
    *m = (hlo_page_model){.first = module, .expand_tuples = expand_tuples};
    count_parts(m);
    number_all(m);
    find_callers(m);
    mark_tied(m);
}

void hlo_page_model_free(hlo_page_model *m) {
    hlo_free(m->parts);
    hlo_free(m->numbers);
    hlo_free(m->called);
    hlo_free(m->callers);
    hlo_free(m->first_instr);
    hlo_free(m->tied);
}

uint32_t hlo_page_computation_number(const hlo_page_model *m, const hlo_computation *c) {
    uint32_t part = 0;
    while (m->parts[part].module != c->module) part++;
    return m->numbers[m->parts[part].first_number + c->id];
}

/* ---- what has no node ---- */

static bool only_serves(const hlo_page_model *m, const hlo_instr *instr) {
    return instr->first_use && instr->parent->root != instr && !m->tied[instr->index];
}

bool hlo_page_is_inlined(const hlo_page_model *m, const hlo_instr *instr) {
    return hlo_dot_is_short_value(instr) && only_serves(m, instr);
}

bool hlo_page_is_folded(const hlo_page_model *m, const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && instr->operand_count == 1 &&
           !m->expand_tuples && only_serves(m, instr) &&
           !hlo_page_is_inlined(m, hlo_operand(instr, 0));
}

const hlo_instr *hlo_page_source(const hlo_page_model *m, const hlo_instr *value) {
    while (hlo_page_is_folded(m, value)) value = hlo_operand(value, 0);
    return value;
}
