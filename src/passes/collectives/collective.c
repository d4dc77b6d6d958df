/* Reductions of collectives, and attributes of several instructions in one: see collective.h. */
#include "passes/collectives/collective.h"

#include <stdlib.h>

#include "analysis/match.h"

hlo_opcode hlo_reduction_of(const hlo_instr *collective) {
    const hlo_computation *computation = hlo_called(collective, 0);
    hlo_opcode opcode = computation ? hlo_binary_computation(computation) : HLO_OP_COUNT;
    bool fits = opcode != HLO_OP_COUNT && (hlo_ops[opcode].flags & HLO_OP_IS_ASSOCIATIVE);
    return fits ? opcode : HLO_OP_COUNT;
}

bool hlo_pins_layouts(const hlo_module *module, hlo_opcode opcode) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (i->opcode == opcode && hlo_attr_int(i, HLO_ATTR_CONSTRAIN_LAYOUT)) return true;
    return false;
}

void hlo_collect_all(hlo_module *module, const bool *wanted, hlo_instr_list *list) {
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i && !c->is_fusion_body && !c->is_async_body; i = i->next)
            if (wanted[i->opcode]) hlo_list_push(list, i);
}

void hlo_collect(hlo_module *module, hlo_opcode opcode, hlo_instr_list *list) {
    bool wanted[HLO_OP_COUNT] = {false};
    wanted[opcode] = true;
    hlo_collect_all(module, wanted, list);
}

static hlo_str kept(hlo_module *module, const hlo_buf *text) {
    const char *copy = hlo_arena_copy(&module->arena, text->data, text->len);
    return (hlo_str){copy, (uint32_t)text->len, 0};
}

/* ---- frontend attributes ---- */

static int by_key_and_value(const void *a, const void *b) {
    const hlo_frontend_entry *x = a, *y = b;
    int order = hlo_str_compare(x->key, y->key);
    return order ? order : hlo_str_compare(x->value, y->value);
}

/* Values of one key, from..end of a sorted list, each once. */
static hlo_str joined_values(hlo_module *module, const hlo_frontend_entry *v, uint32_t from,
                             uint32_t end) {
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = from; i < end; i++) {
        if (i > from && hlo_str_equal(v[i].value, v[i - 1].value)) continue;
        if (i > from) hlo_buf_char(&text, ',');
        hlo_buf_str(&text, v[i].value);
    }
    hlo_str out = kept(module, &text);
    hlo_buf_free(&text);
    return out;
}

static hlo_frontend *joined_entries(hlo_module *module, const hlo_frontend_entry *v, uint32_t n) {
    hlo_frontend *all = hlo_arena_alloc(&module->arena, sizeof *all + n * sizeof *all->v);
    all->n = 0;
    for (uint32_t from = 0, end; from < n; from = end) {
        for (end = from + 1; end < n && hlo_str_equal(v[end].key, v[from].key);) end++;
        all->v[all->n++] = (hlo_frontend_entry){v[from].key, joined_values(module, v, from, end)};
    }
    return all;
}

void hlo_merge_frontend(hlo_instr *const *from, uint32_t n, hlo_instr *to) {
    HLO_ASSERT(n > 0);
    HLO_LIST(hlo_frontend_entry) entries = {0};
    for (uint32_t i = 0; i < n; i++) {
        const hlo_attr *attr = hlo_instr_attr(from[i], HLO_ATTR_FRONTEND_ATTRIBUTES);
        for (uint32_t k = 0; attr && k < attr->u.frontend->n; k++)
            hlo_list_push(&entries, attr->u.frontend->v[k]);
    }
    hlo_instr_remove_attr(to, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (entries.n) {
        qsort(entries.v, entries.n, sizeof *entries.v, by_key_and_value);
        const hlo_frontend *all = joined_entries(to->parent->module, entries.v, entries.n);
        hlo_instr_set_attr(to, (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = all});
    }
    hlo_list_free(&entries);
}

void hlo_remove_frontend(hlo_instr *instr, const char *key) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (!attr) return;
    const hlo_frontend *all = attr->u.frontend;
    hlo_frontend *left =
        hlo_arena_alloc(&instr->parent->module->arena, sizeof *left + all->n * sizeof *left->v);
    left->n = 0;
    for (uint32_t i = 0; i < all->n; i++)
        if (!hlo_str_is(all->v[i].key, key)) left->v[left->n++] = all->v[i];
    if (left->n == 0) hlo_instr_remove_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    else hlo_instr_set_attr(instr, (hlo_attr){.id = attr->id, .u.frontend = left});
}

/* ---- metadata ---- */

typedef HLO_LIST(hlo_str) str_list;

static uint32_t common_length(hlo_str a, hlo_str b) {
    uint32_t n = 0;
    while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n]) n++;
    return n;
}

/* How many bytes all have in common, up to and with a slash. */
static uint32_t common_path(const str_list *names) {
    HLO_ASSERT(names->n > 0);
    hlo_str common = names->v[0];
    for (uint32_t i = 1; i < names->n; i++) common.len = common_length(common, names->v[i]);
    while (common.len && common.ptr[common.len - 1] != '/') common.len--;
    return common.len;
}

static bool are_one(const str_list *names) {
    for (uint32_t i = 1; i < names->n; i++)
        if (!hlo_str_equal(names->v[i], names->v[0])) return false;
    return true;
}

/* path/(a:b:c) of path/a, path/b and path/c. */
static hlo_str merged_name(hlo_module *module, const str_list *names) {
    HLO_ASSERT(names->n > 0);
    if (are_one(names)) return names->v[0];
    uint32_t path = common_path(names);
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, names->v[0].ptr, path);
    for (uint32_t i = 0; i < names->n; i++) {
        hlo_buf_char(&text, i ? ':' : '(');
        hlo_buf_bytes(&text, names->v[i].ptr + path, names->v[i].len - path);
    }
    hlo_buf_char(&text, ')');
    hlo_str out = kept(module, &text);
    hlo_buf_free(&text);
    return out;
}

static void add_place(hlo_buf *places, const hlo_metadata *metadata) {
    if (!metadata->source_file.len) return;
    if (places->len) hlo_buf_char(places, ',');
    hlo_buf_str(places, metadata->source_file);
    hlo_buf_printf(places, ":%d", metadata->source_line);
}

static void merge_into(hlo_module *module, hlo_metadata *all, const str_list *names,
                       const hlo_buf *places) {
    if (names->n) all->op_name = merged_name(module, names);
    if (!places->len) return;
    all->source_file = kept(module, places);
    all->source_line = all->source_end_line = 0;
}

void hlo_merge_metadata(hlo_instr *const *from, uint32_t n, hlo_instr *to) {
    HLO_ASSERT(n > 0);
    hlo_module *module = to->parent->module;
    const hlo_attr *first = hlo_instr_attr(from[0], HLO_ATTR_METADATA);
    hlo_metadata *all = HLO_NEW(&module->arena, hlo_metadata);
    str_list names = {0};
    hlo_buf places = HLO_BUF_INIT;
    bool any = false;
    if (first) *all = *first->u.metadata;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_attr *attr = hlo_instr_attr(from[i], HLO_ATTR_METADATA);
        if (!attr) continue;
        any = true;
        if (attr->u.metadata->op_name.len) hlo_list_push(&names, attr->u.metadata->op_name);
        add_place(&places, attr->u.metadata);
    }
    merge_into(module, all, &names, &places);
    if (any) hlo_instr_set_attr(to, (hlo_attr){.id = HLO_ATTR_METADATA, .u.metadata = all});
    hlo_list_free(&names);
    hlo_buf_free(&places);
}
