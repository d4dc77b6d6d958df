/* Instructions grouped by a text: by operation, element type, scope, source line. */
#include <stdlib.h>

#include "ir/program_line.h"
#include "stat/stat.h"

/* ---- texts ---- */

static hlo_str operation_of(hlo_stat_counting *c, const hlo_instr *instr) {
    (void)c;
    return hlo_str_from(hlo_info(instr)->text);
}

static hlo_str type_of(hlo_stat_counting *c, const hlo_instr *instr) {
    const hlo_shape *shape = instr->shape;
    (void)c;
    while (hlo_shape_is_tuple(shape) && shape->rank) shape = shape->elements[0];
    return hlo_str_from(hlo_types[shape->type].text);
}

static hlo_str source_of(hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_program_line line = hlo_instr_program_line(instr);
    hlo_buf text = HLO_BUF_INIT;
    if (!line.file.len) return HLO_STR("");
    hlo_buf_str(&text, line.file);
    if (line.line) hlo_buf_printf(&text, ":%d", line.line);
    hlo_str kept = hlo_stat_keep(c, text.data, text.len);
    hlo_buf_free(&text);
    return kept;
}

static const struct {
    hlo_stat_table_id table;
    hlo_str (*key)(hlo_stat_counting *c, const hlo_instr *instr);
} groups[] = {
    {HLO_STAT_OPERATIONS, operation_of},
    {HLO_STAT_TYPES, type_of},
    {HLO_STAT_SCOPES, hlo_stat_scope},
    {HLO_STAT_SOURCES, source_of},
};

enum { GROUPS = sizeof groups / sizeof *groups };

/* ---- collecting ---- */

/* Flops inside a fusion belong to the instructions there, its bytes and its time to the fusion. */
static hlo_stat_cost cost_in_group(const hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_stat_cost own = hlo_stat_cost_of(c, instr, false);
    if (!c->part->is_run[instr->parent->id]) return own;
    hlo_stat_cost whole = hlo_stat_cost_of(c, instr, true);
    memcpy(own.seconds, whole.seconds, sizeof own.seconds);
    return own;
}

static void collect(hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_stat_entry entry = {.cost = cost_in_group(c, instr)};
    for (size_t g = 0; g < GROUPS; g++) {
        entry.key = groups[g].key(c, instr);
        hlo_list_push(&c->entries[groups[g].table], entry);
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

/* The cost of entries from `i` on that have the same text; *end is after them. */
static hlo_stat_cost sum_of_group(const hlo_stat_entries *entries, uint32_t i, uint32_t *end) {
    hlo_stat_cost sum = {0};
    for (*end = i; *end < entries->n && hlo_str_equal(entries->v[*end].key, entries->v[i].key);
         ++*end)
        hlo_stat_add_cost(&sum, &entries->v[*end].cost);
    return sum;
}

static void fill(hlo_stat_counting *c, hlo_stat_table_id id) {
    hlo_stat_entries *entries = &c->entries[id];
    hlo_stat_table *table = &c->stats->tables[id];
    if (entries->n) qsort(entries->v, entries->n, sizeof *entries->v, compare_entries);
    for (uint32_t i = 0, end; i < entries->n; i = end) {
        hlo_stat_cost sum = sum_of_group(entries, i, &end);
        hlo_stat_put_text(table, hlo_stat_keep(c, entries->v[i].key.ptr, entries->v[i].key.len));
        hlo_stat_put_number(table, sum.count);
        hlo_stat_put_costs(c, table, &sum);
    }
    hlo_list_free(entries);
}

void hlo_stat_fill_groups(hlo_stat_counting *c) {
    for (size_t g = 0; g < GROUPS; g++) fill(c, groups[g].table);
}
