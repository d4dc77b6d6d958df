/* Tables as a page that needs no other file, in the template page.html with its style and script.
 */
#include <math.h>

#include "stat/assets.h"
#include "stat/stat.h"

void hlo_stat_begin_html(hlo_stat_writer *w) {
    hlo_buf_cstr(w->to, hlo_stat_before_data);
}

void hlo_stat_end_html(hlo_stat_writer *w) {
    hlo_buf_cstr(w->to, hlo_stat_after_data);
}

/* ---- texts ---- */

static void put_escaped(hlo_buf *to, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '&') hlo_buf_lit(to, "&amp;");
        else if (text[i] == '<') hlo_buf_lit(to, "&lt;");
        else if (text[i] == '>') hlo_buf_lit(to, "&gt;");
        else if (text[i] == '"') hlo_buf_lit(to, "&quot;");
        else hlo_buf_char(to, text[i]);
    }
}

static void put_cell_text(hlo_buf *to, const hlo_stat_cell *cell, bool is_change, bool exact) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_stat_put_cell(&text, cell, is_change, exact);
    put_escaped(to, text.data, text.len);
    hlo_buf_free(&text);
}

static void put_text(hlo_buf *to, hlo_str text) {
    put_cell_text(to, &(hlo_stat_cell){HLO_STAT_TEXT, text, 0}, false, true);
}

static void put_word(hlo_buf *to, const char *word) {
    put_escaped(to, word, strlen(word));
}

/* ---- tables ---- */

static bool is_number(const hlo_stat_column *column) {
    return column->kind != HLO_STAT_TEXT;
}

static void put_head(hlo_buf *to, const hlo_stat_sheet *sheet, const hlo_stat_table *table) {
    hlo_buf_lit(to, "<thead><tr>");
    for (uint32_t k = 0; k < table->width; k++) {
        const hlo_stat_column *column = &table->columns[k];
        if (!hlo_stat_is_for_readers(sheet, table, k)) continue;
        hlo_buf_printf(to, "<th scope=\"col\"%s title=\"", is_number(column) ? " class=\"n\"" : "");
        put_word(to, column->meaning);
        hlo_buf_lit(to, "\">");
        put_word(to, column->heading);
        hlo_buf_lit(to, "</th>");
    }
    hlo_buf_lit(to, "</tr></thead>\n");
}

/* What a cell looks like beside its text. */
static void put_attributes(hlo_buf *to, const hlo_stat_column *column, const hlo_stat_cell *cell) {
    bool is_bar = column->kind == HLO_STAT_PERCENT && cell->number > 0;
    if (is_number(column)) {
        hlo_buf_lit(to, " class=\"n");
        if (is_bar) hlo_buf_lit(to, " bar");
        if (column->is_change && cell->number > 0) hlo_buf_lit(to, " more");
        if (column->is_change && cell->number < 0) hlo_buf_lit(to, " less");
        hlo_buf_char(to, '"');
    }
    if (is_bar)
        hlo_buf_printf(to, " style=\"background-size: %.4g%% 70%%\"", fmin(cell->number, 100));
    if (cell->kind == HLO_STAT_TEXT) return;
    hlo_buf_lit(to, " data-value=\"");
    if (isfinite(cell->number)) hlo_stat_put_plain(to, cell->number);
    else hlo_buf_lit(to, "-1");
    hlo_buf_char(to, '"');
}

static void put_label(hlo_buf *to, const hlo_stat_table *table, const hlo_stat_cell *cell) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_stat_put_label(&text, table, cell);
    hlo_buf_lit(to, "<th scope=\"row\">");
    put_escaped(to, text.data, text.len);
    hlo_buf_lit(to, "</th>");
    hlo_buf_free(&text);
}

static void put_cell(hlo_stat_writer *w, const hlo_stat_column *column, const hlo_stat_cell *cell) {
    bool is_empty = cell->kind == HLO_STAT_RATIO && isnan(cell->number);
    hlo_buf_lit(w->to, "<td");
    put_attributes(w->to, column, cell);
    if (cell->kind == HLO_STAT_TEXT && cell->text.len > 40) {
        hlo_buf_lit(w->to, " title=\"");
        put_text(w->to, cell->text);
        hlo_buf_char(w->to, '"');
    }
    hlo_buf_char(w->to, '>');
    if (!is_empty) put_cell_text(w->to, cell, column->is_change, w->exact);
    hlo_buf_lit(w->to, "</td>");
}

static void put_sums(hlo_stat_writer *w, const hlo_stat_sheet *sheet, const hlo_stat_table *table,
                     uint32_t from) {
    uint32_t rows = hlo_stat_rows(table);
    hlo_buf_lit(w->to, "<tr>");
    if (from) hlo_buf_printf(w->to, "<th scope=\"row\">(%u more)</th>", rows - from);
    else hlo_buf_lit(w->to, "<th scope=\"row\">total</th>");
    for (uint32_t k = 1; k < table->width; k++) {
        hlo_stat_cell sum = hlo_stat_sum(table, k, from, rows);
        if (hlo_stat_is_for_readers(sheet, table, k)) put_cell(w, &table->columns[k], &sum);
    }
    hlo_buf_lit(w->to, "</tr>\n");
}

static void put_row(hlo_stat_writer *w, const hlo_stat_sheet *sheet, const hlo_stat_table *table,
                    uint32_t row) {
    hlo_buf_lit(w->to, "<tr>");
    put_label(w->to, table, hlo_stat_row(table, row));
    for (uint32_t k = 1; k < table->width; k++)
        if (hlo_stat_is_for_readers(sheet, table, k))
            put_cell(w, &table->columns[k], &hlo_stat_row(table, row)[k]);
    hlo_buf_lit(w->to, "</tr>\n");
}

static void put_table(hlo_stat_writer *w, const hlo_stat_sheet *sheet,
                      const hlo_stat_table *table) {
    uint32_t rows = hlo_stat_rows(table), shown = hlo_stat_shown_rows(w, table);
    hlo_buf_lit(w->to, "<details open><summary>");
    put_word(w->to, table->title);
    hlo_buf_lit(w->to, "</summary>\n<p class=\"meaning\">");
    put_word(w->to, table->meaning);
    hlo_buf_lit(w->to, "</p>\n<div class=\"table\"><table>\n");
    put_head(w->to, sheet, table);
    hlo_buf_lit(w->to, "<tbody>\n");
    for (uint32_t r = 0; r < shown; r++) put_row(w, sheet, table, r);
    hlo_buf_lit(w->to, "</tbody>\n<tfoot>\n");
    if (shown && shown < rows) put_sums(w, sheet, table, shown);
    if (rows > 1 && !hlo_stat_is_summary(table)) put_sums(w, sheet, table, 0);
    hlo_buf_lit(w->to, "</tfoot>\n</table></div></details>\n");
}

static void put_title(hlo_buf *to, hlo_str file, hlo_str module) {
    hlo_buf_lit(to, "<h1>");
    put_text(to, file);
    hlo_buf_lit(to, "</h1>\n<p class=\"module\">HloModule ");
    put_text(to, module);
    hlo_buf_lit(to, "</p>\n");
}

void hlo_stat_write_html(hlo_stat_writer *w, const hlo_stat_sheet *sheet) {
    hlo_buf_lit(w->to, "<section>\n");
    if (sheet->file.ptr) put_title(w->to, sheet->file, sheet->module);
    if (sheet->other_file.ptr) put_title(w->to, sheet->other_file, sheet->other_module);
    for (int t = 0; t < HLO_STAT_TABLES; t++)
        if (sheet->tables[t] && hlo_stat_rows(sheet->tables[t]))
            put_table(w, sheet, sheet->tables[t]);
    hlo_buf_lit(w->to, "</section>\n");
}
