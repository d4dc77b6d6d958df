/* What differs between two tables of the same columns. */
#include <math.h>
#include <stdlib.h>

#include "stat/stat.h"

/* Columns that are compared: each becomes three. */
typedef struct {
    const hlo_stat_table *a, *b;
    hlo_stat_table *to;
    bool keeps_equal;
} comparison;

static bool is_compared(const hlo_stat_table *table, uint32_t column) {
    const hlo_stat_column *one = &table->columns[column];
    if (one->kind == HLO_STAT_TEXT) return false;
    return hlo_stat_is_summary(table) || hlo_stat_kinds[one->kind].is_quantity;
}

/* ---- columns ---- */

static const char *joined(hlo_arena *arena, const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    char *text = hlo_arena_alloc(arena, n + m + 1);
    memcpy(text, name, n);
    memcpy(text + n, ending, m + 1);
    return text;
}

static void add_columns(hlo_arena *arena, const hlo_stat_column *one, hlo_stat_column *to) {
    to[0] = to[1] = to[2] = *one;
    to[0].name = joined(arena, one->name, "_before");
    to[1].name = joined(arena, one->name, "_after");
    to[2].name = joined(arena, one->name, "_change");
    to[0].heading = *one->heading ? one->heading : "before";
    to[1].heading = "after";
    to[2].heading = "change";
    to[2].is_change = true;
}

static hlo_stat_table table_of(hlo_arena *arena, const hlo_stat_table *of) {
    hlo_stat_column *columns = HLO_NEW_ARRAY(arena, hlo_stat_column, 1 + 3 * of->width);
    hlo_stat_table table = {.name = of->name, .title = of->title, .meaning = of->meaning};
    table.columns = columns;
    columns[table.width++] = of->columns[0];
    for (uint32_t k = 1; k < of->width; k++) {
        if (!is_compared(of, k)) continue;
        add_columns(arena, &of->columns[k], &columns[table.width]);
        table.width += 3;
    }
    return table;
}

/* ---- rows ---- */

typedef struct {
    hlo_str key;
    uint32_t row;
} keyed_row;

static int compare_keys(const void *a_, const void *b_) {
    const keyed_row *a = a_, *b = b_;
    int c = hlo_str_compare(a->key, b->key);
    return c ? c : (a->row > b->row) - (a->row < b->row);
}

static keyed_row *rows_by_key(const hlo_stat_table *table) {
    uint32_t n = hlo_stat_rows(table);
    keyed_row *rows = hlo_calloc(n + 1u, sizeof *rows);
    for (uint32_t r = 0; r < n; r++) rows[r] = (keyed_row){hlo_stat_row(table, r)[0].text, r};
    if (n) qsort(rows, n, sizeof *rows, compare_keys);
    return rows;
}

/* What is not there counts as none. */
static hlo_stat_cell side(const hlo_stat_cell *row, const hlo_stat_cell *other, uint32_t column) {
    if (row) return row[column];
    return (hlo_stat_cell){other[column].kind, HLO_STR(""), 0};
}

static hlo_stat_cell change(const hlo_stat_cell *a, const hlo_stat_cell *b) {
    hlo_stat_cell cell = {a->kind, HLO_STR(""), b->number - a->number};
    if (cell.kind == HLO_STAT_TEXT) cell.number = NAN;
    return cell;
}

static bool are_equal(const comparison *c, const hlo_stat_cell *a, const hlo_stat_cell *b) {
    for (uint32_t k = 1; k < c->a->width; k++) {
        if (!is_compared(c->a, k)) continue;
        bool unknown = isnan(a[k].number) && isnan(b[k].number);
        if (!unknown && !(a[k].number == b[k].number)) return false;
    }
    return true;
}

static void put_row(const comparison *c, const hlo_stat_cell *a, const hlo_stat_cell *b) {
    if (a && b && !c->keeps_equal && are_equal(c, a, b)) return;
    hlo_list_push(&c->to->cells, (a ? a : b)[0]);
    for (uint32_t k = 1; k < c->a->width; k++) {
        if (!is_compared(c->a, k)) continue;
        hlo_stat_cell before = side(a, b, k), after = side(b, a, k);
        hlo_list_push(&c->to->cells, before);
        hlo_list_push(&c->to->cells, after);
        hlo_list_push(&c->to->cells, change(&before, &after));
    }
}

/* Rows that both have, in the order of the first, then those that only the second has. */
static void put_rows(const comparison *c) {
    uint32_t n = hlo_stat_rows(c->a), m = hlo_stat_rows(c->b), i = 0, k = 0;
    keyed_row *first = rows_by_key(c->a), *second = rows_by_key(c->b);
    const hlo_stat_cell **partner = hlo_calloc(n + 1u, sizeof *partner);
    bool *is_met = hlo_calloc(m + 1u, sizeof *is_met);
    while (i < n && k < m) {
        int order = hlo_str_compare(first[i].key, second[k].key);
        if (order == 0) partner[first[i].row] = hlo_stat_row(c->b, second[k].row);
        if (order == 0) is_met[second[k].row] = true;
        i += order <= 0;
        k += order >= 0;
    }
    for (uint32_t r = 0; r < n; r++) put_row(c, hlo_stat_row(c->a, r), partner[r]);
    for (uint32_t r = 0; r < m; r++)
        if (!is_met[r]) put_row(c, NULL, hlo_stat_row(c->b, r));
    hlo_free(first);
    hlo_free(second);
    hlo_free(partner);
    hlo_free(is_met);
}

/* The summary has a fixed order. */
static void sort_by_change(hlo_stat_table *table) {
    static const char *const by[HLO_STAT_RANKS] = {"seconds_change", "flops_change", "bytes_change",
                                                   "count_change"};
    hlo_stat_sort(table, by);
}

hlo_stat_table hlo_stat_compare(hlo_arena *arena, const hlo_stat_table *first,
                                const hlo_stat_table *second, bool keeps_equal) {
    hlo_stat_table table = table_of(arena, first);
    comparison c = {first, second, &table, keeps_equal};
    put_rows(&c);
    sort_by_change(&table);
    return table;
}
