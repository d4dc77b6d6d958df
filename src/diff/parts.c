/* Modules compared and reported, and graphs in parts part by part: those of one device are
 * counterparts. */
#include "base/printable.h"
#include "diff/diff.h"

typedef struct {
    hlo_diff_report how;
    hlo_buf *out;
    bool same;
    uint32_t count; /* parts that both have */
} writing;

static void compare(writing *w, hlo_module *a, hlo_module *b, hlo_buf *out) {
    hlo_diff diff;
    hlo_diff_init(&diff, a, b, w->how.settings);
    if (w->how.json) hlo_diff_print_json(&diff, w->how.brief, out);
    else hlo_diff_print(&diff, w->how.brief, out);
    w->same &= hlo_diff_is_empty(&diff);
    hlo_diff_free(&diff);
}

/* ---- for people ---- */

static void put_title(hlo_buf *out, const char *sign, const hlo_module *part) {
    hlo_buf_printf(out, "%smodule ", sign);
    hlo_put_printable(out, part->name.ptr, part->name.len);
}

static void put_pair(writing *w, hlo_module *a, hlo_module *b) {
    hlo_buf body = HLO_BUF_INIT;
    compare(w, a, b, &body);
    if (body.len) {
        put_title(w->out, "", a);
        hlo_buf_lit(w->out, ":\n");
        hlo_buf_bytes(w->out, body.data, body.len); /* printable lines */
    }
    hlo_buf_free(&body);
}

static void put_lone(writing *w, const char *sign, const hlo_module *part) {
    for (; part; part = part->next_device) {
        put_title(w->out, sign, part);
        hlo_buf_printf(w->out, " of %u instructions\n", part->entry->instr_count);
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
    if (w->count++) hlo_buf_char(w->out, ',');
    compare(w, a, b, w->out);
    w->out->len--; /* its end of the line */
}

static uint32_t count_parts(const hlo_module *part) {
    uint32_t n = 0;
    for (; part; part = part->next_device) n++;
    return n;
}

/* Names add nothing to numbers: parts are those of devices 0, 1, ... */
static void json_parts(writing *w, hlo_module *a, hlo_module *b) {
    hlo_buf_lit(w->out, "{\"parts\":[");
    for (; a && b; a = a->next_device, b = b->next_device) json_pair(w, a, b);
    if (a || b) w->same = false;
    hlo_buf_printf(w->out, "],\"removed_parts\":%u,\"added_parts\":%u,\"same\":%s}\n",
                   count_parts(a), count_parts(b), w->same ? "true" : "false");
}

bool hlo_diff_write(hlo_module *a, hlo_module *b, hlo_diff_report how, hlo_buf *out) {
    writing w = {.how = how, .out = out, .same = true};
    if (!a->next_device && !b->next_device) compare(&w, a, b, out);
    else if (how.json) json_parts(&w, a, b);
    else put_parts(&w, a, b);
    return w.same;
}
