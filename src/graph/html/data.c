/* The data of a page as JSON: see data.h. A column has one entry for each instruction; texts are
 * rows of the table of strings, which is written last. */
#include "graph/html/data.h"

#include <hlo/version.h>

#include "analysis/trivial.h"
#include "base/printable.h"
#include "graph/html/costs.h"
#include "graph/html/differences.h"
#include "graph/html/json.h"
#include "graph/html/placement.h"
#include "graph/html/strings.h"
#include "graph/html/times.h"
#include "graph/model/heat.h"
#include "graph/model/style.h"
#include "ir/plan_keys.h"
#include "ir/program_line.h"

typedef struct {
    hlo_buf *out;
    const hlo_page_model *m;
    hlo_page_strings strings, line_strings; /* lines of boxes are made to be shown */
    hlo_buf scratch;
    uint32_t *lines;      /* rows of line_strings, by instruction */
    hlo_page_size *sizes; /* by instruction */
} writer;

/* ---- columns ---- */

/* Appends the entry of one instruction. */
typedef void column(writer *w, const hlo_instr *instr);

/* In the order of their numbers. */
static void for_each(writer *w, column *act) {
    for (uint32_t k = 0; k < w->m->computation_count; k++)
        for (const hlo_instr *i = w->m->called[k]->first; i; i = i->next) act(w, i);
    for (uint32_t k = 0; k < w->m->extras->lone_count; k++) act(w, w->m->extras->lone[k].instr);
}

static void put_name(writer *w, const hlo_instr *instr) {
    hlo_page_separate(w->out);
    hlo_page_put_string(w->out, (hlo_str){instr->name->ptr, instr->name->len, 0});
}

static void put_text(writer *w, const hlo_instr *instr) {
    w->scratch.len = 0;
    hlo_instr_print(instr, &hlo_print_default, &w->scratch);
    hlo_unescape_characters(&w->scratch);
    hlo_page_separate(w->out);
    hlo_page_put_string(w->out, (hlo_str){w->scratch.data, (uint32_t)w->scratch.len, 0});
}

static void put_op(writer *w, const hlo_instr *instr) {
    hlo_page_put_uint(w->out, instr->opcode);
}

static void put_row(writer *w, hlo_str text) {
    hlo_page_put_uint(w->out, hlo_page_string_row(&w->strings, text));
}

static void put_shape(writer *w, const hlo_instr *instr) {
    put_row(w, hlo_shape_text(&instr->parent->module->shapes, instr->shape));
}

static void put_lines(writer *w, const hlo_instr *instr) {
    hlo_page_put_uint(w->out, w->lines[instr->index]);
}

/* 0: a node; 1: inlined; 2: folded. */
static void put_form(writer *w, const hlo_instr *instr) {
    hlo_page_put_uint(w->out, hlo_page_is_inlined(w->m, instr)  ? 1
                              : hlo_page_is_folded(w->m, instr) ? 2
                                                                : 0);
}

static void put_op_name(writer *w, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    put_row(w, attr ? attr->u.metadata->op_name : HLO_STR(""));
}

static void put_file(writer *w, const hlo_instr *instr) {
    put_row(w, hlo_instr_program_line(instr).file);
}

static void put_function(writer *w, const hlo_instr *instr) {
    put_row(w, hlo_instr_program_line(instr).function);
}

static void put_line(writer *w, const hlo_instr *instr) {
    int32_t line = hlo_instr_program_line(instr).line;
    hlo_page_put_uint(w->out, line > 0 ? (uint64_t)line : 0);
}

static void put_sharding(writer *w, const hlo_instr *instr) {
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    w->scratch.len = 0;
    if (sharding) hlo_attr_print_value(sharding, &hlo_print_default, &w->scratch);
    put_row(w, (hlo_str){w->scratch.data, (uint32_t)w->scratch.len, 0});
}

static void put_memory(writer *w, const hlo_instr *instr) {
    const hlo_str *memory = hlo_frontend_value(instr, HLO_PLAN_MEMORY);
    put_row(w, memory ? *memory : HLO_STR(""));
}

/* How many operands, and their numbers. */
static void put_operands(writer *w, const hlo_instr *instr) {
    hlo_page_put_uint(w->out, instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        hlo_page_put_uint(w->out, hlo_page_operand(w->m, instr, i)->index);
}

/* ---- what few instructions have ---- */

static void put_control(writer *w, const hlo_instr *instr) {
    const hlo_attr *control = hlo_page_control(w->m, instr);
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++) {
        hlo_page_put_uint(w->out, instr->index);
        hlo_page_put_uint(w->out, control->u.instructions->v[k]->index);
    }
}

static void put_back_edge(writer *w, const hlo_instr *instr) {
    const hlo_instr *next = hlo_back_edge(instr);
    if (!next || hlo_page_change(w->m, instr) == HLO_DOT_REMOVED) return;
    hlo_page_put_uint(w->out, instr->index);
    hlo_page_put_uint(w->out, next->index);
}

static void put_call(writer *w, const hlo_instr *instr, const char *role,
                     const hlo_computation *c) {
    hlo_page_put_uint(w->out, instr->index);
    put_row(w, hlo_str_from(role));
    hlo_page_put_uint(w->out, hlo_page_computation_number(w->m, c));
}

static void put_calls(writer *w, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        const hlo_attr *attr = &instr->attrs[i];
        const hlo_attr_info *info = &hlo_attr_table[attr->id];
        if (info->kind == HLO_KIND_COMPUTATION) put_call(w, instr, info->text, attr->u.computation);
        if (info->kind != HLO_KIND_COMPUTATIONS) continue;
        for (uint32_t k = 0; k < attr->u.computations->n; k++)
            put_call(w, instr, info->text, attr->u.computations->v[k]);
    }
}

/* ---- tables ---- */

static void put_ops(writer *w) {
    hlo_page_open_list(w->out, "ops");
    for (uint32_t op = 0; op < HLO_OP_COUNT; op++) {
        hlo_page_separate(w->out);
        hlo_buf_printf(w->out, "[\"%s\",%d,%d]", hlo_ops[op].text, (int)hlo_ops[op].class,
                       !!(hlo_ops[op].flags & HLO_OP_IS_COMMUTATIVE));
    }
    hlo_page_close_list(w->out);
}

static void put_classes(writer *w) {
    hlo_page_open_list(w->out, "classes");
    for (uint32_t class = 0; class < HLO_STYLE_COUNT; class ++) {
        const hlo_style *style = &hlo_styles[class];
        hlo_page_separate(w->out);
        hlo_buf_printf(w->out, "[\"%s\",\"%s\",\"%s\"]", style->legend, style->fill, style->border);
    }
    hlo_page_close_list(w->out);
    hlo_page_open_list(w->out, "palette");
    for (uint32_t i = 0; i < HLO_DOT_PALETTE; i++) {
        hlo_page_separate(w->out);
        hlo_buf_printf(w->out, "\"%s\"", hlo_dot_palette(i));
    }
    hlo_page_close_list(w->out);
}

static void put_heat(writer *w) {
    hlo_page_open_list(w->out, "heat");
    for (uint32_t step = 0; step < HLO_DOT_HEAT_STEPS; step++) {
        hlo_page_separate(w->out);
        hlo_buf_printf(w->out, "\"%s\"", hlo_dot_heat_fill(step));
    }
    hlo_page_close_list(w->out);
}

/* ---- computations ---- */

static void put_parameters(writer *w, const hlo_computation *c) {
    hlo_buf_lit(w->out, ",\"parameters\":[");
    for (uint32_t i = 0; i < c->parameter_count; i++)
        hlo_page_put_uint(w->out, c->parameters[i]->index);
    hlo_page_close_list(w->out);
}

/* Instead of a body that can be opened. */
static void put_description(writer *w, const hlo_computation *c, const hlo_instr *caller) {
    if (!caller || !hlo_is_trivial(c)) return;
    hlo_buf_lit(w->out, ",\"does\":\"");
    hlo_describe_trivial(w->out, caller, c);
    hlo_buf_char(w->out, '"');
}

static void put_computation(writer *w, uint32_t k) {
    const hlo_computation *c = w->m->called[k];
    hlo_page_separate(w->out);
    hlo_buf_lit(w->out, "\n{\"name\":");
    hlo_page_put_string(w->out, (hlo_str){c->name->ptr, c->name->len, 0});
    hlo_buf_printf(w->out, ",\"first\":%u,\"count\":%u,\"root\":%u", w->m->first_instr[k],
                   c->instr_count, c->root->index);
    put_description(w, c, w->m->callers[k]);
    if (c->is_fusion_body) hlo_buf_lit(w->out, ",\"fused\":1");
    put_parameters(w, c);
    hlo_page_put_placement(w->out, w->m, k, w->sizes);
    hlo_buf_char(w->out, '}');
}

static void put_computations(writer *w) {
    hlo_page_open_list(w->out, "computations");
    for (uint32_t k = 0; k < w->m->computation_count; k++) put_computation(w, k);
    hlo_page_close_list(w->out);
    hlo_page_open_list(w->out, "entries");
    for (uint32_t k = 0; k < w->m->part_count; k++)
        hlo_page_put_uint(w->out, hlo_page_computation_number(w->m, w->m->parts[k].module->entry));
    hlo_page_close_list(w->out);
}

/* ---- the whole ---- */

static void make_lines_of(writer *w, const hlo_instr *instr) {
    w->scratch.len = 0;
    hlo_page_put_lines(&w->scratch, w->m, instr);
    hlo_str lines = {w->scratch.data, (uint32_t)w->scratch.len, 0};
    w->lines[instr->index] = hlo_page_string_row(&w->line_strings, lines);
    w->sizes[instr->index] = hlo_page_box_size(w->m, instr, &w->scratch);
}

static void make_lines(writer *w) {
    uint32_t n = hlo_page_instr_count(w->m);
    w->lines = hlo_calloc(n + 1u, sizeof *w->lines);
    w->sizes = hlo_calloc(n + 1u, sizeof *w->sizes);
    for_each(w, make_lines_of);
}

static void put_columns(writer *w) {
    static const struct {
        const char *name;
        column *put;
    } columns[] = {{"names", put_name},        {"op", put_op},
                   {"shape", put_shape},       {"text", put_text},
                   {"lines", put_lines},       {"form", put_form},
                   {"op_name", put_op_name},   {"file", put_file},
                   {"function", put_function}, {"line", put_line},
                   {"sharding", put_sharding}, {"memory", put_memory},
                   {"operands", put_operands}, {"control", put_control},
                   {"back", put_back_edge},    {"calls", put_calls}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        hlo_page_open_list(w->out, columns[i].name);
        for_each(w, columns[i].put);
        hlo_page_close_list(w->out);
    }
}

static void put_table(writer *w, const char *name, const hlo_page_strings *strings,
                      bool are_lines) {
    hlo_buf_printf(w->out, ",\n\"%s\":", name);
    hlo_page_put_strings(w->out, strings, are_lines);
}

static void put_head(writer *w, const hlo_graph_options *options, const hlo_buf *start) {
    hlo_buf_lit(w->out, "{\"module\":");
    hlo_page_put_string(w->out, w->m->first->name);
    hlo_buf_printf(w->out, ",\n\"version\":\"%s\",\n\"colour\":%d,\n\"start\":", HLO_VERSION,
                   (int)options->colour);
    hlo_buf_bytes(w->out, start->data, start->len);
    if (!options->url) return;
    hlo_buf_lit(w->out, ",\n\"url\":");
    hlo_page_put_string(w->out, hlo_str_from(options->url));
}

void hlo_page_put_data(hlo_buf *out, const hlo_page_model *m, const hlo_graph_options *options,
                       const hlo_buf *start) {
    writer w = {.scratch = HLO_BUF_INIT, .out = out, .m = m};
    hlo_page_strings_init(&w.strings);
    hlo_page_strings_init(&w.line_strings);
    make_lines(&w);
    put_head(&w, options, start);
    put_ops(&w);
    put_classes(&w);
    put_heat(&w);
    put_computations(&w);
    put_columns(&w);
    hlo_page_put_differences(out, m, &w.strings, &w.line_strings);
    hlo_page_put_times(out, m);
    hlo_page_put_costs(out, m);
    put_table(&w, "line_strings", &w.line_strings, true);
    put_table(&w, "strings", &w.strings, false);
    hlo_buf_char(out, '}');
    hlo_page_strings_free(&w.strings);
    hlo_page_strings_free(&w.line_strings);
    hlo_buf_free(&w.scratch);
    hlo_free(w.lines);
    hlo_free(w.sizes);
}
