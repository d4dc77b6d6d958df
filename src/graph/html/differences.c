/* What differs from another module as JSON: see differences.h. */
#include "graph/html/differences.h"

#include "base/printable.h"
#include "graph/html/json.h"
#include "graph/model/style.h"

typedef struct {
    hlo_buf *out;
    const hlo_page_model *m;
    hlo_page_strings *strings, *line_strings;
} writer;

static void put_pair(writer *w, uint32_t number, uint32_t row) {
    hlo_page_put_uint(w->out, number);
    hlo_page_put_uint(w->out, row);
}

/* ---- columns of the module's instructions ---- */

typedef void column(writer *w, const hlo_instr *instr);

static void put_column(writer *w, const char *name, column *put) {
    hlo_page_open_list(w->out, name);
    for (uint32_t k = 0; k < w->m->own_computations; k++)
        for (const hlo_instr *i = w->m->called[k]->first; i; i = i->next) put(w, i);
    hlo_page_close_list(w->out);
}

static void put_change(writer *w, const hlo_instr *instr) {
    hlo_page_put_uint(w->out, hlo_page_change(w->m, instr));
}

static void put_lone_edges(writer *w, const hlo_instr *instr) {
    uint32_t n;
    const hlo_instr **lone = hlo_page_lone_before(w->m, instr, &n);
    for (uint32_t k = 0; k < n; k++) put_pair(w, lone[k]->index, instr->index);
}

static uint32_t row_of_name(writer *w, const hlo_name *name) {
    return hlo_page_string_row(w->strings, (hlo_str){name->ptr, name->len, 0});
}

static void put_before_name(writer *w, const hlo_instr *instr) {
    const hlo_instr *before = hlo_page_before(w->m, instr);
    if (before && !hlo_same_name(before->name, instr->name))
        put_pair(w, instr->index, row_of_name(w, before->name));
}

static void put_before_text(writer *w, const hlo_instr *instr) {
    if (hlo_page_change(w->m, instr) != HLO_DOT_CHANGED) return;
    hlo_buf text = HLO_BUF_INIT;
    hlo_instr_print(hlo_page_before(w->m, instr), &hlo_print_default, &text);
    hlo_unescape_characters(&text);
    hlo_str row = {text.data, (uint32_t)text.len, 0};
    put_pair(w, instr->index, hlo_page_string_row(w->strings, row));
    hlo_buf_free(&text);
}

/* Of the computations that the counterpart calls, those that the module does not have. */
static void put_before_calls(writer *w, const hlo_instr *instr) {
    const hlo_instr *before = hlo_page_before(w->m, instr);
    const hlo_computation *called;
    for (uint32_t k = 0; before && (called = hlo_called(before, k)); k++)
        if (!w->m->extras->counterparts[called->id])
            put_pair(w, instr->index, hlo_page_computation_number(w->m, called));
}

static uint32_t row_of_lines(writer *w, const char *lines) {
    return hlo_page_string_row(w->line_strings, hlo_str_from(lines));
}

static void put_difference(writer *w, const hlo_instr *instr) {
    const char *lines = w->m->extras->differences[instr->index];
    if (lines) put_pair(w, instr->index, row_of_lines(w, lines));
}

/* ---- the rest ---- */

static void put_styles(writer *w) {
    hlo_page_open_list(w->out, "change_styles");
    for (uint32_t k = 0; k < HLO_CHANGE_STYLES; k++) {
        const hlo_style *style = &hlo_change_styles[k];
        hlo_buf_printf(w->out, "%s[\"%s\",\"%s\",\"%s\"]", k ? "," : "", style->legend, style->fill,
                       style->border);
    }
    hlo_page_close_list(w->out);
}

static void put_lone(writer *w) {
    hlo_page_open_list(w->out, "lone_in");
    for (uint32_t k = 0; k < w->m->extras->lone_count; k++)
        hlo_page_put_uint(w->out,
                          hlo_page_computation_number(w->m, w->m->extras->lone[k].computation));
    hlo_page_close_list(w->out);
}

static void put_other_names(writer *w) {
    const hlo_dot_extras *extras = w->m->extras;
    hlo_page_open_list(w->out, "was");
    for (const hlo_computation *c = extras->other->first; c; c = c->next) {
        const hlo_computation *now = extras->counterparts[c->id];
        if (now && !hlo_same_name(c->name, now->name))
            put_pair(w, hlo_page_computation_number(w->m, now), row_of_name(w, c->name));
    }
    hlo_page_close_list(w->out);
}

void hlo_page_put_differences(hlo_buf *out, const hlo_page_model *m, hlo_page_strings *strings,
                              hlo_page_strings *line_strings) {
    if (!m->extras->other) return;
    writer w = {out, m, strings, line_strings};
    const char *header = m->extras->header_differences;
    put_styles(&w);
    put_column(&w, "change", put_change);
    put_lone(&w);
    put_column(&w, "lone_edges", put_lone_edges);
    put_column(&w, "before_names", put_before_name);
    put_column(&w, "before_texts", put_before_text);
    put_column(&w, "before_calls", put_before_calls);
    put_column(&w, "differences", put_difference);
    hlo_buf_printf(out, ",\n\"header_differences\":%u", header ? row_of_lines(&w, header) : 0);
    put_other_names(&w);
}
