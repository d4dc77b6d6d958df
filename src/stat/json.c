/* A module as one JSON object, for programs. */
#include <math.h>

#include "base/json_string.h"
#include "stat/stat.h"

static void put_key(hlo_buf *to, const char *key, bool is_first) {
    if (!is_first) hlo_buf_char(to, ',');
    hlo_json_string(to, key, strlen(key));
    hlo_buf_char(to, ':');
}

static void put_text(hlo_buf *to, const char *key, hlo_str text, bool is_first) {
    put_key(to, key, is_first);
    hlo_json_string(to, text.ptr, text.len);
}

static void put_cell(hlo_buf *to, const hlo_stat_cell *cell) {
    if (cell->kind == HLO_STAT_TEXT) hlo_json_string(to, cell->text.ptr, cell->text.len);
    else if (isfinite(cell->number)) hlo_stat_put_plain(to, cell->number);
    else hlo_buf_lit(to, "null");
}

static void put_row(hlo_buf *to, const hlo_stat_sheet *sheet, const hlo_stat_table *table,
                    uint32_t row) {
    bool is_first = true;
    hlo_buf_char(to, '{');
    for (uint32_t k = 0; k < table->width; k++) {
        if (!hlo_stat_is_shown(sheet, &table->columns[k])) continue;
        put_key(to, table->columns[k].name, is_first);
        put_cell(to, &hlo_stat_row(table, row)[k]);
        is_first = false;
    }
    hlo_buf_char(to, '}');
}

/* A figure is a member, of its value or of the values of both modules. */
static void put_figure(hlo_buf *to, const hlo_stat_table *table, const hlo_stat_cell *cells) {
    if (!table->columns[table->width - 1].is_change) {
        put_cell(to, &cells[1]);
        return;
    }
    static const char *const names[] = {"before", "after", "change"};
    hlo_buf_char(to, '{');
    for (uint32_t k = 1; k < table->width; k++) {
        put_key(to, names[k - 1], k == 1);
        put_cell(to, &cells[k]);
    }
    hlo_buf_char(to, '}');
}

static void put_figures(hlo_buf *to, const hlo_stat_table *table) {
    hlo_buf_char(to, '{');
    for (uint32_t r = 0; r < hlo_stat_rows(table); r++) {
        const hlo_stat_cell *cells = hlo_stat_row(table, r);
        if (r) hlo_buf_char(to, ',');
        hlo_json_string(to, cells[0].text.ptr, cells[0].text.len);
        hlo_buf_char(to, ':');
        put_figure(to, table, cells);
    }
    hlo_buf_char(to, '}');
}

static void put_rows(hlo_stat_writer *w, const hlo_stat_sheet *sheet, const hlo_stat_table *table) {
    hlo_buf_char(w->to, '[');
    for (uint32_t r = 0; r < hlo_stat_shown_rows(w, table); r++) {
        if (r) hlo_buf_char(w->to, ',');
        put_row(w->to, sheet, table, r);
    }
    hlo_buf_char(w->to, ']');
}

void hlo_stat_write_json(hlo_stat_writer *w, const hlo_stat_sheet *sheet) {
    bool is_first = !sheet->file.ptr;
    hlo_buf_char(w->to, '{');
    if (sheet->file.ptr) put_text(w->to, "file", sheet->file, true);
    if (sheet->file.ptr) put_text(w->to, "module", sheet->module, false);
    if (sheet->other_file.ptr) put_text(w->to, "file_after", sheet->other_file, false);
    if (sheet->other_file.ptr) put_text(w->to, "module_after", sheet->other_module, false);
    for (int t = 0; t < HLO_STAT_TABLES; t++) {
        if (!sheet->tables[t]) continue;
        put_key(w->to, sheet->tables[t]->name, is_first);
        is_first = false;
        if (t == HLO_STAT_SUMMARY) put_figures(w->to, sheet->tables[t]);
        else put_rows(w, sheet, sheet->tables[t]);
    }
    hlo_buf_lit(w->to, "}\n");
}
