/* Instructions grouped by a text: by operation, element type, scope, source line. */
#include <stdlib.h>

#include "ir/program_line.h"
#include "stat/stat.h"

/* ---- texts ---- */

static void put_operation(hlo_stat_counting *c, const hlo_instr *instr, hlo_buf *to) {
    (void)c;
    hlo_buf_cstr(to, hlo_info(instr)->text);
}

static void put_type(hlo_stat_counting *c, const hlo_instr *instr, hlo_buf *to) {
    const hlo_shape *shape = instr->shape;
    (void)c;
    while (hlo_shape_is_tuple(shape) && shape->rank) shape = shape->elements[0];
    hlo_buf_cstr(to, hlo_types[shape->type].text);
}

static void put_source(hlo_stat_counting *c, const hlo_instr *instr, hlo_buf *to) {
    hlo_program_line line = hlo_instr_program_line(instr);
    (void)c;
    if (!line.file.len) return;
    hlo_buf_str(to, line.file);
    if (!line.line) return;
    hlo_buf_char(to, ':');
    hlo_buf_int(to, line.line);
}

static const struct {
    hlo_stat_table_id table;
    void (*put_key)(hlo_stat_counting *c, const hlo_instr *instr, hlo_buf *to);
} groups[] = {
    {HLO_STAT_OPERATIONS, put_operation},
    {HLO_STAT_TYPES, put_type},
    {HLO_STAT_SCOPES, hlo_stat_put_scope},
    {HLO_STAT_SOURCES, put_source},
};

enum { GROUPS = sizeof groups / sizeof *groups };

/* ---- collecting ---- */

/* Flops inside a fusion belong to the instructions there, its bytes and its time to the fusion. */
static hlo_stat_cost cost_in_group(const hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_stat_cost own = hlo_stat_cost_of(c, instr, false);
    if (!c->stats->has_times || !c->part->is_run[instr->parent->id]) return own;
    hlo_stat_cost whole = hlo_stat_cost_of(c, instr, true);
    memcpy(own.seconds, whole.seconds, sizeof own.seconds);
    return own;
}

/* The entry of that key, which has no cost when it is new. */
static hlo_stat_entry *entry_of(hlo_stat_counting *c, hlo_stat_entries *entries, hlo_str key) {
    uint64_t hash = hlo_hash_bytes(key.ptr, key.len);
    hlo_hash_each (number, &entries->numbers, hash)
        if (hlo_str_equal(entries->list.v[number - 1].key, key))
            return &entries->list.v[number - 1];
    hlo_stat_entry entry = {.key = hlo_stat_keep(c, key.ptr, key.len)};
    hlo_list_push(&entries->list, entry);
    hlo_hash_add(&entries->numbers, hash, entries->list.n);
    return &entries->list.v[entries->list.n - 1];
}

static void collect(hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_stat_cost cost = cost_in_group(c, instr);
    for (size_t g = 0; g < GROUPS; g++) {
        c->text.len = 0;
        groups[g].put_key(c, instr, &c->text);
        hlo_str key = {c->text.data, (uint32_t)c->text.len, 0};
        hlo_stat_add_cost(&entry_of(c, &c->entries[groups[g].table], key)->cost, &cost);
    }
}

void hlo_stat_collect_groups(hlo_stat_counting *c) {
    for (const hlo_computation *one = c->part->module->first; one; one = one->next)
        for (const hlo_instr *i = one->first; i; i = i->next) collect(c, i);
}

/* ---- rows ---- */

static int compare_entries(const void *a, const void *b) {
    return hlo_str_compare(((const hlo_stat_entry *)a)->key, ((const hlo_stat_entry *)b)->key);
}

static void fill(hlo_stat_counting *c, hlo_stat_table_id id) {
    hlo_stat_entries *entries = &c->entries[id];
    hlo_stat_table *table = &c->stats->tables[id];
    if (entries->list.n)
        qsort(entries->list.v, entries->list.n, sizeof *entries->list.v, compare_entries);
    for (uint32_t i = 0; i < entries->list.n; i++) {
        const hlo_stat_entry *entry = &entries->list.v[i];
        hlo_stat_put_text(table, entry->key);
        hlo_stat_put_number(table, entry->cost.count);
        hlo_stat_put_costs(c, table, &entry->cost);
    }
    hlo_list_free(&entries->list);
    hlo_hash_free(&entries->numbers);
}

void hlo_stat_fill_groups(hlo_stat_counting *c) {
    for (size_t g = 0; g < GROUPS; g++) fill(c, groups[g].table);
}
