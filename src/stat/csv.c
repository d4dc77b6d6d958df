/* One table of any number of modules as CSV (RFC 4180, but lines end as in text), for spreadsheets.
 */
#include "stat/stat.h"

/* What a spreadsheet would compute: formulas begin so. A sign alone is none. */
static bool is_formula(const hlo_buf *text) {
    return text->len > 1 && strchr("=+-@", text->data[0]);
}

/* Control characters are escaped as in messages, so that a row is a line, and a formula is a text,
 * by the apostrophe that spreadsheets know. */
static void put_field(hlo_buf *to, const hlo_stat_cell *cell) {
    hlo_buf text = HLO_BUF_INIT;
    if (cell->kind != HLO_STAT_TEXT) {
        hlo_stat_put_plain(to, cell->number);
        return;
    }
    hlo_stat_put_cell(&text, cell, false, true);
    bool is_quoted =
        text.len && (memchr(text.data, ',', text.len) || memchr(text.data, '"', text.len));
    if (is_quoted) hlo_buf_char(to, '"');
    if (is_formula(&text)) hlo_buf_char(to, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"') hlo_buf_char(to, '"');
        hlo_buf_char(to, text.data[i]);
    }
    if (is_quoted) hlo_buf_char(to, '"');
    hlo_buf_free(&text);
}

static void put_text(hlo_buf *to, hlo_str text) {
    put_field(to, &(hlo_stat_cell){HLO_STAT_TEXT, text, 0});
}

static void put_head(hlo_stat_writer *w, const hlo_stat_sheet *sheet, const hlo_stat_table *table) {
    const char *comma = "";
    if (sheet->file.ptr) hlo_buf_lit(w->to, "file,module"), comma = ",";
    if (sheet->other_file.ptr) hlo_buf_lit(w->to, ",file_after,module_after");
    for (uint32_t k = 0; k < table->width; k++) {
        if (!hlo_stat_is_shown(sheet, &table->columns[k])) continue;
        hlo_buf_printf(w->to, "%s%s", comma, table->columns[k].name);
        comma = ",";
    }
    hlo_buf_lit(w->to, "\n");
}

static void put_row(hlo_stat_writer *w, const hlo_stat_sheet *sheet, const hlo_stat_table *table,
                    uint32_t row) {
    hlo_str names[] = {sheet->file, sheet->module, sheet->other_file, sheet->other_module};
    const char *comma = "";
    for (int i = 0; i < 4 && names[i].ptr; i++) {
        hlo_buf_cstr(w->to, comma);
        put_text(w->to, names[i]);
        comma = ",";
    }
    for (uint32_t k = 0; k < table->width; k++) {
        if (!hlo_stat_is_shown(sheet, &table->columns[k])) continue;
        hlo_buf_cstr(w->to, comma);
        put_field(w->to, &hlo_stat_row(table, row)[k]);
        comma = ",";
    }
    hlo_buf_lit(w->to, "\n");
}

void hlo_stat_write_csv(hlo_stat_writer *w, const hlo_stat_sheet *sheet) {
    for (int t = 0; t < HLO_STAT_TABLES; t++) {
        const hlo_stat_table *table = sheet->tables[t];
        if (!table) continue;
        if (!w->sheets) put_head(w, sheet, table);
        for (uint32_t r = 0; r < hlo_stat_shown_rows(w, table); r++) put_row(w, sheet, table, r);
    }
}
