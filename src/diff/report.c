/* Differences for people, and as JSON. Called by hlo-diff (through hlo.h). */
#include "diff/diff.h"

#include <inttypes.h>

static void put_instr(hlo_buf *out, const hlo_instr *instr) {
    hlo_print_options options = hlo_print_short;
    options.percent = true;
    options.metadata = false;
    options.large_constants = false;
    options.result_layouts = true;
    hlo_instr_print(instr, &options, out);
}

static void put_name(hlo_buf *out, const hlo_name *name) {
    hlo_buf_char(out, '%');
    hlo_buf_bytes(out, name->ptr, name->len);
}

static void put_shape(hlo_buf *out, const hlo_instr *instr) {
    hlo_buf_str(out, hlo_shape_text(&instr->parent->module->shapes, instr->shape));
}

/* ---- one aspect of a pair ---- */

/* `text` as a JSON string when `json`; what is no UTF-8 is replaced. */
typedef struct {
    hlo_buf *out;
    const hlo_instr *a, *b; /* NULL: the headers */
    bool json, first;
} report;

static void json_byte(hlo_buf *out, unsigned char c) {
    if (c == '"' || c == '\\') hlo_buf_printf(out, "\\%c", c);
    else if (c < 0x20 || c >= 0x7f) hlo_buf_printf(out, "\\u%04x", c);
    else hlo_buf_char(out, (char)c);
}

/* Bytes beyond ASCII stand for the characters of their numbers, whatever they encode. */
static void json_string(hlo_buf *out, const hlo_buf *text) {
    hlo_buf_char(out, '"');
    for (size_t i = 0; i < text->len; i++) json_byte(out, (unsigned char)text->data[i]);
    hlo_buf_char(out, '"');
}

static void json_name(hlo_buf *out, const hlo_name *name) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, name->ptr, name->len);
    json_string(out, &text);
    hlo_buf_free(&text);
}

static void put_attr(hlo_buf *out, const hlo_attr *attr) {
    if (!attr) {
        hlo_buf_lit(out, "nothing");
        return;
    }
    if (attr->id == HLO_ATTR_VALUE) {
        hlo_literal_print(out, attr->u.literal);
        return;
    }
    hlo_buf text = HLO_BUF_INIT;
    hlo_attr_print(attr, &hlo_print_default, &text);
    size_t skip = text.len > 2 && memcmp(text.data, ", ", 2) == 0 ? 2 : 0;
    if (text.len == skip) hlo_buf_printf(out, "%s=(default)", hlo_attr_table[attr->id].text);
    else hlo_buf_bytes(out, text.data + skip, text.len - skip);
    hlo_buf_free(&text);
}

/* What an aspect is called, and its two sides. */
static void put_what(hlo_buf *out, hlo_diff_aspect aspect, uint32_t number, const hlo_attr *a,
                     const hlo_attr *b) {
    switch (aspect) {
    case HLO_DIFF_OPCODE: hlo_buf_lit(out, "opcode"); break;
    case HLO_DIFF_SHAPE: hlo_buf_lit(out, "shape"); break;
    case HLO_DIFF_OPERAND: hlo_buf_printf(out, "operand %u", number); break;
    case HLO_DIFF_OPERAND_COUNT: hlo_buf_lit(out, "operands"); break;
    case HLO_DIFF_ATTRIBUTE: hlo_buf_cstr(out, hlo_attr_table[(a ? a : b)->id].text); break;
    case HLO_DIFF_CALLEE: hlo_buf_printf(out, "called computation %u", number); break;
    case HLO_DIFF_ROOT: hlo_buf_lit(out, "root"); break;
    }
}

static void put_side(hlo_buf *out, const hlo_instr *instr, hlo_diff_aspect aspect, uint32_t number,
                     const hlo_attr *attr, bool is_root) {
    const hlo_computation *called;
    switch (aspect) {
    case HLO_DIFF_OPCODE: hlo_buf_cstr(out, hlo_info(instr)->text); break;
    case HLO_DIFF_SHAPE: put_shape(out, instr); break;
    case HLO_DIFF_OPERAND: put_name(out, hlo_operand(instr, number)->name); break;
    case HLO_DIFF_OPERAND_COUNT: hlo_buf_printf(out, "%u", instr->operand_count); break;
    case HLO_DIFF_ATTRIBUTE: put_attr(out, attr); break;
    case HLO_DIFF_CALLEE:
        called = hlo_called(instr, number);
        if (called) put_name(out, called->name);
        else hlo_buf_lit(out, "none");
        break;
    case HLO_DIFF_ROOT: hlo_buf_cstr(out, is_root ? "yes" : "no"); break;
    }
}

static void put_aspect_json(report *r, const hlo_buf *what, const hlo_buf *from,
                            const hlo_buf *to) {
    if (!r->first) hlo_buf_char(r->out, ',');
    hlo_buf_lit(r->out, "{\"what\":");
    json_string(r->out, what);
    hlo_buf_lit(r->out, ",\"from\":");
    json_string(r->out, from);
    hlo_buf_lit(r->out, ",\"to\":");
    json_string(r->out, to);
    hlo_buf_char(r->out, '}');
}

/* People see the beginning of long constants. */
static void put_short(hlo_buf *out, const hlo_buf *text) {
    enum { LONGEST = 160 };
    hlo_buf_bytes(out, text->data, text->len > LONGEST ? LONGEST : text->len);
    if (text->len > LONGEST) hlo_buf_lit(out, "...");
}

static void put_aspect(void *context, hlo_diff_aspect aspect, uint32_t number, const hlo_attr *a,
                       const hlo_attr *b) {
    report *r = context;
    hlo_buf what = HLO_BUF_INIT, from = HLO_BUF_INIT, to = HLO_BUF_INIT;
    put_what(&what, aspect, number, a, b);
    put_side(&from, r->a, aspect, number, a, !number);
    put_side(&to, r->b, aspect, number, b, number);
    if (r->json) put_aspect_json(r, &what, &from, &to);
    else {
        hlo_buf_printf(r->out, "      %.*s: ", (int)what.len, what.data);
        put_short(r->out, &from);
        hlo_buf_lit(r->out, " became ");
        put_short(r->out, &to);
        hlo_buf_char(r->out, '\n');
    }
    r->first = false;
    hlo_buf_free(&what);
    hlo_buf_free(&from);
    hlo_buf_free(&to);
}

/* ---- text ---- */

static void put_line(hlo_buf *out, const char *sign, const hlo_instr *instr) {
    hlo_buf_printf(out, "  %s ", sign);
    if (instr->parent->root == instr) hlo_buf_lit(out, "ROOT ");
    put_instr(out, instr);
    hlo_buf_char(out, '\n');
}

static void put_change(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b, hlo_buf *out) {
    put_line(out, "~", a);
    if (a->name->len != b->name->len || memcmp(a->name->ptr, b->name->ptr, a->name->len) != 0) {
        hlo_buf_lit(out, "    is ");
        put_name(out, b->name);
        hlo_buf_lit(out, " now\n");
    }
    report r = {.out = out, .a = a, .b = b};
    hlo_diff_compare(d, a, b, put_aspect, &r);
}

static void put_body(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b,
                     hlo_buf *out) {
    for (const hlo_instr *i = a->first; i; i = i->next) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (!partner) put_line(out, "-", i);
        else if (hlo_diff_compare(d, i, partner, NULL, NULL)) put_change(d, i, partner, out);
    }
    for (const hlo_instr *i = b->first; i; i = i->next)
        if (!hlo_diff_partner(&d->b, i)) put_line(out, "+", i);
}

static void put_pair(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b,
                     hlo_buf *out) {
    hlo_buf body = HLO_BUF_INIT;
    put_body(d, a, b, &body);
    if (body.len) {
        put_name(out, a->name);
        if (a->name->len != b->name->len || memcmp(a->name->ptr, b->name->ptr, a->name->len) != 0) {
            hlo_buf_lit(out, ", now ");
            put_name(out, b->name);
        }
        hlo_buf_lit(out, ":\n");
        hlo_buf_bytes(out, body.data, body.len);
    }
    hlo_buf_free(&body);
}

static void put_lone_computations(const hlo_diff_side *side, const char *sign, hlo_buf *out) {
    for (const hlo_computation *c = side->module->first; c; c = c->next) {
        if (side->met[c->id]) continue;
        hlo_buf_printf(out, "%s computation ", sign);
        put_name(out, c->name);
        hlo_buf_printf(out, " of %u instructions\n", c->instr_count);
    }
}

static void put_sum(const hlo_diff *d, hlo_buf *out) {
    hlo_buf_printf(out, "%" PRIu64 " changed, %" PRIu64 " added, %" PRIu64 " removed", d->changed,
                   d->added, d->removed);
    if (d->added_computations || d->removed_computations)
        hlo_buf_printf(out, "; computations: %" PRIu64 " added, %" PRIu64 " removed",
                       d->added_computations, d->removed_computations);
    hlo_buf_char(out, '\n');
}

void hlo_diff_print(const hlo_diff *d, hlo_buf *out) {
    if (hlo_diff_is_empty(d)) return;
    report header = {.out = out};
    if (hlo_diff_compare_headers(d, NULL, NULL)) {
        hlo_buf_lit(out, "header:\n");
        hlo_diff_compare_headers(d, put_aspect, &header);
    }
    for (uint32_t i = 0; i < d->pairs.n; i++) put_pair(d, d->pairs.v[i].a, d->pairs.v[i].b, out);
    put_lone_computations(&d->a, "-", out);
    put_lone_computations(&d->b, "+", out);
    put_sum(d, out);
}

/* ---- JSON ---- */

static void json_line(hlo_buf *out, const hlo_instr *instr, bool *first) {
    hlo_buf line = HLO_BUF_INIT;
    if (!*first) hlo_buf_char(out, ',');
    *first = false;
    hlo_buf_lit(out, "{\"name\":");
    json_name(out, instr->name);
    hlo_buf_lit(out, ",\"instruction\":");
    put_instr(&line, instr);
    json_string(out, &line);
    hlo_buf_char(out, '}');
    hlo_buf_free(&line);
}

static void json_lone(const hlo_diff_side *side, const hlo_computation *c, hlo_buf *out) {
    bool first = true;
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (!hlo_diff_partner(side, i)) json_line(out, i, &first);
}

static void json_changes(const hlo_diff *d, const hlo_computation *a, hlo_buf *out) {
    bool first = true;
    for (const hlo_instr *i = a->first; i; i = i->next) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (!partner || !hlo_diff_compare(d, i, partner, NULL, NULL)) continue;
        if (!first) hlo_buf_char(out, ',');
        first = false;
        hlo_buf_lit(out, "{\"from\":");
        json_name(out, i->name);
        hlo_buf_lit(out, ",\"to\":");
        json_name(out, partner->name);
        hlo_buf_lit(out, ",\"differences\":[");
        report r = {out, i, partner, true, true};
        hlo_diff_compare(d, i, partner, put_aspect, &r);
        hlo_buf_lit(out, "]}");
    }
}

static bool differs(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b) {
    for (const hlo_instr *i = a->first; i; i = i->next) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (!partner || hlo_diff_compare(d, i, partner, NULL, NULL)) return true;
    }
    for (const hlo_instr *i = b->first; i; i = i->next)
        if (!hlo_diff_partner(&d->b, i)) return true;
    return false;
}

static void json_pair(const hlo_diff *d, uint32_t number, hlo_buf *out) {
    const hlo_computation *a = d->pairs.v[number].a, *b = d->pairs.v[number].b;
    hlo_buf_lit(out, "{\"from\":");
    json_name(out, a->name);
    hlo_buf_lit(out, ",\"to\":");
    json_name(out, b->name);
    hlo_buf_lit(out, ",\"changed\":[");
    json_changes(d, a, out);
    hlo_buf_lit(out, "],\"removed\":[");
    json_lone(&d->a, a, out);
    hlo_buf_lit(out, "],\"added\":[");
    json_lone(&d->b, b, out);
    hlo_buf_lit(out, "]}");
}

static void json_computations(const hlo_diff_side *side, hlo_buf *out) {
    bool first = true;
    for (const hlo_computation *c = side->module->first; c; c = c->next) {
        if (side->met[c->id]) continue;
        if (!first) hlo_buf_char(out, ',');
        first = false;
        json_name(out, c->name);
    }
}

void hlo_diff_print_json(const hlo_diff *d, hlo_buf *out) {
    hlo_buf_printf(out, "{\"same\":%s,\"header\":[", hlo_diff_is_empty(d) ? "true" : "false");
    report header = {.out = out, .json = true, .first = true};
    hlo_diff_compare_headers(d, put_aspect, &header);
    hlo_buf_lit(out, "],\"computations\":[");
    bool first = true;
    for (uint32_t i = 0; i < d->pairs.n; i++) {
        if (!differs(d, d->pairs.v[i].a, d->pairs.v[i].b)) continue;
        if (!first) hlo_buf_char(out, ',');
        first = false;
        json_pair(d, i, out);
    }
    hlo_buf_lit(out, "],\"removed_computations\":[");
    json_computations(&d->a, out);
    hlo_buf_lit(out, "],\"added_computations\":[");
    json_computations(&d->b, out);
    hlo_buf_lit(out, "]}\n");
}
