/* Differences for people. */
#include <inttypes.h>

#include "base/printable.h"
#include "diff/aspect.h"

/* What differs in a pair is listed on one line. Lines are collected as they are, and escaped as a
 * whole when they end. */
typedef struct {
    hlo_buf *line;
    const hlo_instr *a, *b; /* NULL: the headers */
    bool begun;
} report;

static void end_line(hlo_buf *line, hlo_buf *out) {
    hlo_put_line_start(out, line->data, line->len);
    hlo_buf_char(out, '\n');
    hlo_buf_free(line);
}

/* People see the beginning of long constants; the line that it is for becomes printable. */
static void put_short(hlo_buf *out, const hlo_buf *text) {
    enum { LONGEST = 160 };
    size_t shown = text->len > LONGEST ? LONGEST : text->len;
    hlo_buf_bytes(out, text->data, shown); /* printable when the line ends */
    if (text->len > LONGEST) hlo_buf_lit(out, "...");
}

static void put_difference(const report *r, hlo_diff_aspect aspect, uint32_t number,
                           const hlo_attr *a, const hlo_attr *b) {
    hlo_diff_put_what(r->line, aspect, number, a, b);
    hlo_buf_lit(r->line, ": ");
    if (hlo_diff_is_elided(a, b)) {
        hlo_buf_lit(r->line, "elided on one side");
        return;
    }
    hlo_buf from = HLO_BUF_INIT, to = HLO_BUF_INIT;
    hlo_diff_put_side(&from, r->a, aspect, number, a, !number);
    hlo_diff_put_side(&to, r->b, aspect, number, b, number);
    put_short(r->line, &from);
    hlo_buf_lit(r->line, " became ");
    put_short(r->line, &to);
    hlo_buf_free(&from);
    hlo_buf_free(&to);
}

static void put_aspect(void *context, hlo_diff_aspect aspect, uint32_t number, const hlo_attr *a,
                       const hlo_attr *b) {
    report *r = context;
    if (r->begun) hlo_buf_lit(r->line, "; ");
    else hlo_buf_lit(r->line, "      ");
    r->begun = true;
    put_difference(r, aspect, number, a, b);
}

typedef struct {
    hlo_buf *out;
    const hlo_instr *a, *b;
} listing;

static void put_aspect_line(void *context, hlo_diff_aspect aspect, uint32_t number,
                            const hlo_attr *a, const hlo_attr *b) {
    const listing *l = context;
    hlo_buf line = HLO_BUF_INIT;
    put_difference(&(report){.line = &line, .a = l->a, .b = l->b}, aspect, number, a, b);
    end_line(&line, l->out);
}

void hlo_diff_list(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b, hlo_buf *out) {
    listing l = {.out = out, .a = a, .b = b};
    if (a) hlo_diff_compare(d, a, b, put_aspect_line, &l);
    else hlo_diff_compare_headers(d, put_aspect_line, &l);
}

static void put_new_name(report *r) {
    if (hlo_same_name(r->a->name, r->b->name)) return;
    hlo_buf_lit(r->line, "      name: ");
    hlo_diff_put_name(r->line, r->a->name);
    hlo_buf_lit(r->line, " became ");
    hlo_diff_put_name(r->line, r->b->name);
    r->begun = true;
}

static void put_line(const hlo_diff *d, const char *sign, const hlo_instr *instr, hlo_buf *out) {
    hlo_buf line = HLO_BUF_INIT;
    hlo_buf_printf(&line, "  %s ", sign);
    if (instr->parent->root == instr) hlo_buf_lit(&line, "ROOT ");
    hlo_diff_put_instr(d, instr, &line);
    end_line(&line, out);
}

static void put_change(const hlo_diff *d, const hlo_instr *a, const hlo_instr *b, hlo_buf *out) {
    hlo_buf line = HLO_BUF_INIT;
    put_line(d, "~", a, out);
    report r = {.line = &line, .a = a, .b = b};
    put_new_name(&r);
    hlo_diff_compare(d, a, b, put_aspect, &r);
    end_line(&line, out);
}

static void put_body(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b,
                     hlo_buf *out) {
    for (const hlo_instr *i = a->first; i; i = i->next) {
        const hlo_instr *partner = hlo_diff_partner(&d->a, i);
        if (!partner) put_line(d, "-", i, out);
        else if (hlo_diff_compare(d, i, partner, NULL, NULL)) put_change(d, i, partner, out);
    }
    for (const hlo_instr *i = b->first; i; i = i->next)
        if (!hlo_diff_partner(&d->b, i)) put_line(d, "+", i, out);
}

static void put_sum(const hlo_diff *d, hlo_buf *line) {
    hlo_buf_printf(line, "%" PRIu64 " changed, %" PRIu64 " added, %" PRIu64 " removed", d->changed,
                   d->added, d->removed);
    if (d->added_computations || d->removed_computations)
        hlo_buf_printf(line, "; computations: %" PRIu64 " added, %" PRIu64 " removed",
                       d->added_computations, d->removed_computations);
}

static void put_sum_line(const hlo_diff *d, hlo_buf *out) {
    hlo_buf line = HLO_BUF_INIT;
    put_sum(d, &line);
    end_line(&line, out);
}

static void put_pair(const hlo_diff *d, const hlo_computation *a, const hlo_computation *b,
                     bool is_only_part, hlo_buf *out) {
    hlo_buf head = HLO_BUF_INIT, body = HLO_BUF_INIT;
    put_body(d, a, b, &body);
    if (body.len) {
        hlo_diff_put_name(&head, a->name);
        if (!hlo_same_name(a->name, b->name)) {
            hlo_buf_lit(&head, ", now ");
            hlo_diff_put_name(&head, b->name);
        }
        hlo_buf_char(&head, ':');
        if (is_only_part) {
            hlo_buf_char(&head, ' ');
            put_sum(d, &head);
        }
        end_line(&head, out);
        hlo_buf_bytes(out, body.data, body.len); /* printable lines */
    }
    hlo_buf_free(&body);
}

static void put_lone_computations(const hlo_diff_side *side, const char *sign, hlo_buf *out) {
    for (const hlo_computation *c = side->module->first; c; c = c->next) {
        if (side->met[c->id]) continue;
        hlo_buf line = HLO_BUF_INIT;
        hlo_buf_printf(&line, "%s computation ", sign);
        hlo_diff_put_name(&line, c->name);
        hlo_buf_printf(&line, " of %u instructions", c->instr_count);
        end_line(&line, out);
    }
}

/* Whether the whole report is about one computation: then its heading has the sum, and the
 * report is as short as that of diff. */
static bool has_one_part(const hlo_diff *d) {
    if (d->added_computations || d->removed_computations || hlo_diff_compare_headers(d, NULL, NULL))
        return false;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < d->pairs.n && parts < 2; i++)
        parts += hlo_diff_pair_differs(d, d->pairs.v[i].a, d->pairs.v[i].b);
    return parts == 1;
}

static void put_all(const hlo_diff *d, hlo_buf *out) {
    bool is_one = has_one_part(d);
    if (hlo_diff_compare_headers(d, NULL, NULL)) {
        hlo_buf line = HLO_BUF_INIT;
        hlo_buf_lit(out, "header:\n");
        hlo_diff_compare_headers(d, put_aspect, &(report){.line = &line});
        end_line(&line, out);
    }
    for (uint32_t i = 0; i < d->pairs.n; i++)
        put_pair(d, d->pairs.v[i].a, d->pairs.v[i].b, is_one, out);
    put_lone_computations(&d->a, "-", out);
    put_lone_computations(&d->b, "+", out);
    if (!is_one) put_sum_line(d, out);
}

void hlo_diff_print(const hlo_diff *d, bool brief, hlo_buf *out) {
    if (hlo_diff_is_empty(d)) return;
    if (brief) put_sum_line(d, out);
    else put_all(d, out);
}
