/* Diagnostics as text with source line and caret. */
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "diag/diag.h"

typedef struct {
    const char *bold, *error, *warning, *note, *caret, *off;
} palette;

static const palette plain = {"", "", "", "", "", ""};
static const palette coloured = {"\x1b[1m",    "\x1b[1;31m", "\x1b[1;35m",
                                 "\x1b[1;36m", "\x1b[1;32m", "\x1b[0m"};

typedef struct {
    FILE *to;
    const palette *colour;
    const char *program; /* NULL: not named */
} renderer;

/* ---- the line ---- */

enum { SHOWN_COLUMNS = 120, CONTEXT_BEFORE = 60 };

/* Bytes at `text` that take one column of a line; *visible: as they are. Others, like control
 * characters, are shown as one question mark per byte. */
static size_t column_bytes(const char *text, size_t n, bool *visible) {
    HLO_ASSERT(n > 0);
    size_t length = *text == '\t' ? 1 : hlo_printable(text, n);
    *visible = length > 0;
    return length ? length : 1;
}

static void put_visible(FILE *to, const char *bytes, size_t n) {
    bool visible;
    const char *colon = hlo_begins_command(bytes, n) ? memchr(bytes, ':', n) : NULL;
    for (size_t i = 0, length; i < n; i += length) {
        length = column_bytes(bytes + i, n - i, &visible);
        visible &= bytes + i != colon;
        if (visible) fwrite(bytes + i, 1, length, to);
        else fputc('?', to);
    }
}

/* The part of a line that is shown: header lines of dumps reach tens of kilobytes. */
typedef struct {
    hlo_str line;
    size_t from, shown;
} excerpt;

static size_t column_of(const hlo_diag *d, hlo_str line) {
    size_t column = hlo_source_position(d->source, d->span.lo).column - 1;
    return column > line.len ? line.len : column;
}

/* Is the byte in the middle of a character? */
static bool continues(const excerpt *e, size_t at) {
    return at < e->line.len && (e->line.ptr[at] & 0xc0) == 0x80;
}

static excerpt excerpt_of(const hlo_diag *d) {
    excerpt e = {.line = hlo_source_line(d->source, d->span.lo)};
    size_t column = column_of(d, e.line);
    HLO_ASSERT(column <= e.line.len);
    if (column > SHOWN_COLUMNS - 20) e.from = column - CONTEXT_BEFORE;
    for (int i = 0; i < 3 && e.from && continues(&e, e.from); i++) e.from--;
    e.shown = e.line.len - e.from > SHOWN_COLUMNS ? SHOWN_COLUMNS : e.line.len - e.from;
    for (int i = 0; i < 3 && e.shown && continues(&e, e.from + e.shown); i++) e.shown--;
    HLO_ASSERT(e.from + e.shown <= e.line.len && e.shown <= SHOWN_COLUMNS);
    return e;
}

/* Does the diagnostic point into the excerpt? */
static bool is_shown(const hlo_diag *d, const excerpt *e, hlo_source *source) {
    if (d->source != source || hlo_source_line(source, d->span.lo).ptr != e->line.ptr) return false;
    size_t column = column_of(d, e->line);
    return column >= e->from && column <= e->from + e->shown;
}

/* Marks the bytes of the span that are shown: the first with `first`, the others with `rest`. */
static void mark(char *marks, const excerpt *e, const hlo_diag *d, char first, char rest) {
    HLO_ASSERT(e->shown <= SHOWN_COLUMNS);
    size_t at = column_of(d, e->line) - e->from;
    size_t width = d->span.hi > d->span.lo ? d->span.hi - d->span.lo : 1;
    if (width > e->shown - at) width = e->shown > at ? e->shown - at : 1;
    memset(marks + at, rest, width);
    HLO_ASSERT(at <= e->shown && at + width <= SHOWN_COLUMNS + 2);
    marks[at] = first;
}

/* Of marks of one column the caret is shown. */
static char mark_of(const char *marks, size_t n) {
    HLO_ASSERT(n > 0);
    return memchr(marks, '^', n) ? '^' : marks[0];
}

/* Tabs stay tabs, and a character of several bytes takes one column. */
static void put_marks(FILE *to, const char *marks, const excerpt *e, const palette *colour) {
    const char *tint = colour->off;
    size_t end = e->shown + 1;
    bool visible;
    while (marks[end - 1] == ' ') end--;
    for (size_t i = 0, length; i < end; i += length) {
        bool inside = i < e->shown;
        const char *text = e->line.ptr + e->from + i;
        length = inside ? column_bytes(text, e->shown - i, &visible) : 1;
        char m = mark_of(marks + i, length);
        const char *wanted = m == ' ' ? colour->off : m == '-' ? colour->note : colour->caret;
        if (wanted != tint) fputs(wanted, to);
        tint = wanted;
        fputc(m == ' ' && inside && *text == '\t' ? '\t' : m, to);
    }
    fprintf(to, "%s\n", colour->off);
}

/* ---- where and what ---- */

/* The file that a message starts with; NULL when none is known or the message names it. */
static const char *file_before(const hlo_diag *d) {
    if (d->source) return d->source->name;
    return d->file && !strstr(d->message, d->file) ? d->file : NULL;
}

/* In a pipe of programs, standard input and the texts of options are those of one of them. */
static bool needs_program(const renderer *r, const char *file) {
    return r->program && (!file || strcmp(file, "<stdin>") == 0 || strncmp(file, "--", 2) == 0);
}

static void put_name(FILE *to, const char *name) {
    hlo_buf clean = HLO_BUF_INIT;
    hlo_put_line_start(&clean, name, strlen(name));
    fwrite(clean.data, 1, clean.len, to);
    hlo_buf_free(&clean);
}

static void put_place(const renderer *r, const hlo_diag *d) {
    const char *file = file_before(d);
    fputs(r->colour->bold, r->to);
    if (needs_program(r, file)) fprintf(r->to, "%s: ", r->program);
    if (!file) return;
    put_name(r->to, file);
    if (d->source) {
        hlo_position at = hlo_source_position(d->source, d->span.lo);
        fprintf(r->to, ":%u:%u", at.line, at.column);
    }
    fputs(": ", r->to);
}

static void render_head(const renderer *r, const hlo_diag *d) {
    static const char *const words[] = {"note", "warning", "error"};
    const palette *colour = r->colour;
    const char *tint = d->severity == HLO_ERROR     ? colour->error
                       : d->severity == HLO_WARNING ? colour->warning
                                                    : colour->note;
    put_place(r, d);
    fprintf(r->to, "%s%s:%s %s", tint, words[d->severity], colour->off, d->message);
    if (d->severity != HLO_NOTE) fprintf(r->to, " [%s]", hlo_rule_name(d->rule));
    fputc('\n', r->to);
}

/* The line of an error with its caret; notes on the same line are marked there too. */
static void render_line(const renderer *r, const hlo_diag *d, const excerpt *e) {
    FILE *to = r->to;
    char marks[SHOWN_COLUMNS + 2];
    memset(marks, ' ', sizeof marks);
    for (const hlo_diag *note = d->notes; note; note = note->next)
        if (!note->is_aside && is_shown(note, e, d->source)) mark(marks, e, note, '-', '-');
    mark(marks, e, d, '^', '~');
    fprintf(to, "  %s", e->from ? "..." : "");
    put_visible(to, e->line.ptr + e->from, e->shown);
    fprintf(to, "%s\n  %s", e->from + e->shown < e->line.len ? "..." : "", e->from ? "   " : "");
    put_marks(to, marks, e, r->colour);
}

/* Where it is in a module that has no text. */
static void render_names(const renderer *r, const hlo_diag *d) {
    fputs("  in instruction ", r->to);
    put_visible(r->to, d->instruction.ptr, d->instruction.len);
    fputs(d->computation.len ? " of computation " : "", r->to);
    put_visible(r->to, d->computation.ptr, d->computation.len);
    fputc('\n', r->to);
}

static void render_one(const renderer *r, const hlo_diag *d) {
    excerpt e = d->source ? excerpt_of(d) : (excerpt){0};
    bool has_text = e.line.len > 0;
    render_head(r, d);
    if (has_text) render_line(r, d, &e);
    else if (!d->source && d->instruction.len) render_names(r, d);
    for (const hlo_diag *note = d->notes; note; note = note->next) {
        bool head_only = note->is_aside || (has_text && is_shown(note, &e, d->source));
        if (head_only) render_head(r, note);
        else render_one(r, note);
    }
    if (d->hint) fprintf(r->to, "  hint: %s\n", d->hint);
}

/* ---- the list ---- */

/* What was counted and not kept. */
static void render_rest(void *renderer_of_all, hlo_rule rule, const char *text) {
    const renderer *r = renderer_of_all;
    if (r->program) fprintf(r->to, "%s: ", r->program);
    fprintf(r->to, "note: %s: %s\n", rule == HLO_RULE_COUNT ? "errors" : hlo_rule_name(rule), text);
}

bool hlo_diags_render_whole(hlo_diags *diags, FILE *to, bool colour) {
    HLO_API_CALL(diags) {
        const char *program = diags->program;
        fprintf(to, "%s%serror: %s; not all messages are shown [system]\n", program ? program : "",
                program ? ": " : "", diags->out_of_memory_text);
        return false;
    }
    size_t n;
    const hlo_diag **sorted = hlo_diags_sorted(diags, &n);
    renderer r = {to, colour ? &coloured : &plain, diags->program};
    for (size_t i = 0; i < n; i++) render_one(&r, sorted[i]);
    hlo_diags_rest(diags, render_rest, &r);
    hlo_free(sorted);
    return true;
}

/* One write where memory allows: on an unbuffered stream that several processes share, each line
 * stays whole. Without memory at its end, fclose succeeds and leaves no text. */
void hlo_diags_render(hlo_diags *diags, FILE *to, bool colour) {
    if (!diags || !to) return;
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    bool is_whole = memory && hlo_diags_render_whole(diags, memory, colour) && !ferror(memory);
    if (memory && (fclose(memory) != 0 || !text)) is_whole = false;
    if (is_whole) fwrite(text, 1, length, to);
    else hlo_diags_render_whole(diags, to, colour);
    free(text);
}
