/* Statistics of modules: tables of figures, filled from a module, compared, and written in several
 * forms. */
#ifndef HLO_STAT_STAT_H
#define HLO_STAT_STAT_H

#include <hlo/stats.h>

#include "analysis/communication.h"
#include "analysis/cost.h"
#include "base/list.h"
#include "ir/ir.h"

/* ---- tables ---- */

typedef enum {
    HLO_STAT_TEXT,
    HLO_STAT_NUMBER,  /* distinguishes things */
    HLO_STAT_COUNT,   /* of things: can be added up */
    HLO_STAT_TIMES,   /* of things that are the same: cannot */
    HLO_STAT_FLOPS,   /* or transcendentals */
    HLO_STAT_BYTES,   /* can be added up */
    HLO_STAT_SIZE,    /* in bytes; cannot */
    HLO_STAT_SECONDS, /* can be added up */
    HLO_STAT_RATIO,   /* of flops and bytes of the same row */
    HLO_STAT_PERCENT,
    HLO_STAT_KINDS
} hlo_stat_kind;

typedef struct {
    const char *name; /* of the unit, in lower case */
    bool is_additive; /* sums mean something */
    bool is_quantity; /* has a difference to another one that means something */
} hlo_stat_kind_info;
extern const hlo_stat_kind_info hlo_stat_kinds[HLO_STAT_KINDS];

typedef struct {
    const char *name, *heading, *meaning;
    hlo_stat_kind kind;
    bool is_timed;  /* there without peak figures no more than times are */
    bool is_change; /* a difference: its sign is shown */
} hlo_stat_column;

/* Whose kind is TEXT, or a number; NaN: not known. */
typedef struct {
    hlo_stat_kind kind;
    hlo_str text;
    double number;
} hlo_stat_cell;

typedef struct {
    const char *name, *title, *meaning;
    const hlo_stat_column *columns;
    uint32_t width;                /* columns */
    HLO_LIST(hlo_stat_cell) cells; /* row by row, as they were added */
    uint32_t *order;               /* the numbers of the rows, as they are shown; NULL: as added */
} hlo_stat_table;

typedef enum {
    HLO_STAT_ALWAYS,
    HLO_STAT_DETAIL,
    HLO_STAT_ASKED,
    HLO_STAT_OF_REPORT
} hlo_stat_default;

typedef enum {
#define HLO_STAT_TABLE(id, name, title, when, meaning) HLO_STAT_##id,
#include "stat/tables.def"
    HLO_STAT_TABLES
} hlo_stat_table_id;

hlo_stat_default hlo_stat_table_default(size_t table);
/* A table without rows, whose columns `arena` holds. */
hlo_stat_table hlo_stat_table_of(hlo_arena *arena, hlo_stat_table_id id);
/* The number of the column of that name; `width` when there is none. */
uint32_t hlo_stat_find_column(const hlo_stat_table *table, const char *name);

/* Its rows are different things, in a fixed order. */
static inline bool hlo_stat_is_summary(const hlo_stat_table *table) {
    return !*table->columns[0].heading;
}
static inline uint32_t hlo_stat_rows(const hlo_stat_table *table) {
    return table->cells.n / table->width;
}
static inline hlo_stat_cell *hlo_stat_row(const hlo_stat_table *table, uint32_t row) {
    HLO_ASSERT(row < hlo_stat_rows(table));
    return &table->cells.v[(size_t)(table->order ? table->order[row] : row) * table->width];
}
/* Frees rows; the columns are the arena's. */
void hlo_stat_free(hlo_stat_table *table);
/* Adds cells of a row from left to right; each of the column that comes next. */
void hlo_stat_put_number(hlo_stat_table *table, double number);
void hlo_stat_put_text(hlo_stat_table *table, hlo_str text);
enum { HLO_STAT_RANKS = 4 };
/* The rows with the largest numbers in the first of these columns first, whatever their sign, of
 * equal ones those with the largest in the next; equal ones as they were, unknown ones last. Names
 * of columns that the table does not have, and NULL after the last, are left out. */
void hlo_stat_sort(hlo_stat_table *table, const char *const by[HLO_STAT_RANKS]);
/* The same as the new `order` of the table, which stays as it is; free with hlo_free. */
uint32_t *hlo_stat_order(const hlo_stat_table *table, const char *const by[HLO_STAT_RANKS]);
/* The sum of rows from `from` to before `to`; NaN where it means nothing. */
hlo_stat_cell hlo_stat_sum(const hlo_stat_table *table, uint32_t column, uint32_t from,
                           uint32_t to);

/* ---- a module ---- */

struct hlo_stats {
    hlo_arena arena; /* texts */
    hlo_str module;  /* its name */
    bool has_times;
    hlo_stat_table tables[HLO_STAT_TABLES];
};

enum { HLO_STAT_COMPUTE, HLO_STAT_MEMORY, HLO_STAT_LINKS, HLO_STAT_RESOURCES };

/* Figures of an instruction or a sum of them. */
typedef struct {
    double count, unknown; /* instructions; of them, those of unknown cost */
    hlo_cost cost;
    double seconds[HLO_STAT_RESOURCES]; /* of instructions that this resource holds up most */
} hlo_stat_cost;

/* Analyses of a module; dataflow graphs are cut into several, one for each device. */
typedef struct {
    hlo_module *module;
    hlo_call_graph graph;
    hlo_cost_shares shares;     /* of the columns of costs: loops once, unless --trip-counts */
    hlo_cost_shares run_shares; /* of times: loops as often as they run */
    hlo_runs runs;
    double *peaks;   /* by computation, like the following */
    bool *is_run;    /* by control flow: no body of a fusion, nothing that is applied to elements */
    hlo_str *scopes; /* that all callers are in; ptr NULL: it is not called */
} hlo_stat_part;

/* Instructions under a text. */
typedef struct {
    hlo_str key;
    hlo_stat_cost cost;
} hlo_stat_entry;

typedef struct {
    HLO_LIST(hlo_stat_entry) list;
    hlo_hash numbers; /* in the list, by key */
} hlo_stat_entries;

typedef struct {
    const hlo_shape *shape;
    hlo_str text;
} hlo_stat_shape_text;

typedef struct {
    hlo_stats *stats;
    hlo_stats_options options;
    hlo_links links;
    HLO_LIST(hlo_stat_part) parts;
    const hlo_stat_part *part; /* that is being counted */
    hlo_stat_cost total;       /* of all parts */
    hlo_cost run_total;        /* the same, loops as often as they run */
    double link_seconds, unknown_loops, peak;
    hlo_str peak_at;
    hlo_stat_entries entries[HLO_STAT_TABLES]; /* of tables that group instructions */
    HLO_LIST(hlo_str) texts;                   /* of the statistics, each once */
    hlo_hash text_numbers;
    HLO_LIST(hlo_stat_shape_text) shapes; /* whose texts are among them */
    hlo_hash shape_numbers;
    hlo_buf text; /* that is being made */
} hlo_stat_counting;

/* The text in memory of the statistics, which have one of each. */
hlo_str hlo_stat_keep(hlo_stat_counting *c, const char *text, size_t length);
hlo_str hlo_stat_keep_name(hlo_stat_counting *c, const hlo_name *name);
hlo_str hlo_stat_keep_shape(hlo_stat_counting *c, const hlo_shape *shape);
/* How often it runs; NaN where that is not known. */
double hlo_stat_runs(const hlo_stat_counting *c, const hlo_computation *computation);

/* What the instruction adds to the figures of the module: its own part, or `whole` with what a
 * fusion holds, and then with times, which are those of all its runs. */
hlo_stat_cost hlo_stat_cost_of(const hlo_stat_counting *c, const hlo_instr *instr, bool whole);
void hlo_stat_add_cost(hlo_stat_cost *to, const hlo_stat_cost *cost);
double hlo_stat_seconds(const hlo_stat_cost *cost);
/* "" when it takes no time. */
hlo_str hlo_stat_bound(const hlo_stat_cost *cost);
/* The columns that HLO_STAT_COSTS lists. */
void hlo_stat_put_costs(const hlo_stat_counting *c, hlo_stat_table *table,
                        const hlo_stat_cost *cost);

/* By computation, to be freed; texts are the statistics', or the module's. */
hlo_str *hlo_stat_find_scopes(hlo_stat_counting *c, const hlo_call_graph *graph);
/* That of the instruction in the program: what its op_name has before the last slash, after the
 * scope of its computation. */
void hlo_stat_put_scope(hlo_stat_counting *c, const hlo_instr *instr, hlo_buf *to);

void hlo_stat_count_totals(hlo_stat_counting *c);
/* Rows of the part; tables of costs need the totals of all. */
void hlo_stat_fill_computations(hlo_stat_counting *c);
void hlo_stat_fill_instructions(hlo_stat_counting *c);
void hlo_stat_fill_collectives(hlo_stat_counting *c);
void hlo_stat_fill_buffers(hlo_stat_counting *c);
void hlo_stat_fill_values(hlo_stat_counting *c); /* parameters, outputs, constants */
void hlo_stat_collect_groups(hlo_stat_counting *c);
/* Rows of all parts. */
void hlo_stat_fill_groups(hlo_stat_counting *c);
/* The summary, and the module's row of the table of modules, without its file. */
void hlo_stat_fill_figures(hlo_stat_counting *c);

/* ---- comparing and writing ---- */

/* Differences from one table to another of the same columns, as a table of more columns, which
 * `arena` holds. `keeps_equal`: rows in which nothing differs, too. */
hlo_stat_table hlo_stat_compare(hlo_arena *arena, const hlo_stat_table *first,
                                const hlo_stat_table *second, bool keeps_equal);

/* Figures as readers like them, or with `exact` as they are. Texts as they can be shown. */
void hlo_stat_put_cell(hlo_buf *to, const hlo_stat_cell *cell, bool is_change, bool exact);
/* The first cell of a row. */
void hlo_stat_put_label(hlo_buf *to, const hlo_stat_table *table, const hlo_stat_cell *cell);
/* A number that other programs read; nothing for unknown ones. */
void hlo_stat_put_plain(hlo_buf *to, double number);

/* What is written of a module, of two, or of all: file.ptr is NULL then. */
typedef struct {
    hlo_str file, module, other_file, other_module; /* other_file.ptr NULL: of one */
    bool has_times;
    const hlo_stat_table *tables[HLO_STAT_TABLES]; /* NULL: not shown */
} hlo_stat_sheet;

typedef struct {
    hlo_buf *to;
    uint64_t top;
    bool exact;
    uint32_t sheets; /* so far */
} hlo_stat_writer;

static inline bool hlo_stat_is_shown(const hlo_stat_sheet *sheet, const hlo_stat_column *column) {
    return sheet->has_times || !column->is_timed;
}
/* A column without a heading, but for those of the summary, is for programs. */
static inline bool hlo_stat_is_for_readers(const hlo_stat_sheet *sheet, const hlo_stat_table *table,
                                           uint32_t column) {
    HLO_ASSERT(column < table->width);
    const hlo_stat_column *one = &table->columns[column];
    return hlo_stat_is_shown(sheet, one) && (hlo_stat_is_summary(table) || *one->heading);
}
/* Of the rows, those that are shown one by one. */
static inline uint32_t hlo_stat_shown_rows(const hlo_stat_writer *w, const hlo_stat_table *table) {
    uint32_t rows = hlo_stat_rows(table);
    return !hlo_stat_is_summary(table) && rows > w->top ? (uint32_t)w->top : rows;
}

void hlo_stat_write_text(hlo_stat_writer *w, const hlo_stat_sheet *sheet);
void hlo_stat_write_json(hlo_stat_writer *w, const hlo_stat_sheet *sheet);
void hlo_stat_write_csv(hlo_stat_writer *w, const hlo_stat_sheet *sheet);
void hlo_stat_write_html(hlo_stat_writer *w, const hlo_stat_sheet *sheet);
void hlo_stat_begin_html(hlo_stat_writer *w);
void hlo_stat_end_html(hlo_stat_writer *w);

#endif
