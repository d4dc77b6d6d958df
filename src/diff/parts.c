/* Modules compared and reported, and graphs in parts part by part: those of one device are
 * counterparts. */
#include "base/printable.h"
#include "diff/diff.h"

typedef struct {
    hlo_buf *to;
    bool brief;
} target;

typedef struct {
    hlo_diff_report how;
    target targets[2]; /* of one comparison */
    uint32_t target_count;
    bool same;
    uint32_t count; /* parts that both have */
} writing;

static void begin(writing *w, hlo_diff *diff, hlo_module *a, hlo_module *b) {
    hlo_diff_init(diff, a, b, w->how.settings);
    w->same &= hlo_diff_is_empty(diff);
}

static void print(const writing *w, const hlo_diff *diff, bool brief, hlo_buf *out) {
    if (w->how.json) hlo_diff_print_json(diff, brief, out);
    else hlo_diff_print(diff, brief, out);
}

static void compare(writing *w, hlo_module *a, hlo_module *b) {
    hlo_diff diff;
    begin(w, &diff, a, b);
    for (uint32_t t = 0; t < w->target_count; t++)
        print(w, &diff, w->targets[t].brief, w->targets[t].to);
    hlo_diff_free(&diff);
}

/* ---- for people ---- */

static void put_title(hlo_buf *out, const char *sign, const hlo_module *part) {
    hlo_buf_printf(out, "%smodule ", sign);
    hlo_put_printable(out, part->name.ptr, part->name.len);
}

static void put_differences(const writing *w, const target *t, const hlo_diff *diff) {
    hlo_buf body = HLO_BUF_INIT;
    print(w, diff, t->brief, &body);
    if (body.len) {
        put_title(t->to, "", diff->a.module);
        hlo_buf_lit(t->to, ":\n");
        hlo_buf_bytes(t->to, body.data, body.len); /* printable lines */
    }
    hlo_buf_free(&body);
}

static void put_pair(writing *w, hlo_module *a, hlo_module *b) {
    hlo_diff diff;
    begin(w, &diff, a, b);
    for (uint32_t t = 0; t < w->target_count; t++) put_differences(w, &w->targets[t], &diff);
    hlo_diff_free(&diff);
}

static void put_lone(writing *w, const char *sign, const hlo_module *part) {
    for (; part; part = part->next_device) {
        for (uint32_t t = 0; t < w->target_count; t++) {
            put_title(w->targets[t].to, sign, part);
            hlo_buf_printf(w->targets[t].to, " of %u instructions\n", part->entry->instr_count);
        }
        w->same = false;
    }
}

static void put_parts(writing *w, hlo_module *a, hlo_module *b) {
    for (; a && b; a = a->next_device, b = b->next_device) put_pair(w, a, b);
    put_lone(w, "- ", a);
    put_lone(w, "+ ", b);
}

/* ---- JSON ---- */

static void json_pair(writing *w, hlo_module *a, hlo_module *b) {
    for (uint32_t t = 0; w->count && t < w->target_count; t++) hlo_buf_char(w->targets[t].to, ',');
    w->count++;
    compare(w, a, b);
    for (uint32_t t = 0; t < w->target_count; t++)
        w->targets[t].to->len--; /* the end of the line */
}

static uint32_t count_parts(const hlo_module *part) {
    uint32_t n = 0;
    for (; part; part = part->next_device) n++;
    return n;
}

/* Names add nothing to numbers: parts are those of devices 0, 1, ... */
static void json_parts(writing *w, hlo_module *a, hlo_module *b) {
    for (uint32_t t = 0; t < w->target_count; t++) hlo_buf_lit(w->targets[t].to, "{\"parts\":[");
    for (; a && b; a = a->next_device, b = b->next_device) json_pair(w, a, b);
    if (a || b) w->same = false;
    for (uint32_t t = 0; t < w->target_count; t++)
        hlo_buf_printf(w->targets[t].to, "],\"removed_parts\":%u,\"added_parts\":%u,\"same\":%s}\n",
                       count_parts(a), count_parts(b), w->same ? "true" : "false");
}

bool hlo_diff_write(hlo_module *a, hlo_module *b, hlo_diff_report how, hlo_buf *out,
                    hlo_buf *counts) {
    writing w = {.how = how, .targets = {{out, how.brief}, {counts, true}}, .same = true};
    w.target_count = counts ? 2 : 1;
    if (!a->next_device && !b->next_device) compare(&w, a, b);
    else if (how.json) json_parts(&w, a, b);
    else put_parts(&w, a, b);
    return w.same;
}
