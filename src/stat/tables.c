/* Tables of figures: what they consist of, rows, sums, order. */
#include <math.h>
#include <stdlib.h>

#include <hlo/tables.h>

#include "base/table_row.h"
#include "stat/stat.h"

const hlo_stat_kind_info hlo_stat_kinds[HLO_STAT_KINDS] = {
    [HLO_STAT_TEXT] = {"text", false, false},   [HLO_STAT_NUMBER] = {"number", false, false},
    [HLO_STAT_COUNT] = {"count", true, true},   [HLO_STAT_TIMES] = {"times", false, true},
    [HLO_STAT_FLOPS] = {"flops", true, true},   [HLO_STAT_BYTES] = {"bytes", true, true},
    [HLO_STAT_SIZE] = {"size", false, true},    [HLO_STAT_SECONDS] = {"seconds", true, true},
    [HLO_STAT_RATIO] = {"ratio", false, false}, [HLO_STAT_PERCENT] = {"percent", true, false},
};

enum { ALWAYS = 0, TIMED = 1 };

/* All columns, table by table. */
static const struct {
    hlo_stat_table_id table;
    hlo_stat_column column;
} columns[] = {
#define HLO_STAT_COLUMN(id, name, heading, kind, when, meaning) \
    {HLO_STAT_##id, {name, heading, meaning, HLO_STAT_##kind, when, false}},
#include "stat/tables.def"
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const struct {
    const char *name, *title, *meaning;
    hlo_stat_default when;
} tables[HLO_STAT_TABLES] = {
#define HLO_STAT_TABLE(id, name, title, when, meaning) {name, title, meaning, HLO_STAT_##when},
#include "stat/tables.def"
};

hlo_stat_default hlo_stat_table_default(size_t table) {
    HLO_ASSERT(table < sizeof tables / sizeof *tables);
    return tables[table].when;
}

static uint32_t first_column(size_t table) {
    uint32_t first = 0;
    while (first < COLUMNS && columns[first].table != table) first++;
    return first;
}

static uint32_t column_count(size_t table) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) n += columns[i].table == table;
    return n;
}

hlo_stat_table hlo_stat_table_of(hlo_arena *arena, hlo_stat_table_id id) {
    HLO_ASSERT(id < sizeof tables / sizeof *tables);
    hlo_stat_table table = {.name = tables[id].name,
                            .title = tables[id].title,
                            .meaning = tables[id].meaning,
                            .width = column_count(id)};
    hlo_stat_column *own = HLO_NEW_ARRAY(arena, hlo_stat_column, table.width);
    for (uint32_t i = 0; i < table.width; i++) own[i] = columns[first_column(id) + i].column;
    table.columns = own;
    return table;
}

uint32_t hlo_stat_find_column(const hlo_stat_table *table, const char *name) {
    uint32_t column = 0;
    while (column < table->width && strcmp(table->columns[column].name, name) != 0) column++;
    return column;
}

void hlo_stat_free(hlo_stat_table *table) {
    hlo_list_free(&table->cells);
    hlo_free(table->order);
    table->order = NULL;
}

/* ---- rows ---- */

static hlo_stat_kind next_kind(const hlo_stat_table *table) {
    return table->columns[table->cells.n % table->width].kind;
}

void hlo_stat_put_number(hlo_stat_table *table, double number) {
    hlo_stat_cell cell = {next_kind(table), {0}, number};
    hlo_list_push(&table->cells, cell);
}

void hlo_stat_put_text(hlo_stat_table *table, hlo_str text) {
    hlo_stat_cell cell = {HLO_STAT_TEXT, text, NAN};
    hlo_list_push(&table->cells, cell);
}

/* ---- order ---- */

typedef struct {
    double numbers[HLO_STAT_RANKS];
    uint32_t row;
} ranked_row;

static int rank(const void *a_, const void *b_) {
    const ranked_row *a = a_, *b = b_;
    for (int k = 0; k < HLO_STAT_RANKS; k++)
        if (a->numbers[k] != b->numbers[k]) return a->numbers[k] < b->numbers[k] ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

static void rank_by(const hlo_stat_table *table, const char *name, ranked_row *rows, int k) {
    uint32_t column = hlo_stat_find_column(table, name);
    for (uint32_t r = 0; column < table->width && r < hlo_stat_rows(table); r++) {
        double number = hlo_stat_row(table, r)[column].number;
        rows[r].numbers[k] = isnan(number) ? -1 : fabs(number);
    }
}

uint32_t *hlo_stat_order(const hlo_stat_table *table, const char *const by[HLO_STAT_RANKS]) {
    uint32_t rows = hlo_stat_rows(table);
    ranked_row *ranked = hlo_calloc(rows + 1u, sizeof *ranked);
    uint32_t *order = hlo_malloc((rows + 1u) * sizeof *order);
    for (uint32_t r = 0; r < rows; r++) ranked[r].row = r;
    for (int k = 0; k < HLO_STAT_RANKS && by[k]; k++) rank_by(table, by[k], ranked, k);
    qsort(ranked, rows, sizeof *ranked, rank);
    for (uint32_t r = 0; r < rows; r++)
        order[r] = table->order ? table->order[ranked[r].row] : ranked[r].row;
    hlo_free(ranked);
    return order;
}

void hlo_stat_sort(hlo_stat_table *table, const char *const by[HLO_STAT_RANKS]) {
    uint32_t *order = hlo_stat_order(table, by);
    hlo_free(table->order);
    table->order = order;
}

/* ---- sums ---- */

static uint32_t column_of_kind(const hlo_stat_table *table, hlo_stat_kind kind) {
    uint32_t column = 0;
    while (column < table->width && table->columns[column].kind != kind) column++;
    return column;
}

static double add_up(const hlo_stat_table *table, uint32_t column, uint32_t from, uint32_t to) {
    double sum = 0;
    for (uint32_t r = from; column < table->width && r < to; r++) {
        double number = hlo_stat_row(table, r)[column].number;
        if (!isnan(number)) sum += number;
    }
    return sum;
}

hlo_stat_cell hlo_stat_sum(const hlo_stat_table *table, uint32_t column, uint32_t from,
                           uint32_t to) {
    HLO_ASSERT(column < sizeof columns / sizeof *columns);
    hlo_stat_kind kind = table->columns[column].kind;
    hlo_stat_cell sum = {HLO_STAT_TEXT, HLO_STR(""), NAN};
    if (kind == HLO_STAT_RATIO) {
        double flops = add_up(table, column_of_kind(table, HLO_STAT_FLOPS), from, to);
        double bytes = add_up(table, column_of_kind(table, HLO_STAT_BYTES), from, to);
        if (bytes > 0) sum = (hlo_stat_cell){kind, {0}, flops / bytes};
    }
    if (hlo_stat_kinds[kind].is_additive)
        sum = (hlo_stat_cell){kind, {0}, add_up(table, column, from, to)};
    return sum;
}

/* ---- the public interface ---- */

bool hlo_stats_table_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, HLO_STAT_TABLES)) return false;
    row->name = tables[number].name;
    row->description = tables[number].meaning;
    return true;
}

bool hlo_stats_column_row(size_t table, size_t number, hlo_table_row *row) {
    size_t count = table < HLO_STAT_TABLES ? column_count(table) : 0;
    if (!hlo_row_begin(row, number, count)) return false;
    const hlo_stat_column *column = &columns[first_column(table) + number].column;
    row->name = column->name;
    row->group = hlo_stat_kinds[column->kind].name;
    row->description = column->meaning;
    return true;
}
