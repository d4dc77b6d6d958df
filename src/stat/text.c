/* Tables for readers: aligned columns, cut to what fits. */
#include <math.h>

#include "base/printable.h"
#include "stat/stat.h"

enum { NAME_WIDTH = 44, LAST_WIDTH = 72 };

/* A table as texts, row by row: a head, rows, and what stands below them. */
typedef struct {
    hlo_stat_writer *w;
    const hlo_stat_sheet *sheet;
    const hlo_stat_table *table;
    HLO_LIST(hlo_str) texts;
    uint32_t *widths; /* in characters */
    hlo_arena arena;
} grid;

/* Characters of UTF-8. */
static uint32_t width_of(hlo_str text) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < text.len; i++) n += (text.ptr[i] & 0xc0) != 0x80;
    return n;
}

/* At most so many characters, the last three points when some are left out. What names a module is
 * whole: files of a folder may differ in their ends alone. */
static hlo_str cut(grid *g, hlo_str text, uint32_t most) {
    if (g->w->exact || !g->sheet->file.ptr || width_of(text) <= most) return text;
    uint32_t at = 0, n = 0;
    while (n < most - 3) {
        at++;
        while (at < text.len && (text.ptr[at] & 0xc0) == 0x80) at++;
        n++;
    }
    char *out = hlo_arena_alloc(&g->arena, at + 3u);
    memcpy(out, text.ptr, at);
    memcpy(out + at, "...", 3);
    return (hlo_str){out, at + 3, 0};
}

static void add_text(grid *g, uint32_t column, hlo_str text) {
    text = cut(g, text, column + 1 == g->table->width ? LAST_WIDTH : NAME_WIDTH);
    if (width_of(text) > g->widths[column]) g->widths[column] = width_of(text);
    hlo_list_push(&g->texts, text);
}

static void add_cell(grid *g, uint32_t column, const hlo_stat_cell *cell) {
    hlo_buf text = HLO_BUF_INIT;
    bool is_empty = cell->kind != HLO_STAT_TEXT && isnan(cell->number) &&
                    cell->kind == HLO_STAT_RATIO; /* of nothing */
    if (!column) hlo_stat_put_label(&text, g->table, cell);
    else if (!is_empty)
        hlo_stat_put_cell(&text, cell, g->table->columns[column].is_change, g->w->exact);
    char *kept = hlo_arena_copy(&g->arena, text.data, text.len);
    add_text(g, column, (hlo_str){text.len ? kept : "", (uint32_t)text.len, 0});
    hlo_buf_free(&text);
}

static void add_sums(grid *g, hlo_str label, uint32_t from, uint32_t to) {
    add_text(g, 0, label);
    for (uint32_t k = 1; k < g->table->width; k++) {
        hlo_stat_cell sum = hlo_stat_sum(g->table, k, from, to);
        add_cell(g, k, &sum);
    }
}

/* The label of the rows that are not shown. */
static hlo_str label_of_others(grid *g, uint32_t count) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, "(%u more)", count);
    hlo_str kept = {hlo_arena_copy(&g->arena, text.data, text.len), (uint32_t)text.len, 0};
    hlo_buf_free(&text);
    return kept;
}

static void add_rows(grid *g) {
    uint32_t rows = hlo_stat_rows(g->table), shown = hlo_stat_shown_rows(g->w, g->table);
    for (uint32_t k = 0; k < g->table->width; k++)
        add_text(g, k, hlo_str_from(g->table->columns[k].heading));
    for (uint32_t r = 0; r < shown; r++)
        for (uint32_t k = 0; k < g->table->width; k++)
            add_cell(g, k, &hlo_stat_row(g->table, r)[k]);
    if (shown < rows) add_sums(g, label_of_others(g, rows - shown), shown, rows);
    if (rows > 1 && !hlo_stat_is_summary(g->table)) add_sums(g, HLO_STR("total"), 0, rows);
}

/* ---- lines ---- */

static void put_spaces(hlo_buf *to, uint32_t n) {
    while (n--) hlo_buf_char(to, ' ');
}

/* Numbers end below each other, texts begin so; nothing follows the last. */
static void put_line(grid *g, const hlo_str *texts) {
    hlo_buf *to = g->w->to;
    uint32_t pending = 2; /* spaces, which are written when something follows */
    bool is_first = true;
    for (uint32_t k = 0; k < g->table->width; k++) {
        if (!hlo_stat_is_for_readers(g->sheet, g->table, k)) continue;
        uint32_t rest = g->widths[k] - width_of(texts[k]);
        bool is_left = g->table->columns[k].kind == HLO_STAT_TEXT;
        if (!is_left) pending += rest;
        if (texts[k].len) put_spaces(to, pending), pending = 0;
        if (is_first) hlo_put_line_start(to, texts[k].ptr, texts[k].len);
        else hlo_put_printable(to, texts[k].ptr, texts[k].len);
        is_first &= !texts[k].len;
        pending += (is_left ? rest : 0) + 2;
    }
    hlo_buf_char(to, '\n');
}

static void put_grid(grid *g) {
    uint32_t width = g->table->width,
             from = hlo_stat_is_summary(g->table) && g->sheet->other_file.ptr == NULL;
    if (g->sheet->file.ptr) hlo_buf_char(g->w->to, '\n');
    hlo_buf_printf(g->w->to, "%s\n", g->table->title);
    for (uint32_t r = from; r < g->texts.n / width; r++) put_line(g, &g->texts.v[r * width]);
}

static void put_table(hlo_stat_writer *w, const hlo_stat_sheet *sheet,
                      const hlo_stat_table *table) {
    grid g = {.w = w, .sheet = sheet, .table = table};
    hlo_arena_init(&g.arena);
    g.widths = HLO_NEW_ARRAY(&g.arena, uint32_t, table->width);
    add_rows(&g);
    put_grid(&g);
    hlo_list_free(&g.texts);
    hlo_arena_free(&g.arena);
}

static void put_title(hlo_buf *to, hlo_str file, hlo_str module) {
    hlo_put_line_start(to, file.ptr, file.len);
    hlo_buf_lit(to, ": ");
    hlo_put_printable(to, module.ptr, module.len);
    hlo_buf_char(to, '\n');
}

void hlo_stat_write_text(hlo_stat_writer *w, const hlo_stat_sheet *sheet) {
    if (w->sheets) hlo_buf_char(w->to, '\n');
    if (sheet->other_file.ptr) hlo_buf_lit(w->to, "before: ");
    if (sheet->file.ptr) put_title(w->to, sheet->file, sheet->module);
    if (sheet->other_file.ptr) hlo_buf_lit(w->to, "after:  ");
    if (sheet->other_file.ptr) put_title(w->to, sheet->other_file, sheet->other_module);
    for (int t = 0; t < HLO_STAT_TABLES; t++)
        if (sheet->tables[t] && hlo_stat_rows(sheet->tables[t]))
            put_table(w, sheet, sheet->tables[t]);
}
