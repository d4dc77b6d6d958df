/* Hashes from the bottom up: a computation's is made of its instructions in printed order, which
 * name operands by place and callees by their hashes; the module's of all computations and the
 * header. Attributes are hashed as they print, so that no pointer takes part. */
#include "analysis/module_hash.h"

#include "ir/literal.h"
#include "ir/print_attr.h"

typedef struct {
    hlo_module *module;
    hlo_hash128 *computations; /* by id */
    hlo_buf text;              /* of the current attribute */
} hasher;

/* How attributes print. */
static const hlo_print_options as_text = {.backend_config = true,
                                          .control_predecessors = true,
                                          .result_layouts = true,
                                          .canonical = true};

/* The halves see the same words and start apart. */
static void mix(hlo_hash128 *h, uint64_t word) {
    h->high = hlo_hash_mix(h->high, word);
    h->low = hlo_hash_mix(h->low + UINT64_C(0x632be59bd9b4e019), word << 32 | word >> 32);
}

static void mix_bytes(hlo_hash128 *h, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    mix(h, n);
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        mix(h, word);
    }
    uint64_t rest = 0;
    if (n) memcpy(&rest, p, n);
    if (n) mix(h, rest);
}

static void mix_str(hlo_hash128 *h, hlo_str text) {
    mix_bytes(h, text.ptr, text.len);
}

/* Elements that the text left out are no difference, whatever was made up for them. */
static void mix_literal(hasher *m, hlo_hash128 *h, const hlo_literal *literal) {
    mix_str(h, hlo_shape_text(&m->module->shapes, literal->shape));
    if (hlo_shape_is_tuple(literal->shape)) {
        for (uint32_t i = 0; i < literal->shape->rank; i++) mix_literal(m, h, literal->elements[i]);
    } else if (literal->implied && literal->implied->is_elided) {
        mix_str(h, HLO_STR("{...}"));
    } else if (hlo_shape_is_array(literal->shape)) {
        size_t size = hlo_types[literal->shape->type].bytes;
        const void *data = hlo_literal_data(literal);
        if (data) mix_bytes(h, data, (size_t)hlo_shape_elements(literal->shape) * size);
    }
}

static bool counts(const hlo_attr *attr) {
    return attr->id != HLO_ATTR_METADATA && attr->id != HLO_ATTR_ORIGIN &&
           attr->id != HLO_ATTR_STATISTICS && attr->id != HLO_ATTR_ORIGIN_RECOVERY_TABLE &&
           attr->id != HLO_ATTR_DEBUG_ATTRIBUTES;
}

static void mix_attr(hasher *m, hlo_hash128 *h, const hlo_instr *instr, const hlo_attr *attr) {
    switch (hlo_attr_table[attr->id].kind) {
    case HLO_KIND_COMPUTATION:
    case HLO_KIND_COMPUTATIONS: return; /* what is called comes after the attributes */
    case HLO_KIND_INSTRUCTIONS:
        mix(h, attr->u.instructions->n);
        for (uint32_t i = 0; i < attr->u.instructions->n; i++)
            mix(h, attr->u.instructions->v[i]->index);
        return;
    case HLO_KIND_LITERAL:
        if (attr->u.literal) mix_literal(m, h, attr->u.literal);
        return;
    default: break;
    }
    if (hlo_attr_is_default(attr) && attr->id != HLO_ATTR_WINDOW)
        return; /* as if it was not there */
    m->text.len = 0;
    if (hlo_attr_table[attr->id].printed == HLO_PRINT_NEVER) mix(h, (uint64_t)attr->u.i);
    if (instr) hlo_attr_print_of(instr, attr, &as_text, &m->text);
    else hlo_attr_print(attr, &as_text, &m->text);
    mix_bytes(h, m->text.data, m->text.len);
}

static void mix_instr(hasher *m, hlo_hash128 *h, const hlo_instr *instr) {
    mix_str(h, hlo_str_from(hlo_info(instr)->text));
    mix_str(h, hlo_shape_text(&m->module->shapes, instr->shape));
    mix(h, instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++) mix(h, hlo_operand(instr, i)->index);
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (counts(&instr->attrs[i])) mix_attr(m, h, instr, &instr->attrs[i]);
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) {
        mix(h, m->computations[called->id].high);
        mix(h, m->computations[called->id].low);
    }
}

/* The text of an async-start may leave out the computation that it starts, and with it the order of
 * the parameters, which no schedule depends on. */
static bool has_schedule(const hasher *m, const hlo_computation *c) {
    return hlo_module_flag(m->module, HLO_ATTR_IS_SCHEDULED) &&
           !(c->is_async_body && c->instr_count == c->parameter_count + 1);
}

static hlo_hash128 hash_computation(hasher *m, hlo_computation *c, hlo_instr **order) {
    hlo_hash128 h = {1, 2};
    uint32_t n = hlo_post_order(c, order);
    for (uint32_t i = 0; i < n; i++) order[i]->index = i;
    for (uint32_t i = 0; i < n; i++) mix_instr(m, &h, order[i]);
    if (has_schedule(m, c))
        for (const hlo_instr *i = c->first; i; i = i->next) mix(&h, i->index);
    mix(&h, c->root ? c->root->index : 0);
    mix_str(&h, c->execution_thread);
    return h;
}

/* A sum, since the order of computations means nothing. */
static hlo_hash128 hash_all(hasher *m, hlo_computation *const *computations, hlo_instr **order) {
    hlo_hash128 sum = {0};
    for (uint32_t i = 0; i < m->module->computation_count; i++) {
        hlo_computation *c = computations[i];
        hlo_hash128 h = m->computations[c->id] = hash_computation(m, c, order);
        mix(&h, c == m->module->entry);
        sum.high += h.high;
        sum.low += h.low;
    }
    return sum;
}

static hlo_hash128 hash_module(hlo_module *module) {
    uint32_t most = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        if (c->instr_count > most) most = c->instr_count;
    hlo_instr **order = hlo_malloc((most + 1) * sizeof *order);
    hlo_computation **computations =
        hlo_malloc((module->computation_count + 1) * sizeof *computations);
    hasher m = {.module = module, .text = HLO_BUF_INIT};
    m.computations = hlo_calloc((size_t)module->next_id + 1, sizeof *m.computations);
    hlo_callees_first_order(module, computations);
    hlo_hash128 h = hash_all(&m, computations, order);
    for (uint32_t i = 0; i < module->attr_count; i++)
        if (counts(&module->attrs[i])) mix_attr(&m, &h, NULL, &module->attrs[i]);
    hlo_buf_free(&m.text);
    hlo_free(m.computations);
    hlo_free(computations);
    hlo_free(order);
    return h;
}

hlo_hash128 hlo_module_hash_of(hlo_module *module) {
    hlo_hash128 h = hash_module(module);
    for (hlo_module *part = module->next_device; part; part = part->next_device) {
        hlo_hash128 next = hash_module(part);
        mix(&h, next.high);
        mix(&h, next.low);
    }
    return h;
}
