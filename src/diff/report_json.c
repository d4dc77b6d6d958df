/* Differences as one JSON object. */
#include <inttypes.h>

#include "diff/aspect.h"

typedef struct {
    hlo_buf *out;
    const hlo_instr *a, *b; /* NULL: the headers */
    bool first;
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

static void put_aspect(void *context, hlo_diff_aspect aspect, uint32_t number, const hlo_attr *a,
                       const hlo_attr *b) {
    report *r = context;
    hlo_buf what = HLO_BUF_INIT, from = HLO_BUF_INIT, to = HLO_BUF_INIT;
    hlo_diff_put_what(&what, aspect, number, a, b);
    hlo_diff_put_side(&from, r->a, aspect, number, a, !number);
    hlo_diff_put_side(&to, r->b, aspect, number, b, number);
    put_aspect_json(r, &what, &from, &to);
    r->first = false;
    hlo_buf_free(&what);
    hlo_buf_free(&from);
    hlo_buf_free(&to);
}

static void json_line(const hlo_diff *d, const hlo_instr *instr, bool *first, hlo_buf *out) {
    hlo_buf line = HLO_BUF_INIT;
    if (!*first) hlo_buf_char(out, ',');
    *first = false;
    hlo_buf_lit(out, "{\"name\":");
    json_name(out, instr->name);
    hlo_buf_lit(out, ",\"instruction\":");
    hlo_diff_put_instr(d, instr, &line);
    json_string(out, &line);
    hlo_buf_char(out, '}');
    hlo_buf_free(&line);
}

static void json_lone(const hlo_diff *d, const hlo_diff_side *side, const hlo_computation *c,
                      hlo_buf *out) {
    bool first = true;
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (!hlo_diff_partner(side, i)) json_line(d, i, &first, out);
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
        report r = {out, i, partner, true};
        hlo_diff_compare(d, i, partner, put_aspect, &r);
        hlo_buf_lit(out, "]}");
    }
}

static void json_pair(const hlo_diff *d, uint32_t number, hlo_buf *out) {
    HLO_ASSERT(number < d->pairs.n);
    const hlo_computation *a = d->pairs.v[number].a, *b = d->pairs.v[number].b;
    hlo_buf_lit(out, "{\"from\":");
    json_name(out, a->name);
    hlo_buf_lit(out, ",\"to\":");
    json_name(out, b->name);
    hlo_buf_lit(out, ",\"changed\":[");
    json_changes(d, a, out);
    hlo_buf_lit(out, "],\"removed\":[");
    json_lone(d, &d->a, a, out);
    hlo_buf_lit(out, "],\"added\":[");
    json_lone(d, &d->b, b, out);
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

static void json_counts(const hlo_diff *d, hlo_buf *out) {
    hlo_buf_printf(out,
                   "\"changed\":%" PRIu64 ",\"added\":%" PRIu64 ",\"removed\":%" PRIu64
                   ",\"added_computations\":%" PRIu64 ",\"removed_computations\":%" PRIu64 "}\n",
                   d->changed, d->added, d->removed, d->added_computations,
                   d->removed_computations);
}

static void json_all(const hlo_diff *d, hlo_buf *out) {
    hlo_buf_lit(out, "\"header\":[");
    report header = {.out = out, .first = true};
    hlo_diff_compare_headers(d, put_aspect, &header);
    hlo_buf_lit(out, "],\"computations\":[");
    bool first = true;
    for (uint32_t i = 0; i < d->pairs.n; i++) {
        if (!hlo_diff_pair_differs(d, d->pairs.v[i].a, d->pairs.v[i].b)) continue;
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

void hlo_diff_print_json(const hlo_diff *d, bool brief, hlo_buf *out) {
    hlo_buf_printf(out, "{\"same\":%s,", hlo_diff_is_empty(d) ? "true" : "false");
    if (brief) json_counts(d, out);
    else json_all(d, out);
}
