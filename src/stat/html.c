/* Tables as a page that needs no other file: light and dark by the reader's setting, columns sorted
 * by a click on their heads. Called by report.c. */
#include <math.h>

#include "stat/stat.h"

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
    "<title>hlo-stat</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem;"
    " padding: 0 1rem; }\n"
    "h1 { font-size: 1.4rem; margin: 2rem 0 0; overflow-wrap: anywhere; }\n"
    ".module, .meaning { color: #5b6472; margin: 0; overflow-wrap: anywhere; }\n"
    "summary { cursor: pointer; font-weight: 600; font-size: 1.1rem; margin-top: 1.5rem; }\n"
    ".table { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: .4rem; }\n"
    "th, td { padding: .2rem .7rem; text-align: left; white-space: nowrap;"
    " border-bottom: 1px solid #d8dce2; max-width: 32rem; overflow: hidden;"
    " text-overflow: ellipsis; }\n"
    "th.n, td.n { text-align: right; }\n"
    "thead th { color: #5b6472; font-weight: 600; cursor: pointer; }\n"
    "thead th[aria-sort=descending]::after { content: ' \\2193'; }\n"
    "thead th[aria-sort=ascending]::after { content: ' \\2191'; }\n"
    "tbody th { font-weight: 400; }\n"
    "tfoot td, tfoot th { font-weight: 600; border-bottom: 0; }\n"
    "td.bar { background: linear-gradient(#cfe0fb 0 0) left no-repeat; }\n"
    "td.more { color: #b3261e; }\n"
    "td.less { color: #146c2e; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .module, .meaning, thead th { color: #a4adba; }\n"
    "  th, td { border-color: #3a404a; }\n"
    "  td.bar { background-image: linear-gradient(#27436e 0 0); }\n"
    "  td.more { color: #f2a09a; }\n"
    "  td.less { color: #8fd6a0; }\n"
    "}\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

/* Cells of numbers have data-value; rows below the others stay there. */
static const char tail[] =
    "<script>\n"
    "'use strict';\n"
    "for (const head of document.querySelectorAll('thead th')) {\n"
    "  head.tabIndex = 0;\n"
    "  const sort = () => {\n"
    "    const body = head.closest('table').tBodies[0], down = head.ariaSort !== 'descending';\n"
    "    const value = row => {\n"
    "      const cell = row.cells[head.cellIndex];\n"
    "      return cell.dataset.value === undefined ? cell.textContent : +cell.dataset.value;\n"
    "    };\n"
    "    const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;\n"
    "    const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(value(a), value(b)));\n"
    "    for (const other of head.parentNode.cells) other.ariaSort = null;\n"
    "    head.ariaSort = down ? 'descending' : 'ascending';\n"
    "    body.append(...rows);\n"
    "  };\n"
    "  head.addEventListener('click', sort);\n"
    "  head.addEventListener('keydown', event => { if (event.key === 'Enter') sort(); });\n"
    "}\n"
    "</script>\n"
    "</body>\n"
    "</html>\n";

void hlo_stat_begin_html(hlo_stat_writer *w) {
    hlo_buf_lit(w->to, head);
}

void hlo_stat_end_html(hlo_stat_writer *w) {
    hlo_buf_lit(w->to, tail);
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
        if (!hlo_stat_is_shown(sheet, column)) continue;
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
        if (hlo_stat_is_shown(sheet, &table->columns[k])) put_cell(w, &table->columns[k], &sum);
    }
    hlo_buf_lit(w->to, "</tr>\n");
}

static void put_row(hlo_stat_writer *w, const hlo_stat_sheet *sheet, const hlo_stat_table *table,
                    uint32_t row) {
    hlo_buf_lit(w->to, "<tr>");
    put_label(w->to, table, hlo_stat_row(table, row));
    for (uint32_t k = 1; k < table->width; k++)
        if (hlo_stat_is_shown(sheet, &table->columns[k]))
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
    put_title(w->to, sheet->file, sheet->module);
    if (sheet->other_file.ptr) put_title(w->to, sheet->other_file, sheet->other_module);
    for (int t = 0; t < HLO_STAT_TABLES; t++)
        if (sheet->tables[t] && hlo_stat_rows(sheet->tables[t]))
            put_table(w, sheet, sheet->tables[t]);
    hlo_buf_lit(w->to, "</section>\n");
}
